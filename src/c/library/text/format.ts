/** printf's format strings. What is left open by C is as in the WASI C library. */
import type { CallSite, CThread, CValue, Run } from '../../runtime.ts';
import { bytesOf, DOUBLE, I32, I64, latin1, POINTER } from '../define.ts';
import { exponential, fixed, general, hexadecimal } from './decimal.ts';

/** Where a conversion gets its arguments from. */
export interface Arguments {
  integer(bits: 32 | 64): Run<bigint>;
  double(): Run<number>;
  pointer(): Run<number>;
}

/** The arguments of a variadic call itself. */
export class CallArguments implements Arguments {
  readonly #thread: CThread;
  readonly #call: CallSite;
  readonly #values: readonly CValue[];
  #next = 0;

  constructor(thread: CThread, call: CallSite, values: readonly CValue[]) {
    this.#thread = thread;
    this.#call = call;
    this.#values = values;
  }

  #take(): number | bigint {
    const at = this.#next++;
    if (at >= this.#values.length) {
      this.#thread.fail('uninitialised-read', 'the format asks for more arguments than there are', this.#call);
    }
    const value = this.#values[at];
    if (typeof value === 'number' || typeof value === 'bigint') return value;
    return this.#thread.fail(
      'uninitialised-read',
      `the value of argument ${at + 1} after the format was never set`,
      this.#call,
    );
  }

  *integer(): Run<bigint> {
    const value = this.#take();
    if (Number.isInteger(value) || typeof value === 'bigint') return BigInt(value);
    return this.#wrong();
  }

  *double(): Run<number> {
    const value = this.#take();
    return typeof value === 'number' ? value : this.#wrong();
  }

  *pointer(): Run<number> {
    const value = this.#take();
    return typeof value === 'number' ? value : this.#wrong();
  }

  #wrong(): never {
    return this.#thread.fail(
      'abort',
      `argument ${this.#next} after the format is not of the type that it asks for`,
      this.#call,
    );
  }
}

/** The arguments behind a va_list: in memory one after the other, in words, those of 8 bytes at multiples of 8. */
export class ListArguments implements Arguments {
  readonly #thread: CThread;
  readonly #call: CallSite;
  #address: number;

  constructor(thread: CThread, call: CallSite, list: number) {
    this.#thread = thread;
    this.#call = call;
    this.#address = list;
  }

  #place(size: number): number {
    const at = size === 8 ? (this.#address + 7) & ~7 : this.#address;
    this.#address = at + size;
    return at;
  }

  *integer(bits: 32 | 64): Run<bigint> {
    const type = bits === 32 ? I32 : I64;
    return BigInt((yield* this.#thread.load(this.#place(bits / 8), type, this.#call)) as number | bigint);
  }

  *double(): Run<number> {
    return (yield* this.#thread.load(this.#place(8), DOUBLE, this.#call)) as number;
  }

  *pointer(): Run<number> {
    return (yield* this.#thread.load(this.#place(4), POINTER, this.#call)) as number;
  }
}

interface Conversion {
  readonly isLeft: boolean;
  readonly isZeroPadded: boolean;
  readonly isAlternative: boolean;
  /** Before numbers that are not negative. */
  readonly plus: '' | ' ' | '+';
  readonly width: number;
  readonly precision: number | undefined;
  readonly letter: string;
}

const pattern = /^([-+ #0']*)(\*|\d*)(?:\.(\*|\d*))?(hh|h|ll|l|j|z|t|L)?(.)?/s;
const bitsOfLength: Readonly<Record<string, number>> = { hh: 8, h: 16, ll: 64, j: 64 };

/** The bytes that a format and its arguments give. */
export function* format(thread: CThread, call: CallSite, pointer: number, args: Arguments): Run<Uint8Array> {
  const text = latin1(yield* thread.readString(pointer, call));
  let result = '';
  for (let at = 0; ; ) {
    const percent = text.indexOf('%', at);
    if (percent === -1) return bytesOf(result + text.slice(at));
    result += text.slice(at, percent);
    const [all, flags, width, precision, length, letter] = pattern.exec(text.slice(percent + 1))!;
    at = percent + 1 + all.length;
    const specification = text.slice(percent, at);
    if (/^\d+\$/.test(text.slice(percent + 1))) {
      thread.refuse(`arguments by number in the format of printf (${specification})`, call);
    }
    const givenWidth = width === '*' ? Number(yield* args.integer(32)) : Number(width);
    const givenPrecision =
      precision === '*' ? Number(yield* args.integer(32)) : precision === undefined ? -1 : Number(precision);
    const conversion: Conversion = {
      isLeft: flags!.includes('-') || givenWidth < 0,
      isZeroPadded: flags!.includes('0'),
      isAlternative: flags!.includes('#'),
      plus: flags!.includes('+') ? '+' : flags!.includes(' ') ? ' ' : '',
      width: Math.abs(givenWidth),
      precision: givenPrecision < 0 ? undefined : givenPrecision,
      letter: letter ?? '',
    };
    result += yield* convert(thread, call, conversion, length ?? '', specification, args);
  }
}

function* convert(
  thread: CThread,
  call: CallSite,
  conversion: Conversion,
  length: string,
  specification: string,
  args: Arguments,
): Run<string> {
  const { letter, precision } = conversion;
  const isWide = length === 'l' && (letter === 'c' || letter === 's');
  if (length === 'L' || isWide || letter === 'C' || letter === 'S') {
    thread.refuse(
      `${specification} in the format of printf: ${length === 'L' ? 'long double' : 'wide characters'}`,
      call,
    );
  }
  switch (letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X': {
      const bits = bitsOfLength[length] ?? 32;
      const value = yield* args.integer(bits === 64 ? 64 : 32);
      const isSigned = letter === 'd' || letter === 'i';
      return integerText(conversion, isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value));
    }
    case 'p': {
      const value = BigInt.asUintN(32, BigInt(yield* args.pointer()));
      return integerText(
        { ...conversion, letter: 'x', isAlternative: true, precision: Math.max(precision ?? 0, 8) },
        value,
      );
    }
    case 'c':
      return padded(conversion, '', String.fromCharCode(Number((yield* args.integer(32)) & 0xffn)), false);
    case 's': {
      const pointer = yield* args.pointer();
      const text =
        pointer === 0 ? '(null)'.slice(0, precision) : latin1(yield* thread.readString(pointer, call, precision));
      return padded(conversion, '', text, false);
    }
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return floatText(conversion, yield* args.double());
    case '%':
      return '%';
    default:
      return thread.refuse(`${specification} in the format of printf`, call);
  }
}

const radices: Readonly<Record<string, number>> = { o: 8, x: 16, X: 16 };

function integerText(conversion: Conversion, value: bigint): string {
  const { letter, precision, isAlternative, plus } = conversion;
  const isSigned = letter === 'd' || letter === 'i';
  const size = value < 0n ? -value : value;
  let digits = precision === 0 && value === 0n ? '' : size.toString(radices[letter] ?? 10);
  if (letter === 'X') digits = digits.toUpperCase();
  digits = digits.padStart(precision ?? 0, '0');
  if (letter === 'o' && isAlternative && !digits.startsWith('0')) digits = `0${digits}`;
  let prefix = '';
  if (isSigned) prefix = value < 0n ? '-' : plus;
  else if (isAlternative && value !== 0n && letter !== 'o' && letter !== 'u') prefix = `0${letter}`;
  return padded(conversion, prefix, digits, precision === undefined);
}

function floatText(conversion: Conversion, x: number): string {
  const { letter, precision, isAlternative, plus } = conversion;
  const lower = letter.toLowerCase();
  let prefix: string = x < 0 || Object.is(x, -0) ? '-' : plus;
  let text: string;
  if (!Number.isFinite(x)) text = Number.isNaN(x) ? 'nan' : 'inf';
  else if (lower === 'f') text = fixed(x, precision ?? 6, isAlternative);
  else if (lower === 'e') text = exponential(x, precision ?? 6, isAlternative);
  else if (lower === 'g') text = general(x, precision ?? 6, isAlternative);
  else {
    prefix += '0x';
    text = hexadecimal(x, precision, isAlternative).slice(2);
  }
  const result = padded(conversion, prefix, text, Number.isFinite(x));
  return letter === lower ? result : result.toUpperCase();
}

/** Zeros go between the prefix and the digits, spaces outside. */
function padded(conversion: Conversion, prefix: string, text: string, mayZeroPad: boolean): string {
  const { isLeft, isZeroPadded, width } = conversion;
  if (isLeft) return (prefix + text).padEnd(width);
  if (isZeroPadded && mayZeroPad) return prefix + text.padStart(width - prefix.length, '0');
  return (prefix + text).padStart(width);
}
