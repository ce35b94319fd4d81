/** Condition variables: their state and the argument for it are in condition-state.ts. */
import type { Location } from '../../../program/location.ts';
import { type Done, KEEP, type MemoryOrder } from '../../../program/operation.ts';
import type { CallSite, CThread, Run } from '../../runtime.ts';
import { gives, I32, keeps, keepsFirst, type Library, steps, uses } from '../define.ts';
import { ETIMEDOUT } from '../standard/errno.ts';
import {
  broadcast,
  type Condition,
  decode,
  encode,
  enqueue,
  isReleased,
  leave,
  mayWake,
  signal,
  wake,
} from './condition-state.ts';
import { isHeld, lockMutex, unlockMutex } from './mutex.ts';
import { change, initialise, misused, noteOf, preparing, sleep, syncObject } from './sync.ts';

const ROLE = 'condition';

function nameOf(location: Location): string {
  return `the condition variable${location.name === undefined ? '' : ` ${location.name}`}`;
}

const shortNameOf = (location: Location): string => location.name ?? 'a condition variable';

/** An operation that changes the state; nothing is written if `next` gives the same object. In `words` % is its name. */
function changed(
  location: Location,
  name: string,
  operand: number,
  next: (state: Condition) => Condition,
  order: MemoryOrder,
  call: CallSite,
  words: (done: Done | undefined) => string,
) {
  const apply = (value: unknown): unknown => {
    const state = decode(value);
    if (state.isDestroyed && !isReleased(state, operand)) misused(`${nameOf(location)} was destroyed`, call);
    const after = next(state);
    return after === state ? KEEP : encode(after);
  };
  return change(location, name, operand, apply, order, call, (done) =>
    words(done).replace('%', () => shortNameOf(location)),
  );
}

export function* initCondition(thread: CThread, condition: number, call: CallSite): Run<number> {
  yield* initialise(thread, condition, ROLE, 0, call);
  return 0;
}

export function* destroyCondition(thread: CThread, condition: number, call: CallSite): Run<number> {
  const location = yield* syncObject(thread, condition, ROLE, call);
  const destroy = (state: Condition): Condition => {
    if (state.waiting.length > 0) misused(`${nameOf(location)} is destroyed while threads wait on it`, call);
    return { ...state, isDestroyed: true }; // released threads may still be on their way
  };
  yield changed(location, 'destroy', -1, destroy, 'acq_rel', call, () => 'destroy %');
  return 0;
}

export function* signalCondition(thread: CThread, condition: number, call: CallSite): Run<number> {
  const location = yield* syncObject(thread, condition, ROLE, call);
  yield changed(location, 'signal', -1, signal, 'release', call, (done) => `signal %${unlessHeard(done)}`);
  return 0;
}

export function* broadcastCondition(thread: CThread, condition: number, call: CallSite): Run<number> {
  const location = yield* syncObject(thread, condition, ROLE, call);
  yield changed(location, 'broadcast', -1, broadcast, 'release', call, (done) => `broadcast %${unlessHeard(done)}`);
  return 0;
}

/** A signal that comes when nobody is left to be woken is lost. */
function unlessHeard(done: Done | undefined): string {
  return done?.isWritten === false ? ': nobody waits' : '';
}

/** Begins to wait: from here on a signal can wake the thread. */
function* begin(thread: CThread, condition: number, mutex: number, call: CallSite): Run<Location> {
  const location = yield* syncObject(thread, condition, ROLE, call);
  if (!isHeld(thread, mutex)) {
    thread.fail('lock-misuse', `the thread waits on ${nameOf(location)} with a mutex that it does not hold`, call);
  }
  const next = (state: Condition): Condition => enqueue(state, thread.self);
  yield changed(location, 'wait', thread.self, next, 'relaxed', call, () => 'waits on %');
  yield* unlockMutex(thread, mutex, call);
  return location;
}

export function* waitCondition(thread: CThread, condition: number, mutex: number, call: CallSite): Run<number> {
  const { self } = thread;
  const location = yield* begin(thread, condition, mutex, call);
  if (yield* wakesSpuriously(thread, condition, call)) {
    const leaving = (state: Condition): Condition => leaveUnlessReleased(state, self);
    const words = (): string => 'wakes from % without a signal (a spurious wakeup)';
    const before = yield changed(location, 'wake spuriously', self, leaving, 'relaxed', call, words);
    if (isReleased(decode(before), self)) yield* thread.block(call); // it was woken: the other option has that
  } else {
    const until = (value: unknown): boolean => mayWake(decode(value), self);
    const apply = (value: unknown): unknown => {
      const state = decode(value);
      return isReleased(state, self) ? KEEP : encode(wake(state, self));
    };
    const words = (done: Done | undefined): string =>
      `${done === undefined ? 'waits for a signal on' : 'is woken on'} ${shortNameOf(location)}`;
    yield sleep(location, 'wake', until, apply, call, words);
  }
  yield* lockMutex(thread, mutex, call);
  return 0;
}

/** A loop around a wait could go round for ever, so a thread wakes once in this way from a condition variable or futex. */
export function* wakesSpuriously(thread: CThread, condition: number, call: CallSite): Run<boolean> {
  if (!thread.options.spuriousWakeups) {
    thread.noteAssumption('condition variables wake only if they are signalled (--spurious-wakeups tries more)');
    return false;
  }
  const done = noteOf(thread, 'spurious wake-ups', () => new Set<number>());
  if (done.has(condition)) {
    thread.noteLimit?.('a thread wakes from a condition variable without a signal once at most');
    return false;
  }
  const words = (done: Done | undefined): string => `is to wake ${done?.answer === 0 ? 'by a signal' : 'spuriously'}`;
  if ((yield* preparing(thread.choose(2, call), words)) === 0) return false;
  done.add(condition);
  return true;
}

export const leaveUnlessReleased = (state: Condition, t: number): Condition =>
  isReleased(state, t) ? state : leave(state, t);

/** Changes the state of what a thread waits on, in a step of that name; the state before. */
export type Perform = (
  name: string,
  next: (state: Condition) => Condition,
  words: (done: Done | undefined) => string,
) => Run<Condition>;

/**
 * Whether it was woken. Waiting for a while and then being woken is the same execution as being woken at once but later, so
 * this looks once. A thread that is released was woken. One that no signal was meant for has timed out. Otherwise both can
 * be.
 */
export function* wakeOrTimeOut(thread: CThread, perform: Perform, call: CallSite): Run<boolean> {
  const { self } = thread;
  const look = (state: Condition): Condition => (mayWake(state, self) ? state : leave(state, self));
  const words = (done: Done | undefined): string => {
    const state = decode(done?.answer);
    if (!mayWake(state, self)) return 'times out on %';
    return isReleased(state, self) ? 'is woken on %' : 'may be woken on %, or time out';
  };
  const seen = yield* perform('wake or time out', look, words);
  if (isReleased(seen, self) || !mayWake(seen, self)) return isReleased(seen, self);
  const chosen = (done: Done | undefined): string => (done?.answer === 0 ? 'is to wake' : 'is to time out');
  const takes = (yield* preparing(thread.choose(2, call), chosen)) === 0;
  const next = (state: Condition): Condition =>
    takes && mayWake(state, self) ? wake(state, self) : leaveUnlessReleased(state, self);
  const outcome = (): string => (takes ? 'is woken on %' : 'times out on %');
  const last = yield* perform(takes ? 'wake' : 'time out', next, outcome);
  return isReleased(last, self) || (takes && mayWake(last, self));
}

export function* timedWaitCondition(thread: CThread, condition: number, mutex: number, call: CallSite): Run<number> {
  const location = yield* begin(thread, condition, mutex, call);
  const perform: Perform = function* (name, next, words) {
    return decode(yield changed(location, name, thread.self, next, 'acquire', call, words));
  };
  const isWoken = yield* wakeOrTimeOut(thread, perform, call);
  yield* lockMutex(thread, mutex, call);
  return isWoken ? 0 : ETIMEDOUT;
}

export const pthreadCond: Library = {
  pthread_cond_init: steps(keepsFirst, (thread, call, condition: number, _attributes: number) =>
    initCondition(thread, condition, call),
  ),
  pthread_cond_destroy: steps(keeps, (thread, call, condition: number) => destroyCondition(thread, condition, call)),
  pthread_cond_signal: steps(keeps, (thread, call, condition: number) => signalCondition(thread, condition, call)),
  pthread_cond_broadcast: steps(keeps, (thread, call, condition: number) =>
    broadcastCondition(thread, condition, call),
  ),
  pthread_cond_wait: steps(keeps, (thread, call, condition: number, mutex: number) =>
    waitCondition(thread, condition, mutex, call),
  ),
  pthread_cond_timedwait: steps(
    { captures: { 0: 'kept', 1: 'kept', 2: 'used' } },
    (thread, call, condition: number, mutex: number, _until: number) =>
      timedWaitCondition(thread, condition, mutex, call),
  ),
  pthread_cond_clockwait: steps(
    keeps,
    (thread, call, condition: number, mutex: number, _clock: number, _until: number) =>
      timedWaitCondition(thread, condition, mutex, call),
  ),

  pthread_condattr_init: steps(uses, function* (thread, call, attributes: number) {
    yield* thread.store(attributes, I32, 0, call);
    return 0;
  }),
  pthread_condattr_destroy: gives(0, uses),
  pthread_condattr_setclock: gives(0, uses),
  pthread_condattr_setpshared: gives(0, uses),
};
