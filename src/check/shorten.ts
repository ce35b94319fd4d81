/**
 * Makes an execution easier to read without changing what happens in it: leaves out the steps that the error does not
 * depend on, and reorders the others so that memory could run them in that order if any order allows that, and so that
 * each thread runs on as long as it can.
 */
import { type Execution, type ExecutionStep, INITIAL } from '../program/execution.ts';
import { causesOf, leadingTo } from './causes.ts';
import { Orders, type Version } from './orders.ts';
import type { RecordedStep } from './result.ts';

/** `steps`: those of `witness`, recorded; `focus`: the threads whose last step matters; undefined keeps all steps. */
export function shorten(
  steps: readonly RecordedStep[],
  witness: Execution,
  focus: readonly number[] | undefined,
): Execution {
  const causal = causesOf(steps);
  const kept = focus === undefined ? steps.keys() : leadingTo(steps, causal, focus);
  const inOrder = [...kept].sort((a, b) => a - b);
  const order = new Orders(queuesOf(steps, inOrder), causal, versionsOf(steps, witness.steps, inOrder)).best();
  const placed = new Map(order.map((i, place) => [i, place]));
  const shortened = order.map((i) => {
    const coherence = 'written' in (steps[i] as RecordedStep) ? { coherence: placeOf(witness.steps, i) } : {};
    const step = { ...(witness.steps[i] as ExecutionStep), ...coherence };
    const from = step.readsFrom ?? INITIAL;
    return from === INITIAL ? step : { ...step, readsFrom: placed.get(from) as number };
  });
  return { threads: witness.threads, steps: shortened };
}

/** A write that does not say where it comes in coherence comes after those of the steps before. */
function placeOf(witness: readonly ExecutionStep[], i: number): number {
  return witness[i]?.coherence ?? i;
}

/** The steps of each thread. */
function queuesOf(steps: readonly RecordedStep[], kept: readonly number[]): number[][] {
  const queues = new Map<number, number[]>();
  for (const i of kept) {
    const { thread } = steps[i] as RecordedStep;
    const queue = queues.get(thread);
    if (queue === undefined) queues.set(thread, [i]);
    else queue.push(i);
  }
  return [...queues.values()];
}

/** By location: its writes in coherence order, each with the reads that see it; first the reads of the initial value. */
function versionsOf(
  steps: readonly RecordedStep[],
  witness: readonly ExecutionStep[],
  kept: readonly number[],
): Version[][] {
  const byLocation = new Map<string, number[]>();
  for (const i of kept) {
    const step = steps[i] as RecordedStep;
    if (step.location === undefined || !('written' in step || step.readsFrom !== undefined)) continue;
    const accesses = byLocation.get(step.location);
    if (accesses === undefined) byLocation.set(step.location, [i]);
    else accesses.push(i);
  }
  return [...byLocation.values()].map((accesses) => {
    const writes = accesses
      .filter((i) => 'written' in (steps[i] as RecordedStep))
      .sort((a, b) => placeOf(witness, a) - placeOf(witness, b));
    const versions: Version[] = [INITIAL, ...writes].map((write) => ({ write, reads: [] }));
    const versionOf = new Map(versions.map((version) => [version.write, version]));
    for (const i of accesses) {
      const { readsFrom } = steps[i] as RecordedStep;
      if (readsFrom !== undefined) versionOf.get(readsFrom)?.reads.push(i);
    }
    return versions;
  });
}
