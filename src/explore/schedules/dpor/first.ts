/**
 * Dynamic partial order reduction as Flanagan and Godefroid first gave it ([DPOR], figure 3), with sleep sets: the baseline of all
 * others. A race of e and a later step e' adds the thread of e' to those that are explored before e, if it can go on there; else
 * one that e' depends on, or if there is none, all.
 *
 * What differs from the paper: a thread that is asleep does not count. Its step was explored elsewhere, and the races that it would
 * show here were found there, where they asked for threads that may be asleep by now.
 */
import { BacktrackSets, type Point } from './backtrack-sets.ts';
import type { Sequence } from './wakeup-tree.ts';

export class FirstDpor extends BacktrackSets {
  protected override addBacktrack(point: Point, e: number, v: Sequence): void {
    const { enabled, backtrack, sleep } = point;
    const candidates = this.#candidates(enabled, e, v).filter((t) => !sleep.some((q) => q.thread === t));
    if (candidates.some((t) => backtrack.includes(t))) return;
    if (candidates.length > 0) backtrack.push(candidates[0] as number);
    else backtrack.push(...enabled.filter((t) => !backtrack.includes(t)));
  }

  /** The threads that can go on before e and lead to e': that of e', or those of steps after e that e' depends on. */
  #candidates(enabled: readonly number[], e: number, v: Sequence): number[] {
    const { schedule } = this;
    const later = v.length - 1;
    const thread = v.thread[later] as number;
    if (enabled.includes(thread)) return [thread];
    const { before } = v;
    const threads: number[] = [];
    for (let k = 0; k < later && before > e; k++) {
      const step = v.step[k] as number;
      const leads = step <= before && schedule.happensBefore(step, before);
      if (leads && enabled.includes(v.thread[k] as number)) threads.push(v.thread[k] as number);
    }
    return threads;
  }
}
