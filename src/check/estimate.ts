/**
 * How many executions there are in all, and when the search will be over: from samples of what is left (thinning.ts), each of which
 * says it without bias. They are taken between slices of the search, for a small part of its time.
 *
 * A sample of what was left after n executions that says m says n + m of the whole, and goes on to say so. Its error is taken to be in
 * proportion to what was left then, and its variance the less the more nodes it has seen: by that the mean of all is weighted, and not by
 * what each says, which would prefer those that say little. For each sample the search is cut again, so
 * that towards its end samples are of the little that is left.
 */
import { type Estimable, type Explorer, executionsOf, Inestimable, type Sampler } from '../explore/explorer.ts';
import { nothingExplored, type WorkItem } from '../program/execution.ts';
import { InputError } from '../program/input-error.ts';

/** Nothing is estimated before; a short search is not made longer. */
const FIRST_MS = 400;
/** The part of the time that samples may take, and how much more so that the first is there soon; but never more than a part of it. */
const SHARE = 0.03;
const ADVANCE_MS = 1000;
const MOST_SHARE = 0.1;
/** Samples go on for so long between two slices of the search; so many steps between two looks at the clock. */
const SLICE_MS = 20;
const STEPS = 1000;
/** A sample is twice as large as the one before if there has been time for so many of these: what it says is of some time ago. And half as large if not for two. */
const GROWTH = 6;
const MOST_PER_STRATUM = 2 ** 20;
/** Nothing is said while all samples are wrong. One is if so many times as many executions have ended since as it said were left. */
const REFUTED = 1.5;
/** One small one alone may say far too much, or meet next to nothing. */
const LEAST_SAMPLES = 3;
const LEAST_NODES = 20_000;
/** The search is cut again, for the next sample, if so much of what is done was done since. */
const CUT_AFTER = 0.03;
/** Before samples have shown how far they are off: with so many nodes by as much as is left, as if two had shown it. */
const USUAL_NODES = 1000;
const USUAL_SAMPLES = 2;
/** What one sample misses others miss, too: the deviation of them all is so much greater than if they knew nothing of each other. */
const CAUTION = 1.5;
/** Nine of ten are within so many standard deviations. */
const DEVIATIONS = 1.645;
/** Until the most likely total is found; a residual beyond is a sample that has met nothing. */
const ROUNDS = 30;
const MOST_RESIDUAL = 10;
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
  /** How many nodes it has seen. */
  readonly nodes: number;
}

/**
 * How many executions there are in all, and the variance of that.
 *
 * Most samples say a little too little, and few say far too much: as if their logarithms were normally distributed, with such a variance that the
 * mean is the truth. The total is what is most likely then. A plain mean would be off by more, mostly, though by nothing in the mean.
 */
export function combined(samples: readonly Sample[]): { readonly total: number; readonly variance: number } {
  let single = USUAL_NODES;
  let total = Math.max(...samples.map(({ done, left }) => done + left));
  let weight = 0;
  for (let i = 0; i < ROUNDS; i++) {
    let sum = 0;
    let squares = USUAL_SAMPLES * USUAL_NODES;
    weight = 0;
    for (const { done, left, nodes } of samples) {
      const leftThen = Math.max(1, total - done);
      const variance = Math.log(1 + single / nodes);
      const residual = Math.log(Math.max(1, left) / leftThen) + variance / 2;
      sum += residual / (variance * leftThen);
      weight += 1 / (variance * leftThen ** 2);
      squares += nodes * Math.min(residual ** 2, MOST_RESIDUAL);
    }
    const most = Math.max(...samples.map(({ done }) => done));
    total = Math.max(total + sum / weight, most + (total - most) / 2);
    single = squares / (USUAL_SAMPLES + samples.length - 1);
  }
  return { total, variance: CAUTION ** 2 / weight };
}

/**
 * What is to be expected of a number that is known to be positive, with this mean and deviation before that was known: about the mean of
 * a normal distribution without its negative half. Where more executions have ended than samples said, as many are left as they were off.
 */
function positive(mean: number, deviation: number): number {
  return (mean + Math.hypot(mean, 2 * Math.sqrt(2 / Math.PI) * deviation)) / 2;
}

interface Mark {
  readonly ms: number;
  readonly executions: number;
}

/** What was left after so many executions. */
interface Cut {
  readonly items: readonly WorkItem[];
  readonly done: number;
}

/** Estimates the search of one explorer. */
export class Estimator {
  readonly explorer: Explorer;
  readonly #sampled: Estimable | undefined;
  #sampler: Sampler | undefined;
  #cut: Cut = { items: [nothingExplored], done: 0 };
  /** Of the sample that is being taken. */
  #begun: Cut | undefined;
  readonly #samples: Sample[] = [];
  #perStratum = 1;
  #spentMs = 0;
  /** Of that, for the one that is being taken. */
  #sampleMs = 0;
  #isHopeless = false;
  /** Whether the last cut was too long ago; it need not be possible to cut the search. */
  isCutDue = false;
  readonly #startMs: number;
  /** Where the search was 5 to 10 seconds ago, and up to 5. */
  #marks: readonly [Mark, Mark];

  /** `sampled`: who can be asked for samples of the search. */
  constructor(explorer: Explorer, sampled: Estimable | undefined, elapsedMs: number) {
    this.explorer = explorer;
    this.#sampled = sampled;
    this.#startMs = elapsedMs;
    const mark = { ms: elapsedMs, executions: executionsOf(explorer.counts) };
    this.#marks = [mark, mark];
  }

  /** The search was cut, after so many executions. */
  cutInto(items: readonly WorkItem[], done: number): void {
    this.#cut = { items, done };
    this.isCutDue = false;
  }

  /** Takes samples for a while, if it is time to; between slices of the search. */
  work(elapsedMs: number): void {
    const { explorer } = this;
    const mark = { ms: elapsedMs, executions: executionsOf(explorer.counts) };
    if (elapsedMs - this.#marks[1].ms > RECENT_MS) this.#marks = [this.#marks[1], mark];
    const sinceMs = elapsedMs - this.#startMs;
    const budgetMs = Math.min(ADVANCE_MS + SHARE * sinceMs, MOST_SHARE * sinceMs) - this.#spentMs;
    if (this.#isHopeless || this.#sampled === undefined || sinceMs < FIRST_MS || budgetMs <= 0) return;
    if (this.#sampler === undefined) {
      this.#sampler = this.#sampled.newSampler();
      this.isCutDue = true; // where the search is by now, it has many parts, and samples have some of each
      return;
    }
    const sampler = this.#sampler;
    const start = performance.now();
    const loops = explorer.behaviours.program.openLoops;
    let isOver = false;
    const go = (): void => {
      isOver = this.#goOn(sampler, start + Math.min(SLICE_MS, budgetMs));
    };
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
    if (!isOver) return;
    const enoughMs = Math.min(MOST_SHARE * sinceMs, SHARE * sinceMs + Math.max(0, ADVANCE_MS - this.#spentMs));
    if (this.#sampleMs > enoughMs / 2) this.#perStratum = Math.max(1, this.#perStratum / 2);
    else if (GROWTH * this.#sampleMs < enoughMs) this.#perStratum = Math.min(2 * this.#perStratum, MOST_PER_STRATUM);
    this.#sampleMs = 0;
    this.isCutDue = mark.executions - this.#cut.done > CUT_AFTER * mark.executions;
  }

  /** Whether the sample is over. */
  #goOn(sampler: Sampler, end: number): boolean {
    if (this.#begun === undefined) {
      this.#begun = this.#cut;
      sampler.begin(this.#cut.items, { perStratum: this.#perStratum });
    }
    const { done } = this.#begun;
    while (performance.now() < end) {
      const result = sampler.run(STEPS);
      if (result === undefined) continue;
      const { executions: left, nodes } = result;
      this.#samples.push({ done, left, nodes });
      this.#begun = undefined;
      return true;
    }
    return false;
  }

  /** After so many milliseconds of the check. */
  estimate(elapsedMs: number): Estimate | NoEstimate {
    if (this.#sampled === undefined) return 'algorithm';
    const executions = executionsOf(this.explorer.counts);
    const isRefuted = ({ done, left }: Sample): boolean => executions - done > REFUTED * left;
    const nodes = this.#samples.reduce((sum, each) => sum + each.nodes, 0);
    const isEarly = this.#samples.length < LEAST_SAMPLES && nodes < LEAST_NODES;
    if (isEarly || this.#samples.every(isRefuted)) return 'early';
    // as many were left as have ended since, at least
    const { total, variance } = combined(
      this.#samples.map((each) => ({ ...each, left: Math.max(each.left, executions - each.done) })),
    );
    const left = Math.max(1, positive(total - executions, Math.sqrt(variance)));
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
