/** Every interleaving within a bound, by depth-first search: the bounded search of CHESS, without reduction. */
import type { Behaviours } from '../../program/behaviours.ts';
import { nothingExplored } from '../../program/execution.ts';
import type { Bounded, ExploreOptions, SearchBound } from '../explorer.ts';
import { samplingOptions } from '../thinning.ts';
import { DepthFirstSearch } from './dfs.ts';
import { type Limits, ScheduleBound } from './schedule-bound.ts';

export class BoundedDepthFirstSearch extends DepthFirstSearch implements Bounded {
  readonly #policy: ScheduleBound;

  constructor(behaviours: Behaviours, options: ExploreOptions, limits: Limits) {
    let policy: ScheduleBound | undefined;
    super(behaviours, options, (schedule, counts) => {
      policy = new ScheduleBound(schedule, counts, limits);
      return policy;
    });
    this.#policy = policy as unknown as ScheduleBound;
  }

  protected override another(): DepthFirstSearch {
    return new BoundedDepthFirstSearch(this.behaviours.another(), samplingOptions, this.#policy.limits);
  }

  get keepsRefused(): boolean {
    return false;
  }

  get bounds(): readonly SearchBound[] {
    return this.#policy.list;
  }

  get bound(): number {
    return this.#policy.value;
  }

  /** Nothing is kept: there are about as many refused steps as there are steps. */
  deepen(): void {
    this.#policy.raise();
    this.startOver();
    this.goOnWith({ items: [nothingExplored], hasErrors: this.findings.length > 0 });
  }
}
