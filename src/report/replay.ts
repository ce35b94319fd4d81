/** Runs the execution of a trace again, and says whether it still fails as recorded. */
import { Recorder } from '../check/record.ts';
import type { RecordedExecution } from '../check/result.ts';
import { type ExpectedError, isSamePlace, type OtherEnd, otherEnd, showPlace } from '../check/same-error.ts';
import { startingOver } from '../check/starting-over.ts';
import { InputError } from '../program/input-error.ts';
import { type Program, ProgramRefined } from '../program/operation.ts';
import type { Trace } from './schema.ts';

/** Performs one step per `next`, and yields its index. Throws an InputError where the program goes another way. */
export function* replaySteps(program: Program, trace: Trace): Generator<number, RecordedExecution> {
  let recorder = runTo(program, trace, 0);
  for (const [i, step] of trace.steps.entries()) {
    try {
      recorder.run(step, step);
    } catch (error) {
      if (!(error instanceof ProgramRefined)) throw error;
      recorder = runTo(program, trace, i + 1);
    }
    yield i;
  }
  const execution = recorder.execution();
  const now = otherEnd(expectedError(trace), execution, recorder);
  if (now !== undefined) throw failsElsewhere(trace, now);
  return execution;
}

/** A new recorder after the first `count` steps. */
function runTo(program: Program, trace: Trace, count: number): Recorder {
  return startingOver(() => {
    const recorder = new Recorder(program, trace.threads);
    for (const step of trace.steps.slice(0, count)) recorder.run(step, step);
    return recorder;
  });
}

/** The error that the trace ends in. */
function expectedError({ error, threads, steps, ends }: Trace): ExpectedError {
  const { kind, message, location, racing } = error;
  const [thread] = error.threads;
  const at = racing ?? (kind === 'leak' ? leakIn({ error, steps }) : -1);
  const operation = at < 0 ? undefined : steps.slice(0, at).filter((step) => step.thread === thread).length;
  const next = error.threads.map((id) => ends.find((end) => end.thread === id)?.next);
  return {
    kind,
    message,
    threads: error.threads.map((id) => threads.find((other) => other.id === id)?.path ?? '?'),
    position: location,
    operation,
    accesses: racing === undefined ? next : [steps[racing], next[1]],
    isEndless: error.round !== undefined,
  };
}

/** The step that allocates what is never freed; -1 if there is none. */
function leakIn({ error, steps }: Pick<Trace, 'error' | 'steps'>): number {
  const isFreed = (object: string | undefined): boolean =>
    steps.some(({ op, location }) => op === 'free' && location === object);
  return steps.findIndex(
    ({ thread, op, location, source }) =>
      op === 'allocate' && thread === error.threads[0] && isSamePlace(source, error.location) && !isFreed(location),
  );
}

function failsElsewhere({ error, steps }: Trace, now: OtherEnd): InputError {
  const { kind, message, location } = error;
  const after = steps.length === 1 ? 'the one recorded step' : `all ${steps.length} recorded steps`;
  const place = location === undefined ? '' : ` at ${showPlace(location)}`;
  return new InputError(
    `after ${after} ${now.what}; expected: ${kind}${message === '' ? '' : ` (${message})`}${place}.\n` +
      'The usual cause: the program was changed since.',
    now.position ?? location,
  );
}
