/** Output. There are three streams, known by addresses that point nowhere; what is written to one is printed. */
import type { CallSite, CThread, Run } from '../../runtime.ts';
import { keeps, type Library, POINTER, plain, sizeOfArgument, steps, textOf, uses } from '../define.ts';
import { EBADF, errorMessage, getErrno, setErrno } from '../standard/errno.ts';
import { type Arguments, CallArguments, format, ListArguments } from './format.ts';

/** The values of the variables stdin, stdout and stderr. */
export const streams = { stdin: 3, stdout: 1, stderr: 2 } as const;

const EOF = -1;

function checkStream(thread: CThread, stream: number, call: CallSite): void {
  if (stream === streams.stdout || stream === streams.stderr) return;
  if (stream === streams.stdin) thread.refuse('writing to stdin', call);
  if (stream === 0) thread.fail('null-dereference', 'a null pointer is used as a stream', call);
  thread.refuse('a stream other than stdout and stderr: files are not modelled', call);
}

function* print(thread: CThread, bytes: Uint8Array, call: CallSite): Run<number> {
  if (bytes.length > 0) yield* thread.print(textOf(bytes), call);
  return bytes.length;
}

function* printCharacter(thread: CThread, character: number, call: CallSite): Run<number> {
  const byte = character & 0xff;
  yield* print(thread, Uint8Array.of(byte), call);
  return byte;
}

function* printFormat(thread: CThread, call: CallSite, pointer: number, args: Arguments): Run<number> {
  return yield* print(thread, yield* format(thread, call, pointer, args), call);
}

/** As much as fits into `size` bytes, with a 0 at the end; what it returns is how much it would have been. */
function* printInto(
  thread: CThread,
  call: CallSite,
  target: number,
  size: number,
  pointer: number,
  args: Arguments,
): Run<number> {
  const bytes = yield* format(thread, call, pointer, args);
  if (size > 0) {
    const kept = bytes.subarray(0, Math.min(bytes.length, size - 1));
    yield* thread.writeBytes(target, Uint8Array.of(...kept, 0), call);
  }
  return bytes.length;
}

function* printAllocated(
  thread: CThread,
  call: CallSite,
  result: number,
  pointer: number,
  args: Arguments,
): Run<number> {
  const bytes = yield* format(thread, call, pointer, args);
  const target = yield* thread.allocate(bytes.length + 1, false, call);
  yield* thread.writeBytes(target, Uint8Array.of(...bytes, 0), call);
  yield* thread.store(result, POINTER, target, call);
  return bytes.length;
}

function* writeTo(thread: CThread, descriptor: number, bytes: Uint8Array, call: CallSite): Run<number> {
  if (descriptor === 1 || descriptor === 2) return yield* print(thread, bytes, call);
  yield* setErrno(thread, EBADF, call);
  return -1;
}

const putCharacter = steps((thread, call, character: number) => printCharacter(thread, character, call));
const putCharacterTo = steps(keeps, function* (thread, call, character: number, stream: number) {
  checkStream(thread, stream, call);
  return yield* printCharacter(thread, character, call);
});
const putString = steps(uses, function* (thread, call, string: number, stream: number) {
  checkStream(thread, stream, call);
  yield* print(thread, yield* thread.readString(string, call), call);
  return 0;
});
const writeItems = steps(uses, function* (thread, call, source: number, size: number, count: number, stream: number) {
  checkStream(thread, stream, call);
  const total = sizeOfArgument(size) * sizeOfArgument(count);
  yield* print(thread, yield* thread.readBytes(source, total, call), call);
  return total === 0 ? 0 : count;
});
/** Output is printed at once, so there is nothing to flush or to buffer. */
const onStream = plain(keeps, (thread, call, stream: number) => {
  if (stream !== streams.stdin && stream !== 0) checkStream(thread, stream, call);
  return 0;
});
const onStreamVoid = plain(keeps, (thread, call, stream: number) => {
  if (stream !== streams.stdin) checkStream(thread, stream, call);
  return undefined;
});

export const stdio: Library = {
  printf: steps(uses, (thread, call, pointer: number, ...args) =>
    printFormat(thread, call, pointer, new CallArguments(thread, call, args)),
  ),
  vprintf: steps(uses, (thread, call, pointer: number, list: number) =>
    printFormat(thread, call, pointer, new ListArguments(thread, call, list)),
  ),
  fprintf: steps(uses, (thread, call, stream: number, pointer: number, ...args) => {
    checkStream(thread, stream, call);
    return printFormat(thread, call, pointer, new CallArguments(thread, call, args));
  }),
  vfprintf: steps(uses, (thread, call, stream: number, pointer: number, list: number) => {
    checkStream(thread, stream, call);
    return printFormat(thread, call, pointer, new ListArguments(thread, call, list));
  }),
  dprintf: steps(uses, function* (thread, call, descriptor: number, pointer: number, ...args) {
    const bytes = yield* format(thread, call, pointer, new CallArguments(thread, call, args));
    return yield* writeTo(thread, descriptor, bytes, call);
  }),
  vdprintf: steps(keeps, function* (thread, call, descriptor: number, pointer: number, list: number) {
    const bytes = yield* format(thread, call, pointer, new ListArguments(thread, call, list));
    return yield* writeTo(thread, descriptor, bytes, call);
  }),
  sprintf: steps(uses, (thread, call, target: number, pointer: number, ...args) =>
    printInto(thread, call, target, Number.POSITIVE_INFINITY, pointer, new CallArguments(thread, call, args)),
  ),
  vsprintf: steps(uses, (thread, call, target: number, pointer: number, list: number) =>
    printInto(thread, call, target, Number.POSITIVE_INFINITY, pointer, new ListArguments(thread, call, list)),
  ),
  snprintf: steps(uses, (thread, call, target: number, size: number, pointer: number, ...args) =>
    printInto(thread, call, target, sizeOfArgument(size), pointer, new CallArguments(thread, call, args)),
  ),
  vsnprintf: steps(uses, (thread, call, target: number, size: number, pointer: number, list: number) =>
    printInto(thread, call, target, sizeOfArgument(size), pointer, new ListArguments(thread, call, list)),
  ),
  asprintf: steps(keeps, (thread, call, result: number, pointer: number, ...args) =>
    printAllocated(thread, call, result, pointer, new CallArguments(thread, call, args)),
  ),
  vasprintf: steps(keeps, (thread, call, result: number, pointer: number, list: number) =>
    printAllocated(thread, call, result, pointer, new ListArguments(thread, call, list)),
  ),

  puts: steps(uses, function* (thread, call, string: number) {
    const bytes = yield* thread.readString(string, call);
    yield* print(thread, Uint8Array.of(...bytes, 10), call);
    return 0;
  }),
  fputs: putString,
  fputs_unlocked: putString,
  putchar: putCharacter,
  putchar_unlocked: putCharacter,
  putc: putCharacterTo,
  fputc: putCharacterTo,
  putc_unlocked: putCharacterTo,
  fputc_unlocked: putCharacterTo,
  fwrite: writeItems,
  fwrite_unlocked: writeItems,
  write: steps({ captures: { 1: 'used' } }, function* (thread, call, descriptor: number, source: number, size: number) {
    return yield* writeTo(thread, descriptor, yield* thread.readBytes(source, sizeOfArgument(size), call), call);
  }),
  perror: steps(uses, function* (thread, call, string: number) {
    const text = string === 0 ? '' : textOf(yield* thread.readString(string, call));
    const message = errorMessage(yield* getErrno(thread, call));
    yield* thread.print(`${text === '' ? '' : `${text}: `}${message}\n`, call);
    return undefined;
  }),

  fflush: onStream,
  fflush_unlocked: onStream,
  setvbuf: onStream,
  ferror: onStream,
  setbuf: onStreamVoid,
  setlinebuf: onStreamVoid,
  clearerr: onStreamVoid,
  flockfile: onStreamVoid,
  funlockfile: onStreamVoid,
  fileno: plain(keeps, (thread, call, stream: number) => {
    if (stream === streams.stdin) return 0;
    checkStream(thread, stream, call);
    return stream;
  }),
  fclose: plain(keeps, (thread, call, stream: number) => {
    if (stream === 0) return EOF;
    if (stream !== streams.stdin) checkStream(thread, stream, call);
    return 0;
  }),
};
