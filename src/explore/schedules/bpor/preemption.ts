/**
 * [BPOR], Algorithm 3: the procedures for the preemption bound.
 *
 * Line 8 of the paper lacks brackets: the second point is at the largest j < i at which a block of one thread's steps begins. It
 * is conservative: before S_i thread u may cost a preemption, at the start of the block it may not.
 */
import { Step } from '../../../program/behaviours.ts';
import type { PreemptionBound } from '../preemption-bound.ts';
import { Mark } from './points.ts';
import type { Procedures, Search } from './procedures.ts';
import { addBacktrackPoint } from './requests.ts';

export class PreemptionProcedures implements Procedures {
  protected readonly search: Search;
  readonly #bound: PreemptionBound;

  constructor(search: Search, bound: PreemptionBound) {
    this.search = search;
    this.#bound = bound;
  }

  arrive(_d: number): void {}

  /** Lines 2 to 5: the executing thread, if it is enabled, or else any. */
  initialize(d: number): number {
    const { points, schedule } = this.search;
    const executing = d === 0 ? 0 : schedule.thread[d - 1]!;
    return points.has(d, executing, Mark.ENABLED) ? executing : points.awake(d);
  }

  added(_d: number, _u: number): void {}

  /** Lines 7 to 9. */
  backtrack(i: number, u: number, mark: number): void {
    const { points, variant } = this.search;
    this.addBacktrackPoint(i, u, mark);
    if (variant.second && i > 0) this.addBacktrackPoint(points.blockStart[i - 1]!, u, Mark.LATER);
  }

  /** Lines 10 to 14. */
  protected addBacktrackPoint(d: number, u: number, mark: number): void {
    addBacktrackPoint(this.search, d, u, mark);
  }

  /**
   * Let z be q's step, S the schedule up to where it was explored and β what came since. Whatever continues S.β.z continues S.z.β, at
   * no more cost if Pb(S.z.β) is at most Pb(S.β.z), where leaving the last thread of β may cost one more. Pb(S.z.β) is kept step
   * by step; a thread that waits for z to do something, and may find it done there, is taken to be enabled.
   */
  staysAsleep(q: number, d: number): boolean {
    const { points, schedule } = this.search;
    const { width, costBefore } = points;
    const t = schedule.thread[d - 1]!;
    let cost: number;
    if (points.has(d - 1, q, Mark.EXPLORED)) {
      cost = this.#bound.with(q, d - 1) + (points.has(d - 1, q, Mark.GOES_ON) ? 1 : 0);
    } else {
      const left = schedule.thread[d - 2]!;
      const preempts = left !== t && (points.has(d - 1, left, Mark.ENABLED) || this.#waitsFor(left, q));
      cost = costBefore[(d - 1) * width + q]! + (preempts ? 1 : 0);
    }
    costBefore[d * width + q] = cost;
    const isEnabled = points.has(d, t, Mark.ENABLED);
    const here = this.#bound.of(d) + (isEnabled ? 1 : 0);
    return cost + (isEnabled || this.#waitsFor(t, q) ? 1 : 0) <= here;
  }

  /** Whether the next operation of thread t, which cannot be performed, may become possible by the next one of q. */
  #waitsFor(t: number, q: number): boolean {
    const { schedule, dependences } = this.search;
    const b = schedule.behaviours;
    const s = schedule.stateOf(t);
    if (b.step[s] === Step.JOIN) return b.operand[s] === q;
    return b.step[s] === Step.READ && dependences.areDependent(s, schedule.stateOf(q));
  }
}
