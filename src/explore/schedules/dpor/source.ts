/**
 * Source-DPOR ([Source], Algorithm 1) with sleep sets: each equivalence class of executions is explored once, but some schedules
 * lead to where everything that can go on is asleep. The baseline that wakeup trees improve on.
 *
 * What differs from the paper: races are looked for at the end of a schedule; operations that can block as in [Await], lines 7 to 22.
 */
import { NONE } from '../../../program/columns.ts';
import { BacktrackSets, type Point } from './backtrack-sets.ts';
import { conflict } from './ordered-schedule.ts';
import type { Sequence } from './wakeup-tree.ts';

export class SourceDpor extends BacktrackSets {
  /** If backtrack(E') has none of the initials of v, it gets one. */
  protected override addBacktrack(point: Point, e: number, v: Sequence): void {
    const seen = new Set<number>();
    let first: number | undefined;
    for (let k = 0; k < v.length; k++) {
      const t = v.thread[k] as number;
      if (seen.has(t)) continue;
      seen.add(t);
      if (!this.#isInitial(e, v, k)) continue;
      if (point.backtrack.includes(t) || point.sleep.some((q) => q.thread === t)) return;
      first ??= t;
    }
    if (first !== undefined) point.backtrack.push(first);
  }

  /** Whether nothing in v that comes before the k-th step, the first one of its thread there, happens before it. */
  #isInitial(e: number, v: Sequence, k: number): boolean {
    const { schedule } = this;
    const t = v.thread[k] as number;
    if (this.interleaving.spawnOf(t) >= e) return false;
    const step = v.step[k] as number;
    for (let j = 0; j < k; j++) {
      const earlier = v.step[j] as number;
      const isBefore =
        step === NONE
          ? conflict(v.location[j] as number, v.effect[j] as number, v.location[k] as number, v.effect[k] as number)
          : schedule.happensBefore(earlier, step);
      if (isBefore) return false;
    }
    return true;
  }
}
