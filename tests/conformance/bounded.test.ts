/**
 * Searches within a bound on preemptions: how many executions need at most K, as GenMC 0.10.3 counts them
 * (`expected/bounds.json`: by K, from 0 on), the numbers of [BUSTER], Table 3, that a formula gives, and the bugs of
 * `programs/bugs/bounded`, each with the number of preemptions that its header states.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkSync } from '../../src/check/check.ts';
import { BoundedDepthFirstSearch } from '../../src/explore/schedules/bounded-dfs.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
import type { Ending } from '../../src/program/ending.ts';
import { options } from '../explore/kit/bounded.ts';
import { observe } from '../explore/kit/observe.ts';
import { coKey } from '../oracle/classes.ts';
import { byTier } from '../tier.ts';
import { isSampled } from './compare.ts';
import { type CompiledCases, compileCases, programOf } from './compiled.ts';
import { bugRows, type Case, nameOf } from './rows.ts';

interface Row extends Case {
  readonly complete: readonly number[];
}

const recorded = JSON.parse(readFileSync(new URL('expected/bounds.json', import.meta.url), 'utf8')) as Row[];

/**
 * Where GenMC loses executions within the bound: its slack counts only threads that have begun. What is right is what the search of
 * all interleavings within the bound meets: a test below.
 */
const corrected: Readonly<Record<string, readonly number[]>> = {
  'synthetic/pthread_demo.c -DN=2': [1, 5, 15, 27],
  'synthetic/pthread_demo.c -DN=3': [1, 7, 34, 94],
  'synthetic/twostage.c -DS=2 -DR=2': [24, 148, 272, 344],
};

const unreduced = { plp: false, await: false } as const;

function withCompiled(cases: readonly Case[]): () => CompiledCases {
  let compiled: CompiledCases;
  beforeAll(async () => {
    compiled = await compileCases(cases);
  }, 300_000);
  return () => compiled;
}

describe('executions with at most K preemptions', () => {
  const rows = recorded.filter(
    (row) => isSampled(row) && Math.max(...row.complete) <= byTier({ normal: 6, long: 20_000, soak: 1e9 }),
  );
  const compiled = withCompiled(rows);
  test.each(rows.map((row) => [nameOf(row), row] as const))('of %s', (_name, row) => {
    const counts = row.complete.map((_, bound) => {
      const result = checkSync(programOf(compiled(), row, unreduced), { model: 'sc', bound, livelock: false });
      expect(result.errors.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([]);
      expect(result.verdict).toBe(result.executions.pruned === 0 ? 'ok' : 'bounded');
      return result.executions.complete;
    });
    expect(counts).toEqual(corrected[nameOf(row)] ?? row.complete);
  });

  const wrong = rows.filter((row) => nameOf(row) in corrected);
  test.each(wrong.map((row) => [nameOf(row), row] as const))('of %s: all interleavings say so', (name, row) => {
    const counts = (corrected[name] as readonly number[]).slice(0, 3).map((_, bound) => {
      const classes = new Set<string>();
      const onExecution = (ending: Ending): void => {
        classes.add(coKey(observe(explorer, ending)));
      };
      const behaviours = new Behaviours(programOf(compiled(), row, unreduced));
      const explorer: BoundedDepthFirstSearch = new BoundedDepthFirstSearch(
        behaviours,
        { ...options, onExecution },
        { preemptions: bound },
      );
      while (!explorer.run(10_000));
      return classes.size;
    });
    expect(counts).toEqual(corrected[name]?.slice(0, 3));
  });

  test('no row is lost on the way', () => {
    expect(recorded.reduce((sum, { complete }) => sum + complete.length, 0)).toBe(758);
  });
});

/** Sequences of two threads of a and b steps, all of which conflict, with exactly p preemptions. */
function sequences(a: number, b: number, p: number): number {
  const [more, less] = [Math.ceil(p / 2), Math.floor(p / 2)];
  return choose(a - 1, more) * choose(b - 1, less) + choose(a - 1, less) * choose(b - 1, more);
}

function choose(n: number, k: number): number {
  let result = 1;
  for (let i = 0; i < k; i++) result = (result * (n - i)) / (i + 1);
  return result;
}

/** [BUSTER], Table 3: k = 0, 1, 2, 3, and all. */
const table3 = [
  { rounds: 6, paper: 'dglm-queue(6)', counts: [2, 12, 62, 162, 924] },
  { rounds: 7, paper: 'dglm-queue(7), ms-queue(7), ttas-lock2(7)', counts: [2, 14, 86, 266, 3432] },
  { rounds: 8, paper: 'ms-queue(8), bstack2(8), ttas-lock2(8)', counts: [2, 16, 114, 408, 12870] },
  { rounds: 9, paper: 'bstack2(9)', counts: [2, 18, 146, 594, 48620] },
].slice(0, byTier({ normal: 1, long: 4 }));

describe('[BUSTER], Table 3', () => {
  const caseOf = (rounds: number): Case => ({
    program: 'locks/mutex_counter.c',
    defines: ['-DN=2', `-DROUNDS=${rounds}`],
  });
  const compiled = withCompiled(table3.map(({ rounds }) => caseOf(rounds)));
  test.each(table3)('$paper: two threads of $rounds rounds', ({ rounds, counts }) => {
    const program = () => programOf(compiled(), caseOf(rounds), unreduced);
    const bounded = [0, 1, 2, 3].map((bound) => checkSync(program(), { model: 'sc', bound }).executions.complete);
    const all = checkSync(program(), { model: 'sc', algorithm: 'trust' }).executions.complete;
    expect([...bounded, all]).toEqual(counts);
    const sums = [0, 1, 2, 3].map((k) =>
      Array.from({ length: k + 1 }, (_, p) => sequences(rounds, rounds, p)).reduce((sum, each) => sum + each, 0),
    );
    expect(sums).toEqual(bounded);
  });
});

describe('bugs that need some preemptions', () => {
  const rows = bugRows('bounded')
    .filter(({ model }) => model === 'sc')
    .slice(0, byTier({ normal: 6, long: Number.POSITIVE_INFINITY }));
  const compiled = withCompiled(rows);
  const buggy = rows.flatMap((row) => row.errors.map((error) => ({ ...row, ...error, name: nameOf(row) })));
  test.each(buggy)('$name: $preemptions', ({ kind, lines, preemptions = Number.NaN, ...row }) => {
    const found = (bound: number) => {
      const { errors } = checkSync(programOf(compiled(), row), { model: 'sc', bound });
      return errors.filter(({ isBeyondBound }) => isBeyondBound !== true);
    };
    if (preemptions > 0) expect(found(preemptions - 1)).toEqual([]);
    const [error] = found(preemptions);
    expect({ kind: error?.kind, preemptions: error?.preemptions }).toEqual({ kind, preemptions });
    expect(lines).toContain(error?.location?.line);
    expect(error?.execution.preemptions).toBe(preemptions);
  });

  test.each(rows.filter(({ errors }) => errors.length === 0).map((row) => ({ ...row, name: nameOf(row) })))(
    '$name: none',
    (row) => {
      const { verdict, errors } = checkSync(programOf(compiled(), row), { model: 'sc', iterate: true });
      expect(errors).toEqual([]);
      expect(verdict).toBe('ok');
    },
  );
});
