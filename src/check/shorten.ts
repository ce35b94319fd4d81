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
  const last = new LastSteps();
  return steps.map((step, i) => {
    const causes = [last.of(step.thread), step.readsFrom];
    if (step.op === 'join' && step.target !== undefined) causes.push(last.of(step.target));
    last.note(step, i);
    return causes.filter((cause) => cause !== undefined && cause >= 0) as number[];
  });
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

function leadingTo(
  steps: readonly RecordedStep[],
  causal: readonly (readonly number[])[],
  focus: readonly number[],
): Set<number> {
  const kept = new Set<number>();
  const last = new LastSteps();
  steps.forEach((step, i) => {
    last.note(step, i);
  });
  const todo = focus.map((thread) => last.of(thread)).filter((i) => i !== undefined);
  for (let i = todo.pop(); i !== undefined; i = todo.pop()) {
    if (kept.has(i)) continue;
    kept.add(i);
    todo.push(...(causal[i] as readonly number[]));
  }
  return kept;
}

/** By step: the steps of `kept` that must stay before it, since both access one location and one of them writes. */
function conflictsOf(steps: readonly RecordedStep[], kept: readonly number[]): ReadonlyMap<number, readonly number[]> {
  const writes = new Map<string, number>();
  const readsSince = new Map<string, number[]>();
  const conflicts = new Map<number, readonly number[]>();
  for (const i of kept) {
    const step = steps[i] as RecordedStep;
    const { location } = step;
    if (location === undefined) continue;
    const write = writes.get(location);
    const reads = readsSince.get(location) ?? [];
    const before = write === undefined ? [] : [write];
    if ('written' in step) {
      conflicts.set(i, [...before, ...reads]);
      writes.set(location, i);
      readsSince.set(location, []);
    } else {
      conflicts.set(i, before);
      reads.push(i);
      readsSince.set(location, reads);
    }
  }
  return conflicts;
}

/** The kept steps in an order with few switches between threads. */
function reorder(
  steps: readonly RecordedStep[],
  witness: readonly WitnessStep[],
  kept: ReadonlySet<number>,
  causal: readonly (readonly number[])[],
): WitnessStep[] {
  const inOrder = [...kept].sort((a, b) => a - b);
  const conflicts = conflictsOf(steps, inOrder);
  const needs = new Map(inOrder.map((i) => [i, [...(causal[i] ?? []), ...(conflicts.get(i) ?? [])]]));
  const queues = new Map<number, number[]>();
  for (const i of inOrder) {
    const { thread } = steps[i] as RecordedStep;
    const queue = queues.get(thread);
    if (queue === undefined) queues.set(thread, [i]);
    else queue.push(i);
  }
  const order = new Orders([...queues.values()], needs).best(inOrder.length);
  const placed = new Map(order.map((i, place) => [i, place]));
  return order.map((i) => {
    const step = witness[i] as WitnessStep;
    const from = step.readsFrom ?? -1;
    return from < 0 ? step : { ...step, readsFrom: placed.get(from) as number };
  });
}

/** An order under construction: how far each thread is, and whose move was last. */
interface Partial {
  readonly taken: readonly number[];
  readonly order: readonly number[];
}

/** Executions longer than this, and searches that try more orders than that, get the first order that comes to mind. */
const LONGEST = 300;
const MOST_TRIED = 3000;

/**
 * Orders in which each move lets one thread run as far as it can: that never hurts, as what must come before what is
 * fixed. `queues` are the steps of each thread.
 */
class Orders {
  readonly #queues: readonly (readonly number[])[];
  readonly #needs: ReadonlyMap<number, readonly number[]>;

  constructor(queues: readonly (readonly number[])[], needs: ReadonlyMap<number, readonly number[]>) {
    this.#queues = queues;
    this.#needs = needs;
  }

  /** The order with the fewest moves, by breadth-first search; or, if that takes too long, the first one. */
  best(length: number): readonly number[] {
    const start: Partial = { taken: this.#queues.map(() => 0), order: [] };
    if (length > LONGEST) return this.#first(start, length);
    const seen = new Set<string>();
    let partials = [start];
    for (let tried = 0; partials.length > 0 && tried < MOST_TRIED; ) {
      const next: Partial[] = [];
      for (const partial of partials) {
        if (partial.order.length === length) return partial.order;
        tried++;
        for (let q = 0; q < this.#queues.length; q++) {
          const longer = this.#move(partial, q);
          const key = longer.taken.join();
          if (longer.order.length === partial.order.length || seen.has(key)) continue;
          seen.add(key);
          next.push(longer);
        }
      }
      partials = next;
    }
    return this.#first(start, length);
  }

  #first(start: Partial, length: number): readonly number[] {
    const order: number[] = [];
    const taken = [...start.taken];
    const placed = new Set<number>();
    while (order.length < length) for (let q = 0; q < this.#queues.length; q++) this.#run(q, taken, order, placed);
    return order;
  }

  #move({ taken, order }: Partial, q: number): Partial {
    const longer = { taken: [...taken], order: [...order] };
    this.#run(q, longer.taken, longer.order, new Set(order));
    return longer;
  }

  /** Lets thread q run on as far as it can. */
  #run(q: number, taken: number[], order: number[], placed: Set<number>): void {
    const queue = this.#queues[q] as readonly number[];
    for (let n = taken[q] as number; n < queue.length; n++) {
      const i = queue[n] as number;
      if (!(this.#needs.get(i) as readonly number[]).every((need) => placed.has(need))) return;
      order.push(i);
      placed.add(i);
      taken[q] = n + 1;
    }
  }
}
