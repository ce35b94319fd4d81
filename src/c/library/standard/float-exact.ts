/** Floating-point numbers taken apart and put together exactly. */

export interface Parts {
  readonly isNegative: boolean;
  /** The value is mantissa times 2 to the exponent. */
  readonly mantissa: bigint;
  readonly exponent: number;
}

const view = new DataView(new ArrayBuffer(8));

/** Of a finite number. */
export function partsOf(x: number): Parts {
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  return {
    isNegative: bits >> 63n === 1n,
    mantissa: biased === 0 ? fraction : fraction | (1n << 52n),
    exponent: Math.max(biased, 1) - 1075,
  };
}

export interface FloatFormat {
  /** Bits of the mantissa. */
  readonly precision: number;
  /** Of the last bit of the smallest number. */
  readonly leastExponent: number;
  /** Of the last bit of the greatest number. */
  readonly greatestExponent: number;
}

export const double: FloatFormat = { precision: 53, leastExponent: -1074, greatestExponent: 971 };
export const float: FloatFormat = { precision: 24, leastExponent: -149, greatestExponent: 104 };

const lengthOf = (n: bigint): number => n.toString(2).length;

/** n / d, both above 0, rounded to the nearest number of the format, ties to even. */
export function nearest(n: bigint, d: bigint, format: FloatFormat): number {
  const { precision, leastExponent, greatestExponent } = format;
  let exponent = Math.max(lengthOf(n) - lengthOf(d) - precision, leastExponent);
  let quotient = divideRounded(n, d, exponent);
  // the length of a quotient is known up to one bit only
  if (lengthOf(quotient) > precision) {
    exponent++;
    quotient = divideRounded(n, d, exponent);
  }
  if (lengthOf(quotient) > precision) {
    quotient >>= 1n; // rounded up to a power of two
    exponent++;
  }
  if (exponent > greatestExponent) return Number.POSITIVE_INFINITY;
  return Number(quotient) * 2 ** exponent;
}

/** n / (d · 2^exponent) as an integer, ties to even. */
function divideRounded(n: bigint, d: bigint, exponent: number): bigint {
  const shift = BigInt(Math.abs(exponent));
  return exponent >= 0 ? roundedQuotient(n, d << shift) : roundedQuotient(n << shift, d);
}

/** n / d as an integer, ties to even; n at least 0. */
export function roundedQuotient(n: bigint, d: bigint): bigint {
  const quotient = n / d;
  const twice = (n - quotient * d) * 2n;
  if (twice > d || (twice === d && (quotient & 1n) === 1n)) return quotient + 1n;
  return quotient;
}

/** a · b + c, rounded once. */
export function fusedMultiplyAdd(a: number, b: number, c: number, format: FloatFormat): number {
  const areFinite = Number.isFinite(a) && Number.isFinite(b);
  if (areFinite && !Number.isFinite(c)) return c;
  if (!areFinite) return a * b + c;
  const [x, y, z] = [partsOf(a), partsOf(b), partsOf(c)];
  const exponent = Math.min(x.exponent + y.exponent, z.exponent);
  const product = (x.mantissa * y.mantissa) << BigInt(x.exponent + y.exponent - exponent);
  const addend = z.mantissa << BigInt(z.exponent - exponent);
  const sum = (x.isNegative === y.isNegative ? product : -product) + (z.isNegative ? -addend : addend);
  if (sum === 0n) return a * b + c; // the sign of a zero
  const size = sum < 0n ? -sum : sum;
  const scale = 1n << BigInt(Math.abs(exponent));
  const rounded = exponent >= 0 ? nearest(size * scale, 1n, format) : nearest(size, scale, format);
  return sum < 0n ? -rounded : rounded;
}
