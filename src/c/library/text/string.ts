/** <string.h> and <strings.h>. */
import type { CallSite, CThread, Run } from '../../runtime.ts';
import {
  bytesOf,
  I8,
  keeps,
  type Library,
  type LibraryFunction,
  latin1,
  POINTER,
  plain,
  sizeOfArgument,
  steps,
  uses,
} from '../define.ts';
import type { Facts } from '../facts.ts';
import { EINVAL, EOVERFLOW, ERANGE, errorMessage } from '../standard/errno.ts';

const NULL = 0;

/** Copies to the first argument and returns a place in it, or finds one there. */
const returnsFirst: Facts = { captures: { 0: 'returned', 1: 'used' } };

const copy = steps(returnsFirst, function* (thread, call, target: number, source: number, count: number) {
  yield* thread.copy(target, source, sizeOfArgument(count), call);
  return target;
});

function order(a: Uint8Array, b: Uint8Array): number {
  const common = Math.min(a.length, b.length);
  for (let i = 0; i < common; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return (a[common] ?? 0) - (b[common] ?? 0);
}

const lowerCase = (bytes: Uint8Array): Uint8Array => bytes.map((b) => (b >= 65 && b <= 90 ? b + 32 : b));

/** Strings up to the terminating 0 or `most` bytes. */
function comparison(change: (bytes: Uint8Array) => Uint8Array) {
  return function* (thread: CThread, call: CallSite, a: number, b: number, most?: number): Run<number> {
    const left = yield* thread.readString(a, call, most);
    const right = yield* thread.readString(b, call, most);
    return order(change(left), change(right));
  };
}

const compare = comparison((bytes) => bytes);
const compareIgnoringCase = comparison(lowerCase);

function* readText(thread: CThread, pointer: number, call: CallSite): Run<string> {
  return latin1(yield* thread.readString(pointer, call));
}

function* writeString(thread: CThread, target: number, text: Uint8Array, call: CallSite): Run<void> {
  yield* thread.writeBytes(target, Uint8Array.of(...text, 0), call);
}

function* duplicate(thread: CThread, text: Uint8Array, call: CallSite): Run<number> {
  const target = yield* thread.allocate(text.length + 1, false, call);
  yield* writeString(thread, target, text, call);
  return target;
}

function* byteAt(thread: CThread, pointer: number, call: CallSite): Run<number> {
  return ((yield* thread.load(pointer, I8, call)) as number) & 0xff;
}

/** How many bytes at the start are (or are not) in `set`. */
function span(text: Uint8Array, set: Uint8Array, isIn: boolean): number {
  const end = text.findIndex((byte) => set.includes(byte) !== isIn);
  return end === -1 ? text.length : end;
}

/** The next part of a string that is cut at any of the delimiters: where it starts (NULL: none), and where to go on. */
function* nextToken(
  thread: CThread,
  from: number,
  delimiters: number,
  call: CallSite,
): Run<{ readonly token: number; readonly rest: number }> {
  if (from === NULL) return { token: NULL, rest: NULL };
  const set = yield* thread.readString(delimiters, call);
  const text = yield* thread.readString(from, call);
  const start = span(text, set, true);
  if (start === text.length) return { token: NULL, rest: NULL };
  const end = start + span(text.subarray(start), set, false);
  if (end === text.length) return { token: from + start, rest: NULL };
  yield* thread.store(from + end, I8, 0, call);
  return { token: from + start, rest: from + end + 1 };
}

const index = steps(returnsFirst, function* (thread, call, string: number, character: number) {
  const byte = character & 0xff;
  const text = yield* thread.readString(string, call);
  if (byte === 0) return string + text.length;
  const at = text.indexOf(byte);
  return at === -1 ? NULL : string + at;
});

const lastIndex = steps(returnsFirst, function* (thread, call, string: number, character: number) {
  const byte = character & 0xff;
  const text = yield* thread.readString(string, call);
  if (byte === 0) return string + text.length;
  const at = text.lastIndexOf(byte);
  return at === -1 ? NULL : string + at;
});

const zero = steps(uses, function* (thread, call, target: number, count: number) {
  yield* thread.fill(target, 0, sizeOfArgument(count), call);
  return undefined;
});

const compareBytes = steps(uses, function* (thread, call, a: number, b: number, count: number) {
  const left = yield* thread.readBytes(a, sizeOfArgument(count), call);
  return order(left, yield* thread.readBytes(b, sizeOfArgument(count), call));
});

/** The number of the lowest bit that is set, from 1 on; 0 if there is none. */
function firstSet(bits: number): LibraryFunction {
  return plain({ effect: 'harmless' }, (_thread, _call, value: number | bigint) => {
    for (let i = 0; i < bits; i++) if ((BigInt(value) >> BigInt(i)) & 1n) return i + 1;
    return 0;
  });
}

/** Annex K of C11: the size of the target comes second, and what does not fit is an error that changes little. */
function bounded(run: (thread: CThread, call: CallSite, target: number, source: number, count: number) => Run<void>) {
  return steps(uses, function* (thread, call, target: number, room: number, source: number, count: number) {
    if (target === NULL) return EINVAL;
    const fits = source !== NULL && sizeOfArgument(count) <= sizeOfArgument(room);
    if (fits) yield* run(thread, call, target, source, sizeOfArgument(count));
    else yield* thread.fill(target, 0, sizeOfArgument(room), call);
    return fits ? 0 : source === NULL ? EINVAL : ERANGE;
  });
}

const boundedCopy = bounded((thread, call, target, source, count) => thread.copy(target, source, count, call));

export const string: Library = {
  memcpy_s: boundedCopy,
  memmove_s: boundedCopy,
  memset_s: steps(uses, function* (thread, call, target: number, room: number, byte: number, count: number) {
    if (target === NULL) return EINVAL;
    const fits = sizeOfArgument(count) <= sizeOfArgument(room);
    yield* thread.fill(target, byte & 0xff, fits ? sizeOfArgument(count) : sizeOfArgument(room), call);
    return fits ? 0 : EOVERFLOW;
  }),

  memcpy: copy,
  memmove: copy,
  mempcpy: steps(returnsFirst, function* (thread, call, target: number, source: number, count: number) {
    yield* thread.copy(target, source, sizeOfArgument(count), call);
    return (target + count) | 0;
  }),
  memset: steps(returnsFirst, function* (thread, call, target: number, byte: number, count: number) {
    yield* thread.fill(target, byte & 0xff, sizeOfArgument(count), call);
    return target;
  }),
  memcmp: compareBytes,
  bcmp: compareBytes,
  memchr: steps(returnsFirst, function* (thread, call, pointer: number, character: number, count: number) {
    const size = sizeOfArgument(count);
    for (let i = 0; i < size; i++)
      if ((yield* byteAt(thread, pointer + i, call)) === (character & 0xff)) return pointer + i;
    return NULL;
  }),
  memrchr: steps(returnsFirst, function* (thread, call, pointer: number, character: number, count: number) {
    for (let i = sizeOfArgument(count) - 1; i >= 0; i--) {
      if ((yield* byteAt(thread, pointer + i, call)) === (character & 0xff)) return pointer + i;
    }
    return NULL;
  }),
  memmem: steps(keeps, function* (thread, call, where: number, size: number, what: number, length: number) {
    const text = latin1(yield* thread.readBytes(where, sizeOfArgument(size), call));
    const at = text.indexOf(latin1(yield* thread.readBytes(what, sizeOfArgument(length), call)));
    return at === -1 ? NULL : where + at;
  }),
  bcopy: steps(uses, function* (thread, call, source: number, target: number, count: number) {
    yield* thread.copy(target, source, sizeOfArgument(count), call);
    return undefined;
  }),
  bzero: zero,
  explicit_bzero: zero,

  strlen: steps(uses, function* (thread, call, pointer: number) {
    return (yield* thread.readString(pointer, call)).length;
  }),
  strnlen: steps(uses, function* (thread, call, pointer: number, most: number) {
    return (yield* thread.readString(pointer, call, sizeOfArgument(most))).length;
  }),
  strcpy: steps(returnsFirst, function* (thread, call, target: number, source: number) {
    yield* writeString(thread, target, yield* thread.readString(source, call), call);
    return target;
  }),
  stpcpy: steps(returnsFirst, function* (thread, call, target: number, source: number) {
    const text = yield* thread.readString(source, call);
    yield* writeString(thread, target, text, call);
    return target + text.length;
  }),
  strncpy: steps(returnsFirst, function* (thread, call, target: number, source: number, count: number) {
    const bytes = new Uint8Array(sizeOfArgument(count));
    bytes.set(yield* thread.readString(source, call, bytes.length));
    yield* thread.writeBytes(target, bytes, call);
    return target;
  }),
  stpncpy: steps(returnsFirst, function* (thread, call, target: number, source: number, count: number) {
    const bytes = new Uint8Array(sizeOfArgument(count));
    const text = yield* thread.readString(source, call, bytes.length);
    bytes.set(text);
    yield* thread.writeBytes(target, bytes, call);
    return target + text.length;
  }),
  strcat: steps(returnsFirst, function* (thread, call, target: number, source: number) {
    const text = yield* thread.readString(source, call);
    const end = target + (yield* thread.readString(target, call)).length;
    yield* writeString(thread, end, text, call);
    return target;
  }),
  strncat: steps(returnsFirst, function* (thread, call, target: number, source: number, count: number) {
    const text = yield* thread.readString(source, call, sizeOfArgument(count));
    const end = target + (yield* thread.readString(target, call)).length;
    yield* writeString(thread, end, text, call);
    return target;
  }),
  strlcpy: steps(uses, function* (thread, call, target: number, source: number, size: number) {
    const text = yield* thread.readString(source, call);
    const room = sizeOfArgument(size);
    if (room > 0) yield* writeString(thread, target, text.subarray(0, room - 1), call);
    return text.length;
  }),
  strlcat: steps(uses, function* (thread, call, target: number, source: number, size: number) {
    const text = yield* thread.readString(source, call);
    const room = sizeOfArgument(size);
    const before = (yield* thread.readString(target, call, room)).length;
    if (before < room) yield* writeString(thread, target + before, text.subarray(0, room - before - 1), call);
    return before + text.length;
  }),
  strcmp: steps(uses, (thread, call, a: number, b: number) => compare(thread, call, a, b)),
  strcoll: steps(uses, (thread, call, a: number, b: number) => compare(thread, call, a, b)),
  strncmp: steps(uses, (thread, call, a: number, b: number, most: number) =>
    compare(thread, call, a, b, sizeOfArgument(most)),
  ),
  basename: steps({ captures: 'returned' }, function* (thread, call, path: number) {
    const text = path === NULL ? '' : yield* readText(thread, path, call);
    if (text === '') return thread.literal('.');
    if (text.endsWith('/')) thread.refuse('basename of a path that ends in a slash', call);
    return path + text.lastIndexOf('/') + 1;
  }),
  ffs: firstSet(32),
  ffsl: firstSet(32),
  ffsll: firstSet(64),
  strcasecmp: steps(uses, (thread, call, a: number, b: number) => compareIgnoringCase(thread, call, a, b)),
  strncasecmp: steps(uses, (thread, call, a: number, b: number, most: number) =>
    compareIgnoringCase(thread, call, a, b, sizeOfArgument(most)),
  ),
  strchr: index,
  index,
  strrchr: lastIndex,
  rindex: lastIndex,
  strchrnul: steps(returnsFirst, function* (thread, call, pointer: number, character: number) {
    const text = yield* thread.readString(pointer, call);
    const at = text.indexOf(character & 0xff);
    return pointer + (at === -1 ? text.length : at);
  }),
  strstr: steps(returnsFirst, function* (thread, call, where: number, what: number) {
    const text = yield* readText(thread, where, call);
    const at = text.indexOf(yield* readText(thread, what, call));
    return at === -1 ? NULL : where + at;
  }),
  strspn: steps(uses, function* (thread, call, pointer: number, set: number) {
    const text = yield* thread.readString(pointer, call);
    return span(text, yield* thread.readString(set, call), true);
  }),
  strcspn: steps(uses, function* (thread, call, pointer: number, set: number) {
    const text = yield* thread.readString(pointer, call);
    return span(text, yield* thread.readString(set, call), false);
  }),
  strpbrk: steps(returnsFirst, function* (thread, call, pointer: number, set: number) {
    const text = yield* thread.readString(pointer, call);
    const at = span(text, yield* thread.readString(set, call), false);
    return at === text.length ? NULL : pointer + at;
  }),
  strtok_r: steps(keeps, function* (thread, call, pointer: number, delimiters: number, state: number) {
    const from = pointer === NULL ? ((yield* thread.load(state, POINTER, call)) as number) : pointer;
    const { token, rest } = yield* nextToken(thread, from, delimiters, call);
    yield* thread.store(state, POINTER, rest, call);
    return token;
  }),
  /** Its state is one variable for the whole program, not an atomic one: two threads that use it have a race. */
  strtok: steps(keeps, function* (thread, call, pointer: number, delimiters: number) {
    const location = thread.globalLocation('the state of strtok', NULL);
    const { position } = call;
    const from = pointer === NULL ? ((yield { kind: 'load', location, order: 'plain', position }) as number) : pointer;
    const { token, rest } = yield* nextToken(thread, from, delimiters, call);
    yield { kind: 'store', location, value: rest, order: 'plain', position };
    return token;
  }),
  strsep: steps(keeps, function* (thread, call, state: number, delimiters: number) {
    const from = (yield* thread.load(state, POINTER, call)) as number;
    if (from === NULL) return NULL;
    const text = yield* thread.readString(from, call);
    const end = span(text, yield* thread.readString(delimiters, call), false);
    if (end < text.length) yield* thread.store(from + end, I8, 0, call);
    yield* thread.store(state, POINTER, end < text.length ? from + end + 1 : NULL, call);
    return from;
  }),
  strdup: steps(uses, function* (thread, call, source: number) {
    return yield* duplicate(thread, yield* thread.readString(source, call), call);
  }),
  strndup: steps(uses, function* (thread, call, source: number, most: number) {
    return yield* duplicate(thread, yield* thread.readString(source, call, sizeOfArgument(most)), call);
  }),
  strerror: plain((thread, _call, number: number) => thread.literal(errorMessage(number))),
  strerror_r: steps(keeps, function* (thread, call, number: number, target: number, size: number) {
    const text = bytesOf(errorMessage(number));
    const room = sizeOfArgument(size);
    if (room > 0) yield* writeString(thread, target, text.subarray(0, room - 1), call);
    return text.length < room ? 0 : ERANGE;
  }),
};
