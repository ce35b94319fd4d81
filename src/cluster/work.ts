/**
 * A worker of a cluster: takes parts of searches from the queues as long as it is let. BullMQ's lease on a part is renewed here, in a
 * thread that never computes; who is not heard of for as long as a lease lasts loses the part to somebody else.
 */
import type { Worker as QueueWorker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Engine } from './engine.ts';
import { type Bench, exploreErrand } from './explore-errand.ts';
import { HEARTBEAT_MS, type Member, type Members } from './members.ts';
import { type Errand, Errands, queueName } from './queue.ts';
import type { Store } from './store.ts';

export interface WorkOptions {
  readonly member: Member;
  /** One for each thread. */
  readonly benches: readonly Bench[];
  readonly leaseMs: number;
  readonly mostMs: number;
}

/** A part at which so many workers were lost is not tried again. */
const MOST_ATTEMPTS = 20;

export class Work {
  readonly #engine: Engine;
  readonly #redis: Redis;
  readonly #store: Store;
  readonly #members: Members;
  readonly #errands: Errands;
  readonly #options: WorkOptions;
  readonly #idle: Bench[];
  readonly #waiting: ((bench: Bench) => void)[] = [];
  #workers: QueueWorker<Errand>[] = [];
  #timers: ReturnType<typeof setInterval>[] = [];
  /** Of all workers. */
  #threads: number;

  constructor(engine: Engine, redis: Redis, store: Store, members: Members, options: WorkOptions) {
    this.#engine = engine;
    this.#redis = redis;
    this.#store = store;
    this.#members = members;
    this.#errands = new Errands(engine, redis);
    this.#options = options;
    this.#idle = [...options.benches];
    this.#threads = options.benches.length;
  }

  async start(): Promise<void> {
    await this.#beat();
    await this.#lookAfterOpenParts();
    this.#every(HEARTBEAT_MS, () => this.#beat());
    this.#every(this.#options.leaseMs, () => this.#lookAfterOpenParts());
    const kinds = this.#options.member.runsCode ? [false, true] : [false];
    this.#workers = kinds.map((isCode) => this.#take(isCode));
  }

  /** What it has begun is done, and nothing else. */
  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
    for (const timer of this.#timers) clearInterval(timer);
    await this.#members.leaves(this.#options.member.id);
  }

  #take(isCode: boolean): QueueWorker<Errand> {
    const { leaseMs, mostMs, benches } = this.#options;
    const circumstances = { store: this.#store, errands: this.#errands, isCode, threads: () => this.#threads, mostMs };
    const worker = new this.#engine.bullmq.Worker<Errand>(
      queueName(isCode),
      async ({ data, attemptsStarted }) => {
        if (attemptsStarted > MOST_ATTEMPTS) return this.#giveUp(data);
        const bench = await this.#bench();
        try {
          await exploreErrand(data, bench, circumstances);
        } finally {
          this.#putBack(bench);
        }
      },
      {
        connection: this.#redis,
        concurrency: benches.length,
        lockDuration: leaseMs,
        stalledInterval: leaseMs,
        maxStalledCount: Number.MAX_SAFE_INTEGER,
        drainDelay: 1,
        runRetryDelay: 500,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      },
    );
    // the connection tries again; and who was too late for its lease has nothing to say
    worker.on('error', () => {});
    return worker;
  }

  async #giveUp({ search, generation }: Errand): Promise<void> {
    const message = `a part of the search was taken ${MOST_ATTEMPTS} times, and each time the worker was lost; perhaps it had too little memory.`;
    await this.#store.fail(search, generation, { kind: 'memory', message, position: undefined });
  }

  /** A thread that has nothing to do: two queues may give more than there are threads for. */
  async #bench(): Promise<Bench> {
    return this.#idle.pop() ?? new Promise((resolve) => this.#waiting.push(resolve));
  }

  #putBack(bench: Bench): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(bench);
    else next(bench);
  }

  async #beat(): Promise<void> {
    await this.#members.isHere(this.#options.member);
    const all = await this.#members.all();
    this.#threads = all.reduce((sum, { threads }) => sum + threads, 0);
  }

  /**
   * Every open part is in the queue, also if whoever was to publish it is gone, or the server was restarted and has lost the last
   * second. To publish again what is there does nothing.
   */
  async #lookAfterOpenParts(): Promise<void> {
    for (const { id, state, generation, isCode, version, program } of await this.#store.searches()) {
      if (state !== 'running' || version !== this.#options.member.version) continue;
      await this.#store.keep(program);
      const items = await this.#store.openItems(id);
      await this.#errands.publish(
        isCode,
        items.map((item) => ({ search: id, generation, item })),
      );
    }
  }

  /** One after the other, however long one takes; a server that is away is asked again the next time. */
  #every(ms: number, action: () => Promise<void>): void {
    let isBusy = false;
    const timer = setInterval(() => {
      if (isBusy) return;
      isBusy = true;
      action()
        .catch(() => {})
        .finally(() => {
          isBusy = false;
        });
    }, ms);
    this.#timers.push(timer);
  }
}
