/** What the steps of an execution depend on. */
import type { RecordedStep } from './result.ts';

type Causes = readonly (readonly number[])[];

/** By step: the steps without which it could not have happened (program order, reads-from, spawn, join). */
export function causesOf(
  steps: readonly RecordedStep[],
  isCounted: (write: RecordedStep, read: RecordedStep) => boolean = () => true,
): Causes {
  const last = new LastSteps();
  return steps.map((step, i) => {
    const causes = [last.of(step.thread)];
    const write = steps[step.readsFrom ?? -1];
    if (write !== undefined && isCounted(write, step)) causes.push(step.readsFrom);
    if (step.op === 'join' && step.target !== undefined) causes.push(last.of(step.target));
    last.note(step, i);
    return causes.filter((cause) => cause !== undefined);
  });
}

/** The last steps of the threads of `focus`, and all that these depend on. */
export function leadingTo(steps: readonly RecordedStep[], causes: Causes, focus: readonly number[]): Set<number> {
  const kept = new Set<number>();
  const last = new LastSteps();
  steps.forEach((step, i) => {
    last.note(step, i);
  });
  const todo = focus.map((thread) => last.of(thread)).filter((i) => i !== undefined);
  for (let i = todo.pop(); i !== undefined; i = todo.pop()) {
    if (kept.has(i)) continue;
    kept.add(i);
    todo.push(...(causes[i] as readonly number[]));
  }
  return kept;
}

/** By thread: its last step so far; before its first, the step that spawned it. */
class LastSteps {
  readonly #last = new Map<number, number>();

  note(step: RecordedStep, i: number): void {
    this.#last.set(step.thread, i);
    if (step.op === 'spawn' && step.target !== undefined) this.#last.set(step.target, i);
  }

  of(thread: number): number | undefined {
    return this.#last.get(thread);
  }
}
