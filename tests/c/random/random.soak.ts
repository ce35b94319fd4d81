/** The same comparison on more programs, and other ones each time: HEDDLE_PROGRAMS (2000), HEDDLE_SOAK_SEED. */
import { expect, test } from 'vitest';
import { compareSeeds, modes, show } from './compare.ts';

const AT_ONCE = 50;

test('random C programs print what they print natively', async () => {
  const count = Number(process.env['HEDDLE_PROGRAMS'] ?? 2000);
  const first = Number(process.env['HEDDLE_SOAK_SEED'] ?? Date.now() % 1_000_000_000);
  const found: string[] = [];
  for (let done = 0; done < count; done += AT_ONCE) {
    const size = Math.min(AT_ONCE, count - done);
    for (const mode of modes) found.push(...(await compareSeeds(first + done, size, mode)).map(show));
    console.log(`${done + size} programs, ${found.length} differences; next seed ${first + done + size}`);
  }
  expect(found.join('\n')).toBe('');
});
