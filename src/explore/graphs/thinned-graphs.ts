/**
 * A sample of TruSt's tree (thinning.ts), as a policy: where an option was taken it refuses most graphs, at random, beside those that the
 * policy of the search refuses. So the sample is taken at the full speed of a search.
 *
 * A node is the first graph after an option was taken: TruSt asks for a mark when it comes to several options, and goes back to the mark for each
 * of them. Strata need not rise on the way to it, as a revisit deletes events: its rank is how often they have not. (Tried before: how many
 * events were ever added, which tells graphs apart that have as much before them. Samples were ten times as large.)
 */

import type { EventId } from '../../graph/graph.ts';
import { NONE } from '../../program/columns.ts';
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
  /** The stratum and the rank of the last node on the way to the graph, and for each mark. */
  #stratum = NONE;
  #rank = 0;
  readonly #strata: number[] = [];
  readonly #ranks: number[] = [];
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
    if (this.#threads.g.nextStamp > MOST_STEPS) throw new Inestimable();
    if (!this.#policy.admits()) return false;
    if (!isNode) return true;
    const stratum = stratumOf(this.#threads);
    if (stratum <= this.#stratum) this.#rank++;
    this.#stratum = stratum;
    return this.#thinning.keeps(this.#rank, stratum);
  }

  judge(ending: Ending): Judgement {
    const judgement = this.#policy.judge(ending);
    if (judgement !== 'dropped') this.#thinning.ended();
    return judgement;
  }

  get countsLastOnly(): boolean {
    return this.#policy.countsLastOnly === true;
  }

  countsAhead(e: EventId): boolean {
    if (this.#policy.countsAhead?.(e) !== true) return false;
    this.#thinning.ended();
    return true;
  }

  mark(): number {
    this.#isOption = true;
    this.#marks.push(this.#policy.mark());
    this.#strata.push(this.#stratum);
    this.#ranks.push(this.#rank);
    return this.#weights.push(this.#thinning.weight);
  }

  undoTo(mark: number): void {
    const { redundant } = this.#counts;
    this.#thinning.ended(redundant - this.#redundant);
    this.#redundant = redundant;
    this.#weights.length = mark;
    this.#marks.length = mark;
    this.#strata.length = mark;
    this.#ranks.length = mark;
    this.#stratum = this.#strata.at(-1) ?? NONE;
    this.#rank = this.#ranks.at(-1) ?? 0;
    this.#isOption = mark > 0;
    this.#thinning.weight = this.#weights.at(-1) ?? 1;
    this.#policy.undoTo(this.#marks.at(-1) ?? 0);
    if (mark === 0) this.begun++;
  }
}
