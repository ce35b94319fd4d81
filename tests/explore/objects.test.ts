/** Objects as values that are followed from run to run: all is found as if all threads ran together, each time. */
import { describe, expect, test } from 'vitest';
import { treiber } from '../../bench/programs.ts';
import { checkSync } from '../../src/check/check.ts';
import { type AlgorithmName, algorithms } from '../../src/explore/registry.ts';
import { type ModelName, models } from '../../src/models/registry.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
import type { Program } from '../../src/program/operation.ts';
import {
  assert,
  atomic,
  awaitUntil,
  choose,
  mutex,
  program,
  spawn,
  type ThreadHandle,
} from '../../src/typescript/api.ts';
import { options } from './kit/bounded.ts';
import { claims } from './kit/laws.ts';

const names = (Object.keys(algorithms) as AlgorithmName[]).filter((name) => claims[name].takesObjects);

interface Searching {
  readonly follows: boolean;
  readonly maxStates?: number;
  readonly model?: ModelName;
  readonly equivalence?: 'co' | 'rf';
}

function search(
  tested: Program,
  name: AlgorithmName,
  { follows, maxStates = 1_000_000, model = 'sc', equivalence = 'co' }: Searching,
) {
  const behaviours = new Behaviours(tested, { maxStates });
  behaviours.followsObjects = follows;
  const all = { ...options, maxExecutions: 40_000, equivalence, ifaa: false };
  const explorer = algorithms[name].make(behaviours, model, {
    ...all,
    ...(name === 'dfs' ? { maxExecutions: 3000 } : {}),
  } as never);
  while (!explorer.run(1000));
  const errors = explorer.findings.map(({ kind, message }) => `${kind}: ${message}`).sort();
  return { counts: explorer.counts, errors: [...new Set(errors)], behaviours };
}

type Body = Parameters<typeof program>[1];

interface Node {
  readonly value: number;
  readonly next: ReturnType<typeof atomic<Node | undefined>>;
}

/** Module state that does not change is the same in every run. */
const outside = Object.freeze({ name: 'outside' });
const other = Object.freeze({ name: 'outside' });
const nested = Object.freeze({ inner: Object.freeze({}) });

class Cell {
  next: Cell | undefined;
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** By what they are about: a program, and whether its objects are followed to the end. */
const programs: Readonly<Record<string, readonly [boolean, Body]>> = {
  'a queue whose nodes hold atomics': [
    true,
    function* () {
      const dummy: Node = { value: 0, next: atomic<Node | undefined>(undefined) };
      const head = atomic(dummy);
      const tail = atomic(dummy);
      function* enqueue(value: number) {
        const node: Node = { value, next: atomic<Node | undefined>(undefined) };
        for (;;) {
          const last = yield* tail.load();
          const next = yield* last.next.load();
          if (next !== undefined) yield* tail.compareExchange(last, next);
          else if ((yield* last.next.compareExchange(undefined, node)) === undefined) {
            yield* tail.compareExchange(last, node);
            return;
          }
        }
      }
      function* dequeue() {
        for (;;) {
          const first = yield* head.load();
          const next = yield* first.next.load();
          if (next === undefined) return 0;
          if ((yield* head.compareExchange(first, next)) === first) return next.value;
        }
      }
      yield* spawn(enqueue, 1);
      yield* spawn(enqueue, 2);
      const popper = yield* spawn(dequeue);
      const one = yield* dequeue();
      const two = yield* popper.join();
      assert(one !== 1 || two !== 2, 'one way round');
      assert(one === 0 || one !== two, 'never');
    },
  ],
  'two objects that only identity tells apart, which a thread has from main': [
    false,
    function* () {
      const a = {};
      const b = {};
      const x = atomic<object | undefined>(undefined);
      yield* spawn(function* () {
        yield* x.store((yield* choose(2)) === 0 ? a : b);
      });
      yield* spawn(function* () {
        yield* x.store((yield* choose(2)) === 0 ? a : b);
      });
      const first = yield* x.load();
      const second = yield* x.load();
      assert(first === undefined || first === second || first !== a, 'first a, then b');
      assert(first === undefined || first === second || first !== b, 'first b, then a');
    },
  ],
  'two objects that only identity tells apart, one of which is stored by one thread': [
    true,
    function* () {
      const a = {};
      const b = {};
      const x = atomic<object | undefined>(undefined);
      yield* spawn(function* () {
        yield* x.store((yield* choose(2)) === 0 ? a : b);
      });
      const seen = yield* x.load();
      assert(seen !== a, 'a');
      assert(seen !== b, 'b');
    },
  ],
  'an object that main and a thread store': [
    false,
    function* () {
      const a = {};
      const [x, y] = [atomic<object | undefined>(undefined), atomic<object | undefined>(undefined)];
      yield* spawn(function* () {
        yield* x.store(a);
      });
      yield* spawn(function* () {
        const one = yield* y.load();
        const two = yield* x.load();
        assert(one !== two || one === undefined, 'both');
      });
      yield* y.store(a);
      const found = yield* x.compareExchange(a, undefined);
      assert(found !== a, 'found');
    },
  ],
  'an object that main has shown before': [
    true,
    function* () {
      const a = {};
      const x = atomic<object>(a);
      yield* spawn(function* () {
        yield* x.store({});
        yield* x.store(a);
      });
      const found = yield* x.compareExchange(a, {});
      assert(found === a, 'another');
      yield* x.store(found);
      assert((yield* x.load()) === a, 'another again');
    },
  ],
  'own objects that come back, by themselves and in others': [
    true,
    function* () {
      const x = atomic<object | undefined>(undefined);
      const y = atomic<{ readonly inner: object | undefined } | undefined>(undefined);
      yield* spawn(function* () {
        const mine = {};
        yield* x.store(mine);
        const seen = yield* x.load();
        const wrapped = yield* y.load();
        assert(seen === mine || wrapped?.inner !== mine, 'in another, and overwritten');
        assert(wrapped === undefined || wrapped.inner === undefined || wrapped.inner === mine, 'of main');
      });
      yield* spawn(function* () {
        yield* y.store({ inner: yield* x.load() });
      });
      const seen = yield* x.load();
      yield* x.store({});
      const wrapped = yield* y.load();
      assert(seen === undefined || wrapped?.inner !== seen, 'the same twice');
    },
  ],
  'objects that threads return': [
    true,
    function* () {
      const x = atomic<object | undefined>(undefined);
      function* worker() {
        const mine = { list: [1, { deep: true }] };
        const before = yield* x.exchange(mine);
        return [before, mine] as const;
      }
      const threads: ThreadHandle<readonly [object | undefined, object]>[] = [];
      for (let i = 0; i < 3; i++) threads.push(yield* spawn(worker));
      const [[, a], [b, c], [d]] = [
        yield* (threads[0] as (typeof threads)[0]).join(),
        yield* (threads[1] as (typeof threads)[0]).join(),
        yield* (threads[2] as (typeof threads)[0]).join(),
      ];
      assert(b !== a || d !== c, 'in turn');
      assert(a !== c, 'never');
    },
  ],
  'objects that wait for each other': [
    true,
    function* () {
      const lock = mutex();
      const x = atomic<{ readonly n: number; readonly lock: typeof lock }>({ n: 0, lock });
      const worker = (n: number) =>
        function* () {
          const seen = yield* awaitUntil(x, (value) => value.n >= n);
          yield* seen.lock.lock();
          const { n: now } = yield* x.load();
          yield* x.store({ n: now + 1, lock: seen.lock });
          yield* lock.unlock();
        };
      yield* spawn(worker(0));
      yield* spawn(worker(1));
      yield* spawn(worker(1));
      const { n } = yield* x.load();
      assert(n !== 3, 'three');
    },
  ],
  'objects of the module': [
    false,
    function* () {
      const x = atomic<object | undefined>(undefined);
      function* worker() {
        yield* x.store((yield* choose(2)) === 0 ? outside : other);
      }
      yield* spawn(worker);
      yield* spawn(worker);
      const [one, two] = [yield* x.load(), yield* x.load()];
      assert(one !== outside || two !== other, 'both');
    },
  ],
  'an object of the module that one thread stores, and what is in it': [
    true,
    function* () {
      const [x, y] = [atomic<typeof nested | undefined>(undefined), atomic<object | undefined>(undefined)];
      yield* spawn(function* () {
        yield* x.store(nested);
      });
      yield* spawn(function* () {
        yield* y.store((yield* x.load())?.inner);
      });
      const seen = yield* y.load();
      yield* y.store({ seen });
      assert(seen !== nested.inner, 'inner');
    },
  ],
  'instances of a class that are changed before they are stored': [
    false,
    function* () {
      const top = atomic<Cell | undefined>(undefined);
      function* push(value: number) {
        const cell = new Cell(value);
        for (;;) {
          cell.next = yield* top.load();
          if ((yield* top.compareExchange(cell.next, cell)) === cell.next) return;
        }
      }
      yield* spawn(push, 1);
      yield* spawn(push, 2);
      yield* push(3);
      const values: number[] = [];
      for (let cell = yield* top.load(); cell !== undefined; cell = cell.next) values.push(cell.value);
      assert(values.join() !== '1,2,3', 'all, in one order');
      assert(values.length < 2 || new Set(values).size === values.length, 'never');
    },
  ],
  'functions and symbols': [
    false,
    function* () {
      const x = atomic<unknown>(undefined);
      yield* spawn(function* () {
        yield* x.store(Symbol('a'));
        yield* x.store(() => 1);
      });
      yield* spawn(function* () {
        const one = yield* x.load();
        yield* x.compareExchange(one, [one]);
      });
      const seen = yield* x.load();
      assert(typeof seen !== 'function', 'a function');
      assert(typeof seen !== 'symbol', 'a symbol');
      assert(!Array.isArray(seen) || typeof seen[0] !== 'function', 'a function in an array');
    },
  ],
  'objects that a thread gets from the one that spawns it': [
    true,
    function* () {
      const x = atomic<object | undefined>(undefined);
      yield* spawn(function* () {
        const mine = {};
        yield* x.store(mine);
        const seen = yield* x.load();
        yield* spawn(function* () {
          const again = yield* x.load();
          assert(again === mine || again !== seen, 'seen');
          yield* x.store(mine);
        });
      });
      yield* spawn(function* () {
        const seen = yield* x.load();
        yield* x.store({ seen });
        assert(seen === undefined || (yield* x.load()) !== seen, 'again');
      });
    },
  ],
};

describe.each(names)('%s finds the same whether objects are followed or not', (name) => {
  for (const [about, [isFollowed, body]] of Object.entries(programs)) {
    test(about, () => {
      const together = search(program(about, body), name, { follows: false });
      const followed = search(program(about, body), name, { follows: true });
      expect(followed.counts).toEqual(together.counts);
      expect(followed.errors).toEqual(together.errors);
      expect(followed.errors.join()).not.toContain('never');
      expect(followed.behaviours.followsObjects).toBe(isFollowed);
      const forgetful = search(program(about, body), name, { follows: true, maxStates: 10 });
      expect(forgetful.counts).toEqual(together.counts);
      expect(forgetful.errors).toEqual(together.errors);
    });
  }
});

describe.each(Object.keys(models) as ModelName[])('the same under %s', (model) => {
  test.each(['co', 'rf'] as const)('by %s', (equivalence) => {
    for (const [about, [, body]] of Object.entries(programs)) {
      const [together, followed] = [false, true].map((follows) =>
        search(program(about, body), 'trust', { follows, model, equivalence }),
      ) as [ReturnType<typeof search>, ReturnType<typeof search>];
      expect(followed.counts, about).toEqual(together.counts);
      expect(followed.errors, about).toEqual(together.errors);
    }
  });
});

test('the threads of a Treiber stack are not all run again for each execution', () => {
  const { counts, behaviours } = search(treiber(3, 2), 'trust', { follows: true });
  expect(counts.complete).toBe(34_968);
  expect(behaviours.followsObjects).toBe(true);
  expect(behaviours.epoch).toBe(0);
  expect(behaviours.resumed / counts.complete).toBeLessThan(6);
});

test('an object that differs from run to run is noticed', () => {
  let count = 0;
  const counting = program(function* () {
    const x = atomic<object | undefined>(undefined);
    yield* spawn(function* () {
      yield* x.store({ number: count++ });
    });
    yield* x.load();
  });
  expect(() => checkSync(counting)).toThrow(
    /is not deterministic.*was \{ number: \d+ \} and is now \{ number: \d+ \}/s,
  );
});
