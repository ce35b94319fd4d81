import { describe, expect, test } from 'vitest';
import { alignOf, fieldOffset, leaves, sizeOf } from '../../../src/c/ir/layout.ts';
import type { StructType, Type } from '../../../src/c/ir/module.ts';
import { doubleType, floatType, i1, i8, i32, i64, pointerType, sameType, typeText } from '../../../src/c/ir/types.ts';

const int = (bits: number): Type => ({ kind: 'int', bits });
const array = (count: number, element: Type): Type => ({ kind: 'array', count, element });
const struct = (...fields: Type[]): StructType => ({ kind: 'struct', name: undefined, packed: false, fields });
const packed = (...fields: Type[]): StructType => ({ kind: 'struct', name: undefined, packed: true, fields });

describe('sizes and alignments of wasm32', () => {
  const cases: [Type, number, number][] = [
    [i1, 1, 1],
    [i8, 1, 1],
    [int(16), 2, 2],
    [int(17), 4, 4],
    [int(24), 4, 4],
    [i32, 4, 4],
    [int(33), 8, 8],
    [i64, 8, 8],
    [int(65), 16, 16],
    [int(128), 16, 16],
    [int(129), 32, 16],
    [pointerType, 4, 4],
    [floatType, 4, 4],
    [doubleType, 8, 8],
    [array(3, int(16)), 6, 2],
    [array(0, i64), 0, 8],
    [struct(), 0, 1],
    [struct(i8, i32), 8, 4],
    [struct(i32, i8), 8, 4],
    [struct(i8, i64, i8), 24, 8],
    [struct(i8, struct(i8, int(16)), i8), 8, 2],
    [packed(i8, i32), 5, 1],
    [packed(i8, struct(i8, i32)), 9, 1],
    [array(2, struct(i64, i8)), 32, 8],
  ];
  for (const [type, size, align] of cases) {
    test(typeText(type), () => {
      expect(sizeOf(type)).toBe(size);
      expect(alignOf(type)).toBe(align);
    });
  }

  test('void, functions and opaque types have none', () => {
    expect(() => sizeOf({ kind: 'void' })).toThrow('no size');
    expect(() => alignOf({ kind: 'void' })).toThrow('no alignment');
    expect(() => sizeOf({ kind: 'struct', name: 'o', packed: false, fields: undefined })).toThrow('opaque');
  });
});

test('fields lie behind padding, unless the struct is packed', () => {
  const fields = [i8, i64, i8, i32] as const;
  expect([0, 1, 2, 3].map((i) => fieldOffset(struct(...fields), i))).toEqual([0, 8, 16, 20]);
  expect([0, 1, 2, 3].map((i) => fieldOffset(packed(...fields), i))).toEqual([0, 1, 9, 10]);
  expect(() => fieldOffset(struct(i8), 1)).toThrow('no field 1');
});

test('leaves are the scalars in order', () => {
  const type = struct(i8, array(2, struct(int(16), pointerType)), struct(), doubleType);
  expect(leaves(type).map(({ offset, type }) => `${offset} ${typeText(type)}`)).toEqual([
    '0 i8',
    '4 i16',
    '8 ptr',
    '12 i16',
    '16 ptr',
    '24 double',
  ]);
  expect(leaves(i32)).toEqual([{ offset: 0, type: i32 }]);
});

test('types are equal by structure, whatever their names', () => {
  const named: StructType = { kind: 'struct', name: 'pair', packed: false, fields: [i32, array(2, i8)] };
  expect(sameType(named, struct(int(32), array(2, int(8))))).toBe(true);
  expect(sameType(named, packed(i32, array(2, i8)))).toBe(false);
  expect(sameType(named, struct(i32, array(3, i8)))).toBe(false);
  expect(sameType(i32, i64)).toBe(false);
  expect(sameType(floatType, doubleType)).toBe(false);
});
