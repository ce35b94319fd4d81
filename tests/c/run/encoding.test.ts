import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Type } from '../../../src/c/ir/module.ts';
import { arithmetic } from '../../../src/c/run/arithmetic.ts';
import { bitsOf, cellValue, decode, encode, spread, storeSize } from '../../../src/c/run/encoding.ts';
import { type CValue, isPartlySet, UNSET_COPY } from '../../../src/c/runtime.ts';

const int = (bits: number): Type => ({ kind: 'int', bits });
const signed = (bits: number) => {
  const most = 1n << BigInt(bits - 1);
  return fc.bigInt({ min: -most, max: most - 1n }).map((n) => (bits > 32 ? n : Number(n)));
};

test('what is encoded is decoded again, for all widths, also by way of bytes', () => {
  for (const bits of [8, 16, 24, 32, 40, 64, 128]) {
    fc.assert(
      fc.property(signed(bits), (value) => {
        const type = int(bits);
        const held = encode(value, type);
        expect(decode(held as number, type)).toBe(value);
        const size = storeSize(type);
        const data = new Uint8Array(size + 2);
        const defined = new Uint8Array(size + 2);
        spread(held, size, data, defined, 1);
        expect(cellValue({ data, defined }, 1, size)).toBe(held);
        expect(cellValue({ data, defined: defined.fill(0) }, 1, size)).toBe(UNSET_COPY);
      }),
    );
  }
});

test('what was set in part keeps its bytes', () => {
  const bytes = fc.array(fc.option(fc.nat(255)), { minLength: 2, maxLength: 16 });
  fc.assert(
    fc.property(bytes, (set) => {
      fc.pre(set.includes(null) && set.some((byte) => byte !== null));
      const size = set.length;
      const data = Uint8Array.from(set, (byte) => byte ?? 0);
      const defined = Uint8Array.from(set, (byte) => (byte === null ? 0 : 1));
      const held = cellValue({ data, defined }, 0, size);
      expect(isPartlySet(held)).toBe(true);
      expect(bitsOf(encode(held as CValue, int(size * 8)), size)).toEqual({ data, defined });
    }),
  );
});

test('doubles and floats keep their bits', () => {
  const double: Type = { kind: 'double' };
  const float: Type = { kind: 'float' };
  for (const value of [0, -0, 1.5, Number.MAX_VALUE, Number.MIN_VALUE, Number.POSITIVE_INFINITY]) {
    expect(decode(encode(value, double) as bigint, double)).toBe(value);
  }
  fc.assert(
    fc.property(fc.float(), (value) => {
      expect(decode(encode(value, float) as number, float)).toBe(value);
    }),
  );
  expect(encode(1, double)).toBe(0x3ff0000000000000n);
  expect(encode(undefined, double)).toBe(UNSET_COPY);
});

test('64-bit integers become the nearest float, rounded once', () => {
  const view = new DataView(new ArrayBuffer(4));
  const neighbours = (value: number): number[] => {
    view.setFloat32(0, value);
    const bits = view.getInt32(0);
    return [bits - 1, bits + 1].map((b) => {
      view.setInt32(0, b);
      return view.getFloat32(0);
    });
  };
  const distance = (a: bigint, b: number): bigint => {
    const d = a - BigInt(b);
    return d < 0n ? -d : d;
  };
  fc.assert(
    fc.property(fc.bigInt({ min: 1n << 30n, max: (1n << 64n) - 1n }), (value) => {
      const float = arithmetic.floatOfBig(value);
      for (const other of neighbours(float)) {
        expect(distance(value, float) <= distance(value, other)).toBe(true);
      }
    }),
    { numRuns: 2000 },
  );
  // half way between two floats but for the last bit: a double on the way would round to the even one below
  expect(arithmetic.floatOfBig((1n << 60n) + (1n << 36n) + 1n)).toBe(2 ** 60 + 2 ** 37);
});

test('floating-point numbers that do not fit an integer are cut off', () => {
  expect(arithmetic.toInt(3e9, 32)).toBe(2147483647);
  expect(arithmetic.toInt(-1.9, 32)).toBe(-1);
  expect(arithmetic.toInt(Number.NaN, 32)).toBe(0);
  expect(arithmetic.toUint(4294967295, 32)).toBe(-1);
  expect(arithmetic.toUint(300, 8)).toBe(-1);
  expect(arithmetic.toBig(1e30, 64)).toBe((1n << 63n) - 1n);
  expect(arithmetic.toBig(-1e30, 64)).toBe(-(1n << 63n));
  expect(arithmetic.toUnsignedBig(2 ** 64 - 2048, 64)).toBe(-2048n);
});
