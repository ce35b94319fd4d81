/** Many parts go through the real queue, two workers of several threads each; nothing is kept of those that are explored. */
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noPart } from '../../src/check/sharing/part.ts';
import { loadEngine } from '../../src/cluster/engine.ts';
import type { Bench, Task } from '../../src/cluster/explore-errand.ts';
import { nameOfFirst } from '../../src/cluster/item.ts';
import { Members } from '../../src/cluster/members.ts';
import { Errands } from '../../src/cluster/queue.ts';
import { Store } from '../../src/cluster/store.ts';
import { Work } from '../../src/cluster/work.ts';
import { version } from '../../src/version.ts';
import { byTier } from '../tier.ts';
import { describeWithServer, Server } from './server.ts';

/** Each part of a tree has ten others, so many times. */
const depth = byTier({ normal: 3, long: 5 });
const parts = Number('1'.repeat(depth + 1));

/** Explores one node of the tree; what comes of it is left, with all others. */
class NodeBench implements Bench {
  async explore({ item: { items } }: Task) {
    const [first, ...others] = items;
    const share = first?.share ?? 0;
    const isLeaf = share < 1.5 * 10 ** -depth;
    const children =
      first === undefined || isLeaf ? [] : Array.from({ length: 10 }, () => ({ ...first, share: share / 10 }));
    const part = { ...noPart, counts: { ...noPart.counts, complete: 1 } };
    const left = { items: [...children, ...others], hasErrors: false };
    return { kind: 'explored' as const, part, left, knowledge: undefined, deepest: 0, isOver: false };
  }

  async learn() {
    return { learned: 'known' as const, knowledge: undefined };
  }
}

describeWithServer('many parts', () => {
  let server: Server;
  const connections: Redis[] = [];
  beforeAll(async () => {
    server = await Server.start();
  });
  afterAll(async () => {
    for (const each of connections) each.disconnect();
    await server.remove();
  });

  function connect(): Redis {
    const redis = server.connect();
    connections.push(redis);
    return redis;
  }

  test(`${parts} parts`, async () => {
    const engine = await loadEngine();
    const redis = connect();
    const store = new Store(redis);
    const id = await store.submit({ name: 'tree', source: '{}', isCode: false, options: {} });
    await new Errands(engine, redis).publish(false, [{ search: id, generation: 1, item: nameOfFirst(1) }]);
    const workers = ['one', 'other'].map((name) => {
      const own = connect();
      const benches = Array.from({ length: 8 }, () => new NodeBench());
      const member = { id: name, host: name, version, threads: 8, runsCode: false };
      const options = { member, benches, leaseMs: 30_000, mostMs: 0 };
      return new Work(engine, own, new Store(own), new Members(own, new Store(own)), options);
    });
    await Promise.all(workers.map((each) => each.start()));
    let mostOpen = 0;
    for (;;) {
      const status = await store.status(id);
      mostOpen = Math.max(mostOpen, status?.open ?? 0);
      if (status?.state !== 'running') break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await Promise.all(workers.map((each) => each.stop()));
    expect(await store.status(id)).toMatchObject({
      state: 'done',
      recorded: parts,
      counts: { complete: parts },
      open: 0,
    });
    expect(mostOpen).toBeLessThan(300);
    expect(await redis.dbsize()).toBeLessThan(20);
  });
});
