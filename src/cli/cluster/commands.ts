/** `heddle cluster status`, `stop`, `result`. */
import { type Cluster, openCluster } from '../../cluster/cluster.ts';
import type { Member } from '../../cluster/members.ts';
import type { SearchStatus } from '../../cluster/store.ts';
import { executionsOf } from '../../explore/explorer.ts';
import { InputError } from '../../program/input-error.ts';
import { counted } from '../../report/words.ts';
import { writeFiles } from '../check.ts';
import { Exit, exitCodeOf } from '../exit.ts';
import { oneWorker } from '../job.ts';
import { entryOf, nameOf, type ProgramSource } from '../source.ts';
import { textOptions } from '../terminal.ts';
import { expectWritable } from '../written-files.ts';
import { resultOf } from './client.ts';

export interface ClusterFlags {
  readonly cluster: string;
  readonly json?: boolean;
  readonly trace?: string;
  readonly dot?: string;
  readonly trustPrograms?: boolean;
}

export async function runStatus(id: string | undefined, { cluster, json }: ClusterFlags): Promise<number> {
  return using(cluster, async ({ store, members }) => {
    const searches = id === undefined ? await store.searches() : [await find(id, store)];
    const workers = await members.all();
    process.stdout.write(
      json === true
        ? `${JSON.stringify({ workers, searches: searches.map(reportOf) }, null, 2)}\n`
        : [...workers.map(lineOfWorker), ...searches.map(lineOfSearch)].map((line) => `${line}\n`).join('') ||
            'There are no workers and no searches.\n',
    );
    return Exit.OK;
  });
}

export async function runStop(id: string, { cluster, json }: ClusterFlags): Promise<number> {
  return using(cluster, async ({ store }) => {
    await find(id, store);
    const wasRunning = await store.stop(id, 'interrupt');
    process.stdout.write(
      json === true
        ? `${JSON.stringify({ ...reportOf(await find(id, store)), wasRunning }, null, 2)}\n`
        : `Search ${id} ${wasRunning ? 'is stopped' : 'was over'}.\n`,
    );
    return Exit.OK;
  });
}

export async function runResult(id: string, flags: ClusterFlags): Promise<number> {
  const isJson = flags.json === true;
  expectWritable([flags.trace, flags.dot], []);
  return using(flags.cluster, async (cluster) => {
    const status = await find(id, cluster.store);
    if (status.state === 'running') {
      process.stdout.write(isJson ? `${JSON.stringify(reportOf(status), null, 2)}\n` : `${lineOfSearch(status)}\n`);
      return Exit.INCOMPLETE;
    }
    const text = await cluster.store.source(status.program);
    if (text === undefined) throw new InputError(`the server has no longer the program of search ${id}.`);
    const source = JSON.parse(text) as ProgramSource;
    if (entryOf(source).travelling?.isCode === true && flags.trustPrograms !== true) {
      throw new InputError(
        'the program is code, which has to run here for its result to be told: with --trust-programs it does.',
      );
    }
    const request = {
      source,
      options: status.options,
      text: { ...textOptions(), mentionTrace: true },
      traceFile: flags.trace,
      workers: oneWorker,
      checkpoint: undefined,
      before: undefined,
    };
    const result = await resultOf(cluster, status, request);
    process.stdout.write(
      isJson ? `${JSON.stringify({ ...result.report, program: nameOf(source) }, null, 2)}\n` : result.text,
    );
    writeFiles(result, flags, isJson);
    return exitCodeOf(result.report.verdict);
  });
}

async function using(address: string, action: (cluster: Cluster) => Promise<number>): Promise<number> {
  const cluster = await openCluster(address, process.env);
  try {
    return await action(cluster);
  } finally {
    cluster.redis.disconnect();
  }
}

async function find(id: string, store: Cluster['store']): Promise<SearchStatus> {
  const status = await store.status(id);
  if (status === undefined) throw new InputError(`there is no search ${id}; heddle cluster status lists them.`);
  return status;
}

function reportOf({ id, name, version, state, counts, errors, recorded, open, left, elapsedMs }: SearchStatus): object {
  const executions = executionsOf(counts);
  return {
    id,
    program: name,
    version,
    state,
    executions,
    errors,
    parts: { explored: recorded, open },
    left,
    elapsedMs,
  };
}

function lineOfSearch({ id, name, version, state, counts, errors, recorded, open, elapsedMs }: SearchStatus): string {
  const found = errors === 0 ? '' : `, ${counted(errors, 'error')}`;
  const parts = `${counted(recorded, 'part')} explored${state === 'running' ? `, ${open} open` : ''}`;
  const executions = counted(executionsOf(counts), 'execution');
  return `search ${id}  ${state}  ${name}  ${executions}${found}  ${parts}  ${Math.round(elapsedMs / 1000)} s  Heddle ${version}`;
}

function lineOfWorker({ host, threads, runsCode, version }: Member): string {
  return `worker ${host}  ${counted(threads, 'thread')}${runsCode ? '  trusts programs' : ''}  Heddle ${version}`;
}
