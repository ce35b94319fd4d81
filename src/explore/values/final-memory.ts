/**
 * Deadlocks and livelocks. What memory holds in the end is not part of a class ([VC] has no global states): in one linearisation the
 * value that a thread waits for may be the last, in another not. So, where every thread has ended or waits: is there a linearisation in
 * which all of them wait for ever? For each location that is waited for some write is the last. If it lets nobody go on, all others
 * are ordered before it; the order can be closed if and only if there is such an execution.
 */
import { Step } from '../../program/behaviours.ts';
import { NONE } from '../../program/columns.ts';
import { startOfRound, storedSince, type ThreadsAtEnd } from '../../program/ending.ts';
import { isAssumed, isUnread, sleeps } from '../../program/outcome.ts';
import { type AnnotatedOrder, INITIAL_WRITE } from './annotated-order.ts';
import type { Closure } from './closure.ts';

/** What a location must hold in the end. */
interface Demand {
  readonly location: number;
  readonly accepts: (value: number) => boolean;
}

export class FinalMemory {
  readonly #order: AnnotatedOrder;
  readonly #closure: Closure;
  /** By location: the write that is the last one. */
  readonly #last = new Map<number, number>();

  constructor(order: AnnotatedOrder, closure: Closure) {
    this.#order = order;
    this.#closure = closure;
  }

  /**
   * No thread can go on but those that wait for values: whether all may wait for ever. If so, the order has what that takes; threads
   * that go round in loops do so for ever if that is possible, too.
   */
  standsStill(): boolean {
    const demands = this.#waits();
    return (
      this.#meets(demands, 0, () => this.#meets(this.#rounds(), 0, () => true)) || this.#meets(demands, 0, () => true)
    );
  }

  /** The writes that are not before another one of their location. */
  #lastWrites(location: number): number[] {
    const p = this.#order;
    const writes: number[] = [];
    for (let t = 0; t < p.threadCount; t++) {
      const w = p.lastWrite(location, t);
      if (w !== NONE) writes.push(w);
    }
    const lasts = writes.filter((w) => !writes.some((other) => p.isBefore(w, other)));
    return lasts.length === 0 ? [INITIAL_WRITE] : lasts;
  }

  #valueOf(write: number, location: number): number {
    return write === INITIAL_WRITE ? this.#order.behaviours.initialValue(location) : this.#order.valueWritten[write]!;
  }

  /** Whether the demands from number i on can be met, and `rest` after them. If so, the orders stay. */
  #meets(demands: readonly Demand[] | undefined, i: number, rest: () => boolean): boolean {
    if (demands === undefined) return false;
    const demand = demands[i];
    if (demand === undefined) return rest();
    const { location, accepts } = demand;
    const known = this.#last.get(location);
    if (known !== undefined) return accepts(this.#valueOf(known, location)) && this.#meets(demands, i + 1, rest);
    const candidates = this.#lastWrites(location);
    for (const write of candidates) {
      if (!accepts(this.#valueOf(write, location))) continue;
      const mark = this.#order.mark();
      this.#last.set(location, write);
      const isPossible =
        candidates.every((other) => other === write || this.#order.order(other, write)) && this.#closure.close();
      const isMet = isPossible && this.#meets(demands, i + 1, rest);
      this.#last.delete(location);
      if (isMet) return true;
      this.#closure.forget();
      this.#order.undoOrders(mark);
    }
    return false;
  }

  /** Who waits must not be let through. */
  #waits(): Demand[] {
    const p = this.#order;
    const b = p.behaviours;
    const demands: Demand[] = [];
    for (let t = 0; t < p.threadCount; t++) {
      const s = p.stateOf(t);
      if (s === NONE || b.step[s] !== Step.READ) continue;
      demands.push({ location: b.location[s]!, accepts: (value) => b.wouldBlock(s, value) });
    }
    return demands;
  }

  /** Who goes round in a loop must read the same in each round; undefined: somebody cannot. */
  #rounds(): Demand[] | undefined {
    const p = this.#order;
    const b = p.behaviours;
    const demands: Demand[] = [];
    const threads = this.#threadsAtEnd();
    for (let t = 0; t < p.threadCount; t++) {
      const s = p.stateOf(t);
      if (s === NONE || (b.step[s] !== Step.READ && b.step[s] !== Step.BLOCK)) continue;
      const operation = b.operation(s);
      if (sleeps(operation) || isAssumed(operation)) continue;
      const start = startOfRound(threads, t);
      if (start === NONE) continue;
      const stored = storedSince(threads, t, start);
      for (let e = p.lastOf(t); e !== NONE && b.depth[p.before[e]!]! >= start; e = p.previous[e]!) {
        if (b.step[p.before[e]!] === Step.CHOOSE) return undefined;
        if (p.reads(e) && !stored.has(b.location[p.before[e]!]!) && !isUnread(b.operation(p.before[e]!)))
          demands.push({ location: p.location[e]!, accepts: (value) => value === p.valueRead[e] });
      }
    }
    return demands;
  }

  /** As far as it is needed to tell where rounds begin: what is waited for has been decided. */
  #threadsAtEnd(): ThreadsAtEnd {
    const p = this.#order;
    const { behaviours } = p;
    const valueAwaited = (_t: number, s: number): number => {
      const location = behaviours.location[s]!;
      return this.#valueOf(this.#last.get(location) ?? INITIAL_WRITE, location);
    };
    return {
      ...{ behaviours, threadCount: p.threadCount, valueAwaited },
      stateOf: (t) => p.stateOf(t),
      lastStep: (t) => p.lastOf(t),
      previousStep: (e) => p.previous[e]!,
      stateBefore: (e) => p.before[e]!,
      wouldReadAgain: () => true,
      settles: () => true,
    };
  }
}
