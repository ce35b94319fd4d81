/**
 * Numbers as text, as printf writes them: the decimal digits of the exact value, rounded to nearest with ties to even.
 * All functions take a finite number and write it without its sign.
 */
import { partsOf, roundedQuotient } from '../standard/float-exact.ts';

/** |x| is digits / 10^scale, exactly. */
function exactDecimal(x: number): { readonly digits: bigint; readonly scale: number } {
  const { mantissa, exponent } = partsOf(x);
  if (exponent >= 0) return { digits: mantissa << BigInt(exponent), scale: 0 };
  // m / 2^n = m · 5^n / 10^n
  return { digits: mantissa * 5n ** BigInt(-exponent), scale: -exponent };
}

/** digits / 10^places as an integer. */
function shifted(digits: bigint, places: number): bigint {
  return places <= 0 ? digits * 10n ** BigInt(-places) : roundedQuotient(digits, 10n ** BigInt(places));
}

/** `%.{precision}f`; `isDotted`: with a point even if nothing follows it. */
export function fixed(x: number, precision: number, isDotted: boolean): string {
  const { digits, scale } = exactDecimal(x);
  const text = shifted(digits, scale - precision)
    .toString()
    .padStart(precision + 1, '0');
  const whole = text.slice(0, text.length - precision);
  return withPoint(whole, text.slice(text.length - precision), isDotted);
}

/** Rounded to 1 + precision digits: the digits, and the exponent of the first one. */
function scientific(x: number, precision: number): { readonly text: string; readonly exponent: number } {
  const { digits, scale } = exactDecimal(x);
  if (digits === 0n) return { text: '0'.repeat(precision + 1), exponent: 0 };
  const length = digits.toString().length;
  const text = shifted(digits, length - 1 - precision).toString();
  const isCarried = text.length > precision + 1; // 9.99… became 10.0…
  return { text: text.slice(0, precision + 1), exponent: length - 1 - scale + (isCarried ? 1 : 0) };
}

/** `%.{precision}e` */
export function exponential(x: number, precision: number, isDotted: boolean): string {
  const { text, exponent } = scientific(x, precision);
  return withPoint(text.slice(0, 1), text.slice(1), isDotted) + exponentText('e', exponent, 2);
}

/** `%.{precision}g`; `isDotted`: nothing is left out at the end. */
export function general(x: number, precision: number, isDotted: boolean): string {
  const significant = Math.max(precision, 1);
  const { text, exponent } = scientific(x, significant - 1);
  const isFixed = exponent >= -4 && exponent < significant;
  if (!isFixed) {
    const rest = text.slice(1);
    return withPoint(text.slice(0, 1), isDotted ? rest : trimmed(rest), isDotted) + exponentText('e', exponent, 2);
  }
  const whole = exponent < 0 ? '0' : text.slice(0, exponent + 1);
  const rest = exponent < 0 ? '0'.repeat(-exponent - 1) + text : text.slice(exponent + 1);
  return withPoint(whole, isDotted ? rest : trimmed(rest), isDotted);
}

/** `%a`: normalised, with as many digits as it takes, or rounded to `precision` digits. */
export function hexadecimal(x: number, precision: number | undefined, isDotted: boolean): string {
  const { mantissa, exponent } = partsOf(x);
  const length = mantissa.toString(2).length;
  const aligned = mantissa << BigInt(53 - length); // the first bit is before the point
  const places = precision ?? 13;
  const rounded = places < 13 ? roundedQuotient(aligned, 1n << BigInt(4 * (13 - places))) : aligned;
  const text = rounded.toString(16).padEnd(places + 1, '0');
  const rest = precision === undefined ? trimmed(text.slice(1)) : text.slice(1);
  const power = mantissa === 0n ? 0 : exponent + length - 1;
  return `0x${withPoint(text.slice(0, 1), rest, isDotted)}${exponentText('p', power, 1)}`;
}

const trimmed = (digits: string): string => digits.replace(/0+$/, '');

function withPoint(whole: string, rest: string, isDotted: boolean): string {
  return rest === '' && !isDotted ? whole : `${whole}.${rest}`;
}

function exponentText(letter: string, exponent: number, digits: number): string {
  return `${letter}${exponent < 0 ? '-' : '+'}${Math.abs(exponent).toString().padStart(digits, '0')}`;
}
