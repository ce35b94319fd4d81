/**
 * What partial loop purity elimination promises ([Await], Theorem 1), on random loops, by brute force. With the same bound on all
 * loops, a program with and without it reaches the same failures and, in executions in which all threads end, the same final states:
 * an execution without its pure iterations is an execution too, and it enters no header more often.
 *
 * Under sequential consistency every interleaving is tried. Under weak models TruSt enumerates the execution graphs.
 */
import { parseModule } from '../../../src/c/ir/parser.ts';
import { type CProgram, cProgram } from '../../../src/c/program.ts';
import { startingOver } from '../../../src/check/starting-over.ts';
import type { ExploreOptions } from '../../../src/explore/explorer.ts';
import { TruSt } from '../../../src/explore/graphs/trust.ts';
import { DepthFirstSearch } from '../../../src/explore/schedules/dfs.ts';
import { type ModelName, models } from '../../../src/models/registry.ts';
import { Behaviours } from '../../../src/program/behaviours.ts';
import { randomLoops } from './random-loops.ts';
import type { LockKind } from './random-thread.ts';
import { withUnreadWrites } from './unread-writes.ts';

export interface Reached {
  readonly finals: readonly string[];
  readonly failures: readonly string[];
}

export interface Reduction {
  readonly plp: boolean;
  readonly await: boolean;
}

const settings: ExploreOptions = {
  keepGoing: true,
  races: false,
  livelock: false,
  checkLeaks: false,
  maxExecutions: 3000,
};

/** All that the program reaches; undefined if there are too many executions. */
export function reachedBy(text: string, reduction: Reduction, model: ModelName = 'sc', bound = 3): Reached | undefined {
  const program = cProgram([parseModule(text, 'loops.ll')], { name: 'loops', unroll: bound, ...reduction });
  return startingOver(() => reached(program, model));
}

function reached(program: CProgram, model: ModelName): Reached | undefined {
  const behaviours = new Behaviours(program);
  const finals = new Set<string>();
  /** What main returned. */
  const note = (main: number): void => {
    finals.add(String(behaviours.values.valueOf(behaviours.value[main]!)));
  };
  const search = model === 'sc' ? interleavings(behaviours, note) : graphs(behaviours, model, note);
  while (!search.run(10_000));
  if (!search.isExhausted) return undefined;
  const failures = new Set(search.findings.map(({ kind, message }) => `${kind} ${message}`));
  return { finals: [...finals].sort(), failures: [...failures].sort() };
}

function interleavings(behaviours: Behaviours, note: (main: number) => void): DepthFirstSearch {
  const search: DepthFirstSearch = new DepthFirstSearch(behaviours, {
    ...settings,
    onExecution: (outcome) => {
      if (outcome === 'complete') note(search.interleaving.stateOf(0));
    },
  });
  return search;
}

function graphs(behaviours: Behaviours, model: ModelName, note: (main: number) => void): TruSt {
  const search: TruSt = new TruSt(behaviours, models[model].graph.co, {
    ...settings,
    onExecution: (outcome) => {
      if (outcome === 'complete') note(search.stateOf(0));
    },
  });
  return search;
}

const reductions: readonly Reduction[] = [
  { plp: true, await: false },
  { plp: true, await: true },
  { plp: false, await: true },
];

/** Where the program with a reduction differs; undefined: nowhere, 'too large': it cannot be told. */
export function differenceOn(
  seed: number,
  model: ModelName = 'sc',
  hasUnread = false,
  lock: LockKind = 'mutex',
): string | undefined {
  const loops = randomLoops(seed, model !== 'sc', lock);
  const text = hasUnread ? withUnreadWrites(loops, seed) : loops;
  const bound = seed % 3 === 0 ? 3 : 2; // with 2, inner loops are not too much for brute force
  const expected = reachedBy(text, { plp: false, await: false }, model, bound);
  if (expected === undefined) return 'too large';
  const assumes = text.includes('call void @__VERIFIER_assume');
  for (const reduction of reductions) {
    if (!reduction.plp && !assumes) continue; // there is nothing to wait for
    const found = reachedBy(text, reduction, model, bound);
    if (found === undefined) return 'too large';
    if (JSON.stringify(found) === JSON.stringify(expected)) continue;
    return `seed ${seed}, ${model}, ${JSON.stringify(reduction)}:\n${show(expected)}\nbecomes\n${show(found)}\n${text}`;
  }
  return undefined;
}

function show({ finals, failures }: Reached): string {
  return `ends ${finals.join(' ')}; fails ${failures.join(', ')}`;
}
