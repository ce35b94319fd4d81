/** A cluster, as clients and workers reach it. */
import type { Redis } from 'ioredis';
import { addressFrom, type ClusterAddress } from './address.ts';
import { connect, type Engine, loadEngine } from './engine.ts';
import { Members } from './members.ts';
import { Errands } from './queue.ts';
import { Store } from './store.ts';

export interface Cluster {
  readonly engine: Engine;
  readonly address: ClusterAddress;
  readonly redis: Redis;
  readonly store: Store;
  readonly members: Members;
  readonly errands: Errands;
}

/** An `InputError` says why it cannot be reached. */
export async function openCluster(
  address: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Cluster> {
  const where = addressFrom(address, env);
  const engine = await loadEngine();
  const redis = await connect(engine, where);
  const store = new Store(redis);
  return {
    engine,
    address: where,
    redis,
    store,
    members: new Members(redis, store),
    errands: new Errands(engine, redis),
  };
}
