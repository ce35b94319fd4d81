/**
 * Schedules with few preemptions: a preemption is a switch away from a thread that is enabled ([BUSTER], section 2.2; for
 * schedules that have ended it is the definition of [BUSTER], section 3.1, too). With depth-first search this is the bounded
 * search without reduction of CHESS.
 */
import { type Column, grown, NONE } from '../../program/columns.ts';
import type { Counts } from '../explorer.ts';
import type { Interleaving } from './interleaving.ts';
import type { SchedulePolicy } from './policy.ts';

export class PreemptionBound implements SchedulePolicy {
  readonly #schedule: Interleaving;
  readonly #counts: Pick<Counts, 'pruned'>;
  bound: number;
  /** By step: the preemptions up to it; and whether its thread is enabled after it. */
  #preemptions: Column = new Int32Array(64);
  #staysEnabled: Column = new Int32Array(64);

  constructor(schedule: Interleaving, counts: Pick<Counts, 'pruned'>, bound: number) {
    this.#schedule = schedule;
    this.#counts = counts;
    this.bound = bound;
  }

  admits(t: number): boolean {
    if (this.#with(t, this.#schedule.length) <= this.bound) return true;
    this.#counts.pruned++;
    return false;
  }

  performed(t: number): void {
    const last = this.#schedule.length - 1;
    if (last >= this.#preemptions.length) {
      this.#preemptions = grown(this.#preemptions, last + 1);
      this.#staysEnabled = grown(this.#staysEnabled, last + 1);
    }
    this.#preemptions[last] = this.#with(t, last);
    this.#staysEnabled[last] = this.#schedule.isEnabled(t) ? 1 : 0;
  }

  undone(): void {}

  /** The preemptions of the first `length` steps and one of thread t after them. */
  #with(t: number, length: number): number {
    const last = length - 1;
    if (last === NONE) return 0;
    const preempts = this.#schedule.thread[last] !== t && this.#staysEnabled[last] === 1;
    return this.#preemptions[last]! + (preempts ? 1 : 0);
  }
}
