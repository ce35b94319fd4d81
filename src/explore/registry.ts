/** The algorithms, by name: to add one, add its module and a line here. Help, `list`, `compare` and tests go by this table. */
import { type Equivalence, type ModelName, models } from '../models/registry.ts';
import type { Behaviours } from '../program/behaviours.ts';
import type { ExploreOptions, Explorer } from './explorer.ts';
import { TruSt } from './graphs/trust.ts';
import { DepthFirstSearch } from './schedules/dfs.ts';
import { FirstDpor } from './schedules/dpor/first.ts';
import { OptimalDpor } from './schedules/dpor/optimal.ts';
import { SourceDpor } from './schedules/dpor/source.ts';

export interface AlgorithmEntry {
  /** One line for help. */
  readonly summary: string;
  readonly models: readonly ModelName[];
  /** The equivalences whose classes it can count; none for an algorithm that has no choice. */
  readonly equivalences: readonly Equivalence[];
  make(behaviours: Behaviours, model: ModelName, equivalence: Equivalence, options: ExploreOptions): Explorer;
}

export const algorithms = {
  trust: {
    summary: 'TruSt: every execution graph exactly once, in memory that does not grow with their number',
    models: ['sc', 'tso', 'pso', 'ra', 'rc11'],
    equivalences: ['co', 'rf'],
    make: (behaviours, model, equivalence, options) => new TruSt(behaviours, models[model].graph[equivalence], options),
  },
  optimal: {
    summary: 'Optimal-DPOR with awaits: one interleaving for each class, also where threads wait',
    models: ['sc'],
    equivalences: [],
    make: (behaviours, _model, _equivalence, options) => new OptimalDpor(behaviours, options),
  },
  source: {
    summary: 'Source-DPOR: like optimal, but some interleavings turn out to be redundant on the way',
    models: ['sc'],
    equivalences: [],
    make: (behaviours, _model, _equivalence, options) => new SourceDpor(behaviours, options),
  },
  dpor: {
    summary: 'the first DPOR (Flanagan and Godefroid) with sleep sets: a baseline',
    models: ['sc'],
    equivalences: [],
    make: (behaviours, _model, _equivalence, options) => new FirstDpor(behaviours, options),
  },
  dfs: {
    summary: 'every interleaving, one after the other, without reduction: the baseline',
    models: ['sc'],
    equivalences: [],
    make: (behaviours, _model, _equivalence, options) => new DepthFirstSearch(behaviours, options),
  },
} satisfies Record<string, AlgorithmEntry>;

export type AlgorithmName = keyof typeof algorithms;
