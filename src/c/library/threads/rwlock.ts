/** Read-write locks. The value is the number of readers, or WRITER. */
import type { Location } from '../../../program/location.ts';
import { KEEP } from '../../../program/operation.ts';
import type { CallSite, CThread, Run } from '../../runtime.ts';
import { gives, I32, keeps, keepsFirst, type Library, steps, tries, uses } from '../define.ts';
import type { Facts } from '../facts.ts';
import { EBUSY, ETIMEDOUT } from '../standard/errno.ts';
import { change, DESTROYED, initialise, live, misused, noteOf, sleep, syncObject } from './sync.ts';

const ROLE = 'rwlock';
const WRITER = -1;

const isFree = (value: number): boolean => value === 0;
const isReadable = (value: number): boolean => value !== WRITER;

/** What this thread holds, by address: WRITER, or how often it reads. */
function heldBy(thread: CThread): Map<number, number> {
  return noteOf(thread, 'rwlocks', () => new Map<number, number>());
}

function nameOf(location: Location): string {
  return `the read-write lock${location.name === undefined ? '' : ` ${location.name}`}`;
}

function note(thread: CThread, lock: number, isWrite: boolean): number {
  const held = heldBy(thread);
  held.set(lock, isWrite ? WRITER : (held.get(lock) ?? 0) + 1);
  return 0;
}

/** Blocks until it is free enough. A thread that waits for itself waits for ever: a deadlock. */
function* lock(thread: CThread, pointer: number, isWrite: boolean, call: CallSite): Run<number> {
  const location = yield* syncObject(thread, pointer, ROLE, call);
  const readersOf = (value: unknown): number => live(value, nameOf(location), call);
  const isOpen = isWrite ? isFree : isReadable;
  // a destroyed one lets the thread through, and then `apply` fails it
  const until = (value: unknown): boolean => value === DESTROYED || isOpen(readersOf(value));
  const apply = (value: unknown): unknown => {
    const readers = readersOf(value);
    return isWrite ? WRITER : readers + 1;
  };
  yield sleep(location, isWrite ? 'write-lock' : 'read-lock', until, apply, call);
  return note(thread, pointer, isWrite);
}

/** Tries once; `busy` if it cannot be had. A timed lock is one that tries: see `timedLockMutex`. */
function* tryLock(thread: CThread, pointer: number, isWrite: boolean, busy: number, call: CallSite): Run<number> {
  const location = yield* syncObject(thread, pointer, ROLE, call);
  const isOpen = isWrite ? isFree : isReadable;
  const apply = (value: unknown): unknown => {
    const old: number = live(value, nameOf(location), call);
    return isOpen(old) ? (isWrite ? WRITER : old + 1) : KEEP;
  };
  const before = yield change(location, isWrite ? 'try-write-lock' : 'try-read-lock', 0, apply, 'acquire', call);
  return isOpen(live(before, nameOf(location), call)) ? note(thread, pointer, isWrite) : busy;
}

function* unlock(thread: CThread, pointer: number, call: CallSite): Run<number> {
  const location = yield* syncObject(thread, pointer, ROLE, call);
  const held = heldBy(thread).get(pointer);
  if (held === undefined) {
    thread.fail('lock-misuse', `the thread unlocks ${nameOf(location)}, which it does not hold`, call);
  }
  if (held === WRITER || held === 1) heldBy(thread).delete(pointer);
  else heldBy(thread).set(pointer, held - 1);
  const apply = (value: unknown): unknown => {
    const old: number = live(value, nameOf(location), call);
    return held === WRITER ? 0 : old - 1;
  };
  yield change(location, held === WRITER ? 'write-unlock' : 'read-unlock', 0, apply, 'release', call);
  return 0;
}

function* destroy(thread: CThread, pointer: number, call: CallSite): Run<number> {
  const location = yield* syncObject(thread, pointer, ROLE, call);
  const apply = (value: unknown): unknown => {
    if (live(value, nameOf(location), call) !== 0) misused(`${nameOf(location)} is destroyed while it is held`, call);
    return DESTROYED;
  };
  yield change(location, 'destroy', 0, apply, 'acq_rel', call);
  return 0;
}

const locking = (isWrite: boolean) =>
  steps(keeps, (thread, call, pointer: number) => lock(thread, pointer, isWrite, call));
const trying = (facts: Facts, isWrite: boolean, busy: number) =>
  steps(facts, (thread, call, pointer: number) => tryLock(thread, pointer, isWrite, busy, call));

export const pthreadRwlock: Library = {
  pthread_rwlock_init: steps(keepsFirst, function* (thread, call, pointer: number, _attributes: number) {
    yield* initialise(thread, pointer, ROLE, 0, call);
    return 0;
  }),
  pthread_rwlock_destroy: steps(keeps, (thread, call, pointer: number) => destroy(thread, pointer, call)),
  pthread_rwlock_rdlock: locking(false),
  pthread_rwlock_wrlock: locking(true),
  pthread_rwlock_tryrdlock: trying(tries, false, EBUSY),
  pthread_rwlock_trywrlock: trying(tries, true, EBUSY),
  pthread_rwlock_timedrdlock: trying(keepsFirst, false, ETIMEDOUT),
  pthread_rwlock_timedwrlock: trying(keepsFirst, true, ETIMEDOUT),
  pthread_rwlock_clockrdlock: trying(keepsFirst, false, ETIMEDOUT),
  pthread_rwlock_clockwrlock: trying(keepsFirst, true, ETIMEDOUT),
  pthread_rwlock_unlock: steps(keeps, (thread, call, pointer: number) => unlock(thread, pointer, call)),

  pthread_rwlockattr_init: steps(uses, function* (thread, call, attributes: number) {
    yield* thread.store(attributes, I32, 0, call);
    return 0;
  }),
  pthread_rwlockattr_destroy: gives(0, uses),
  pthread_rwlockattr_setpshared: gives(0, uses),
  // it prefers nobody, so that both preferences are among what can happen
  pthread_rwlockattr_setkind_np: gives(0, uses),
};
