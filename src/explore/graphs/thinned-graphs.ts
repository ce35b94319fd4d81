/**
 * A sample of TruSt's tree (thinning.ts), as a policy: where an option was taken it refuses most graphs, at random, beside those that the
 * policy of the search refuses. So the sample is taken at the full speed of a search.
 *
 * A node is the first graph after an option was taken: TruSt asks for a mark when it comes to several options, and goes back to the mark for each
 * of them. Its rank is the number of events that were ever added on the way to it.
 */

import type { Ending } from '../../program/ending.ts';
import { type Counts, Inestimable } from '../explorer.ts';
import { MOST_STEPS, type SampleOptions, Thinning } from '../thinning.ts';
import type { GraphPolicy, Judgement } from './policy.ts';
import type { ProgramGraph } from './program-graph.ts';
import { stratumOf } from './stratum.ts';

export class ThinnedGraphs implements GraphPolicy {
  readonly #threads: ProgramGraph;
  readonly #counts: Counts;
  readonly #policy: GraphPolicy;
  /** So that it adds events in the order of the search. */
  readonly isBlind: boolean;
  #thinning = new Thinning({ perStratum: 1 });
  /** For each mark, the weight of the graph, and the mark of the policy within. */
  readonly #weights: number[] = [];
  readonly #marks: number[] = [];
  /** Whether an option is being taken. */
  #isOption = false;
  /** What is redundant is not judged. */
  #redundant = 0;
  /** How often it went back to the beginning. */
  begun = 0;

  constructor(threads: ProgramGraph, counts: Counts, policy: GraphPolicy) {
    this.#threads = threads;
    this.#counts = counts;
    this.#policy = policy;
    this.isBlind = policy.isBlind === true;
  }

  begin(options: SampleOptions): void {
    this.#thinning = new Thinning(options);
    this.#redundant = this.#counts.redundant;
    this.begun = 0;
  }

  get thinning(): Thinning {
    return this.#thinning;
  }

  admits(): boolean {
    const isNode = this.#isOption;
    this.#isOption = false;
    const rank = this.#threads.g.nextStamp;
    if (rank > MOST_STEPS) throw new Inestimable();
    if (!this.#policy.admits()) return false;
    return !isNode || this.#thinning.keeps(rank, stratumOf(this.#threads));
  }

  judge(ending: Ending): Judgement {
    const judgement = this.#policy.judge(ending);
    if (judgement !== 'dropped') this.#thinning.ended();
    return judgement;
  }

  mark(): number {
    this.#isOption = true;
    this.#marks.push(this.#policy.mark());
    return this.#weights.push(this.#thinning.weight);
  }

  undoTo(mark: number): void {
    const { redundant } = this.#counts;
    this.#thinning.ended(redundant - this.#redundant);
    this.#redundant = redundant;
    this.#weights.length = mark;
    this.#marks.length = mark;
    this.#isOption = mark > 0;
    this.#thinning.weight = this.#weights.at(-1) ?? 1;
    this.#policy.undoTo(this.#marks.at(-1) ?? 0);
    if (mark === 0) this.begun++;
  }
}
