import { expect, test } from 'vitest';
import { Behaviours, STALE, Step } from '../../src/program/behaviours.ts';
import { identityOf } from '../../src/program/identity.ts';
import { InputError } from '../../src/program/input-error.ts';
import { bareLanguage } from '../../src/program/language.ts';
import { makeLocation } from '../../src/program/location.ts';
import { type Operation, type Program, ProgramRefined, type Thread } from '../../src/program/operation.ts';
import { assert, atomic, awaitUntil, choose, program, spawn } from '../../src/typescript/api.ts';
import { type Body, bare, cell, join, load, store, threadOf } from './bare.ts';

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

test('once there is a value with an identity that can have no copies, no thread is run again by itself', () => {
  class Instance {}
  const main = program(function* () {
    const x = atomic<object | undefined>(undefined);
    yield* x.store(new Instance());
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

/** Threads that load x `count` times, which can be replayed; and what they were asked to do. */
function replayable(count: number, more: Parameters<typeof bare>[1] = {}) {
  const x = cell('x');
  const asked = { resumes: 0, replays: [] as (readonly [number, number])[] };
  const start = (): Thread => {
    const thread = threadOf(function* () {
      let sum = 0;
      for (let i = 0; i < count; i++) sum = sum * 2 + ((yield load(x)) as number);
      return sum;
    });
    return {
      resume: (answer) => {
        asked.resumes++;
        return thread.resume(answer);
      },
      replay: (results, from, to) => {
        asked.replays.push([from, to]);
        for (let i = from; i < to - 1; i++) thread.resume(results[i]);
        return thread.resume(results[to - 1]);
      },
    };
  };
  return { main: bare(function* () {}, { start, ...more }), asked };
}

/** The state after these answers. */
function after(b: Behaviours, answers: readonly number[]): number {
  return answers.reduce((state, answer) => b.advance(state, b.values.idOf(answer)), b.main());
}

test('a thread of a closed language that can be replayed is, with the results of its operations', () => {
  const { main, asked } = replayable(3);
  const b = new Behaviours(main);
  after(b, [1, 0, 1]);
  expect([asked.resumes, b.resumed]).toEqual([4, 4]);
  const end = after(b, [1, 1, 0]);
  expect(b.values.valueOf(b.value[end] as number)).toBe(6);
  expect(asked).toEqual({ resumes: 6, replays: [[0, 2]] });
  expect(b.resumed).toBe(8);
});

test('a thread of another language, or one that is recorded, is never replayed', () => {
  for (const [more, options] of [[{ language: bareLanguage }, {}] as const, [{}, { recording: true }] as const]) {
    const { main, asked } = replayable(3, more);
    const b = new Behaviours(main, options);
    after(b, [1, 0, 1]);
    expect(b.values.valueOf(b.value[after(b, [1, 1, 0])] as number)).toBe(6);
    expect(asked).toEqual({ resumes: 8, replays: [] });
  }
});

test('whoever watches is told of a long replay again and again', () => {
  const { main, asked } = replayable(200);
  const pulse = new Int32Array(3);
  const b = new Behaviours(main, { pulse });
  after(b, new Array(200).fill(0));
  const told = pulse[1] as number;
  const end = after(b, [...new Array(199).fill(0), 1]);
  expect(b.values.valueOf(b.value[end] as number)).toBe(1);
  expect(asked.replays).toEqual([
    [0, 64],
    [64, 128],
    [128, 192],
    [192, 200],
  ]);
  expect((pulse[1] as number) - told).toBe(asked.replays.length + 2);
  expect([pulse[0], pulse[2]]).toEqual([0, 200]);
});

test('a replay that ends at another operation is noticed, and its thread is not gone on with', () => {
  const [x, y] = [cell('x'), cell('y')];
  let runs = 0;
  const start = (): Thread => {
    const [first, second] = ++runs === 2 ? [x, y] : [x, x];
    const thread = threadOf(function* () {
      yield load(first);
      yield load(second);
    });
    const replay: Thread['replay'] = (results, _, to) =>
      results
        .slice(0, to)
        .map((result) => thread.resume(result))
        .at(-1)!;
    return { ...thread, replay };
  };
  const b = new Behaviours(bare(function* () {}, { start }));
  after(b, [0, 0]);
  expect(() => after(b, [0, 1])).toThrow(
    /not deterministic.*number 2 was a load of x \(plain\) and is now a load of y/,
  );
});

test('what a replay throws is passed on, and the thread is run from its start after that', () => {
  const { main, asked } = replayable(2);
  const start = main.start.bind(main);
  let isRefined = true;
  const throwing = (): Thread => {
    const thread = start();
    const replay: Thread['replay'] = (...all) => {
      const operation = thread.replay!(...all);
      if (isRefined) throw new ProgramRefined();
      return operation;
    };
    return { ...thread, replay };
  };
  const b = new Behaviours({ ...main, start: throwing });
  after(b, [0, 0]);
  expect(() => after(b, [0, 1])).toThrow(ProgramRefined);
  isRefined = false;
  expect(b.values.valueOf(b.value[after(b, [0, 1])] as number)).toBe(1);
  expect(asked.replays.length).toBe(2);
});

test('a thread that makes locations cannot be replayed', () => {
  const start = (): Thread => {
    const thread = threadOf(function* () {
      const x = makeLocation('shared', 0, 'x', undefined);
      yield load(x);
    });
    return { ...thread, replay: (results) => thread.resume(results[0]) };
  };
  const b = new Behaviours(bare(function* () {}, { start }));
  after(b, [0]);
  expect(() => after(b, [1])).toThrow('a thread that makes locations cannot be replayed');
});

/** A thread that loads x, stores what it read, and loads y: after the store, its future is the same whatever it read, unless it keeps that. */
function forgetful(more: { readonly between?: Operation; readonly keeps?: boolean } = {}) {
  const [x, y] = [cell('x'), cell('y')];
  const { between, keeps = false } = more;
  return bare(function* () {
    yield load(y);
    const read = yield { ...load(x), future: 'load x' };
    if (between !== undefined) yield between;
    const kept = keeps ? ` ${read}` : '';
    yield { ...store(y, read), future: `store${kept}` };
    const end = yield { ...load(y), future: `load y${kept}` };
    return `${end}${kept}`;
  });
}

const sharing = (main: Program): Behaviours => {
  const b = new Behaviours(main);
  b.sharesFutures = true;
  return b;
};

test('states with the same future are states of their own, with the same children', () => {
  const b = sharing(forgetful());
  const [one, two] = [after(b, [0, 1]), after(b, [0, 2])];
  expect([one, two].map((s) => b.values.valueOf(b.value[s] as number))).toEqual([1, 2]);
  const next = b.advanceOnly(one);
  expect(b.knownNext(two)).toBe(next);
  expect(b.advanceOnly(two)).toBe(next);
  const resumed = b.resumed;
  const end = b.advance(next, b.values.idOf(5));
  expect(b.advance(b.advanceOnly(two), b.values.idOf(5))).toBe(end);
  expect(b.resumed).toBe(resumed + 1);
});

test('the live run goes on from whatever state has the same future', () => {
  const b = sharing(forgetful());
  const [one, two] = [after(b, [0, 1]), after(b, [0, 2])];
  const resumed = b.resumed;
  expect(b.advanceOnly(one)).toBe(b.advanceOnly(two)); // the live run stands at `two`
  expect(b.resumed).toBe(resumed + 1);
});

test('run again step by step, a thread goes through states that were shared', () => {
  const b = sharing(forgetful());
  const root = b.main();
  const path = (read: number): number[] => {
    const states = [root, after(b, [0]), after(b, [0, read])];
    states.push(b.advanceOnly(states[2] as number));
    states.push(b.advance(states[3] as number, b.values.idOf(5)));
    return states;
  };
  path(1);
  const states = path(2);
  b.beginRerun();
  for (const [i, to] of states.slice(1).entries()) b.rerun(states[i] as number, to);
  b.endRerun();
});

test('nothing is shared by other futures, after another operation in between, or unless it is asked for', () => {
  for (const [main, isShared] of [
    [forgetful({ keeps: true }), true],
    [forgetful({ between: { kind: 'yield' } }), true],
    [forgetful(), false],
  ] as const) {
    const b = new Behaviours(main);
    b.sharesFutures = isShared;
    const ends = [1, 2].map((read) => {
      let s = after(b, [0, read]);
      while (b.step[s] !== Step.READ) s = b.advanceOnly(s);
      return b.advance(s, b.values.idOf(5));
    });
    expect(ends[0]).not.toBe(ends[1]);
  }
});

test('after a reset, nothing is left of futures', () => {
  const b = sharing(forgetful());
  b.advanceOnly(after(b, [0, 1]));
  b.reset();
  const two = after(b, [0, 2]);
  expect(b.knownNext(two)).toBe(-1);
  expect(b.advanceOnly(after(b, [0, 1]))).toBe(b.advanceOnly(two));
});
