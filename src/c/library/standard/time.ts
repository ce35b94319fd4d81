/**
 * Time. Waiting lets others go first, and how long it takes means nothing. What the clock shows is not determined, so that
 * it was asked is told as a limit. It is one clock for all threads, in a location: nobody who has seen one time sees an
 * earlier one then. It stands still the first two times that a thread asks; at each further time an hour passes, so that a
 * loop which waits for a while goes round, and ends.
 */
import type { Location } from '../../../program/location.ts';
import type { CallSite, CThread, Run } from '../../runtime.ts';
import { I32, I64, type Library, type LibraryFunction, plain, steps, uses } from '../define.ts';
import { change } from '../threads/sync.ts';

const pause = (result: number | undefined): LibraryFunction =>
  steps({ captures: 'used', effect: 'harmless', ignoresArguments: true }, function* (_thread, call) {
    yield { kind: 'yield', position: call.position };
    return result;
  });

const STANDS_STILL = 2;
const STEP_SECONDS = 3600n;

/** What it holds are the hours that have passed. */
function clockOf(thread: CThread): Location {
  return thread.globalLocation('clock', 0, () => 'the clock');
}

/** The time in seconds. */
function* now(thread: CThread, name: string, call: CallSite): Run<bigint> {
  thread.noteLimit?.(
    `${name}() showed one time of many: the clock stands still for two calls in a thread, then moves on by an hour with each`,
  );
  const calls = ((thread.notes.get('clock') ?? 0) as number) + 1;
  thread.notes.set('clock', calls);
  const location = clockOf(thread);
  const next = (hours: unknown): number => (hours as number) + 1;
  const hours =
    calls <= STANDS_STILL
      ? yield { kind: 'load', location, order: 'relaxed', position: call.position }
      : next(yield change(location, 'tick', 1, next, 'relaxed', call));
  return BigInt(hours as number) * STEP_SECONDS;
}

/** struct timespec and struct timeval: 8 bytes for the seconds, 4 or 8 for the rest. */
function* storeTime(thread: CThread, target: number, seconds: bigint, rest: typeof I32, call: CallSite): Run<void> {
  yield* thread.store(target, I64, seconds, call);
  yield* thread.store(target + 8, rest, rest === I64 ? 0n : 0, call);
}

/** poll and select on nothing are a way to sleep. */
const sleepUnless = (name: string, hasFiles: (first: number, second: number) => boolean): LibraryFunction =>
  steps(uses, function* (thread, call, first: number, second: number) {
    if (hasFiles(first, second)) thread.refuse(`${name}: files are not modelled`, call);
    yield { kind: 'yield', position: call.position };
    return 0;
  });

/** The processor's own clock, in nanoseconds. */
const cycles = (name: string): LibraryFunction =>
  steps(uses, function* (thread, call) {
    return (yield* now(thread, name, call)) * NANOSECONDS;
  });

const NANOSECONDS = 1_000_000_000n;

export const time: Library = {
  sched_yield: pause(0),
  pthread_yield: pause(0),
  usleep: pause(0),
  sleep: pause(0),
  nanosleep: pause(0),
  clock_nanosleep: pause(0),

  poll: sleepUnless('poll', (_files, count) => count !== 0),
  select: sleepUnless('select', (count) => count !== 0),

  time: steps(uses, function* (thread, call, result: number) {
    const seconds = yield* now(thread, 'time', call);
    if (result !== 0) yield* thread.store(result, I64, seconds, call);
    return seconds;
  }),
  /** CLOCKS_PER_SEC of WASI is a billion. */
  clock: cycles('clock'),
  __rdtsc: cycles('__rdtsc'),
  __rdtscp: cycles('__rdtscp'),
  __builtin_ia32_rdtsc: cycles('__builtin_ia32_rdtsc'),
  clock_gettime: steps(uses, function* (thread, call, _clock: number, result: number) {
    yield* storeTime(thread, result, yield* now(thread, 'clock_gettime', call), I32, call);
    return 0;
  }),
  clock_getres: steps(uses, function* (thread, call, _clock: number, result: number) {
    if (result === 0) return 0;
    yield* storeTime(thread, result, 0n, I32, call);
    yield* thread.store(result + 8, I32, 1, call);
    return 0;
  }),
  timespec_get: steps(uses, function* (thread, call, result: number, base: number) {
    yield* storeTime(thread, result, yield* now(thread, 'timespec_get', call), I32, call);
    return base;
  }),
  gettimeofday: steps(uses, function* (thread, call, result: number, _zone: number) {
    yield* storeTime(thread, result, yield* now(thread, 'gettimeofday', call), I64, call);
    return 0;
  }),
  difftime: plain((_thread, _call, end: bigint, start: bigint) => Number(end - start)),
};
