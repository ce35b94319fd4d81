/** Reads a trace file: whatever is wrong with it is said in one message. */
import { dirname, resolve } from 'node:path';
import type { CheckError, RecordedEnd, RecordedExecution, RecordedStep } from '../check/result.ts';
import type { WitnessStep } from '../explore/explorer.ts';
import { InputError } from '../program/input-error.ts';
import type { SourcePosition } from '../program/operation.ts';
import { type Trace, traceSchema } from './schema.ts';

/** `file` names the trace in messages; its folder is where relative paths start. */
export function readTrace(text: string, file: string): Trace {
  const data = parse(text, file);
  if (typeof data !== 'object' || data === null || !('format' in data) || data.format !== 'heddle-trace') {
    throw new InputError(`${file} is not a trace of Heddle: one is written by heddle check … --trace FILE.`);
  }
  if ('version' in data && data.version !== 1) {
    throw new InputError(`${file} has trace version ${String(data.version)}, and this version of Heddle reads version 1.`);
  }
  const parsed = traceSchema.safeParse(data);
  if (!parsed.success) throw damaged(file, issueOf(parsed.error.issues[0]));
  const problem = inconsistency(parsed.data);
  if (problem !== undefined) throw damaged(file, problem);
  return parsed.data;
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damaged(file, error instanceof Error ? error.message : String(error));
  }
}

function damaged(file: string, problem: string): InputError {
  return new InputError(`${file} is damaged: ${problem}. Write it anew with heddle check … --trace FILE.`);
}

function issueOf(issue: { readonly path: readonly PropertyKey[]; readonly message: string } | undefined): string {
  if (issue === undefined) return 'it does not have the form of a trace';
  const path = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return `${path === '' ? '' : `${path.replace(/^\./, '')}: `}${issue.message}`;
}

/** What the schema cannot say: numbers of threads and steps that refer to nothing. */
function inconsistency({ threads, steps, ends, error }: Trace): string | undefined {
  const known = new Set(threads.map(({ id }) => id));
  for (const [i, step] of steps.entries()) {
    if (!known.has(step.thread)) return `steps[${i}] belongs to thread ${step.thread}, which is not in threads`;
    if (step.readsFrom !== undefined && step.readsFrom >= i) return `steps[${i}] reads from a later step`;
  }
  for (const thread of [...error.threads, ...ends.map((end) => end.thread)]) {
    if (!known.has(thread)) return `thread ${thread} is not in threads`;
  }
  if (error.racing !== undefined && error.racing >= steps.length) return 'error.racing is not a step';
  return undefined;
}

export function witnessOf({ threads, steps }: Trace): WitnessStep[] {
  const paths = new Map(threads.map(({ id, path }) => [id, path]));
  return steps.map(({ thread, readsFrom, choice }) => ({
    path: paths.get(thread) ?? '?',
    ...(readsFrom === undefined ? {} : { readsFrom }),
    ...(choice === undefined ? {} : { choice }),
  }));
}

/** The error as it was recorded; values are text in it. */
export function errorOfTrace(trace: Trace, file: string): CheckError {
  const folder = dirname(file);
  const steps = trace.steps.map((step) => recordedStep(step, folder));
  const ends = trace.ends.map(({ thread, state, next }): RecordedEnd => {
    return { thread, state, ...(next === undefined ? {} : { next: recordedStep(next, folder) }) };
  });
  const execution: RecordedExecution = { threads: trace.threads, steps, ends, preemptions: trace.preemptions };
  const { kind, message, location, threads, racing } = trace.error;
  const first = racing === undefined ? undefined : steps[racing];
  const second = ends.find(({ thread }) => thread === threads[1])?.next;
  return {
    kind,
    message,
    location: location === undefined ? undefined : positionFrom(folder, location),
    threads,
    racing: first === undefined || second === undefined ? undefined : [first, second],
    execution,
  };
}

function recordedStep(step: Trace['steps'][number], folder: string): RecordedStep {
  const { source, ...rest } = step;
  // the words of `op` and `order` are those of the version that wrote the trace: a replay compares them, and shows them
  return { ...rest, ...(source === undefined ? {} : { source: positionFrom(folder, source) }) } as RecordedStep;
}

function positionFrom(folder: string, { file, line, column }: SourcePosition): SourcePosition {
  return { file: resolve(folder, file), line, column };
}
