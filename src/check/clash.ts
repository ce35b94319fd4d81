/** Two accesses that clash, in words: a data race, a use after free, a double free; and two joins of one thread. */
import type { FailureKind } from '../program/operation.ts';
import { verbOf } from '../program/operation-kinds.ts';
import type { RecordedExecution, RecordedStep } from './result.ts';

export type Clash = readonly [RecordedStep, RecordedStep];

/** The two: the first thread's operation with this number, and what the second does next. */
export function clashIn(
  execution: RecordedExecution,
  threads: readonly number[],
  operation: number | undefined,
): Clash | undefined {
  if (operation === undefined) return undefined;
  const [first, second] = threads;
  const a = execution.steps.filter((s) => s.thread === first)[operation];
  const b = execution.ends.find((e) => e.thread === second)?.next;
  return a === undefined || b === undefined ? undefined : [a, b];
}

/**
 * The access that the error is reported at: the later one, but for a use after free the one that does not free, and of a read
 * and a write that race the read, because there the two orders make a difference.
 */
export function accusedOf(kind: FailureKind, [a, b]: Clash): RecordedStep {
  if (kind === 'use-after-free' && b.op === 'free') return a;
  return kind === 'race' && a.op === 'load' ? a : b;
}

export function clashMessage(kind: FailureKind, execution: RecordedExecution, clash: Clash): string {
  const [a, b] = clash;
  const name = (t: number): string => execution.threads.find((x) => x.id === t)?.name ?? `thread ${t}`;
  const does = (s: RecordedStep): string => `${name(s.thread)} ${verbOf(s.op)}`;
  if (kind === 'double-free') return `${does(b)} ${objectOf(b)}, which ${name(a.thread)} has freed already`;
  if (kind === 'abort') return `${does(b)} ${name(b.target ?? 0)}, which ${name(a.thread)} joins as well`;
  if (a.op === 'allocate') {
    return `${does(b)} ${objectOf(b)}, and nothing makes that come after ${name(a.thread)} has allocated the object`;
  }
  if (kind !== 'use-after-free') {
    return `data race on ${placeOf(b) ?? 'a variable'}: ${does(a)} and ${does(b)} it, and nothing orders the two`;
  }
  const use = accusedOf(kind, clash);
  const what = `${does(use)} ${placeOf(use) ?? 'an object'}`;
  const free = use === a ? b : a;
  const end = free.op === 'free' ? free.detail : undefined; // the function whose variables are gone
  if (use === a) {
    const then = end === undefined ? 'it frees the object' : `it leaves ${end}`;
    return `${what}, and nothing makes ${name(b.thread)} wait for that before ${then}`;
  }
  if (end !== undefined) return `${what}, a variable of ${end}, which has ended`;
  return `${what}, which ${a.thread === b.thread ? 'it' : name(a.thread)} has freed`;
}

function objectOf(step: RecordedStep): string {
  const place = step.location === 'lifetime' ? undefined : placeOf(step);
  return place ?? 'an object';
}

/** The start of something whose members are nobody's business, a mutex, is called as it is. */
function placeOf({ accessed, location }: RecordedStep): string | undefined {
  return (accessed ?? location)?.replace(/\+0$/, '');
}
