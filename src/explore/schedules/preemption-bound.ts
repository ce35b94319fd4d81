/**
 * Schedules with few preemptions: a preemption is a switch away from a thread that is enabled ([BPOR], definition 2.5; [BUSTER],
 * section 2.2; for schedules that have ended it is the definition of [BUSTER], section 3.1, too). With depth-first search this is
 * the bounded search without reduction of CHESS.
 */
import { type Column, grown, NONE } from '../../program/columns.ts';
import type { Interleaving } from './interleaving.ts';
import type { SchedulePolicy } from './policy.ts';

export class PreemptionBound implements SchedulePolicy {
  readonly #schedule: Interleaving;
  bound: number;
  /** Whether a thread is held back by something else: then leaving it is free. */
  readonly #isHeldBack: (t: number) => boolean;
  /** By step: the preemptions up to it; and whether its thread is enabled after it. */
  #preemptions: Column = new Int32Array(64);
  #staysEnabled: Column = new Int32Array(64);

  constructor(schedule: Interleaving, bound: number, isHeldBack: (t: number) => boolean = () => false) {
    this.#schedule = schedule;
    this.bound = bound;
    this.#isHeldBack = isHeldBack;
  }

  admits(t: number): boolean {
    return this.with(t, this.#schedule.length) <= this.bound;
  }

  performed(t: number): void {
    const last = this.#schedule.length - 1;
    if (last >= this.#preemptions.length) {
      this.#preemptions = grown(this.#preemptions, last + 1);
      this.#staysEnabled = grown(this.#staysEnabled, last + 1);
    }
    this.#preemptions[last] = this.with(t, last);
    this.#staysEnabled[last] = this.#schedule.isEnabled(t) && !this.#isHeldBack(t) ? 1 : 0;
  }

  undone(): void {}

  /** Pb of the first `length` steps. */
  of(length: number): number {
    return length === 0 ? 0 : this.#preemptions[length - 1]!;
  }

  /** Pb of the first `length` steps and one of thread t after them. */
  with(t: number, length: number): number {
    const last = length - 1;
    if (last === NONE) return 0;
    const preempts = this.#schedule.thread[last] !== t && this.#staysEnabled[last] === 1;
    return this.#preemptions[last]! + (preempts ? 1 : 0);
  }
}
