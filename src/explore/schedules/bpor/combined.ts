/**
 * The procedures for both bounds. [BPOR], section 5.3, has none, but says what to see to: a thread that the fair bound holds back
 * can be left for free, and where it changes who is enabled more has to be explored. So this is the union of Algorithms 3 and 4,
 * and all threads are explored
 * - where the fair bound holds back somebody;
 * - before and after each step that may change who is enabled or whom the fair bound holds back, and at the start of the block
 *   before it, as in Algorithm 3. Such a step is a release, a yield, a step after which its thread cannot go on, and any
 *   access to what threads wait for: also one that disables a thread, which may have been the one with the fewest yields.
 */
import { type FairBound, isYield } from '../fair-bound.ts';
import type { PreemptionBound } from '../preemption-bound.ts';
import { FairProcedures } from './fair.ts';
import { Mark } from './points.ts';
import { PreemptionProcedures } from './preemption.ts';
import type { Search } from './procedures.ts';

export class CombinedProcedures extends PreemptionProcedures {
  readonly #fair: FairProcedures;

  constructor(search: Search, preemption: PreemptionBound, fair: FairBound) {
    super(search, preemption);
    this.#fair = new FairProcedures(search, fair, (i) => this.#exploreAround(i));
  }

  override arrive(d: number): void {
    const { points } = this.search;
    this.#fair.arrive(d);
    if (d > 0 && this.#changesEnabled(d - 1)) this.#exploreAround(d - 1);
    if (points.count(d, Mark.HELD_BACK) > 0) points.addAll(d, Mark.LATER);
  }

  override initialize(d: number): number {
    const first = super.initialize(d);
    return first >= 0 && this.search.points.has(d, first, Mark.HELD_BACK) ? this.#fair.initialize(d) : first;
  }

  override added(d: number, u: number): void {
    this.#fair.added(d, u);
  }

  protected override addBacktrackPoint(d: number, u: number, mark: number): void {
    this.#fair.addBacktrackPoint(d, u, mark);
  }

  /** What it costs to have a step earlier is not known: a yield or a release changes whom others can leave for free. */
  override staysAsleep(): boolean {
    return false;
  }

  /** Whether step i, the last one, may have changed who is enabled, or whom the fair bound holds back. */
  #changesEnabled(i: number): boolean {
    const { points, schedule } = this.search;
    const t = schedule.thread[i]!;
    const s = schedule.before[i]!;
    if (points.has(i, t, Mark.RELEASES) || !points.has(i + 1, t, Mark.ENABLED)) return true;
    return isYield(schedule.behaviours, s) || this.#fair.isOnAwaited(s);
  }

  #exploreAround(i: number): void {
    const { points, variant } = this.search;
    if (!variant.around) return;
    points.addAll(i, Mark.LATER);
    points.addAll(i + 1, Mark.LATER);
    if (i > 0) points.addAll(points.blockStart[i - 1]!, Mark.LATER);
  }
}
