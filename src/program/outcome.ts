/** What operations do when they are answered: what their thread gets, what they write, whether they cannot go on. */
import type { Location } from './location.ts';
import { KEEP, type Operation, type Slice, type SourcePosition, type SpinLoop, ThreadFailure } from './operation.ts';

export interface Outcome {
  readonly stuck: boolean;
  /** What the thread gets. */
  readonly result: unknown;
  readonly writes: boolean;
  readonly value: unknown;
}

export const stuck: Outcome = { stuck: true, result: undefined, writes: false, value: undefined };
export const reads = (result: unknown): Outcome => ({ stuck: false, result, writes: false, value: undefined });
export const replaces = (result: unknown, value: unknown): Outcome => ({ stuck: false, result, writes: true, value });

/** For `update`: KEEP is not written. */
export const updates = (old: unknown, value: unknown): Outcome => (value === KEEP ? reads(old) : replaces(old, value));

/** Whether who waits in this operation is asleep, not spinning: if the wait never ends, that is a deadlock. */
export function sleeps(operation: Operation): boolean {
  return operation.kind === 'lock' || ('sleeps' in operation && operation.sleeps === true);
}

/** Whether who waits in this operation for ever counts as stopped by an assume, and that is no error. */
export function isAssumed(operation: Operation): boolean {
  return 'assumed' in operation && operation.assumed === true;
}

/** Whether nobody needs what it reads. */
export function isUnread(operation: Operation): boolean {
  return 'unread' in operation && operation.unread === true;
}

/** Whether functions of the program are to be asked what it does. */
export function asksThread(operation: Operation): boolean {
  return 'asksThread' in operation && operation.asksThread === true;
}

/** Whether who waits in this operation writes while it waits. */
export function rewrites(operation: Operation): boolean {
  return 'rewrites' in operation && operation.rewrites === true;
}

/** The part of its location that it accesses; undefined: all of it. */
export function sliceOf(operation: Operation): Slice | undefined {
  return 'slice' in operation ? operation.slice : undefined;
}

/** What an operation sees of a value of its location. */
export function seenBy(operation: Operation, value: unknown): unknown {
  const slice = sliceOf(operation);
  return slice === undefined ? value : slice.get(value);
}

/** The loop that a thread which is stopped in this operation goes round in. */
export function loopOf(operation: Operation): SpinLoop | undefined {
  return 'loop' in operation ? operation.loop : undefined;
}

export function isHeld(mutex: number): boolean {
  return (mutex & 1) === 1;
}

/** The value of a mutex; the thread fails if it is none. */
export function mutexIn(value: unknown, { location, position }: MutexOperation): number {
  if (typeof value === 'number' && value >= 0) return value;
  const problem = typeof value === 'number' ? 'was destroyed' : 'is not initialised';
  const message = `the mutex${location.name === undefined ? '' : ` ${location.name}`} ${problem}`;
  throw new ThreadFailure({ kind: 'lock-misuse', message, position });
}

interface MutexOperation {
  readonly location: Location;
  readonly position?: SourcePosition | undefined;
}

/** A function of the program that an operation carries (`update`, `awaitUntil`) threw, or a lock is none. */
export function thrownBy(error: unknown): Operation {
  if (!(error instanceof ThreadFailure)) throw error;
  const { failure } = error;
  return { kind: 'fail', failure, position: failure.position };
}
