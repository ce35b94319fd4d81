/**
 * Who is to explore what: queues of BullMQ. One for each version of Heddle, since others would not understand what is left of a
 * search; and one more for programs that are code, which only workers take that were told to.
 *
 * A job is known by the part that it is about, so that to publish one again does nothing. It says no more than its name: whoever
 * gets it looks at what the server keeps of that part (`Store.take`). So it does no harm if a part is in the queue that was explored.
 */
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { version } from '../version.ts';
import type { Engine } from './engine.ts';

/** What a job says. */
export interface Errand {
  readonly search: string;
  readonly generation: number;
  readonly item: string;
}

export function queueName(isCode: boolean): string {
  return `heddle-${version}${isCode ? '-code' : ''}`;
}

export class Errands {
  readonly #engine: Engine;
  readonly #redis: Redis;
  readonly #queues = new Map<boolean, Queue<Errand>>();

  constructor(engine: Engine, redis: Redis) {
    this.#engine = engine;
    this.#redis = redis;
  }

  async publish(isCode: boolean, errands: readonly Errand[]): Promise<void> {
    await this.#queue(isCode).addBulk(
      errands.map((data) => ({
        name: 'explore',
        data,
        opts: { jobId: `${data.search}-${data.generation}-${data.item}` },
      })),
    );
  }

  /** How many wait for somebody to take them. */
  async waiting(isCode: boolean): Promise<number> {
    return this.#queue(isCode).getWaitingCount();
  }

  #queue(isCode: boolean): Queue<Errand> {
    const known = this.#queues.get(isCode);
    if (known !== undefined) return known;
    const queue = new this.#engine.bullmq.Queue<Errand>(queueName(isCode), {
      connection: this.#redis,
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
      streams: { events: { maxLen: 100 } }, // nobody reads them
    });
    queue.on('error', () => {}); // the connection tries again
    this.#queues.set(isCode, queue);
    return queue;
  }
}
