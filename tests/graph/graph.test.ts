import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type EventId, Graph, Kind } from '../../src/graph/graph.ts';
import { NONE } from '../../src/program/columns.ts';

const THREADS = 3;

/** Everything that can be seen of a graph, in words. */
function picture(g: Graph): string {
  const lines: string[] = [];
  for (let t = 0; t < THREADS; t++) {
    for (let e = g.last[t] as EventId; e !== NONE; e = g.poPrev[e] as EventId) {
      const clock = Array.from({ length: THREADS }, (_, u) => g.porfCount(e, u));
      lines.push(`${t}: event ${e} next ${g.poNext[e]} rf ${g.rf[e]} stamp ${g.stamp[e]} clock ${clock}`);
    }
  }
  for (let e = 0; e < g.length; e++) {
    if (g.kind[e] !== Kind.INIT) continue;
    const order: string[] = [];
    for (let w: EventId = e; w !== NONE; w = g.coNext[w] as EventId) {
      const readers: EventId[] = [];
      for (let r = g.readers[w] as EventId; r !== NONE; r = g.readNext[r] as EventId) readers.push(r);
      order.push(`${w}(${readers})`);
    }
    lines.push(`location ${e}: ${order.join(' ')} last ${g.coLast[e]}`);
  }
  return lines.join('\n');
}

/** One change: add a read or a write somewhere, or cut a thread short where nobody depends on what goes. */
const change = fc.record({
  what: fc.constantFrom('read', 'write', 'cut'),
  thread: fc.nat(THREADS - 1),
  location: fc.nat(1),
  pick: fc.nat(20),
});

function apply(
  g: Graph,
  inits: readonly EventId[],
  { what, thread, location, pick }: typeof change extends fc.Arbitrary<infer C> ? C : never,
): void {
  const init = inits[location] as EventId;
  const writes: EventId[] = [];
  for (let w = init; w !== NONE; w = g.coNext[w] as EventId) writes.push(w);
  const chosen = writes[pick % writes.length] as EventId;
  if (what === 'read') g.setRf(g.add(Kind.READ, thread, 0, init), chosen);
  else if (what === 'write') g.setCo(g.add(Kind.WRITE, thread, 0, init), chosen);
  else {
    const last = g.last[thread] as EventId;
    if (last !== NONE && g.readers[last] === NONE) g.truncate(thread, g.index[last] as number);
  }
}

test('undoing restores every list, clock and order, and the invariants hold after every change', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), fc.array(change, { maxLength: 40 }), (first, second) => {
      const g = new Graph();
      g.ensureThreads(THREADS);
      const inits = [g.addInit(0), g.addInit(0)];
      for (const each of first) apply(g, inits, each);
      const before = picture(g);
      const mark = g.mark();
      const stamp = g.nextStamp;
      for (const each of second) {
        apply(g, inits, each);
        expect(g.checkInvariants(THREADS)).toBeUndefined();
      }
      g.undoTo(mark);
      g.nextStamp = stamp;
      expect(picture(g)).toBe(before);
      expect(g.checkInvariants(THREADS)).toBeUndefined();
    }),
    { numRuns: 300 },
  );
});

test('more threads than there was room for: clocks keep what they knew', () => {
  const g = new Graph();
  const x = g.addInit(0);
  const w = g.add(Kind.WRITE, 0, 0, x);
  g.setCo(w, x);
  g.ensureThreads(40);
  const spawn = g.add(Kind.SPAWN, 0, 0, 39);
  g.setSpawn(spawn, 39);
  const r = g.add(Kind.READ, 39, 0, x);
  g.setRf(r, w);
  expect(g.porfBefore(w, r)).toBe(true);
  expect(g.porfBefore(r, w)).toBe(false);
  expect(g.porfCount(r, 0)).toBe(2);
});

test('checkInvariants notices a broken link', () => {
  const g = new Graph();
  const x = g.addInit(0);
  const w = g.add(Kind.WRITE, 0, 0, x);
  g.setCo(w, x);
  g.coNext[x] = NONE;
  expect(g.checkInvariants(1)).toMatch(/not in coherence order/);
});
