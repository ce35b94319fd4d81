/**
 * The same comparison under each memory model for as long as is wanted, on other seeds each time: HEDDLE_SOAK_MINUTES (10),
 * HEDDLE_SOAK_SEED.
 */
import { test } from 'vitest';
import { expectModelAgreement } from './agreement-models.ts';

test('TruSt agrees with the axioms of each model for as long as this runs', () => {
  const minutes = Number(process.env['HEDDLE_SOAK_MINUTES'] ?? 10);
  const end = Date.now() + minutes * 60_000;
  let seed = Number(process.env['HEDDLE_SOAK_SEED'] ?? Date.now() % 1_000_000_000);
  for (let programs = 0; Date.now() < end; ) {
    seed = expectModelAgreement(seed, 1000);
    programs += 1000;
    console.log(`${programs} programs agree; next seed ${seed}`);
  }
});
