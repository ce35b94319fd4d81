/**
 * Happens-before of RA and RC11, after Lahav et al. (PLDI 2017), with the release sequences of C++20:
 *
 *   rs  = [W, atomic]; (rf; rmw)*                a write and the updates that continue it
 *   sw  = [release]; ([F]; po)?; rs; rf; [R, atomic]; (po; [F])?; [acquire]
 *   hb  = (po ∪ sw ∪ spawn ∪ join)+              mutexes are updates that acquire and writes that release
 *
 * Where accesses are to parts of a location (extent.ts), a read synchronises with the writes that its own bytes come from, and an
 * update continues those that the bytes come from which it has read. So a write to one part is nothing to who reads another,
 * although it is an update of the whole.
 *
 * hb depends on po and rf alone, and a new event has no successors in it. So the row of an event, a vector clock, is final when
 * the event has its reads-from, and survives all that is done to other events.
 *
 * Hot code. An event has four rows, one after the other: entry t counts the events of thread t that
 * - HB: happen before it, itself included;
 * - MESSAGE (of a write): an acquire that reads from it learns of;
 * - RELEASED: the last release fence before it has released;
 * - PENDING: an acquire fence after it would learn of, because relaxed reads have seen it.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { ClockRows } from '../program/clock-rows.ts';
import { NONE } from '../program/columns.ts';
import { WHOLE } from '../program/extent.ts';
import { acquires, learns, Order, releases, strengthOf } from '../program/orders.ts';

const HB = 0;
const MESSAGE = 1;
const RELEASED = 2;
const PENDING = 3;
const ROWS = 4;

export class HappensBeforeClocks {
  readonly #g: Graph;
  readonly #rows = new ClockRows();

  constructor(g: Graph) {
    this.#g = g;
  }

  /** Whether a happens before b, which is another event. */
  happensBefore(a: EventId, b: EventId): boolean {
    const t = this.#g.thread[a]!;
    if (t === NONE) return a !== b;
    return a !== b && this.#g.thread[b] !== NONE && this.#rows.at(b * ROWS + HB, t) > this.#g.index[a]!;
  }

  /** The rows of e, the last event of its thread; a read has its reads-from and its order. */
  learn(e: EventId): void {
    const g = this.#g;
    const rows = this.#rows;
    rows.fit(g.length * ROWS, g.stride);
    const before = g.poPrev[e]!;
    if (before !== NONE) rows.copy(e * ROWS, before * ROWS, ROWS);
    else this.#startThread(e, g.spawnedBy[g.thread[e]!]!);
    rows.set(e * ROWS + HB, g.thread[e]!, g.index[e]! + 1);
    const order = g.order[e]!;
    switch (g.kind[e]) {
      case Kind.READ:
        this.#read(e, g.rf[e]!, order);
        break;
      case Kind.WRITE:
        this.#write(e, order);
        break;
      case Kind.JOIN: {
        const t = g.location[e]!;
        rows.join(e * ROWS + HB, g.lastOrSpawn(t) * ROWS + HB);
        break;
      }
      case Kind.LOCAL:
        if (acquires(order)) rows.join(e * ROWS + HB, e * ROWS + PENDING);
        if (releases(order)) rows.copy(e * ROWS + RELEASED, e * ROWS + HB);
        break;
    }
  }

  #read(e: EventId, source: EventId, order: number): void {
    if (!learns(order) || this.#g.thread[source] === NONE) return;
    this.#joinMessages(e, source, PENDING);
    if (acquires(order)) this.#joinMessages(e, source, HB);
  }

  /** A row of e learns what is released to who reads the bytes of e from `source`. */
  #joinMessages(e: EventId, source: EventId, row: number): void {
    const g = this.#g;
    const rows = this.#rows;
    if (g.extent[source] === WHOLE) {
      if (g.thread[source] !== NONE) rows.join(e * ROWS + row, source * ROWS + MESSAGE);
      return;
    }
    g.forEachSource(e, source, (w) => {
      if (g.thread[w] !== NONE) rows.join(e * ROWS + row, w * ROWS + MESSAGE);
    });
  }

  #write(e: EventId, order: number): void {
    const g = this.#g;
    const rows = this.#rows;
    if (strengthOf(order) === Order.PLAIN) {
      rows.clear(e * ROWS + MESSAGE);
      return;
    }
    rows.copy(e * ROWS + MESSAGE, e * ROWS + (releases(order) ? HB : RELEASED));
    const read = g.updateRead[e]!;
    if (read === NONE || !learns(g.order[read]!)) return; // a store to a part keeps the rest, but continues nothing
    this.#joinMessages(e, g.rf[read]!, MESSAGE); // an update passes on what the write that it reads has released
  }

  #startThread(e: EventId, spawn: EventId): void {
    const rows = this.#rows;
    rows.clear(e * ROWS, ROWS);
    if (spawn !== NONE) rows.copy(e * ROWS + HB, spawn * ROWS + HB);
  }
}
