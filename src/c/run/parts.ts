/**
 * Accesses to a part of a cell, where atomic accesses of several sizes meet, or a plain access meets an atomic one that is larger.
 * The cell is what is accessed atomically, and its values are those of the whole; an access to a part is an operation with a
 * `Slice`. A load takes its bytes out of the whole, what writes is an update of the whole that keeps the rest.
 *
 * What that means. The writes to a cell are in one order, whichever part they are to. Who has seen a write to one part sees, in the
 * other parts, nothing older than what was there then. Under sequential consistency that is so anyway, and nothing is lost: no access
 * gets anything else than with bytes of their own, and races are judged by bytes (program/extent.ts). C says nothing of atomic
 * accesses of different sizes, and hardware promises less: two bytes of a word may be seen to change in different orders. So under
 * weaker models it is an assumption, which proofs name. Nothing else is assumed: a store to a part learns nothing by keeping
 * the rest, and who acquires synchronises with the writes that the bytes come from which it reads (models/happens-before.ts).
 * Under TSO and PSO a store to a part is no fence, as an update is, and a load that finds only a part of its bytes in the buffer
 * of its own thread waits until that is in memory (models/store-buffers.ts).
 */
import { extentOf, MOST_BYTES } from '../../program/extent.ts';
import type { Slice } from '../../program/operation.ts';
import { isPartlySet, isUnset } from '../runtime.ts';
import { bitsOf, cellValue, spread } from './encoding.ts';

/** The largest cell that can have parts. */
export const LARGEST_CELL = MOST_BYTES;

/** `count` bytes from the byte `from` on, of a cell of `size` bytes. What was never set of the rest stays so. */
export function sliceAt(
  from: number,
  count: number,
  size: number,
  name: () => string,
  show: (part: unknown) => string,
): Slice {
  return {
    extent: extentOf(from, count, size),
    get(whole) {
      if (isUnset(whole) && !isPartlySet(whole)) return whole;
      return cellValue(bitsOf(whole, size), from, count);
    },
    put(whole, part) {
      const { data, defined } = bitsOf(whole, size);
      spread(part, count, data, defined, from);
      return cellValue({ data, defined }, 0, size);
    },
    name,
    show,
  };
}
