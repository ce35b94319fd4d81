/**
 * What an algorithm may add to TruSt: which graphs are worth exploring, and how a full one counts. A bound on preemptions is such
 * a policy, and so is symmetry. TruSt asks; it knows nothing of what is behind the answers.
 */
import type { EventId } from '../../graph/graph.ts';
import type { EventStack, GraphModel } from '../../models/model.ts';
import type { Ending } from '../../program/ending.ts';
import type { Counts } from '../explorer.ts';
import type { ProgramGraph } from './program-graph.ts';

/** How a full graph counts: as it ended, as one beyond the bound, or not at all. */
export type Judgement = 'counts' | 'over bound' | 'dropped';

export interface GraphPolicy {
  /**
   * Whether to go on from the graph as it is. Asked each time that an operation was added (an update once its write has its place)
   * or a read was revisited; what is refused is left out with all that would come of it.
   */
  admits(): boolean;
  /** The loop that the build has translated for it (`hot-loop.ts`), by name; left out: there is none. */
  readonly hotLoop?: string | undefined;
  /** Whether graphs are all alike to it: then reads that wait may come last, and leave the graph. Left out: no. */
  readonly isBlind?: boolean;
  /**
   * Counts the graph as it will be with the access e (NONE: without another event) and with a quiet tail (`quiet-tail.ts`), if it
   * counts whatever that tail is; false: that is not known, the events are needed. Asked instead of `judge`, and for e instead of
   * `admits`. Left out: it never is known.
   */
  countsAhead?(e: EventId): boolean;
  /** Whether it is asked that only if nothing in memory comes after e. Left out: no. */
  readonly countsLastOnly?: boolean;
  /** A full graph, each of whose parts was admitted, has ended so. */
  judge(ending: Ending): Judgement;
  /** For a bound on preemptions: errors are then told at the end of their executions, each with its least number of preemptions. */
  readonly preemptions?: LeastPreemptions;
  /** Bracket changes as those of the graph do: a policy that keeps something for the graph takes it back with it. */
  mark(): number;
  undoTo(mark: number): void;
}

/** Of the full graph that was judged. */
export interface LeastPreemptions {
  least(): number;
  /** Pushes its events in an order with so many preemptions. */
  linearise(out: EventStack): void;
}

/** A policy looks at the graph that it is made for, and counts what it refuses. */
export type MakePolicy = (threads: ProgramGraph, counts: Counts, model: GraphModel) => GraphPolicy;

/** Every graph is explored, and counts. */
export const everyGraph: GraphPolicy = {
  isBlind: true,
  countsAhead: () => true,
  admits: () => true,
  judge: () => 'counts',
  mark: () => 0,
  undoTo: () => {},
};
