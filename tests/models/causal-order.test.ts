/** The order in which executions of weak models are told. */
import { expect, test } from 'vitest';
import { TruSt } from '../../src/explore/graphs/trust.ts';
import { type EventId, type Graph, Kind } from '../../src/graph/graph.ts';
import { causalOrder } from '../../src/models/causal-order.ts';
import { EventStack } from '../../src/models/model.ts';
import { type ModelName, models } from '../../src/models/registry.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
import type { ProgramAst } from '../oracle/language.ts';
import { toOperations } from '../random/to-operations.ts';
import { randomWeakProgram } from '../random/weak.ts';
import { litmusProgram } from './litmus/program.ts';

/** Calls `look` with the graph of each execution and the order in which it is told. */
function forEachExecution(
  program: ProgramAst,
  model: ModelName,
  look: (g: Graph, order: readonly EventId[]) => void,
): void {
  const onExecution = (): void => {
    const order = new EventStack();
    causalOrder(explorer.g, order);
    look(explorer.g, [...order.items.subarray(0, order.length)]);
  };
  const explorer: TruSt = new TruSt(new Behaviours(toOperations(program)), models[model].graph.co, {
    keepGoing: true,
    races: false,
    livelock: true,
    checkLeaks: false,
    maxExecutions: 500,
    onExecution,
  });
  while (!explorer.run(1000));
}

/** The reads that do not see the write to their location that was told last. */
function staleReads(g: Graph, order: readonly EventId[]): EventId[] {
  const memory = new Map<EventId, EventId>();
  return order.filter((e) => {
    const init = g.location[e] as EventId;
    if (g.kind[e] === Kind.WRITE) memory.set(init, e);
    return g.kind[e] === Kind.READ && (memory.get(init) ?? init) !== g.rf[e];
  });
}

test('every event is told once, after all that it depends on', () => {
  for (let seed = 0; seed < 100; seed++) {
    forEachExecution(randomWeakProgram(seed), 'rc11', (g, order) => {
      expect(new Set(order).size).toBe(order.length);
      const isTooLate = (e: EventId, i: number): boolean => order.slice(0, i).some((before) => g.porfBefore(e, before));
      expect(order.filter(isTooLate)).toEqual([]);
      for (let t = 0; t < g.stride; t++) expect(order.filter((e) => g.thread[e] === t).at(-1) ?? -1).toBe(g.last[t]);
    });
  }
});

test('a sequentially consistent execution is told as memory would run it', () => {
  for (let seed = 0; seed < 100; seed++) {
    forEachExecution(randomWeakProgram(seed), 'sc', (g, order) => expect(staleReads(g, order)).toEqual([]));
  }
});

test('of store buffering, one read in one of four executions is stale', () => {
  const stale: number[] = [];
  const program = litmusProgram(['x = 1 rlx; a = y rlx', 'y = 1 rlx; b = x rlx']);
  forEachExecution(program, 'tso', (g, order) => stale.push(staleReads(g, order).length));
  expect(stale.sort()).toEqual([0, 0, 0, 1]);
});
