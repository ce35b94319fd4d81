/** The same comparison for as long as is wanted, on other seeds each time: HEDDLE_SOAK_MINUTES (10), HEDDLE_SOAK_SEED. */
import { test } from 'vitest';
import { commutingProgram } from '../random/commuting.ts';
import { waitingProgram } from '../random/waiting.ts';
import { expectAgreement, type Variant } from './agreement-on-seeds.ts';

/** In turn. */
const variants: readonly Variant[] = [
  {},
  { make: commutingProgram, bare: true },
  { make: (seed) => waitingProgram(seed, 'large'), bare: true, brief: true, maxInterleavings: 4000 },
];

test('explorers agree with the oracle for as long as this runs', () => {
  const minutes = Number(process.env['HEDDLE_SOAK_MINUTES'] ?? 10);
  const end = Date.now() + minutes * 60_000;
  let seed = Number(process.env['HEDDLE_SOAK_SEED'] ?? Date.now() % 1_000_000_000);
  for (let round = 0; Date.now() < end; round++) {
    seed = expectAgreement(seed, 1000, variants[round % variants.length]);
    console.log(`${(round + 1) * 1000} programs agree; next seed ${seed}`);
  }
});
