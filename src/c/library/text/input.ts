/**
 * Input: the text that the user gave (`--stdin`). How far it was read is one location of the program, which each call moves on in one
 * step: two threads that read do so in some order, as the lock of a stream has it.
 */
import type { CallSite, CThread, Run } from '../../runtime.ts';
import { bytesOf, I32, keeps, type Library, latin1, POINTER, sizeOfArgument, steps, uses } from '../define.ts';
import { type Arguments, CallArguments, ListArguments } from './format.ts';
import { Reader, type Scanned, scan } from './scan.ts';
import { streams } from './stdio.ts';

const EOF = -1;
const NULL = 0;

/** What `read` gives, of the input as it is now. */
function* take<T>(thread: CThread, name: string, call: CallSite, read: (input: Reader) => T): Run<T> {
  const { input } = thread.options;
  if (input === undefined) {
    return thread.refuse(
      `${name}: there is no input. Give some with --stdin FILE, or choose among values with __VERIFIER_nondet_int()`,
      call,
    );
  }
  const location = thread.globalLocation('stdin', 0, () => 'stdin');
  const after = (state: unknown): number => {
    const reader = new Reader(input, state as number);
    read(reader);
    return reader.state;
  };
  const { position } = call;
  const order = 'acq_rel';
  const state = yield { kind: 'update', location, name: 'read', operand: name, apply: after, order, position };
  return read(new Reader(input, state as number));
}

function expectInput(thread: CThread, name: string, stream: number, call: CallSite): void {
  if (stream === streams.stdin) return;
  if (stream === NULL) thread.fail('null-dereference', 'a null pointer is used as a stream', call);
  thread.refuse(`${name} on a stream other than stdin: files are not modelled`, call);
}

function* takeCharacter(thread: CThread, name: string, call: CallSite): Run<number> {
  const character = yield* take(thread, name, call, (input) => input.take(1));
  return character === '' ? EOF : character.charCodeAt(0);
}

function getCharacter(name: string) {
  return steps((thread, call) => takeCharacter(thread, name, call));
}

function getCharacterFrom(name: string) {
  return steps(keeps, (thread, call, stream: number) => {
    expectInput(thread, name, stream, call);
    return takeCharacter(thread, name, call);
  });
}

/** The arguments of scanf get what the format has found. */
function* assign(thread: CThread, call: CallSite, { assignments, result }: Scanned, args: Arguments): Run<number> {
  for (const assignment of assignments) {
    const target = yield* args.pointer();
    if ('bytes' in assignment) yield* thread.writeBytes(target, assignment.bytes, call);
    else yield* thread.store(target, assignment.type, assignment.value, call);
  }
  return result;
}

function* scanInput(thread: CThread, name: string, call: CallSite, format: number, args: Arguments): Run<number> {
  const text = latin1(yield* thread.readString(format, call));
  const refuse = (what: string): never => thread.refuse(`${name}: ${what}`, call);
  const scanned = yield* take(thread, name, call, (input) => scan(text, input, refuse));
  return yield* assign(thread, call, scanned, args);
}

function* scanString(
  thread: CThread,
  name: string,
  call: CallSite,
  source: number,
  format: number,
  args: Arguments,
): Run<number> {
  const text = latin1(yield* thread.readString(format, call));
  const input = new Reader(latin1(yield* thread.readString(source, call)));
  const refuse = (what: string): never => thread.refuse(`${name}: ${what}`, call);
  return yield* assign(thread, call, scan(text, input, refuse), args);
}

/** Through a delimiter, into a buffer that grows: `line` and `size` say where and how large it is. */
function* takeLine(
  thread: CThread,
  name: string,
  call: CallSite,
  line: number,
  size: number,
  delimiter: number,
): Run<number> {
  const last = String.fromCharCode(delimiter & 0xff);
  const taken = yield* take(thread, name, call, (input) => input.takeThrough(last));
  if (taken === '') return EOF;
  let target = (yield* thread.load(line, POINTER, call)) as number;
  const room = target === NULL ? 0 : sizeOfArgument((yield* thread.load(size, I32, call)) as number);
  if (room < taken.length + 1) {
    yield* thread.free(target, call);
    const wanted = Math.max(taken.length + 1, LINE);
    target = yield* thread.allocate(wanted, false, call);
    yield* thread.store(line, POINTER, target, call);
    yield* thread.store(size, I32, wanted, call);
  }
  yield* thread.writeBytes(target, bytesOf(`${taken}\0`), call);
  return taken.length;
}

/** The room that a new line gets. */
const LINE = 120;

function readItems(name: string) {
  return steps(uses, function* (thread, call, target: number, size: number, count: number, stream: number) {
    expectInput(thread, name, stream, call);
    const each = sizeOfArgument(size);
    const total = each * sizeOfArgument(count);
    if (total === 0) return 0;
    const taken = yield* take(thread, name, call, (input) => input.take(total));
    yield* thread.writeBytes(target, bytesOf(taken), call);
    return Math.floor(taken.length / each);
  });
}

function isAtEnd(name: string) {
  return steps(keeps, function* (thread, call, stream: number) {
    if (stream === streams.stdout || stream === streams.stderr) return 0;
    expectInput(thread, name, stream, call);
    return (yield* take(thread, name, call, (input) => input.hasEnded)) ? 1 : 0;
  });
}

export const input: Library = {
  scanf: steps(uses, (thread, call, format: number, ...args) =>
    scanInput(thread, 'scanf', call, format, new CallArguments(thread, call, args)),
  ),
  vscanf: steps(keeps, (thread, call, format: number, list: number) =>
    scanInput(thread, 'vscanf', call, format, new ListArguments(thread, call, list)),
  ),
  fscanf: steps(uses, (thread, call, stream: number, format: number, ...args) => {
    expectInput(thread, 'fscanf', stream, call);
    return scanInput(thread, 'fscanf', call, format, new CallArguments(thread, call, args));
  }),
  vfscanf: steps(keeps, (thread, call, stream: number, format: number, list: number) => {
    expectInput(thread, 'vfscanf', stream, call);
    return scanInput(thread, 'vfscanf', call, format, new ListArguments(thread, call, list));
  }),
  sscanf: steps(uses, (thread, call, source: number, format: number, ...args) =>
    scanString(thread, 'sscanf', call, source, format, new CallArguments(thread, call, args)),
  ),
  vsscanf: steps(keeps, (thread, call, source: number, format: number, list: number) =>
    scanString(thread, 'vsscanf', call, source, format, new ListArguments(thread, call, list)),
  ),

  getchar: getCharacter('getchar'),
  getchar_unlocked: getCharacter('getchar_unlocked'),
  getc: getCharacterFrom('getc'),
  getc_unlocked: getCharacterFrom('getc_unlocked'),
  fgetc: getCharacterFrom('fgetc'),
  fgetc_unlocked: getCharacterFrom('fgetc_unlocked'),
  /** What was read last goes back; other characters are not modelled. */
  ungetc: steps(keeps, function* (thread, call, character: number, stream: number) {
    expectInput(thread, 'ungetc', stream, call);
    if (character === EOF) return EOF;
    const byte = character & 0xff;
    const isBack = yield* take(thread, 'ungetc', call, (input) => {
      if (input.text.charCodeAt(input.at - 1) !== byte) return false;
      input.at--;
      input.hasEnded = false;
      return true;
    });
    return isBack ? byte : thread.refuse('ungetc of another character than was read', call);
  }),

  fgets: steps(
    { captures: { 0: 'returned', 2: 'used' } },
    function* (thread, call, target: number, size: number, stream: number) {
      expectInput(thread, 'fgets', stream, call);
      if (size < 1) return NULL;
      const taken = yield* take(thread, 'fgets', call, (input) => input.takeThrough('\n', size - 1));
      if (taken === '' && size > 1) return NULL;
      yield* thread.writeBytes(target, bytesOf(`${taken}\0`), call);
      return target;
    },
  ),
  getline: steps(keeps, (thread, call, line: number, size: number, stream: number) => {
    expectInput(thread, 'getline', stream, call);
    return takeLine(thread, 'getline', call, line, size, 10);
  }),
  getdelim: steps(keeps, (thread, call, line: number, size: number, delimiter: number, stream: number) => {
    expectInput(thread, 'getdelim', stream, call);
    return takeLine(thread, 'getdelim', call, line, size, delimiter);
  }),
  fread: readItems('fread'),
  fread_unlocked: readItems('fread_unlocked'),
  read: steps({ captures: { 1: 'used' } }, function* (thread, call, descriptor: number, target: number, size: number) {
    if (descriptor !== 0) thread.refuse('read from another file than 0: files are not modelled', call);
    const taken = yield* take(thread, 'read', call, (input) => input.take(sizeOfArgument(size)));
    yield* thread.writeBytes(target, bytesOf(taken), call);
    return taken.length;
  }),
  feof: isAtEnd('feof'),
  feof_unlocked: isAtEnd('feof_unlocked'),
};
