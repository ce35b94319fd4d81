/** The arithmetic of compiled code that JavaScript has no operator for. Values: see `CValue`. */
import { bitsOfDouble, bitsOfFloat, doubleOfBits, floatOfBits } from './encoding.ts';

export const arithmetic = {
  bitsOfFloat,
  floatOfBits,
  bitsOfDouble,
  doubleOfBits,

  /** A floating-point number as a signed integer of at most 32 bits; what does not fit is cut off at the ends. */
  toInt(value: number, bits: number): number {
    const most = 2 ** (bits - 1);
    if (Number.isNaN(value)) return 0;
    return Math.trunc(Math.max(-most, Math.min(most - 1, value))) | 0;
  },

  toUint(value: number, bits: number): number {
    if (Number.isNaN(value)) return 0;
    const cut = Math.trunc(Math.max(0, Math.min(2 ** bits - 1, value)));
    return bits === 1 ? cut : ((cut | 0) << (32 - bits)) >> (32 - bits);
  },

  toBig(value: number, bits: number): bigint {
    if (Number.isNaN(value)) return 0n;
    const most = 1n << BigInt(bits - 1);
    if (value >= Number(most)) return most - 1n;
    return value <= -Number(most) ? -most : BigInt(Math.trunc(value));
  },

  toUnsignedBig(value: number, bits: number): bigint {
    if (Number.isNaN(value) || value <= 0) return 0n;
    const end = 1n << BigInt(bits);
    return BigInt.asIntN(bits, value >= Number(end) ? end - 1n : BigInt(Math.trunc(value)));
  },

  /** Rounded once, to the nearest float: by way of a double it would be rounded twice. */
  floatOfBig(value: bigint): number {
    const size = value < 0n ? -value : value;
    const extra = BigInt(Math.max(0, size.toString(2).length - 50));
    const isInexact = (size & ((1n << extra) - 1n)) !== 0n;
    // the lowest kept bit stands for all that was dropped
    const kept = ((size >> extra) | (isInexact ? 1n : 0n)) << extra;
    return Math.fround(Number(value < 0n ? -kept : kept));
  },

  /** A copy of an aggregate with one element replaced. */
  insert(
    aggregate: readonly unknown[] | undefined,
    indices: readonly number[],
    element: unknown,
    depth = 0,
  ): unknown[] {
    const copy = [...(aggregate ?? [])];
    const i = indices[depth] as number;
    copy[i] =
      depth + 1 === indices.length
        ? element
        : arithmetic.insert(copy[i] as readonly unknown[] | undefined, indices, element, depth + 1);
    return copy;
  },
};
