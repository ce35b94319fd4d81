/**
 * Runs the events of a graph one after the other, each with what it reads in memory, and so finds an order of sequential
 * consistency in time linear in their number, if it finds one. For searches that take longer: nearly always this is enough.
 *
 * The state of a run is how far each thread has come and what is in memory. A step is *safe* if a run that can be completed can still
 * be completed after it, because it could as well come first of what is left:
 * - Anything that does not write, as soon as it can run: a read if what it reads is in memory.
 * - An update that can run: what it reads is in memory, and everybody else has read that. No other write can come before it.
 * - A write that can run, because everybody has read what is in memory, if all that read it can run right after it, and write nothing.
 *   Wherever all these come later, they can be left out there.
 * - A write that can run, if all other writes to the location that are left must come after it. Those must that depend on it, and those
 *   that are read by something that does (a read comes right after the write that it reads, as far as writes are concerned).
 *
 * Other writes are chosen only when nothing safe is left, one thread after the other, and not as long as another one must come before
 * them. When a run has come to nothing with all of them there is no such order. After a few choices it is given up.
 *
 * The result depends on program order and reads-from alone, because threads come in the order of their numbers.
 *
 * Hot code: nothing is allocated, and nothing is done beforehand for each event.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { type Column, grown, NONE } from '../program/columns.ts';
import { EventStack } from './model.ts';

export const Run = { FAILED: 0, FOUND: 1, UNKNOWN: 2 } as const;

/** So many choices take no longer than the search that comes next. */
const MOST_TRIES = 16;
/** More do not fit into a column. */
const LAST_RUN = 0x7fffffff;

export class ScRun {
  readonly #g: Graph;
  /** By thread: how many events take part, and its next one (NONE: there is none). */
  #limit: Column = new Int32Array(8);
  #next: Column = new Int32Array(8);
  /** By location (init): the last write; the initialising one unless `#run` says that it was written in this run. */
  #last: Column = new Int32Array(64);
  #writtenIn: Column = new Int32Array(64);
  #run = 0;
  /** By write: the one that it has replaced in memory. */
  #replaced: Column = new Int32Array(64);
  /** By event: the run in which it ran. */
  #ranIn: Column = new Int32Array(64);
  /** A read that is taken to read a certain write. */
  #read: EventId = NONE;
  #readFrom: EventId = NONE;
  /** The events that have run. */
  readonly order = new EventStack();
  /** How many had run before each write that was chosen. */
  readonly #choices = new EventStack();

  constructor(g: Graph) {
    this.#g = g;
  }

  /** `limit`: how many events of each thread take part. r is taken to read from w (NONE: no such). */
  find(limit: Column, r: EventId, w: EventId): number {
    const g = this.#g;
    this.#read = r;
    this.#readFrom = w;
    this.#fit();
    this.#begin();
    this.order.length = 0;
    for (let t = 0; t < g.stride; t++) {
      this.#limit[t] = limit[t]!;
      this.#next[t] = limit[t]! > 0 ? g.first[t]! : NONE;
    }
    this.#choices.length = 0;
    let from = 0;
    for (let tries = 0; ; ) {
      while (this.#runSafe());
      if (this.#isDone()) return Run.FOUND;
      let t = this.#choose(from);
      while (t === NONE && this.#choices.length > 0) t = this.#choose(this.#takeBack());
      if (t === NONE) return Run.FAILED;
      if (++tries > MOST_TRIES) return Run.UNKNOWN;
      this.#choices.push(this.order.length);
      this.#write(this.#next[t]!);
      this.#advance(t);
      from = 0;
    }
  }

  /** Takes the last choice back, and returns the thread after the one that was chosen. */
  #takeBack(): number {
    const g = this.#g;
    const { order } = this;
    const length = this.#choices.items[--this.#choices.length]!;
    let t = 0;
    while (order.length > length) {
      const e = order.items[--order.length]!;
      t = g.thread[e]!;
      this.#ranIn[e] = 0;
      this.#next[t] = e;
      if (g.kind[e] === Kind.WRITE) this.#last[g.location[e]!] = this.#replaced[e]!;
    }
    return t + 1;
  }

  /** The last write of a location. */
  lastWrite(init: EventId): EventId {
    return this.#writtenIn[init] === this.#run ? this.#last[init]! : init;
  }

  #begin(): void {
    if (this.#run === LAST_RUN) {
      this.#run = 0;
      this.#writtenIn.fill(0);
      this.#ranIn.fill(0);
    }
    this.#run++;
  }

  #fit(): void {
    const g = this.#g;
    if (this.#next.length < g.stride) {
      this.#next = grown(this.#next, g.stride);
      this.#limit = grown(this.#limit, g.stride);
    }
    if (this.#last.length >= g.length) return;
    this.#last = grown(this.#last, g.length);
    this.#writtenIn = grown(this.#writtenIn, g.length);
    this.#ranIn = grown(this.#ranIn, g.length);
    this.#replaced = grown(this.#replaced, g.length);
  }

  #isDone(): boolean {
    for (let t = 0; t < this.#g.stride; t++) if (this.#next[t] !== NONE) return false;
    return true;
  }

  /** Takes all safe steps of each thread in turn; returns whether there was one. */
  #runSafe(): boolean {
    const { stride } = this.#g;
    let hasRun = false;
    for (let t = 0; t < stride; t++) if (this.#next[t] !== NONE && this.#runThread(t)) hasRun = true;
    return hasRun;
  }

  #runThread(t: number): boolean {
    const { index, kind, poNext, poPrev } = this.#g;
    const limit = this.#limit[t]!;
    const run = this.#run;
    const ranIn = this.#ranIn;
    const { order } = this;
    const first = this.#next[t]!;
    let e = first;
    if (poPrev[e] === NONE && !this.#hasSpawned(t)) return false;
    for (;;) {
      const k = kind[e]!;
      if (k === Kind.READ) {
        if (!this.#canRead(e)) break;
      } else if (k === Kind.WRITE) {
        if (!this.#canWrite(e)) break;
      } else if (k === Kind.JOIN && !this.#canJoin(e)) break;
      ranIn[e] = run;
      order.push(e);
      e = poNext[e]!;
      if (e === NONE || index[e]! >= limit) {
        this.#next[t] = NONE;
        return true;
      }
    }
    this.#next[t] = e;
    return e !== first;
  }

  #advance(t: number): void {
    const g = this.#g;
    const e = this.#next[t]!;
    this.#ranIn[e] = this.#run;
    this.order.push(e);
    const next = g.poNext[e]!;
    this.#next[t] = next !== NONE && g.index[next]! < this.#limit[t]! ? next : NONE;
  }

  #canJoin(e: EventId): boolean {
    return this.#ranIn[this.#g.lastOrSpawn(this.#g.location[e]!)] === this.#run;
  }

  /** Takes the step that a write is, if that is safe; that of an update has been looked at with its read. */
  #canWrite(w: EventId): boolean {
    if (this.#g.updateRead[w] === NONE && !this.#isSafe(w)) return false;
    this.#write(w);
    return true;
  }

  #write(w: EventId): void {
    const init = this.#g.location[w]!;
    this.#replaced[w] = this.lastWrite(init);
    this.#last[init] = w;
    this.#writtenIn[init] = this.#run;
  }

  /** Whether r reads what is in memory; for that of an update, whether everybody else has read it. */
  #canRead(r: EventId): boolean {
    const g = this.#g;
    const source = r === this.#read ? this.#readFrom : g.rf[r]!;
    if (source !== this.lastWrite(g.location[r]!)) return false;
    const isUpdate = g.isUpdateRead(r) && g.index[r]! + 1 < this.#limit[g.thread[r]!]!;
    return !isUpdate || this.#haveRead(source, r);
  }

  #takesPart(e: EventId): boolean {
    return this.#g.index[e]! < this.#limit[this.#g.thread[e]!]!;
  }

  /** Whether all that read w, but `except`, have run. */
  #haveRead(w: EventId, except: EventId): boolean {
    const g = this.#g;
    for (let r = g.readers[w]!; r !== NONE; r = g.readNext[r]!) {
      if (this.#ranIn[r] !== this.#run && r !== except && this.#takesPart(r)) return false;
    }
    return w !== this.#readFrom || this.#ranIn[this.#read] === this.#run || this.#read === except;
  }

  /** Whether all that read w can run right after it, and write nothing. */
  #areReadersReady(w: EventId): boolean {
    const g = this.#g;
    for (let r = g.readers[w]!; r !== NONE; r = g.readNext[r]!) {
      if (this.#takesPart(r) && !this.#isReadyAfter(r, w)) return false;
    }
    return w !== this.#readFrom || this.#isReadyAfter(this.#read, w);
  }

  #isReadyAfter(r: EventId, w: EventId): boolean {
    const g = this.#g;
    const t = g.thread[r]!;
    if (g.isUpdateRead(r)) return false;
    return g.poPrev[r] === w || (this.#next[t] === r && (g.poPrev[r] !== NONE || this.#hasSpawned(t)));
  }

  #isSafe(w: EventId): boolean {
    const g = this.#g;
    const init = g.location[w]!;
    if (!this.#haveRead(this.lastWrite(init), NONE)) return false;
    if (this.#areReadersReady(w)) return true;
    for (let x = g.coNext[init]!; x !== NONE; x = g.coNext[x]!) {
      if (x !== w && this.#isLeft(x) && !this.#mustComeBefore(w, x)) return false;
    }
    return true;
  }

  #isLeft(x: EventId): boolean {
    return this.#ranIn[x] !== this.#run && this.#takesPart(x);
  }

  /** Whether x, or something that reads x, depends on w. */
  #mustComeBefore(w: EventId, x: EventId): boolean {
    const g = this.#g;
    if (g.porfBefore(w, x)) return true;
    for (let r = g.readers[x]!; r !== NONE; r = g.readNext[r]!) {
      if (this.#takesPart(r) && g.porfBefore(w, r)) return true;
    }
    return x === this.#readFrom && g.porfBefore(w, this.#read);
  }

  /** The first thread from t on with a write that can run and that no other must come before; NONE: there is none. Nothing safe is left. */
  #choose(from: number): number {
    const g = this.#g;
    for (let t = from; t < g.stride; t++) {
      const w = this.#next[t]!;
      if (w === NONE || g.kind[w] !== Kind.WRITE || (g.poPrev[w] === NONE && !this.#hasSpawned(t))) continue;
      if (this.#haveRead(this.lastWrite(g.location[w]!), NONE) && !this.#mustComeAfterOther(w)) return t;
    }
    return NONE;
  }

  #hasSpawned(t: number): boolean {
    const spawn = this.#g.spawnedBy[t]!;
    return spawn === NONE || this.#ranIn[spawn] === this.#run;
  }

  #mustComeAfterOther(w: EventId): boolean {
    const g = this.#g;
    for (let x = g.coNext[g.location[w]!]!; x !== NONE; x = g.coNext[x]!) {
      if (x !== w && this.#isLeft(x) && this.#mustComeBefore(x, w)) return true;
    }
    return false;
  }
}
