/**
 * Closure ([VC], Algorithms 1 to 4): adds to an annotated partial order what every linearisation of it has, until each read can read a
 * good write; or finds out that there is none.
 *
 * What differs from the paper:
 * - The rules are said for any order of the leaves' writes, since optimisation 3 leaves some of them unordered, and since rules that hold
 *   before all of them are ordered save orders that lead nowhere. Each adds only what must be; where the paper has "the unique event"
 *   and there are several, nothing is added.
 * - Only reads are looked at whose surroundings have changed.
 *
 * For a read r: a write is *visible* if it is not after r and no other one is between it and r. Per thread, its writes to the location
 * are first some before r, then some that are not ordered with r, then some after r: of the first only the last can be visible, of the
 * second all are.
 */
import { type Column, grown, NONE } from '../../program/columns.ts';
import { type AnnotatedOrder, INITIAL_WRITE } from './annotated-order.ts';

export class Closure {
  readonly #order: AnnotatedOrder;
  /** The reads that are to be looked at. */
  #queue: Column = new Int32Array(64);
  #queued = 0;
  #isQueued: Column = new Int32Array(64);

  // Of the read that is looked at: the last write of each thread before it, if there is one; its visible writes.
  #lasts: Column = new Int32Array(64);
  #good: Column = new Int32Array(64);
  #goods = 0;
  /** The first of the good ones are before the read, so many. */
  #goodsBefore = 0;
  #badBefore: Column = new Int32Array(64);
  #badsBefore = 0;
  #badBeside: Column = new Int32Array(64);
  #badsBeside = 0;

  constructor(order: AnnotatedOrder) {
    this.#order = order;
    order.onChange = (e) => this.#changed(e);
  }

  /** Closes the order. False if that cannot be done: then it has no linearisation, and must be undone. */
  close(): boolean {
    while (this.#queued > 0) {
      const r = this.#queue[--this.#queued]!;
      this.#isQueued[r] = 0;
      if (this.#obeysRules(r)) continue;
      this.forget();
      return false;
    }
    return true;
  }

  /** Nothing is to be looked at any more: what has changed was undone. */
  forget(): void {
    while (this.#queued > 0) this.#isQueued[this.#queue[--this.#queued]!] = 0;
  }

  /** Whether write w is visible to some read. */
  isObservable(w: number): boolean {
    const p = this.#order;
    const location = p.location[w]!;
    for (let r = p.lastRead(location); r !== NONE; r = p.previousRead[r]!) {
      if (r === w || p.isBefore(r, w)) continue;
      if (!p.isBefore(w, r) || !this.#isHidden(w, r)) return true;
    }
    return false;
  }

  /** Whether another write of its location is between w and r. */
  #isHidden(w: number, r: number): boolean {
    const p = this.#order;
    for (let t = 0; t < p.threadCount; t++) {
      const last = this.#lastBefore(r, t);
      if (last !== NONE && p.isBefore(w, last)) return true;
    }
    return false;
  }

  /** The last write of thread t to the location of r that is before r. */
  #lastBefore(r: number, t: number): number {
    const p = this.#order;
    const most = p.thread[r] === t ? p.index[r]! : p.known(r, t);
    let w = p.lastWrite(p.location[r]!, t);
    while (w !== NONE && p.index[w]! >= most) w = p.previousWrite[w]!;
    return w;
  }

  // --------------------------------------------------------------------------------------------------------- rules

  /** Applies the first rule that is violated; what it orders brings the read back. False: it cannot read a good write. */
  #obeysRules(r: number): boolean {
    this.#look(r);
    if (this.#goods === 0) return false;
    return this.#rule1(r) ?? this.#rule2(r) ?? this.#rule3() ?? true;
  }

  /** A good write must be before r: if none is, then the first of them. */
  #rule1(r: number): boolean | undefined {
    if (this.#goodsBefore > 0) return undefined;
    const first = this.#firstGood();
    return first === NONE ? undefined : this.#order.order(first, r);
  }

  /** A bad write that all good ones are before must come after r. */
  #rule2(r: number): boolean | undefined {
    for (let i = 0; i < this.#badsBeside; i++) {
      const bad = this.#badBeside[i]!;
      if (this.#areAllBefore(bad)) return this.#order.order(r, bad);
    }
    return undefined;
  }

  /** A bad write before r must be before a good one: if it is before none, then before the last of them. */
  #rule3(): boolean | undefined {
    for (let i = 0; i < this.#badsBefore; i++) {
      const bad = this.#badBefore[i]!;
      if (this.#isBeforeSome(bad)) continue;
      const last = this.#lastGood();
      if (last !== NONE) return this.#order.order(bad, last);
    }
    return undefined;
  }

  /** The good write that is before all others; NONE: there is none such. No write is before r, so the initial value is not good. */
  #firstGood(): number {
    const p = this.#order;
    let first = this.#good[0]!;
    for (let i = 1; i < this.#goods; i++) if (p.isBefore(this.#good[i]!, first)) first = this.#good[i]!;
    for (let i = 0; i < this.#goods; i++) {
      if (this.#good[i] !== first && !p.isBefore(first, this.#good[i]!)) return NONE;
    }
    return first;
  }

  /** The good write that all others are before; NONE: there is none such. A write is before r: the initial value is not visible. */
  #lastGood(): number {
    const p = this.#order;
    let last = this.#good[0]!;
    for (let i = 1; i < this.#goods; i++) if (p.isBefore(last, this.#good[i]!)) last = this.#good[i]!;
    for (let i = 0; i < this.#goods; i++) {
      if (this.#good[i] !== last && !p.isBefore(this.#good[i]!, last)) return NONE;
    }
    return last;
  }

  #areAllBefore(bad: number): boolean {
    for (let i = 0; i < this.#goods; i++) {
      const good = this.#good[i]!;
      if (good !== INITIAL_WRITE && !this.#order.isBefore(good, bad)) return false;
    }
    return true;
  }

  #isBeforeSome(bad: number): boolean {
    for (let i = 0; i < this.#goods; i++) if (this.#order.isBefore(bad, this.#good[i]!)) return true;
    return false;
  }

  // ----------------------------------------------------------------------------------------------- visible writes

  /** Fills the lists of visible writes. */
  #look(r: number): void {
    const p = this.#order;
    const location = p.location[r]!;
    const tr = p.thread[r]!;
    const ir = p.index[r]!;
    this.#goods = 0;
    this.#badsBefore = 0;
    this.#badsBeside = 0;
    if (p.length > this.#good.length) this.#grow();
    const lasts = this.#lasts;
    let count = 0;
    for (let t = 0; t < p.threadCount; t++) {
      const last = this.#lastBefore(r, t);
      if (last !== NONE) lasts[count++] = last;
    }
    for (let i = 0; i < count; i++) {
      const last = lasts[i]!;
      let isHidden = false;
      for (let j = 0; j < count && !isHidden; j++) isHidden = p.isBefore(last, lasts[j]!);
      if (isHidden) continue;
      if (p.isGood(r, last)) this.#good[this.#goods++] = last;
      else this.#badBefore[this.#badsBefore++] = last;
    }
    // a bad initial value before r matters to no rule: it is before every write
    if (count === 0 && p.isGood(r, INITIAL_WRITE)) this.#good[this.#goods++] = INITIAL_WRITE;
    this.#goodsBefore = this.#goods;
    for (let t = 0; t < p.threadCount; t++) {
      if (t === tr) continue;
      const from = p.known(r, t);
      for (let w = p.lastWrite(location, t); w !== NONE && p.index[w]! >= from; w = p.previousWrite[w]!) {
        if (p.known(w, tr) > ir) continue; // after r
        if (p.isGood(r, w)) this.#good[this.#goods++] = w;
        else this.#badBeside[this.#badsBeside++] = w;
      }
    }
  }

  // --------------------------------------------------------------------------------------------------------- queue

  /** More will be before event e, or it is new. Reads that are before a write need not care for what else is. */
  #changed(e: number): void {
    const p = this.#order;
    if (p.location[e] === NONE) return;
    if (p.reads(e)) this.#enqueue(e);
    if (!p.writes(e)) return;
    for (let r = p.lastRead(p.location[e]!); r !== NONE; r = p.previousRead[r]!) {
      if (!p.isBefore(r, e)) this.#enqueue(r);
    }
  }

  #enqueue(r: number): void {
    if (r >= this.#isQueued.length) {
      this.#isQueued = grown(this.#isQueued, r + 1);
      this.#queue = grown(this.#queue, this.#isQueued.length);
    }
    if (this.#isQueued[r] === 1) return;
    this.#isQueued[r] = 1;
    this.#queue[this.#queued++] = r;
  }

  #grow(): void {
    const { length } = this.#order;
    this.#lasts = grown(this.#lasts, length);
    this.#good = grown(this.#good, length + 1);
    this.#badBefore = grown(this.#badBefore, length);
    this.#badBeside = grown(this.#badBeside, length);
  }
}
