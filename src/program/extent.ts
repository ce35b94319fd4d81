/**
 * The bytes of its location that an access is to, as a number of a column: the low half has a bit for each of them, the high half
 * one for each that it leaves out. An access to all of its location overlaps every other one and leaves nothing out.
 */
export const WHOLE = 0xffff;

/** The largest location that has parts, in bytes. */
export const MOST_BYTES = 16;

/** `count` bytes from the byte `from` on, of a location of `size` bytes. */
export function extentOf(from: number, count: number, size: number): number {
  const bytes = ((1 << count) - 1) << from;
  return bytes | ((((1 << size) - 1) & ~bytes) << MOST_BYTES);
}

export function areDisjoint(a: number, b: number): boolean {
  return (a & b & WHOLE) === 0;
}

/** Of the bytes of `a`, those that `b` leaves out: as bytes, and nothing is known of the rest. */
export function lessExtent(a: number, b: number): number {
  return a & (b >>> MOST_BYTES);
}
