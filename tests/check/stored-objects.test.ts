/**
 * Objects in shared variables, where several threads have them from elsewhere (src/program/copies.ts): shapes that a way to remember
 * objects got wrong once, or would get wrong without one of its rules.
 */
import { describe, expect, test } from 'vitest';
import { checkSync } from '../../src/check/check.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
import { type Atomic, assert, atomic, awaitUntil, choose, mutex, program, spawn } from '../../src/typescript/api.ts';
import { underTest } from '../explore/kit/laws.ts';

const algorithms = ['trust', 'optimal', 'dfs'] as const;

test.each(algorithms)(
  'an object that another thread has stored cannot be changed, in any execution: %s',
  (algorithm) => {
    const changes = program(function* () {
      const o = { n: 0 };
      const x = atomic<{ n: number } | undefined>(undefined);
      const g = atomic(0);
      const storing = yield* spawn(function* stores() {
        yield* x.store(o);
      });
      yield* spawn(function* counts() {
        for (let i = 1; i <= 3; i++) yield* g.store(i);
      });
      const k = yield* g.load();
      const l = yield* g.load();
      yield* storing.join();
      if (k === 2 && l === 3) o.n = 1;
      yield* g.load();
    });
    const { errors } = checkSync(changes, { algorithm });
    expect(errors.map(({ kind }) => kind)).toEqual(['exception']);
    expect(errors[0]?.message).toMatch(/read only property 'n'/);
  },
);

test.each(algorithms)(
  'an object of the module is what a variable of the module holds first, and a thread stores it: %s',
  (algorithm) => {
    const own = Object.freeze({});
    const first = atomic<object>(own);
    const stores = program(function* () {
      const y = atomic<object | undefined>(undefined);
      if ((yield* choose(2)) === 0) yield* y.store(own);
      else yield* first.load();
    });
    const { verdict, executions } = checkSync(stores, { algorithm });
    expect([verdict, executions.complete]).toEqual(['ok', 2]);
  },
);

test.each(algorithms)('a function that updates may make an atomic: %s', (algorithm) => {
  interface Node {
    readonly v: number;
    readonly next: unknown;
  }
  const pushes = program(function* () {
    const x = atomic<Node | undefined>(undefined);
    function* push(v: number) {
      yield* x.update((old) => ({ v, next: atomic(old) }));
    }
    yield* spawn(push, 1);
    yield* spawn(push, 2);
  });
  const { verdict, executions } = checkSync(pushes, { algorithm });
  expect([verdict, executions.complete]).toEqual(['ok', algorithm === 'dfs' ? 3 : 2]); // the first may come before the second spawn
});

/** Threads that are run again: every execution has other values, and main has read them in the end. */
function* busy(g: Atomic<number>) {
  for (let i = 1; i <= 2; i++) yield* g.store(i);
}

interface Message {
  readonly kind: string;
}

/** Puts `stop`, which main has made, into x. */
type Sends = (x: Atomic<Message | undefined>, stop: Message) => ReturnType<Parameters<typeof spawn<[], unknown>>[0]>;

const sends: Record<string, Sends> = {
  'a thread stores': function* (x, stop) {
    yield* x.store(stop);
  },
  'a thread exchanges': function* (x, stop) {
    yield* x.exchange(stop);
  },
  'a thread compares and exchanges': function* (x, stop) {
    yield* x.compareExchange(undefined, stop);
  },
  'a thread updates': function* (x, stop) {
    yield* x.update(() => stop);
  },
  'a thread wraps': function* (x, stop) {
    const y = atomic<{ readonly inner: Message } | undefined>(undefined);
    yield* y.store({ inner: stop });
    yield* x.store((yield* y.load())?.inner);
  },
  'a thread that has spawned stores': function* (x, stop) {
    const child = yield* spawn(function* () {});
    yield* child.join();
    yield* x.store(stop);
  },
  'a thread that a thread has spawned stores': function* (x, stop) {
    yield* (yield* spawn(function* inner() {
      yield* x.store(stop);
    })).join();
  },
  'a thread that was joined returned': function* (x, stop) {
    const child = yield* spawn(function* () {
      return stop;
    });
    yield* x.store(yield* child.join());
  },
};

describe.each(algorithms)('an object that main has made is the same for all that have it: %s', (algorithm) => {
  test.each(Object.entries(sends))('%s it', (_, send) => {
    const told = program(function* () {
      const stop: Message = { kind: 'stop' };
      const x = atomic<Message | undefined>(undefined);
      const g = atomic(0);
      yield* spawn(busy, g);
      const sender = yield* spawn(send, x, stop);
      const receiver = yield* spawn(function* () {
        yield* g.load();
        const seen = yield* x.load();
        assert(seen === undefined || seen === stop, 'another object');
        return seen === stop;
      });
      yield* sender.join();
      const wasTold = yield* receiver.join();
      const last = yield* x.load();
      assert(last === stop, 'another object in the end');
      return wasTold;
    });
    expect(checkSync(told, { algorithm })).toMatchObject({ verdict: 'ok', errors: [] });
  });

  test('main stores it, before it spawns, between, or after', () => {
    const told = program(function* () {
      const stop: Message = { kind: 'stop' };
      const x = atomic<Message | undefined>(undefined);
      const g = atomic(0);
      const when = yield* choose(3);
      if (when === 0) yield* x.store(stop);
      yield* spawn(busy, g);
      function* receives() {
        yield* g.load();
        const seen = yield* x.load();
        assert(seen === undefined || seen === stop, 'another object');
      }
      const one = yield* spawn(receives);
      if (when === 1) yield* x.store(stop);
      yield* spawn(receives);
      if (when === 2) yield* x.store(stop);
      yield* g.load();
      yield* one.join();
      assert((yield* x.load()) === stop, 'another object in the end');
    });
    expect(checkSync(told, { algorithm })).toMatchObject({ verdict: 'ok', errors: [] });
  });
});

test.each(algorithms)('a list that threads build has one node for each, whichever run made it: %s', (algorithm) => {
  interface Node {
    readonly value: number;
    readonly next: Node | undefined;
  }
  const builds = program(function* () {
    const top = atomic<Node | undefined>(undefined);
    function* push(value: number) {
      const mine: Node = { value, next: yield* top.load() };
      const done = (yield* top.compareExchange(mine.next, mine)) === mine.next;
      const now = yield* top.load();
      if (done) assert(now === mine || now?.next === mine || now?.next?.next === mine, 'the own node is lost');
      assert(mine.next === undefined || mine.next.next !== mine);
      return done;
    }
    const handles = [];
    for (let i = 1; i <= 3; i++) handles.push(yield* spawn(push, i));
    let pushed = 0;
    for (const handle of handles) if (yield* handle.join()) pushed++;
    let length = 0;
    for (let node = yield* top.load(); node !== undefined; node = node.next) length++;
    assert(length === pushed);
  });
  const { verdict, executions } = checkSync(builds, { algorithm });
  expect([verdict, executions.redundant]).toEqual(['ok', 0]);
});

test.each(algorithms)('variables and locks may be parts of objects that threads make: %s', (algorithm) => {
  const queues = program(function* () {
    interface Cell {
      readonly lock: ReturnType<typeof mutex>;
      readonly value: Atomic<number>;
    }
    const cells = atomic<readonly Cell[]>([]);
    function* adds(value: number) {
      const cell = { lock: mutex(), value: atomic(value) };
      yield* cells.update((all) => [...all, cell]);
      const all = yield* cells.load();
      assert(all.includes(cell));
      for (const { lock, value } of all) {
        yield* lock.lock();
        yield* value.store((yield* value.load()) + 1);
        yield* lock.unlock();
      }
    }
    const one = yield* spawn(adds, 10);
    const other = yield* spawn(adds, 20);
    yield* one.join();
    yield* other.join();
    let sum = 0;
    for (const { value } of yield* cells.load()) sum += yield* value.load();
    assert(sum === 33 || sum === 34, `sum ${sum}`); // who comes first may not see the other's
  });
  expect(checkSync(queues, { algorithm })).toMatchObject({ verdict: 'ok', errors: [] });
});

const ofModule = atomic(0);
const alsoOfModule = atomic(0);

/** By name: a program and how many executions it has, of which how many with an error. */
const shapes: Record<
  string,
  { readonly body: Parameters<typeof program>[1]; readonly executions: number; readonly errors?: number }
> = {
  'a variable that two threads have by a closure, and one stores': {
    *body() {
      const x = atomic(0);
      const y = atomic<unknown>(undefined);
      const g = atomic(0);
      yield* spawn(function* () {
        yield* g.store(1);
      });
      yield* spawn(function* () {
        yield* y.store(x);
      });
      yield* g.load();
      yield* spawn(function* () {
        yield* awaitUntil(y, (v) => v === x);
      });
    },
    executions: 2,
  },
  'a variable of the module as what another holds first': {
    *body() {
      const g = atomic(0);
      yield* spawn(function* () {
        yield* g.load();
        atomic<unknown>(ofModule);
        const own = atomic(7);
        assert((yield* own.load()) === 7);
      });
      yield* spawn(function* () {
        yield* g.store(1);
      });
    },
    executions: 2,
  },
  'a variable of the module in an object that a function makes': {
    *body() {
      const g = atomic<unknown>(0);
      yield* spawn(function* () {
        yield* g.update(() => ({ alsoOfModule }));
        const own = atomic(7);
        assert((yield* own.load()) === 7);
      });
      yield* spawn(function* () {
        yield* g.store(1);
      });
    },
    executions: 2,
  },
  'variables of the module in what a variable of main holds first': {
    *body() {
      const g = atomic(0);
      atomic<unknown>({ ofModule, alsoOfModule });
      const own = atomic(7);
      yield* spawn(function* () {
        yield* g.store(1);
      });
      yield* g.load();
      assert((yield* own.load()) === 7);
    },
    executions: 2,
  },
  'an object that a function gives in some executions alone': {
    *body() {
      const x = atomic<unknown>(0);
      yield* spawn(function* () {
        const mine = {};
        yield* x.update((old) => (old === 1 ? mine : old));
        yield* awaitUntil(x, (v) => v === mine || v === 0 || v === 1);
      });
      yield* spawn(function* () {
        yield* x.store(1);
      });
    },
    executions: 3,
  },
  'an object that was written cannot be changed': {
    *body() {
      const x = atomic<unknown>(0);
      yield* spawn(function* () {
        const mine = { n: 0 };
        const old = yield* x.update((v) => (v === 1 ? mine : v));
        if (old === 1) mine.n = 1;
        yield* x.load();
      });
      yield* spawn(function* () {
        yield* x.store(1);
      });
    },
    executions: 3,
    errors: 1,
  },
  'an object that was not written can be changed': {
    *body() {
      const x = atomic<unknown>(0);
      yield* spawn(function* () {
        const mine = { n: 0 };
        const old = yield* x.update((v) => (v === 1 ? mine : v));
        if (old !== 1) mine.n = 1;
        yield* x.load();
      });
      yield* spawn(function* () {
        yield* x.store(1);
      });
    },
    executions: 3,
  },
  'an array without prototype': {
    *body() {
      const x = atomic<unknown>(undefined);
      yield* spawn(function* () {
        const list = [1];
        Object.setPrototypeOf(list, null);
        yield* x.store(list);
      });
      yield* spawn(function* () {
        const v = yield* x.load();
        assert(v === undefined || !('map' in (v as object)));
      });
    },
    executions: 2,
  },
  'a thread whose end has an object from elsewhere': {
    *body() {
      const c = {};
      const f = atomic(0);
      const y = atomic<unknown>(undefined);
      const z = atomic<unknown>(undefined);
      yield* spawn(function* () {
        const o = {};
        yield* y.store(o);
        yield* z.store(o);
        const k = yield* f.load();
        yield* spawn(function* () {
          return k === 1 ? c : 0;
        });
      });
      yield* spawn(function* () {
        const m = yield* y.load();
        if (m === undefined) return;
        yield* f.store(1);
        yield* awaitUntil(z, (v) => v === m);
      });
    },
    executions: 3,
  },
  'an object from elsewhere that is met while a thread is run again': {
    *body() {
      const x = atomic<unknown>(undefined);
      const y = atomic<unknown>(undefined);
      const g = atomic(0);
      yield* spawn(function* () {
        interface Ring {
          next: Ring;
        }
        const mine = {} as Ring;
        mine.next = mine;
        yield* y.store(mine);
        yield* x.update((old) => ({ next: atomic(old) }));
        const m = (yield* y.load()) as Ring;
        let rounds = 0;
        for (let n = m.next; n !== mine; n = n.next) assert(++rounds < 1000);
        yield* g.load();
      });
      yield* spawn(function* () {
        yield* g.store(1);
      });
    },
    executions: 2,
  },
  'a condition that looks at a variable of its thread, which changes': {
    *body() {
      const x = atomic(0);
      yield* spawn(function* () {
        let head = 0;
        for (let i = 0; i < 2; i++) {
          yield* awaitUntil(x, (v) => v !== head);
          head = yield* x.load();
        }
      });
      yield* spawn(function* () {
        for (let i = 1; i <= 3; i++) yield* x.store(i);
      });
    },
    executions: 8,
    errors: 3,
  },
  'the same with objects': {
    *body() {
      const x = atomic<object | undefined>(undefined);
      yield* spawn(function* () {
        let head: object | undefined;
        for (let i = 0; i < 2; i++) {
          yield* awaitUntil(x, (v) => v !== head);
          head = yield* x.load();
        }
      });
      yield* spawn(function* () {
        for (let i = 1; i <= 3; i++) yield* x.store({ i });
      });
    },
    executions: 8,
    errors: 3,
  },
};

describe.each(['trust', 'optimal', 'source', 'dpor'])(
  'all executions are found, and none that is not: %s',
  (algorithm) => {
    test.each(Object.entries(shapes))('%s', (_, { body, executions, errors = 0 }) => {
      const { executions: counts } = checkSync(program(body as never), { algorithm, keepGoing: true });
      const { complete, blocked, erroneous } = counts;
      expect([complete + blocked + erroneous, erroneous]).toEqual([executions, errors]);
    });
  },
);

/** From its `first` run on, a thread stores an object that is there before. */
function storesFrom(first: number) {
  const constant = Object.freeze({});
  let runs = 0;
  return program(function* () {
    const x = atomic<object | undefined>(undefined);
    const y = atomic(0);
    yield* spawn(function* () {
      yield* x.store(++runs < first ? {} : constant);
      yield* y.load();
    });
    for (let i = 1; i <= 2; i++) {
      yield* spawn(function* () {
        yield* y.store(i);
        yield* x.load();
      });
    }
  });
}

test.each(algorithms)(
  'an object turns out to be from elsewhere while all threads are run again, as states are forgotten: %s',
  (algorithm) => {
    const expected = checkSync(storesFrom(0), { algorithm }).executions.complete;
    const options = { keepGoing: true, races: true, livelock: true, checkLeaks: false, ifaa: false };
    for (let first = 15; first < 90; first++) {
      const behaviours = new Behaviours(storesFrom(first));
      const making = { ...options, equivalence: 'co' as const, maxExecutions: 1_000_000 };
      const explorer = underTest(algorithm).make(behaviours, 'sc', making);
      do behaviours.forgetSoon();
      while (!explorer.run(5));
      expect(explorer.counts.complete, `from run ${first} on`).toBe(expected);
    }
  },
);

test('copies that nobody needs any more are forgotten', () => {
  const lists = program(function* () {
    const top = atomic<object | undefined>(undefined);
    for (let i = 0; i < 6; i++) {
      yield* spawn(function* () {
        for (let k = 0; k < 3; k++) yield* top.update((next) => ({ i, k, next }));
      });
    }
  });
  const behaviours = new Behaviours(lists);
  const options = { keepGoing: true, races: true, livelock: true, checkLeaks: false, ifaa: false };
  const making = { ...options, equivalence: 'co' as const, maxExecutions: 14_000 };
  const explorer = underTest('trust').make(behaviours, 'sc', making);
  let most = 0;
  while (!explorer.run(500)) most = Math.max(most, behaviours.values.copyCount);
  expect(explorer.counts.complete).toBe(14_000);
  expect(most).toBeGreaterThan(250_000);
  expect(most).toBeLessThan(400_000);
});
