/** Runs the execution of a trace again, and says whether it still fails as recorded. */
import { Recorder } from '../check/record.ts';
import type { RecordedExecution, RecordedStep } from '../check/result.ts';
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
  const now = otherEnd(trace, recorder, execution);
  if (now === undefined) return execution;
  const { kind, message, location } = trace.error;
  throw new InputError(
    `all ${trace.steps.length} recorded steps were run, and then ${now}; expected: ${kind}${message === '' ? '' : ` (${message})`}.\n` +
      'The usual cause: the program was changed since.',
    location,
  );
}

/** A new recorder after the first `count` steps. */
function runTo(program: Program, trace: Trace, count: number): Recorder {
  return startingOver(() => {
    program.nameAnew?.();
    const recorder = new Recorder(program, trace.threads);
    for (const step of trace.steps.slice(0, count)) recorder.run(step, step);
    return recorder;
  });
}

/** How the end of the run differs from that of the trace; undefined if it fails in the same way. */
function otherEnd(trace: Trace, recorder: Recorder, execution: RecordedExecution): string | undefined {
  const { kind, threads, racing } = trace.error;
  if (racing !== undefined) return otherClash(trace, execution);
  if (kind === 'leak') return otherLeak(trace, execution);
  if (kind === 'deadlock' || kind === 'livelock') return otherStandstill(trace, execution);
  const now = recorder.failureOf(threads[0] ?? 0);
  if (now === undefined) return 'the program did not fail';
  return now.kind === kind && now.message === trace.error.message
    ? undefined
    : `it failed with ${now.kind} (${now.message})`;
}

function otherClash({ error, ends }: Trace, execution: RecordedExecution): string | undefined {
  const isSecond = ({ thread }: { readonly thread: number }): boolean => thread === error.threads[1];
  const [before, now] = [ends.find(isSecond)?.next, execution.ends.find(isSecond)?.next];
  const isSame = now !== undefined && now.op === before?.op && now.location === before.location;
  return isSame ? undefined : 'the second access did not come';
}

function otherLeak({ error }: Trace, { ends, steps }: RecordedExecution): string | undefined {
  if (ends.some(({ state }) => state === 'ready')) return 'the program had not ended';
  const isHere = (step: RecordedStep): boolean =>
    step.op === 'allocate' && step.source?.line === error.location?.line && step.source?.file === error.location?.file;
  const isFreed = ({ location }: RecordedStep): boolean =>
    steps.some((s) => s.op === 'free' && s.location === location);
  return steps.some((step) => isHere(step) && !isFreed(step)) ? undefined : 'the memory was freed';
}

function otherStandstill({ error }: Trace, { ends, threads }: RecordedExecution): string | undefined {
  const name = (thread: number): string => threads.find(({ id }) => id === thread)?.name ?? String(thread);
  const free = ends.find(({ state }) => state === 'ready');
  if (free !== undefined) return `thread ${name(free.thread)} can go on`;
  const ended = error.threads.find((thread) => ends.find((end) => end.thread === thread)?.state !== 'waiting');
  return ended === undefined ? undefined : `thread ${name(ended)} does not wait`;
}
