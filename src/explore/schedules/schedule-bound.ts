/** A bound on schedules: on preemptions, on unfairness, or on both. */
import type { Counts, SearchBound } from '../explorer.ts';
import { FairBound } from './fair-bound.ts';
import type { Interleaving } from './interleaving.ts';
import type { SchedulePolicy } from './policy.ts';
import { PreemptionBound } from './preemption-bound.ts';

/** What is not given has no bound. */
export interface Limits {
  readonly preemptions?: number | undefined;
  readonly fair?: number | undefined;
  /** With a fair bound: a schedule that goes on after so many steps is a livelock. */
  readonly maxSteps?: number | undefined;
}

/** [BPOR], Algorithm 4: MAX, if nobody says. */
export const USUAL_MAX_STEPS = 10_000;

/**
 * A thread that the fair bound holds back counts as not enabled for the preemption bound, so that leaving it is free: or else
 * there would be places where every step exceeds one bound or the other.
 */
export class ScheduleBound implements SchedulePolicy {
  readonly preemption: PreemptionBound | undefined;
  readonly fair: FairBound | undefined;
  readonly maxSteps: number;
  /** Left out with a fair bound, too: leaving a thread that it holds back is free then, which no report could explain. */
  readonly preemptions?: (length: number) => number;
  readonly #counts: Pick<Counts, 'pruned'>;
  /** What each refused; where both would, the fair bound did. */
  #unfair = 0;
  #preempting = 0;

  constructor(
    schedule: Interleaving,
    counts: Pick<Counts, 'pruned'>,
    { preemptions, fair, maxSteps = USUAL_MAX_STEPS }: Limits,
  ) {
    this.maxSteps = fair === undefined ? Number.POSITIVE_INFINITY : maxSteps;
    const fairness = fair === undefined ? undefined : new FairBound(schedule, fair);
    this.fair = fairness;
    this.preemption =
      preemptions === undefined
        ? undefined
        : new PreemptionBound(schedule, preemptions, (t) => fairness?.holdsBack(t) === true);
    const { preemption } = this;
    if (preemption !== undefined && fair === undefined) this.preemptions = (length) => preemption.of(length);
    this.#counts = counts;
  }

  /** As `Bounded` has them. */
  get list(): readonly SearchBound[] {
    const { preemption, fair } = this;
    const list: SearchBound[] = [];
    if (preemption !== undefined)
      list.push({ name: 'preemptions', value: preemption.bound, refused: this.#preempting });
    if (fair !== undefined) {
      list.push({ name: 'fairness', value: fair.bound, refused: this.#unfair, isIdle: !fair.hasYields });
    }
    return list;
  }

  /** As they are now. */
  get limits(): Limits {
    const { preemption, fair, maxSteps } = this;
    return { preemptions: preemption?.bound, fair: fair?.bound, ...(fair === undefined ? {} : { maxSteps }) };
  }

  /** Of the bound that rises if bounds rise: that on preemptions, if there is one. */
  get value(): number {
    return (this.preemption ?? this.fair)?.bound ?? Number.POSITIVE_INFINITY;
  }

  /** All will be explored again, within the next bound. */
  raise(): void {
    const rising = this.preemption ?? this.fair;
    if (rising !== undefined) rising.bound++;
    this.#unfair = 0;
    this.#preempting = 0;
  }

  admits(t: number): boolean {
    if (this.fair?.admits(t) === false) this.#unfair++;
    else if (this.preemption?.admits(t) === false) this.#preempting++;
    else return true;
    this.#counts.pruned++;
    return false;
  }

  /** The preemption bound asks whom the fair bound holds back now. */
  performed(t: number): void {
    this.fair?.performed(t);
    this.preemption?.performed(t);
  }

  undone(t: number): void {
    this.fair?.undone(t);
    this.preemption?.undone();
  }
}
