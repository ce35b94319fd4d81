/** The same comparison on more programs, and other ones each time: HEDDLE_PROGRAMS (2000), HEDDLE_SOAK_SEED. */
import { expect, test } from 'vitest';
import { compareSeeds, modes, show, unstableSeeds } from './compare.ts';

const AT_ONCE = 50;
const count = Number(process.env['HEDDLE_PROGRAMS'] ?? 2000);
const first = Number(process.env['HEDDLE_SOAK_SEED'] ?? Date.now() % 1_000_000_000);

/** Calls `compare` on all seeds, some at a time, and tells how far it is. */
async function inTurn<T>(compare: (from: number, size: number) => Promise<T[]>): Promise<T[]> {
  const found: T[] = [];
  for (let done = 0; done < count; done += AT_ONCE) {
    const size = Math.min(AT_ONCE, count - done);
    found.push(...(await compare(first + done, size)));
    console.log(`${done + size} programs, ${found.length} differences; next seed ${first + done + size}`);
  }
  return found;
}

test('random C programs do the same whether optimised or not, so their behaviour is defined', async () => {
  expect(await inTurn(unstableSeeds)).toEqual([]);
});

for (const mode of modes) {
  test(`random C programs print what they print natively ${mode.join(' ')}`, async () => {
    const found = await inTurn((from, size) => compareSeeds(from, size, mode));
    expect(found.map(show).join('\n')).toBe('');
  });
}
