/**
 * A schedule with the happens-before relation of Optimal-DPOR with observers [Observers]: as that of `OrderedSchedule`, but a store, which
 * writes and reads nothing (Effect.BLIND), comes after earlier stores to its location only if some step reads what it wrote: an
 * observer. Stores that nobody reads before the next one comes are in no order.
 *
 * An observer may come long after the two writes, and order what came between: the relation is worked out once the schedule is at
 * its end (`settle`).
 *
 * Who waits for a location reads it also where that is no step: when it is stuck at the end. So stores to locations that somebody waits
 * for, other than mutexes, conflict as ever (`awaited`). They become known in the course of the search, which then starts over.
 */
import { Step } from '../../../program/behaviours.ts';
import { type Column, grown, NONE } from '../../../program/columns.ts';
import { Effect, effectsConflict, OrderedSchedule } from './ordered-schedule.ts';

export class ObservedSchedule extends OrderedSchedule {
  /** Locations that somebody waits for, by their keys. */
  readonly awaited = new Set<number>();
  /** By step: whether it is a blind write that is read. */
  #isObserved: Column = new Int32Array(64);

  /** Whether thread t now waits for a location that nobody was known to wait for. */
  isNewlyAwaited(t: number): boolean {
    const b = this.behaviours;
    const s = this.interleaving.stateOf(t);
    if (s === NONE || b.step[s] !== Step.READ || b.mayBlock[s] === 0) return false;
    if (this.awaited.has(b.keyOfAccessed(s)) || b.operation(s).kind === 'lock') return false;
    this.awaited.add(b.keyOfAccessed(s));
    return true;
  }

  /** Whether the accesses e and i, which comes later, of one location are in an order that counts. */
  isOrdered(e: number, i: number): boolean {
    if (this.effect[e] === Effect.BLIND && this.effect[i] === Effect.BLIND) return this.#isObserved[i] === 1;
    return effectsConflict(this.effect[e]!, this.effect[i]!);
  }

  /** The steps that read the write of step i. */
  observersOf(i: number): number[] {
    const observers: number[] = [];
    const x = this.interleaving;
    for (let o = x.lastAccess(this.behaviours.location[x.before[i]!]!); o > i; o = x.previousAccess[o]!) {
      if (this.effect[o] !== Effect.BLIND && this.#lastWrite(o) === i) observers.unshift(o);
    }
    return observers;
  }

  protected override effectOfStore(s: number): number {
    const b = this.behaviours;
    return b.operation(s).kind === 'store' && !this.awaited.has(b.keyOfAccessed(s)) ? Effect.BLIND : Effect.WRITE;
  }

  /** Not yet known. */
  protected override order(): void {}

  /** The schedule is at its end: works out what happens before what, and the races. */
  settle(): void {
    const x = this.interleaving;
    if (x.length > this.#isObserved.length) this.#isObserved = grown(this.#isObserved, x.length);
    this.#isObserved.fill(0, 0, x.length);
    for (let i = 0; i < x.length; i++) {
      if (this.effect[i] === Effect.NONE || this.effect[i] === Effect.BLIND) continue;
      const w = this.#lastWrite(i);
      if (w !== NONE && this.effect[w] === Effect.BLIND) this.#isObserved[w] = 1;
    }
    this.raceStart[0] = 0;
    for (let i = 0; i < x.length; i++) {
      this.startClock(i);
      this.raceStart[i + 1] = this.raceStart[i]!;
      if (this.effect[i] !== Effect.NONE) this.#orderAccess(i);
    }
  }

  /** The last write to the location of step i that comes before it. */
  #lastWrite(i: number): number {
    const x = this.interleaving;
    let e = x.previousAccess[i]!;
    while (e !== NONE && this.effect[e]! < Effect.WRITE) e = x.previousAccess[e]!;
    return e;
  }

  /** Orders step i after the earlier steps that it conflicts with, the latest first. */
  #orderAccess(i: number): void {
    const x = this.interleaving;
    const mayBlock = this.behaviours.mayBlock[x.before[i]!] === 1;
    for (let e = x.previousAccess[i]!; e !== NONE; e = x.previousAccess[e]!) {
      const other = this.effect[e]!;
      if (this.isOrdered(e, i) && !this.happensBefore(e, i)) {
        if ((!mayBlock || other === Effect.READ) && x.thread[e] !== x.thread[i]) this.addRace(i, e);
        this.clock.join(i, e);
      }
      // all that comes before happens before it
      if (other === Effect.WRITE || (other === Effect.BLIND && this.#isObserved[e] === 1)) return;
    }
  }
}
