/**
 * <math.h> on doubles, and on floats with an `f` behind the name. What IEEE 754 defines is exact; for the others JavaScript's
 * functions are as good as any C library's, whose last digit may differ.
 */
import type { CValue } from '../../runtime.ts';
import { DOUBLE, FLOAT, I32, integer, keeps, type Library, type LibraryFunction, plain, steps } from '../define.ts';
import { double, float, fusedMultiplyAdd, partsOf } from './float-exact.ts';

type Real = (...args: number[]) => number;

/** To the nearest integer, ties to even. */
export function rint(x: number): number {
  if (!Number.isFinite(x) || Math.abs(x) >= 2 ** 52) return x;
  const below = Math.floor(x);
  const rest = x - below;
  const rounded = rest > 0.5 || (rest === 0.5 && below % 2 !== 0) ? below + 1 : below;
  return rounded === 0 && (x < 0 || Object.is(x, -0)) ? -0 : rounded;
}

/** To the nearest integer, ties away from zero. */
export function round(x: number): number {
  if (!Number.isFinite(x) || Math.abs(x) >= 2 ** 52) return x;
  const size = Math.abs(x);
  const below = Math.floor(size);
  const rounded = size - below >= 0.5 ? below + 1 : below;
  return x < 0 || Object.is(x, -0) ? -rounded : rounded;
}

export function isNegative(x: number): boolean {
  return x < 0 || Object.is(x, -0);
}

export function copySign(size: number, sign: number): number {
  return isNegative(sign) ? -Math.abs(size) : Math.abs(size);
}

/** A number beside one that is not a number is the smaller and the greater one. */
export const leastNumber = (x: number, y: number): number =>
  Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.min(x, y);
export const greatestNumber = (x: number, y: number): number =>
  Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.max(x, y);

/** C says 1 where JavaScript says that it is not a number. */
export function power(x: number, y: number): number {
  if (x === 1 || (x === -1 && !Number.isFinite(y) && !Number.isNaN(y))) return 1;
  return x ** y;
}

/** x · 2^n, rounded once. */
function scale(x: number, n: number): number {
  if (x === 0 || !Number.isFinite(x)) return x;
  const { mantissa, exponent } = partsOf(x);
  const size = Number(mantissa);
  const target = exponent + Math.max(-5000, Math.min(5000, n));
  if (target >= 0)
    return copySign(
      target > 1100 ? Number.POSITIVE_INFINITY : size * 2 ** Math.min(target, 1000) * 2 ** Math.max(target - 1000, 0),
      x,
    );
  if (target >= -1074) return copySign(size * 2 ** target, x);
  // below the smallest number's last bit: fused, so that only one rounding happens
  const missing = -1074 - target;
  return copySign(missing > 60 ? 0 : rint(size / 2 ** missing) * 2 ** -1074, x);
}

function fraction(x: number): { readonly part: number; readonly exponent: number } {
  if (x === 0 || !Number.isFinite(x)) return { part: x, exponent: 0 };
  const { mantissa, exponent } = partsOf(x);
  const length = mantissa.toString(2).length;
  return { part: copySign(Number(mantissa) / 2 ** length, x), exponent: exponent + length };
}

/** With the sign of the whole. */
function partAfterPoint(x: number): number {
  return copySign(Number.isFinite(x) ? x - Math.trunc(x) : Number.isNaN(x) ? x : 0, x);
}

/** The IEEE remainder: n is the integer nearest to x / y. */
function remainder(x: number, y: number): number {
  if (!Number.isFinite(x) || Number.isNaN(y) || y === 0) return Number.NaN;
  if (!Number.isFinite(y)) return x;
  const size = Math.abs(y);
  let rest = Math.abs(x) % size;
  // is the quotient that `rest` belongs to odd? decided by the rest of twice as much
  const isOdd = Math.abs(x) % (2 * size) >= size;
  const twice = rest * 2;
  if (twice > size || (twice === size && isOdd)) rest -= size;
  return rest === 0 ? copySign(0, x) : x < 0 ? -rest : rest;
}

export const real: Readonly<Record<string, Real>> = {
  acos: Math.acos,
  acosh: Math.acosh,
  asin: Math.asin,
  asinh: Math.asinh,
  atan: Math.atan,
  atan2: Math.atan2,
  atanh: Math.atanh,
  cbrt: Math.cbrt,
  ceil: Math.ceil,
  copysign: copySign as Real,
  cos: Math.cos,
  cosh: Math.cosh,
  exp: Math.exp,
  exp10: (x) => 10 ** x!,
  exp2: (x) => 2 ** x!,
  expm1: Math.expm1,
  fabs: Math.abs,
  fdim: (x, y) => (Number.isNaN(x) || Number.isNaN(y) ? Number.NaN : x! > y! ? x! - y! : 0),
  floor: Math.floor,
  fmax: greatestNumber as Real,
  fmin: leastNumber as Real,
  fmod: (x, y) => x! % y!,
  hypot: (x, y) => Math.hypot(x!, y!),
  log: Math.log,
  log10: Math.log10,
  log1p: Math.log1p,
  log2: Math.log2,
  logb: (x) => (x === 0 ? Number.NEGATIVE_INFINITY : Number.isFinite(x) ? fraction(x!).exponent - 1 : Math.abs(x!)),
  nearbyint: rint,
  pow: power as Real,
  remainder: remainder as Real,
  rint,
  round,
  roundeven: rint,
  sin: Math.sin,
  sinh: Math.sinh,
  sqrt: Math.sqrt,
  tan: Math.tan,
  tanh: Math.tanh,
  trunc: Math.trunc,
};

const toInteger = { lrint: [rint, 32], llrint: [rint, 64], lround: [round, 32], llround: [round, 64] } as const;

/** A number as an integer; where it does not fit, C leaves the result open: the nearest that does. */
export function asInteger(x: number, bits: number): number | bigint {
  const greatest = 2n ** BigInt(bits - 1) - 1n;
  if (Number.isNaN(x)) return integer(0n, bits);
  if (x >= 2 ** (bits - 1)) return integer(greatest, bits);
  if (x < -(2 ** (bits - 1))) return integer(-greatest - 1n, bits);
  return integer(BigInt(x), bits);
}

function functions(): Library {
  const all: Record<string, LibraryFunction> = {};
  const define = (name: string, arity: number, compute: Real): void => {
    // a parameter list of the right length, so that arguments are counted
    const wrap = (f: Real): LibraryFunction =>
      arity === 1
        ? plain((_thread, _call, x: number) => f(x))
        : plain((_thread, _call, x: number, y: number) => f(x, y));
    all[name] = wrap(compute);
    all[`${name}f`] = wrap((...args) => Math.fround(compute(...args)));
  };
  for (const [name, compute] of Object.entries(real)) define(name, compute.length === 1 ? 1 : 2, compute);
  for (const name of ['ldexp', 'scalbn', 'scalbln']) define(name, 2, scale as Real);
  for (const [name, [rounded, bits]] of Object.entries(toInteger)) {
    const compute = plain((_thread, _call, x: number): CValue => asInteger(rounded(x), bits));
    all[name] = compute;
    all[`${name}f`] = compute;
  }
  return all;
}

export const math: Library = {
  ...functions(),
  fma: plain((_thread, _call, x: number, y: number, z: number) => fusedMultiplyAdd(x, y, z, double)),
  fmaf: plain((_thread, _call, x: number, y: number, z: number) => fusedMultiplyAdd(x, y, z, float)),
  ilogb: plain((_thread, _call, x: number) =>
    x === 0 || !Number.isFinite(x) ? (Number.isNaN(x) || x === 0 ? -0x80000000 : 0x7fffffff) : fraction(x).exponent - 1,
  ),
  frexp: steps({ captures: { 1: 'used' } }, function* (thread, call, x: number, result: number) {
    const { part, exponent } = fraction(x);
    yield* thread.store(result, I32, exponent, call);
    return part;
  }),
  frexpf: steps({ captures: { 1: 'used' } }, function* (thread, call, x: number, result: number) {
    const { part, exponent } = fraction(x);
    yield* thread.store(result, I32, exponent, call);
    return part;
  }),
  modff: steps({ captures: { 1: 'used' } }, function* (thread, call, x: number, result: number) {
    yield* thread.store(result, FLOAT, Math.trunc(x), call);
    return partAfterPoint(x);
  }),
  modf: steps({ captures: { 1: 'used' } }, function* (thread, call, x: number, result: number) {
    yield* thread.store(result, DOUBLE, Math.trunc(x), call);
    return partAfterPoint(x);
  }),
  nan: plain(keeps, () => Number.NaN),
};
