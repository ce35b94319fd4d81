/** The thread that loads the program and searches; the main thread watches over it (`run-job.ts`). */
import { dirname, resolve } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { check, type Watcher } from '../check/check.ts';
import { resolveOptions } from '../check/options.ts';
import type { CheckError, CheckResult } from '../check/result.ts';
import { InputError } from '../program/input-error.ts';
import type { Program } from '../program/operation.ts';
import { boundLine } from '../report/bounds.ts';
import { dotReport } from '../report/dot.ts';
import { jsonReport } from '../report/json.ts';
import { textReport } from '../report/text.ts';
import { traceOf, traceText } from '../report/trace.ts';
import { CheckpointWriter } from './checkpoint-writer.ts';
import type { JobRequest, JobResult, LeaderMessage, Shared, WorkerInput, WorkerMessage } from './job.ts';
import { PortPeers } from './peers.ts';
import { numbersOf } from './progress-numbers.ts';
import { entryOf, loadProgram, type ProgramSource } from './source.ts';

const { request, shared, isWatched } = workerData as WorkerInput;

function post(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}

async function load({
  source,
  options,
}: JobRequest): Promise<{ readonly program: Program; readonly compileMs: number }> {
  resolveOptions(options, entryOf(source).language);
  const start = performance.now();
  const program = await loadProgram(source);
  return { program, compileMs: source.compileMs + performance.now() - start };
}

const peers = new PortPeers();
parentPort?.on('message', ({ peer }: LeaderMessage) => peers.expect(peer));
parentPort?.unref(); // a program that never finishes loading is to be noticed: then nothing keeps this thread going

function watcherOf(
  { workers, before, checkpoint, stoppedBy }: JobRequest,
  { interrupt, progress, pulse }: Shared,
  compileMs: number,
): Watcher {
  let isAlone = workers.count > 1;
  const warn = (text: string): void => post({ type: 'warning', text });
  const writer = checkpoint === undefined ? undefined : new CheckpointWriter(checkpoint, request, warn);
  return {
    compileMs,
    isInterrupted: () => Atomics.load(interrupt, 0) === 1,
    isEstimated: isWatched,
    onProgress: (told) => {
      progress.set(numbersOf(told));
      if (!isAlone || told.elapsedMs < workers.aloneMs) return;
      isAlone = false;
      post({ type: 'more workers' });
    },
    onBound: (step) => post({ type: 'line', text: boundLine(step) }),
    behaviours: { pulse, onThread: (thread, { name }) => post({ type: 'thread', thread, name }) },
    peers,
    ...(before === undefined ? {} : { before }),
    ...(stoppedBy === undefined ? {} : { stoppedBy }),
    isStateDue: () => writer?.isDue() === true,
    onState: (state) => writer?.write(state),
  };
}

function render(result: CheckResult, program: Program, { source, text, traceFile }: JobRequest): JobResult {
  const [error] = result.errors;
  const isTraced = error !== undefined && traceFile !== undefined;
  return {
    report: jsonReport(result, text.cwd),
    text: textReport(result, { ...text, traceFile: isTraced ? traceFile : undefined }),
    trace: isTraced ? traceOfError(result, error, program, source, resolve(traceFile)) : undefined,
    dot: error === undefined ? undefined : dotReport(error, result, text.cwd),
  };
}

function traceOfError(
  result: CheckResult,
  error: CheckError,
  program: Program,
  source: ProgramSource,
  file: string,
): string {
  const { frontEnd, settings } = source;
  const knowledge = program.knowledge?.();
  const traced = {
    frontEnd,
    settings: entryOf(source).settingsForTrace(settings, dirname(file)),
    ...(knowledge === undefined ? {} : { knowledge }),
  };
  return traceText(traceOf(result, error, traced, file));
}

try {
  const { program, compileMs } = await load(request);
  parentPort?.ref();
  const result = await check(program, request.options, watcherOf(request, shared, compileMs));
  post({ type: 'result', result: render(result, program, request) });
} catch (error) {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error); // also of an error in another worker
  if (error instanceof InputError) post({ type: 'input-error', message: error.message, position: error.position });
  else if (stack.includes('RangeError: Array buffer allocation failed')) post({ type: 'out of memory' });
  else post({ type: 'internal-error', stack });
} finally {
  parentPort?.unref();
  peers.release();
}
