/**
 * Fair schedules ([BPOR], definition 2.6): a thread may go on as long as it has not performed many more yields than some other
 * thread that is enabled. So a thread that waits in a loop, and yields in it, has to let others go on.
 */
import { type Behaviours, Step } from '../../program/behaviours.ts';
import { type Column, grown } from '../../program/columns.ts';
import type { Interleaving } from './interleaving.ts';
import type { SchedulePolicy } from './policy.ts';

/** More yields than there are. */
const MANY = 0x7fffffff;

export class FairBound implements SchedulePolicy {
  readonly #schedule: Interleaving;
  bound: number;
  /** Y, by thread: the yields that it has performed. */
  #yields: Column = new Int32Array(8);
  /** Whether some thread has ever yielded. */
  hasYields = false;
  /** By number of steps: the least Y of the threads that are enabled then. */
  #least: Column = new Int32Array(64);

  constructor(schedule: Interleaving, bound: number) {
    this.#schedule = schedule;
    this.bound = bound;
  }

  admits(t: number): boolean {
    return !this.holdsBack(t);
  }

  /** Whether thread t, which is enabled, has yielded too often to go on now. */
  holdsBack(t: number): boolean {
    return this.yieldsOf(t) - this.#least[this.#schedule.length]! > this.bound;
  }

  yieldsOf(t: number): number {
    return t < this.#yields.length ? this.#yields[t]! : 0;
  }

  performed(t: number): void {
    const x = this.#schedule;
    if (isYield(x.behaviours, x.before[x.length - 1]!)) this.#count(t, 1);
    if (x.length >= this.#least.length) this.#least = grown(this.#least, x.length + 1);
    let least = MANY;
    for (let u = 0; u < x.threadCount; u++) {
      const yields = this.yieldsOf(u);
      if (yields < least && x.isEnabled(u)) least = yields;
    }
    this.#least[x.length] = least;
  }

  /** The step is no longer part of the schedule, and stands behind it. */
  undone(t: number): void {
    const x = this.#schedule;
    if (isYield(x.behaviours, x.before[x.length]!)) this.#count(t, -1);
  }

  #count(t: number, yields: number): void {
    this.hasYields = true;
    if (t >= this.#yields.length) this.#yields = grown(this.#yields, t + 1);
    this.#yields[t] = this.#yields[t]! + yields;
  }
}

export function isYield(b: Behaviours, s: number): boolean {
  return b.step[s] === Step.LOCAL && b.operation(s).kind === 'yield';
}
