/**
 * Races of operations that can block ([Await], Algorithm 1, lines 7 to 20): an await or a lock e' that was performed, or that a thread
 * is stuck at when nothing can go on. For each earlier write e to its location: the sequences, made of steps that do not
 * depend on e, after which e' could be performed before e.
 *
 * Of the steps after e that do not depend on it, the largest sets are wanted that are closed under happens-before and let e' through.
 * Sets are made smaller by taking out one write to the location, with all that depends on it, at a time. Writes that do not commute
 * depend on each other, so that they leave one after the other; of those that commute any may leave.
 */
import { Step } from '../../../program/behaviours.ts';
import { NONE } from '../../../program/columns.ts';
import { Effect, type OrderedSchedule } from './ordered-schedule.ts';
import type { Sequence } from './wakeup-tree.ts';

export class BlockingRaces {
  readonly #schedule: OrderedSchedule;

  constructor(schedule: OrderedSchedule) {
    this.#schedule = schedule;
  }

  /** Builds each such sequence in v and calls `plan` with the step e before which it could come. */
  forEach(v: Sequence, plan: (e: number) => number): void {
    const { interleaving: x } = this.#schedule;
    const b = x.behaviours;
    for (let t = 0; t < x.threadCount; t++) {
      const s = x.stateOf(t);
      if (s === NONE || b.step[s] !== Step.READ || b.mayBlock[s] === 0) continue;
      this.#bringForward(t, s, x.lastOf(t), x.lastAccess(b.location[s]!), v, plan);
    }
    for (let i = 0; i < x.length; i++) {
      const s = x.before[i]!;
      if (b.mayBlock[s] === 0) continue;
      const before = x.previous[i] === NONE ? x.spawnOf(x.thread[i]!) : x.previous[i]!;
      this.#bringForward(x.thread[i]!, s, before, x.previousAccess[i]!, v, plan);
    }
  }

  /**
   * Lines 9 to 22 for the operation of state s, which thread t comes to after step `before`. `last`: the last access to its location
   * that comes before it in the schedule.
   */
  #bringForward(t: number, s: number, before: number, last: number, v: Sequence, plan: (e: number) => number): void {
    const schedule = this.#schedule;
    const { interleaving: x } = schedule;
    for (let e = last; e !== NONE; e = x.previousAccess[e]!) {
      if (schedule.effect[e]! < Effect.WRITE) continue;
      const commutes = schedule.effect[e]! >= Effect.ADD;
      if (before !== NONE && before >= e && schedule.happensBefore(e, before)) {
        if (commutes) continue;
        return; // then so do all earlier writes
      }
      const w: number[] = [];
      for (let i = e + 1; i < schedule.length; i++) if (!schedule.happensBefore(e, i)) w.push(i);
      const sets = this.#enabling(s, e, w, before);
      for (const u of sets) {
        this.#fill(v, u, t, s, e);
        v.before = before;
        v.isLastSame = false;
        plan(e);
      }
      if (!commutes && sets.length > 0) return;
    }
  }

  /** Lines 17 and 18: the maximal subsequences of w, closed under happens-before, after which the operation of s is enabled. */
  #enabling(s: number, e: number, w: readonly number[], before: number): readonly number[][] {
    const found: number[][] = [];
    const seen = new Set<string>();
    let sets: (readonly number[])[] = [w];
    while (sets.length > 0) {
      const smaller: (readonly number[])[] = [];
      for (const u of sets) {
        const key = u.join();
        if (seen.has(key)) continue;
        seen.add(key);
        if (found.some((larger) => u.every((i) => larger.includes(i)))) continue;
        if (this.#isEnabledAfter(s, e, u)) found.push([...u]);
        else smaller.push(...this.#without(s, u, before));
      }
      sets = smaller.sort((a, b) => b.length - a.length);
    }
    return found.filter((u) => !found.some((larger) => larger.length > u.length && u.every((i) => larger.includes(i))));
  }

  /** The sets that are left of u if one write to the location of s, on which `before` does not depend, is taken out. */
  #without(s: number, u: readonly number[], before: number): number[][] {
    const schedule = this.#schedule;
    const location = schedule.interleaving.behaviours.keyOfAccessed(s);
    const sets: number[][] = [];
    for (const f of u) {
      if (schedule.effect[f]! < Effect.WRITE || schedule.location[f] !== location) continue;
      if (before !== NONE && before >= f && schedule.happensBefore(f, before)) continue;
      sets.push(u.filter((i) => i < f || !schedule.happensBefore(f, i)));
    }
    return sets;
  }

  #isEnabledAfter(s: number, e: number, u: readonly number[]): boolean {
    const b = this.#schedule.interleaving.behaviours;
    return !b.wouldBlock(s, this.#valueAfter(s, e, u));
  }

  /** The value of the location of s after the steps before e and those of u. */
  #valueAfter(s: number, e: number, u: readonly number[]): number {
    const schedule = this.#schedule;
    const location = schedule.interleaving.behaviours.keyOfAccessed(s);
    let value = schedule.valueFor(s, e);
    for (const i of u) if (schedule.location[i] === location) value = schedule.valueAfter(i, value);
    return value;
  }

  /** v := u, then the operation of s by thread t. */
  #fill(v: Sequence, u: readonly number[], t: number, s: number, e: number): void {
    const schedule = this.#schedule;
    const { interleaving: x } = schedule;
    v.length = 0;
    for (const i of u) v.push(i, x.thread[i]!, x.choice[i]!, schedule.effect[i]!, schedule.location[i]!);
    const effect = schedule.effectWith(s, this.#valueAfter(s, e, u));
    v.push(NONE, t, 0, effect, x.behaviours.keyOfAccessed(s));
  }
}
