/**
 * PSO with coherence (see `StoreBuffers`): as TSO, but with a buffer for each location, so that writes to different locations
 * overtake each other, too. A store that releases waits for all earlier ones, though later ones need not
 * wait for it; a fence that releases keeps the earlier ones before the later ones.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { isMerging, releases } from '../program/orders.ts';
import { Role, StoreBuffers } from './store-buffers.ts';
import { roleUnderTso } from './tso.ts';

export function roleUnderPso(g: Graph, e: EventId): number {
  const role = roleUnderTso(g, e);
  if (role === Role.FULL_FENCE) return role;
  switch (isMerging(g.order[e]!) ? Kind.WRITE : g.kind[e]) {
    case Kind.WRITE:
      return releases(g.order[e]!) ? Role.AFTER_WRITES : Role.NONE;
    case Kind.LOCAL:
      return releases(g.order[e]!) ? Role.BEFORE_WRITES | Role.AFTER_WRITES : Role.NONE;
    default:
      return role;
  }
}

export class PartialStoreOrder extends StoreBuffers {
  constructor(g: Graph) {
    super(g, roleUnderPso);
  }

  protected override roleOf(e: EventId): number {
    return roleUnderPso(this.g, e);
  }
}
