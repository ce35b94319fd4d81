import { expect, test } from 'vitest';
import { differenceOn } from './pure-loops.ts';

test.each([
  ['sc', 300],
  ['tso', 100],
  ['pso', 100],
  ['ra', 100],
  ['rc11', 200],
] as const)(
  'random loops reach the same with and without their pure iterations under %s',
  (model, count) => {
    for (let seed = 1, compared = 0; compared < count; seed++) {
      const difference = differenceOn(seed, model);
      if (difference === 'too large') continue;
      if (difference !== undefined) expect.fail(difference);
      compared++;
    }
  },
  120_000,
);
