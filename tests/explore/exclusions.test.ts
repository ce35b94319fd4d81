/**
 * Updates that would wait come last, and reads that were excluded leave the graph ("Locks" in trust.ts): the same executions and errors
 * as with [TruSt] to the letter, which a policy that looks at every graph gets, and hardly any graph in vain. (HEDDLE_SOAK_SEED: other
 * programs.)
 */
import { expect, test } from 'vitest';
import { type Counts, type ExploreOptions, type Finding, noCounts } from '../../src/explore/explorer.ts';
import { everyGraph } from '../../src/explore/graphs/policy.ts';
import { TruSt } from '../../src/explore/graphs/trust.ts';
import { type ModelName, models } from '../../src/models/registry.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
import type { Ending } from '../../src/program/ending.ts';
import type { SavedSearch } from '../../src/program/execution.ts';
import type { Program } from '../../src/program/operation.ts';
import { coKey } from '../oracle/classes.ts';
import type { ProgramAst, Statement } from '../oracle/language.ts';
import { lockingProgram } from '../random/locking.ts';
import { minimise, show } from '../random/programs.ts';
import { toOperations } from '../random/to-operations.ts';
import { waitingProgram } from '../random/waiting.ts';
import { wideProgram } from '../random/wide.ts';
import { byTier } from '../tier.ts';
import { observe } from './kit/observe.ts';

const MOST_EXECUTIONS = 2000;

const options: ExploreOptions = {
  keepGoing: true,
  races: true,
  livelock: true,
  checkLeaks: false,
  maxExecutions: MOST_EXECUTIONS,
};

interface Explored {
  readonly keys: readonly string[];
  readonly errors: readonly string[];
  readonly redundant: number;
}

/** Undefined: there are too many executions. `isToTheLetter`: as a policy that is not blind has it. */
function explored(program: Program, model: ModelName, isToTheLetter: boolean): Explored | undefined {
  const keys: string[] = [];
  const onExecution = (ending: Ending): void => {
    keys.push(coKey(observe(explorer, ending)));
  };
  const policy = { ...everyGraph, isBlind: !isToTheLetter };
  const behaviours = new Behaviours(program);
  const makeModel = models[model].graph.co;
  const explorer: TruSt = new TruSt(behaviours, makeModel, { ...options, onExecution }, () => policy);
  while (!explorer.run(1000));
  if (!explorer.isExhausted) return undefined;
  const error = ({ kind, threads }: Finding): string => `${kind} of ${[...threads].sort().join(' and ')}`;
  const errors = [...new Set(explorer.findings.map(error))].sort();
  return { keys: keys.sort(), errors, redundant: explorer.counts.redundant };
}

const modelNames = Object.keys(models) as ModelName[];

function difference(ast: ProgramAst, count: (here: Explored, there: Explored) => void): string | undefined {
  const program = toOperations(ast);
  for (const model of modelNames) {
    const there = explored(program, model, true);
    const here = explored(program, model, false);
    if (here === undefined || there === undefined) continue;
    if (new Set(here.keys).size < here.keys.length) return `${model}: an execution twice`;
    if (here.keys.join() !== there.keys.join()) return `${model}: ${here.keys.length} for ${there.keys.length}`;
    if (here.errors.join() !== there.errors.join()) return `${model}: ${here.errors} for ${there.errors}`;
    count(here, there);
  }
  return undefined;
}

const generators = { lockingProgram, waitingProgram, wideProgram } as const;
const most = byTier({ quick: 30, normal: 120, long: 600, soak: 5000 });

test.each(Object.keys(generators) as (keyof typeof generators)[])(
  `${most} programs of %s have the executions and errors that they have to the letter`,
  { timeout: 1_200_000 },
  (name) => {
    const make = generators[name];
    const seen = { executions: 0, redundant: 0, redundantToTheLetter: 0 };
    const first = Number(process.env['HEDDLE_SOAK_SEED'] ?? 1);
    for (let seed = first; seed < first + most; seed++) {
      const ast = make(seed);
      const wrong = difference(ast, (here, there) => {
        seen.executions += here.keys.length;
        seen.redundant += here.redundant;
        seen.redundantToTheLetter += there.redundant;
      });
      if (wrong === undefined) continue;
      const smallest = minimise(ast, (candidate) => difference(candidate, () => {}) !== undefined);
      expect.fail(`seed ${seed}:\n${show(smallest)}\n${difference(smallest, () => {})}`);
    }
    expect(seen.executions).toBeGreaterThan(most);
    expect(seen.redundant).toBeLessThan(seen.redundantToTheLetter);
  },
);

/** `last` has seen two writes to the lock's word that do not know of each other, of which only the later depends on the lock. */
test('a lock is in the chain of a write that has seen others without it', () => {
  const wait = { condition: { op: '==', constant: 0 }, add: 0, set: 1, sleeps: true } as const;
  const lock = (register: number): Statement => ({ kind: 'awaitUpdate', location: 'l', ...wait, register });
  const store = (location: string, constant: number): Statement => ({ kind: 'store', location, value: { constant } });
  const see = (location: string, register: number): Statement[] => [
    { kind: 'load', location, register },
    { kind: 'assume', register, condition: { op: '==', constant: 1 } },
  ];
  const waits = [lock(0)];
  const holds = [lock(1), store('l', 0), store('p', 1)];
  const clears = [store('l', 0), store('q', 1)];
  const last = [...see('p', 2), ...see('q', 3), store('l', 0)];
  for (const bodies of [
    [waits, holds, clears, last],
    [waits, last, clears, holds],
    [waits, clears, holds, last],
  ]) {
    const main = bodies.map((body, slot): Statement => ({ kind: 'spawn', slot, body }));
    const ast: ProgramAst = { atomics: { l: 0, p: 0, q: 0 }, shared: {}, mutexes: [], main };
    let executions = 0;
    const count = (here: Explored): void => {
      executions += here.keys.length;
    };
    expect(difference(ast, count)).toBe(undefined);
    expect(executions).toBeGreaterThan(0);
  }
});

/** A thread that is put off is left of the event that was open when the search was cut, and goes on with what that writes. */
test('a search that goes on elsewhere takes up who was put off', () => {
  const wait = (
    op: '==' | '!=',
    constant: number,
    then: { add: number; set?: number },
    register: number,
  ): Statement => ({
    kind: 'awaitUpdate',
    location: 'l',
    condition: { op, constant },
    ...then,
    sleeps: true,
    register,
  });
  const bodies: Statement[][] = [
    [wait('==', 0, { add: -1 }, 0)],
    [wait('!=', 0, { add: 0, set: 0 }, 1), wait('!=', 0, { add: 0, set: 1 }, 2)],
    [{ kind: 'store', location: 'l', value: { constant: 2 } }],
    [wait('!=', 1, { add: 1 }, 3)],
  ];
  const main = bodies.map((body, slot): Statement => ({ kind: 'spawn', slot, body }));
  const program = toOperations({ atomics: { l: 0 }, shared: {}, mutexes: [], main });
  const make = (): TruSt => new TruSt(new Behaviours(program), models.sc.graph.co, options);
  const whole = make();
  while (!whole.run(1000));
  for (let steps = 1; steps < 12; steps++) {
    const sum = noCounts();
    let saved: SavedSearch | undefined;
    for (let isOver = false, most = steps; !isOver; ) {
      const explorer = make();
      if (saved !== undefined) explorer.load(saved);
      isOver = explorer.run(most);
      for (const count of Object.keys(sum) as (keyof Counts)[]) sum[count] += explorer.counts[count];
      const left = explorer.save();
      most = JSON.stringify(left) === JSON.stringify(saved) ? most + 1 : steps; // so that it comes to something else
      saved = left;
    }
    expect(sum, `cut after ${steps} steps`).toEqual(whole.counts);
  }
});
