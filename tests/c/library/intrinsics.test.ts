import { describe, expect, test } from 'vitest';
import { findLibraryFunction, libraries } from '../../../src/c/library/index.ts';
import type { CValue } from '../../../src/c/runtime.ts';
import { MAIN } from '../../../src/program/identity.ts';
import { FakeThread, World } from './fake.ts';

const call = (name: string, ...args: CValue[]): CValue => new World().call(name, ...args);

const cases: [string, CValue[], CValue][] = [
  ['llvm.abs.i32', [-5, 0], 5],
  ['llvm.abs.i32', [-2147483648, 0], -2147483648],
  ['llvm.abs.i8', [-128, 0], -128],
  ['llvm.abs.i64', [-5n, 0], 5n],
  ['llvm.smax.i32', [-1, 1], 1],
  ['llvm.umax.i32', [-1, 1], -1],
  ['llvm.smin.i64', [-1n, 1n], -1n],
  ['llvm.umin.i64', [-1n, 1n], 1n],
  ['llvm.ctpop.i32', [-1], 32],
  ['llvm.ctpop.i8', [-128], 1],
  ['llvm.ctlz.i32', [1, 0], 31],
  ['llvm.ctlz.i32', [0, 0], 32],
  ['llvm.ctlz.i64', [1n, 0], 63n],
  ['llvm.cttz.i32', [8, 0], 3],
  ['llvm.cttz.i32', [0, 0], 32],
  ['llvm.bswap.i32', [0x12345678], 0x78563412],
  ['llvm.bswap.i16', [0x1234], 0x3412],
  ['llvm.bswap.i64', [1n], 0x0100000000000000n],
  ['llvm.bitreverse.i8', [1], -128],
  ['llvm.fshl.i32', [0x12345678, -0x76543211, 8], 0x34567889],
  ['llvm.fshr.i32', [0x12345678, -0x76543211, 8], 0x7889abcd],
  ['llvm.fshl.i32', [1, 2, 32], 1],
  ['llvm.fshr.i32', [1, 2, 32], 2],
  ['llvm.sadd.with.overflow.i32', [2147483647, 1], [-2147483648, 1]],
  ['llvm.sadd.with.overflow.i32', [1, 1], [2, 0]],
  ['llvm.uadd.with.overflow.i32', [-1, 1], [0, 1]],
  ['llvm.ssub.with.overflow.i64', [-9223372036854775808n, 1n], [9223372036854775807n, 1]],
  ['llvm.usub.with.overflow.i8', [0, 1], [-1, 1]],
  ['llvm.smul.with.overflow.i32', [65536, 32768], [-2147483648, 1]],
  ['llvm.umul.with.overflow.i32', [65536, 65535], [-65536, 0]],
  ['llvm.umul.with.overflow.i64', [1n << 32n, 1n << 32n], [0n, 1]],
  ['llvm.sadd.sat.i8', [100, 100], 127],
  ['llvm.ssub.sat.i8', [-100, 100], -128],
  ['llvm.uadd.sat.i32', [-1, 1], -1],
  ['llvm.usub.sat.i32', [1, 2], 0],
  ['llvm.expect.i32', [5, 1], 5],
  ['llvm.is.constant.i32', [5], 0],
  ['llvm.objectsize.i32.p0', [100, 0, 0, 0], -1],
  ['llvm.objectsize.i32.p0', [100, 1, 0, 0], 0],
  ['llvm.ptrmask.p0.i32', [0x12345, -16], 0x12340],
  ['llvm.fabs.f64', [-2.5], 2.5],
  ['llvm.floor.f32', [-2.5], -3],
  ['llvm.ceil.f64', [-2.5], -2],
  ['llvm.trunc.f64', [-2.5], -2],
  ['llvm.rint.f64', [2.5], 2],
  ['llvm.rint.f64', [3.5], 4],
  ['llvm.rint.f64', [-0.5], -0],
  ['llvm.nearbyint.f64', [-2.5], -2],
  ['llvm.roundeven.f64', [0.5], 0],
  ['llvm.round.f64', [2.5], 3],
  ['llvm.round.f64', [-2.5], -3],
  ['llvm.round.f64', [0.49999999999999994], 0],
  ['llvm.sqrt.f64', [2], Math.SQRT2],
  ['llvm.sqrt.f32', [2], Math.fround(Math.SQRT2)],
  ['llvm.pow.f64', [1, Number.NaN], 1],
  ['llvm.pow.f64', [2, 10], 1024],
  ['llvm.powi.f64.i32', [2, -1], 0.5],
  ['llvm.minnum.f64', [1, Number.NaN], 1],
  ['llvm.maxnum.f64', [Number.NaN, 2], 2],
  ['llvm.minimum.f64', [1, Number.NaN], Number.NaN],
  ['llvm.copysign.f64', [3, -0], -3],
  ['llvm.fma.f64', [1 + 2 ** -52, 1 - 2 ** -52, -1], -(2 ** -104)],
  ['llvm.fmuladd.f64', [1 + 2 ** -52, 1 - 2 ** -52, -1], 0],
  ['llvm.fma.f32', [3, 4, 5], 17],
  ['llvm.fma.f64', [1e308, 10, Number.NEGATIVE_INFINITY], Number.NEGATIVE_INFINITY],
  ['llvm.fma.f64', [1e200, 1e200, -1e300], Number.POSITIVE_INFINITY],
  ['llvm.fma.f64', [2 ** -600, 2 ** -600, 0], 0],
  ['llvm.lround.i32.f64', [-2.5], -3],
  ['llvm.llrint.i64.f64', [2.5], 2n],
  ['llvm.fptosi.sat.i32.f64', [1e10], 2147483647],
  ['llvm.fptoui.sat.i32.f64', [-1], 0],
  ['llvm.fptoui.sat.i32.f64', [3e9], -1294967296],
  ['llvm.is.fpclass.f64', [Number.NaN, 3], 1],
  ['llvm.is.fpclass.f64', [1, 3], 0],
  ['llvm.is.fpclass.f64', [Number.NEGATIVE_INFINITY, 516], 1],
  ['llvm.is.fpclass.f64', [Number.NEGATIVE_INFINITY, 4], 1],
  ['llvm.is.fpclass.f64', [Number.POSITIVE_INFINITY, 4], 0],
  ['llvm.is.fpclass.f64', [-0, 32], 1],
  ['llvm.is.fpclass.f64', [0, 64], 1],
  ['llvm.is.fpclass.f64', [5e-324, 128], 1],
  ['llvm.is.fpclass.f64', [-1, 8], 1],
  ['llvm.is.fpclass.f64', [1, 256], 1],
  ['llvm.is.fpclass.f32', [2 ** -130, 128], 1],
  ['llvm.lifetime.start.p0', [4, 0], undefined],
  ['llvm.donothing', [], undefined],
];

describe('intrinsics', () => {
  for (const [name, args, expected] of cases) {
    test(`${name}(${args.join(', ')})`, () => expect(call(name, ...args)).toEqual(expected));
  }

  test('memory', () => {
    const world = new World();
    const target = world.object(8);
    world.call('llvm.memcpy.p0.p0.i32', target, world.string('abc'), 4, 0);
    expect(world.text(target)).toBe('abc');
    world.call('llvm.memmove.p0.p0.i64', target + 1, target, 3n, 0);
    world.call('llvm.memset.p0.i32', target + 4, 0, 1, 0);
    expect(world.text(target)).toBe('aabc');
  });

  test('traps and refusals', () => {
    expect(() => call('llvm.trap')).toThrow('__builtin_trap');
    expect(() => call('llvm.assume', 0)).toThrow('__builtin_assume');
    expect(() => call('llvm.frameaddress.p0', 0)).toThrow('__builtin_frame_address');
    expect(findLibraryFunction('llvm.no.such.thing')).toBe(undefined);
    expect(findLibraryFunction('llvm.constructor')).toBe(undefined);
    expect(() => call('llvm.va_start.p0', 0)).toThrow('llvm.va_start'); // only compiled code has the arguments
  });
});

describe('math', () => {
  test('functions of doubles and floats', () => {
    expect(call('fmod', 7.5, 2)).toBe(1.5);
    expect(call('fmodf', -7.5, 2)).toBe(-1.5);
    expect(call('hypot', 3, 4)).toBe(5);
    expect(call('sinf', 1)).toBe(Math.fround(Math.sin(1)));
    expect(call('fdim', 3, 5)).toBe(0);
    expect(call('lround', 2.5)).toBe(3);
    expect(call('llround', -2.5)).toBe(-3n);
    expect(call('lrint', 2.5)).toBe(2);
    expect(call('ilogb', 8)).toBe(3);
    expect(call('logb', 0.25)).toBe(-2);
    expect(call('remainder', 5, 3)).toBe(-1);
    expect(call('remainder', 4.5, 3)).toBe(-1.5);
    expect(call('remainder', 1.5, 3)).toBe(1.5);
    expect(call('pow', -1, Number.POSITIVE_INFINITY)).toBe(1);
  });

  test('ldexp scales and rounds once', () => {
    expect(call('ldexp', 1, 10)).toBe(1024);
    expect(call('ldexp', 1, -1074)).toBe(5e-324);
    expect(call('ldexp', 1, -1075)).toBe(0);
    expect(call('ldexp', 1.5, -1074)).toBe(1e-323);
    expect(call('ldexp', 5e-324, 2000)).toBe(2 ** 926);
    expect(call('ldexp', -1, 5000)).toBe(Number.NEGATIVE_INFINITY);
    expect(call('scalbn', 3, 4)).toBe(48);
  });

  test('frexp and modf take numbers apart', () => {
    const world = new World();
    const result = world.global(8);
    expect(world.call('frexp', 12, result)).toBe(0.75);
    expect(world.word(result)).toBe(4);
    expect(world.call('frexp', -5e-324, result)).toBe(-0.5);
    expect(world.word(result)).toBe(-1073);
    expect(world.call('modf', -3.25, result)).toBe(-0.25);
    expect(new DataView(world.bytes.buffer).getFloat64(result - 0x10000, true)).toBe(-3);
  });
});

describe('atomics', () => {
  test('by size and by pointer', () => {
    const world = new World();
    const [object, other, result] = [world.global(8), world.global(8), world.global(8)];
    world.call('__atomic_store_4', object, 5, 5);
    expect(world.call('__atomic_load_4', object, 5)).toBe(5);
    expect(world.call('__atomic_exchange_4', object, 6, 5)).toBe(5);
    expect(world.call('__atomic_fetch_add_4', object, -10, 5)).toBe(6);
    expect(world.call('__atomic_sub_fetch_4', object, 1, 5)).toBe(-5);
    expect(world.call('__atomic_fetch_nand_1', object, -1, 5)).toBe(-5);
    expect(world.call('__atomic_load_1', object, 0)).toBe(4);
    world.call('__atomic_store_8', object, -1n, 5);
    expect(world.call('__atomic_fetch_and_8', object, 255n, 5)).toBe(-1n);
    expect(world.call('__atomic_compare_exchange_8', object, object, 1n, 5, 5)).toBe(1);
    world.setWord(other, 7);
    world.call('__atomic_store', 4, object, other, 5);
    world.call('__atomic_load', 4, object, result, 5);
    expect(world.word(result)).toBe(7);
    world.setWord(other, 8);
    expect(world.call('__atomic_compare_exchange', 4, object, other, result, 5, 5)).toBe(0);
    expect(world.word(other)).toBe(7);
    world.setWord(result, 9);
    expect(world.call('__atomic_compare_exchange', 4, object, other, result, 5, 5)).toBe(1);
    expect(world.word(object)).toBe(9);
    world.call('__atomic_exchange', 4, object, other, result, 5);
    expect([world.word(object), world.word(result)]).toEqual([7, 9]);
    expect(() => world.call('__atomic_load', 12, object, result, 5)).toThrow('12 bytes');
    expect(world.call('__atomic_is_lock_free', 8, 0)).toBe(1);
    expect(world.call('__atomic_is_lock_free', 16, 0)).toBe(1);
    expect(world.call('__atomic_is_lock_free', 12, 0)).toBe(0);
  });

  test('flags', () => {
    const world = new World();
    const flag = world.global(1);
    expect(world.call('atomic_flag_test_and_set', flag)).toBe(0);
    expect(world.call('atomic_flag_test_and_set_explicit', flag, 2)).toBe(1);
    world.call('atomic_flag_clear', flag);
    expect(world.call('atomic_flag_test_and_set', flag)).toBe(0);
  });
});

describe('time', () => {
  test('waiting lets others go first', () => {
    const world = new World();
    for (const name of ['sched_yield', 'usleep', 'sleep', 'nanosleep', 'thrd_yield', 'thrd_sleep']) {
      world.call(name, 0, 0);
    }
    expect(world.performed).toEqual(Array(6).fill('yield'));
  });

  test('the clock stands still at first, then moves on, and that is told', () => {
    const world = new World();
    const thread = new FakeThread(world, MAIN);
    const call = (name: string, ...args: number[]) => world.callOn(thread, name, ...args);
    const result = world.object(16);
    expect(call('time', 0)).toBe(0n);
    expect(call('clock_gettime', 0, result)).toBe(0);
    expect([world.word(result), world.word(result + 4), world.word(result + 8)]).toEqual([0, 0, 0]);
    expect(call('time', 0)).toBe(3600n);
    expect(call('gettimeofday', result, 0)).toBe(0);
    expect(world.word(result)).toBe(7200);
    expect(world.limits.size).toBe(3);
  });
});

test('character classes', () => {
  const world = new World();
  const members = (name: string): string =>
    Array.from({ length: 128 }, (_, c) => c)
      .filter((c) => world.call(name, c) !== 0)
      .map((c) => String.fromCharCode(c))
      .join('');
  expect(members('isdigit')).toBe('0123456789');
  expect(members('isxdigit')).toBe('0123456789ABCDEFabcdef');
  expect(members('isupper')).toBe('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  expect(members('isspace')).toBe('\t\n\v\f\r ');
  expect(members('isblank')).toBe('\t ');
  expect(members('ispunct')).toBe('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~');
  expect(members('isalnum')).toHaveLength(62);
  expect(members('isprint')).toHaveLength(95);
  expect(members('isgraph')).toHaveLength(94);
  expect(members('iscntrl')).toHaveLength(33);
  expect(world.call('isalpha', -1)).toBe(0);
  expect(world.call('toupper', 0x61)).toBe(0x41);
  expect(world.call('tolower', 0x41)).toBe(0x61);
  expect(world.call('tolower', 0x31)).toBe(0x31);
});

test('no function is defined twice', () => {
  const names = libraries.flatMap((library) => Object.keys(library));
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});
