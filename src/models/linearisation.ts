/**
 * Is there an order of events in which sequentially consistent memory could have run them, if only program order and
 * reads-from are known? The problem is NP-complete; so first every order that is forced is derived (saturation, which
 * settles nearly all cases), then a search runs the events, reads as early as they can, and tries the writes in turn.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { type Column, grown, NONE } from '../program/columns.ts';
import type { CoherenceSearch, MayBeLast } from './reads-from.ts';

export class Linearisation implements CoherenceSearch {
  readonly #g: Graph;
  limit: Column = new Int32Array(8);
  /** A read whose reads-from is not set yet, and what it is taken to read. */
  #read: EventId = NONE;
  #readFrom: EventId = NONE;

  /** All events that take part, in program order per thread. */
  #events: EventId[] = [];
  /** By location that is accessed: its writes that take part, init first. */
  readonly #writes = new Map<EventId, EventId[]>();
  /** Vector clocks of the forced order, by event. */
  #forced: Column = new Int32Array(0);
  /** Forced edges beyond program order, reads-from, spawns and joins: pairs. */
  readonly #edges: EventId[] = [];

  // The search.
  #done: Int32Array<ArrayBuffer> = new Int32Array(8);
  /** By thread: its next event, NONE at the end. */
  #next: Int32Array<ArrayBuffer> = new Int32Array(8);
  /** By location (init): the write that ran last. */
  #last: Column = new Int32Array(64);
  /** By write: its reads that have not run yet. */
  #unread: Column = new Int32Array(64);
  /** By write: the one that it replaced, once it has run. */
  #replaced: Column = new Int32Array(64);
  readonly order: EventId[] = [];
  readonly #failed = new Set<string>();
  #mayBeLast: MayBeLast | undefined;

  constructor(g: Graph) {
    this.#g = g;
  }

  setAll(): void {
    const g = this.#g;
    if (this.limit.length < g.stride) this.limit = grown(this.limit, g.stride);
    for (let t = 0; t < g.stride; t++) this.limit[t] = g.last[t] === NONE ? 0 : g.index[g.last[t]!]! + 1;
  }

  /** Finds an order; it is in `order` then, and `lastWrite` answers for it. */
  find(r: EventId = NONE, w: EventId = NONE, mayBeLast?: MayBeLast): boolean {
    this.#read = r;
    this.#readFrom = w;
    this.#collect();
    if (!this.#saturate()) return false;
    this.#mayBeLast = mayBeLast;
    this.#startSearch();
    return this.#search();
  }

  lastWrite(init: EventId): EventId {
    return this.#writes.has(init) ? this.#last[init]! : init;
  }

  // ------------------------------------------------------------------------------------------------- saturation

  #rf(e: EventId): EventId {
    return e === this.#read ? this.#readFrom : this.#g.rf[e]!;
  }

  #takesPart(e: EventId): boolean {
    const t = this.#g.thread[e]!;
    return t === NONE || this.#g.index[e]! < this.limit[t]!;
  }

  #collect(): void {
    const g = this.#g;
    this.#events = [];
    this.#writes.clear();
    this.#edges.length = 0;
    for (let t = 0; t < g.stride; t++) {
      if (g.last[t] === NONE) continue;
      for (let e = g.first[t]!; e !== NONE && g.index[e]! < this.limit[t]!; e = g.poNext[e]!) this.#events.push(e);
    }
    if (g.length * g.stride > this.#forced.length) this.#forced = new Int32Array(g.length * g.stride * 2);
    for (const e of this.#events) {
      const row = e * g.stride;
      for (let t = 0; t < g.stride; t++) this.#forced[row + t] = g.porf[row + t]!;
      if (g.kind[e] !== Kind.READ && g.kind[e] !== Kind.WRITE) continue;
      const init = g.location[e]!;
      const writes = this.#writes.get(init) ?? [init];
      this.#writes.set(init, writes);
      if (g.kind[e] === Kind.WRITE) writes.push(e);
    }
    if (this.#read !== NONE && g.thread[this.#readFrom] !== NONE) this.#join(this.#read, this.#readFrom);
  }

  #isForced(a: EventId, b: EventId): boolean {
    const t = this.#g.thread[a]!;
    if (t === NONE) return a !== b;
    return this.#g.thread[b] !== NONE && this.#forced[b * this.#g.stride + t]! > this.#g.index[a]!;
  }

  /** row(e) := row(e) ∪ row(before); whether that changed it. */
  #join(e: EventId, before: EventId): boolean {
    const { stride } = this.#g;
    const into = e * stride;
    const from = before * stride;
    let changed = false;
    for (let t = 0; t < stride; t++) {
      if (this.#forced[from + t]! > this.#forced[into + t]!) {
        this.#forced[into + t] = this.#forced[from + t]!;
        changed = true;
      }
    }
    return changed;
  }

  /** Derives every forced order; false if it is cyclic. */
  #saturate(): boolean {
    const g = this.#g;
    for (let changed = true; changed; ) {
      changed = false;
      for (const e of this.#events) {
        if (g.kind[e] !== Kind.READ) continue;
        const result = this.#orderWritesAround(e);
        if (result === 'cycle') return false;
        if (result === 'changed') changed = true;
      }
      if (changed && !this.#close()) return false;
    }
    return true;
  }

  /** No other write comes between the one that e reads and e (or, for an atomic update, its write). */
  #orderWritesAround(e: EventId): 'same' | 'changed' | 'cycle' {
    const g = this.#g;
    const w = this.#rf(e);
    const end = this.#updateWrite(e);
    const until = end === NONE ? e : end;
    let result: 'same' | 'changed' = 'same';
    for (const x of this.#writes.get(g.location[e]!) as EventId[]) {
      if (x === w || x === end) continue;
      if ((this.#isForced(x, e) || this.#isForced(x, until)) && !this.#isForced(x, w)) {
        if (g.thread[w] === NONE || this.#isForced(w, x)) return 'cycle';
        this.#edges.push(x, w);
        result = 'changed';
      }
      if (this.#isForced(w, x) && !this.#isForced(until, x)) {
        if (g.thread[x] === NONE || this.#isForced(x, until)) return 'cycle';
        this.#edges.push(until, x);
        result = 'changed';
      }
    }
    return result;
  }

  #updateWrite(e: EventId): EventId {
    const next = this.#g.poNext[e]!;
    return next !== NONE && this.#g.updateRead[next] === e && this.#takesPart(next) ? next : NONE;
  }

  /** Closes the forced order transitively; false if it is cyclic. */
  #close(): boolean {
    const g = this.#g;
    for (let changed = true; changed; ) {
      changed = false;
      for (let i = 0; i < this.#edges.length; i += 2) {
        if (this.#join(this.#edges[i + 1] as EventId, this.#edges[i] as EventId)) changed = true;
      }
      for (const e of this.#events) if (this.#joinCauses(e)) changed = true;
      for (const e of this.#events) {
        if (this.#forced[e * g.stride + g.thread[e]!]! > g.index[e]! + 1) return false;
      }
    }
    return true;
  }

  #joinCauses(e: EventId): boolean {
    const g = this.#g;
    const t = g.thread[e]!;
    const before = g.poPrev[e] === NONE ? g.spawnedBy[t]! : g.poPrev[e]!;
    let changed = before !== NONE && this.#join(e, before);
    if (g.kind[e] === Kind.READ && g.thread[this.#rf(e)] !== NONE && this.#join(e, this.#rf(e))) changed = true;
    if (g.kind[e] === Kind.JOIN) {
      const last = g.last[g.location[e]!]!;
      if (last !== NONE && this.#join(e, last)) changed = true;
    }
    return changed;
  }

  // ----------------------------------------------------------------------------------------------------- search

  #startSearch(): void {
    const g = this.#g;
    if (g.length > this.#last.length) {
      this.#last = grown(this.#last, g.length);
      this.#unread = grown(this.#unread, g.length);
      this.#replaced = grown(this.#replaced, g.length);
    }
    this.#done = new Int32Array(g.stride);
    this.#next = new Int32Array(g.stride);
    for (let t = 0; t < g.stride; t++) this.#next[t] = this.limit[t] === 0 ? NONE : g.first[t]!;
    this.#failed.clear();
    this.order.length = 0;
    for (const [init, writes] of this.#writes) {
      this.#last[init] = init;
      for (const w of writes) this.#unread[w] = 0;
    }
    for (const e of this.#events)
      if (g.kind[e] === Kind.READ) this.#unread[this.#rf(e)] = this.#unread[this.#rf(e)]! + 1;
  }

  /** Runs the events; where several writes could come next, tries them in turn. (A loop: executions may be long.) */
  #search(): boolean {
    /** The writes that were chosen: before each, how many events had run and which thread it is of. */
    const chosen: { readonly ran: number; readonly t: number }[] = [];
    let t = 0;
    while (this.#runReads());
    for (;;) {
      const isDone = this.order.length === this.#events.length;
      if (isDone && this.#isGoal()) return true;
      const isKnown = !isDone && t === 0 && this.#failed.size > 0 && this.#failed.has(this.#key());
      t = isDone || isKnown ? this.#g.stride : this.#writeFrom(t);
      if (t < this.#g.stride) {
        chosen.push({ ran: this.order.length, t });
        this.#runWrite(t);
        while (this.#runReads());
        t = 0;
        continue;
      }
      if (!isDone) this.#failed.add(this.#key());
      const last = chosen.pop();
      if (last === undefined) return false;
      this.#takeBack(last.ran);
      t = last.t + 1;
    }
  }

  #isGoal(): boolean {
    if (this.#mayBeLast === undefined) return true;
    for (const init of this.#writes.keys()) if (!this.#mayBeLast(this.#last[init]!)) return false;
    return true;
  }

  #key(): string {
    let key = this.#done.join();
    for (const init of this.#writes.keys()) key += ` ${this.#last[init]}`;
    return key;
  }

  /** The next event of t if all that is forced before it has run. */
  #ready(t: number): EventId {
    const g = this.#g;
    const e = this.#next[t]!;
    if (e === NONE) return NONE;
    for (let u = 0; u < g.stride; u++) {
      if (this.#forced[e * g.stride + u]! - (u === t ? 1 : 0) > this.#done[u]!) return NONE;
    }
    return e;
  }

  /** Runs every event that writes nothing and can run. */
  #runReads(): boolean {
    const g = this.#g;
    let ran = false;
    for (let t = 0; t < g.stride; t++) {
      for (let e = this.#ready(t); e !== NONE; e = this.#ready(t)) {
        if (g.kind[e] === Kind.WRITE) break;
        if (
          g.kind[e] === Kind.READ &&
          (this.lastWrite(g.location[e]!) !== this.#rf(e) || this.#updateWrite(e) !== NONE)
        )
          break;
        this.#run(e);
        ran = true;
      }
    }
    return ran;
  }

  /** The first thread from t on whose next event is a write, or an update, by which no read would miss its write. */
  #writeFrom(t: number): number {
    const g = this.#g;
    for (let u = t; u < g.stride; u++) {
      const e = this.#ready(u);
      if (e === NONE) continue;
      const current = this.lastWrite(g.location[e]!);
      const isRead = g.kind[e] === Kind.READ;
      if (this.#unread[current] === (isRead ? 1 : 0) && (!isRead || current === this.#rf(e))) return u;
    }
    return g.stride;
  }

  #runWrite(t: number): void {
    const e = this.#next[t]!;
    const end = this.#updateWrite(e);
    this.#run(e);
    if (end !== NONE) this.#run(end);
  }

  #run(e: EventId): void {
    const g = this.#g;
    const t = g.thread[e]!;
    this.order.push(e);
    this.#done[t] = this.#done[t]! + 1;
    this.#next[t] = this.#done[t] === this.limit[t] ? NONE : g.poNext[e]!;
    if (g.kind[e] === Kind.WRITE) {
      this.#replaced[e] = this.#last[g.location[e]!]!;
      this.#last[g.location[e]!] = e;
    } else if (g.kind[e] === Kind.READ) this.#unread[this.#rf(e)] = this.#unread[this.#rf(e)]! - 1;
  }

  #takeBack(length: number): void {
    const g = this.#g;
    while (this.order.length > length) {
      const e = this.order.pop() as EventId;
      const t = g.thread[e]!;
      this.#done[t] = this.#done[t]! - 1;
      this.#next[t] = e;
      if (g.kind[e] === Kind.READ) this.#unread[this.#rf(e)] = this.#unread[this.#rf(e)]! + 1;
      else if (g.kind[e] === Kind.WRITE) this.#last[g.location[e]!] = this.#replaced[e]!;
    }
  }
}
