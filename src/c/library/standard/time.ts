/**
 * Time. Waiting lets others go first, and how long it takes means nothing. The clock stands at 0: any other value would be
 * as wrong, so that it was asked is told as a limit.
 */
import type { CallSite, CThread } from '../../runtime.ts';
import { I32, I64, type Library, type LibraryFunction, plain, steps, uses } from '../define.ts';

const pause = (result: number | undefined): LibraryFunction =>
  steps({ captures: 'used', effect: 'harmless', ignoresArguments: true }, function* (_thread, call) {
    yield { kind: 'yield', position: call.position };
    return result;
  });

function noteClock(thread: CThread, name: string): void {
  thread.noteLimit?.(`the clock stands still: ${name}() gave 0`);
}

/** struct timespec and struct timeval: 8 bytes for the seconds, 4 or 8 for the rest. */
function* storeZero(thread: CThread, target: number, rest: typeof I32, call: CallSite) {
  yield* thread.store(target, I64, 0n, call);
  yield* thread.store(target + 8, rest, rest === I64 ? 0n : 0, call);
}

export const time: Library = {
  sched_yield: pause(0),
  pthread_yield: pause(0),
  usleep: pause(0),
  sleep: pause(0),
  nanosleep: pause(0),
  clock_nanosleep: pause(0),

  time: steps(uses, function* (thread, call, result: number) {
    noteClock(thread, 'time');
    if (result !== 0) yield* thread.store(result, I64, 0n, call);
    return 0n;
  }),
  clock: steps(function* (thread) {
    noteClock(thread, 'clock');
    return 0n;
  }),
  clock_gettime: steps(uses, function* (thread, call, _clock: number, result: number) {
    noteClock(thread, 'clock_gettime');
    yield* storeZero(thread, result, I32, call);
    return 0;
  }),
  timespec_get: steps(uses, function* (thread, call, result: number, base: number) {
    noteClock(thread, 'timespec_get');
    yield* storeZero(thread, result, I32, call);
    return base;
  }),
  gettimeofday: steps(uses, function* (thread, call, result: number, _zone: number) {
    noteClock(thread, 'gettimeofday');
    yield* storeZero(thread, result, I64, call);
    return 0;
  }),
  difftime: plain((_thread, _call, end: bigint, start: bigint) => Number(end - start)),
};
