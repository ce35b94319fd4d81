/**
 * What an explorer over execution graphs asks of a memory model. One implementation answers for graphs with a total
 * coherence order (the equivalence `co`), another for graphs without (the equivalence `rf`).
 *
 * The explorer adds one event after the other. It calls, for a read: `readCandidates`, then sets its reads-from and its
 * memory order, which may depend on the value read, then `added`; for a write: `placings`, sets its coherence, `added`; for
 * any other event `added` alone. `mark` and `undoTo` bracket changes as those of the graph do, and are called together
 * with them.
 *
 * An event that is added is the last of its thread and has been read by nobody, so that it can only break consistency by
 * an edge that leads from it: by fr if it reads, by co if it writes. A choice that is refused for that reason cannot be
 * saved by a later revisit: a cycle survives unless one of its events is deleted, and then an edge leads from a deleted event
 * to one that stays, so that the deleted one was not added maximally.
 */

import type { EventId } from '../graph/graph.ts';
import type { Column } from '../program/columns.ts';
import { grown } from '../program/columns.ts';

export type HappensBefore = (a: EventId, b: EventId) => boolean;

export interface GraphModel {
  /** Whether the lists of writes are coherence orders that tell one graph from another; else each is one of those that there may be. */
  readonly hasCoherence: boolean;
  /**
   * Whether a happens before b, where that is less than porf; undefined where every atomic access synchronises. b must have
   * been added.
   */
  readonly happensBefore: HappensBefore | undefined;
  /** Where executions are interleavings: whether event a comes before b, which has been added, in all those of this graph. */
  precedes?(a: EventId, b: EventId): boolean;
  /** Pushes the writes that the new read r may read from so that the graph stays consistent; latest first, at least one. */
  readCandidates(r: EventId, out: EventStack): void;
  /** Whether r, new, may read from w. */
  canRead(r: EventId, w: EventId): boolean;
  /** Pushes the writes right after which the new write w may come so that the graph stays consistent; latest first. */
  placings(w: EventId, out: EventStack): void;
  /** Whether every way to add the access e that was listed keeps the graph consistent, whatever `added` finds out of others. */
  isListExact?(e: EventId): boolean;
  /**
   * e has all its edges and its memory order now. `isUpdate`: e is the read of an atomic update, and its write will be added
   * next. Returns whether the graph is still consistent (a model may find out only here).
   */
  added(e: EventId, isUpdate: boolean): boolean;
  /** Whether a read that all writes happen before can only read the last one in the list; else only with coherence. */
  isLastKnown?(): boolean;
  /** Called before `isMaximallyAdded` for events that a revisit of r by the new write w would delete. */
  beginRevisit(r: EventId, w: EventId): void;
  /** [TruSt], procedure IsMaximallyAdded. */
  isMaximallyAdded(e: EventId, w: EventId): boolean;
  /** It was true of all that w's revisit would delete: whether that is the last word. If left out, it is. */
  areMaximallyAdded?(w: EventId): boolean;
  /** They were deleted. */
  deleted?(): void;
  /** Whether the read r, which got stuck, may be taken to read w for good: nothing comes after w. */
  mayStayStuck(r: EventId, w: EventId): boolean;
  /** Whether w, or a write that it depends on, comes after the write that r reads. */
  isOvertaken(r: EventId, w: EventId): boolean;
  /**
   * Whether the threads that are stuck on a read are stuck for good, and this graph is the one that stands for that.
   * `blocks` tells whether r would be stuck if it read w.
   */
  isStuckForGood(stuck: EventStack, blocks: (r: EventId, w: EventId) => boolean): boolean;
  /**
   * Whether memory can end such that each read of `reads` would keep what it has read, and those in `stuck` stay so. `keeps` tells
   * whether r (of either) does if it read w.
   */
  settles(stuck: EventStack, reads: EventStack, keeps: (r: EventId, w: EventId) => boolean): boolean;
  /**
   * Pushes all events in an order in which they can be told: causes first (porf). Under sequential consistency it is one in
   * which memory would run them, such that the reads in `stuck` read what is last in memory.
   */
  linearise(out: EventStack, stuck: EventStack): void;
  /**
   * Pushes the writes, those of each location in coherence order; where coherence is not tracked, in one that is consistent and
   * lets the reads in `stuck` stay so. Left out where that is the order of `linearise`.
   */
  coherence?(out: EventStack, stuck: EventStack): void;
  mark(): number;
  undoTo(mark: number): void;
}

/** A stack of events that grows and never shrinks its memory. */
export class EventStack {
  items: Column = new Int32Array(2);
  length = 0;

  push(e: EventId): void {
    if (this.length === this.items.length) this.items = grown(this.items, this.length + 1);
    this.items[this.length++] = e;
  }
}
