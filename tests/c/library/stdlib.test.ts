import { describe, expect, test } from 'vitest';
import { double, float } from '../../../src/c/library/standard/float-exact.ts';
import { parseFloating, parseInteger } from '../../../src/c/library/text/numbers.ts';
import { Ended, FakeThread, World } from './fake.ts';

const errnoOf = (world: World): number => world.word(world.literal('errno: '));

describe('the heap', () => {
  test('malloc, calloc, realloc, free', () => {
    const world = new World();
    const a = world.call('malloc', 8) as number;
    expect(() => world.call('strlen', a)).toThrow('never written');
    world.setWord(a, 0x41414141);
    world.setWord(a + 4, 5);
    const b = world.call('realloc', a, 4) as number;
    expect(b).not.toBe(a);
    expect(world.word(b)).toBe(0x41414141);
    expect(() => world.call('free', a)).toThrow();
    const c = world.call('realloc', b, 16) as number;
    expect(world.word(c)).toBe(0x41414141);
    world.call('free', c);
    world.call('free', 0);
    expect(() => world.call('realloc', c, 4)).toThrow();
    expect(world.call('realloc', 0, 4)).not.toBe(0);
    const zeroed = world.call('calloc', 3, 4) as number;
    expect(world.word(zeroed + 8)).toBe(0);
    expect(() => world.call('free', zeroed + 4)).toThrow();
  });

  test('too much is NULL', () => {
    const world = new World();
    expect(world.call('calloc', 0x10000, 0x10000)).toBe(0);
    expect(errnoOf(world)).toBe(48);
    expect(world.call('malloc', -1)).toBe(0);
    const a = world.call('malloc', 4) as number;
    expect(world.call('realloc', a, -1)).toBe(0);
    world.call('free', a);
    expect(world.call('reallocarray', 0, 0x20000, 0x20000)).toBe(0);
  });

  test('alignment', () => {
    const world = new World();
    expect((world.call('aligned_alloc', 64, 128) as number) % 64).toBe(0);
    expect(() => world.call('aligned_alloc', 3, 128)).toThrow('aligned to 3 bytes, which is no power of two');
    const result = world.global(4);
    expect(world.call('posix_memalign', result, 256, 10)).toBe(0);
    expect(world.word(result) % 256).toBe(0);
    expect(world.call('posix_memalign', result, 2, 10)).toBe(28);
  });
});

describe('text to integers', () => {
  const cases: [string, number, bigint, number][] = [
    ['42', 10, 42n, 2],
    ['  -17abc', 10, -17n, 5],
    ['+5', 10, 5n, 2],
    ['0x1F', 16, 31n, 4],
    ['0x1F', 0, 31n, 4],
    ['0x', 0, 0n, 1],
    ['0xg', 16, 0n, 1],
    ['017', 0, 15n, 3],
    ['089', 0, 0n, 1],
    ['z', 36, 35n, 1],
    ['102', 2, 2n, 2],
    ['', 10, 0n, 0],
    ['abc', 10, 0n, 0],
    ['-', 10, 0n, 0],
    ['99999999999999999999', 10, 99999999999999999999n, 20],
  ];
  for (const [text, base, value, length] of cases) {
    test(`"${text}" in base ${base}`, () => expect(parseInteger(text, base)).toEqual({ value, length }));
  }

  test('strtol and its kin', () => {
    const world = new World();
    const end = world.global(4);
    const text = world.string('123 rest');
    expect(world.call('strtol', text, end, 10)).toBe(123);
    expect(world.word(end)).toBe(text + 3);
    expect(world.call('strtol', world.string('3000000000'), 0, 10)).toBe(2147483647);
    expect(errnoOf(world)).toBe(68);
    expect(world.call('strtol', world.string('-3000000000'), 0, 10)).toBe(-2147483648);
    expect(world.call('strtoul', world.string('4294967295'), 0, 10)).toBe(-1);
    expect(world.call('strtoul', world.string('-1'), 0, 10)).toBe(-1);
    expect(world.call('strtoul', world.string('4294967296'), 0, 10)).toBe(-1);
    expect(world.call('strtoll', world.string('-9223372036854775808'), 0, 10)).toBe(-9223372036854775808n);
    expect(world.call('strtoull', world.string('18446744073709551615'), 0, 10)).toBe(-1n);
    expect(world.call('strtol', text, end, 99)).toBe(0);
    expect(errnoOf(world)).toBe(28);
    expect(world.call('atoi', world.string(' -12x'))).toBe(-12);
    expect(world.call('atoll', world.string('5000000000'))).toBe(5000000000n);
  });
});

describe('text to floating-point numbers', () => {
  const cases: [string, number, number][] = [
    ['1.5', 1.5, 3],
    [' -2.5e3x', -2500, 7],
    ['.5', 0.5, 2],
    ['5.', 5, 2],
    ['.', 0, 0],
    ['1e', 1, 1],
    ['1e+', 1, 1],
    ['0x1.8p1', 3, 7],
    ['0x1P-1074', 5e-324, 9],
    ['0x', 0, 1],
    ['inf', Number.POSITIVE_INFINITY, 3],
    ['-Infinity!', Number.NEGATIVE_INFINITY, 9],
    ['nan(12)', Number.NaN, 7],
    ['1e999', Number.POSITIVE_INFINITY, 5],
    ['1e-999', 0, 6],
    ['1e999999999', Number.POSITIVE_INFINITY, 11],
    ['0e999999999', 0, 11],
    ['abc', 0, 0],
    ['-0', -0, 2],
  ];
  for (const [text, value, length] of cases) {
    test(`"${text}"`, () => {
      const parsed = parseFloating(text, double);
      expect(parsed.value).toBe(value);
      expect(parsed.length).toBe(length);
    });
  }

  test('as JavaScript reads them', () => {
    let seed = 7;
    const random = (): number => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return seed;
    };
    for (let i = 0; i < 2000; i++) {
      const digits = Array.from({ length: 1 + (random() % 30) }, () => (random() >>> 16) % 10).join('');
      const text = `${digits}.${random()}e${(random() % 700) - 350}`;
      expect(parseFloating(text, double).value).toBe(Number(text));
    }
  });

  test('floats are rounded once', () => {
    // just above the middle of 1 and the next float: rounding to double first would lose that
    const text = '1.000000059604644775390625000000000000001';
    expect(Math.fround(Number(text))).toBe(1);
    expect(parseFloating(text, float).value).toBe(1 + 2 ** -23);
    expect(parseFloating('3.5e38', float).value).toBe(Number.POSITIVE_INFINITY);
    expect(parseFloating('1e-45', float).value).toBe(2 ** -149);
    const world = new World();
    expect(world.call('strtof', world.string('0.1'), 0)).toBe(Math.fround(0.1));
    expect(world.call('strtod', world.string('0.1'), 0)).toBe(0.1);
    expect(world.call('atof', world.string('2.5'))).toBe(2.5);
  });
});

describe('arithmetic', () => {
  test('abs and div', () => {
    const world = new World();
    expect(world.call('abs', -5)).toBe(5);
    expect(world.call('abs', -2147483648)).toBe(-2147483648);
    expect(world.call('llabs', -5n)).toBe(5n);
    const result = world.global(16);
    world.call('div', result, -7, 2);
    expect([world.word(result), world.word(result + 4)]).toEqual([-3, -1]);
    world.call('lldiv', result, 7n, -2n);
    expect([world.word(result), world.word(result + 8)]).toEqual([-3, 1]);
    expect(() => world.call('div', result, 1, 0)).toThrow('division by zero');
  });
});

describe('sorting', () => {
  const compare = (world: World): number =>
    world.function(function* (_thread, a, b) {
      return world.word(a as number) - world.word(b as number);
    });

  test('qsort sorts, and moves whole elements, padding and all', () => {
    for (const values of [[], [1], [2, 1], [3, 1, 2], [5, 3, 9, 1, 7, 3, 2, 8, 0, 4]]) {
      const world = new World();
      const array = world.object(Math.max(1, values.length * 8)); // the second half of each element is never written
      for (const [i, value] of values.entries()) world.setWord(array + i * 8, value);
      world.call('qsort', array, values.length, 8, compare(world));
      expect(values.map((_, i) => world.word(array + i * 8))).toEqual([...values].sort((a, b) => a - b));
      expect(world.objects.filter((object) => object.isHeap && !object.isFree)).toEqual([]);
    }
  });

  test('bsearch', () => {
    const world = new World();
    const array = world.global(40);
    for (let i = 0; i < 10; i++) world.setWord(array + i * 4, i * 3);
    const key = world.global(4);
    const callee = compare(world);
    for (let i = 0; i < 10; i++) {
      world.setWord(key, i * 3);
      expect(world.call('bsearch', key, array, 10, 4, callee)).toBe(array + i * 4);
      world.setWord(key, i * 3 + 1);
      expect(world.call('bsearch', key, array, 10, 4, callee)).toBe(0);
    }
  });
});

describe('chance', () => {
  test('rand gives what the option says, and tells', () => {
    const world = new World({ nondet: { least: -1, greatest: 2 } });
    world.choices = [0, 2];
    expect(world.call('rand')).toBe(0);
    expect(world.call('rand')).toBe(2);
    expect(world.call('rand_r', world.global(4))).toBe(0);
    world.call('srand', 1);
    expect([...world.limits]).toEqual(['rand() gave 0..2 only (--nondet)', 'rand_r() gave 0..2 only (--nondet)']);
  });

  test('nondet values fit their type', () => {
    const world = new World({ nondet: { least: 100, greatest: 300 } });
    world.choices = [155, 0, 1];
    expect(world.call('__VERIFIER_nondet_uchar')).toBe(-1); // 255
    expect(world.call('__VERIFIER_nondet_ulonglong')).toBe(100n);
    expect(world.call('__VERIFIER_nondet_bool')).toBe(1);
    expect(world.call('__VERIFIER_nondet_int')).toBe(100);
    const negative = new World({ nondet: { least: -3, greatest: -2 } });
    expect(negative.call('__VERIFIER_nondet_uint')).toBe(0);
    negative.choices = [1];
    expect(negative.call('__VERIFIER_nondet_long')).toBe(-2);
    expect(() => world.call('__VERIFIER_nondet_pointer')).toThrow('__VERIFIER_nondet_pointer');
  });

  test('all values of a small type are no limit', () => {
    const world = new World({ nondet: { least: -1000, greatest: 1000 } });
    world.choices = [5];
    expect(world.call('__VERIFIER_nondet_char')).toBe(-123);
    expect(world.limits.size).toBe(0);
  });
});

describe('the end', () => {
  test('abort, exit, assertions', () => {
    const world = new World();
    expect(() => world.call('abort')).toThrow('abort()');
    expect(() => world.call('exit', 3)).toThrow(Ended);
    expect(() => world.call('_exit', 3)).toThrow(Ended);
    expect(() =>
      world.call('__assert_fail', world.string('x == 1'), world.string('a.c'), 3, world.string('f')),
    ).toThrow('assert(x == 1)');
    expect(() => world.call('__VERIFIER_assert', 0)).toThrow('__VERIFIER_assert');
    expect(world.call('__VERIFIER_assert', 1)).toBe(undefined);
    expect(() => world.call('reach_error')).toThrow('reach_error() is reached');
    expect(() => world.call('__VERIFIER_assume', 0)).toThrow('block');
    expect(world.call('__VERIFIER_assume', 2)).toBe(undefined);
  });

  test('atexit is main only', () => {
    const world = new World();
    expect(() => world.callOn(new FakeThread(world, 2), 'atexit', 0)).toThrow('another thread than main');
  });
});

test('an argument that is missing or was never set', () => {
  const world = new World();
  expect(() => world.call('strlen')).toThrow('called with 0 arguments; it takes 1');
  expect(() => world.call('strcmp', world.string(''), undefined)).toThrow('argument 2 of strcmp was never set');
});
