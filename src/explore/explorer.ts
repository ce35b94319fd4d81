/**
 * What every algorithm offers to `check`, and what it reports. An explorer runs in slices, so that its caller can show
 * progress, obey limits and be interrupted; it holds all its state itself.
 */
import type { Behaviours } from '../program/behaviours.ts';
import type { Ending } from '../program/ending.ts';
import type { Execution, SavedSearch, WorkItem } from '../program/execution.ts';
import type { FailureKind, SourcePosition } from '../program/operation.ts';
import type { SampleOptions, Thinning } from './thinning.ts';

/** The numbers of section "Counting" of the documentation; one word per ending, here, in the output and in the docs. */
export interface Counts {
  /** Executions in which every thread ran to its end. */
  complete: number;
  /** Executions that end with a thread stopped by a failed assume or a loop bound, or waiting for such a thread. */
  blocked: number;
  /** What a non-optimal algorithm explored and threw away. */
  redundant: number;
  /** Complete executions beyond the bound that slack let through. */
  overBound: number;
  /** Executions in which an error occurred. */
  erroneous: number;
  /** What a bound refused: graphs, or steps of schedules, with all that would have come of them. */
  pruned: number;
  /** Where everything that could come next was refused, so that nothing came of it. */
  boundBlocked: number;
}

export function noCounts(): Counts {
  return { complete: 0, blocked: 0, redundant: 0, overBound: 0, erroneous: 0, pruned: 0, boundBlocked: 0 };
}

/** An error, and the execution that leads to it. */
export interface Finding {
  readonly kind: FailureKind;
  readonly message: string;
  readonly position: SourcePosition | undefined;
  /** The paths of the thread that failed or leaks, or the threads that wait, or the two that clash. */
  readonly threads: readonly string[];
  /**
   * For two accesses that clash (a race, a use after free, a double free): the first thread's operation, by its number in
   * the thread; the second thread's is its next. For a leak: the operation that allocated.
   */
  readonly operation?: number;
  /** For an execution that is taken not to end: how many of its last steps repeat those before; 0: that is not known. */
  readonly round?: number;
  /** The least number of preemptions of the execution, if a bound on them judges errors; it may exceed the bound. */
  readonly preemptions?: number;
  readonly witness: Execution;
}

/** Something that is worth telling and no error. */
export interface Warning {
  readonly kind: 'leak';
  readonly message: string;
  readonly location: SourcePosition | undefined;
}

/** What every algorithm knows; those that only some have: `options.ts`. */
export interface ExploreOptions {
  /** Go on after an error. */
  readonly keepGoing: boolean;
  /** Look for data races. */
  readonly races: boolean;
  /** Whether an await that nothing can satisfy is an error (or else counted as blocked). */
  readonly livelock: boolean;
  /** Whether memory that nobody frees is an error (or else a warning). */
  readonly checkLeaks: boolean;
  readonly maxExecutions: number;
  /** For tests and comparisons: called at the end of each execution that counts. */
  readonly onExecution?: (ending: Ending) => void;
}

/**
 * An explorer whose search can be cut in pieces: written down, continued elsewhere, shared out.
 *
 * At whatever point it is cut, what was counted before and what is counted after `load` together are exactly what one search of the
 * whole counts: each execution once. Errors may be found by both.
 *
 * A search that has stopped (`run` is done and nothing is exhausted) can be cut like any other:
 * - After as many executions as wanted: the others are left.
 * - At an error: the search is over, and its result is that error. What is left includes the execution that failed, for a search
 *   that goes on after errors (`keepGoing`); so `save` takes it out of the counts, and who wants to report the stop looks at them
 *   before. A search that loads this and does not go on after errors stops at the same error at once.
 *
 * A search that broke off with an exception has nothing to save.
 */
export interface Divisible {
  /** Whether anything is left besides the execution that is being explored: only then is there something to give away. */
  readonly hasOthers: boolean;
  /** What is left to explore. The search goes on with that, as after `load`. */
  save(): SavedSearch;
  /** Explores that, and nothing else; whatever was left before is forgotten. The counts go on from where they are. */
  load(saved: SavedSearch): void;
}

export function isDivisible<T extends Explorer>(explorer: T): explorer is T & Divisible {
  return 'save' in explorer && 'load' in explorer;
}

/** An explorer whose search others can take samples of: what comes of what it has not tried does not depend on what it tries before. */
export interface Estimable {
  /** Within the same bounds, as they are now. */
  newSampler(): Sampler;
}

/** Takes one sample after the other, with threads of its own: the search does not notice. */
export interface Sampler {
  /** Begins a sample of how many executions come of these. */
  begin(items: readonly WorkItem[], options: SampleOptions): void;
  /** Goes on for about so many steps; what it came to, if it is over. */
  run(steps: number): Pick<Thinning, 'executions' | 'nodes'> | undefined;
}

/** A sample does not come to its end. */
export class Inestimable extends Error {}

export function isEstimable<T extends Explorer>(explorer: T): explorer is T & Estimable {
  return 'newSampler' in explorer;
}

/** What a search may be bounded by: preemptions, and by how many yields threads may be ahead of others. */
export const searchBounds = ['preemptions', 'fairness'] as const;

export interface SearchBound {
  readonly name: (typeof searchBounds)[number];
  readonly value: number;
  /** What it refused, of what `pruned` counts. */
  readonly refused: number;
  /** Whether the search has not met anything that it is about. */
  readonly isIdle?: boolean;
}

/** An explorer with a bound, or several. */
export interface Bounded {
  /** The first is the one that rises. */
  readonly bounds: readonly SearchBound[];
  /** The value of the first. */
  readonly bound: number;
  /** Whether all that it refused is kept. */
  readonly keepsRefused: boolean;
  /**
   * The search with this bound is exhausted: goes on to the next bound. Explores what was refused, if it was kept and is not to
   * begin `afresh`, or else everything again; then the counts begin anew, too.
   */
  deepen(afresh?: boolean): void;
}

export function hasBound<T extends Explorer>(explorer: T): explorer is T & Bounded {
  return 'deepen' in explorer && 'bound' in explorer;
}

/** Nothing was explored yet, and is to be with this bound. */
export function raiseTo(explorer: Bounded, bound: number): void {
  while (explorer.bound < bound) explorer.deepen(true);
}

export interface Explorer {
  readonly behaviours: Behaviours;
  readonly counts: Counts;
  readonly findings: readonly Finding[];
  readonly warnings: readonly Warning[];
  /** Executions in which the bound of a loop stopped a thread. */
  readonly cutExecutions: number;
  /** The status other than 0 with which all complete executions have ended the program; undefined: there is none. */
  readonly exitStatus: number | undefined;
  /** Explores until done, or for about `steps` steps. Returns whether it is done (or stopped at an error or a limit). */
  run(steps: number): boolean;
  /** Whether everything was explored. */
  readonly isExhausted: boolean;
  /** The part of the search tree that is explored, from 0 to 1: a guess that takes all options of a choice to be alike. */
  progress(): number;
  /** What the program has said of itself where others explored parts of the search: see `Program`. */
  readonly saidElsewhere?: { readonly assumptions: readonly string[]; readonly limits: readonly string[] };
  /** If there is nothing to do for now, because others explore what is left: resolves when there may be. */
  rest?(): Promise<void> | undefined;
}

/** Executions that ended so far, in whatever way. */
export function executionsOf(counts: Omit<Counts, 'pruned' | 'boundBlocked'>): number {
  return counts.complete + counts.blocked + counts.redundant + counts.overBound + counts.erroneous;
}

/**
 * The executions whose threads are all run again to see that they are deterministic: the first few, then fewer. `isClosed`: only
 * Heddle itself can make them otherwise (`Behaviours.isClosed`), and that shows in a few.
 */
export function isRerun(executions: number, isClosed = false): boolean {
  const isPowerOfTwo = (executions & (executions - 1)) === 0;
  return isPowerOfTwo || (!isClosed && (executions <= RERUN_FIRST || executions % RERUN_EVERY === 0));
}

/** The next one after so many. */
export function nextRerun(executions: number, isClosed: boolean): number {
  if (!isClosed && executions < RERUN_FIRST) return executions + 1;
  const power = 2 ** Math.floor(Math.log2(Math.max(1, executions)) + 1);
  return isClosed ? power : Math.min(power, (Math.floor(executions / RERUN_EVERY) + 1) * RERUN_EVERY);
}

const RERUN_FIRST = 16;
const RERUN_EVERY = 65_536;
