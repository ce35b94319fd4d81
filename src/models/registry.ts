/** The memory models, by name: help, checks of options and documentation all come from this table. */
import type { Graph } from '../graph/graph.ts';
import type { GraphModel } from './model.ts';
import { SequentialConsistency } from './sc.ts';
import { SequentialConsistencyRf } from './sc-rf.ts';

export type Equivalence = 'co' | 'rf';

export interface ModelEntry {
  /** One line for help. */
  readonly summary: string;
  /** The model over graphs with a coherence order, and over graphs without one. */
  readonly graph: Readonly<Record<Equivalence, (g: Graph) => GraphModel>>;
}

export const models = {
  sc: {
    summary: 'sequential consistency: all accesses in one order that every thread agrees on',
    graph: { co: (g) => new SequentialConsistency(g), rf: (g) => new SequentialConsistencyRf(g) },
  },
} satisfies Record<string, ModelEntry>;

export type ModelName = keyof typeof models;
