/** Objects as values: programs are explored alike whether runs of their threads have copies of objects or all are run again together. */
import { describe, expect, test } from 'vitest';
import { checkSync } from '../../src/check/check.ts';
import { instance, type Make, objectsProgram, plain } from '../random/objects.ts';
import { byTier } from '../tier.ts';

const PROGRAMS = byTier({ quick: 20, normal: 60, long: 1000, soak: 20_000 });
const MOST = 250;
const algorithms = ['trust', 'optimal', 'dfs'] as const;

function outcomes(seed: number, make: Make, options: object) {
  const { verdict, executions, errors } = checkSync(objectsProgram(seed, make), {
    ...options,
    keepGoing: true,
    maxExecutions: MOST,
  });
  if (verdict === 'incomplete') return undefined;
  return { executions, errors: errors.map(({ kind, message }) => `${kind}: ${message}`).sort() };
}

describe.each(algorithms)('%s', (algorithm) => {
  test('objects with copies lead to the same outcomes as those without', () => {
    let compared = 0;
    for (let seed = 0; seed < PROGRAMS; seed++) {
      const model = algorithm === 'trust' ? (['sc', 'rc11', 'tso'] as const)[seed % 3] : 'sc';
      const together = outcomes(seed, instance, { algorithm, model });
      if (together === undefined) continue;
      compared++;
      expect(outcomes(seed, plain, { algorithm, model }), `seed ${seed}`).toEqual(together);
    }
    expect(compared).toBeGreaterThan(PROGRAMS / 2);
  });
});
