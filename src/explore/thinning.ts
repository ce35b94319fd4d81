/**
 * How many executions there are in a part of a search: an estimate from a search that leaves out most of it.
 *
 * A search of its own goes through the same tree in the same way, but of the nodes at which it comes to an option of a choice it keeps
 * only some. Each that is kept has a weight, how many nodes it stands for: that of the node it comes of, divided by the chance with
 * which it was kept. Executions that are met count by their weights. Going down with one option of each choice that way is
 * Knuth's estimate [Knuth], keeping several is Purdom's [Purdom], and strata are Chen's [Chen]: nodes that may have about as
 * much below them are thinned together, to about as many as are wanted of each stratum, and those that are kept weigh about the same.
 *
 * **Unbiased**, whatever the strata. Of a node of weight w, when the nodes of its stratum had the weight N before and with it, the
 * chance to be kept is q = min(1, w · W / N). Chances are spread evenly: they are summed up, from a random number on, and whoever comes
 * to the next whole number is kept. What a stratum is asked for must not depend on what it has kept: hence nodes of a stratum
 * never come of each other: by rank, and if that is the same by number, a node's stratum is greater than those of the nodes that it comes
 * of. Then, by induction over strata, given what was kept of lower ones the sequence of nodes and of chances is fixed, so each node is
 * kept with its chance and weighs in the mean what it did, and each execution counts once in the mean. How far off an estimate is does
 * depend on the strata; and the fewer there are, the smaller is the smallest sample.
 *
 * Tried, and no better for the same time: targets by what earlier samples have seen of a stratum instead of this one so far; more
 * nodes for strata with more executions below them.
 */

import type { ExploreOptions } from './explorer.ts';

/** An execution that is longer is taken not to end, and nothing is said. */
export const MOST_STEPS = 100_000;

/** Of an explorer that takes samples: how an execution counts is nothing to it. */
export const samplingOptions: ExploreOptions = {
  keepGoing: true,
  races: false,
  livelock: false,
  checkLeaks: false,
  maxExecutions: Number.POSITIVE_INFINITY,
};

interface Stratum {
  /** The weight of all nodes that came. */
  weight: number;
  /** The sum of their chances, up to the next whole number. */
  chances: number;
}

export interface SampleOptions {
  /** About so many nodes of each stratum are kept, and a few more of one that grows; infinite: all. */
  readonly perStratum: number;
  /** From 0 up to, not including, 1. */
  readonly random?: (() => number) | undefined;
}

export class Thinning {
  readonly #perStratum: number;
  readonly #random: () => number;
  readonly #strata = new Map<number, Stratum>();
  /** Of the node that the search is at. */
  weight = 1;
  /** Nodes that came, kept or not. */
  nodes = 0;
  /** The estimate, once the search is over. */
  executions = 0;

  constructor({ perStratum, random = Math.random }: SampleOptions) {
    this.#perStratum = perStratum;
    this.#random = random;
  }

  /**
   * Whether to go on with the node that has come of one with the present weight, which then is its own. `stratum`: below 2³²; greater than
   * that of all nodes that it comes of, or else the rank is.
   */
  keeps(rank: number, stratum: number): boolean {
    this.nodes++;
    const key = rank * 2 ** 32 + stratum;
    let known = this.#strata.get(key);
    if (known === undefined) {
      known = { weight: 0, chances: this.#random() };
      this.#strata.set(key, known);
    }
    known.weight += this.weight;
    const chance = (this.weight * this.#perStratum) / known.weight;
    if (chance >= 1) return true;
    known.chances += chance;
    if (known.chances < 1) return false;
    known.chances--;
    this.weight /= chance;
    return true;
  }

  /** The search has come to the end of so many executions. */
  ended(executions = 1): void {
    this.executions += executions * this.weight;
  }
}
