/**
 * Sequential consistency with coherence: a graph is consistent if po ∪ rf ∪ co ∪ fr is acyclic ([TruSt], section 2; spawns
 * and joins count as program order). Call the transitive closure of that relation hb.
 *
 * No general cycle check is needed. A new event e is last in its thread. Whatever it reads, or wherever in coherence
 * order it is placed, edges lead from it only to the next write x in coherence order, so a cycle means that x is
 * hb-before the event before e in its thread (x is never hb-before the write that e reads or follows, nor before the
 * reads of that write: these come before x). Hence: let m be the coherence-latest write that happens before that event;
 * e may read m or any later write, and be placed anywhere after m.
 *
 * A backward revisit needs no more than that. The events that it deletes were added maximally, so that no edge leads
 * from them to an event that stays: the clocks of what stays are right as they are. Then w is placed and r added anew,
 * as the last event of its thread, reading w: two additions as above.
 *
 * Hot code. Row e of `clock` is the vector clock of hb: entry t counts the events of t that are hb-before e, itself
 * included. An event with an edge to older events (a read of an old write, a write placed in the middle) changes their
 * rows; the old rows are kept for undoing.
 */
import { type EventId, Kind } from '../graph/graph.ts';
import { ClockRows } from '../program/clock-rows.ts';
import { NONE } from '../program/columns.ts';
import { CoherenceModel } from './coherence.ts';
import { EventStack } from './model.ts';

export class SequentialConsistency extends CoherenceModel {
  readonly #clock = new ClockRows();
  readonly #todo = new EventStack();

  protected isSettled(w: EventId, e: EventId): boolean {
    const { g } = this;
    const before = g.eventBefore(e);
    if (before === NONE) return false;
    const t = g.thread[w]!;
    return t === NONE || this.#clock.at(before, t) > g.index[w]!;
  }

  precedes(a: EventId, b: EventId): boolean {
    return this.#clock.at(b, this.g.thread[a]!) > this.g.index[a]!;
  }

  added(e: EventId, isUpdate: boolean): boolean {
    const { g } = this;
    const clock = this.#clock;
    clock.fit(g.length, g.stride);
    const before = g.eventBefore(e);
    const other = this.#otherBefore(e);
    if (before === NONE) clock.clear(e);
    else if (other === NONE) clock.copy(e, before);
    else clock.setJoin(e, before, other);
    clock.set(e, g.thread[e]!, g.index[e]! + 1);
    switch (g.kind[e]) {
      case Kind.READ: {
        const w = g.rf[e]!;
        // If another update has read w too, this graph only lives on through a revisit that deletes that update, and with
        // it, as it was added maximally, all that comes after w: there is nobody to tell.
        if (g.coNext[w] !== NONE && !(isUpdate && this.isFollowedByUpdate(w))) this.#propagate(e, g.coNext[w]!);
        break;
      }
      case Kind.WRITE: {
        for (let r = g.readers[g.coPrev[e]!]!; r !== NONE; r = g.readNext[r]!) clock.join(e, r);
        if (g.coNext[e] !== NONE) this.#propagate(e, g.coNext[e]!);
        break;
      }
    }
    return true;
  }

  /** The event of another thread, or of e's own, that e comes right after by what it reads, overwrites or joins; NONE: there is none. */
  #otherBefore(e: EventId): EventId {
    const { g } = this;
    switch (g.kind[e]) {
      case Kind.READ:
        return g.thread[g.rf[e]!] === NONE ? NONE : g.rf[e]!;
      case Kind.WRITE:
        return g.thread[g.coPrev[e]!] === NONE ? NONE : g.coPrev[e]!;
      case Kind.JOIN:
        return g.lastOrSpawn(g.location[e]!);
      default:
        return NONE;
    }
  }

  linearise(out: EventStack): void {
    const { g } = this;
    const done = new Int32Array(g.stride);
    const isReady = (e: EventId): boolean => {
      for (let t = 0; t < g.stride; t++) {
        const needed = this.#clock.at(e, t) - (t === g.thread[e] ? 1 : 0);
        if (needed > done[t]!) return false;
      }
      return true;
    };
    const next = (t: number): EventId => {
      if (g.last[t] === NONE || g.index[g.last[t]!]! < done[t]!) return NONE;
      let e = g.first[t]!;
      while (g.index[e]! < done[t]!) e = g.poNext[e]!;
      return e;
    };
    for (let progress = true; progress; ) {
      progress = false;
      for (let t = 0; t < g.stride; t++) {
        for (let e = next(t); e !== NONE && isReady(e); e = g.poNext[e]!) {
          out.push(e);
          done[t] = done[t]! + 1;
          progress = true;
        }
      }
    }
  }

  mark(): number {
    return this.#clock.mark();
  }

  undoTo(mark: number): void {
    this.#clock.undoTo(mark);
  }

  // ---------------------------------------------------------------------------------------------------------------

  /** e, new, is now hb-before `target` and all that follows it. */
  #propagate(e: EventId, target: EventId): void {
    const { g } = this;
    const todo = this.#todo;
    todo.length = 0;
    this.#reach(e, target);
    while (todo.length > 0) {
      const x = todo.items[--todo.length]!;
      if (g.poNext[x] !== NONE) this.#reach(e, g.poNext[x]!);
      else this.#reachAll(e, g.joiners[g.thread[x]!]!);
      switch (g.kind[x]) {
        case Kind.WRITE:
          this.#reachAll(e, g.readers[x]!);
          if (g.coNext[x] !== NONE) this.#reach(e, g.coNext[x]!);
          break;
        case Kind.READ:
          if (g.coNext[g.rf[x]!] !== NONE) this.#reach(e, g.coNext[g.rf[x]!]!);
          break;
        case Kind.SPAWN: {
          const t = g.location[x]!;
          if (g.last[t] !== NONE) this.#reach(e, g.first[t]!);
          else this.#reachAll(e, g.joiners[t]!);
          break;
        }
      }
    }
  }

  #reachAll(e: EventId, listed: EventId): void {
    for (let r = listed; r !== NONE; r = this.g.readNext[r]!) this.#reach(e, r);
  }

  #reach(e: EventId, x: EventId): void {
    if (x !== e && this.#clock.joinSaved(x, e)) this.#todo.push(x);
  }
}
