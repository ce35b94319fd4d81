/** Character classes of the C locale. */
import { type Library, type LibraryFunction, plain } from '../define.ts';

const within = (c: number, from: string, to: string): boolean => c >= from.charCodeAt(0) && c <= to.charCodeAt(0);

const isDigit = (c: number): boolean => within(c, '0', '9');
const isLower = (c: number): boolean => within(c, 'a', 'z');
const isUpper = (c: number): boolean => within(c, 'A', 'Z');
const isAlpha = (c: number): boolean => isLower(c) || isUpper(c);
const isGraph = (c: number): boolean => c > 0x20 && c < 0x7f;

const classes: Readonly<Record<string, (c: number) => boolean>> = {
  isalnum: (c) => isAlpha(c) || isDigit(c),
  isalpha: isAlpha,
  isascii: (c) => c >= 0 && c < 0x80,
  isblank: (c) => c === 0x20 || c === 9,
  iscntrl: (c) => (c >= 0 && c < 0x20) || c === 0x7f,
  isdigit: isDigit,
  isgraph: isGraph,
  islower: isLower,
  isprint: (c) => c >= 0x20 && c < 0x7f,
  ispunct: (c) => isGraph(c) && !isAlpha(c) && !isDigit(c),
  isspace: (c) => c === 0x20 || (c >= 9 && c <= 13),
  isupper: isUpper,
  isxdigit: (c) => isDigit(c) || within(c, 'a', 'f') || within(c, 'A', 'F'),
};

const changes: Readonly<Record<string, (c: number) => number>> = {
  tolower: (c) => (isUpper(c) ? c + 32 : c),
  toupper: (c) => (isLower(c) ? c - 32 : c),
  toascii: (c) => c & 0x7f,
};

function functions(): Library {
  const all: Record<string, LibraryFunction> = {};
  for (const [name, holds] of Object.entries(classes)) {
    all[name] = plain((_thread, _call, character: number) => (holds(character) ? 1 : 0));
  }
  for (const [name, change] of Object.entries(changes)) {
    all[name] = plain((_thread, _call, character: number) => change(character));
  }
  return all;
}

export const ctype: Library = functions();
