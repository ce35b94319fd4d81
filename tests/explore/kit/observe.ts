/**
 * What an explorer has before it at the end of an execution, as the record that the oracle's keys are made of. It is looked at by
 * family, and of each family only what is named here: an explorer of graphs shows its graph, one of schedules its interleaving.
 */
import type { Explorer } from '../../../src/explore/explorer.ts';
import type { TruSt } from '../../../src/explore/graphs/trust.ts';
import type { ScheduleExplorer } from '../../../src/explore/schedules/schedule-explorer.ts';
import type { ValueCentric } from '../../../src/explore/values/value-centric.ts';
import { Kind } from '../../../src/graph/graph.ts';
import { type Behaviours, Step } from '../../../src/program/behaviours.ts';
import { NONE } from '../../../src/program/columns.ts';
import type { Ending } from '../../../src/program/ending.ts';
import { ALIVE, FREED } from '../../../src/program/operation.ts';
import type { HappensBeforeStep } from '../../oracle/happens-before.ts';
import type { Observed, ObservedStep } from '../../oracle/observed.ts';
import { keyOf } from './values.ts';

export type GraphFamily = Explorer & Pick<TruSt, 'g' | 'stateOf'>;
export type ScheduleFamily = Explorer & Pick<ScheduleExplorer, 'interleaving'>;

export function observe(x: Explorer, ending: Ending): Observed {
  return isOfGraphs(x) ? observeGraph(x, ending) : observeInterleaving(ofSchedules(x), ending);
}

/** What was read in the execution, as `valuesKey` of the oracle tells it, for an explorer by values. */
export function valuesOf(x: Explorer): string {
  if (!('order' in x)) throw new Error('an explorer of no known family');
  return keyOf(x as ValueCentric);
}

export const isOfGraphs = (x: Explorer): x is GraphFamily => 'g' in x && 'stateOf' in x;

function ofSchedules(x: Explorer): ScheduleFamily {
  if (!('interleaving' in x)) throw new Error('an explorer of no known family');
  return x as ScheduleFamily;
}

const path = (b: Behaviours, t: number): string => b.threads[t]?.path ?? '?';
/** Numbers may be boxed. */
const numberOf = (b: Behaviours, id: number): number => {
  const value = b.values.valueOf(id);
  if (value === ALIVE || value === FREED) return value === FREED ? 1 : 0;
  return typeof value === 'object' && value !== null && 'value' in value ? (value.value as number) : (value as number);
};
const locationName = (b: Behaviours, s: number): string => b.locations[b.location[s] as number]?.name ?? '?';

function labelOf(b: Behaviours, s: number): string {
  const operation = b.operation(s);
  if (operation.kind === 'update') {
    // boxed programs write fetchAdd as update: see to-heddle.ts
    return `${operation.name === 'update' ? 'fetchAdd' : operation.name} ${locationName(b, s)}`;
  }
  const isAwaitedExchange = operation.kind === 'await-exchange' || operation.kind === 'await-compare-exchange';
  if (isAwaitedExchange) return `await-update ${locationName(b, s)}`; // kinds of one statement: see to-operations.ts
  if (operation.kind === 'allocate') return `allocate ${operation.location.name}`;
  if ('location' in operation) return `${operation.kind} ${locationName(b, s)}`;
  if (operation.kind === 'spawn' || operation.kind === 'join')
    return `${operation.kind} ${path(b, b.operand[s] as number)}`;
  return operation.kind;
}

/** Threads that ended, by path, with what they returned; a thread stopped by an assume has the step `block`. */
function endsOf(b: Behaviours, stateOf: (t: number) => number, steps: ObservedStep[], assumed: number) {
  const returns: Record<string, number> = {};
  for (let t = 0; t < b.threads.length; t++) {
    const s = stateOf(t);
    if (s === NONE) continue;
    if (b.step[s] === Step.END) returns[path(b, t)] = b.values.valueOf(b.value[s] as number) as number;
    if (b.step[s] === assumed) steps.push({ id: `${path(b, t)}:${b.depth[s]}`, label: 'block' });
  }
  return returns;
}

function observeGraph(x: GraphFamily, outcome: Ending): Observed {
  const { behaviours: b, g } = x;
  const wrong = g.checkInvariants(b.threads.length);
  if (wrong !== undefined) throw new Error(`the graph is broken: ${wrong}`);
  const steps: ObservedStep[] = [];
  const coherence: Record<string, string[]> = {};
  const memory: Record<string, number> = {};
  const idOf = (e: number): string =>
    g.thread[e] === NONE ? 'init' : `${path(b, g.thread[e] as number)}:${b.depth[g.state[e] as number]}`;
  for (let t = 0; t < b.threads.length; t++) {
    if (x.stateOf(t) === NONE) continue;
    for (let e = g.last[t] as number; e !== NONE; e = g.poPrev[e] as number) {
      const s = g.state[e] as number;
      if (g.updateRead[e] !== NONE || b.step[g.after[e] as number] === Step.STUCK) continue;
      const label = labelOf(b, s);
      if (g.kind[e] === Kind.READ) steps.push({ id: idOf(e), label, readsFrom: idOf(g.rf[e] as number) });
      else if (g.kind[e] === Kind.CHOOSE) steps.push({ id: idOf(e), label, choice: g.value[e] as number });
      else steps.push({ id: idOf(e), label });
      if (g.kind[e] !== Kind.READ && g.kind[e] !== Kind.WRITE) continue;
      const init = g.location[e] as number;
      const writers: string[] = [];
      for (let w = g.coNext[init] as number; w !== NONE; w = g.coNext[w] as number) writers.push(idOf(w));
      coherence[locationName(b, s)] = writers;
      memory[locationName(b, s)] = numberOf(b, g.value[g.coLast[init] as number] as number);
    }
  }
  const returns = endsOf(b, (t) => x.stateOf(t), steps, Step.BLOCK);
  return { outcome, steps, coherence, returns, memory };
}

function observeInterleaving({ behaviours: b, interleaving }: ScheduleFamily, outcome: Ending): Observed {
  const steps: ObservedStep[] = [];
  const coherence: Record<string, string[]> = {};
  const memory: Record<string, number> = {};
  const idOf = (i: number): string =>
    i === NONE ? 'init' : `${path(b, interleaving.thread[i] as number)}:${b.depth[interleaving.before[i] as number]}`;
  for (let i = 0; i < interleaving.length; i++) {
    const s = interleaving.before[i] as number;
    const step = { id: idOf(i), label: labelOf(b, s) };
    if (b.step[s] === Step.READ) steps.push({ ...step, readsFrom: idOf(interleaving.readsFrom[i] as number) });
    else if (b.step[s] === Step.CHOOSE) steps.push({ ...step, choice: interleaving.choice[i] as number });
    else steps.push(step);
    if (b.step[s] !== Step.READ && b.step[s] !== Step.WRITE) continue;
    const writers = coherence[locationName(b, s)] ?? [];
    if (interleaving.writes(i)) writers.push(idOf(i));
    coherence[locationName(b, s)] = writers;
    memory[locationName(b, s)] = numberOf(b, interleaving.memory(b.location[s] as number));
  }
  const returns = endsOf(b, (t) => interleaving.stateOf(t), [], NONE);
  return { outcome, steps, coherence, returns, memory };
}

/** The steps of a schedule, as happens-before is made of them. */
export function stepsWithEffects(x: Explorer, steps: readonly ObservedStep[]): HappensBeforeStep[] {
  const { behaviours, interleaving } = ofSchedules(x);
  return steps.map((step, i) => {
    const operation = behaviours.operation(interleaving.before[i] as number);
    const commutes = operation.kind === 'update' && operation.commutes !== undefined;
    return { ...step, writes: interleaving.writes(i), commutes };
  });
}

/** A schedule as the oracle writes it. */
export function scheduleOf(x: Explorer): string {
  const { behaviours: b, interleaving } = ofSchedules(x);
  const entries: string[] = [];
  for (let i = 0; i < interleaving.length; i++) {
    const isChoose = b.step[interleaving.before[i] as number] === Step.CHOOSE;
    const own = path(b, interleaving.thread[i] as number);
    entries.push(isChoose ? `${own}=${interleaving.choice[i]}` : own);
  }
  return entries.join(' ');
}
