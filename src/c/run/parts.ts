/**
 * Atomic accesses to a part of a cell, where atomic accesses of several sizes meet: a load takes its bytes out of the whole, a
 * store or update is an update of the whole. An update is more than a store: it reads what came before. Under sequential
 * consistency that changes no verdict, as no access reads anything that it would not read, and two accesses that race can be
 * performed one right after the other, where nothing in between orders them.
 */
import type { Type } from '../ir/module.ts';
import type { CValue } from '../runtime.ts';
import { bitsOf, cellValue, decode, encode, spread, storeSize } from './encoding.ts';

export interface Part {
  /** Of the whole cell. */
  readonly pointer: number;
  readonly type: Type;
  /** The part of a value of the whole cell. */
  get(whole: CValue): CValue;
  /** A value of the whole cell with another part. What was never set of the rest counts as 0. */
  put(whole: CValue, part: CValue): CValue;
}

/** The part of type `type` that begins `from` bytes after the beginning of a cell. */
export function partOf(pointer: number, size: number, from: number, type: Type): Part {
  const whole: Type = { kind: 'int', bits: size * 8 };
  const count = storeSize(type);
  return {
    pointer,
    type: whole,
    get(value) {
      if (value === undefined) return undefined;
      const { data } = bitsOf(encode(value, whole), size);
      return decode(cellValue({ data, defined: undefined }, from, count) as number | bigint, type);
    },
    put(value, part) {
      if (part === undefined) return undefined;
      const { data, defined } = bitsOf(encode(value, whole), size);
      spread(encode(part, type), count, data, defined, from);
      return decode(cellValue({ data, defined: undefined }, 0, size) as number | bigint, whole);
    },
  };
}
