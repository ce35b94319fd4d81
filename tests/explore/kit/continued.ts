/**
 * Searches that are continued in a fresh process (fresh-process.mjs, which runs this file): what travels there is text, and from
 * it both sides make the same search.
 */
import { parseModule } from '../../../src/c/ir/parser.ts';
import { cProgram } from '../../../src/c/program.ts';
import type { Explorer } from '../../../src/explore/explorer.ts';
import type { AlgorithmName } from '../../../src/explore/registry.ts';
import { Kind } from '../../../src/graph/graph.ts';
import type { Equivalence as Choice, ModelName } from '../../../src/models/registry.ts';
import { Behaviours, Step } from '../../../src/program/behaviours.ts';
import { NONE } from '../../../src/program/columns.ts';
import type { Ending } from '../../../src/program/ending.ts';
import { type Program, ProgramRefined } from '../../../src/program/operation.ts';
import { type Begun, load } from './cuts.ts';
import { type KindName, kinds } from './kinds.ts';
import { underTest } from './laws.ts';
import { type GraphFamily, isOfGraphs, scheduleOf } from './observe.ts';

export type Source =
  | { readonly kind: KindName; readonly seed: number }
  | { readonly kind: 'c'; readonly file: string; readonly ir: string };

export interface Job {
  readonly source: Source;
  readonly algorithm: AlgorithmName;
  readonly model: ModelName;
  readonly equivalence: Choice;
  /** What is left of the search, as JSON. */
  readonly saved: string;
}

/** `learned`: the program learned something, which makes the search void; what it knows then. */
export type Continued = { readonly keys: readonly string[] } | { readonly learned: unknown };

export function programOf(source: Source): Program {
  if (source.kind === 'c') return cProgram([parseModule(source.ir, source.file)], { name: source.file });
  const kind = kinds[source.kind];
  return kind.program(kind.make(source.seed), source.seed);
}

export function begin(job: Omit<Job, 'saved'>, program: Program): Begun {
  const keys: string[] = [];
  const { source, algorithm, model, equivalence } = job;
  const { maxStates, races } = source.kind === 'c' ? { maxStates: 200_000, races: true } : kinds[source.kind];
  const options = {
    keepGoing: true,
    races,
    livelock: true,
    checkLeaks: false,
    ifaa: false,
    equivalence,
    maxExecutions: Number.POSITIVE_INFINITY,
    onExecution: (ending: Ending): void => {
      keys.push(isOfGraphs(explorer) ? keyOfGraph(explorer, ending, equivalence) : scheduleOf(explorer));
    },
  };
  const explorer: Explorer = underTest(algorithm).make(new Behaviours(program, { maxStates }), model, options);
  return { explorer, keys };
}

export function continued(job: Job): Continued {
  const program = programOf(job.source);
  const { explorer, keys } = begin(job, program);
  try {
    load(explorer, JSON.parse(job.saved));
    while (!explorer.run(1000));
    return { keys };
  } catch (error) {
    if (!(error instanceof ProgramRefined)) throw error;
    return { learned: program.knowledge?.('search') };
  }
}

/** Without names of locations: those of heap objects depend on the process. */
function keyOfGraph({ behaviours: b, g }: GraphFamily, ending: Ending, equivalence: Choice): string {
  const idOf = (e: number): string =>
    g.thread[e] === NONE ? 'init' : `${b.threads[g.thread[e] as number]?.path}:${b.depth[g.state[e] as number]}`;
  const events: string[] = [];
  const coherence = new Set<string>();
  for (let t = 0; t < b.threads.length; t++) {
    for (let e = g.last[t] ?? NONE; e !== NONE; e = g.poPrev[e] as number) {
      if (b.step[g.after[e] as number] === Step.STUCK) continue;
      if (g.kind[e] === Kind.READ) events.push(`${idOf(e)} reads ${idOf(g.rf[e] as number)}`);
      else if (g.kind[e] === Kind.CHOOSE) events.push(`${idOf(e)} takes ${g.value[e]}`);
      else events.push(idOf(e));
      if (g.kind[e] !== Kind.WRITE || equivalence === 'rf') continue;
      const writes: string[] = [];
      for (let w = g.coNext[g.location[e] as number] as number; w !== NONE; w = g.coNext[w] as number)
        writes.push(idOf(w));
      coherence.add(writes.join(' < '));
    }
  }
  return [ending, ...events.sort(), ...[...coherence].sort()].join('\n');
}
