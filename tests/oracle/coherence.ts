/** The coherence orders of a candidate execution that are worth asking a memory model about. */
import { type Candidate, type Event, INIT } from './candidates.ts';
import { has } from './relations.ts';

/** Per location that is accessed, its writes in order. */
export type Coherence = ReadonlyMap<string, readonly number[]>;

/**
 * All coherence orders that each location on its own can have: nothing is between an update and the write that it reads from, and
 * the accesses of the location alone are sequentially consistent. Every model asks for that much.
 */
export function coherencesOf({ events }: Candidate): Coherence[] {
  const locations = new Set(events.flatMap(({ location }) => location ?? []));
  let found: Coherence[] = [new Map()];
  for (const location of locations) {
    const orders = ordersOf(events, location);
    found = found.flatMap((known) => orders.map((order) => new Map(known).set(location, order)));
  }
  return found;
}

function ordersOf(events: readonly Event[], location: string): number[][] {
  const accesses = [...events.keys()].filter((e) => events[e]?.location === location);
  const writes = accesses.filter((e) => events[e]?.writes !== undefined);
  const found: number[][] = [];
  const extend = (order: readonly number[]): void => {
    if (order.length === writes.length) {
      if (isCoherent(events, accesses, order)) found.push([...order]);
      return;
    }
    const last = order.at(-1) ?? INIT;
    const left = writes.filter((w) => !order.includes(w));
    const update = left.find((w) => events[w]?.readsFrom === last);
    for (const w of update === undefined ? left : [update]) {
      const { before, readsFrom = last } = events[w] as Event;
      if (readsFrom === last && !left.some((other) => has(before, other))) extend([...order, w]);
    }
  };
  extend([]);
  return found;
}

/** Whether the accesses of one location, with its writes in this order, are in line with program order. */
function isCoherent(events: readonly Event[], accesses: readonly number[], order: readonly number[]): boolean {
  const place = (write: number) => order.indexOf(write); // INIT has the place -1
  return accesses.every((b) => {
    const { before, readsFrom, writes } = events[b] as Event;
    return accesses.every((a) => {
      if (!has(before, a)) return true;
      const earlier = events[a] as Event;
      const seen = place(earlier.writes === undefined ? (earlier.readsFrom as number) : a);
      const sees = readsFrom === undefined ? place(b) - 1 : place(readsFrom);
      return seen <= sees && (writes === undefined || seen < place(b));
    });
  });
}
