/** printf: a table of cases that C defines, and random numbers against arithmetic done another way. */
import { describe, expect, test } from 'vitest';
import type { CValue } from '../../../src/c/runtime.ts';
import { World } from './fake.ts';

function print(format: string, ...args: (number | bigint | string)[]): string {
  const world = new World();
  const values: CValue[] = args.map((arg) => (typeof arg === 'string' ? world.string(arg) : arg));
  const written = world.call('printf', world.string(format), ...values);
  expect(written).toBe(new TextEncoder().encode(world.output).length);
  return world.output;
}

const integers: [string, number | bigint, string][] = [
  ['%d', 0, '0'],
  ['%d', -1, '-1'],
  ['%i', 2147483647, '2147483647'],
  ['%d', -2147483648, '-2147483648'],
  ['%u', -1, '4294967295'],
  ['%x', -1, 'ffffffff'],
  ['%X', 48879, 'BEEF'],
  ['%o', 8, '10'],
  ['%#x', 255, '0xff'],
  ['%#X', 255, '0XFF'],
  ['%#x', 0, '0'],
  ['%#o', 8, '010'],
  ['%#o', 0, '0'],
  ['%#.0o', 0, '0'],
  ['%+d', 5, '+5'],
  ['% d', 5, ' 5'],
  ['%+ d', 5, '+5'],
  ['%+d', -5, '-5'],
  ['%+u', 5, '5'],
  ['%5d|', 42, '   42|'],
  ['%-5d|', 42, '42   |'],
  ['%05d|', 42, '00042|'],
  ['%05d|', -42, '-0042|'],
  ['%-05d|', 42, '42   |'],
  ['%.3d|', 7, '007|'],
  ['%6.3d|', -7, '  -007|'],
  ['%06.3d|', 7, '   007|'],
  ['%.0d|', 0, '|'],
  ['%.d|', 0, '|'],
  ['%5.0d|', 0, '     |'],
  ['%+.0d|', 0, '+|'],
  ['%#8x|', 255, '    0xff|'],
  ['%#08x|', 255, '0x0000ff|'],
  ['%#.4x|', 255, '0x00ff|'],
  ['%hhd', 200, '-56'],
  ['%hhu', -1, '255'],
  ['%hd', 40000, '-25536'],
  ['%hx', -1, 'ffff'],
  ['%ld', -7, '-7'],
  ['%lu', -1, '4294967295'],
  ['%zu', -1, '4294967295'],
  ['%td', -3, '-3'],
  ['%lld', -9223372036854775808n, '-9223372036854775808'],
  ['%llu', -1n, '18446744073709551615'],
  ['%llx', -1n, 'ffffffffffffffff'],
  ['%jd', 5000000000n, '5000000000'],
  ['%c', 65, 'A'],
  ['%3c|', 65, '  A|'],
  ['%-3c|', 65, 'A  |'],
  ['%p', 0x1234, '0x00001234'],
  ["%'d", 1234, '1234'],
];

describe('integers', () => {
  for (const [format, value, expected] of integers) {
    test(`${format} of ${value}`, () => expect(print(format, value)).toBe(expected));
  }
});

const floats: [string, number, string][] = [
  ['%f', 0, '0.000000'],
  ['%f', -0, '-0.000000'],
  ['%f', 1.5, '1.500000'],
  ['%.0f', 0.5, '0'],
  ['%.0f', 1.5, '2'],
  ['%.0f', 2.5, '2'],
  ['%#.0f', 2.5, '2.'],
  ['%.1f', 0.25, '0.2'],
  ['%.1f', 0.35, '0.3'],
  ['%.2f', 2.675, '2.67'],
  ['%.3f', 1e10, '10000000000.000'],
  ['%.0f', 1e22, '10000000000000000000000'],
  ['%.0f', 1e23, '99999999999999991611392'],
  ['%.20f', 0.1, '0.10000000000000000555'],
  ['%.60f', 0.1, '0.100000000000000005551115123125782702118158340454101562500000'],
  ['%10.2f|', 3.24159, '      3.24|'],
  ['%-10.2f|', 3.24159, '3.24      |'],
  ['%010.2f|', -3.24159, '-000003.24|'],
  ['%+.1f', 2, '+2.0'],
  ['% .1f', 2, ' 2.0'],
  ['%e', 0, '0.000000e+00'],
  ['%e', 12345.678, '1.234568e+04'],
  ['%.0e', 12345.678, '1e+04'],
  ['%#.0e', 12345.678, '1.e+04'],
  ['%.2e', 9.999, '1.00e+01'],
  ['%.3E', 1.5e-300, '1.500E-300'],
  ['%e', 5e-324, '4.940656e-324'],
  ['%.17e', 1.7976931348623157e308, '1.79769313486231571e+308'],
  ['%.0e', 2.5, '2e+00'],
  ['%.0e', 3.5, '4e+00'],
  ['%g', 0, '0'],
  ['%g', 100000, '100000'],
  ['%g', 1000000, '1e+06'],
  ['%g', 0.0001, '0.0001'],
  ['%g', 0.00001, '1e-05'],
  ['%g', 123456789, '1.23457e+08'],
  ['%.3g', 0.00012345, '0.000123'],
  ['%.10g', 0.1, '0.1'],
  ['%#g', 1, '1.00000'],
  ['%#.3g', 1e6, '1.00e+06'],
  ['%.0g', 123, '1e+02'],
  ['%g', 999999.5, '1e+06'],
  ['%G', 1e-10, '1E-10'],
  ['%10g|', -2.5, '      -2.5|'],
  ['%a', 1, '0x1p+0'],
  ['%a', 0, '0x0p+0'],
  ['%a', -0.5, '-0x1p-1'],
  ['%a', 3.14, '0x1.91eb851eb851fp+1'],
  ['%A', 255.5, '0X1.FFP+7'],
  ['%.2a', 3.14, '0x1.92p+1'],
  ['%.0a', 1.5, '0x2p+0'],
  ['%.0a', 1.25, '0x1p+0'],
  ['%.15a', 1, '0x1.000000000000000p+0'],
  ['%a', 5e-324, '0x1p-1074'],
  ['%012a|', 1, '0x0000001p+0|'],
  ['%f', Number.POSITIVE_INFINITY, 'inf'],
  ['%F', Number.NEGATIVE_INFINITY, '-INF'],
  ['%010f|', Number.POSITIVE_INFINITY, '       inf|'],
  ['%E', Number.NaN, 'NAN'],
  ['%+g', Number.POSITIVE_INFINITY, '+inf'],
];

describe('floating-point numbers', () => {
  for (const [format, value, expected] of floats) {
    test(`${format} of ${value}`, () => expect(print(format, value)).toBe(expected));
  }
});

describe('the rest', () => {
  test('strings', () => {
    expect(print('%s', 'hello')).toBe('hello');
    expect(print('%10s|', 'hello')).toBe('     hello|');
    expect(print('%-10s|', 'hello')).toBe('hello     |');
    expect(print('%.3s|', 'hello')).toBe('hel|');
    expect(print('%s|%s', 'a', 'b')).toBe('a|b');
    expect(print('%s', 0)).toBe('(null)');
    expect(print('naïve %s', 'café')).toBe('naïve café');
  });

  test('a precision keeps it from reading on', () => {
    const world = new World();
    const unterminated = world.object(3);
    world.bytes.set([97, 98, 99], unterminated - 0x10000);
    world.defined.fill(1, unterminated - 0x10000, unterminated - 0x10000 + 3);
    world.call('printf', world.string('%.3s'), unterminated);
    expect(world.output).toBe('abc');
    expect(() => world.call('printf', world.string('%s'), unterminated)).toThrow('access');
  });

  test('width and precision from arguments', () => {
    expect(print('%*d|', 5, 42)).toBe('   42|');
    expect(print('%*d|', -5, 42)).toBe('42   |');
    expect(print('%.*f', 2, 3.24159)).toBe('3.24');
    expect(print('%.*f', -1, 3.24159)).toBe('3.241590');
    expect(print('%*.*f|', 8, 1, 3.24159)).toBe('     3.2|');
  });

  test('percent signs', () => {
    expect(print('100%%')).toBe('100%');
    expect(print('%d%%%s', 5, 'x')).toBe('5%x');
  });

  test('what is not supported says so', () => {
    const world = new World();
    for (const format of ['%n', '%Lf', '%ls', '%lc', '%1$d', '%k', '%', '%.-d']) {
      expect(() => world.call('printf', world.string(format), world.global(8))).toThrow(/format of printf/);
    }
  });

  test('too few arguments', () => {
    expect(() => print('%d %d', 1)).toThrow('more arguments');
    expect(() => print('%f', 1n)).toThrow('type');
  });

  test('a va_list has words, and what is of 8 bytes at multiples of 8', () => {
    const world = new World();
    const list = world.object(40);
    const at = list - 0x10000;
    const view = new DataView(world.bytes.buffer);
    view.setInt32(at, 7, true);
    view.setFloat64(at + 8, 2.5, true);
    view.setInt32(at + 16, world.string('x'), true);
    view.setBigInt64(at + 24, -5n, true);
    view.setInt32(at + 32, 9, true);
    world.defined.fill(1, at, at + 40);
    world.call('vprintf', world.string('%d %g %s %lld %u\n'), list);
    expect(world.output).toBe('7 2.5 x -5 9\n');
  });
});

describe('random numbers', () => {
  let seed = 12345;
  const random = (): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return seed;
  };
  const view = new DataView(new ArrayBuffer(8));
  const randomDouble = (): number => {
    for (;;) {
      view.setUint32(0, (random() >>> 16) * 65536 + (random() >>> 16));
      view.setUint32(4, (random() >>> 16) * 65536 + (random() >>> 16));
      const x = view.getFloat64(0);
      if (Number.isFinite(x)) return x;
    }
  };

  test('integers in all bases', () => {
    for (let i = 0; i < 300; i++) {
      const n = ((random() >>> 8) * 256 + (random() >>> 24)) | 0;
      const unsigned = BigInt.asUintN(32, BigInt(n));
      expect(print('%d %u %x %o', n, n, n, n)).toBe(
        `${n} ${unsigned} ${unsigned.toString(16)} ${unsigned.toString(8)}`,
      );
      const wide = BigInt.asIntN(64, (BigInt(n) << 31n) ^ BigInt(random()));
      expect(print('%lld %llX', wide, wide)).toBe(`${wide} ${BigInt.asUintN(64, wide).toString(16).toUpperCase()}`);
    }
  });

  /** Halfway between two decimal numbers JavaScript goes up, C to the even one. `rest`: the digits that are cut off. */
  const isTie = (rest: string): boolean => /^50*$/.test(rest);

  test('%e is toExponential', () => {
    for (let i = 0; i < 1500; i++) {
      const x = randomDouble();
      const precision = random() % 40;
      const expected = x.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
      if (
        isTie(
          x
            .toExponential(100)
            .replace(/^-?(\d)\.|e.*/g, '$1')
            .slice(precision + 1),
        )
      )
        continue;
      expect(print('%.*e', precision, x)).toBe(expected);
    }
  });

  test('%f is toFixed, where that writes digits', () => {
    for (let i = 0; i < 1500; i++) {
      const x = (randomDouble() % 1e15) * 10 ** (random() % 5);
      const precision = random() % 30;
      if (isTie(x.toFixed(100).split('.')[1]!.slice(precision))) continue;
      expect(print('%.*f', precision, x)).toBe(x.toFixed(precision));
    }
  });

  test('%f of large numbers is their integer', () => {
    for (let i = 0; i < 200; i++) {
      const x = Math.abs(randomDouble());
      if (x < 2 ** 53) continue;
      expect(print('%.0f', x)).toBe(BigInt(x).toString());
    }
  });

  test('%g is toPrecision without zeros at the end', () => {
    for (let i = 0; i < 1500; i++) {
      const x = random() % 2 === 0 ? randomDouble() : (random() / 65536) * 10 ** ((random() % 16) - 8);
      const precision = 1 + (random() % 17);
      const exponent = Number(x.toExponential(precision - 1).split('e')[1]);
      const expected =
        exponent < -4 || exponent >= precision
          ? x
              .toExponential(precision - 1)
              .replace(/\.?0*e([+-])(\d+)$/, (_, sign, digits) => `e${sign}${digits.padStart(2, '0')}`)
          : x
              .toFixed(precision - 1 - exponent)
              .replace(/(\.\d*?)0+$/, '$1')
              .replace(/\.$/, '');
      const fixed = /e/.test(expected) && precision === 1 ? expected.replace('.', '') : expected;
      expect(print('%.*g', precision, x)).toBe(fixed);
    }
  });

  test('%a is read back as the same number', () => {
    const world = new World();
    for (let i = 0; i < 300; i++) {
      const x = randomDouble();
      expect(world.call('strtod', world.literal(print('%a', x)), 0)).toBe(x);
    }
  });

  test('%.17g is read back as the same number', () => {
    for (let i = 0; i < 300; i++) {
      const x = randomDouble();
      expect(Number(print('%.17g', x))).toBe(x);
    }
  });
});
