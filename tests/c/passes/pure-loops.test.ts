import { expect, test } from 'vitest';
import { byTier } from '../../tier.ts';
import { differenceOn } from './pure-loops.ts';

test.each([
  ['sc', 1, byTier({ normal: 50, long: 400, soak: 1000 })],
  ['tso', 20_000, byTier({ normal: 25, long: 150 })],
  ['pso', 40_000, byTier({ normal: 25, long: 150 })],
  ['ra', 60_000, byTier({ normal: 25, long: 150 })],
  ['rc11', 80_000, byTier({ normal: 30, long: 250 })],
] as const)(
  'random loops reach the same with and without their pure iterations under %s',
  (model, first, count) => {
    for (let seed = first, compared = 0; compared < count; seed++) {
      const difference = differenceOn(seed, model);
      if (difference === 'too large') continue;
      if (difference !== undefined) expect.fail(difference);
      compared++;
    }
  },
  600_000,
);

test.each([
  ['sc', 100_000, byTier({ normal: 25, long: 250 })],
  ['rc11', 120_000, byTier({ normal: 25, long: 150 })],
] as const)(
  'also if they write what nobody needs, under %s',
  (model, first, count) => {
    for (let seed = first, compared = 0; compared < count; seed++) {
      const difference = differenceOn(seed, model, true);
      if (difference === 'too large') continue;
      if (difference !== undefined) expect.fail(difference);
      compared++;
    }
  },
  600_000,
);

test.each([
  ['sc', 'spin', 140_000, byTier({ normal: 20, long: 250 })],
  ['sc', 'semaphore', 160_000, byTier({ normal: 20, long: 250 })],
  ['rc11', 'spin', 180_000, byTier({ normal: 20, long: 250 })],
  ['rc11', 'semaphore', 200_000, byTier({ normal: 20, long: 150 })],
] as const)(
  'also if they look under a lock that is no mutex, under %s: %s',
  (model, lock, first, count) => {
    for (let seed = first, compared = 0; compared < count; seed++) {
      const difference = differenceOn(seed, model, false, lock);
      if (difference === 'too large') continue;
      if (difference !== undefined) expect.fail(difference);
      compared++;
    }
  },
  600_000,
);
