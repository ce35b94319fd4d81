/** `heddle check --cluster`: submits a search, watches it, and reports as if it had run here. */

import { expectDivisible } from '../../check/divisible.ts';
import { type ResolvedOptions, resolveOptions } from '../../check/options.ts';
import { type Cluster, openCluster } from '../../cluster/cluster.ts';
import { nameOfFirst } from '../../cluster/item.ts';
import type { ClusterFailure, SearchStatus } from '../../cluster/store.ts';
import { executionsOf } from '../../explore/explorer.ts';
import { InputError } from '../../program/input-error.ts';
import { CutShort, Exit } from '../exit.ts';
import { hostOf } from '../host.ts';
import type { JobRequest, JobResult } from '../job.ts';
import { type ProgressLine, progressLine } from '../progress.ts';
import { numbersOf, PROGRESS_NUMBERS } from '../progress-numbers.ts';
import { runJob } from '../run-job.ts';
import { entryOf, nameOf, type ProgramSource } from '../source.ts';

/** How often it looks. */
const POLL_MS = 100;
/** A server that does not answer for so long is away. */
const AWAY_MS = 3000;
/** If there is no worker for so long, that is worth a word. */
const LONELY_MS = 1500;
/** More rounds than these of a loop that is not known to end may mean that it has no end. */
const MANY_ROUNDS = 256;

export async function checkOnCluster(request: JobRequest, address: string, showProgress: boolean): Promise<JobResult> {
  const resolved = resolveOptions(request.options, entryOf(request.source).language);
  const source = await packed(request.source);
  const { timeout: _, ...options } = request.options; // the client looks at the clock
  const cluster = await openCluster(address, process.env);
  const { store, members, errands } = cluster;
  try {
    await members.expectOneVersion('client');
    const isCode = entryOf(source).travelling?.isCode ?? false;
    const id = await store.submit({ name: nameOf(source), source: JSON.stringify(source), isCode, options });
    await errands.publish(isCode, [{ search: id, generation: 1, item: nameOfFirst(1) }]);
    process.stderr.write(`heddle: search ${id} at ${cluster.address.shown}\n`);
    const status = await new Watch(cluster, id, resolved.timeoutMs, showProgress).untilEnd();
    return await resultOf(cluster, status, { ...request, options });
  } finally {
    cluster.redis.disconnect();
  }
}

/** The report of a search that is over. */
export async function resultOf({ store }: Cluster, status: SearchStatus, request: JobRequest): Promise<JobResult> {
  if (status.failure !== undefined) throw errorOf(status.failure);
  const { part, knowledge, rest } = await store.outcome(status.id);
  const items = status.state === 'stopped' ? (rest?.items ?? []) : [];
  const saved = { items, hasErrors: part.findings.length > 0, ...(knowledge === undefined ? {} : { knowledge }) };
  const state = { part, saved, iterations: [], elapsedMs: status.elapsedMs };
  return runJob({ ...request, before: state, stoppedBy: status.stoppedBy }, false);
}

/** What cannot be shared by several machines is refused, before anything is compiled. */
export function expectShareable(options: ResolvedOptions): void {
  const { algorithmOptions, maxExecutions } = options;
  if (algorithmOptions.iterate === true)
    throw new InputError('--iterate goes from one bound to the next, which --cluster does not do yet: give --bound K.');
  if (maxExecutions < Number.POSITIVE_INFINITY) {
    throw new InputError(
      '--max-executions cannot be kept to by several machines, none of which knows how many executions the others have explored: use --timeout with --cluster.',
    );
  }
  expectDivisible(options.algorithm, '--cluster');
}

async function packed(source: ProgramSource): Promise<ProgramSource> {
  const { travelling } = entryOf(source);
  if (travelling === undefined) return source;
  return { ...source, compiled: await travelling.pack(source.settings, source.compiled, hostOf(true)) };
}

function errorOf({ kind, message, position }: ClusterFailure): Error {
  switch (kind) {
    case 'memory':
      return new CutShort(`on a worker: ${message}`);
    case 'internal':
      return Object.assign(new Error('a worker failed'), { stack: message });
    default:
      return new InputError(message, position);
  }
}

class Watch {
  readonly #cluster: Cluster;
  readonly #id: string;
  readonly #timeoutMs: number;
  readonly #numbers = new Float64Array(PROGRESS_NUMBERS);
  readonly #line: ProgressLine;
  readonly #start = performance.now();
  #isInterrupted = false;
  #isAway = false;
  #hasSaidLonely = false;
  #saidRounds = MANY_ROUNDS;

  constructor(cluster: Cluster, id: string, timeoutMs: number, showProgress: boolean) {
    this.#cluster = cluster;
    this.#id = id;
    this.#timeoutMs = timeoutMs;
    this.#line = progressLine(showProgress, this.#numbers);
  }

  async untilEnd(): Promise<SearchStatus> {
    const onSignal = (): void => {
      if (this.#isInterrupted) process.exit(Exit.INTERRUPTED);
      this.#isInterrupted = true;
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
    try {
      for (;;) {
        const status = await this.#look();
        if (status.state !== 'running') return status;
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    } finally {
      this.#line.end();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal);
    }
  }

  async #look(): Promise<SearchStatus> {
    const { store } = this.#cluster;
    const status = await this.#patiently(store.status(this.#id));
    if (status === undefined) {
      throw new InputError(
        `the server at ${this.#cluster.address.shown} has lost the search: was it restarted without an append-only file?`,
      );
    }
    if (status.state !== 'running') return status;
    const { counts, errors, elapsedMs } = status;
    const executions = executionsOf(counts);
    this.#numbers.set(numbersOf({ executions, errors, elapsedMs, rounds: 0, estimate: 'early' }));
    if (this.#isInterrupted) await store.stop(this.#id, 'interrupt');
    else if (elapsedMs >= this.#timeoutMs) await store.stop(this.#id, 'timeout');
    else await this.#mention(status);
    return status;
  }

  async #mention({ isCode, recorded, deepest }: SearchStatus): Promise<void> {
    if (deepest > this.#saidRounds) {
      this.#say(
        `loops that are not known to end have gone round ${deepest} times; if they have no end, nor has this search: --unroll K bounds them.`,
      );
      this.#saidRounds = deepest * 4;
    }
    if (recorded > 0 || this.#hasSaidLonely || performance.now() - this.#start < LONELY_MS) return;
    this.#hasSaidLonely = true;
    const members = await this.#cluster.members.all();
    if (members.some(({ runsCode }) => runsCode || !isCode)) return;
    const { shown } = this.#cluster.address;
    const flag = isCode ? ' --trust-programs' : '';
    const why = isCode && members.length > 0 ? ' that runs programs that are code' : '';
    this.#say(`there is no worker${why} yet; on each machine: heddle worker --cluster ${shown}${flag}`);
  }

  /** Says so if the server is away. */
  async #patiently<T>(answer: Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.#isAway = true;
      this.#say(`the server at ${this.#cluster.address.shown} does not answer; waiting for it.`);
    }, AWAY_MS);
    const result = await answer;
    clearTimeout(timer);
    if (this.#isAway) this.#say('the server is back.');
    this.#isAway = false;
    return result;
  }

  #say(text: string): void {
    this.#line.clear();
    process.stderr.write(`heddle: ${text}\n`);
  }
}
