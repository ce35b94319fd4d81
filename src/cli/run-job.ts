/**
 * Runs a check in a worker, so that this thread can show progress, react to Ctrl-C at once, and notice a thread of the
 * program that never performs an operation.
 */
import { Worker } from 'node:worker_threads';
import { unusualOptions } from '../check/algorithm-options.ts';
import { resolveOptions } from '../check/options.ts';
import type { CheckResult, StopReason } from '../check/result.ts';
import { noCounts } from '../explore/explorer.ts';
import { InputError } from '../program/input-error.ts';
import { jsonReport } from '../report/json.ts';
import { textReport } from '../report/text.ts';
import { version } from '../version.ts';
import { CutShort, Exit } from './exit.ts';
import {
  type JobRequest,
  type JobResult,
  type LeaderMessage,
  newShared,
  type Shared,
  type WorkerInput,
  type WorkerMessage,
} from './job.ts';
import { startPeer } from './peers.ts';
import { type ProgressLine, progressLine } from './progress.ts';
import { entryOf, nameOf, type ProgramSource } from './source.ts';

/** `onLine`: gets what is worth telling before the search is over. */
export async function runJob(
  request: JobRequest,
  showProgress: boolean,
  onLine: (line: string) => void = () => {},
): Promise<JobResult> {
  const shared = newShared();
  const line = progressLine(showProgress, shared.progress);
  const input: WorkerInput = { request, shared, isWatched: showProgress };
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    workerData: input,
    stdout: true,
    stderr: true,
    resourceLimits: { stackSizeMb: 256 }, // C functions that call themselves: for half a million calls
  });
  forwardOutput(worker, line);
  worker.on('message', (message: WorkerMessage) => {
    if (message.type !== 'line' && message.type !== 'warning') return;
    line.clear();
    if (message.type === 'line') onLine(message.text);
    else process.stderr.write(`heddle: ${message.text}\n`);
  });
  const stopListening = onInterrupt(shared);
  const watch = new AbortController();
  const others: Worker[] = [];
  const start = performance.now();
  try {
    return await Promise.race([
      answerOf(worker, request.source),
      stuckThread(worker, request, shared, watch.signal),
      cutShort(request, shared, watch.signal),
      failureOfOthers(worker, others, request, watch.signal),
    ]);
  } catch (error) {
    if (!(error instanceof CutShort)) throw error;
    return cutResult(request, shared, performance.now() - start, 'memory');
  } finally {
    watch.abort();
    stopListening();
    line.end();
    await Promise.all([end(worker), ...others.map((other) => other.terminate())]);
  }
}

/** Starts the other threads when the leader asks for them. Rejects when one of them fails or ends, or a thread of the program in it is stuck. */
function failureOfOthers(leader: Worker, others: Worker[], request: JobRequest, signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    leader.on('message', ({ type }: WorkerMessage) => {
      if (type !== 'more workers' || signal.aborted) return;
      for (let i = 1; i < request.workers.count; i++) {
        const { worker, shared, port } = startPeer(request);
        others.push(worker);
        worker.on('error', (error) => reject(outsideProblem(error, request.source)));
        worker.on('exit', (code) => reject(earlyExit(code)));
        stuckThread(worker, request, shared, signal).catch(reject);
        const message: LeaderMessage = { peer: port };
        leader.postMessage(message, [port]);
      }
    });
  });
}

/** Lets what the program has printed arrive; a worker that something keeps busy is stopped. */
async function end(worker: Worker): Promise<void> {
  const grace = setTimeout(() => worker.terminate(), 100);
  await new Promise((resolve) => (worker.threadId === -1 ? resolve(undefined) : worker.once('exit', resolve)));
  clearTimeout(grace);
}

/** What the program prints is not part of any report. */
function forwardOutput(worker: Worker, line: ProgressLine): void {
  for (const stream of [worker.stdout, worker.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      line.clear();
      process.stderr.write(chunk);
    });
  }
}

/** What Ctrl-C sends, and what `kill`, `timeout` and build servers do. */
const interrupts = ['SIGINT', 'SIGTERM'] as const;

/** The first interrupt asks the search to stop, the second ends this process. */
function onInterrupt({ interrupt }: Shared): () => void {
  const listener = (): void => {
    if (Atomics.exchange(interrupt, 0, 1) === 1) process.exit(Exit.INTERRUPTED);
  };
  for (const signal of interrupts) process.on(signal, listener);
  return () => {
    for (const signal of interrupts) process.off(signal, listener);
  };
}

/** How long the search may take to come to the end of a step when it is to stop; then it is cut off. */
const GRACE_MS = 2000;

/** Resolves when the search should have stopped, by the timeout or by Ctrl-C, and has not: with what is known of it. */
function cutShort(request: JobRequest, shared: Shared, signal: AbortSignal): Promise<JobResult> {
  const { interrupt } = shared;
  const limit = (request.options.timeout ?? Number.POSITIVE_INFINITY) * 1000;
  return new Promise((resolve) => {
    const start = performance.now();
    let interruptedAt = Number.POSITIVE_INFINITY;
    const timer = setInterval(() => {
      const now = performance.now();
      if (Atomics.load(interrupt, 0) === 1) interruptedAt = Math.min(interruptedAt, now);
      const isLate = now > start + limit + GRACE_MS;
      if (!isLate && now < interruptedAt + GRACE_MS) return;
      resolve(cutResult(request, shared, now - start, isLate ? 'timeout' : 'interrupt'));
    }, 100);
    signal.addEventListener('abort', () => clearInterval(timer));
  });
}

/** What is known of a search whose worker has not answered. */
function cutResult(request: JobRequest, { progress }: Shared, elapsedMs: number, stoppedBy: StopReason): JobResult {
  const { source, text } = request;
  const [complete = 0] = progress;
  const { language } = entryOf(source);
  const { model, algorithm, algorithmOptions } = resolveOptions(request.options, language);
  const result: CheckResult = {
    version,
    program: nameOf(source),
    model,
    algorithm,
    algorithmOptions,
    unusualOptions: unusualOptions(algorithmOptions),
    verdict: 'incomplete',
    executions: { ...noCounts(), complete },
    errors: [],
    warnings: [],
    bounds: [],
    iterations: [],
    assumptions: [],
    loops: [],
    openLoops: [],
    language,
    stoppedBy,
    elapsedMs,
    compileMs: source.compileMs,
  };
  return { report: jsonReport(result, text.cwd), text: textReport(result, text), trace: undefined, dot: undefined };
}

function answerOf(worker: Worker, source: ProgramSource): Promise<JobResult> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: WorkerMessage) => {
      if (message.type === 'result') resolve(message.result);
      if (message.type === 'input-error') reject(new InputError(message.message, message.position));
      if (message.type === 'out of memory') reject(new CutShort(outOfMemory));
      if (message.type === 'internal-error') reject(Object.assign(new Error(), { stack: message.stack }));
    });
    worker.on('error', (error) => reject(outsideProblem(error, source)));
    worker.on('exit', (code) => reject(earlyExit(code)));
  });
}

const outOfMemory = 'out of memory. To give it more, in megabytes: NODE_OPTIONS=--max-old-space-size=8000 heddle …';

/** An exception that nobody caught: of a callback of the program, or ours. */
export function outsideProblem(error: unknown, source: ProgramSource): unknown {
  if (!(error instanceof Error)) return error;
  if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') return new CutShort(outOfMemory);
  const position = entryOf(source).positionOfStray?.(error.stack);
  if (position === undefined) return error;
  return new InputError(`the program threw outside of its threads: ${error.name}: ${error.message}`, position);
}

/** Node ends a worker with 13 if its module still waits and nothing can happen any more. */
function earlyExit(code: number): InputError {
  if (code === 13)
    return new InputError('the program never finished loading: it awaits something that does not happen.');
  return new InputError(`the program ended the process (process.exit, code ${code}), so that it cannot be checked.`);
}

/** Rejects when a thread of the program has run for too long without performing an operation. */
export function stuckThread(
  worker: Worker,
  { source }: Pick<JobRequest, 'source'>,
  { pulse }: Pick<Shared, 'pulse'>,
  signal: AbortSignal,
): Promise<never> {
  const patience = patienceMs();
  const names = new Map<number, string>();
  const onMessage = (message: WorkerMessage): void => {
    if (message.type === 'thread') names.set(message.thread, message.name);
  };
  worker.on('message', onMessage);
  signal.addEventListener('abort', () => worker.off('message', onMessage));
  return new Promise((_resolve, reject) => {
    // counted in ticks, not in time: a computer that sleeps does not tick
    let ticks = 0;
    let lastResume = -1;
    const timer = setInterval(() => {
      const [running = 0, resumes = 0, depth = 0] = pulse;
      ticks = running !== 0 && resumes === lastResume ? ticks + 1 : 0;
      lastResume = resumes;
      if (ticks < TICKS) return;
      const name = names.get(running - 1) ?? `number ${running}`;
      reject(neverOperates(name, depth, patience, source));
    }, patience / TICKS);
    signal.addEventListener('abort', () => clearInterval(timer));
  });
}

const TICKS = 10;

function patienceMs(): number {
  const given = Number(process.env['HEDDLE_PATIENCE_MS']);
  return given > 0 ? given : 5000;
}

function neverOperates(name: string, depth: number, patience: number, source: ProgramSource): InputError {
  const after = depth === 0 ? 'before its first operation' : `after its ${ordinal(depth)} operation`;
  return new InputError(
    `thread ${name} ran for ${patience / 1000} s without performing an operation (${after}).\n${entryOf(source).language.silentThread}`,
  );
}

function ordinal(n: number): string {
  const isTeen = n % 100 >= 11 && n % 100 <= 13;
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${ending}`;
}
