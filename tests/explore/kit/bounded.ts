/** Searches within a bound on preemptions, and the classes of a program with the preemptions that each needs. */
import type { ExploreOptions } from '../../../src/explore/explorer.ts';
import { Buster, PreemptionBound, type Slack } from '../../../src/explore/graphs/buster.ts';
import { everyGraph, type GraphPolicy } from '../../../src/explore/graphs/policy.ts';
import { Counting, Preemptions } from '../../../src/explore/graphs/preemptions.ts';
import type { ProgramGraph } from '../../../src/explore/graphs/program-graph.ts';
import { TruSt } from '../../../src/explore/graphs/trust.ts';
import { models } from '../../../src/models/registry.ts';
import { Behaviours } from '../../../src/program/behaviours.ts';
import type { Ending } from '../../../src/program/ending.ts';
import type { Program } from '../../../src/program/operation.ts';
import { coKey } from '../../oracle/classes.ts';
import { observe } from './observe.ts';

export const options: ExploreOptions = {
  keepGoing: true,
  races: true,
  livelock: true,
  checkLeaks: false,
  maxExecutions: Number.POSITIVE_INFINITY,
};

/** What can be otherwise in a search, to show what becomes of it. */
export interface Variant {
  readonly slack?: Slack;
  readonly phi?: new (threads: ProgramGraph) => Preemptions;
}

export interface Visited {
  /** The keys of the executions within the bound, in the order of the search. */
  readonly within: readonly string[];
  readonly explorer: TruSt;
}

/** What a search within `bound` visits. */
export function visit(program: Program, bound: number, { slack, phi: Phi }: Variant = {}): Visited {
  const within: string[] = [];
  const onExecution = (ending: Ending): void => {
    within.push(coKey(observe(explorer, ending)));
  };
  const explorer: TruSt = new TruSt(
    new Behaviours(program),
    models.sc.graph.co,
    { ...options, onExecution },
    (threads, counts, model) =>
      new PreemptionBound(threads, counts, bound, model, {
        ...(slack === undefined ? {} : { slack }),
        ...(Phi === undefined ? {} : { phi: new Phi(threads) }),
      }),
  );
  while (!explorer.run(1000));
  return { within, explorer };
}

/** The search of the registry. */
export function buster(program: Program, bound: number, isRaised = false, more: Partial<ExploreOptions> = {}): Buster {
  return new Buster(new Behaviours(program), models.sc.graph.co, { ...options, ...more }, { bound, isRaised });
}

/** All executions of the program, as graphs, by key: the least number of preemptions. */
export function preemptionsOf(program: Program, Phi: new (threads: ProgramGraph) => Preemptions = Preemptions) {
  const found = new Map<string, number>();
  let phi: Preemptions | undefined;
  const onExecution = (ending: Ending): void => {
    if (phi === undefined) throw new Error('there is no graph yet');
    phi.begin(Counting.END);
    found.set(coKey(observe(explorer, ending)), phi.least());
  };
  const makePolicy = (threads: ProgramGraph): GraphPolicy => {
    phi = new Phi(threads);
    return everyGraph;
  };
  const explorer: TruSt = new TruSt(
    new Behaviours(program),
    models.sc.graph.co,
    { ...options, onExecution },
    makePolicy,
  );
  while (!explorer.run(1000));
  return found;
}

export const constantSlack =
  (slack: number): Slack =>
  () =>
    slack;

/** As the sentence of [BUSTER], section 5, reads: the threads without deletable events. Main, which only spawns, is none of them. */
export const slackAsWritten: Slack = (deletable, threads) => {
  const workers = threads.behaviours.threads.length - 1;
  return Math.max(0, Math.min(workers - 2, workers - deletable));
};
