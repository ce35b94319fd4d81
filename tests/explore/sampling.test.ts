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
import { thinned } from '../../src/explore/sampling.ts';
import type { ModelName } from '../../src/models/registry.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
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

/** How many executions there are in all, by a sample. */
function sampled(explorer: Explorer, perStratum: number, random?: () => number): number {
  if (!isEstimable(explorer)) throw new Error('no estimates');
  const sampling = explorer.sample(perStratum, random);
  while (!sampling.step());
  return sampling.done + sampling.executions;
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
        expect(sampled(explorer, Number.POSITIVE_INFINITY), `seed ${seed}`).toBe(executionsOf(counts));
        explorer.run(random.between(1, 100));
      }
      expect(finished(explorer)).toEqual(counts);
    }
  });

  test('in the mean a sample of few says what is left', () => {
    const means = { wrong: 0, all: 0 };
    for (const { program, counts, seed } of cases(search, 12)) {
      const random = new Random(seed);
      const explorer = begin(program, search);
      explorer.run(random.between(1, 60));
      const estimates = Array.from({ length: 150 }, () => sampled(explorer, 1, () => random.between(0, 999_999) / 1e6));
      const mean = estimates.reduce((sum, each) => sum + each, 0) / estimates.length;
      const variance = estimates.reduce((sum, each) => sum + (each - mean) ** 2, 0) / estimates.length ** 2;
      means.all++;
      if (Math.abs(mean - executionsOf(counts)) > 3 * Math.sqrt(variance) + 1e-9) means.wrong++;
    }
    expect(means.all).toBe(12);
    expect(means.wrong).toBeLessThanOrEqual(1);
  });
});

test.each([1, 2, 3, 4, 7])('thinned to %i, each node weighs in the mean what it weighs', (most) => {
  const random = new Random(most);
  for (let i = 0; i < 50; i++) {
    const nodes = Array.from({ length: random.between(1, 9) }, (_, id) => ({ id, weight: random.between(1, 40) }));
    // exactly: what is kept changes only at some of so many places
    const steps = 2520 * 8;
    const means = nodes.map(() => 0);
    for (let step = 0; step < steps; step += 42) {
      const kept = thinned(nodes, most, () => (step + 21) / steps);
      expect(kept.length).toBeLessThanOrEqual(most);
      for (const { id, weight } of kept) means[id] = (means[id] as number) + (weight * 42) / steps;
    }
    const sum = nodes.reduce((all, { weight }) => all + weight, 0);
    for (const { id, weight } of nodes) expect(Math.abs((means[id] as number) - weight)).toBeLessThan(sum / 200);
  }
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
