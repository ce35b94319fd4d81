/** The same comparison for as long as is wanted, on other seeds each time: HEDDLE_SOAK_MINUTES (10), HEDDLE_SOAK_SEED. */
import { expect, test } from 'vitest';
import { differenceOn } from './pure-loops.ts';

const models = ['sc', 'rc11', 'tso', 'ra', 'pso'] as const;

test('random loops lose nothing with their pure iterations for as long as this runs', () => {
  const end = Date.now() + Number(process.env['HEDDLE_SOAK_MINUTES'] ?? 10) * 60_000;
  let seed = Number(process.env['HEDDLE_SOAK_SEED'] ?? Date.now() % 1_000_000_000);
  let compared = 0;
  for (; Date.now() < end; seed++) {
    const difference = differenceOn(seed, models[seed % models.length], seed % 4 === 0);
    if (difference === 'too large') continue;
    if (difference !== undefined) expect.fail(difference);
    if (++compared % 1000 === 0) console.log(`${compared} programs; next seed ${seed + 1}`);
  }
});
