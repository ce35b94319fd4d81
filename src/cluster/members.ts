/** The workers of a cluster, as they say themselves every few seconds. */
import type { Redis } from 'ioredis';
import { InputError } from '../program/input-error.ts';
import { listOf } from '../program/list-of.ts';
import { version } from '../version.ts';
import type { SearchStatus, Store } from './store.ts';

export interface Member {
  readonly id: string;
  readonly host: string;
  /** Of Heddle. */
  readonly version: string;
  readonly threads: number;
  /** Whether it runs programs that are code. */
  readonly runsCode: boolean;
}

export const HEARTBEAT_MS = 2000;
/** Who was not heard of for so long is gone. */
const GONE_MS = 10_000;

const MEMBERS = 'heddle:workers';
const SEEN = 'heddle:workers:seen';

export class Members {
  readonly #redis: Redis;
  readonly #store: Pick<Store, 'now' | 'searches'>;

  constructor(redis: Redis, store: Pick<Store, 'now' | 'searches'>) {
    this.#redis = redis;
    this.#store = store;
  }

  async isHere(member: Member): Promise<void> {
    const now = await this.#store.now();
    await this.#redis.multi().hset(MEMBERS, member.id, JSON.stringify(member)).zadd(SEEN, now, member.id).exec();
  }

  async leaves(id: string): Promise<void> {
    await this.#redis.multi().hdel(MEMBERS, id).zrem(SEEN, id).exec();
  }

  async all(): Promise<readonly Member[]> {
    const since = (await this.#store.now()) - GONE_MS;
    const gone = await this.#redis.zrangebyscore(SEEN, '-inf', `(${since}`);
    if (gone.length > 0)
      await this.#redis
        .multi()
        .hdel(MEMBERS, ...gone)
        .zrem(SEEN, ...gone)
        .exec();
    const texts = Object.values(await this.#redis.hgetall(MEMBERS));
    return texts.map((text) => JSON.parse(text) as Member);
  }

  /** A cluster is of one version at a time: else work would wait for workers that never take it. */
  async expectOneVersion(role: 'worker' | 'client'): Promise<void> {
    const others = (await this.all()).filter((member) => member.version !== version);
    if (others.length > 0) throw otherVersion(role, `the workers at ${listOf(hostsOf(others))} are`, others);
    if (role === 'client') return;
    const searches = (await this.#store.searches()).filter((each) => each.version !== version && isRunning(each));
    if (searches.length > 0) throw otherVersion(role, `the search ${searches[0]?.id} is`, searches);
  }
}

function isRunning({ state }: SearchStatus): boolean {
  return state === 'running';
}

function hostsOf(members: readonly Member[]): string[] {
  return [...new Set(members.map(({ host }) => host))];
}

function otherVersion(
  role: 'worker' | 'client',
  what: string,
  [other]: readonly { readonly version: string }[],
): InputError {
  const own = role === 'worker' ? 'this worker is' : 'this is';
  return new InputError(
    `${what} of Heddle ${other?.version}, and ${own} ${version}. One cluster has one version: install the same one everywhere, or use another database of the server (redis://HOST/1).`,
  );
}
