/**
 * How an execution ended, decided once for all who run executions: explorers of graphs and of schedules, and the recorder. They
 * answer what only they know (`ThreadsAtEnd`); what follows from it is said here.
 */
import { type Behaviours, Step } from './behaviours.ts';
import { NONE } from './columns.ts';
import type { Operation } from './operation.ts';
import { isAssumed, isUnread, loopOf, seenBy, sleeps } from './outcome.ts';

/** The section "Counting" of the documentation says what these are. */
export type Ending = 'complete' | 'blocked' | 'deadlock' | 'livelock' | 'failed';

/** The threads of an execution in which none can go on. Steps are numbers that mean something to who gives this view. */
export interface ThreadsAtEnd {
  readonly behaviours: Behaviours;
  readonly threadCount: number;
  /** The state of thread t; NONE if it does not exist. */
  stateOf(t: number): number;
  /** The value (a number of `Values`) that does not let thread t go on, which waits in state s. */
  valueAwaited(t: number, s: number): number;
  /** The last step of thread t, and the one of its thread before a step; NONE: there is none. */
  lastStep(t: number): number;
  previousStep(step: number): number;
  /** The state in which a step was performed. */
  stateBefore(step: number): number;
  /** Whether the step, which reads, would read the same again now; who cannot tell of one step says yes, and tells in `settles`. */
  wouldReadAgain(step: number): boolean;
  /** Whether memory can stay such that all steps that were asked about read the same again, and who waits goes on waiting. */
  settles(): boolean;
}

/** Why a thread cannot go on, as bits, so that those of all threads can be put together. */
export const Standing = {
  ENDED: 0,
  FAILED: 1,
  EXITED: 2,
  /** An assume does not hold; the bound of a loop is reached. */
  ASSUMED: 4,
  CUT: 8,
  /** It goes round in a loop, and the next round would not be the same: this one came too early or too late. */
  OUTDATED: 16,
  /** It goes round in a loop for ever. */
  SPINNING: 32,
  /** It waits for a mutex, a condition or the end of a thread. */
  ASLEEP: 64,
  /** It has ended, and the program with it. */
  LAST: 128,
} as const;
export type Standing = (typeof Standing)[keyof typeof Standing];

const STOPPED = Standing.ASSUMED | Standing.CUT | Standing.OUTDATED;

export function endingOf(threads: ThreadsAtEnd): Ending {
  const { threadCount } = threads;
  let standings = 0;
  for (let t = 0; t < threadCount; t++) if (threads.stateOf(t) !== NONE) standings |= standingOf(threads, t);
  if ((standings & Standing.FAILED) !== 0) return 'failed';
  if ((standings & Standing.EXITED) !== 0) return 'complete';
  if ((standings & STOPPED) !== 0) return 'blocked';
  if ((standings & Standing.LAST) !== 0) return 'complete';
  if ((standings & Standing.SPINNING) !== 0) return threads.settles() ? 'livelock' : 'blocked';
  return (standings & Standing.ASLEEP) !== 0 ? 'deadlock' : 'complete';
}

/** How thread t stands, which exists and cannot go on. */
export function standingOf(threads: ThreadsAtEnd, t: number): Standing {
  const b = threads.behaviours;
  const s = b.stoppedIn(threads.stateOf(t));
  switch (b.step[s]) {
    case Step.END:
      return endsProgram(b.operation(s)) ? Standing.LAST : Standing.ENDED;
    case Step.FAIL:
      return Standing.FAILED;
    case Step.EXIT:
      return Standing.EXITED;
    case Step.JOIN:
      return Standing.ASLEEP;
    default:
      return standingIn(b.operation(s), threads, t);
  }
}

function endsProgram(operation: Operation): boolean {
  return operation.kind === 'end' && operation.endsProgram === true;
}

/** How thread t stands, stopped in an operation: an await, a lock or a block. */
function standingIn(operation: Operation, threads: ThreadsAtEnd, t: number): Standing {
  if (operation.kind === 'block' && operation.reason !== 'loop') {
    return operation.reason === 'bound' ? Standing.CUT : Standing.ASSUMED;
  }
  if (sleeps(operation)) return Standing.ASLEEP;
  if (isAssumed(operation)) return Standing.ASSUMED;
  return goesRound(threads, t) ? Standing.SPINNING : Standing.OUTDATED;
}

/** Whether thread t will do for ever what it has done since it began the round of the loop that it is stopped in. */
function goesRound(threads: ThreadsAtEnd, t: number): boolean {
  const { depth, location, step } = threads.behaviours;
  const start = startOfRound(threads, t);
  if (start === NONE) return true; // it looks at one location again and again
  const stored = storedSince(threads, t, start);
  for (let i = threads.lastStep(t); i !== NONE; i = threads.previousStep(i)) {
    const s = threads.stateBefore(i);
    if (depth[s]! < start) break;
    if (step[s] === Step.CHOOSE) return false;
    const isSettled = step[s] !== Step.READ || stored.has(location[s]!) || isUnread(threads.behaviours.operation(s));
    if (!isSettled && !threads.wouldReadAgain(i)) return false;
  }
  return true;
}

/**
 * The locations that thread t has written since then. In a round that is gone round for ever no other thread writes them while it does, and
 * they have what they had when it began: so the thread will read there what it has read. (A lock that another thread has for good
 * stops it; then it waits for ever there.)
 */
export function storedSince(threads: ThreadsAtEnd, t: number, start: number): ReadonlySet<number> {
  const b = threads.behaviours;
  const stored = new Set<number>();
  let after = b.stoppedIn(threads.stateOf(t));
  for (let i = threads.lastStep(t); i !== NONE; i = threads.previousStep(i)) {
    const s = threads.stateBefore(i);
    if (b.depth[s]! < start) break;
    const { kind } = b.operation(s);
    const isUpdate = b.step[s] === Step.READ && kind !== 'lock' && kind !== 'trylock';
    if (kind === 'store' || (isUpdate && b.hasChanged(after))) stored.add(b.location[s]!);
    after = s;
  }
  return stored;
}

/** How many operations thread t had performed when it began the round of the loop that it is stopped in; NONE: it is in none. */
export function startOfRound(threads: ThreadsAtEnd, t: number): number {
  const b = threads.behaviours;
  const s = b.stoppedIn(threads.stateOf(t));
  const operation = b.operation(s);
  const loop = loopOf(operation);
  if (loop === undefined) return NONE;
  const awaits = b.step[s] === Step.READ;
  const seen = awaits ? seenBy(operation, b.valueFor(s, threads.valueAwaited(t, s))) : undefined;
  return Math.max(0, loop.since(seen));
}
