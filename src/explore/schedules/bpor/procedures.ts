/** What differs from bound to bound in [BPOR]: the procedures that Algorithm 2 calls. */
import type { Interleaving } from '../interleaving.ts';
import type { ScheduleBound } from '../schedule-bound.ts';
import type { Dependences } from './dependences.ts';
import type { Points } from './points.ts';

/** What they look at. */
export interface Search {
  readonly schedule: Interleaving;
  readonly points: Points;
  readonly dependences: Dependences;
  readonly bound: ScheduleBound;
  readonly variant: Variant;
}

/** How the algorithm may be otherwise, for tests and comparisons. */
export interface Variant {
  /**
   * - `none`: sleep sets are not used; this is the algorithm that the paper proves.
   * - `cost`: a thread sleeps as long as that loses nothing within the bound.
   * - `as written`: as section 5.4 can be read: a thread that was added conservatively never goes to sleep. Not sound.
   * - `beside`: in a branch that was added conservatively no sibling sleeps. Not sound.
   */
  readonly sleep: 'none' | 'cost' | 'as written' | 'beside';
  /** Whether a request for a thread that is asleep asks for all that are enabled. Without that it is not sound. */
  readonly sleepersAskForAll: boolean;
  /** Whether there is a second backtrack point, at the start of a block. Without that it is not sound. */
  readonly second: boolean;
  /** Whether a join and the end of its thread depend on each other, which only matters to a bound on preemptions. */
  readonly joins: boolean;
  /** With a fair bound, whether all threads are explored where a release is. Without that it is not sound. */
  readonly releases: boolean;
  /** With both bounds, whether all are explored around what changes who is enabled. Without that it is not sound. */
  readonly around: boolean;
  /** Whether threads that were added conservatively are explored only where the bound has refused something. */
  readonly lazy: boolean;
  /** Whether dependences that happens-before orders anyway ask for nothing: the first optimisation of section 5. */
  readonly skipsOrdered: boolean;
  /**
   * Whether a request for a thread that cannot go on asks for one that leads to it, if there is one, and for all others only where
   * the bound has refused something: the second optimisation of section 5.
   */
  readonly transitive: boolean;
}

export const usualVariant: Variant = {
  sleep: 'cost',
  sleepersAskForAll: true,
  second: true,
  joins: true,
  releases: true,
  around: true,
  lazy: true,
  skipsOrdered: true,
  transitive: true,
};

/** Points are numbered like the steps that follow them. */
export interface Procedures {
  /** The schedule has come to point d, and it is known who is enabled there. */
  arrive(d: number): void;
  /** Initialize: the thread to explore first from point d, one that costs least. */
  initialize(d: number): number;
  /** u is in backtrack(s) of point d. */
  added(d: number, u: number): void;
  /** Backtrack(S, i, u): the next operation of u depends on step i. */
  backtrack(i: number, u: number, mark: number): void;
  /**
   * The last step led to point d and is independent of the next one of thread q, which was asleep before or was explored there,
   * and the bound refused something then. Whether q may sleep at d: whether all that continues the schedule, then q's step,
   * within the bound was explored where q's step came first.
   */
  staysAsleep(q: number, d: number): boolean;
}
