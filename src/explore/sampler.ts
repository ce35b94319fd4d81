/** Samples of what a search has left: see thinning.ts. */
import type { WorkItem } from '../program/execution.ts';
import type { ExploreOptions } from './explorer.ts';
import type { SampleOptions, Thinning } from './thinning.ts';

/** Takes one sample after the other, with threads of its own: the search does not notice. */
export interface Sampler {
  /** Begins a sample of how many executions come of these. */
  begin(items: readonly WorkItem[], options: SampleOptions): void;
  /** Goes on for about so many steps; what it came to, if it is over. */
  run(steps: number): Pick<Thinning, 'executions' | 'nodes'> | undefined;
}

/** A sample does not come to its end. */
export class Inestimable extends Error {}

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
