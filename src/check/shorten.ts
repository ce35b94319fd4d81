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

function reorder(
  steps: readonly RecordedStep[],
  witness: readonly WitnessStep[],
  kept: ReadonlySet<number>,
  causal: readonly (readonly number[])[],
): WitnessStep[] {
  const left = [...kept].sort((a, b) => a - b);
  const placed = new Map<number, number>();
  const result: WitnessStep[] = [];
  const isReady = (i: number): boolean =>
    (causal[i] as readonly number[]).every((cause) => placed.has(cause)) &&
    left.every((j) => j >= i || !conflict(steps[j] as RecordedStep, steps[i] as RecordedStep));
  let running: number | undefined;
  while (left.length > 0) {
    const own = left.find((i) => steps[i]?.thread === running);
    const next = own !== undefined && isReady(own) ? own : (left.find(isReady) as number);
    left.splice(left.indexOf(next), 1);
    running = steps[next]?.thread;
    placed.set(next, result.length);
    const step = witness[next] as WitnessStep;
    const from = step.readsFrom === undefined ? -1 : step.readsFrom;
    result.push(from < 0 ? step : { ...step, readsFrom: placed.get(from) as number });
  }
  return result;
}
