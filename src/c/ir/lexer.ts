/**
 * Tokens of LLVM's textual IR. The lexer reads on demand and may be set back, so that metadata, which stands at the end
 * of a file, can be read before the functions that refer to it.
 */
import { InputError } from '../../program/input-error.ts';
import type { SourcePosition } from '../../program/operation.ts';

export type TokenKind =
  /** A keyword, type, or other bare word. */
  | 'word'
  /** `name:`, which begins a block or is a field of metadata. */
  | 'label'
  /** `%name` */
  | 'local'
  /** `@name` */
  | 'global'
  /** `!12`, `!name`; or `!` alone, before a tuple or a string. */
  | 'metadata'
  /** `#0`, `#dbg_declare` */
  | 'hash'
  /** `$name` */
  | 'comdat'
  /** `^0` */
  | 'summary'
  | 'string'
  /** `c"…"` */
  | 'bytes'
  | 'integer'
  | 'float'
  | 'punctuation'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** Without sigil and quotes, escapes not yet resolved in `string` and `bytes`; for the rest, resolved. */
  readonly text: string;
  readonly offset: number;
}

const name = /[-a-zA-Z$._][-a-zA-Z$._0-9]*|[0-9]+|"[^"]*"/y;
const metadataName = /[0-9]+|[-a-zA-Z$._\\][-a-zA-Z$._0-9\\]*/y;
const hashName = /[0-9]+|[a-z_]+/y;
const digits = /[0-9]+/y;
const string = /"[^"]*"/y;
const labelName = /[-a-zA-Z$._0-9]+/y;
const float = /[-+]?[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?|0x[KLMHR]?[0-9a-fA-F]+/y;
const integer = /-?[0-9]+|[us]0x[0-9a-fA-F]+/y;
const word = /[a-zA-Z_][-a-zA-Z0-9_.]*/y;

/** What the tokens that begin with a sign are. */
const sigils: Readonly<Record<string, readonly [TokenKind, RegExp]>> = {
  '%': ['local', name],
  '@': ['global', name],
  $: ['comdat', name],
  '!': ['metadata', metadataName],
  '#': ['hash', hashName],
  '^': ['summary', digits],
};

export class Lexer {
  readonly text: string;
  /** The file's name, for messages. */
  readonly name: string;
  #offset = 0;
  #token: Token;

  constructor(text: string, name: string) {
    this.text = text;
    this.name = name;
    this.#token = this.#read();
  }

  /** The token that is read next. */
  get token(): Token {
    return this.#token;
  }

  next(): Token {
    const token = this.#token;
    this.#token = this.#read();
    return token;
  }

  /** Goes on reading at an offset, where a token begins. */
  moveTo(offset: number): void {
    this.#offset = offset;
    this.#token = this.#read();
  }

  is(text: string): boolean {
    const { kind } = this.#token;
    return (kind === 'punctuation' || kind === 'word') && this.#token.text === text;
  }

  accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.next();
    return true;
  }

  expect(text: string): void {
    if (!this.accept(text)) this.failToken(`‘${text}’`);
  }

  expectKind(kind: TokenKind, what: string): Token {
    if (this.#token.kind !== kind) this.failToken(what);
    return this.next();
  }

  /** A non-negative integer that is small enough to count with. */
  expectCount(what: string): number {
    const token = this.expectKind('integer', what);
    const value = Number(token.text);
    if (!Number.isSafeInteger(value) || value < 0) this.fail(`${token.text} is not ${what}`, token.offset);
    return value;
  }

  /** Skips `(…)`, `[…]`, `{…}` or `<…>` with all that is in it. */
  skipBalanced(): void {
    let depth = 0;
    do {
      const { kind, text, offset } = this.next();
      if (kind === 'end') this.fail('the file ends inside brackets', offset);
      if (kind !== 'punctuation') continue;
      if (text === '(' || text === '[' || text === '{' || text === '<') depth++;
      else if (text === ')' || text === ']' || text === '}' || text === '>') depth--;
    } while (depth > 0);
  }

  failToken(expected: string): never {
    const { kind, text, offset } = this.#token;
    const sigil =
      { local: '%', global: '@', metadata: '!', hash: '#', comdat: '$', summary: '^' }[kind as string] ?? '';
    this.fail(`expected ${expected}, found ${kind === 'end' ? 'the end of the file' : `‘${sigil}${text}’`}`, offset);
  }

  fail(message: string, offset: number = this.#token.offset): never {
    throw new InputError(message, this.positionOf(offset));
  }

  positionOf(offset: number): SourcePosition {
    const before = this.text.lastIndexOf('\n', offset - 1);
    let line = 1;
    for (let i = this.text.indexOf('\n'); i !== -1 && i < offset; i = this.text.indexOf('\n', i + 1)) line++;
    return { file: this.name, line, column: offset - before };
  }

  #read(): Token {
    const start = this.#skipBlank();
    const first = this.text[start];
    if (first === undefined) return this.#make('end', start, start);
    if ('()[]{}<>,=*|:'.includes(first)) return this.#make('punctuation', start, start + 1);
    // A label is tried before all else, because it may begin like a word, a number or a string.
    const labelEnd = this.#match(first === '"' ? string : labelName, start);
    if (labelEnd !== -1 && this.text[labelEnd] === ':') return this.#make('label', start, labelEnd + 1);
    if (first === '"') return labelEnd === -1 ? this.#refuseCharacter(start) : this.#make('string', start, labelEnd);
    const sigil = sigils[first];
    if (sigil !== undefined) {
      const [kind, rest] = sigil;
      const end = this.#match(rest, start + 1);
      if (end === -1 && kind !== 'metadata') this.#refuseCharacter(start);
      return this.#make(kind, start, end === -1 ? start + 1 : end);
    }
    if (first === 'c' && this.text[start + 1] === '"') {
      const end = this.#match(string, start + 1);
      if (end !== -1) return this.#make('bytes', start, end);
    }
    let end = this.#match(float, start);
    if (end !== -1) return this.#make('float', start, end);
    end = this.#match(integer, start);
    if (end !== -1) return this.#make('integer', start, end);
    end = this.#match(word, start);
    if (end !== -1) return this.#make('word', start, end);
    if (this.text.startsWith('...', start)) return this.#make('punctuation', start, start + 3);
    this.#refuseCharacter(start);
  }

  /** The end of what a pattern matches at an offset; -1 if it does not. */
  #match(pattern: RegExp, offset: number): number {
    pattern.lastIndex = offset;
    return pattern.test(this.text) ? pattern.lastIndex : -1;
  }

  #make(kind: TokenKind, offset: number, end: number): Token {
    this.#offset = end;
    return { kind, text: plainText(kind, this.text.slice(offset, end)), offset };
  }

  #skipBlank(): number {
    let offset = this.#offset;
    for (;;) {
      const code = this.text.charCodeAt(offset);
      if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) {
        offset++;
      } else if (code === 0x3b /* ; */) {
        const end = this.text.indexOf('\n', offset);
        offset = end === -1 ? this.text.length : end;
      } else {
        return offset;
      }
    }
  }

  #refuseCharacter(offset: number): never {
    const found = this.text.codePointAt(offset) ?? 0;
    const shown = found > 0x20 && found !== 0x7f ? `‘${String.fromCodePoint(found)}’` : `character ${found}`;
    this.fail(`unexpected ${shown}`, offset);
  }
}

function plainText(kind: TokenKind, raw: string): string {
  switch (kind) {
    case 'local':
    case 'global':
    case 'comdat':
      return raw[1] === '"' ? unescapeText(raw.slice(2, -1)) : raw.slice(1);
    case 'label':
      return raw[0] === '"' ? unescapeText(raw.slice(1, -2)) : raw.slice(0, -1);
    case 'metadata':
    case 'hash':
    case 'summary':
      return raw.slice(1);
    case 'string':
      return raw.slice(1, -1);
    case 'bytes':
      return raw.slice(2, -1);
    default:
      return raw;
  }
}

/** The bytes that the inside of a string stands for: `\\` is a backslash, `\0A` a byte in hexadecimal. */
export function unescapeBytes(text: string): Uint8Array {
  const source = Buffer.from(text, 'utf8');
  const bytes = new Uint8Array(source.length);
  let length = 0;
  for (let i = 0; i < source.length; i++) {
    const byte = source[i] as number;
    const hex = byte === 0x5c ? source.toString('latin1', i + 1, i + 3) : '';
    if (/^[0-9a-fA-F]{2}$/.test(hex)) {
      bytes[length++] = Number.parseInt(hex, 16);
      i += 2;
    } else {
      bytes[length++] = byte;
      if (hex[0] === '\\') i++;
    }
  }
  return bytes.slice(0, length);
}

export function unescapeText(text: string): string {
  return text.includes('\\') ? Buffer.from(unescapeBytes(text)).toString('utf8') : text;
}

/** The inverse of `unescapeBytes`: plain ASCII. */
export function escapeBytes(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) {
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
    text += isPlain ? String.fromCharCode(byte) : `\\${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return text;
}

export function escapeText(text: string): string {
  return escapeBytes(Buffer.from(text, 'utf8'));
}
