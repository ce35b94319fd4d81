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
import { Speed } from './speed.ts';

/** Nothing is estimated before; a short search is not made longer. */
const FIRST_MS = 400;
/** The part of the time that samples may take, and how much more so that the first are there soon; but never more than a part of it. */
const SHARE = 0.03;
const ADVANCE_MS = 1000;
const MOST_SHARE = 0.1;
/** Of a search that takes longer than a second they may take more until something is said of it: up to this, and usually as much as that most. */
const EAGER_MS = 1000;
const EAGER_SHARE = 0.3;
/** With several workers all this is of the time of all, but one of them takes the samples: no more than this of its own. */
const MOST_OF_ONE = 0.4;
/** Samples go on for so long between two slices of the search; so many steps between two looks at the clock. */
const SLICE_MS = 20;
const STEPS = 1000;
/**
 * A sample is half as large as the one before if there is not time for so many of these; else larger, if there is for so many times more.
 * What it says is of some time ago; but many small ones instead all say too little.
 */
const SAMPLES = 2;
const GROWTH = 3;
const MOST_GROWTH = 8;
const MOST_PER_STRATUM = 2 ** 20;
/** Nothing is said while all samples are wrong. One is if so many times as many executions have ended since as it said were left. */
const REFUTED = 1.5;
/**
 * Small ones may all meet next to nothing. So many nodes are enough, or for a search that is slow, in several samples, a part of the number
 * of executions that have ended.
 */
const LEAST_NODES = 20_000;
const LEAST_SAMPLES = 3;
const LEAST_PART = 0.1;
/** The search is cut again, for the next sample, if so much of what is done was done since. */
const CUT_AFTER = 0.03;
/** The variance of a sample is in inverse proportion to its nodes. Before samples have shown it: 1 for so many, as if two had shown it. */
const USUAL_NODES = 10_000;
const USUAL_SAMPLES = 2;
/** What one sample misses others miss, too: the range is for a deviation so much greater than if they knew nothing of each other. */
const CAUTION = 1.75;
/** Nine of ten are within so many standard deviations. */
const DEVIATIONS = 1.645;
/** Of the logarithm of a sample, how much it is below that of the truth, by its variance: lognormal ones would be by half of it. See `combined`. */
const SKEW = 0.25;
/** Until the most likely total is found; what is further off is a sample that has met nothing. */
const ROUNDS = 30;
const MOST_VARIANCE = 10;

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
 * mean is the truth. The total is what is most likely then. A plain mean would be off by more, mostly, though by nothing in the mean. But
 * how large the variance is few samples do not tell, and what they are thought to be below the truth is half of what would follow from it.
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
      const variance = Math.min(single / nodes, MOST_VARIANCE);
      const residual = Math.log(Math.max(1, left) / leftThen) + SKEW * variance;
      sum += residual / (variance * leftThen);
      weight += 1 / (variance * leftThen ** 2);
      squares += nodes * Math.min(residual ** 2, MOST_VARIANCE);
    }
    const most = Math.max(...samples.map(({ done }) => done));
    total = Math.max(total + sum / weight, most + (total - most) / 2);
    single = squares / (USUAL_SAMPLES + samples.length - 1);
  }
  return { total, variance: 1 / weight };
}

/**
 * What is to be expected of a number that is known to be positive, with this mean and deviation before that was known: about the mean of
 * a normal distribution without its negative half. Where more executions have ended than samples said, as many are left as they were off.
 */
function positive(mean: number, deviation: number): number {
  return (mean + Math.hypot(mean, 2 * Math.sqrt(2 / Math.PI) * deviation)) / 2;
}

/** How many nodes of a stratum the next sample keeps, if this one has kept so many, and it took `tookMs` of `enoughMs`. */
function sizeOfNext(perStratum: number, tookMs: number, enoughMs: number): number {
  if (SAMPLES * tookMs > enoughMs) return Math.max(1, perStratum / 2);
  const room = enoughMs / (GROWTH * SAMPLES * tookMs);
  if (room <= 1) return perStratum;
  const growth = Math.min(MOST_GROWTH, 2 ** Math.max(1, Math.floor(Math.log2(room))));
  return Math.min(growth * perStratum, MOST_PER_STRATUM);
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
  readonly #speed: Speed;

  /** `sampled`: who can be asked for samples of the search. */
  constructor(explorer: Explorer, sampled: Estimable | undefined, elapsedMs: number) {
    this.explorer = explorer;
    this.#sampled = sampled;
    this.#startMs = elapsedMs;
    this.#speed = new Speed(elapsedMs, executionsOf(explorer.counts));
  }

  /** The search was cut, after so many executions. */
  cutInto(items: readonly WorkItem[], done: number): void {
    this.#cut = { items, done };
    this.isCutDue = false;
  }

  /** Takes samples for a while, if it is time to; between slices of the search. `workers`: how many explore; all of their time counts. */
  work(elapsedMs: number, workers = 1): void {
    const { explorer } = this;
    const executions = executionsOf(explorer.counts);
    this.#speed.note(elapsedMs, executions);
    const sinceMs = elapsedMs - this.#startMs;
    const isEager = sinceMs > EAGER_MS && this.#isSilent(executions);
    const partMs = (share: number): number => Math.min(share * workers, MOST_OF_ONE) * sinceMs;
    const mostMs = partMs(isEager ? EAGER_SHARE : MOST_SHARE);
    const usualMs = partMs(isEager ? MOST_SHARE : SHARE);
    const budgetMs = Math.min(ADVANCE_MS + usualMs, mostMs) - this.#spentMs;
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
    const enoughMs = Math.min(mostMs, usualMs + Math.max(0, ADVANCE_MS - this.#spentMs));
    this.#perStratum = sizeOfNext(this.#perStratum, this.#sampleMs, enoughMs);
    this.#sampleMs = 0;
    this.isCutDue = executions - this.#cut.done > CUT_AFTER * executions;
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

  /** Whether nothing can be said yet, or not any more, when so many executions have ended. */
  #isSilent(executions: number): boolean {
    const nodes = this.#samples.reduce((sum, each) => sum + each.nodes, 0);
    const isEnough =
      nodes >= LEAST_NODES || (this.#samples.length >= LEAST_SAMPLES && nodes >= LEAST_PART * executions);
    return !isEnough || this.#samples.every(({ done, left }) => executions - done > REFUTED * left);
  }

  /** After so many milliseconds of the check. */
  estimate(elapsedMs: number): Estimate | NoEstimate {
    if (this.#sampled === undefined) return 'algorithm';
    const executions = executionsOf(this.explorer.counts);
    if (this.#isSilent(executions)) return 'early';
    // as many were left as have ended since, at least
    const { total, variance } = combined(
      this.#samples.map((each) => ({ ...each, left: Math.max(each.left, executions - each.done) })),
    );
    const left = Math.max(1, positive(total - executions, Math.sqrt(variance)));
    const factor = Math.exp(DEVIATIONS * Math.sqrt(Math.log(1 + (CAUTION ** 2 * variance) / left ** 2)));
    return {
      total: executions + left,
      least: executions + left / factor,
      most: executions + left * factor,
      leftMs: left * this.#speed.msEach(elapsedMs, executions),
    };
  }
}
