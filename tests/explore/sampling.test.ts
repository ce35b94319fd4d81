/** Estimates of what is left: what they are in the mean, and that the search does not notice. */
import { describe, expect, test } from 'vitest';
import {
  type Counts,
  type ExploreOptions,
  type Explorer,
  executionsOf,
  isDivisible,
  isEstimable,
} from '../../src/explore/explorer.ts';
import { type AlgorithmName, algorithms } from '../../src/explore/registry.ts';
import { Thinning } from '../../src/explore/thinning.ts';
import type { ModelName } from '../../src/models/registry.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
import type { WorkItem } from '../../src/program/execution.ts';
import type { Program } from '../../src/program/operation.ts';
import { Random } from '../random/prng.ts';
import { randomProgram } from '../random/programs.ts';
import { toOperations } from '../random/to-operations.ts';
import { kinds } from './kit/kinds.ts';

const options = {
  keepGoing: true,
  races: true,
  livelock: true,
  checkLeaks: false,
  maxExecutions: 4000,
} satisfies ExploreOptions;

interface Searched {
  readonly algorithm: AlgorithmName;
  readonly model: ModelName;
  readonly options: Record<string, unknown>;
}

const searches: readonly Searched[] = [
  { algorithm: 'trust', model: 'sc', options: { equivalence: 'co' } },
  { algorithm: 'trust', model: 'sc', options: { equivalence: 'rf' } },
  { algorithm: 'trust', model: 'rc11', options: { equivalence: 'co' } },
  { algorithm: 'trust', model: 'rc11', options: { equivalence: 'rf' } },
  { algorithm: 'buster', model: 'sc', options: { bound: 1, iterate: false } },
  { algorithm: 'dfs', model: 'sc', options: {} },
  { algorithm: 'dfs', model: 'sc', options: { bound: 1, iterate: false, boundType: 'preemption' } },
];

function begin(program: Program, { algorithm, model, options: own }: Searched): Explorer {
  const make = algorithms[algorithm].make as (b: Behaviours, m: ModelName, o: object) => Explorer;
  return make(new Behaviours(program), model, { ...options, ...own });
}

/** How many executions are left, by a sample. */
function sampled(explorer: Explorer, items: readonly WorkItem[], perStratum: number, random?: () => number): number {
  if (!isEstimable(explorer)) throw new Error('no estimates');
  const sampler = explorer.newSampler();
  sampler.begin(items, { perStratum, random });
  for (;;) {
    const result = sampler.run(17);
    if (result !== undefined) return result.executions;
  }
}

/** What is left. */
function cut(explorer: Explorer): readonly WorkItem[] {
  if (!isDivisible(explorer)) throw new Error('this search cannot be cut');
  return explorer.save().items;
}

function finished(explorer: Explorer): Counts | undefined {
  while (!explorer.run(1000));
  return explorer.isExhausted ? explorer.counts : undefined;
}

/** Random programs of several kinds, that a search gets through, with the counts. */
function* cases(search: Searched, count: number): Generator<{ program: Program; counts: Counts; seed: number }> {
  const makers = [randomProgram, kinds['programs that wait'].make, kinds['programs for weak models'].make];
  for (let seed = 1, found = 0; found < count; seed++) {
    const program = toOperations((makers[seed % makers.length] as typeof randomProgram)(seed));
    const counts = finished(begin(program, search));
    if (counts === undefined || executionsOf(counts) < 4) continue;
    found++;
    yield { program, counts, seed };
  }
}

describe.each(searches)('$algorithm under $model, $options', (search) => {
  test('a sample in which nothing is left out counts exactly what is left, wherever the search is', () => {
    for (const { program, counts, seed } of cases(search, 40)) {
      const random = new Random(seed);
      const explorer = begin(program, search);
      for (let cuts = 3; cuts > 0; cuts--) {
        const items = cut(explorer);
        const all = executionsOf(explorer.counts) + sampled(explorer, items, Number.POSITIVE_INFINITY);
        expect(all, `seed ${seed}`).toBe(executionsOf(counts));
        explorer.run(random.between(1, 100));
      }
      // one that is cut does not see all that came of a graph
      expect({ ...finished(explorer), boundBlocked: 0 }).toEqual({ ...counts, boundBlocked: 0 });
    }
  });

  test('in the mean a sample of few says what is left', () => {
    const means = { wrong: 0, all: 0 };
    for (const { program, counts, seed } of cases(search, 12)) {
      const random = new Random(seed);
      const explorer = begin(program, search);
      explorer.run(random.between(1, 60));
      const items = cut(explorer);
      const left = executionsOf(counts) - executionsOf(explorer.counts);
      const estimates = Array.from({ length: 150 }, () =>
        sampled(explorer, items, 1, () => random.between(0, 999_999) / 1e6),
      );
      const mean = estimates.reduce((sum, each) => sum + each, 0) / estimates.length;
      const variance = estimates.reduce((sum, each) => sum + (each - mean) ** 2, 0) / estimates.length ** 2;
      means.all++;
      if (Math.abs(mean - left) > 3 * Math.sqrt(variance) + 1e-9) means.wrong++;
    }
    expect(means.all).toBe(12);
    expect(means.wrong).toBeLessThanOrEqual(1);
  });
});

test.each([1, 2, 3, 4, 7])('with %i of each stratum, each node weighs in the mean what it weighs', (perStratum) => {
  const random = new Random(perStratum);
  for (let i = 0; i < 50; i++) {
    const weights = Array.from({ length: random.between(1, 30) }, () => random.between(1, 40));
    const steps = 2000;
    const means = weights.map(() => 0);
    for (let step = 0; step < steps; step++) {
      const thinning = new Thinning({ perStratum, random: () => (step + 0.5) / steps });
      for (const [node, weight] of weights.entries()) {
        thinning.weight = weight;
        if (thinning.keeps(1, 0)) means[node] = (means[node] as number) + thinning.weight / steps;
      }
    }
    const sum = weights.reduce((all, weight) => all + weight, 0);
    for (const [node, weight] of weights.entries()) {
      expect(Math.abs((means[node] as number) - weight)).toBeLessThan((2 * sum) / steps);
    }
  }
});

test('of a stratum that grows for long, few more are kept than are wanted; strata do not notice each other', () => {
  const thinning = new Thinning({ perStratum: 4, random: () => 0.5 });
  const kept = [0, 0];
  for (let i = 0; i < 10_000; i++) {
    thinning.weight = 1;
    if (thinning.keeps(1, i % 2)) kept[i % 2] = (kept[i % 2] as number) + 1;
  }
  expect(kept[0]).toBe(kept[1]);
  expect(kept[0]).toBeGreaterThanOrEqual(4);
  expect(kept[0]).toBeLessThan(4 * (2 + Math.log(5000 / 4)));
});

test('a search that is saved twice in a row has the same left', () => {
  for (const search of searches) {
    for (const { program, counts, seed } of cases(search, 5)) {
      const explorer = begin(program, search);
      explorer.run(seed);
      if (!isDivisible(explorer)) throw new Error('this search cannot be cut');
      expect(explorer.save()).toEqual(explorer.save());
      expect(executionsOf(finished(explorer) as Counts)).toBe(executionsOf(counts));
    }
  }
});
