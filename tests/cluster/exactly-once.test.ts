/**
 * Whatever becomes of workers, every part of a search is counted once. The server is a real one; the queue is one of the worst kind:
 * parts come in any order, to several workers at once, again after they were explored; workers are lost before and after each
 * thing that they tell the server, or are slow; and the server forgets what happened last, as one may that was not ended in peace.
 */
import { fileURLToPath } from 'node:url';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compileC } from '../../src/c/compile/compile.ts';
import { makeExplorer } from '../../src/check/make-explorer.ts';
import { type CheckOptions, resolveOptions } from '../../src/check/options.ts';
import type { Pace } from '../../src/check/pace.ts';
import { noPart, type Part, partOf } from '../../src/check/sharing/part.ts';
import { startingOver } from '../../src/check/starting-over.ts';
import { type Bench, exploreErrand, type Task } from '../../src/cluster/explore-errand.ts';
import { exploreItem, type Outcome } from '../../src/cluster/explore-item.ts';
import { firstItem, nameOfFirst } from '../../src/cluster/item.ts';
import type { Errand } from '../../src/cluster/queue.ts';
import { Store } from '../../src/cluster/store.ts';
import { nothingExplored, type WorkItem } from '../../src/program/execution.ts';
import type { Learned } from '../../src/program/knowledge.ts';
import type { Program } from '../../src/program/operation.ts';
import { programOf as programInIr } from '../explore/kit/continued.ts';
import { kinds } from '../explore/kit/kinds.ts';
import { Random } from '../random/prng.ts';
import { byTier } from '../tier.ts';
import { describeWithServer, Server } from './server.ts';

const count = byTier({ normal: 6, long: 60 });
/** Larger programs are left out. */
const MOST_STEPS = 1000;

/** The worker is lost here. */
class Lost extends Error {}

/** In this process, and cut as soon as there is something to count. */
class SmallBench implements Bench {
  readonly #newProgram: () => Program;
  readonly #programs = new Map<number, Program>();
  readonly #pace: Pick<Pace, 'run'>;
  readonly #isSlow: Promise<void> | undefined;
  #current: Program | undefined;

  /** `isSlow`: until then it does not say what it has found. */
  constructor(newProgram: () => Program, random: Random, isSlow?: Promise<void>) {
    this.#newProgram = newProgram;
    this.#pace = { run: (slice) => slice(random.between(1, 40)) };
    this.#isSlow = isSlow;
  }

  async explore({ generation, item, knowledge, options }: Task) {
    const outcome = this.#explored(generation, item, knowledge, options);
    await this.#isSlow;
    return outcome;
  }

  #explored(generation: number, item: Task['item'], knowledge: Task['knowledge'], options: CheckOptions): Outcome {
    const program = this.#programs.get(generation) ?? this.#newProgram();
    if (!this.#programs.has(generation)) program.learn?.(knowledge);
    this.#programs.set(generation, program);
    this.#current = program;
    const resolved = resolveOptions(options, program.language);
    return plain(exploreItem(program, resolved, item, knowledge, 0, {}, { pace: this.#pace }));
  }

  async learn(knowledge: Parameters<Bench['learn']>[0]) {
    const learned = this.#current?.learn?.(knowledge) ?? 'known';
    return { learned, knowledge: this.#current?.knowledge?.('search') };
  }
}

function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Everything that it is asked may be the last, before it has happened or after. */
function flaky<T extends object>(target: T, random: Random): T {
  return new Proxy(target, {
    get:
      (object, key) =>
      async (...args: unknown[]) => {
        if (random.between(0, 12) === 0) throw new Lost();
        const method = (object as Record<string | symbol, unknown>)[key] as (...args: unknown[]) => Promise<unknown>;
        const result = await method.apply(object, args);
        if (random.between(0, 12) === 0) throw new Lost();
        return result;
      },
  });
}

interface Found {
  readonly part: Part;
  readonly generations: number;
  readonly recorded: number;
  readonly lost: number;
  readonly forgotten: number;
}

/** Of what it has not written to its file, it knows nothing when it is started again. */
class ForgetfulServer {
  forgotten = 0;
  readonly #redis: Redis;
  readonly #id: string;
  #written: (readonly [string, Buffer])[] = [];

  constructor(redis: Redis, id: string) {
    this.#redis = redis;
    this.#id = id;
  }

  async write(): Promise<void> {
    const keys = await this.#redis.keys(`heddle:search:${this.#id}*`);
    const texts = await Promise.all(keys.map((key) => this.#redis.dumpBuffer(key)));
    this.#written = keys.map((key, i) => [key, texts[i] as Buffer] as const);
  }

  /** A few times; else the search would have no end. */
  async forget(): Promise<void> {
    if (this.#written.length === 0 || this.forgotten >= 4) return;
    this.forgotten++;
    const change = this.#redis.multi().del(...(await this.#redis.keys(`heddle:search:${this.#id}*`)));
    for (const [key, text] of this.#written) change.restore(key, 0, text);
    await change.exec();
  }
}

interface Slow {
  goOn(): Promise<void>;
}

function slowly(deliver: (bench: Bench) => Promise<void>, newProgram: () => Program, random: Random): Slow {
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const done = deliver(new SmallBench(newProgram, random, gate));
  return {
    goOn: () => {
      release();
      return done;
    },
  };
}

async function onCluster(redis: Redis, options: CheckOptions, newProgram: () => Program, seed: number): Promise<Found> {
  const random = new Random(seed);
  const store = new Store(redis);
  const queue = new Map<string, Errand>();
  const publish = async (_isCode: boolean, errands: readonly Errand[]): Promise<void> => {
    for (const each of errands) queue.set(`${each.generation} ${each.item}`, each);
  };
  const errands = { publish, waiting: async () => random.between(0, 4) };
  const id = await store.submit({ name: 'random', source: '{}', isCode: false, options });
  await publish(false, [{ search: id, generation: 1, item: nameOfFirst(1) }]);
  const benches = [0, 1, 2].map(() => new SmallBench(newProgram, random));
  let lost = 0;
  const server = new ForgetfulServer(redis, id);
  const slow: Slow[] = [];
  const deliver = async (key: string, errand: Errand, bench: Bench): Promise<void> => {
    const circumstances = {
      ...{ store: flaky(store, random), errands: flaky(errands, random), isCode: false },
      ...{ threads: () => 2, mostMs: 0 },
    };
    try {
      await exploreErrand(errand, bench, circumstances);
      if (random.between(0, 5) > 0) queue.delete(key); // or its lease was over
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      lost++;
    }
  };
  for (let i = 0; i < 100_000; i++) {
    if (random.between(0, 8) === 0) await slow.shift()?.goOn();
    const status = await store.status(id);
    if (status?.failure !== undefined) throw new Error(status.failure.message);
    if (status?.state === 'done') {
      const { generation: generations, recorded } = status;
      for (const each of slow) await each.goOn();
      return { part: (await store.outcome(id)).part, generations, recorded, lost, forgotten: server.forgotten };
    }
    if (queue.size === 0 || random.between(0, 30) === 0) {
      // as workers do now and then
      const open = await store.openItems(id);
      await publish(
        false,
        open.map((item) => ({ search: id, generation: status?.generation ?? 0, item })),
      );
    }
    if (random.between(0, 10) === 0) await server.write();
    if (random.between(0, 20) === 0) await server.forget();
    const keys = [...queue.keys()];
    if (random.between(0, 6) === 0) {
      const key = random.pick(keys);
      slow.push(slowly((bench) => deliver(key, queue.get(key) as Errand, bench), newProgram, random));
    }
    const chosen = benches.filter((_, worker) => worker === 0 || random.pick([true, false]));
    const tasks = chosen.map((bench) => [random.pick(keys), bench] as const);
    await Promise.all(tasks.map(([key, bench]) => deliver(key, queue.get(key) as Errand, bench)));
  }
  throw new Error('the search does not end');
}

/** In one piece; undefined: it is too large. */
function alone(options: CheckOptions, program: Program): Part | undefined {
  return startingOver(() => {
    const explorer = makeExplorer(program, resolveOptions(options, program.language));
    for (let i = 0; i < MOST_STEPS && !explorer.run(20); i++);
    return explorer.isExhausted ? partOf(explorer, program) : undefined;
  });
}

/** What is to be the same. */
function outcome({ counts, cut, findings, warnings, status, refused, isIdle }: Part): unknown {
  return {
    counts: { ...counts, boundBlocked: undefined }, // see `CheckResult.wasCut`
    ...{ cut, status, refused, isIdle },
    errors: [...new Set(findings.map(({ kind, message }) => `${kind} ${message}`))].sort(),
    warnings: warnings.map((each) => JSON.stringify(each)).sort(),
  };
}

const ways: readonly CheckOptions[] = [
  { algorithm: 'trust', model: 'sc' },
  { algorithm: 'trust', model: 'rc11', equivalence: 'rf' },
  { algorithm: 'trust', model: 'tso' },
  { algorithm: 'buster', model: 'sc', bound: 1 },
  { algorithm: 'dfs', model: 'sc' },
];

const cWays: readonly CheckOptions[] = [{ model: 'sc' }, { model: 'rc11' }, { model: 'sc', algorithm: 'dfs' }];

describeWithServer('a search whose workers are lost at any time', () => {
  let server: Server;
  let redis: Redis;
  beforeAll(async () => {
    server = await Server.start();
    redis = server.connect();
  });
  afterAll(async () => {
    redis.disconnect();
    await server.remove();
  });

  test('random programs', async () => {
    let all = { recorded: 0, lost: 0, forgotten: 0 };
    for (const kind of ['random programs', 'programs that free objects', 'programs that wait'] as const) {
      const { make, program: programOf, seed: first } = kinds[kind];
      for (let seed = first + 600_000, left = count; left > 0; seed++) {
        const ast = make(seed);
        const options = { ...new Random(seed).pick(ways), keepGoing: true, checkLeaks: true };
        const expected = alone(options, programOf(ast, seed));
        if (expected === undefined || expected.counts.complete < 4) continue;
        left--;
        const { part, ...what } = await onCluster(redis, options, () => programOf(ast, seed), seed);
        expect(outcome(part), `${kind} ${seed}, ${JSON.stringify(options)}`).toEqual(outcome(expected));
        const { recorded, lost, forgotten } = what;
        all = { recorded: all.recorded + recorded, lost: all.lost + lost, forgotten: all.forgotten + forgotten };
      }
    }
    expect(all.recorded).toBeGreaterThan(6 * count);
    expect(all.lost).toBeGreaterThan(3 * count);
    expect(all.forgotten).toBeGreaterThan(count);
  });

  test('C programs that learn about themselves start over together', async () => {
    const folder = fileURLToPath(new URL('../fixtures', import.meta.url));
    const files = ['saved/stack.c', 'saved/halves.c', 'saved/realloc.c', 'heap-order.c'];
    const { modules } = await compileC(files, { cwd: folder });
    let restarts = 0;
    for (const [i, { text: ir }] of modules.entries()) {
      const newProgram = (): Program => programInIr({ kind: 'c', file: files[i] as string, ir });
      for (const options of byTier({ normal: cWays.slice(0, 1), long: cWays })) {
        const expected = alone({ ...options, keepGoing: true }, newProgram());
        if (expected === undefined) continue;
        const found = await onCluster(redis, { ...options, keepGoing: true }, newProgram, i);
        expect(outcome(found.part), `${files[i]} ${JSON.stringify(options)}`).toEqual(outcome(expected));
        restarts += found.generations - 1;
      }
    }
    expect(restarts).toBeGreaterThan(0);
  });

  /** Each of two workers explores a half, and learns something meanwhile. */
  async function learnApart(second: Learned): Promise<{ id: string; store: Store; errands: Errand[] }> {
    const store = new Store(redis);
    const id = await store.submit({ name: 'halves', source: '{}', isCode: false, options: {} });
    const errands: Errand[] = [];
    const circumstances = {
      ...{ store, isCode: false, threads: () => 2, mostMs: 0 },
      errands: {
        publish: async (_: boolean, all: readonly Errand[]) => void errands.push(...all),
        waiting: async () => 0,
      },
    };
    const bench = (
      knowledge: readonly string[],
      left: readonly WorkItem[],
      learned: Learned,
      until?: Promise<void>,
    ): Bench => ({
      explore: async () => {
        await until;
        const part = { ...noPart, counts: { ...noPart.counts, complete: 1 } };
        return {
          kind: 'explored',
          part,
          left: { items: left, hasErrors: false },
          knowledge: [...knowledge],
          deepest: 0,
          isOver: false,
        };
      },
      learn: async (known) => ({ learned, knowledge: [...new Set([...(known as string[]), ...knowledge])] }),
    });
    const first = { search: id, generation: 1, item: nameOfFirst(1) };
    await exploreErrand(first, bench([], [nothingExplored, nothingExplored], 'known'), circumstances);
    const [one, other] = errands.splice(0) as [Errand, Errand];
    let goOn = (): void => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const late = exploreErrand(other, bench(['b'], [], second, gate), circumstances);
    await exploreErrand(one, bench(['a'], [], 'new'), circumstances);
    goOn();
    await late;
    return { id, store, errands };
  }

  test('what two workers have learned is put together', async () => {
    const { id, store } = await learnApart('new');
    expect(await store.status(id)).toMatchObject({ state: 'done', generation: 1, counts: { complete: 3 } });
    expect((await store.outcome(id)).knowledge).toEqual(['a', 'b']);
  });

  test('if it does not fit together, though neither has noticed, all starts over', async () => {
    const { id, store, errands } = await learnApart('void');
    expect(await store.status(id)).toMatchObject({ state: 'running', generation: 2, counts: { complete: 0 }, open: 1 });
    expect((await store.outcome(id)).knowledge).toEqual(['a', 'b']);
    expect(errands).toEqual([{ search: id, generation: 2, item: nameOfFirst(2) }]);
  });

  test('what was cut from a part in a past that the server has forgotten is not taken for what is cut from it now', async () => {
    const store = new Store(redis);
    const id = await store.submit({ name: 'past', source: '{}', isCode: false, options: {} });
    const server = new ForgetfulServer(redis, id);
    await server.write();
    const explored = (complete: number, left: readonly WorkItem[]) => ({
      ...{ part: { ...noPart, counts: { ...noPart.counts, complete } }, share: 1, deepest: 0, isOver: false },
      children: left.map((each) => ({ items: [each], hasErrors: false, level: 1 })),
    });
    const nothing = { knowledge: undefined, token: 'nothing' };
    const first = nameOfFirst(1);
    const half = { ...nothingExplored, share: 0.5 };
    const most = { ...nothingExplored, share: 0.9 };
    // it was cut in the middle, and both halves were taken
    await store.record(id, 1, first, explored(5, [half, half]), nothing);
    const before = await store.openItems(id);
    await server.forget();
    // it is cut early, and most of it is left
    await store.record(id, 1, first, explored(1, [most]), nothing);
    for (const name of before)
      expect(await store.record(id, 1, name, explored(3, []), nothing)).toEqual({ kind: 'known', children: [] });
    const [now] = await store.openItems(id);
    await store.record(id, 1, now as string, explored(10, []), nothing);
    expect(await store.status(id)).toMatchObject({ state: 'done', counts: { complete: 11 } });
  });

  test('who knows what the server has forgotten has to tell it', async () => {
    const store = new Store(redis);
    const id = await store.submit({ name: 'past', source: '{}', isCode: false, options: {} });
    const server = new ForgetfulServer(redis, id);
    const part = { part: noPart, share: 1, children: [], deepest: 0, isOver: false };
    await server.write();
    await store.record(
      id,
      1,
      nameOfFirst(1),
      { ...part, children: [firstItem] },
      { knowledge: ['a'], token: 'nothing' },
    );
    const [child] = await store.openItems(id);
    const taken = await store.take(id, 1, child as string);
    if (taken.kind !== 'open') throw new Error('it is not open');
    expect(taken.knowledge).toEqual(['a']);
    await server.forget();
    // the same part is open again, and was explored with the knowledge of then
    const nothingNew = { knowledge: undefined, token: taken.token };
    const answer = await store.record(id, 1, nameOfFirst(1), part, nothingNew);
    expect(answer).toEqual({ kind: 'knowledge', knowledge: undefined, token: 'nothing' });
    await store.record(id, 1, nameOfFirst(1), part, { knowledge: ['a'], token: 'nothing' });
    expect((await store.outcome(id)).knowledge).toEqual(['a']);
  });
});
