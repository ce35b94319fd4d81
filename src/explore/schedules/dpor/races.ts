/**
 * The races of a schedule ([Await], Algorithm 1, lines 3 to 22), each as the sequence of steps that takes it the other way round:
 * what comes after the earlier step e and does not depend on it (`notdep`), then the later step e'.
 */
import { type Behaviours, Step } from '../../../program/behaviours.ts';
import { NONE } from '../../../program/columns.ts';
import { LOCKED } from '../../../program/orders.ts';
import type { Interleaving } from '../interleaving.ts';
import { BlockingRaces } from './blocking-races.ts';
import { ObservedRaces } from './observed-races.ts';
import type { ObservedSchedule } from './observed-schedule.ts';
import type { OrderedSchedule } from './ordered-schedule.ts';
import type { Sequence } from './wakeup-tree.ts';

export class Races {
  readonly #schedule: OrderedSchedule;
  readonly #interleaving: Interleaving;
  readonly #behaviours: Behaviours;
  readonly #blocking: BlockingRaces;
  readonly #observed: ObservedRaces | undefined;

  /** `observed`: the schedule, if it is one with observers. */
  constructor(schedule: OrderedSchedule, observed?: ObservedSchedule) {
    this.#schedule = schedule;
    this.#interleaving = schedule.interleaving;
    this.#behaviours = schedule.interleaving.behaviours;
    this.#blocking = new BlockingRaces(schedule);
    this.#observed = observed === undefined ? undefined : new ObservedRaces(observed);
  }

  /**
   * Builds each such sequence in v and calls `plan` with the step e before which it comes. `plan` gives the last step on which its result
   * rests: as long as that has not changed, it is not asked again; LATER: it may be otherwise with another continuation.
   */
  forEach(v: Sequence, plan: (e: number) => number): void {
    const schedule = this.#schedule;
    const { unchanged } = schedule;
    for (let later = 0; later < schedule.length; later++) {
      const end = schedule.raceStart[later + 1]!;
      for (let k = schedule.raceStart[later]!; k < end; k++) {
        if (schedule.settledBy[k]! < unchanged) continue;
        const e = schedule.races[k]!;
        if (this.#observed?.isConditional(e, later) === true) this.#observed.forEach(e, later, v, plan);
        else {
          this.#reverse(e, later, v);
          schedule.settledBy[k] = plan(e);
        }
      }
    }
    this.#blocking.forEach(v, plan);
    schedule.unchanged = schedule.length;
  }

  /** Line 5: v := notdep(e, E), then the step `later`. */
  #reverse(e: number, later: number, v: Sequence): void {
    const schedule = this.#schedule;
    const x = this.#interleaving;
    v.length = 0;
    for (let i = e + 1; i < schedule.length; i++) {
      if (!schedule.happensBefore(e, i))
        v.push(i, x.thread[i]!, x.choice[i]!, schedule.effect[i]!, schedule.location[i]!);
    }
    v.last = later;
    v.before = x.previous[later] === NONE ? x.spawnOf(x.thread[later]!) : x.previous[later]!;
    const effect = this.#effectWithout(e, later);
    v.isLastSame = effect === schedule.effect[later];
    v.push(NONE, x.thread[later]!, x.choice[later]!, effect, schedule.location[later]!);
  }

  /** What the step `later` does if e, and what depends on it, has not happened before. */
  #effectWithout(e: number, later: number): number {
    const schedule = this.#schedule;
    const b = this.#behaviours;
    const s = this.#interleaving.before[later]!;
    if (b.step[s] !== Step.READ || (b.order[s]! & LOCKED) === 0) return schedule.effect[later]!;
    const location = schedule.location[later]!;
    let value = schedule.valueFor(s, e);
    for (let i = e + 1; i < schedule.length; i++) {
      if (schedule.location[i] === location && !schedule.happensBefore(e, i)) value = schedule.valueAfter(i, value);
    }
    return schedule.effectWith(s, value);
  }
}
