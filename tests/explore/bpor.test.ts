/** Bounded partial-order reduction against the oracle: the classes with an interleaving within a bound, all of them and no others. */
import { describe, expect, test } from 'vitest';
import type { Variant } from '../../src/explore/schedules/bpor/procedures.ts';
import { type Bounds, classesWithin } from '../oracle/bounds.ts';
import { type ClassInfo, oracle } from '../oracle/classes.ts';
import type { ProgramAst, Statement } from '../oracle/language.ts';
import { incrementProgram } from '../random/increments.ts';
import { partsProgram } from '../random/parts.ts';
import { toOperations } from '../random/to-operations.ts';
import { yieldingProgram } from '../random/yielding.ts';
import { byTier } from '../tier.ts';
import { visit as visitGraphs } from './kit/bounded.ts';
import {
  anyProgram,
  BOUNDS,
  commuting,
  expectAllWithin,
  type Maker,
  MOST,
  onBoth,
  onFairness,
  onPreemptions,
  search,
  visit,
  wrongWith,
} from './kit/bpor.ts';
import { errorInWords, withoutPath } from './kit/errors.ts';

// ------------------------------------------------------------------------------------------------------- against the oracle

expectAllWithin(
  'on preemptions',
  onPreemptions,
  anyProgram,
  {},
  byTier({ quick: 50, normal: 50, long: 500, soak: 20_000 }),
);
expectAllWithin(
  'on preemptions, updates that commute',
  onPreemptions,
  commuting,
  { ifaa: true },
  byTier({ quick: 40, normal: 40, long: 300, soak: 5000 }),
);

test('the errors are those of the executions within the bound', { timeout: 3_600_000 }, () => {
  let found = 0;
  for (let seed = 65_000_000, judged = 0; judged < byTier({ quick: 30, normal: 60, long: 500, soak: 2000 }); seed++) {
    const ast = seed % 4 === 0 ? partsProgram(seed) : anyProgram(seed);
    const all = oracle(ast, { maxInterleavings: MOST });
    if (all === 'too large') continue;
    judged++;
    for (const preemptions of BOUNDS) {
      const within = [...all.coClasses.values()].filter((each) => each.preemptions <= preemptions);
      const expected = new Set(within.flatMap(errorsOfClass));
      const { findings } = visit(ast, { preemptions });
      expect(new Set(findings.map(errorInWords)), `seed ${seed}, ${preemptions}`).toEqual(expected);
      found += expected.size;
    }
  }
  expect(found).toBeGreaterThan(10);
});

function errorsOfClass({ outcome, failures, races, misuses }: ClassInfo): string[] {
  const standstill = outcome === 'deadlock' || outcome === 'livelock' ? [outcome] : [];
  return [...failures.map(withoutPath), ...standstill, ...races, ...misuses];
}

test('rising bounds find what each bound finds by itself', () => {
  let deepened = 0;
  for (let seed = 66_000_000; seed < 66_000_000 + byTier({ quick: 20, normal: 30, long: 300, soak: 500 }); seed++) {
    const ast = yieldingProgram(seed);
    if (classesWithin(ast, MOST, []) === 'too large') continue;
    for (const limits of [{ preemptions: 0 }, { fair: 0 }, { preemptions: 0, fair: 1 }]) {
      const rising = search(ast, limits);
      for (const bound of BOUNDS) {
        while (!rising.run(100));
        const name = 'preemptions' in limits ? 'preemptions' : 'fair';
        const { counts } = visit(ast, { ...limits, [name]: bound });
        expect(rising.counts, `seed ${seed}, ${name} ${bound}`).toEqual(counts);
        expect(rising.bounds.reduce((sum, { refused }) => sum + refused, 0)).toBe(counts.pruned);
        deepened++;
        rising.deepen();
      }
    }
  }
  expect(deepened).toBeGreaterThan(50);
});

test('the classes within a bound on preemptions are those of buster', () => {
  for (let seed = 63_000_000; seed < 63_000_000 + byTier({ quick: 5, normal: 12, long: 300, soak: 500 }); seed++) {
    for (const preemptions of [0, 1, 2]) {
      const ast = incrementProgram(seed);
      const { classes } = visit(ast, { preemptions });
      expect(classes, `seed ${seed}, ${preemptions}`).toEqual(
        new Set(visitGraphs(toOperations(ast), preemptions).within),
      );
    }
  }
});

test('a bound that refuses nothing changes nothing', () => {
  let compared = 0;
  for (let seed = 64_000_000; seed < 64_000_000 + byTier({ quick: 30, normal: 50, long: 400, soak: 3000 }); seed++) {
    const ast = yieldingProgram(seed);
    if (classesWithin(ast, MOST, []) === 'too large') continue;
    for (const limits of [...onPreemptions, ...onFairness, ...onBoth]) {
      const { counts } = visit(ast, limits);
      if (counts.pruned > 0) continue;
      // with both, the fair bound also says who comes first: not a thread that it holds back
      const fair = limits.preemptions === undefined ? 1000 : limits.fair;
      const widest = { preemptions: limits.preemptions && 1000, fair: limits.fair && fair };
      compared++;
      expect(counts, `seed ${seed}, ${JSON.stringify(limits)}`).toEqual(visit(ast, widest).counts);
    }
  }
  expect(compared).toBeGreaterThan(100);
});

// ------------------------------------------------------------------------------------------------------------- figure 1

const store = (location: string, constant: number): Statement => ({ kind: 'store', location, value: { constant } });

/** t1 and t2 in one thread, t3 in the other; t2 and t3 depend on each other. */
const figure1: ProgramAst = {
  atomics: { x: 0, y: 0 },
  shared: {},
  mutexes: [],
  main: [
    { kind: 'spawn', slot: 0, body: [store('x', 1), store('y', 1)] },
    { kind: 'spawn', slot: 1, body: [store('y', 2)] },
  ],
};

test('figure 1: both final states are reached without a preemption, thanks to the second backtrack point', () => {
  expect(visit(figure1, { preemptions: 0 }).classes.size).toBe(2);
  expect(visit(figure1, { preemptions: 0 }, { second: false }).classes.size).toBe(1);
  expect(visit(figure1, { preemptions: 0 }, { sleep: 'as written' }).classes.size).toBe(1);
});

// -------------------------------------------------------------------------------------------------------------- mutants

describe('these tests notice', () => {
  test.each<[string, Partial<Variant>, readonly Bounds[], Maker, number]>([
    ['one backtrack point', { second: false }, onPreemptions, anyProgram, 61_000_000],
    ['sleep sets as section 5.4 can be read', { sleep: 'as written' }, onPreemptions, anyProgram, 61_000_000],
    ['siblings that sleep in ordinary branches', { sleep: 'beside' }, onPreemptions, anyProgram, 61_000_000],
    ['requests for sleepers alone', { sleepersAskForAll: false }, onPreemptions, anyProgram, 61_000_100],
    ['releases like other steps', { releases: false }, onFairness, yieldingProgram, 61_000_250],
    ['bounds that change who is enabled', { around: false }, onBoth, yieldingProgram, 61_000_000],
  ])('%s', { timeout: 600_000 }, (_name, variant, bounds, make, seed) => {
    let lost = 0;
    for (let next = seed; next < seed + 200 && lost === 0; next++) {
      if (wrongWith(make(next), bounds, variant)?.includes('lost') === true) lost++;
    }
    expect(lost).toBe(1);
  });
});
