/**
 * TSO, the model of x86, with coherence (see `StoreBuffers`): each thread has one buffer that its writes leave in program order,
 * so that a read may overtake them, and nothing else may overtake anything. ppo is program order less the pairs of a write
 * and a later read. Full fences are seq_cst fences, read-modify-write instructions whether they write or not, operations on
 * mutexes, spawns and joins, and the point right after a seq_cst store. Of other memory orders and fences x86 knows nothing.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { isMerging, LOCKED, MERGING, Order, strengthOf } from '../program/orders.ts';
import { Role, StoreBuffers } from './store-buffers.ts';

const orderedWrite = Role.BEFORE_WRITES | Role.AFTER_WRITES;

export function roleUnderTso(g: Graph, e: EventId): number {
  const order = g.order[e]!;
  const isLocked = (order & (LOCKED | MERGING)) === LOCKED;
  switch (isMerging(order) ? Kind.WRITE : g.kind[e]) {
    case Kind.READ:
      return isLocked ? Role.FULL_FENCE : Role.BEFORE_ALL;
    case Kind.WRITE:
      return isLocked || strengthOf(order) === Order.SEQ_CST ? Role.FULL_FENCE : orderedWrite;
    case Kind.SPAWN:
    case Kind.JOIN:
      return Role.FULL_FENCE;
    default:
      return strengthOf(order) === Order.SEQ_CST ? Role.FULL_FENCE : Role.NONE;
  }
}

export class TotalStoreOrder extends StoreBuffers {
  constructor(g: Graph) {
    super(g, roleUnderTso);
  }

  protected override roleOf(e: EventId): number {
    return roleUnderTso(this.g, e);
  }
}
