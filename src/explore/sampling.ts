/**
 * How many executions are left in a search: an estimate from samples of its tree.
 *
 * The tree is gone down level by level from what is left. Its nodes are in strata, in which nodes with about as much below them should
 * be alike; of each stratum only a few nodes are expanded, and they stand for the others: each node has a weight, how many nodes it
 * stands for, and the executions that are met count by that weight. Going down along one path that way is Knuth's estimate [Knuth];
 * strata are Chen's [Chen]. Knuth's alone is of no use here: where one path of thousands leads to most executions, as with backward
 * revisits, thousands of descents do not meet it, and say with confidence a tenth of the truth.
 *
 * **Unbiased**, whatever the strata: `thinned` gives each node its own weight in the mean, and so by induction over levels does each
 * execution count once in the mean. What is needed of ranks is that a node's are greater than those of the nodes that it comes of, so
 * that nothing comes to a stratum once that was expanded. How far off an estimate is does depend on the strata.
 */

import type { Open, WorkItem } from '../program/execution.ts';
import type { ExploreOptions } from './explorer.ts';

/** An option of a choice, and what is known of what comes of it. */
export interface SampleNode {
  /** With one open option, or without any choice. */
  readonly item: WorkItem;
  /** Greater than that of the node it comes of. */
  readonly rank: number;
  readonly stratum: number;
}

/** What comes of a node, up to the next choices. */
export interface Expansion {
  /** Executions that have ended. */
  readonly executions: number;
  readonly nodes: readonly SampleNode[];
}

interface Weighted {
  readonly node: SampleNode;
  readonly weight: number;
}

/** From one choice to the next: if there are more, the execution is taken not to end, and nothing is said. */
export const MOST_STEPS = 100_000;

/** Of an explorer that takes samples: how an execution counts is nothing to it. */
export const samplingOptions: ExploreOptions = {
  keepGoing: true,
  races: false,
  livelock: false,
  checkLeaks: false,
  maxExecutions: Number.POSITIVE_INFINITY,
};

export interface SamplingOptions {
  /** Of each stratum so many nodes are expanded at most: the more, the better and the slower. */
  readonly perStratum: number;
  /** From 0 up to, not including, 1. */
  readonly random?: (() => number) | undefined;
}

export class Sampling {
  readonly #expand: (item: WorkItem) => Expansion;
  readonly #perStratum: number;
  readonly #random: () => number;
  /** To be expanded before all others, whatever their strata. */
  readonly #items: WorkItem[];
  /** By rank, then by stratum. */
  readonly #levels = new Map<number, Map<number, Weighted[]>>();
  /** Of the least rank, those that are expanded. */
  #chosen: Weighted[] = [];
  /** How many executions had ended when the search had these items left. */
  readonly done: number;
  /** The estimate of how many come of them, once it is over. */
  executions = 0;
  /** How many nodes were expanded. */
  expanded = 0;

  constructor(
    items: readonly WorkItem[],
    done: number,
    expand: (item: WorkItem) => Expansion,
    { perStratum, random = Math.random }: SamplingOptions,
  ) {
    this.#items = items.flatMap(optionsOf);
    this.done = done;
    this.#expand = expand;
    this.#perStratum = perStratum;
    this.#random = random;
  }

  /** Expands one more node; returns whether it is over. */
  step(): boolean {
    const item = this.#items.pop();
    if (item !== undefined) {
      this.#visit(item, 1);
      return false;
    }
    const next = this.#chosen.pop() ?? this.#nextLevel();
    if (next === undefined) return true;
    this.#visit(next.node.item, next.weight);
    return false;
  }

  #visit(item: WorkItem, weight: number): void {
    this.expanded++;
    const { executions, nodes } = this.#expand(item);
    this.executions += weight * executions;
    for (const node of nodes) this.#add({ node, weight });
  }

  #add(weighted: Weighted): void {
    const { rank, stratum } = weighted.node;
    const level = this.#levels.get(rank) ?? new Map<number, Weighted[]>();
    this.#levels.set(rank, level);
    const nodes = level.get(stratum);
    if (nodes === undefined) level.set(stratum, [weighted]);
    else nodes.push(weighted);
  }

  #nextLevel(): Weighted | undefined {
    if (this.#levels.size === 0) return undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const rank of this.#levels.keys()) least = Math.min(least, rank);
    const level = this.#levels.get(least) as Map<number, Weighted[]>;
    this.#levels.delete(least);
    this.#chosen = [...level.values()].flatMap((nodes) => thinned(nodes, this.#perStratum, this.#random));
    return this.#chosen.pop();
  }
}

/**
 * At most so many of the nodes, with weights that have the same sum, so that each has its own weight in the mean. Those that weigh more
 * than their share stay as they are; of the others each is kept with a chance in proportion to its weight, evenly spread.
 */
export function thinned<T extends { readonly weight: number }>(
  nodes: readonly T[],
  most: number,
  random: () => number,
): T[] {
  if (nodes.length <= most) return [...nodes];
  const weights = nodes.map(({ weight }) => weight).sort((a, b) => b - a);
  let rest = weights.reduce((sum, weight) => sum + weight, 0);
  let heavy = 0;
  while (heavy < most - 1 && (weights[heavy] as number) * (most - heavy) > rest) rest -= weights[heavy++] as number;
  const share = rest / (most - heavy);
  const least = heavy === 0 ? Number.POSITIVE_INFINITY : (weights[heavy - 1] as number);
  const kept: T[] = [];
  let offset = random() * share;
  for (const node of nodes) {
    if (node.weight >= least && heavy > 0) {
      heavy--;
      kept.push(node);
      continue;
    }
    offset -= node.weight;
    if (offset >= 0) continue;
    offset += share;
    kept.push({ ...node, weight: share });
  }
  return kept;
}

/** An item for each open option. */
export function optionsOf(item: WorkItem): WorkItem[] {
  const { open } = item;
  if (open === undefined) return [item];
  return opensOf(open).map((each) => ({ ...item, open: each }));
}

function opensOf(open: Open): Open[] {
  switch (open.kind) {
    case 'read':
      return open.readsFrom.map((step) => ({ ...open, readsFrom: [step] }));
    case 'choose':
      return open.choices.map((choice) => ({ ...open, choices: [choice] }));
    case 'revisit':
      return open.after.map((step) => ({ ...open, after: [step] }));
    case 'schedule':
      return open.steps.map((step) => ({ ...open, steps: [step] }));
    case 'write':
      return [
        ...open.after.map((step) => ({ ...open, after: [step], revisits: [] })),
        ...open.revisits.map((step) => ({ ...open, after: [], revisits: [step] })),
      ];
  }
}
