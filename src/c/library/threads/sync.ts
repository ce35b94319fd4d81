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
import { type Done, type MemoryOrder, type Operation, ThreadFailure } from '../../../program/operation.ts';
import { type CallSite, type CThread, type CValue, LOOKED_AT, type Run } from '../../runtime.ts';
import { I32 } from '../define.ts';

export const DESTROYED = 'destroyed';

/** What an operation does to an object whose values say nothing to a reader: see `Operation`. */
type Words = (done: Done | undefined) => string;

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
  const word = yield* firstWord(thread, pointer, location, call);
  if (word === 0) return location;
  if (kind === 'mutex' && (word === 1 || word === 2)) {
    thread.refuse('a static initialiser that says the type of a mutex, for a mutex that is not global', call);
  }
  const name = location.name === undefined ? `the ${role}` : `the ${role} ${location.name}`;
  return thread.fail('lock-misuse', `${name} is not initialised`, call);
}

/** Its operations only make ready for the one that comes next. */
export function* preparing<T>(run: Run<T>, words?: Words): Run<T> {
  let step = run.next();
  while (step.done !== true) step = run.next(yield { ...step.value, prepares: true, words });
  return step.value;
}

/** undefined: it was never written. */
function* firstWord(thread: CThread, pointer: number, location: Location, call: CallSite): Run<CValue> {
  try {
    const words = (): string => `looks at ${location.name ?? 'it'}`;
    return yield* preparing(thread.load(pointer, I32, call), words);
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
    yield* preparing(thread.store(pointer, I32, 0, call));
  }
  return location;
}

/** The objects outside of globals that this thread knows to be initialised. */
function initialisedBy(thread: CThread): Set<number> {
  return noteOf(thread, LOOKED_AT, () => new Set<number>());
}

/** Gives an object its first value; the one that it had is of no interest. `to`: that value in words. */
export function* initialise(
  thread: CThread,
  pointer: number,
  role: string,
  value: unknown,
  call: CallSite,
  to = '',
): Run<void> {
  const location = yield* newObject(thread, pointer, role, call);
  const words = (): string => `init ${location.name ?? role}${to}`;
  yield { kind: 'store', location, value, order: 'release', position: call.position, words };
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
  words?: Words,
): Operation {
  return { kind: 'update', location, name, operand, apply, order, position: call.position, words };
}

/** Sleeps until `until` holds of the object, then changes it, an acquire; the answer is its value before. */
export function sleep(
  location: Location,
  name: string,
  until: (value: unknown) => boolean,
  apply: (old: unknown) => unknown,
  call: CallSite,
  words?: Words,
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
    words,
  };
}
