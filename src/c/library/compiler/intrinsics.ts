/**
 * LLVM's intrinsic functions. Their names end in the types that they are for: `llvm.umax.i32`.
 */
import { REFUSED_ASSEMBLY } from '../../ir/refused-assembly.ts';
import type { CallSite, CThread, CValue } from '../../runtime.ts';
import {
  gives,
  integer,
  keeps,
  type LibraryFunction,
  POINTER,
  plain,
  signed,
  sizeOfArgument,
  steps,
  unsigned,
  uses,
} from '../define.ts';
import type { Facts } from '../facts.ts';
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
import { noteOf } from '../threads/sync.ts';

const computes: Facts = { effect: 'none' };
const returnsFirst: Facts = { captures: { 0: 'returned' } };
const computesAddress: Facts = { ...returnsFirst, ...computes };
const lifetime: Facts = { captures: 'used', effect: 'harmless', role: 'marks-lifetime' };

/** How many bits the type has that a name ends in. */
function bitsIn(name: string): number {
  return Number(/\.i(\d+)$/.exec(name)?.[1] ?? 32);
}

type Combine = (a: bigint, b: bigint, bits: number) => bigint;

/** On two integers, as signed or as unsigned ones. */
function binary(name: string, isSigned: boolean, combine: Combine): LibraryFunction {
  const bits = bitsIn(name);
  const read = isSigned ? (value: CValue) => signedOf(value, bits) : (value: CValue) => unsigned(value, bits);
  return plain(computes, (_thread, _call, a: CValue, b: CValue) => integer(combine(read(a), read(b), bits), bits));
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
  return plain(computes, (_thread, _call, a: CValue, b: CValue) => {
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
  return plain(computes, (_thread, _call, value: CValue) =>
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
  return plain(computes, (_thread, _call, high: CValue, low: CValue, by: CValue) => {
    const both = (unsigned(high, bits) << width) | unsigned(low, bits);
    const shift = unsigned(by, bits) % width;
    return integer(isLeft ? (both << shift) >> width : both >> shift, bits);
  });
}

const isFloat = (name: string): boolean => /\.f32(\.|$)/.test(name);

function onReals(name: string, arity: 1 | 2 | 3, compute: (...args: number[]) => number): LibraryFunction {
  const f = isFloat(name) ? (...args: number[]) => Math.fround(compute(...args)) : compute;
  if (arity === 1) return plain(computes, (_thread, _call, x: number) => f(x));
  if (arity === 2) return plain(computes, (_thread, _call, x: number, y: number) => f(x, y));
  return plain(computes, (_thread, _call, x: number, y: number, z: number) => f(x, y, z));
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
  return plain(computes, (_thread, _call, x: number) => asInteger(rounded(x), bits));
}

/** Converts and clamps: what comes after `.sat.i32.f64`. */
function saturatingConversion(name: string, isSigned: boolean): LibraryFunction {
  const bits = Number(/\.i(\d+)\./.exec(name)?.[1] ?? 32);
  const [least, greatest] = bounds(isSigned, bits);
  return plain(computes, (_thread, _call, x: number) => {
    if (Number.isNaN(x)) return integer(0n, bits);
    if (x >= Number(greatest)) return integer(greatest, bits);
    if (x <= Number(least)) return integer(least, bits);
    return integer(BigInt(Math.trunc(x)), bits);
  });
}

const copy = steps(
  { captures: 'used', role: 'copies' },
  function* (thread, call, target: number, source: number, count: number | bigint) {
    yield* thread.copy(target, source, sizeOfArgument(count), call);
    return undefined;
  },
);

const trap = plain((thread, call) => thread.fail('abort', '__builtin_trap() is reached', call));

/** What clang folded to poison: see `trapPoison`. */
const undefinedOperation = plain((thread, call) =>
  thread.fail(
    'undefined-behaviour',
    'an operation on constants that C leaves undefined, such as a shift by as many bits as the value has, or more (clang warns of it)',
    call,
  ),
);

/** A loop around a compare-exchange could go round for ever, so it fails once in this way for each thread and place. */
const failsSpuriously = steps({ effect: 'harmless' }, function* (thread, call) {
  const done = noteOf(thread, 'spurious failures', () => new Set<CallSite>());
  if (done.has(call)) {
    thread.noteLimit('a weak compare-exchange fails for no reason once at most, in each thread and place');
    return 0;
  }
  const fails = yield* thread.choose(2, call);
  if (fails === 1) done.add(call);
  return fails;
});

/** NaN wins, and -0 is below 0: as JavaScript has it. */
const minimum = (x: number, y: number): number => Math.min(x, y);
const maximum = (x: number, y: number): number => Math.max(x, y);

/** Its first argument. */
const giving = (facts: Facts): LibraryFunction => plain(facts, (_thread, _call, value: CValue) => value);

type Make = (name: string) => LibraryFunction;

/** By the name without its types; where several fit, the longest one counts. */
const intrinsics: Readonly<Record<string, Make>> = {
  'heddle.undefined': () => undefinedOperation,
  'heddle.assembly': (name) =>
    plain((thread, call) =>
      thread.refuse(`inline assembly is not supported: ${name.slice(REFUSED_ASSEMBLY.length)}`, call),
    ),
  'heddle.fails.spuriously': () => failsSpuriously,
  'heddle.failed.spuriously': () => gives(undefined),
  memcpy: () => copy,
  'memcpy.inline': () => copy,
  memmove: () => copy,
  memset: () => fill,
  'memset.inline': () => fill,

  'lifetime.start': () => gives(undefined, lifetime),
  'lifetime.end': () => gives(undefined, lifetime),
  'invariant.start': () => gives(0, uses),
  'invariant.end': () => gives(undefined, uses),
  'experimental.noalias.scope.decl': () => gives(undefined),
  donothing: () => gives(undefined, { effect: 'harmless' }),
  'dbg.declare': () => gives(undefined, uses),
  'dbg.value': () => gives(undefined, uses),
  'dbg.label': () => gives(undefined, uses),
  sideeffect: () => gives(undefined),
  prefetch: () => gives(undefined, uses),
  'var.annotation': () => gives(undefined, keeps),
  assume: () =>
    plain({ captures: 'used', effect: 'harmless' }, (thread, call, condition: number) => {
      if (condition === 0) thread.fail('abort', 'what __builtin_assume promises does not hold', call);
      return undefined;
    }),
  expect: () => giving(computesAddress),
  'expect.with.probability': () => giving(computesAddress),
  'ssa.copy': () => giving(returnsFirst),
  annotation: () => giving(returnsFirst),
  'ptr.annotation': () => giving({ captures: { 0: 'returned', 1: 'used', 2: 'used', 4: 'used' } }),
  'launder.invariant.group': () => giving(returnsFirst),
  'strip.invariant.group': () => giving(returnsFirst),
  'arithmetic.fence': () => giving(returnsFirst),
  trap: () => trap,
  debugtrap: () => trap,
  ubsantrap: () => trap,
  'threadlocal.address': () => giving({ ...computesAddress, role: 'gives-argument' }),
  va_start: () =>
    steps({ captures: 'used', role: 'lists-arguments' }, (thread, call) =>
      thread.refuse('llvm.va_start outside of a function with a variable number of arguments', call),
    ),
  va_end: () => gives(undefined, uses),
  va_copy: () =>
    steps(uses, function* (thread, call, target: number, source: number) {
      yield* thread.store(target, POINTER, yield* thread.load(source, POINTER, call), call);
      return undefined;
    }),
  'is.constant': () => gives(0, { captures: 'used', effect: 'none' }),
  objectsize: (name) =>
    plain({ captures: 'used', effect: 'none' }, (_thread, _call, _pointer: number, isLeast: number) =>
      integer(isLeast === 0 ? -1n : 0n, bitsIn(name.replace(/\.p0$/, ''))),
    ),
  stacksave: () => gives(0, computes),
  stackrestore: () => gives(undefined, uses),
  returnaddress: refusal('__builtin_return_address'),
  frameaddress: refusal('__builtin_frame_address'),
  'eh.sjlj.setjmp': refusal('__builtin_setjmp'),
  'eh.sjlj.longjmp': refusal('__builtin_longjmp'),
  readcyclecounter: refusal('__builtin_readcyclecounter'),
  ptrmask: () => plain(computesAddress, (_thread, _call, pointer: number, mask: number) => pointer & mask),

  abs: (name) =>
    plain(computes, (_thread, _call, value: CValue) => {
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
  'is.fpclass': (name) =>
    plain(computes, (_thread, _call, x: number, mask: number) => (mask >> classOf(x, isFloat(name))) & 1),
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

const fill = steps(
  { captures: 'used', role: 'fills' },
  function* (thread, call, target: number, byte: number, count: number | bigint) {
    yield* thread.fill(target, byte & 0xff, sizeOfArgument(count), call);
    return undefined;
  },
);

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
