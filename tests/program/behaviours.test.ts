import { expect, test } from 'vitest';
import { Behaviours, STALE, Step } from '../../src/program/behaviours.ts';
import { identityOf } from '../../src/program/identity.ts';
import { InputError } from '../../src/program/input-error.ts';
import type { Operation } from '../../src/program/operation.ts';
import { assert, atomic, awaitUntil, choose, program, spawn } from '../../src/typescript/api.ts';
import { type Body, bare, join, threadOf } from './bare.ts';

/** A thread that loads x twice and counts how often its code runs. */
function twoLoads() {
  const runs = { count: 0 };
  const main = program(function* () {
    runs.count++;
    const x = atomic(0, 'x');
    const first = yield* x.load();
    const second = yield* x.load();
    return first + second;
  });
  return { main, runs };
}

test('an answer that was given before leads to the same state without running the thread', () => {
  const { main, runs } = twoLoads();
  const b = new Behaviours(main);
  const zero = b.values.idOf(0);
  const one = b.values.idOf(1);
  const after = b.advance(b.main(), zero);
  const end = b.advance(after, one);
  expect(b.step[end]).toBe(Step.END);
  expect(b.values.valueOf(b.value[end] as number)).toBe(1);
  expect(b.advance(b.main(), zero)).toBe(after);
  expect(b.advance(after, one)).toBe(end);
  expect(runs.count).toBe(1);
});

test('another answer to a passed state runs the thread again from its start', () => {
  const { main, runs } = twoLoads();
  const b = new Behaviours(main);
  const [zero, one, two] = [0, 1, 2].map((v) => b.values.idOf(v)) as [number, number, number];
  b.advance(b.advance(b.main(), zero), one);
  const end = b.advance(b.advance(b.main(), one), two);
  expect(b.values.valueOf(b.value[end] as number)).toBe(3);
  expect(runs.count).toBe(2);
});

test('0 and -0 are different values, NaN is one', () => {
  const b = new Behaviours(twoLoads().main);
  expect(b.values.idOf(-0)).not.toBe(b.values.idOf(0));
  expect(b.values.idOf(-0)).toBe(b.values.idOf(-0));
  expect(b.values.idOf(Number.NaN)).toBe(b.values.idOf(Number.NaN));
  expect(Object.is(b.values.valueOf(b.values.idOf(-0)), -0)).toBe(true);
});

test('a thread that does something else when run again is refused, with both operations named', () => {
  let runs = 0;
  const main = program(function* () {
    const x = atomic(0, 'x');
    runs++;
    yield* x.store(runs);
    yield* x.load();
  });
  const b = new Behaviours(main);
  const load = b.advanceOnly(b.main());
  b.advance(load, b.values.idOf(1));
  expect(() => b.advance(load, b.values.idOf(2))).toThrow(
    /thread main is not deterministic.*operation number 1 was a store of 1 to x and is now a store of 2 to x/s,
  );
});

test('once an object comes by that cannot be followed from run to run, no thread is run again by itself', () => {
  const main = program(function* () {
    const x = atomic<object | undefined>(undefined);
    yield* x.store(() => undefined);
    yield* x.load();
  });
  const b = new Behaviours(main);
  const load = b.advanceOnly(b.main());
  b.advance(load, b.value[b.main()] as number);
  expect(b.advance(load, b.values.idOf(undefined))).toBe(STALE);
  b.reset();
  const again = b.advanceOnly(b.main());
  expect(b.step[b.advance(again, b.values.idOf(undefined))]).toBe(Step.END);
});

test('locations that a thread makes have the same numbers in every run along the same path', () => {
  const main = program(function* () {
    const x = atomic(0, 'x');
    const value = yield* x.load();
    const y = atomic(value, 'y');
    yield* y.load();
    yield* x.store(1);
  });
  const b = new Behaviours(main);
  const [zero, one] = [b.values.idOf(0), b.values.idOf(1)];
  const yAfter0 = b.advance(b.main(), zero);
  b.advance(yAfter0, zero);
  const yAfter1 = b.advance(b.main(), one);
  expect(b.location[yAfter1]).not.toBe(b.location[yAfter0]); // another path: another y, with another initial value
  expect(b.initialValue(b.location[yAfter1] as number)).toBe(one);
  const store = b.advance(yAfter0, one); // runs again along the first path
  expect(b.location[store]).toBe(b.location[b.main()]);
  expect(b.locations.length).toBe(3);
});

test('threads have one number whatever the order of exploration, and know their path', () => {
  const main = program(function* () {
    yield* spawn(function* left() {
      yield* spawn(function* leaf() {});
    });
    yield* spawn(function* right() {});
  });
  const b = new Behaviours(main);
  const second = b.advanceOnly(b.main());
  b.advanceOnly(second);
  b.advanceOnly(b.spawned(b.main()));
  expect(b.threads.map(({ name, path }) => `${path} ${name}`)).toEqual([
    '0 main',
    '0.0 left',
    '0.1 right',
    '0.0.0 leaf',
  ]);
});

/** What two threads, each spawned by another child of main, and their parents see of their identities. */
function identitiesOfLeaves(isLeftFirst: boolean): unknown[] {
  const seen: unknown[] = [];
  const spawning = (body: Body, told: (self: number) => void = () => undefined): Operation => ({
    kind: 'spawn',
    name: '',
    start(self) {
      told(self);
      return threadOf(body);
    },
  });
  const branch = (place: number): Body =>
    function* () {
      seen[place] = yield spawning(
        function* () {},
        (self) => {
          seen[place + 2] = self;
        },
      );
    };
  const b = new Behaviours(
    bare(function* () {
      yield spawning(branch(0));
      yield spawning(branch(1));
    }),
  );
  const spawns = [b.main(), b.advanceOnly(b.main())];
  for (const spawn of isLeftFirst ? spawns : spawns.toReversed()) {
    const spawnOfLeaf = b.spawned(spawn);
    b.spawned(spawnOfLeaf);
    b.advanceOnly(spawnOfLeaf);
  }
  return seen;
}

test('what a program sees of the identity of threads does not depend on the order in which they are met', () => {
  const seen = identitiesOfLeaves(true);
  expect(identitiesOfLeaves(false)).toEqual(seen);
  expect(seen.slice(2)).toEqual(seen.slice(0, 2));
  expect(seen[0]).not.toBe(seen[1]);
});

test('a join of a number that is no thread waits; if it becomes one, for that', () => {
  const first = identityOf('0.0');
  const child: Operation = { kind: 'spawn', name: 'child', start: () => threadOf(function* () {}) };
  const joining = (identity: number) =>
    new Behaviours(
      bare(function* () {
        const choice = yield { kind: 'choose', count: 2 };
        if (choice === 0) yield join(identity);
        else yield child;
      }),
    );
  for (const identity of [first, 77, 0, -5]) {
    const c = joining(identity);
    const join = c.advance(c.main(), c.values.idOf(0));
    expect(c.operand[join]).toBe(-1);
    c.advance(c.main(), c.values.idOf(1));
    expect(c.operand[join]).toBe(identity === first ? 1 : -1);
  }
});

test('a loop without end is refused and the message teaches awaitUntil', () => {
  const main = program(function* () {
    const x = atomic(0, 'x');
    while ((yield* x.load()) === 0);
  });
  const b = new Behaviours(main, { maxDepth: 10 });
  const run = (): void => {
    for (let s = b.main(); ; ) s = b.advance(s, b.values.idOf(0));
  };
  expect(run).toThrow(/main performed 10 operations.*load of x.*awaitUntil/s);
});

test('an exception in a function that an operation carries is a failure of the thread', () => {
  const main = program(function* () {
    const x = atomic(0);
    yield* awaitUntil(x, () => {
      throw new RangeError('no');
    });
  });
  const b = new Behaviours(main);
  const failed = b.operation(b.advance(b.main(), b.values.idOf(0)));
  expect(failed).toMatchObject({ kind: 'fail', failure: { kind: 'exception', message: 'RangeError: no' } });
});

test.each([
  [
    'yield without a star',
    function* () {
      yield atomic(0).load() as never;
    },
    /without its star/,
  ],
  [
    'a yielded number',
    function* () {
      yield 3 as never;
    },
    /yielded 3, which is not an operation/,
  ],
  [
    'an operation that is called and dropped',
    function* () {
      atomic(0, 'x').load();
    },
    /load of x was called but not performed/,
  ],
  [
    "a load with a store's order",
    function* () {
      yield* atomic(0).load('release' as never);
    },
    /a load cannot have the memory order "release"/,
  ],
  [
    'choose(0)',
    function* () {
      yield* choose(0);
    },
    /choose\(0\)/,
  ],
])('%s is refused', (_name, body, message) => {
  expect(() => new Behaviours(program(body)).main()).toThrow(message as RegExp);
  expect(() => new Behaviours(program(body)).main()).toThrow(InputError);
});

test('a failed assertion is a failure at its place in the source', () => {
  const main = program(function* () {
    yield* atomic(0).load();
    assert(false, 'never');
  });
  const b = new Behaviours(main);
  const failed = b.operation(b.advance(b.main(), b.values.idOf(0)));
  expect(failed).toMatchObject({ kind: 'fail', failure: { kind: 'assertion', message: 'never' } });
  expect(failed.position?.file).toMatch(/behaviours\.test\.ts$/);
});

/** Two threads that have an object from main, store it if they read 0, and a third that reads two values. */
function storedByTwo() {
  return program(function* () {
    const mine = {};
    const [x, y] = [atomic(0), atomic<object | undefined>(undefined)];
    function* worker() {
      if ((yield* x.load()) === 0) yield* y.store(mine);
    }
    yield* spawn(worker);
    yield* spawn(worker);
    yield* spawn(function* () {
      const seen = yield* y.load();
      return seen === (yield* y.load());
    });
  });
}

test('an object that got two numbers, as two threads were the first to show it in two runs, is not followed', () => {
  const b = new Behaviours(storedByTwo());
  const [zero, one] = [b.values.idOf(0), b.values.idOf(1)];
  const spawns = [b.main()];
  for (let i = 0; i < 2; i++) spawns.push(b.advanceOnly(spawns[i] as number));
  const [first, second, reader] = spawns.map((spawn) => b.spawned(spawn)) as [number, number, number];
  const stored = b.advance(first, zero);
  expect(b.step[b.advance(first, one)]).toBe(Step.END); // in another run
  const storedToo = b.advance(second, zero);
  const [number, other] = [b.value[stored], b.value[storedToo]] as [number, number];
  expect(number).not.toBe(other);
  const between = b.advance(reader, number);
  expect(b.followsObjects).toBe(true);
  expect(b.advance(between, other)).toBe(STALE);
  expect(b.followsObjects).toBe(false);
});

test('a thread that goes on after another run gets its own objects back, and those of others as they are in that run', () => {
  const main = program(function* () {
    const x = atomic<unknown>(undefined);
    yield* spawn(function* () {
      const mine = {};
      yield* x.store(mine);
      const seen = yield* x.load();
      const [own, inner] = [seen === mine, Array.isArray(seen) && seen[0] === mine];
      return own ? 'own' : inner ? 'inner' : 'other';
    });
    yield* spawn(function* () {
      yield* x.store([yield* x.load()]);
    });
  });
  const b = new Behaviours(main);
  const second = b.advanceOnly(b.main());
  const [store, wrap] = [b.spawned(b.main()), b.spawned(second)];
  const load = b.advanceOnly(store);
  const number = b.value[store] as number;
  const wrapped = b.value[b.advance(wrap, number)] as number;
  const other = b.value[b.advance(wrap, b.values.idOf(undefined))] as number;
  const ends = [number, wrapped, other, number].map((answer) => b.value[b.advance(load, answer)] as number);
  expect(ends.map((end) => b.values.valueOf(end))).toEqual(['own', 'inner', 'other', 'own']);
  expect(b.followsObjects).toBe(true);
  expect(b.epoch).toBe(0);
});
