/**
 * One trace of an execution graph, a linearisation of porf ∪ co ∪ fr, that is kept while the graph grows and shrinks, and how many
 * preemptions it has at most, counted as for graphs on the way (`Counting.PREFIX`). It shows that few are needed without a search.
 *
 * Steps are named by their first events, as in `Preemptions`; reads that are stuck are none. A new event is the last of its thread, so
 * leaving the thread after it is free. What it costs to put it somewhere is thus: one if its thread was left before, where that was
 * free as long as it had no next event; and one if that place is in the midst of a block of another thread.
 *
 * `precedes` also knows of edges through reads that are stuck, which no trace has: so a trace may be one although `precedes` says otherwise, and
 * what is asked by it (what can be moved) is at worst too little.
 *
 * Hot code: a doubly linked list, undone by a log.
 */
import { type EventId, type Graph, Kind } from '../../graph/graph.ts';
import type { EventStack } from '../../models/model.ts';
import { type Column, grown, NONE } from '../../program/columns.ts';
import { Counting } from './preemptions.ts';
import type { ProgramGraph } from './program-graph.ts';

/** The place before the first step, and after the last: steps are one more than their events. */
const ENDS = 0;

/** Whether a comes before b in every trace. */
export interface Ordered {
  precedes(a: EventId, b: EventId): boolean;
}

export interface Waits {
  /** Whether leaving its thread before the event is free whatever memory holds. */
  isFreeToLeave(e: EventId): boolean;
}

export class KnownTrace {
  readonly #threads: ProgramGraph;
  readonly #waits: Waits;
  readonly #model: Ordered;
  #next: Column = new Int32Array(64);
  #previous: Column = new Int32Array(64);
  /** Pairs: a place that was linked, or (negative) unlinked, and the one before it. */
  #log: Column = new Int32Array(64);
  #logLength = 0;
  /** By thread: the index of the last event that has a place; see `dropDeleted`. */
  #kept: Column = new Int32Array(8);
  /** Whether a thread of the program may have to wait, other than for the end of another: else leaving one is never free. */
  hasWaits = false;
  /** Whether the step that was added last has come to the end, and no other step has changed its place. */
  isAppended = true;

  // What must come before the step that is added: places, and a write all of whose readers must.
  #eventBefore = ENDS;
  #source = ENDS;
  #overwritten: EventId = NONE;

  constructor(threads: ProgramGraph, waits: Waits, model: Ordered) {
    this.#threads = threads;
    this.#waits = waits;
    this.#model = model;
  }

  mark(): number {
    return this.#logLength;
  }

  undoTo(mark: number): void {
    while (this.#logLength > mark) {
      this.#logLength -= 2;
      const place = this.#log[this.#logLength]!;
      if (place > 0) this.#unlink(place);
      else this.#link(-place, this.#log[this.#logLength + 1]!);
    }
  }

  /** The step that it ends with. */
  get last(): EventId {
    return this.#previous[ENDS]! - 1;
  }

  /**
   * Puts the step of e, the last of its thread, where that costs least. Returns by how much the preemptions may rise; NONE: that
   * must be counted, because others had to change their places.
   */
  add(e: EventId): number {
    const { g } = this.#threads;
    const before = stepOf(g, g.poPrev[e]!) + 1;
    const after = this.#lookAround(e);
    const isFirst = before === ENDS;
    this.isAppended = after === ENDS && (isFirst || this.#previous[ENDS] === before);
    if (this.isAppended) {
      this.#insert(e, this.#previous[ENDS]!);
      return 0;
    }
    for (let late = after; late !== ENDS; late = this.#next[late]!) {
      if (!this.#mustPrecede(late)) continue;
      this.#insert(e, this.#moveForward(after, lastOf(g, e)));
      return NONE;
    }
    let gap = NONE; // a place at which another thread begins
    let place = this.#previous[after]!;
    for (let next = after; ; next = place, place = this.#previous[place]!) {
      if (gap === NONE && this.#isGap(place, next)) gap = place;
      if (place === ENDS || this.#mustPrecede(place)) break;
    }
    if ((!isFirst && place === before) || g.kind[e] === Kind.JOIN) {
      this.#insert(e, place);
      return 0;
    }
    const target = gap === NONE ? place : gap;
    const isFree = isFirst || this.#isFreeToLeave(e);
    const isDelayed = !isFree && this.#delay(before, target);
    this.isAppended = !isDelayed && target === this.#previous[ENDS];
    this.#insert(e, isDelayed ? before : target);
    return (gap === NONE ? 1 : 0) + (isFree || isDelayed ? 0 : 1);
  }

  /**
   * Saves preemptions, some of so many: puts the block that a thread was left after and the one with its next step together, where that
   * can be. Returns whether it has tried all.
   */
  improve(wanted: number): boolean {
    const { g } = this.#threads;
    let saved = 0;
    for (let place = this.#next[ENDS]!, next = ENDS; place !== ENDS; place = next) {
      next = this.#next[place]!;
      if (next === ENDS || g.thread[next - 1] === g.thread[place - 1]) continue;
      const later = g.poNext[lastOf(g, place - 1)]!;
      if (later === NONE || !this.#has(later + 1) || g.kind[later] === Kind.JOIN || this.#isFreeToLeave(later))
        continue;
      if (!this.#delay(place, this.#previous[later + 1]!) && !this.#advance(later + 1, place)) continue;
      if (++saved === wanted) return false;
    }
    return true;
  }

  /** Moves the block that begins at a place to another place before it, if it depends on nothing in between. */
  #advance(start: number, target: number): boolean {
    const { g } = this.#threads;
    const t = g.thread[start - 1];
    let end = start;
    for (let place = start; place !== ENDS && g.thread[place - 1] === t; place = this.#next[place]!) end = place;
    for (let place = this.#next[target]!; place !== start; place = this.#next[place]!) {
      if (this.#model.precedes(place - 1, lastOf(g, end - 1))) return false;
    }
    this.#move(start, end, target);
    return true;
  }

  /** Moves the block that ends at a place to another place after it, if nothing in between depends on it. */
  #delay(end: number, target: number): boolean {
    const { g } = this.#threads;
    const t = g.thread[end - 1];
    let start = end;
    for (let place = end; place !== ENDS && g.thread[place - 1] === t; place = this.#previous[place]!) start = place;
    const after = this.#next[target]!;
    for (let place = this.#next[end]!; place !== after; place = this.#next[place]!) {
      if (this.#model.precedes(start - 1, lastOf(g, place - 1))) return false;
    }
    this.#move(start, end, target);
    return true;
  }

  #move(start: number, end: number, target: number): void {
    for (let place = start, last = target; ; ) {
      const next = this.#next[place]!;
      this.#remove(place);
      this.#insert(place - 1, last);
      if (place === end) return;
      last = place;
      place = next;
    }
  }

  /** Moves all steps from a place on that precede e to right before that place. Returns the last place before it. */
  #moveForward(after: number, e: EventId): number {
    let last = this.#previous[after]!;
    for (let place = this.#next[after]!; place !== ENDS; ) {
      const next = this.#next[place]!;
      if (this.#model.precedes(place - 1, e)) {
        this.#remove(place);
        this.#insert(place - 1, last);
        last = place;
      }
      place = next;
    }
    return last;
  }

  /** Drops the steps that revisits have deleted: those of a thread from one on, whose places in it new ones may have taken. */
  dropDeleted(): void {
    const { g } = this.#threads;
    const { index, thread } = g;
    const count = this.#threads.threadCount();
    if (this.#kept.length < count) this.#kept = grown(this.#kept, count);
    const kept = this.#kept;
    for (let t = 0; t < count; t++) {
      let e = g.last[t]!;
      while (e !== NONE && !this.#has(stepOf(g, e) + 1)) e = g.poPrev[e]!;
      kept[t] = e === NONE ? NONE : index[e]!;
    }
    const next = this.#next;
    for (let place = next[ENDS]!; place !== ENDS; place = next[place]!) {
      if (index[place - 1]! > kept[thread[place - 1]!]!) this.#remove(place);
    }
  }

  /** Whether it has the step of e. */
  has(e: EventId): boolean {
    return this.#has(e + 1);
  }

  /** The trace becomes another one. */
  replace(order: EventStack): void {
    for (let place = this.#next[ENDS]!; place !== ENDS; place = this.#next[place]!) this.#remove(place);
    for (let i = 0; i < order.length; i++) {
      const e = order.items[i]!;
      if (this.#threads.g.updateRead[e] === NONE) this.#insert(e, this.#previous[ENDS]!);
    }
  }

  /**
   * Its preemptions, if nobody waits for a mutex: leaving a thread before a lock costs one. At the end, likewise, if nobody waits for
   * anything but the end of a thread; what leaving a thread costs that waits for ever is left out.
   */
  preemptions(counting: Counting): number {
    const { thread } = this.#threads.g;
    const next = this.#next;
    let preemptions = 0;
    for (let place = next[ENDS]!, later = ENDS; place !== ENDS; place = later) {
      later = next[place]!;
      if (later !== ENDS && thread[place - 1] !== thread[later - 1])
        preemptions += this.#costOfLeaving(place, counting);
    }
    return preemptions;
  }

  // ---------------------------------------------------------------------------------------------------------------

  /** What it costs to leave a thread after its step at this place. */
  #costOfLeaving(place: number, counting: Counting): number {
    const { g } = this.#threads;
    let next = g.poNext[place - 1]!;
    if (next !== NONE && g.updateRead[next] === place - 1) next = g.poNext[next]!;
    if (next === NONE) return 0;
    if (this.#isFreeToLeave(next)) return counting === Counting.END && this.#has(next + 1) ? 1 : 0;
    if (g.kind[next] !== Kind.JOIN) return 1;
    return this.#isUpTo(place, stepOf(g, g.lastOrSpawn(g.location[next]!)) + 1) ? 1 : 0;
  }

  #isFreeToLeave(e: EventId): boolean {
    return this.hasWaits && this.#waits.isFreeToLeave(e);
  }

  /** Whether `other` is `place` or comes before it. */
  #isUpTo(place: number, other: number): boolean {
    let earlier = place;
    while (earlier !== ENDS && earlier !== other) earlier = this.#previous[earlier]!;
    return earlier === other;
  }

  /** Whether a block of some thread ends there. */
  #isGap(place: number, next: number): boolean {
    if (place === ENDS || next === ENDS) return true;
    const { thread } = this.#threads.g;
    return thread[place - 1] !== thread[next - 1];
  }

  /** Notes what must come before e's step in porf ∪ co ∪ fr; returns the place of the first step that must come after it. */
  #lookAround(e: EventId): number {
    const { g } = this.#threads;
    this.#eventBefore = stepOf(g, g.eventBefore(e)) + 1;
    this.#source = ENDS;
    this.#overwritten = NONE;
    switch (g.kind[e]) {
      case Kind.READ: {
        const w = g.rf[e]!;
        const isUpdate = g.isUpdateRead(e);
        this.#source = stepOf(g, w) + 1;
        if (isUpdate) this.#overwritten = w;
        return this.#firstFrom(g.coNext[isUpdate ? g.poNext[e]! : w]!);
      }
      case Kind.WRITE:
        this.#overwritten = this.#lastFrom(g.coPrev[e]!);
        this.#source = stepOf(g, this.#overwritten) + 1;
        return this.#firstFrom(g.coNext[e]!);
      case Kind.JOIN:
        this.#source = stepOf(g, g.lastOrSpawn(g.location[e]!)) + 1;
        return ENDS;
      default:
        return ENDS;
    }
  }

  /** The place of the first of the writes from this one on that has one: steps are put there one after the other. */
  #firstFrom(write: EventId): number {
    const { g } = this.#threads;
    let w = write;
    while (w !== NONE && !this.#has(stepOf(g, w) + 1)) w = g.coNext[w]!;
    return stepOf(g, w) + 1;
  }

  /** The last of the writes up to this one that has a place, or the initialising one. */
  #lastFrom(write: EventId): EventId {
    const { g } = this.#threads;
    let w = write;
    while (g.thread[w] !== NONE && !this.#has(stepOf(g, w) + 1)) w = g.coPrev[w]!;
    return w;
  }

  #has(place: number): boolean {
    return place < this.#next.length && this.#next[this.#previous[place]!] === place;
  }

  #mustPrecede(place: number): boolean {
    if (place === this.#eventBefore || place === this.#source) return true;
    if (this.#overwritten === NONE) return false;
    const { g } = this.#threads;
    return g.kind[place - 1] === Kind.READ && g.rf[place - 1] === this.#overwritten;
  }

  // ------------------------------------------------------------------------------------------------------ the list

  #insert(e: EventId, after: number): void {
    const place = e + 1;
    if (place >= this.#next.length) {
      this.#next = grown(this.#next, place + 1);
      this.#previous = grown(this.#previous, place + 1);
    }
    this.#link(place, after);
    this.#write(place, after);
  }

  #remove(place: number): void {
    this.#unlink(place);
    this.#write(-place, this.#previous[place]!);
  }

  #link(place: number, after: number): void {
    const next = this.#next[after]!;
    this.#previous[place] = after;
    this.#next[place] = next;
    this.#next[after] = place;
    this.#previous[next] = place;
  }

  /** Leaves its own links, so that a walk can go on from there. */
  #unlink(place: number): void {
    const previous = this.#previous[place]!;
    const next = this.#next[place]!;
    this.#next[previous] = next;
    this.#previous[next] = previous;
  }

  #write(entry: number, previous: number): void {
    if (this.#logLength + 2 > this.#log.length) this.#log = grown(this.#log, this.#logLength + 2);
    this.#log[this.#logLength++] = entry;
    this.#log[this.#logLength++] = previous;
  }
}

/** The step that an event is of; NONE for one that no thread has performed. */
export function stepOf(g: Graph, e: EventId): EventId {
  if (e === NONE || g.thread[e] === NONE) return NONE;
  const read = g.updateRead[e]!;
  return read === NONE ? e : read;
}

/** The last event of a step. */
function lastOf(g: Graph, step: EventId): EventId {
  return g.isUpdateRead(step) ? g.poNext[step]! : step;
}
