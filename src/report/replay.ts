/** Runs the execution of a trace again, and says whether it still fails as recorded. */
import { Recorder } from '../check/record.ts';
import type { RecordedExecution } from '../check/result.ts';
import { InputError } from '../program/input-error.ts';
import type { Program } from '../program/operation.ts';
import { witnessOf } from './read-trace.ts';
import type { Trace } from './schema.ts';

/** Performs one step per `next`, and yields its index. Throws an InputError where the program goes another way. */
export function* replaySteps(program: Program, trace: Trace): Generator<number, RecordedExecution> {
  const recorder = new Recorder(program);
  for (const [i, step] of witnessOf(trace).entries()) {
    recorder.run(step, trace.steps[i]);
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

/** How the end of the run differs from that of the trace; undefined if it fails in the same way. */
function otherEnd(trace: Trace, recorder: Recorder, execution: RecordedExecution): string | undefined {
  const { kind, threads } = trace.error;
  if (kind === 'race') return otherRace(trace, execution);
  if (kind === 'deadlock' || kind === 'livelock') return otherStandstill(trace, execution);
  const now = recorder.failureOf(threads[0] ?? 0);
  if (now === undefined) return 'the program did not fail';
  return now.kind === kind && now.message === trace.error.message
    ? undefined
    : `it failed with ${now.kind} (${now.message})`;
}

function otherRace({ error, ends }: Trace, execution: RecordedExecution): string | undefined {
  const isSecond = ({ thread }: { readonly thread: number }): boolean => thread === error.threads[1];
  const [before, now] = [ends.find(isSecond)?.next, execution.ends.find(isSecond)?.next];
  const isSame = now !== undefined && now.op === before?.op && now.location === before.location;
  return isSame ? undefined : 'the second access of the race did not come';
}

function otherStandstill({ error }: Trace, { ends, threads }: RecordedExecution): string | undefined {
  const name = (thread: number): string => threads.find(({ id }) => id === thread)?.name ?? String(thread);
  const free = ends.find(({ state }) => state === 'ready');
  if (free !== undefined) return `thread ${name(free.thread)} can go on`;
  const ended = error.threads.find((thread) => ends.find((end) => end.thread === thread)?.state !== 'waiting');
  return ended === undefined ? undefined : `thread ${name(ended)} does not wait`;
}
