/**
 * The comparison with the oracles for as long as is wanted, on other programs each time and of every kind in turn:
 * HEDDLE_SOAK_MINUTES (10), HEDDLE_SOAK_SEED.
 */
import { test } from 'vitest';
import { kinds } from './kit/kinds.ts';
import { expectLawful } from './kit.ts';

const AT_ONCE = 200;

test('explorers obey the laws for as long as this runs', () => {
  const end = Date.now() + Number(process.env['HEDDLE_SOAK_MINUTES'] ?? 10) * 60_000;
  let seed = Number(process.env['HEDDLE_SOAK_SEED'] ?? Date.now() % 1_000_000_000);
  for (let judged = 0; Date.now() < end; ) {
    for (const kind of Object.values(kinds)) seed = expectLawful(seed, AT_ONCE, kind, { perReplay: 10, perCut: 4 });
    judged += AT_ONCE * Object.keys(kinds).length;
    console.log(`${judged} programs agree; next seed ${seed}`);
  }
});
