/** A part of a search ends when its time is over or memory runs short; what is left goes to others. */
import { expect, test } from 'vitest';
import { lastzero } from '../../bench/programs.ts';
import { resolveOptions } from '../../src/check/options.ts';
import { type Cutting, exploreItem } from '../../src/cluster/explore-item.ts';
import { firstItem, type Item } from '../../src/cluster/item.ts';

test('a part that fills the heap is cut, and nothing is lost', () => {
  const program = lastzero(6);
  const options = resolveOptions({}, program.language);
  let asked = 0;
  let complete = 0;
  let parts = 0;
  const memory = { isShort: () => ++asked % 3 === 0 };
  const pace: Cutting['pace'] = { run: (slice) => slice(50) };
  for (let item: Item = firstItem; item.items.length > 0; parts++) {
    const outcome = exploreItem(program, options, item, undefined, 60_000, {}, { memory, pace });
    if (outcome.kind !== 'explored') throw new Error(outcome.kind);
    complete += outcome.part.counts.complete;
    item = { ...outcome.left, level: 0 };
  }
  expect(complete).toBe(144); // (n + 3) · 2ⁿ⁻²
  expect(parts).toBeGreaterThan(2);
});
