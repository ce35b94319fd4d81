/**
 * Happens-before of RA and RC11, after Lahav et al. (PLDI 2017), with the release sequences of C++20:
 *
 *   rs  = [W, atomic]; (rf; rmw)*                a write and the updates that continue it
 *   sw  = [release]; ([F]; po)?; rs; rf; [R, atomic]; (po; [F])?; [acquire]
 *   hb  = (po ∪ sw ∪ spawn ∪ join)+              mutexes are updates that acquire and writes that release
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
import { type Column, grown, NONE } from '../program/columns.ts';
import { acquires, Order, releases, strengthOf } from '../program/orders.ts';

const HB = 0;
const MESSAGE = 1;
const RELEASED = 2;
const PENDING = 3;
const ROWS = 4;

export class HappensBeforeClocks {
  readonly #g: Graph;
  #stride = 0;
  #capacity = 0;
  #rows: Column = new Int32Array(0);

  constructor(g: Graph) {
    this.#g = g;
  }

  /** Whether a happens before b, which is another event. */
  happensBefore(a: EventId, b: EventId): boolean {
    const t = this.#g.thread[a]!;
    if (t === NONE) return a !== b;
    return a !== b && this.#g.thread[b] !== NONE && this.#rows[b * ROWS * this.#stride + t]! > this.#g.index[a]!;
  }

  /** The rows of e, the last event of its thread; a read has its reads-from and its order. */
  learn(e: EventId): void {
    const g = this.#g;
    this.#fit();
    const before = g.poPrev[e]!;
    if (before !== NONE) this.#startAfter(e, before);
    else this.#startThread(e, g.spawnedBy[g.thread[e]!]!);
    this.#rows[this.#row(e, HB) + g.thread[e]!] = g.index[e]! + 1;
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
        this.#join(e, HB, g.lastOrSpawn(t), HB);
        break;
      }
      case Kind.LOCAL:
        if (acquires(order)) this.#join(e, HB, e, PENDING);
        if (releases(order)) this.#copy(e, RELEASED, e, HB);
        break;
    }
  }

  #read(e: EventId, source: EventId, order: number): void {
    if (strengthOf(order) === Order.PLAIN || this.#g.thread[source] === NONE) return;
    this.#join(e, PENDING, source, MESSAGE);
    if (acquires(order)) this.#join(e, HB, source, MESSAGE);
  }

  #write(e: EventId, order: number): void {
    const g = this.#g;
    if (strengthOf(order) === Order.PLAIN) {
      this.#clear(e, MESSAGE);
      return;
    }
    this.#copy(e, MESSAGE, e, releases(order) ? HB : RELEASED);
    const read = g.updateRead[e]!;
    if (read === NONE) return;
    const source = g.rf[read]!; // an update passes on what the write that it reads has released
    if (g.thread[source] !== NONE) this.#join(e, MESSAGE, source, MESSAGE);
  }

  // ----------------------------------------------------------------------------------------------------------- rows

  #startAfter(e: EventId, before: EventId): void {
    const into = this.#row(e, HB);
    const from = this.#row(before, HB);
    this.#rows.copyWithin(into, from, from + ROWS * this.#stride);
  }

  #startThread(e: EventId, spawn: EventId): void {
    const into = this.#row(e, HB);
    this.#rows.fill(0, into, into + ROWS * this.#stride);
    if (spawn !== NONE) this.#copy(e, HB, spawn, HB);
  }

  #row(e: EventId, which: number): number {
    return (e * ROWS + which) * this.#stride;
  }

  #clear(e: EventId, which: number): void {
    const into = this.#row(e, which);
    this.#rows.fill(0, into, into + this.#stride);
  }

  #copy(e: EventId, which: number, source: EventId, from: number): void {
    const start = this.#row(source, from);
    this.#rows.copyWithin(this.#row(e, which), start, start + this.#stride);
  }

  #join(e: EventId, which: number, source: EventId, from: number): void {
    const rows = this.#rows;
    const into = this.#row(e, which);
    const start = this.#row(source, from);
    for (let t = 0; t < this.#stride; t++) if (rows[start + t]! > rows[into + t]!) rows[into + t] = rows[start + t]!;
  }

  /** Makes room for the rows of the graph; a wider row means that the rows are laid out anew. */
  #fit(): void {
    const g = this.#g;
    if (g.stride !== this.#stride) this.#widen(g.stride);
    const needed = g.length * ROWS * this.#stride;
    if (needed > this.#rows.length) this.#rows = grown(this.#rows, needed);
    this.#capacity = Math.max(this.#capacity, g.length);
  }

  #widen(stride: number): void {
    const old = this.#stride;
    const rows = new Int32Array(this.#capacity * ROWS * stride);
    for (let i = 0; i < this.#capacity * ROWS; i++) rows.set(this.#rows.subarray(i * old, (i + 1) * old), i * stride);
    this.#rows = rows;
    this.#stride = stride;
  }
}
