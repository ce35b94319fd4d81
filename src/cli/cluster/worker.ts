/** `heddle worker`: takes parts of searches until it is told to stop. */
import { randomUUID } from 'node:crypto';
import { availableParallelism, hostname } from 'node:os';
import { wholeAtLeast } from '../../check/given.ts';
import { openCluster } from '../../cluster/cluster.ts';
import type { Store } from '../../cluster/store.ts';
import { Work } from '../../cluster/work.ts';
import { InputError } from '../../program/input-error.ts';
import { counted } from '../../report/words.ts';
import { version } from '../../version.ts';
import { Exit } from '../exit.ts';
import { numberFrom } from '../flags.ts';
import { entryOf, type ProgramSource } from '../source.ts';
import { Thread } from './threads.ts';

export interface WorkerFlags {
  readonly cluster: string;
  readonly threads?: string;
  readonly trustPrograms?: boolean;
}

export async function runWorker({
  cluster: address,
  threads: given,
  trustPrograms = false,
}: WorkerFlags): Promise<number> {
  const threads =
    given === undefined ? availableParallelism() : wholeAtLeast('threads', 1, numberFrom('--threads', given));
  const cluster = await openCluster(address, process.env);
  const { engine, redis, store, members } = cluster;
  try {
    await members.expectOneVersion('worker');
    const sources = new Sources(store, trustPrograms);
    const benches = Array.from({ length: threads }, () => new Thread((program) => sources.get(program)));
    const member = { id: randomUUID(), host: hostname(), version, threads, runsCode: trustPrograms };
    const work = new Work(engine, redis, store, members, {
      member,
      benches,
      leaseMs: milliseconds('HEDDLE_CLUSTER_LEASE_MS', 30_000),
      mostMs: milliseconds('HEDDLE_CLUSTER_ITEM_MS', 2000),
    });
    await work.start();
    process.stderr.write(
      `heddle: working for ${cluster.address.shown} with ${counted(threads, 'thread')}; Ctrl-C ends it.\n`,
    );
    await interrupted();
    await work.stop();
    await Promise.all(benches.map((bench) => bench.end()));
    return Exit.OK;
  } finally {
    redis.disconnect();
  }
}

/** What programs are made of: those that were asked for last are kept. */
class Sources {
  readonly #store: Store;
  readonly #runsCode: boolean;
  readonly #known = new Map<string, Promise<ProgramSource>>();

  constructor(store: Store, runsCode: boolean) {
    this.#store = store;
    this.#runsCode = runsCode;
  }

  get(program: string): Promise<ProgramSource> {
    const known = this.#known.get(program) ?? this.#fetch(program);
    this.#known.delete(program);
    this.#known.set(program, known);
    for (const oldest of this.#known.keys()) if (this.#known.size > 4) this.#known.delete(oldest);
    known.catch(() => this.#known.delete(program));
    return known;
  }

  async #fetch(program: string): Promise<ProgramSource> {
    const text = await this.#store.source(program);
    if (text === undefined) throw new InputError('the server has lost the program.');
    const source = JSON.parse(text) as ProgramSource;
    // whatever queue it came from
    if (entryOf(source).travelling?.isCode === true && !this.#runsCode)
      throw new InputError('the program is code, and the worker was started without --trust-programs.');
    return source;
  }
}

/** The first interrupt asks to stop, the second ends this process. */
function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    let isAsked = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (isAsked) process.exit(Exit.INTERRUPTED);
        isAsked = true;
        process.stderr.write('heddle: no more work is taken; what was begun is finished.\n');
        resolve();
      });
    }
  });
}

function milliseconds(variable: string, usual: number): number {
  const given = Number(process.env[variable]);
  return given > 0 ? given : usual;
}
