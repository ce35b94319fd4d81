/** Every interleaving with few preemptions, by depth-first search: the bounded search of CHESS, without reduction. */
import type { Behaviours } from '../../program/behaviours.ts';
import { nothingExplored } from '../../program/execution.ts';
import type { Bounded, ExploreOptions } from '../explorer.ts';
import { DepthFirstSearch } from './dfs.ts';
import { PreemptionBound } from './preemption-bound.ts';

export class BoundedDepthFirstSearch extends DepthFirstSearch implements Bounded {
  readonly #policy: PreemptionBound;

  constructor(behaviours: Behaviours, options: ExploreOptions, bound: number) {
    let policy: PreemptionBound | undefined;
    super(behaviours, options, (schedule, counts) => {
      policy = new PreemptionBound(schedule, counts, bound);
      return policy;
    });
    this.#policy = policy as unknown as PreemptionBound;
  }

  get bound(): number {
    return this.#policy.bound;
  }

  /** Nothing is kept: there are about as many refused steps as there are steps. */
  deepen(): void {
    this.#policy.bound++;
    this.startOver();
    this.goOnWith({ items: [nothingExplored], hasErrors: this.findings.length > 0 });
  }
}
