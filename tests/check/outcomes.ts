/**
 * Random programs in which every outcome is an error at a place of its own: so the errors of a model are its outcomes, and those
 * that are not possible under sequential consistency are the outcomes that only weak memory has.
 */
import type { Operation, Program, Thread } from '../../src/program/operation.ts';
import { type Atomic, atomic, awaitUntil, fence, program, spawn } from '../../src/typescript/api.ts';
import { Random } from '../random/prng.ts';

/** `waits`: some threads wait for a value that may not come. */
export function outcomesProgram(seed: number, waits: boolean): Program {
  const random = new Random(Math.imul(seed + 1, 0x9e3779b1));
  const threads = Array.from({ length: random.between(2, 3) }, () => statements(random, waits));
  return withOutcomes(
    program('outcomes', function* () {
      const variables = [atomic(0, 'x'), atomic(0, 'y')] as const;
      const handles = [];
      for (const body of threads) handles.push(yield* spawn(run, body, variables));
      const seen: string[] = [];
      for (const handle of handles) seen.push(yield* handle.join());
      for (const variable of variables) seen.push(String(yield* variable.load('relaxed')));
      return seen.join(' ');
    }),
  );
}

type Kind = 'load' | 'store' | 'add' | 'fence' | 'await';
type Statement = readonly [kind: Kind, place: number, value: number, isRelaxed: boolean];

function statements(random: Random, waits: boolean): Statement[] {
  const seldom: readonly Kind[] = ['add', 'fence', waits ? 'await' : 'load'];
  return Array.from({ length: random.between(2, 3) }, () => {
    const kind = random.chance(0.8) ? random.pick<Kind>(['load', 'store']) : random.pick(seldom);
    return [kind, random.between(0, 1), random.between(1, 2), random.chance(0.6)];
  });
}

function* run(body: readonly Statement[], variables: readonly Atomic<number>[]) {
  const seen: number[] = [];
  for (const [kind, place, value, isRelaxed] of body) {
    const variable = variables[place] as Atomic<number>;
    if (kind === 'load') seen.push(yield* variable.load(isRelaxed ? 'relaxed' : 'acquire'));
    else if (kind === 'store') yield* variable.store(value, isRelaxed ? 'relaxed' : 'release');
    else if (kind === 'add') seen.push(yield* variable.fetchAdd(value, isRelaxed ? 'relaxed' : 'acq_rel'));
    else if (kind === 'fence') yield* fence('seq_cst');
    else seen.push(yield* awaitUntil(variable, (now) => now >= value, isRelaxed ? 'relaxed' : 'acquire'));
  }
  return seen.join();
}

/** The end of the main thread becomes an error, whose place is the value it ends with. */
export function withOutcomes(inner: Program): Program {
  const end = (operation: Operation): Operation => {
    if (operation.kind !== 'end') return operation;
    const message = String(operation.value);
    const line = 1 + [...message].reduce((sum, letter) => (sum * 17 + letter.charCodeAt(0)) % 1_000_000_007, 0);
    return { kind: 'fail', failure: { kind: 'assertion', message, position: { file: '/outcome', line, column: 1 } } };
  };
  return {
    name: inner.name,
    locationIn: (value) => inner.locationIn?.(value),
    start(): Thread {
      const thread = inner.start();
      return { resume: (answer) => end(thread.resume(answer)) };
    },
  };
}
