/**
 * Races of two writes e and e' that count because of an observer o, which reads e' ([Observers]): taken the other way round, e' comes
 * first and o reads e. The sequence that leads there is
 *
 *   what comes after e and depends on e, if at all, by the order of the two writes alone, and on no read of e'; e' is in it;
 *   e;
 *   what depends on e, and on no read of e';
 *   o.
 *
 * Several may observe e'. Each that comes after no other is tried: what the others do follows from races of reads and writes.
 */
import { type Behaviours, Step } from '../../../program/behaviours.ts';
import { type Column, grown, NONE } from '../../../program/columns.ts';
import { LOCKED } from '../../../program/orders.ts';
import type { Interleaving } from '../interleaving.ts';
import type { ObservedSchedule } from './observed-schedule.ts';
import { Effect } from './ordered-schedule.ts';
import type { Sequence } from './wakeup-tree.ts';

export class ObservedRaces {
  readonly #schedule: ObservedSchedule;
  readonly #interleaving: Interleaving;
  readonly #behaviours: Behaviours;
  /** By step: 1 if it depends on e, also without the order of the two writes. */
  #depends: Column = new Int32Array(64);

  constructor(schedule: ObservedSchedule) {
    this.#schedule = schedule;
    this.#interleaving = schedule.interleaving;
    this.#behaviours = schedule.interleaving.behaviours;
  }

  /** Whether the race of these two steps is of that kind. */
  isConditional(e: number, later: number): boolean {
    const { effect } = this.#schedule;
    return effect[e] === Effect.BLIND && effect[later] === Effect.BLIND;
  }

  /** Builds each such sequence in v and calls `plan` with e, before which it comes. */
  forEach(e: number, later: number, v: Sequence, plan: (e: number) => number): void {
    const schedule = this.#schedule;
    const observers = schedule.observersOf(later);
    this.#findDependent(e, later);
    for (const o of observers) {
      if (observers.some((other) => other < o && schedule.happensBefore(other, o))) continue;
      this.#reverse(e, o, observers, v);
      plan(e);
    }
  }

  #reverse(e: number, o: number, observers: readonly number[], v: Sequence): void {
    const schedule = this.#schedule;
    const x = this.#interleaving;
    const isAfterObserver = (i: number): boolean => observers.some((r) => r <= i && schedule.happensBefore(r, i));
    v.length = 0;
    for (let i = e + 1; i < schedule.length; i++) if (this.#depends[i] === 0 && !isAfterObserver(i)) this.#push(v, i);
    this.#push(v, e);
    for (let i = e + 1; i < schedule.length; i++) if (this.#depends[i] === 1 && !isAfterObserver(i)) this.#push(v, i);
    v.push(NONE, x.thread[o]!, x.choice[o]!, this.#effectReading(e, o), schedule.location[o]!);
  }

  #push(v: Sequence, i: number): void {
    const { interleaving: x, effect, location } = this.#schedule;
    v.push(i, x.thread[i]!, x.choice[i]!, effect[i]!, location[i]!);
  }

  /** What step o does if it reads what e has written. */
  #effectReading(e: number, o: number): number {
    const b = this.#behaviours;
    const s = this.#interleaving.before[o]!;
    if (b.step[s] !== Step.READ || (b.order[s]! & LOCKED) === 0) return this.#schedule.effect[o]!;
    return this.#schedule.effectWith(s, this.#interleaving.valueWritten(e));
  }

  /** Finds the steps after e that depend on it other than by the order of e and `later`. */
  #findDependent(e: number, later: number): void {
    const { length } = this.#schedule;
    if (length > this.#depends.length) this.#depends = grown(this.#depends, length);
    this.#depends.fill(0, 0, length);
    this.#depends[e] = 1;
    for (let i = e + 1; i < length; i++) {
      if (this.#dependsByThreads(i) || this.#dependsByAccess(i, i === later ? e + 1 : e)) this.#depends[i] = 1;
    }
  }

  #dependsByThreads(i: number): boolean {
    const x = this.#interleaving;
    const b = this.#behaviours;
    const before = x.previous[i] === NONE ? x.spawnOf(x.thread[i]!) : x.previous[i]!;
    if (before !== NONE && this.#depends[before] === 1) return true;
    const s = x.before[i]!;
    return b.step[s] === Step.JOIN && this.#depends[x.lastOf(b.operand[s]!)] === 1;
  }

  /** By a conflict with a step from `from` on. */
  #dependsByAccess(i: number, from: number): boolean {
    const x = this.#interleaving;
    if (this.#schedule.effect[i] === Effect.NONE) return false;
    for (let p = x.previousAccess[i]!; p >= from; p = x.previousAccess[p]!) {
      if (this.#depends[p] === 1 && this.#schedule.isOrdered(p, i)) return true;
    }
    return false;
  }
}
