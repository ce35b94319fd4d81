/**
 * LLVM's intrinsic functions. Their names end in the types that they are for: `llvm.umax.i32`. Those about variadic
 * arguments and thread-local variables are part of the compiled code.
 */
import type { CallSite, CThread, CValue, LibraryFunction } from '../../runtime.ts';
import { gives, integer, plain, signed, sizeOfArgument, steps, unsigned } from '../define.ts';
import { double, float, fusedMultiplyAdd } from '../standard/float-exact.ts';
import {
  asInteger,
  copySign,
  greatestNumber,
  isNegative,
  leastNumber,
  power,
  real,
  rint,
  round,
} from '../standard/math.ts';

/** How many bits the type has that a name ends in. */
function bitsIn(name: string): number {
  return Number(/\.i(\d+)$/.exec(name)?.[1] ?? 32);
}

type Combine = (a: bigint, b: bigint, bits: number) => bigint;

/** On two integers, as signed or as unsigned ones. */
function binary(name: string, isSigned: boolean, combine: Combine): LibraryFunction {
  const bits = bitsIn(name);
  const read = isSigned ? (value: CValue) => signedOf(value, bits) : (value: CValue) => unsigned(value, bits);
  return plain((_thread, _call, a: CValue, b: CValue) => integer(combine(read(a), read(b), bits), bits));
}

/** An i1 is 0 or 1 as a value, and 0 or -1 as a signed number. */
function signedOf(value: CValue, bits: number): bigint {
  return BigInt.asIntN(bits, signed(value));
}

function bounds(isSigned: boolean, bits: number): readonly [least: bigint, greatest: bigint] {
  const values = 1n << BigInt(bits);
  return isSigned ? [-values / 2n, values / 2n - 1n] : [0n, values - 1n];
}

const exact: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
};

/** { the result, whether it does not fit } */
function withOverflow(name: string, isSigned: boolean, combine: Combine): LibraryFunction {
  const bits = bitsIn(name);
  const [least, greatest] = bounds(isSigned, bits);
  const read = (value: CValue): bigint => (isSigned ? signedOf(value, bits) : unsigned(value, bits));
  return plain((_thread, _call, a: CValue, b: CValue) => {
    const result = combine(read(a), read(b), bits);
    return [integer(result, bits), result < least || result > greatest ? 1 : 0];
  });
}

function saturating(name: string, isSigned: boolean, combine: Combine): LibraryFunction {
  const [least, greatest] = bounds(isSigned, bitsIn(name));
  return binary(name, isSigned, (a, b, bits) => {
    const result = combine(a, b, bits);
    return result < least ? least : result > greatest ? greatest : result;
  });
}

/** On the bits of an integer, first bit first. */
function onBits(name: string, compute: (digits: string, bits: number) => bigint): LibraryFunction {
  const bits = bitsIn(name);
  return plain((_thread, _call, value: CValue) =>
    integer(compute(unsigned(value, bits).toString(2).padStart(bits, '0'), bits), bits),
  );
}

const reversed = (text: string): string => [...text].reverse().join('');

function countUntilOne(digits: string, bits: number): bigint {
  const at = digits.indexOf('1');
  return BigInt(at === -1 ? bits : at);
}

/** The two numbers side by side, shifted: the upper or the lower half. */
function funnel(name: string, isLeft: boolean): LibraryFunction {
  const bits = bitsIn(name);
  const width = BigInt(bits);
  return plain((_thread, _call, high: CValue, low: CValue, by: CValue) => {
    const both = (unsigned(high, bits) << width) | unsigned(low, bits);
    const shift = unsigned(by, bits) % width;
    return integer(isLeft ? (both << shift) >> width : both >> shift, bits);
  });
}

const isFloat = (name: string): boolean => /\.f32(\.|$)/.test(name);

function onReals(name: string, arity: 1 | 2 | 3, compute: (...args: number[]) => number): LibraryFunction {
  const f = isFloat(name) ? (...args: number[]) => Math.fround(compute(...args)) : compute;
  if (arity === 1) return plain((_thread, _call, x: number) => f(x));
  if (arity === 2) return plain((_thread, _call, x: number, y: number) => f(x, y));
  return plain((_thread, _call, x: number, y: number, z: number) => f(x, y, z));
}

/** The bits of llvm.is.fpclass, from the lowest on. */
function classOf(x: number, isSingle: boolean): number {
  if (Number.isNaN(x)) return 1; // quiet: signalling ones are not told apart
  const size = Math.abs(x);
  const kind =
    size === Number.POSITIVE_INFINITY ? 0 : size === 0 ? 3 : size < (isSingle ? 2 ** -126 : 2 ** -1022) ? 2 : 1;
  return isNegative(x) ? 2 + kind : 9 - kind;
}

function toInteger(name: string, rounded: (x: number) => number): LibraryFunction {
  const bits = Number(/\.i(\d+)\./.exec(name)?.[1] ?? 32);
  return plain((_thread, _call, x: number) => asInteger(rounded(x), bits));
}

/** Converts and clamps: what comes after `.sat.i32.f64`. */
function saturatingConversion(name: string, isSigned: boolean): LibraryFunction {
  const bits = Number(/\.i(\d+)\./.exec(name)?.[1] ?? 32);
  const [least, greatest] = bounds(isSigned, bits);
  return plain((_thread, _call, x: number) => {
    if (Number.isNaN(x)) return integer(0n, bits);
    if (x >= Number(greatest)) return integer(greatest, bits);
    if (x <= Number(least)) return integer(least, bits);
    return integer(BigInt(Math.trunc(x)), bits);
  });
}

const copy = steps(function* (thread, call, target: number, source: number, count: number | bigint) {
  yield* thread.copy(target, source, sizeOfArgument(count), call);
  return undefined;
});

const trap = plain((thread, call) => thread.fail('abort', '__builtin_trap() is reached', call));

/** NaN wins, and -0 is below 0: as JavaScript has it. */
const minimum = (x: number, y: number): number => Math.min(x, y);
const maximum = (x: number, y: number): number => Math.max(x, y);

type Make = (name: string) => LibraryFunction;

/** By the name without its types; where several fit, the longest one counts. */
const intrinsics: Readonly<Record<string, Make>> = {
  memcpy: () => copy,
  'memcpy.inline': () => copy,
  memmove: () => copy,
  memset: () => fill,
  'memset.inline': () => fill,

  'lifetime.start': () => gives(undefined),
  'lifetime.end': () => gives(undefined),
  'invariant.start': () => gives(0),
  'invariant.end': () => gives(undefined),
  'experimental.noalias.scope.decl': () => gives(undefined),
  donothing: () => gives(undefined),
  'dbg.declare': () => gives(undefined),
  'dbg.value': () => gives(undefined),
  'dbg.label': () => gives(undefined),
  sideeffect: () => gives(undefined),
  prefetch: () => gives(undefined),
  'var.annotation': () => gives(undefined),
  assume: () =>
    plain((thread, call, condition: number) => {
      if (condition === 0) thread.fail('abort', 'what __builtin_assume promises does not hold', call);
      return undefined;
    }),
  expect: () => first,
  'expect.with.probability': () => first,
  'ssa.copy': () => first,
  annotation: () => first,
  'ptr.annotation': () => first,
  'launder.invariant.group': () => first,
  'strip.invariant.group': () => first,
  'arithmetic.fence': () => first,
  trap: () => trap,
  debugtrap: () => trap,
  ubsantrap: () => trap,
  'is.constant': () => gives(0),
  objectsize: (name) =>
    plain((_thread, _call, _pointer: number, isLeast: number) =>
      integer(isLeast === 0 ? -1n : 0n, bitsIn(name.replace(/\.p0$/, ''))),
    ),
  stacksave: () => gives(0),
  stackrestore: () => gives(undefined),
  returnaddress: refusal('__builtin_return_address'),
  frameaddress: refusal('__builtin_frame_address'),
  'eh.sjlj.setjmp': refusal('__builtin_setjmp'),
  'eh.sjlj.longjmp': refusal('__builtin_longjmp'),
  readcyclecounter: refusal('__builtin_readcyclecounter'),
  ptrmask: () => plain((_thread, _call, pointer: number, mask: number) => pointer & mask),

  abs: (name) =>
    plain((_thread, _call, value: CValue) => {
      const n = signedOf(value, bitsIn(name));
      return integer(n < 0n ? -n : n, bitsIn(name));
    }),
  smax: (name) => binary(name, true, (a, b) => (a > b ? a : b)),
  smin: (name) => binary(name, true, (a, b) => (a < b ? a : b)),
  umax: (name) => binary(name, false, (a, b) => (a > b ? a : b)),
  umin: (name) => binary(name, false, (a, b) => (a < b ? a : b)),
  'sshl.sat': (name) => saturating(name, true, (a, b) => a << b),
  'ushl.sat': (name) => saturating(name, false, (a, b) => a << b),
  ...overflowing(),

  ctpop: (name) => onBits(name, (digits) => BigInt(digits.replaceAll('0', '').length)),
  ctlz: (name) => onBits(name, countUntilOne),
  cttz: (name) => onBits(name, (digits, bits) => countUntilOne(reversed(digits), bits)),
  bitreverse: (name) => onBits(name, (digits) => BigInt(`0b${reversed(digits)}`)),
  bswap: (name) => onBits(name, (digits) => BigInt(`0b${digits.match(/.{8}/g)!.reverse().join('')}`)),
  fshl: (name) => funnel(name, true),
  fshr: (name) => funnel(name, false),

  ...onReal(),
  fma: (name) => onReals(name, 3, (x, y, z) => fusedMultiplyAdd(x!, y!, z!, isFloat(name) ? float : double)),
  // WebAssembly has no fused operation, and C lets a compiler choose
  fmuladd: (name) =>
    onReals(name, 3, isFloat(name) ? (x, y, z) => Math.fround(x! * y!) + z! : (x, y, z) => x! * y! + z!),
  powi: (name) => onReals(name, 2, (x, n) => x! ** n!),
  lround: (name) => toInteger(name, round),
  llround: (name) => toInteger(name, round),
  lrint: (name) => toInteger(name, rint),
  llrint: (name) => toInteger(name, rint),
  'fptosi.sat': (name) => saturatingConversion(name, true),
  'fptoui.sat': (name) => saturatingConversion(name, false),
  'is.fpclass': (name) => plain((_thread, _call, x: number, mask: number) => (mask >> classOf(x, isFloat(name))) & 1),
};

function overflowing(): Record<string, Make> {
  const all: Record<string, Make> = {};
  for (const [operation, combine] of Object.entries(exact)) {
    for (const [letter, isSigned] of [
      ['s', true],
      ['u', false],
    ] as const) {
      all[`${letter}${operation}.with.overflow`] = (name) => withOverflow(name, isSigned, combine);
      if (operation !== 'mul') all[`${letter}${operation}.sat`] = (name) => saturating(name, isSigned, combine);
    }
  }
  return all;
}

function onReal(): Record<string, Make> {
  const all: Record<string, Make> = {};
  for (const name of [
    'fabs',
    'floor',
    'ceil',
    'trunc',
    'rint',
    'nearbyint',
    'round',
    'roundeven',
    'sqrt',
    'exp',
    'exp2',
    'exp10',
    'log',
    'log2',
    'log10',
    'sin',
    'cos',
    'tan',
    'asin',
    'acos',
    'atan',
    'sinh',
    'cosh',
    'tanh',
  ]) {
    all[name] = (full) => onReals(full, 1, real[name]!);
  }
  const pairs: Record<string, (x: number, y: number) => number> = {
    pow: power,
    atan2: Math.atan2,
    copysign: copySign,
    minnum: leastNumber,
    maxnum: greatestNumber,
    minimumnum: leastNumber,
    maximumnum: greatestNumber,
    minimum,
    maximum,
  };
  for (const [name, compute] of Object.entries(pairs)) {
    all[name] = (full) => onReals(full, 2, (x, y) => compute(x!, y!));
  }
  return all;
}

function refusal(name: string): Make {
  return () => plain((thread: CThread, call: CallSite) => thread.refuse(name, call));
}

const fill = steps(function* (thread, call, target: number, byte: number, count: number | bigint) {
  yield* thread.fill(target, byte & 0xff, sizeOfArgument(count), call);
  return undefined;
});

const first = plain((_thread, _call, value: CValue) => value);

/** `llvm.umax.i32` → the function for i32. */
export function findIntrinsic(name: string): LibraryFunction | undefined {
  if (!name.startsWith('llvm.')) return undefined;
  const parts = name.slice('llvm.'.length).split('.');
  for (let length = parts.length; length > 0; length--) {
    const make = Object.hasOwn(intrinsics, parts.slice(0, length).join('.'))
      ? intrinsics[parts.slice(0, length).join('.')]
      : undefined;
    if (make !== undefined) return make(name);
  }
  return undefined;
}
