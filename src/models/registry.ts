/** The memory models, by name: help, checks of options and documentation all come from this table. */
import type { Graph } from '../graph/graph.ts';
import type { GraphModel } from './model.ts';
import { PartialStoreOrder } from './pso.ts';
import { PartialStoreOrderRf } from './pso-rf.ts';
import { ReleaseAcquire } from './ra.ts';
import { ReleaseAcquireRf } from './ra-rf.ts';
import { Rc11 } from './rc11.ts';
import { Rc11Rf } from './rc11-rf.ts';
import { SequentialConsistency } from './sc.ts';
import { SequentialConsistencyRf } from './sc-rf.ts';
import { TotalStoreOrder } from './tso.ts';
import { TotalStoreOrderRf } from './tso-rf.ts';

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
  tso: {
    summary: 'x86: a store waits in a buffer, so that later loads may overtake it',
    graph: { co: (g) => new TotalStoreOrder(g), rf: (g) => new TotalStoreOrderRf(g) },
  },
  pso: {
    summary: 'like tso, but stores to different locations may overtake each other',
    graph: { co: (g) => new PartialStoreOrder(g), rf: (g) => new PartialStoreOrderRf(g) },
  },
  ra: {
    summary: 'release/acquire: what a release store publishes, an acquire load that reads it sees',
    graph: { co: (g) => new ReleaseAcquire(g), rf: (g) => new ReleaseAcquireRf(g) },
  },
  rc11: {
    summary: 'the C11 and C++20 model, repaired: relaxed, acquire, release and seq_cst accesses and fences',
    graph: { co: (g) => new Rc11(g), rf: (g) => new Rc11Rf(g) },
  },
} satisfies Record<string, ModelEntry>;

export type ModelName = keyof typeof models;
