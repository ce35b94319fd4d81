/** Text to numbers: strtol, strtod and their kin. */
import type { CallSite, CThread, CValue, Run } from '../../runtime.ts';
import { integer, keeps, type Library, type LibraryFunction, latin1, POINTER, steps, uses } from '../define.ts';
import { EINVAL, ERANGE, setErrno } from '../standard/errno.ts';
import { double, type FloatFormat, float, nearest } from '../standard/float-exact.ts';

const SPACES = /^[ \t\n\v\f\r]*/;

interface Parsed<T> {
  readonly value: T;
  /** How many characters belong to the number; 0: there is none. */
  readonly length: number;
}

function digitOf(character: string): number {
  const digit = Number.parseInt(character, 36);
  return Number.isNaN(digit) ? 36 : digit;
}

/** An integer with an optional sign, in a base from 2 to 36, or 0: as its prefix says. */
export function parseInteger(text: string, base: number): Parsed<bigint> {
  const start = SPACES.exec(text)![0].length;
  const sign = /^[+-]/.exec(text.slice(start))?.[0] ?? '';
  let at = start + sign.length;
  const hasPrefix = (base === 0 || base === 16) && /^0x[0-9a-f]/i.test(text.slice(at));
  const radix = base !== 0 ? base : hasPrefix ? 16 : text[at] === '0' ? 8 : 10;
  if (hasPrefix) at += 2;
  const first = at;
  let value = 0n;
  for (; at < text.length && digitOf(text[at]!) < radix; at++)
    value = value * BigInt(radix) + BigInt(digitOf(text[at]!));
  return at === first ? { value: 0n, length: 0 } : { value: sign === '-' ? -value : value, length: at };
}

const NUMBER = /^[+-]?(?:(0x)([0-9a-f]*)(?:\.([0-9a-f]*))?(?:p([+-]?\d+))?|(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?)/i;
const SPECIAL = /^[+-]?(?:inf(?:inity)?|nan(?:\([0-9a-z_]*\))?)/i;

/** Beyond this, any number is 0 or infinite whatever its digits: exact arithmetic need not go there. */
const MOST_DIGITS = 5000;

/** A floating-point number, rounded once. `isOutOfRange`: it is too large, or too small to be told from 0. */
export function parseFloating(text: string, format: FloatFormat): Parsed<number> & { readonly isOutOfRange: boolean } {
  const start = SPACES.exec(text)![0].length;
  const rest = text.slice(start);
  const isNegative = rest.startsWith('-');
  const give = (size: number, length: number, isOutOfRange = false) => ({
    value: isNegative ? -size : size,
    length: start + length,
    isOutOfRange,
  });
  const special = SPECIAL.exec(rest)?.[0];
  if (special !== undefined) return give(/inf/i.test(special) ? Number.POSITIVE_INFINITY : Number.NaN, special.length);
  const [all, hexPrefix, hexWhole = '', hexRest = '', hexExponent = '0', whole = '', fraction = '', exponent = '0'] =
    NUMBER.exec(rest)!;
  const isHex = hexPrefix !== undefined && hexWhole + hexRest !== '';
  if (!isHex && hexPrefix !== undefined) return give(0, all.toLowerCase().indexOf('x')); // "0x" and no digit: it is 0
  if (!isHex && whole + fraction === '') return { value: 0, length: 0, isOutOfRange: false };
  const digits = isHex ? BigInt(`0x${hexWhole}${hexRest}`) : BigInt(whole + fraction);
  const power = isHex ? Number(hexExponent) - 4 * hexRest.length : Number(exponent) - fraction.length;
  if (digits === 0n) return give(0, all.length);
  const size = scaled(digits, isHex ? 2n : 10n, power, format);
  return give(size, all.length, size === 0 || size === Number.POSITIVE_INFINITY);
}

function scaled(digits: bigint, base: bigint, power: number, format: FloatFormat): number {
  const length = digits.toString(Number(base)).length;
  if (power + length > MOST_DIGITS) return Number.POSITIVE_INFINITY;
  if (power + length < -MOST_DIGITS) return 0;
  return power >= 0
    ? nearest(digits * base ** BigInt(power), 1n, format)
    : nearest(digits, base ** BigInt(-power), format);
}

function* readText(thread: CThread, pointer: number, call: CallSite): Run<string> {
  return latin1(yield* thread.readString(pointer, call));
}

function* storeEnd(thread: CThread, end: number, address: number, call: CallSite): Run<void> {
  if (end !== 0) yield* thread.store(end, POINTER, address, call);
}

function integerFunction(bits: number, isSigned: boolean): LibraryFunction {
  const values = 1n << BigInt(bits);
  const greatest = isSigned ? values / 2n - 1n : values - 1n;
  const least = isSigned ? -values / 2n : -greatest;
  return steps(keeps, function* (thread, call, pointer: number, end: number, base: number) {
    if (base < 0 || base === 1 || base > 36) {
      yield* setErrno(thread, EINVAL, call);
      return integer(0n, bits);
    }
    const { value, length } = parseInteger(yield* readText(thread, pointer, call), base);
    yield* storeEnd(thread, end, pointer + length, call);
    if (value >= least && value <= greatest) return integer(value, bits);
    yield* setErrno(thread, ERANGE, call);
    return integer(value < 0n && isSigned ? least : greatest, bits);
  });
}

function floatFunction(format: FloatFormat): LibraryFunction {
  return steps(keeps, function* (thread, call, pointer: number, end: number) {
    const parsed = parseFloating(yield* readText(thread, pointer, call), format);
    yield* storeEnd(thread, end, pointer + parsed.length, call);
    if (parsed.isOutOfRange) yield* setErrno(thread, ERANGE, call);
    return parsed.value;
  });
}

function simple(parse: (text: string) => CValue): LibraryFunction {
  return steps(uses, function* (thread, call, pointer: number) {
    return parse(yield* readText(thread, pointer, call));
  });
}

export const numbers: Library = {
  atoi: simple((text) => integer(parseInteger(text, 10).value, 32)),
  atol: simple((text) => integer(parseInteger(text, 10).value, 32)),
  atoll: simple((text) => integer(parseInteger(text, 10).value, 64)),
  atof: simple((text) => parseFloating(text, double).value),
  strtol: integerFunction(32, true),
  strtoul: integerFunction(32, false),
  strtoll: integerFunction(64, true),
  strtoull: integerFunction(64, false),
  strtoimax: integerFunction(64, true),
  strtoumax: integerFunction(64, false),
  strtod: floatFunction(double),
  strtof: floatFunction(float),
};
