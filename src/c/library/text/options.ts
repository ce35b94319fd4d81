/**
 * <getopt.h>: options are read in the order in which they stand, up to the first word that is none, as POSIX has it; words
 * change no places.
 */
import type { CallSite, CThread, Run } from '../../runtime.ts';
import { I32, keeps, type Library, latin1, POINTER, steps } from '../define.ts';
import { noteOf } from '../threads/sync.ts';

/** Variables that getopt shares with the program, and their first values. */
export const optionVariables = { optarg: 0, optind: 1, opterr: 1, optopt: 0, optreset: 0 } as const;

const END = -1;
const UNKNOWN = 63; // ?
const COLON = 58;

/** A program that does not mention one of the variables cannot tell where it is kept. */
function* valueNow(thread: CThread, name: keyof typeof optionVariables, call: CallSite): Run<number> {
  const address = thread.addressOf(name);
  if (address !== undefined) return (yield* thread.load(address, I32, call)) as number;
  return (thread.notes.get(name) ?? optionVariables[name]) as number;
}

function* set(thread: CThread, name: keyof typeof optionVariables, value: number, call: CallSite): Run<void> {
  const address = thread.addressOf(name);
  if (address === undefined) thread.notes.set(name, value);
  else yield* thread.store(address, I32, value, call);
}

interface Line {
  readonly count: number;
  readonly words: number;
  /** How the letters of options are declared: `ab:c`. */
  readonly letters: string;
}

/** How far into a word of several letters (`-abc`) the last call came; 0: at its start. */
interface Place {
  at: number;
}

function wordAt(thread: CThread, { words }: Line, index: number, call: CallSite): Run<number> {
  return thread.load(words + 4 * index, POINTER, call) as Run<number>;
}

function* textAt(thread: CThread, pointer: number, call: CallSite): Run<string> {
  return latin1(yield* thread.readString(pointer, call));
}

/** Tells of a wrong option, unless the program wants to do so itself. */
function* complain(thread: CThread, line: Line, message: string, option: number, call: CallSite): Run<number> {
  yield* set(thread, 'optopt', option, call);
  const isQuiet = line.letters.startsWith(':') || (yield* valueNow(thread, 'opterr', call)) === 0;
  if (!isQuiet) {
    const program = yield* textAt(thread, yield* wordAt(thread, line, 0, call), call);
    yield* thread.print(`${program}: ${message}\n`, call);
  }
  return UNKNOWN;
}

/** The argument of an option, which may be the rest of its word or the next one; what is answered if it is missing. */
function* argument(
  thread: CThread,
  line: Line,
  rest: number | undefined,
  index: number,
  option: number,
  call: CallSite,
): Run<number | undefined> {
  const isNext = rest === undefined;
  yield* set(thread, 'optind', index + (isNext ? 2 : 1), call);
  if (isNext && index + 1 >= line.count) {
    const message = `option requires an argument: ${String.fromCharCode(option)}`;
    yield* complain(thread, line, message, option, call);
    return line.letters.startsWith(':') ? COLON : UNKNOWN;
  }
  yield* set(thread, 'optarg', isNext ? yield* wordAt(thread, line, index + 1, call) : rest, call);
  return undefined;
}

function* nextLetter(thread: CThread, line: Line, place: Place, index: number, call: CallSite): Run<number> {
  const pointer = yield* wordAt(thread, line, index, call);
  const word = yield* textAt(thread, pointer, call);
  const at = place.at === 0 ? 1 : place.at;
  const letter = word[at] as string;
  const isLast = at + 1 >= word.length;
  place.at = isLast ? 0 : at + 1;
  const option = letter.charCodeAt(0);
  const found = letter === ':' ? -1 : line.letters.indexOf(letter);
  if (found === -1) {
    if (isLast) yield* set(thread, 'optind', index + 1, call);
    return yield* complain(thread, line, `unrecognized option: ${letter}`, option, call);
  }
  if (line.letters[found + 1] !== ':') {
    if (isLast) yield* set(thread, 'optind', index + 1, call);
    return option;
  }
  place.at = 0;
  if (line.letters[found + 2] === ':' && isLast) {
    yield* set(thread, 'optind', index + 1, call);
    yield* set(thread, 'optarg', 0, call);
    return option;
  }
  return (yield* argument(thread, line, isLast ? undefined : pointer + at + 1, index, option, call)) ?? option;
}

const NO_ARGUMENT = 0;
const REQUIRED_ARGUMENT = 1;
/** struct option: name, has_arg, flag, val. */
const OPTION_SIZE = 16;

/** Undefined: the word is no long option, so its letters count. */
function* longOption(
  thread: CThread,
  line: Line,
  options: number,
  indexOut: number,
  index: number,
  isLongOnly: boolean,
  call: CallSite,
): Run<number | undefined> {
  const pointer = yield* wordAt(thread, line, index, call);
  const word = yield* textAt(thread, pointer, call);
  const dashes = word.startsWith('--') ? 2 : 1;
  if (dashes === 1 && !isLongOnly) return undefined;
  const [name = ''] = word.slice(dashes).split('=');
  const matches: number[] = [];
  for (let i = 0; ; i++) {
    const known = (yield* thread.load(options + i * OPTION_SIZE, POINTER, call)) as number;
    if (known === 0) break;
    const text = yield* textAt(thread, known, call);
    if (text === name) {
      matches.splice(0, matches.length, i);
      break;
    }
    if (text.startsWith(name)) matches.push(i);
  }
  const [match] = matches;
  if (match === undefined || matches.length > 1) {
    if (dashes === 1 && line.letters.includes(word[1] ?? ' ')) return undefined;
    yield* set(thread, 'optind', index + 1, call);
    return yield* complain(thread, line, `unrecognized option: ${name}`, 0, call);
  }
  const at = options + match * OPTION_SIZE;
  const takes = (yield* thread.load(at + 4, I32, call)) as number;
  const flag = (yield* thread.load(at + 8, POINTER, call)) as number;
  const value = (yield* thread.load(at + 12, I32, call)) as number;
  const equals = word.indexOf('=');
  if (equals !== -1 && takes === NO_ARGUMENT) {
    yield* set(thread, 'optind', index + 1, call);
    return yield* complain(thread, line, `option does not take an argument: ${name}`, value, call);
  }
  yield* set(thread, 'optarg', 0, call);
  if (equals !== -1 || takes === REQUIRED_ARGUMENT) {
    const rest = equals === -1 ? undefined : pointer + equals + 1;
    const problem = yield* argument(thread, line, rest, index, value, call);
    if (problem !== undefined) return problem;
  } else yield* set(thread, 'optind', index + 1, call);
  if (indexOut !== 0) yield* thread.store(indexOut, I32, match, call);
  if (flag === 0) return value;
  yield* thread.store(flag, I32, value, call);
  return 0;
}

type Long = (index: number, line: Line) => Run<number | undefined>;

function* next(
  thread: CThread,
  call: CallSite,
  count: number,
  words: number,
  letters: number,
  long: Long | undefined,
): Run<number> {
  const place = noteOf<Place>(thread, 'getopt', () => ({ at: 0 }));
  const line: Line = { count, words, letters: (yield* textAt(thread, letters, call)).replace(/^[+-]/, '') };
  let index = yield* valueNow(thread, 'optind', call);
  if (index <= 0 || (yield* valueNow(thread, 'optreset', call)) !== 0) {
    [place.at, index] = [0, 1];
    yield* set(thread, 'optreset', 0, call);
    yield* set(thread, 'optind', 1, call);
  }
  if (index >= count) return END;
  if (place.at === 0) {
    const pointer = yield* wordAt(thread, line, index, call);
    if (pointer === 0) return END;
    const word = yield* textAt(thread, pointer, call);
    if (!word.startsWith('-') || word === '-') return END;
    if (word === '--') {
      yield* set(thread, 'optind', index + 1, call);
      return END;
    }
    const found = long === undefined ? undefined : yield* long(index, line);
    if (found !== undefined) return found;
  }
  return yield* nextLetter(thread, line, place, index, call);
}

const withLong = (isLongOnly: boolean) =>
  steps(keeps, (thread, call, count: number, words: number, letters: number, options: number, indexOut: number) =>
    next(thread, call, count, words, letters, (index, line) =>
      longOption(thread, line, options, indexOut, index, isLongOnly, call),
    ),
  );

export const options: Library = {
  getopt: steps(keeps, (thread, call, count: number, words: number, letters: number) =>
    next(thread, call, count, words, letters, undefined),
  ),
  getopt_long: withLong(false),
  getopt_long_only: withLong(true),
};
