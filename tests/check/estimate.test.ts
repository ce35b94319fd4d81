import { expect, test, vi } from 'vitest';
import { lastzero } from '../../bench/programs.ts';
import { check, checkSync } from '../../src/check/check.ts';
import { combined, type Estimate, Estimator } from '../../src/check/estimate.ts';
import { Peers, SharedSearch } from '../../src/check/sharing/shared-search.ts';
import { type Explorer, executionsOf, isDivisible, isEstimable } from '../../src/explore/explorer.ts';
import { algorithms } from '../../src/explore/registry.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
import { Random } from '../random/prng.ts';

const options = {
  keepGoing: true,
  races: true,
  livelock: true,
  checkLeaks: false,
  maxExecutions: Number.POSITIVE_INFINITY,
};

function trust(n: number): Explorer {
  return algorithms.trust.make(new Behaviours(lastzero(n)), 'sc', { ...options, equivalence: 'co' });
}

test('samples that agree leave little doubt, those that do not leave much', () => {
  const sample = { done: 1000, left: 9000, nodes: 1_000_000 };
  const alike = combined(Array.from({ length: 50 }, () => sample));
  expect(alike.total).toBeCloseTo(10_000, -2);
  const one = combined([sample]);
  expect(one.total / 10_000).toBeCloseTo(1, 1);
  expect(alike.variance).toBeLessThan(one.variance / 50);
  const differing = combined([100, 50_000, 200, 3000].map((left) => ({ ...sample, left })));
  const four = combined(Array.from({ length: 4 }, () => sample));
  expect(Math.sqrt(differing.variance) / differing.total).toBeGreaterThan((4 * Math.sqrt(four.variance)) / four.total);
});

test('the larger and the later samples count for more, and one that says far too much does not spoil the others', () => {
  const early = { done: 0, left: 30_000, nodes: 10_000 };
  const late = { done: 9000, left: 1000, nodes: 10_000 };
  const { total } = combined([early, late]); // neither 20,000, the mean, nor 30,000
  expect(total).toBeGreaterThan(10_000);
  expect(total).toBeLessThan(13_000);
  const small = { ...early, nodes: 10_000 };
  const large = { ...early, left: 10_000, nodes: 1_000_000 };
  expect(combined([small, large]).total).toBeLessThan(12_000);
  expect(combined([large, large, { ...large, left: 1e7 }, large]).total).toBeLessThan(250_000); // the mean is ten times that
  expect(combined([large, large, { ...large, left: 0 }, large]).total).toBeGreaterThan(1000);
});

test('an estimator takes samples while the search goes on, and comes close; the counts are those without', () => {
  const alone = trust(11);
  while (!alone.run(1000));
  const truth = executionsOf(alone.counts);
  const explorer = trust(11);
  const estimator = new Estimator(explorer, isEstimable(explorer) ? explorer : undefined, 0);
  expect(estimator.estimate(0)).toBe('early');
  let cuts = 0;
  const told: { readonly executions: number; readonly estimate: Estimate }[] = [];
  for (let ms = 2000; !explorer.run(600); ms += 2000) {
    estimator.work(ms);
    if (estimator.isCutDue && isDivisible(explorer)) {
      estimator.cutInto(explorer.save().items, executionsOf(explorer.counts));
      cuts++;
    }
    const estimate = estimator.estimate(ms);
    if (typeof estimate !== 'string') told.push({ executions: executionsOf(explorer.counts), estimate });
  }
  expect(explorer.counts).toEqual(alone.counts);
  expect(told.length).toBeGreaterThan(10);
  expect(cuts).toBeGreaterThan(1);
  const near = told.filter(({ estimate: { total } }) => total > truth / 3 && total < truth * 3);
  expect(near.length / told.length).toBeGreaterThan(0.8);
  for (const { executions, estimate } of told) {
    expect(estimate.least).toBeGreaterThanOrEqual(executions);
    expect(estimate.least).toBeLessThanOrEqual(estimate.total);
    expect(estimate.most).toBeGreaterThanOrEqual(estimate.total);
  }
});

/** Of the whole search. */
interface Whole {
  readonly steps: number;
  readonly executions: number;
}

function wholeOf(explorer: Explorer): Whole {
  let steps = 0;
  while (!explorer.run(1000)) steps += 1000;
  return { steps, executions: executionsOf(explorer.counts) };
}

/** What a search of lastzero(14) spends on samples after how long, by a clock on which all steps take as long and it takes `searchMs` without. */
function byTheClock(
  searchMs: number,
  whole: Whole,
  seed = 1,
): { first: number | undefined; spent: { ms: number; atMs: number }[] } {
  const stepMs = searchMs / whole.steps;
  const random = new Random(seed);
  const draws = vi.spyOn(Math, 'random').mockImplementation(() => random.between(0, 999_999) / 1e6);
  let ms = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => ms);
  try {
    const explorer = trust(14);
    if (!isEstimable(explorer) || !isDivisible(explorer)) throw new Error('no estimates');
    const newSampler = explorer.newSampler.bind(explorer);
    explorer.newSampler = () => {
      const sampler = newSampler();
      return {
        begin: sampler.begin,
        run: (count) => {
          ms += count * stepMs;
          return sampler.run(count);
        },
      };
    };
    const estimator = new Estimator(explorer, explorer, 0);
    let first: number | undefined;
    const spent: { ms: number; atMs: number }[] = [];
    for (let isOver = false; !isOver; ) {
      isOver = explorer.run(Math.ceil(25 / stepMs));
      ms += 25;
      const atMs = ms;
      estimator.work(atMs);
      spent.push({ ms: ms - atMs, atMs });
      if (estimator.isCutDue) estimator.cutInto(explorer.save().items, executionsOf(explorer.counts));
      const estimate = estimator.estimate(ms);
      if (typeof estimate !== 'string') first ??= executionsOf(explorer.counts) / whole.executions;
    }
    return { first, spent };
  } finally {
    clock.mockRestore();
    draws.mockRestore();
  }
}

test('a search of twelve seconds is told of before a fifth, and one of a second is hardly longer', () => {
  const whole = wholeOf(trust(14));
  const spentMs = (spent: readonly { ms: number }[]): number => spent.reduce((sum, { ms }) => sum + ms, 0);
  // of one in four draws it is told a little later, and one in twenty takes a little longer
  const long = [1, 2, 3].map((seed) => byTheClock(12_000, whole, seed));
  const middle = (of: readonly number[]): number => of.toSorted((a, b) => a - b)[1] as number;
  expect(middle(long.map(({ first }) => first ?? 1))).toBeLessThan(0.2);
  expect(middle(long.map(({ spent }) => spentMs(spent)))).toBeLessThan(1000 + 0.04 * 12_000);
  const short = byTheClock(900, whole);
  expect(spentMs(short.spent)).toBeLessThan(120);
  expect(spentMs(short.spent.filter(({ atMs }) => atMs < 400))).toBe(0);
});

test('where nothing can be said of what is left, that is what is said', () => {
  const optimal = algorithms.optimal.make(new Behaviours(lastzero(5)), 'sc', {
    ...options,
    ifaa: true,
    observers: false,
  });
  const estimator = new Estimator(optimal, isEstimable(optimal) ? optimal : undefined, 0);
  optimal.run(10);
  estimator.work(5000);
  expect(estimator.estimate(5000)).toBe('algorithm');
  const estimates = new Set<unknown>();
  const watcher = { isEstimated: true, onProgress: ({ estimate }: { estimate: unknown }) => estimates.add(estimate) };
  checkSync(lastzero(6), { algorithm: 'buster', iterate: true }, watcher);
  expect([...estimates].filter((each) => each !== 'early')).toEqual(['bounds']);
});

test('a search that others may share is cut for samples, too, and counts the same', async () => {
  const alone = checkSync(lastzero(12));
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => 100 * now()); // as if it took long
  const settled = vi.spyOn(SharedSearch.prototype, 'settle');
  try {
    const shared = await check(lastzero(12), {}, { peers: new Peers(), isEstimated: true });
    expect(shared.executions).toEqual(alone.executions);
    expect(settled).toHaveBeenCalled();
  } finally {
    clock.mockRestore();
    settled.mockRestore();
  }
});
