/** Objects as values: programs are explored alike whether runs of their threads have copies of objects or all are run again together. */
import { describe, expect, test } from 'vitest';
import { checkSync } from '../../src/check/check.ts';
import type { AlgorithmName } from '../../src/explore/registry.ts';
import type { ModelName } from '../../src/models/registry.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
import { underTest } from '../explore/kit/laws.ts';
import { instance, type Make, objectsProgram, plain } from '../random/objects.ts';
import { byTier } from '../tier.ts';

const PROGRAMS = byTier({ quick: 20, normal: 60, long: 400, soak: 20_000 });
const FORGETFUL = byTier({ quick: 20, normal: 60, long: 600, soak: 20_000 });
const MOST = 250;
const algorithms = ['trust', 'optimal', 'dfs'] as const;
const models = ['sc', 'rc11', 'tso'] as const;

interface Outcomes {
  readonly executions: object;
  readonly errors: readonly string[];
}

/** Undefined: there are more executions. */
function outcomes(seed: number, make: Make, algorithm: AlgorithmName, model: ModelName): Outcomes | undefined {
  const options = { algorithm, model, keepGoing: true, maxExecutions: MOST };
  const { verdict, executions, errors } = checkSync(objectsProgram(seed, make), options);
  if (verdict === 'incomplete') return undefined;
  return { executions, errors: errors.map(({ kind, message }) => `${kind}: ${message}`).sort() };
}

/** The same by an explorer whose threads must be run again and again, because their states are forgotten. */
function forgetfully(seed: number, make: Make, algorithm: AlgorithmName, model: ModelName, equivalence: 'co' | 'rf') {
  const behaviours = new Behaviours(objectsProgram(seed, make), { maxStates: 20 });
  const options = { keepGoing: true, races: true, livelock: true, checkLeaks: false, ifaa: false, equivalence };
  const explorer = underTest(algorithm).make(behaviours, model, { ...options, maxExecutions: MOST });
  while (!explorer.run(1000));
  if (!explorer.isExhausted) return undefined;
  const errors = new Set(explorer.findings.map(({ kind, message }) => `${kind}: ${message}`));
  return { executions: { ...explorer.counts }, errors: [...errors].sort() };
}

function compare(programs: number, outcomesOf: (seed: number, make: Make) => Outcomes | undefined): void {
  let compared = 0;
  for (let seed = 0; seed < programs; seed++) {
    const together = outcomesOf(seed, instance);
    if (together === undefined) continue;
    compared++;
    expect(outcomesOf(seed, plain), `seed ${seed}`).toEqual(together);
  }
  expect(compared).toBeGreaterThan(programs / 2);
}

describe.each(algorithms)('%s', (algorithm) => {
  const modelFor = (seed: number): ModelName => (algorithm === 'trust' ? models[seed % 3] : undefined) ?? 'sc';

  test('objects with copies lead to the same outcomes as those without', () => {
    compare(PROGRAMS, (seed, make) => outcomes(seed, make, algorithm, modelFor(seed)));
  });

  test('also where what threads do is forgotten again and again', () => {
    compare(FORGETFUL, (seed, make) => {
      const equivalence = algorithm === 'trust' && seed % 2 === 1 ? 'rf' : 'co';
      return forgetfully(seed + 1_000_000, make, algorithm, modelFor(seed), equivalence);
    });
  });
});
