/** Reads a trace file: whatever is wrong with it is said in one message. */
import { dirname, resolve } from 'node:path';
import type { ZodType } from 'zod';
import type { Bound } from '../check/bounds.ts';
import type { CheckError, RecordedEnd, RecordedExecution, RecordedStep } from '../check/result.ts';
import { InputError } from '../program/input-error.ts';
import type { SourcePosition } from '../program/operation.ts';
import { type Trace, traceSchema } from './schema.ts';
import { TRACE_VERSION } from './trace.ts';

/** `file` names the trace in messages; paths in the trace are relative to its folder, and absolute in what is returned. */
export function readTrace(text: string, file: string): Trace {
  const data = parse(text, file);
  if (typeof data !== 'object' || data === null || !('format' in data) || data.format !== 'heddle-trace') {
    throw new InputError(`${file} is not a trace of Heddle: one is written by heddle check … --trace FILE.`);
  }
  if ('version' in data && data.version !== TRACE_VERSION) {
    throw new InputError(
      `${file} has trace version ${String(data.version)}, and this version of Heddle reads version ${TRACE_VERSION}. ` +
        'Write it anew with heddle check … --trace FILE.',
    );
  }
  const trace = partOfTrace(traceSchema, data, [], file);
  const problem = inconsistency(trace);
  if (problem !== undefined) throw damaged(file, problem);
  return withAbsolutePaths(trace, dirname(resolve(file)));
}

/** `path`: where in the trace `data` is. */
export function partOfTrace<T>(schema: ZodType<T>, data: unknown, path: readonly string[], file: string): T {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw damaged(file, issueOf(issue === undefined ? undefined : { ...issue, path: [...path, ...issue.path] }));
}

function withAbsolutePaths(trace: Trace, folder: string): Trace {
  const at = <T extends { source?: SourcePosition | undefined }>(step: T): T =>
    step.source === undefined ? step : { ...step, source: positionFrom(folder, step.source) };
  const { location } = trace.error;
  return {
    ...trace,
    error: location === undefined ? trace.error : { ...trace.error, location: positionFrom(folder, location) },
    steps: trace.steps.map(at),
    ends: trace.ends.map((end) => (end.next === undefined ? end : { ...end, next: at(end.next) })),
  };
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
    const others = [step.missed, step.takesEffectBefore, step.wokenBy];
    if (others.some((other) => other !== undefined && other >= i))
      return `steps[${i}] misses, takes effect before, or is woken by, a later step`;
  }
  for (const thread of [...error.threads, ...ends.map((end) => end.thread)]) {
    if (!known.has(thread)) return `thread ${thread} is not in threads`;
  }
  if (error.racing !== undefined && error.racing >= steps.length) return 'error.racing is not a step';
  if (error.round !== undefined && error.round > steps.length) return 'error.round has more steps than there are';
  return undefined;
}

/** The error as it was recorded; values are text in it. */
export function errorOfTrace(trace: Trace): CheckError {
  // the words of `op` and `order` are those of the version that wrote the trace: they are compared and shown, no more
  const steps = trace.steps as readonly RecordedStep[];
  const ends = trace.ends as readonly RecordedEnd[];
  const { kind, message, location, underSc, scBounds, threads, round } = trace.error;
  const execution = { threads: trace.threads, steps, ends, preemptions: trace.preemptions, preempting: [] };
  return {
    kind,
    message,
    location,
    threads,
    racing: racingIn(execution, trace),
    ...(round === undefined ? {} : { round }),
    ...(underSc === undefined ? {} : { underSc }),
    ...(scBounds === undefined ? {} : { scBounds: scBounds as readonly Bound[] }),
    execution,
  };
}

/** The two accesses that clash, in an execution that the trace describes. */
export function racingIn({ steps, ends }: RecordedExecution, { error }: Trace): CheckError['racing'] {
  const { racing, threads } = error;
  const first = racing === undefined ? undefined : steps[racing];
  const second = ends.find(({ thread }) => thread === threads[1])?.next;
  return first === undefined || second === undefined ? undefined : [first, second];
}

function positionFrom(folder: string, { file, line, column }: SourcePosition): SourcePosition {
  return { file: resolve(folder, file), line, column };
}
