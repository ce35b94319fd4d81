/**
 * Makes an execution easier to read without changing what happens in it: leaves out the steps that the error does not
 * depend on, and reorders independent steps so that each thread runs on as long as it can.
 */
import type { WitnessStep } from '../explore/explorer.ts';
import type { RecordedStep } from './result.ts';

/** `focus`: the threads whose last step matters; undefined keeps all steps. */
export function shorten(
  steps: readonly RecordedStep[],
  witness: readonly WitnessStep[],
  focus: readonly number[] | undefined,
): WitnessStep[] {
  const causal = causesOf(steps);
  const kept = focus === undefined ? new Set(steps.keys()) : leadingTo(steps, causal, focus);
  return reorder(steps, witness, kept, causal);
}

/** By step: the steps without which it could not have happened (program order, reads-from, spawn, join). */
function causesOf(steps: readonly RecordedStep[]): readonly (readonly number[])[] {
  return steps.map((step, i) => {
    const causes = [lastBefore(steps, i, step.thread)];
    if (step.readsFrom !== undefined) causes.push(step.readsFrom);
    if (step.op === 'join' && step.target !== undefined) causes.push(lastBefore(steps, i, step.target));
    return causes.filter((cause) => cause >= 0);
  });
}

/** The last step of a thread before step i; if it has none, the step that spawned it; -1 for main's start. */
function lastBefore(steps: readonly RecordedStep[], i: number, thread: number): number {
  const own = steps.findLastIndex((s, j) => j < i && s.thread === thread);
  return own >= 0 ? own : steps.findLastIndex((s, j) => j < i && s.op === 'spawn' && s.target === thread);
}

function leadingTo(
  steps: readonly RecordedStep[],
  causal: readonly (readonly number[])[],
  focus: readonly number[],
): Set<number> {
  const kept = new Set<number>();
  const todo = focus.map((thread) => lastBefore(steps, steps.length, thread)).filter((i) => i >= 0);
  for (let i = todo.pop(); i !== undefined; i = todo.pop()) {
    if (kept.has(i)) continue;
    kept.add(i);
    todo.push(...(causal[i] as readonly number[]));
  }
  return kept;
}

/** Accesses to one location stay in order if one of them writes. */
function conflict(a: RecordedStep, b: RecordedStep): boolean {
  return a.location !== undefined && a.location === b.location && ('written' in a || 'written' in b);
}

/** The kept steps in an order with as few switches between threads as a bounded search finds. */
function reorder(
  steps: readonly RecordedStep[],
  witness: readonly WitnessStep[],
  kept: ReadonlySet<number>,
  causal: readonly (readonly number[])[],
): WitnessStep[] {
  const left = [...kept].sort((a, b) => a - b);
  const needs = new Map(left.map((i) => [i, causesIn(steps, left, i, causal)]));
  const order = fewestSwitches(steps, left, needs) ?? left;
  const placed = new Map(order.map((i, place) => [i, place]));
  return order.map((i) => {
    const step = witness[i] as WitnessStep;
    const from = step.readsFrom ?? -1;
    return from < 0 ? step : { ...step, readsFrom: placed.get(from) as number };
  });
}

/** The kept steps that must come before step i: its causes, and earlier accesses that conflict with it. */
function causesIn(
  steps: readonly RecordedStep[],
  kept: readonly number[],
  i: number,
  causal: readonly (readonly number[])[],
): readonly number[] {
  const conflicts = kept.filter((j) => j < i && conflict(steps[j] as RecordedStep, steps[i] as RecordedStep));
  return [...(causal[i] as readonly number[]), ...conflicts];
}

const MOST_ORDERS = 3000;

/**
 * Breadth-first by number of switches: each move lets one thread run as far as it can, which never hurts, as what must
 * come before what is fixed. Gives up after a while.
 */
function fewestSwitches(
  steps: readonly RecordedStep[],
  kept: readonly number[],
  needs: ReadonlyMap<number, readonly number[]>,
): readonly number[] | undefined {
  const threads = [...new Set(kept.map((i) => (steps[i] as RecordedStep).thread))];
  let orders: (readonly number[])[] = [[]];
  const seen = new Set<string>();
  for (let tried = 0; orders.length > 0 && tried < MOST_ORDERS; ) {
    const next: (readonly number[])[] = [];
    for (const order of orders) {
      if (order.length === kept.length) return order;
      tried++;
      for (const thread of threads) {
        const longer = runThread(steps, kept, needs, order, thread);
        const key = [...longer].sort((a, b) => a - b).join();
        if (longer.length === order.length || seen.has(key)) continue;
        seen.add(key);
        next.push(longer);
      }
    }
    orders = next;
  }
  return undefined;
}

function runThread(
  steps: readonly RecordedStep[],
  kept: readonly number[],
  needs: ReadonlyMap<number, readonly number[]>,
  order: readonly number[],
  thread: number,
): readonly number[] {
  const longer = [...order];
  const done = new Set(order);
  for (const i of kept) {
    if ((steps[i] as RecordedStep).thread !== thread || done.has(i)) continue;
    if (!(needs.get(i) as readonly number[]).every((n) => done.has(n))) break;
    longer.push(i);
    done.add(i);
  }
  return longer;
}
