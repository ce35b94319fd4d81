/**
 * Mutexes. Which of them a thread holds only the thread itself needs to know: it is in its notes, by address. So locking a
 * recursive mutex again, or being told that an error-checking one is held, needs no operation.
 */
import type { Location } from '../../../program/location.ts';
import { MUTEX_BUSY, MUTEX_DESTROYED } from '../../../program/operation.ts';
import type { CallSite, CThread, Run } from '../../runtime.ts';
import { gives, I32, keeps, keepsFirst, type Library, steps, tries, uses } from '../define.ts';
import { EBUSY, EDEADLK, EINVAL, EPERM, ETIMEDOUT } from '../standard/errno.ts';
import { newObject, noteOf, syncObject } from './sync.ts';

export const NORMAL = 0;
export const RECURSIVE = 1;
const ERRORCHECK = 2;

interface Held {
  readonly type: number;
  /** How often it was locked and not unlocked. */
  depth: number;
}

function heldBy(thread: CThread): Map<number, Held> {
  return noteOf(thread, 'mutexes', () => new Map<number, Held>());
}

export function isHeld(thread: CThread, mutex: number): boolean {
  return heldBy(thread).has(mutex);
}

function mutexAt(thread: CThread, mutex: number, call: CallSite): Run<Location> {
  return syncObject(thread, mutex, 'mutex', call, 'mutex');
}

const nameOf = (location: Location): string => location.name ?? 'a mutex';

export function* initMutex(thread: CThread, mutex: number, type: number, call: CallSite): Run<number> {
  const location = yield* newObject(thread, mutex, 'mutex', call, 'mutex');
  if (isHeld(thread, mutex)) {
    thread.fail('lock-misuse', `the thread initialises ${nameOf(location)} while it holds it`, call);
  }
  yield { kind: 'mutex-init', location, type, position: call.position };
  return 0;
}

export function* destroyMutex(thread: CThread, mutex: number, call: CallSite): Run<number> {
  const location = yield* mutexAt(thread, mutex, call);
  if (isHeld(thread, mutex)) {
    thread.fail('lock-misuse', `the thread destroys ${nameOf(location)} while it holds it`, call);
  }
  yield { kind: 'mutex-destroy', location, position: call.position };
  return 0;
}

/** Relocking a normal mutex blocks for ever, as it really does; then it is a deadlock. */
export function* lockMutex(thread: CThread, mutex: number, call: CallSite): Run<number> {
  const held = heldBy(thread).get(mutex);
  if (held?.type === RECURSIVE) {
    held.depth++;
    return 0;
  }
  if (held?.type === ERRORCHECK) return EDEADLK;
  const location = yield* mutexAt(thread, mutex, call);
  const type = (yield { kind: 'lock', location, position: call.position }) as number;
  heldBy(thread).set(mutex, { type, depth: 1 });
  return 0;
}

/** Tries once. The answer is `busy` if another thread holds it, or this one and it is not recursive. */
export function* tryMutex(thread: CThread, mutex: number, busy: number, call: CallSite): Run<number> {
  const held = heldBy(thread).get(mutex);
  if (held?.type === RECURSIVE) {
    held.depth++;
    return 0;
  }
  if (held !== undefined) return busy;
  const location = yield* mutexAt(thread, mutex, call);
  const type = (yield { kind: 'trylock', location, position: call.position }) as number;
  if (type === MUTEX_BUSY) return busy;
  heldBy(thread).set(mutex, { type, depth: 1 });
  return 0;
}

/**
 * Waiting for a while and then getting the lock is the same execution as getting it at once but later, and a time-out can
 * come at any moment at which somebody else holds it. So this tries once.
 */
export function* timedLockMutex(thread: CThread, mutex: number, call: CallSite): Run<number> {
  if (heldBy(thread).get(mutex)?.type === ERRORCHECK) return EDEADLK;
  return yield* tryMutex(thread, mutex, ETIMEDOUT, call);
}

export function* unlockMutex(thread: CThread, mutex: number, call: CallSite): Run<number> {
  const held = heldBy(thread).get(mutex);
  const location = yield* mutexAt(thread, mutex, call);
  if (held === undefined) return yield* unlockForeign(thread, location, call);
  if (--held.depth > 0) return 0;
  heldBy(thread).delete(mutex);
  yield { kind: 'unlock', location, type: held.type, position: call.position };
  return 0;
}

/** Only an error-checking mutex may be unlocked by a thread that does not hold it: it says so. */
function* unlockForeign(thread: CThread, location: Location, call: CallSite): Run<number> {
  const words = (): string => `looks at ${nameOf(location)}`;
  const value = yield { kind: 'load', location, order: 'relaxed', position: call.position, words };
  if (typeof value === 'number' && value !== MUTEX_DESTROYED && value >> 1 === ERRORCHECK) return EPERM;
  return thread.fail('lock-misuse', `the thread unlocks ${nameOf(location)}, which it does not hold`, call);
}

/** The attributes are kept in the one word of a pthread_mutexattr_t, each in a field of bits. */
const fields = { type: [0, 3], pshared: [4, 1], robust: [5, 1], protocol: [6, 3], prioceiling: [8, 0xffff] } as const;

function setter(field: keyof typeof fields, greatest: number) {
  const [shift, mask] = fields[field];
  return steps(uses, function* (thread, call, attributes: number, value: number) {
    if (value < 0 || value > greatest) return EINVAL;
    const old = (yield* thread.load(attributes, I32, call)) as number;
    yield* thread.store(attributes, I32, (old & ~(mask << shift)) | (value << shift), call);
    return 0;
  });
}

function getter(field: keyof typeof fields) {
  const [shift, mask] = fields[field];
  return steps(uses, function* (thread, call, attributes: number, result: number) {
    const value = (yield* thread.load(attributes, I32, call)) as number;
    yield* thread.store(result, I32, (value >> shift) & mask, call);
    return 0;
  });
}

export const pthreadMutex: Library = {
  pthread_mutex_init: steps(keepsFirst, function* (thread, call, mutex: number, attributes: number) {
    const [shift, mask] = fields.type;
    const word = attributes === 0 ? 0 : ((yield* thread.load(attributes, I32, call)) as number);
    return yield* initMutex(thread, mutex, (word >> shift) & mask, call);
  }),
  pthread_mutex_destroy: steps(keeps, (thread, call, mutex: number) => destroyMutex(thread, mutex, call)),
  pthread_mutex_lock: steps(keeps, (thread, call, mutex: number) => lockMutex(thread, mutex, call)),
  pthread_mutex_trylock: steps(tries, (thread, call, mutex: number) => tryMutex(thread, mutex, EBUSY, call)),
  pthread_mutex_timedlock: steps(keepsFirst, (thread, call, mutex: number, _until: number) =>
    timedLockMutex(thread, mutex, call),
  ),
  pthread_mutex_clocklock: steps(keepsFirst, (thread, call, mutex: number, _clock: number, _until: number) =>
    timedLockMutex(thread, mutex, call),
  ),
  pthread_mutex_unlock: steps(keeps, (thread, call, mutex: number) => unlockMutex(thread, mutex, call)),
  // a thread that ends keeps its mutexes, so no owner is ever found dead
  pthread_mutex_consistent: gives(0, keeps),

  pthread_mutexattr_init: steps(uses, function* (thread, call, attributes: number) {
    yield* thread.store(attributes, I32, 0, call);
    return 0;
  }),
  pthread_mutexattr_destroy: gives(0, uses),
  pthread_mutexattr_settype: setter('type', ERRORCHECK),
  pthread_mutexattr_gettype: getter('type'),
  pthread_mutexattr_setpshared: setter('pshared', 1),
  pthread_mutexattr_getpshared: getter('pshared'),
  pthread_mutexattr_setrobust: setter('robust', 1),
  pthread_mutexattr_getrobust: getter('robust'),
  pthread_mutexattr_setprotocol: setter('protocol', 2),
  pthread_mutexattr_getprotocol: getter('protocol'),
  pthread_mutexattr_setprioceiling: setter('prioceiling', 0xffff),
  pthread_mutexattr_getprioceiling: getter('prioceiling'),
};
