/** POSIX semaphores: the value is the count. They report errors through errno. */
import type { Location } from '../../../program/location.ts';
import { KEEP } from '../../../program/operation.ts';
import type { CallSite, CThread, Run } from '../../runtime.ts';
import { I32, keeps, keepsFirst, type Library, steps } from '../define.ts';
import type { Facts } from '../facts.ts';
import { EAGAIN, EINVAL, EOVERFLOW, ETIMEDOUT, setErrno } from '../standard/errno.ts';
import { change, DESTROYED, initialise, live, sleep, syncObject } from './sync.ts';

const ROLE = 'semaphore';
const SEM_VALUE_MAX = 0x7fffffff;

function nameOf(location: Location): string {
  return `the semaphore${location.name === undefined ? '' : ` ${location.name}`}`;
}

function* failed(thread: CThread, error: number, call: CallSite): Run<number> {
  yield* setErrno(thread, error, call);
  return -1;
}

/** Takes one if there is any. A timed wait is one that tries: see `timedLockMutex`. */
function* tryWait(thread: CThread, semaphore: number, error: number, call: CallSite): Run<number> {
  const location = yield* syncObject(thread, semaphore, ROLE, call);
  const countOf = (value: unknown): number => live(value, nameOf(location), call);
  const apply = (value: unknown): unknown => (countOf(value) > 0 ? countOf(value) - 1 : KEEP);
  const before = yield change(location, 'sem_trywait', 0, apply, 'acquire', call);
  return countOf(before) > 0 ? 0 : yield* failed(thread, error, call);
}

const trying = (facts: Facts, error: number) =>
  steps(facts, (thread, call, semaphore: number) => tryWait(thread, semaphore, error, call));

export const semaphores: Library = {
  sem_init: steps(keeps, function* (thread, call, semaphore: number, _shared: number, count: number) {
    if (count >>> 0 > SEM_VALUE_MAX) return yield* failed(thread, EINVAL, call);
    yield* initialise(thread, semaphore, ROLE, count, call, ` to ${count}`);
    return 0;
  }),
  sem_destroy: steps(keeps, function* (thread, call, semaphore: number) {
    const location = yield* syncObject(thread, semaphore, ROLE, call);
    const apply = (value: unknown): unknown => {
      live(value, nameOf(location), call);
      return DESTROYED;
    };
    yield change(location, 'destroy', 0, apply, 'acq_rel', call);
    return 0;
  }),
  sem_wait: steps(keeps, function* (thread, call, semaphore: number) {
    const location = yield* syncObject(thread, semaphore, ROLE, call);
    const countOf = (value: unknown): number => live(value, nameOf(location), call);
    const until = (value: unknown): boolean => value === DESTROYED || countOf(value) > 0;
    yield sleep(location, 'sem_wait', until, (value) => countOf(value) - 1, call);
    return 0;
  }),
  sem_trywait: trying(keeps, EAGAIN),
  sem_timedwait: trying(keepsFirst, ETIMEDOUT),
  sem_clockwait: trying(keepsFirst, ETIMEDOUT),
  sem_post: steps(keeps, function* (thread, call, semaphore: number) {
    const location = yield* syncObject(thread, semaphore, ROLE, call);
    const countOf = (value: unknown): number => live(value, nameOf(location), call);
    const apply = (value: unknown): unknown => (countOf(value) < SEM_VALUE_MAX ? countOf(value) + 1 : KEEP);
    const before = yield change(location, 'sem_post', 0, apply, 'release', call);
    return countOf(before) < SEM_VALUE_MAX ? 0 : yield* failed(thread, EOVERFLOW, call);
  }),
  sem_getvalue: steps(keepsFirst, function* (thread, call, semaphore: number, result: number) {
    const location = yield* syncObject(thread, semaphore, ROLE, call);
    const count = yield { kind: 'load', location, order: 'relaxed', position: call.position };
    yield* thread.store(result, I32, live(count, nameOf(location), call), call);
    return 0;
  }),
};
