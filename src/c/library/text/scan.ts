/** scanf's format strings: what the directives of one take from a text. */
import type { Type } from '../../ir/module.ts';
import type { CValue } from '../../runtime.ts';
import { bytesOf, DOUBLE, FLOAT, I8, I16, I32, I64, integer } from '../define.ts';
import { double, float } from '../standard/float-exact.ts';
import { parseFloating, parseInteger } from './numbers.ts';

/** A text of bytes, a character each, that is read from one end to the other. */
export class Reader {
  readonly text: string;
  at: number;
  /** Whether somebody wanted more than there is. */
  hasEnded: boolean;

  /** `state`: of an earlier reader of the same text. */
  constructor(text: string, state = 0) {
    this.text = text;
    this.at = Math.min(state, text.length);
    this.hasEnded = state > text.length;
  }

  /** How far it has come; beyond the text if it has ended. */
  get state(): number {
    return this.hasEnded ? this.text.length + 1 : this.at;
  }

  /** So many characters, or those that are left. */
  take(count: number): string {
    const taken = this.text.slice(this.at, this.at + count);
    if (taken.length < count) this.hasEnded = true;
    this.at += taken.length;
    return taken;
  }

  /** Up to the first of these characters and with it, but no more than so many. */
  takeThrough(last: string, most = Number.POSITIVE_INFINITY): string {
    const end = this.text.indexOf(last, this.at);
    const length = end < 0 ? Number.POSITIVE_INFINITY : end + 1 - this.at;
    return this.take(Math.min(length, most));
  }

  /** What the pattern matches here, of the next `most` characters. It is seen to end by what follows. */
  match(pattern: RegExp, most = Number.POSITIVE_INFINITY): string {
    const seen = this.text.slice(this.at, this.at + most);
    const matched = pattern.exec(seen)?.[0] ?? '';
    if (matched.length === seen.length && matched.length < most) this.hasEnded = true;
    this.at += matched.length;
    return matched;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }
}

/** What one argument gets. */
export type Assignment =
  | { readonly type: Type; readonly value: CValue }
  /** A string or characters, as they lie in memory. */
  | { readonly bytes: Uint8Array };

export interface Scanned {
  /** For each argument in turn. */
  readonly assignments: readonly Assignment[];
  /** What scanf returns. */
  readonly result: number;
}

const EOF = -1;
const SPACES = /^[ \t\n\v\f\r]*/;
const directive = /^%(\*?)(\d*)(hh|h|ll|l|j|z|t|L|q)?(\[\^?\]?[^\]]*\]|.)/s;
const integers: Readonly<Record<string, Type>> = { hh: I8, h: I16, ll: I64, q: I64, j: I64 };

/** The longest part that is the beginning of a number, and whether it is one, in the base (0: as its prefix says). */
const digits: Readonly<Record<string, { readonly pattern: RegExp; readonly base: number }>> = {
  d: { pattern: /^[+-]?\d*/, base: 10 },
  u: { pattern: /^[+-]?\d*/, base: 10 },
  o: { pattern: /^[+-]?[0-7]*/, base: 8 },
  x: { pattern: /^[+-]?(?:0[xX])?[\da-fA-F]*/, base: 16 },
  i: { pattern: /^[+-]?(?:0[xX][\da-fA-F]*|0[0-7]*|[1-9]\d*)?/, base: 0 },
};

/** `refuse`: for what is not modelled. */
export function scan(format: string, input: Reader, refuse: (what: string) => never): Scanned {
  const assignments: Assignment[] = [];
  const start = input.at;
  let converted = 0;
  let assigned = 0;
  const stop = (isInput: boolean): Scanned => ({
    assignments,
    result: isInput && converted === 0 ? EOF : assigned,
  });
  for (let rest = format; rest !== ''; ) {
    const [all, star = '', digitsOfWidth = '', length = '', conversion = ''] = directive.exec(rest) ?? [];
    if (all === undefined || conversion === '%') {
      const literal = all ?? rest[0]!;
      rest = rest.slice(literal.length);
      const isSpace = SPACES.exec(literal)![0] !== '';
      if (isSpace || all !== undefined) input.match(SPACES);
      if (isSpace) continue;
      if (input.isAtEnd) return stop(input.take(1) === '');
      if (input.text[input.at] !== literal[0]) return stop(false);
      input.at++;
      continue;
    }
    rest = rest.slice(all.length);
    if (conversion === 'n') {
      if (star === '') assignments.push({ type: integers[length] ?? I32, value: counted(input.at - start, length) });
      continue;
    }
    if (conversion !== 'c' && !conversion.startsWith('[')) input.match(SPACES);
    if (input.isAtEnd) return stop(input.take(1) === '');
    const most = digitsOfWidth === '' ? undefined : Number(digitsOfWidth);
    const found = convert(conversion, length, most, input, refuse);
    if (found === undefined) return stop(false);
    converted++;
    if (star !== '') continue;
    assigned++;
    assignments.push(found);
  }
  return { assignments, result: assigned };
}

function counted(count: number, length: string): CValue {
  return (integers[length] ?? I32) === I64 ? BigInt(count) : count;
}

/** Undefined: the input is something else. */
function convert(
  conversion: string,
  length: string,
  most: number | undefined,
  input: Reader,
  refuse: (what: string) => never,
): Assignment | undefined {
  if (conversion === 'c') {
    if (length !== '') refuse('wide characters are not modelled');
    const taken = input.take(most ?? 1);
    return taken.length < (most ?? 1) ? undefined : { bytes: bytesOf(taken) };
  }
  if (conversion === 's' || conversion.startsWith('[')) {
    if (length !== '') refuse('wide characters are not modelled');
    const text = input.match(conversion === 's' ? /^[^ \t\n\v\f\r]*/ : patternOf(conversion), most);
    return text === '' ? undefined : { bytes: bytesOf(`${text}\0`) };
  }
  if (/[eEfFgGaA]/.test(conversion)) return floating(length, most, input, refuse);
  const number = digits[conversion === 'X' || conversion === 'p' ? 'x' : conversion];
  if (number === undefined) return refuse(`the conversion %${conversion} is not modelled`);
  const text = input.match(number.pattern, most);
  const { value, length: used } = parseInteger(text, number.base);
  if (used === 0) return undefined;
  const type = conversion === 'p' ? I32 : (integers[length] ?? I32);
  return { type, value: integer(value, type.kind === 'int' ? type.bits : 32) };
}

function floating(
  length: string,
  most: number | undefined,
  input: Reader,
  refuse: (what: string) => never,
): Assignment | undefined {
  if (length === 'L') refuse('long double is not modelled');
  const [type, format] = length === 'l' ? [DOUBLE, double] : [FLOAT, float];
  const seen = input.text.slice(input.at, most === undefined ? undefined : input.at + most);
  const { value, length: used } = parseFloating(seen, format);
  if (used === 0) return undefined;
  input.take(used);
  if (input.isAtEnd && seen.length === used && used !== most) input.hasEnded = true;
  return { type, value };
}

/** Of a set in brackets. */
function patternOf(set: string): RegExp {
  const [, not = '', members = ''] = /^\[(\^?)(\]?[^\]]*)\]$/s.exec(set) ?? [];
  const escaped = members.replace(/[\\\]^]/g, '\\$&').replace(/^-|-$/g, '\\-');
  return new RegExp(`^[${not}${escaped}]*`, 's');
}
