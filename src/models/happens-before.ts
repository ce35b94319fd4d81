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
 * Hot code. Four vector clocks belong to an event; entry t counts the events of thread t that
 * - HB: happen before it, itself included;
 * - MESSAGE (of a write): an acquire that reads from it learns of;
 * - RELEASED: the last release fence before it has released;
 * - PENDING: an acquire fence after it would learn of, because relaxed reads have seen it.
 *
 * There is room for four rows, one after the other (RELEASED is HB of the fence; PASSED is for reads of parts), but only HB always is
 * one of its own. For the others columns say which row it is, NONE for nothing: mostly that of the event before, or HB. No row changes
 * once its event was learned of, and the rows that an event names are of events that it depends on, which stay as long as it does.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { ClockRows } from '../program/clock-rows.ts';
import { type Column, grown, NONE } from '../program/columns.ts';
import { WHOLE } from '../program/extent.ts';
import { acquires, learns, Order, releases, strengthOf } from '../program/orders.ts';

const HB = 0;
const MESSAGE = 1;
const PENDING = 2;
/** Of a read, or the write of an update: what several writes have released to it. */
const PASSED = 3;
const ROWS = 4;

export class HappensBeforeClocks {
  readonly #g: Graph;
  readonly #rows = new ClockRows();
  /** By event: rows. */
  #message: Column = new Int32Array(4);
  #released: Column = new Int32Array(4);
  #pending: Column = new Int32Array(4);

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
    if (g.length > this.#message.length) this.#fit(g.length);
    const hb = e * ROWS + HB;
    const own = g.poPrev[e]!;
    const before = own === NONE ? g.spawnedBy[g.thread[e]!]! : own;
    const source = this.#synchronisesWith(e);
    if (before === NONE) rows.clear(hb);
    else if (source === NONE) rows.copy(hb, before * ROWS + HB);
    else rows.setJoin(hb, before * ROWS + HB, source);
    rows.set(hb, g.thread[e]!, g.index[e]! + 1);
    this.#message[e] = NONE;
    this.#released[e] = own === NONE ? NONE : this.#released[own]!;
    this.#pending[e] = own === NONE ? NONE : this.#pending[own]!;
    switch (g.kind[e]) {
      case Kind.READ:
        this.#learnPending(e);
        break;
      case Kind.WRITE:
        this.#message[e] = this.#messageOf(e);
        break;
      case Kind.LOCAL:
        if (releases(g.order[e]!)) this.#released[e] = hb;
        break;
    }
  }

  /** The row that e learns of, beside that of the event before it; NONE: there is none. Only main's first event has none before it. */
  #synchronisesWith(e: EventId): number {
    const g = this.#g;
    switch (g.kind[e]) {
      case Kind.READ: {
        const order = g.order[e]!;
        return acquires(order) && learns(order) ? this.#messageTo(e, g.rf[e]!) : NONE;
      }
      case Kind.JOIN:
        return g.lastOrSpawn(g.location[e]!) * ROWS + HB;
      case Kind.LOCAL:
        return acquires(g.order[e]!) && g.poPrev[e] !== NONE ? this.#pending[g.poPrev[e]!]! : NONE;
      default:
        return NONE;
    }
  }

  /** A read that acquires has learned of the message, and what happens before it needs no fence. */
  #learnPending(e: EventId): void {
    const g = this.#g;
    const order = g.order[e]!;
    if (acquires(order) || !learns(order)) return;
    const message = this.#messageTo(e, g.rf[e]!);
    if (message === NONE) return;
    const known = this.#pending[e]!;
    if (known === NONE) {
      this.#pending[e] = message;
      return;
    }
    this.#rows.setJoin(e * ROWS + PENDING, known, message);
    this.#pending[e] = e * ROWS + PENDING;
  }

  #messageOf(e: EventId): number {
    const g = this.#g;
    const order = g.order[e]!;
    if (strengthOf(order) === Order.PLAIN) return NONE;
    const own = releases(order) ? e * ROWS + HB : this.#released[e]!;
    const read = g.updateRead[e]!;
    if (read === NONE || !learns(g.order[read]!)) return own; // a store to a part keeps the rest, but continues nothing
    const passed = this.#messageTo(e, g.rf[read]!); // an update passes on what the write that it reads has released
    if (passed === NONE || own === NONE) return own === NONE ? passed : own;
    if (releases(order) && acquires(g.order[read]!)) return own; // it has learned of that
    this.#rows.setJoin(e * ROWS + MESSAGE, own, passed);
    return e * ROWS + MESSAGE;
  }

  /** The row of what is released to who reads the bytes of e from `source`; NONE: nothing. */
  #messageTo(e: EventId, source: EventId): number {
    const g = this.#g;
    if (g.thread[source] === NONE) return NONE;
    return g.extent[source] === WHOLE ? this.#message[source]! : this.#messagesTo(e, source);
  }

  /** Of several writes, which the parts of what e reads come from. */
  #messagesTo(e: EventId, source: EventId): number {
    const g = this.#g;
    let all = NONE;
    g.forEachSource(e, source, (w) => {
      const message = g.thread[w] === NONE ? NONE : this.#message[w]!;
      if (message === NONE || message === all) return;
      if (all !== NONE) this.#rows.setJoin(e * ROWS + PASSED, all, message);
      all = all === NONE ? message : e * ROWS + PASSED;
    });
    return all;
  }

  #fit(length: number): void {
    this.#message = grown(this.#message, length);
    this.#released = grown(this.#released, length);
    this.#pending = grown(this.#pending, length);
  }
}
