import { expect, test, vi } from 'vitest';
import { lastzero } from '../../bench/programs.ts';
import { check, checkSync } from '../../src/check/check.ts';
import { combined, type Estimate, Estimator } from '../../src/check/estimate.ts';
import { Peers, SharedSearch } from '../../src/check/sharing/shared-search.ts';
import { type Explorer, executionsOf, isDivisible, isEstimable } from '../../src/explore/explorer.ts';
import { algorithms } from '../../src/explore/registry.ts';
import { Behaviours } from '../../src/program/behaviours.ts';

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
  const sample = { done: 1000, left: 9000, nodes: 10_000 };
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
  const small = { ...early, nodes: 100 };
  const large = { ...early, left: 10_000, nodes: 10_000 };
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
