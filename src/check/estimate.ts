/**
 * How many executions there are in all, and when the search will be over: from samples of what is left (`Estimable`), each of which
 * says it without bias. They are taken between slices of the search, for a small part of its time.
 *
 * A sample that was begun after n executions and says that m are left says n + m of the whole, and goes on to say so. Samples are off in
 * proportion to what was left then and the less the more nodes they have expanded: by that the mean of all is weighted, and not by what
 * each says, which would prefer those that say little.
 */
import { type Estimable, type Explorer, executionsOf, Inestimable, isEstimable } from '../explore/explorer.ts';
import { InputError } from '../program/input-error.ts';

/** Nothing is estimated before; a short search is not made longer. */
const FIRST_MS = 1000;
/** The part of the time that samples may take, and how much more so that the first is there soon; but never more than a part of it. */
const SHARE = 0.03;
const ADVANCE_MS = 1000;
const MOST_SHARE = 0.1;
/** Samples go on for so long between two slices of the search. */
const SLICE_MS = 10;
/** With fewer, most samples say too little by far, and few too much: rather nothing is said for longer. */
const LEAST_PER_STRATUM = 4;
const MOST_PER_STRATUM = 256;
/** How much larger the next sample is if there is time for that: one of twice the size is far better than two. */
const GROWTH = 4;
/** Before samples have shown how far they are off: each by so much of what is left, as if two had shown it. */
const USUAL_DEVIATION = 0.5;
const USUAL_SAMPLES = 2;
/** Nine of ten are within so many standard deviations. */
const DEVIATIONS = 1.645;
/** How fast the search is: over the last 5 to 10 seconds. */
const RECENT_MS = 5000;

export interface Estimate {
  /** Executions in all; nine of ten times between `least` and `most`. */
  readonly total: number;
  readonly least: number;
  readonly most: number;
  readonly leftMs: number;
}

/** Why there is none: not yet, not with this algorithm, or because nobody knows how many rounds or bounds there will be. */
export const noEstimates = ['early', 'algorithm', 'rounds', 'bounds'] as const;
export type NoEstimate = (typeof noEstimates)[number];

export interface Sample {
  /** Executions that had ended; and how many it says there were left. */
  readonly done: number;
  readonly left: number;
  /** How many nodes it has expanded. */
  readonly expanded: number;
}

/** How many executions there are in all, and the variance of that. */
export function combined(samples: readonly Sample[]): { readonly total: number; readonly variance: number } {
  let total = weightedMean(samples, ({ expanded }) => expanded ** 2);
  const leftAt = ({ done }: Sample): number => Math.max(1, total - done);
  const weightOf = (sample: Sample): number => (sample.expanded / leftAt(sample)) ** 2;
  for (let i = 0; i < 4; i++) total = weightedMean(samples, weightOf);
  // how far off a sample is of its size: by what they say of each other
  let deviation = USUAL_SAMPLES * USUAL_DEVIATION ** 2;
  for (const sample of samples) deviation += ((sample.done + sample.left - total) / leftAt(sample)) ** 2;
  deviation /= USUAL_SAMPLES + samples.length - 1;
  let sum = 0;
  let variance = 0;
  for (const sample of samples) {
    sum += weightOf(sample);
    variance += (weightOf(sample) * leftAt(sample)) ** 2 * deviation;
  }
  return { total, variance: variance / sum ** 2 };
}

function weightedMean(samples: readonly Sample[], weightOf: (sample: Sample) => number): number {
  let sum = 0;
  let weights = 0;
  for (const sample of samples) {
    sum += weightOf(sample) * (sample.done + sample.left);
    weights += weightOf(sample);
  }
  return sum / weights;
}

interface Mark {
  readonly ms: number;
  readonly executions: number;
}

/** Estimates the search of one explorer. */
export class Estimator {
  readonly explorer: Explorer;
  readonly #samples: Sample[] = [];
  /** The one that is being taken. */
  #sampling: ReturnType<Estimable['sample']> | undefined;
  #perStratum = LEAST_PER_STRATUM;
  #spentMs = 0;
  /** Of that, for the one that is being taken. */
  #sampleMs = 0;
  #isHopeless = false;
  readonly #startMs: number;
  /** Where the search was 5 to 10 seconds ago, and up to 5. */
  #marks: readonly [Mark, Mark];

  constructor(explorer: Explorer, elapsedMs: number) {
    this.explorer = explorer;
    this.#startMs = elapsedMs;
    const mark = { ms: elapsedMs, executions: executionsOf(explorer.counts) };
    this.#marks = [mark, mark];
  }

  /** Takes samples for a while, if it is time to; between slices of the search. */
  work(elapsedMs: number): void {
    const { explorer } = this;
    const mark = { ms: elapsedMs, executions: executionsOf(explorer.counts) };
    if (elapsedMs - this.#marks[1].ms > RECENT_MS) this.#marks = [this.#marks[1], mark];
    const sinceMs = elapsedMs - this.#startMs;
    const budgetMs = Math.min(ADVANCE_MS + SHARE * sinceMs, MOST_SHARE * sinceMs) - this.#spentMs;
    if (this.#isHopeless || !isEstimable(explorer) || sinceMs < FIRST_MS || budgetMs <= 0) return;
    const start = performance.now();
    const loops = explorer.behaviours.program.openLoops;
    const go = (): void => this.#goOn(explorer, start + Math.min(SLICE_MS, budgetMs));
    try {
      if (loops === undefined) go();
      else loops.aside(go);
    } catch (error) {
      if (!(error instanceof InputError || error instanceof Inestimable)) throw error;
      this.#isHopeless = true; // the search may come to it, too, and says so then
    }
    const tookMs = performance.now() - start;
    this.#spentMs += tookMs;
    this.#sampleMs += tookMs;
    if (this.#sampling !== undefined) return;
    if (GROWTH * this.#sampleMs < SHARE * sinceMs) {
      this.#perStratum = Math.min(GROWTH * this.#perStratum, MOST_PER_STRATUM);
    }
    this.#sampleMs = 0;
  }

  #goOn(explorer: Estimable, end: number): void {
    this.#sampling ??= explorer.sample(this.#perStratum);
    const sampling = this.#sampling;
    while (performance.now() < end) {
      if (!sampling.step()) continue;
      const { done, executions: left, expanded } = sampling;
      this.#samples.push({ done, left, expanded });
      this.#sampling = undefined;
      return;
    }
  }

  /** After so many milliseconds of the check. */
  estimate(elapsedMs: number): Estimate | NoEstimate {
    if (!isEstimable(this.explorer)) return 'algorithm';
    if (this.#samples.length === 0) return 'early';
    const executions = executionsOf(this.explorer.counts);
    const { total, variance } = combined(this.#samples);
    // where more have ended than were expected, those that are left are of the size of the error
    const left = Math.max(1, total - executions, Math.sqrt(variance) / 3);
    const factor = Math.exp(DEVIATIONS * Math.sqrt(Math.log(1 + variance / left ** 2)));
    const [{ ms, executions: before }] = this.#marks;
    const msEach = (elapsedMs - ms) / Math.max(1, executions - before);
    return {
      total: executions + left,
      least: executions + left / factor,
      most: executions + left * factor,
      leftMs: left * msEach,
    };
  }
}
