/**
 * What the synchronisation objects of pthreads have in common. A mutex is a mutex of the operations. Anything else is a
 * location whose value says all about the object: 0 is what an object in zeroed memory has (PTHREAD_…_INITIALIZER), and
 * DESTROYED comes after …_destroy.
 *
 * Memory orders: what gives something to others releases, what takes it acquires, and no operation does more than POSIX and
 * C11 ask for, so that nobody finds two accesses ordered by luck. Where several threads give (readers that unlock, posts)
 * each of them reads and writes in one step, because such steps continue the release sequences of those before: who takes
 * last synchronises with all that gave.
 */
import type { Location } from '../../../program/location.ts';
import { type MemoryOrder, type Operation, ThreadFailure } from '../../../program/operation.ts';
import { type CallSite, type CThread, type CValue, LOOKED_AT, type Run } from '../../runtime.ts';
import { I32 } from '../define.ts';

export const DESTROYED = 'destroyed';

/** The first value of a piece of this thread's notes, made when it is first asked for. */
export function noteOf<T>(thread: CThread, name: string, make: () => T): T {
  const { notes } = thread;
  if (!notes.has(name)) notes.set(name, make());
  return notes.get(name) as T;
}

/**
 * The location of an object that is used. A global one is initialised by its zeros; elsewhere that must have been done, by a
 * function or by copying an initialiser. Both write its first word, so that is looked at, once in a thread.
 */
export function* syncObject(
  thread: CThread,
  pointer: number,
  role: string,
  call: CallSite,
  kind: 'atomic' | 'mutex' = 'atomic',
): Run<Location> {
  const location = thread.syncLocation(pointer, kind, role, call);
  if (location.lifetime === undefined || initialisedBy(thread).has(pointer)) return location;
  initialisedBy(thread).add(pointer);
  if ((yield* firstWord(thread, pointer, call)) === 0) return location;
  const name = location.name === undefined ? `the ${role}` : `the ${role} ${location.name}`;
  return thread.fail('lock-misuse', `${name} is not initialised`, call);
}

/** undefined: it was never written. */
function* firstWord(thread: CThread, pointer: number, call: CallSite): Run<CValue> {
  try {
    return yield* thread.load(pointer, I32, call);
  } catch (error) {
    if (error instanceof ThreadFailure && error.failure.kind === 'uninitialised-read') return undefined;
    throw error;
  }
}

/** The location of an object that is about to be initialised. */
export function* newObject(
  thread: CThread,
  pointer: number,
  role: string,
  call: CallSite,
  kind: 'atomic' | 'mutex' = 'atomic',
): Run<Location> {
  const location = thread.syncLocation(pointer, kind, role, call);
  if (location.lifetime !== undefined) {
    initialisedBy(thread).add(pointer);
    yield* thread.store(pointer, I32, 0, call);
  }
  return location;
}

/** The objects outside of globals that this thread knows to be initialised. */
function initialisedBy(thread: CThread): Set<number> {
  return noteOf(thread, LOOKED_AT, () => new Set<number>());
}

/** Gives an object its first value; the one that it had is of no interest. */
export function* initialise(thread: CThread, pointer: number, role: string, value: unknown, call: CallSite): Run<void> {
  const location = yield* newObject(thread, pointer, role, call);
  yield { kind: 'store', location, value, order: 'release', position: call.position };
}

/** The value of an object, for functions that an operation carries; `what` is for messages: "the barrier". */
export function live<T>(value: unknown, what: string, call: CallSite): T {
  if (value === DESTROYED) misused(`${what} was destroyed`, call);
  return value as T;
}

/** Fails the thread from within an operation. */
export function misused(message: string, call: CallSite): never {
  throw new ThreadFailure({ kind: 'lock-misuse', message, position: call.position });
}

/** Changes an object; the answer is its value before. */
export function change(
  location: Location,
  name: string,
  operand: unknown,
  apply: (old: unknown) => unknown,
  order: MemoryOrder,
  call: CallSite,
): Operation {
  return { kind: 'update', location, name, operand, apply, order, position: call.position };
}

/** Sleeps until `until` holds of the object, then changes it, an acquire; the answer is its value before. */
export function sleep(
  location: Location,
  name: string,
  until: (value: unknown) => boolean,
  apply: (old: unknown) => unknown,
  call: CallSite,
): Operation {
  return {
    kind: 'await-update',
    location,
    name,
    until,
    apply,
    order: 'acquire',
    sleeps: true,
    position: call.position,
  };
}
