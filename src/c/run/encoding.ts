/**
 * Values of C as they lie in memory, little-endian. A cell of 1, 2 or 4 bytes is held as a number, sign-extended; any other
 * as a signed bigint. Floating-point numbers are held as their bits.
 */
import { sizeOf } from '../ir/layout.ts';
import type { Type } from '../ir/module.ts';
import { type CValue, isPartlySet, isUnset, type PartlySet, UNSET_COPY } from '../runtime.ts';

/** Bytes; those that `defined` has 0 for were never written. */
export interface Bits {
  readonly data: Uint8Array;
  readonly defined: Uint8Array | undefined;
}

/** The bytes that a load or store of a scalar touches: of i24 it is 3, though it takes 4 in an array. */
export function storeSize(type: Type): number {
  return type.kind === 'int' ? Math.ceil(type.bits / 8) : sizeOf(type);
}

const scratch = new DataView(new ArrayBuffer(8));

export function bitsOfFloat(value: number): number {
  scratch.setFloat32(0, value, true);
  return scratch.getInt32(0, true);
}

export function floatOfBits(bits: number): number {
  scratch.setInt32(0, bits, true);
  return scratch.getFloat32(0, true);
}

export function bitsOfDouble(value: number): bigint {
  scratch.setFloat64(0, value, true);
  return scratch.getBigInt64(0, true);
}

export function doubleOfBits(bits: bigint): number {
  scratch.setBigInt64(0, bits, true);
  return scratch.getFloat64(0, true);
}

function isNumberCell(size: number): boolean {
  return size === 1 || size === 2 || size === 4;
}

/** A value of `type` as a cell holds it. */
export function encode(value: CValue, type: Type): number | bigint | string {
  if (value === undefined) return UNSET_COPY;
  if (typeof value === 'string') return value;
  switch (type.kind) {
    case 'float':
      return bitsOfFloat(value as number);
    case 'double':
      return bitsOfDouble(value as number);
    case 'int': {
      const size = storeSize(type);
      if (isNumberCell(size)) return type.bits === 1 ? (value as number) & 1 : (value as number);
      return BigInt.asIntN(size * 8, BigInt(value as number | bigint));
    }
    default:
      return value as number;
  }
}

/** What a cell holds, as a value of `type`, which is as large as the cell; the cell is initialised. */
export function decode(held: number | bigint, type: Type): CValue {
  switch (type.kind) {
    case 'float':
      return floatOfBits(held as number);
    case 'double':
      return doubleOfBits(held as bigint);
    case 'int':
      if (type.bits === 1) return Number(held) & 1;
      if (type.bits <= 32)
        return typeof held === 'bigint' ? Number(BigInt.asIntN(type.bits, held)) : narrow(held, type.bits);
      return BigInt.asIntN(type.bits, BigInt(held));
    default:
      return held;
  }
}

function narrow(value: number, bits: number): number {
  const shift = 32 - bits;
  return (value << shift) >> shift;
}

/** The bytes of what a cell holds. */
export function bitsOf(held: unknown, size: number): { readonly data: Uint8Array; readonly defined: Uint8Array } {
  const data = new Uint8Array(size);
  const defined = new Uint8Array(size);
  spread(held, size, data, defined, 0);
  return { data, defined };
}

/** The bytes from `offset` on as a cell holds them. */
export function cellValue(bits: Bits, offset: number, size: number): number | bigint | string {
  const { data, defined } = bits;
  if (defined !== undefined) {
    for (let i = offset; i < offset + size; i++) if (defined[i] === 0) return unsetValue(data, defined, offset, size);
  }
  if (isNumberCell(size)) {
    let value = 0;
    for (let i = size - 1; i >= 0; i--) value = (value << 8) | (data[offset + i] as number);
    return narrow(value, size * 8);
  }
  // by way of text, in time that does not grow with the square of the size
  const hex = Buffer.from(data.subarray(offset, offset + size))
    .reverse()
    .toString('hex');
  return BigInt.asIntN(size * 8, BigInt(`0x${hex}`));
}

/** The same if one of them was never set. */
function unsetValue(data: Uint8Array, defined: Uint8Array, offset: number, size: number): string {
  let bytes = '';
  let isSet = false;
  for (let i = offset; i < offset + size; i++) {
    isSet ||= defined[i] !== 0;
    bytes += defined[i] === 0 ? '??' : (data[i] as number).toString(16).padStart(2, '0');
  }
  const partly: PartlySet = `partly set ${bytes}`;
  return isSet ? partly : UNSET_COPY;
}

/** Writes what a cell holds into bytes. */
export function spread(held: unknown, size: number, into: Uint8Array, defined: Uint8Array, offset: number): void {
  if (isPartlySet(held)) {
    spreadSome(held, size, into, defined, offset);
    return;
  }
  const isDefined = !isUnset(held);
  defined.fill(isDefined ? 1 : 0, offset, offset + size);
  if (!isDefined) return;
  if (typeof held === 'number') {
    for (let i = 0; i < size; i++) into[offset + i] = held >> (8 * i);
    return;
  }
  const hex = BigInt.asUintN(size * 8, held as bigint).toString(16);
  into.set(Buffer.from(hex.padStart(size * 2, '0'), 'hex').reverse(), offset);
}

function spreadSome(held: PartlySet, size: number, into: Uint8Array, defined: Uint8Array, offset: number): void {
  const start = held.length - 2 * size;
  for (let i = 0; i < size; i++) {
    const byte = Number.parseInt(held.slice(start + 2 * i, start + 2 * i + 2), 16);
    defined[offset + i] = Number.isNaN(byte) ? 0 : 1;
    into[offset + i] = byte;
  }
}
