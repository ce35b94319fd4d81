import { describe, expect, test } from 'vitest';
import { lastzero } from '../../bench/programs.ts';
import { check, checkSync } from '../../src/check/check.ts';
import { InputError } from '../../src/program/input-error.ts';
import { Location } from '../../src/program/location.ts';
import {
  type Atomic,
  assert,
  assume,
  atomic,
  awaitUntil,
  choose,
  mutex,
  program,
  shared,
  spawn,
} from '../../src/typescript/api.ts';
import { bare, spawn as spawnOf } from '../program/bare.ts';
import { randomProgram } from '../random/programs.ts';
import { toHeddle } from '../random/to-heddle.ts';

const lostUpdate = program(function* () {
  const x = atomic(0);
  function* adder() {
    yield* x.store((yield* x.load()) + 1);
  }
  const [a, b] = [yield* spawn(adder), yield* spawn(adder)];
  yield* a.join();
  yield* b.join();
  assert((yield* x.load()) === 2, 'an update was lost');
});

test('a verified program is ok, with its executions counted', () => {
  const result = checkSync(lastzero(5));
  expect(result).toMatchObject({
    verdict: 'ok',
    errors: [],
    model: 'sc',
    algorithm: 'trust',
    algorithmOptions: { equivalence: 'co' },
  });
  expect(result.executions).toEqual({
    complete: 64,
    blocked: 0,
    redundant: 0,
    overBound: 0,
    erroneous: 0,
    pruned: 0,
    boundBlocked: 0,
  });
});

test('the asynchronous check gives the same and lets other work go on', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  const result = await check(lastzero(12));
  clearInterval(timer);
  expect(result.executions.complete).toBe(15_360);
  expect(ticks).toBeGreaterThan(0);
});

test('a program without threads, and one with nothing in it, have one execution', () => {
  expect(checkSync(program(function* () {})).executions.complete).toBe(1);
  expect(
    checkSync(
      program(function* () {
        yield* atomic(1).load();
      }),
    ).executions.complete,
  ).toBe(1);
  expect(
    checkSync(
      program(function* () {
        yield* spawn(function* () {});
      }),
    ).executions.complete,
  ).toBe(1);
});

describe('an error', () => {
  test('comes with a short execution, names, and positions', () => {
    const result = checkSync(lostUpdate);
    expect(result.verdict).toBe('error');
    const [error] = result.errors;
    expect(error).toMatchObject({ kind: 'assertion', message: 'an update was lost' });
    expect(error?.location?.file).toMatch(/check\.test\.ts$/);
    expect(error?.execution.preemptions).toBe(1);
    expect(error?.execution.steps.map((s) => s.location).filter(Boolean)).toEqual(['x', 'x', 'x', 'x', 'x']);
    expect(error?.execution.threads.map((t) => t.name)).toEqual(['main', 'adder 1', 'adder 2']);
    for (const step of error?.execution.steps ?? []) expect(step.source?.file).toMatch(/check\.test\.ts$/);
  });

  test('is reported once with keepGoing, beside the others', () => {
    const two = program(function* () {
      const n = yield* choose(4);
      assert(n !== 1, 'one');
      assert(n < 2, 'two or more');
    });
    const result = checkSync(two, { keepGoing: true });
    expect(result.errors.map((e) => e.message)).toEqual(['one', 'two or more']);
    expect(result.executions).toMatchObject({ complete: 1, erroneous: 3 });
  });

  test('is reported once with keepGoing, whatever its message says', () => {
    const four = program(function* () {
      const n = yield* choose(4);
      assert(false, `n is ${n}`);
    });
    expect(checkSync(four, { keepGoing: true }).errors.map((e) => e.message)).toEqual(['n is 0']);
  });

  test('is reported once with keepGoing if it is a race and nobody knows where', () => {
    const x = new Location('shared', 0, 'x', undefined);
    const write = { kind: 'store', location: x, order: 'plain', value: 1 } as const;
    const race = bare(function* () {
      yield spawnOf('other', function* () {
        yield write;
        yield write;
      });
      yield write;
      yield write;
    });
    expect(checkSync(race, { keepGoing: true }).errors).toMatchObject([{ kind: 'race', location: undefined }]);
  });

  test('that happens before the first operation of a thread is found', () => {
    const early = program(function* () {
      yield* spawn(function* child() {
        throw new TypeError('at once');
      });
    });
    expect(checkSync(early).errors[0]).toMatchObject({ kind: 'exception', message: 'TypeError: at once' });
    const main = program(function* () {
      throw new TypeError('in main');
    });
    expect(checkSync(main).errors[0]).toMatchObject({ kind: 'exception', message: 'TypeError: in main' });
  });

  test.each(['trust', 'dfs'])('of each kind is found by %s', (algorithm) => {
    const kindOf = (main: Parameters<typeof program>[0]): string | undefined =>
      checkSync(program(main as never), { algorithm }).errors[0]?.kind;
    expect(
      kindOf(function* () {
        const [a, b] = [mutex('a'), mutex('b')];
        const other = yield* spawn(function* () {
          yield* b.lock();
          yield* a.lock();
          yield* a.unlock();
          yield* b.unlock();
        });
        yield* a.lock();
        yield* b.lock();
        yield* b.unlock();
        yield* a.unlock();
        yield* other.join();
      } as never),
    ).toBe('deadlock');
    expect(
      kindOf(function* () {
        yield* awaitUntil(atomic(0), (v) => v === 1);
      } as never),
    ).toBe('livelock');
    expect(
      kindOf(function* () {
        yield* mutex().unlock();
      } as never),
    ).toBe('lock-misuse');
    expect(
      kindOf(function* () {
        const m = mutex();
        yield* m.lock();
        yield* m.lock();
      } as never),
    ).toBe('deadlock');
    expect(
      kindOf(function* () {
        const d = shared(0);
        yield* spawn(function* () {
          yield* d.store(1);
        });
        yield* d.load();
      } as never),
    ).toBe('race');
  });
});

test('a race names both accesses', () => {
  const racy = program(function* () {
    const data = shared(0);
    const writer = yield* spawn(function* writer() {
      yield* data.store(1);
    });
    yield* data.load();
    yield* writer.join();
  });
  const [error] = checkSync(racy).errors;
  expect(error?.message).toBe('data race on data: main loads and writer stores it, and nothing orders the two');
  expect(error?.racing?.map((s) => s.op)).toEqual(['load', 'store']);
  expect(checkSync(racy, { races: false }).verdict).toBe('ok');
});

test('an object that is changed after it was stored is an error, not a false proof', () => {
  const changing = program(function* () {
    const x = atomic({ inner: { n: 0 } });
    function* worker() {
      const value = yield* x.load();
      value.inner.n++;
      yield* x.store(value);
    }
    const other = yield* spawn(worker);
    yield* worker();
    yield* other.join();
  });
  expect(checkSync(changing).errors[0]).toMatchObject({
    kind: 'exception',
    message: expect.stringMatching(/read only/),
  });
});

test('an assume leaves executions out, which count as blocked', () => {
  const assuming = program(function* () {
    const n = yield* choose(3);
    yield* assume(n !== 1);
  });
  expect(checkSync(assuming)).toMatchObject({ verdict: 'ok', executions: { complete: 2, blocked: 1 } });
});

test('a livelock can be counted as blocked instead', () => {
  const waiting = program(function* () {
    yield* awaitUntil(atomic(0), (v) => v === 1);
  });
  expect(checkSync(waiting, { livelock: false })).toMatchObject({ verdict: 'ok', executions: { blocked: 1 } });
});

test('limits make the verdict incomplete and say which', () => {
  expect(checkSync(lastzero(10), { maxExecutions: 10 })).toMatchObject({
    verdict: 'incomplete',
    stoppedBy: 'executions',
    executions: { complete: 10 },
  });
  expect(checkSync(lastzero(15), { timeout: 0 })).toMatchObject({ verdict: 'incomplete', stoppedBy: 'timeout' });
  expect(checkSync(lastzero(15), {}, { isInterrupted: () => true })).toMatchObject({ stoppedBy: 'interrupt' });
});

test('a limit that is reached with the last execution cuts nothing off', () => {
  expect(checkSync(lastzero(5), { maxExecutions: 64 })).toMatchObject({ verdict: 'ok', executions: { complete: 64 } });
});

test.each([
  [{ algorithm: 'trsut' }, /unknown algorithm "trsut".*Did you mean trust\?/],
  [{ model: 'cs' }, /unknown model "cs"/],
  [{ algorithm: 'dfs', equivalence: 'rf' }, /--equivalence is an option of trust, not of dfs/],
  [{ maxExecutions: 0 }, /max-executions must be a whole number from 1/],
])('options %j are refused', (options, message) => {
  expect(() => checkSync(lastzero(2), options)).toThrow(message);
  expect(() => checkSync(lastzero(2), options)).toThrow(InputError);
});

test('what is not a program is refused', () => {
  expect(() => checkSync({} as never)).toThrow(/not a program to check/);
});

describe('threads that share a JavaScript variable are noticed', () => {
  const leaks: Record<string, () => Parameters<typeof program>[1]> = {
    'a log that one thread writes and another reads': () =>
      function* () {
        const x = atomic(0);
        const log: number[] = [];
        const reader = yield* spawn(function* () {
          log.push(yield* x.load());
        });
        yield* x.store(1);
        yield* reader.join();
        assert(log[0] === 1);
      },
    'threads without operations': () =>
      function* () {
        let n = 0;
        yield* spawn(function* () {
          n = 1;
        });
        yield* spawn(function* () {
          assert(n === 1);
        });
      },
    'threads that an assume stops': () =>
      function* () {
        let n = 0;
        const x = atomic(0);
        yield* spawn(function* () {
          yield* x.store(1);
          n = 1;
          yield* assume(false);
        });
        yield* spawn(function* () {
          yield* x.store(2);
          assert(n === 1);
          yield* assume(false);
        });
      },
    'a counter of who is inside': () =>
      function* () {
        let inside = 0;
        const [x, y] = [atomic(0), atomic(0)];
        function* section(v: typeof x) {
          yield* v.load();
          inside++;
          assert(inside === 1, 'two inside');
          yield* v.load();
          inside--;
        }
        yield* spawn(section, x);
        yield* spawn(section, y);
      },
    'beside values that are objects': () =>
      function* () {
        let n = 0;
        const x = atomic<object>({});
        yield* spawn(function* () {
          yield* x.load();
          n = 1;
        });
        yield* spawn(function* () {
          yield* x.store({});
          assert(n === 1);
        });
      },
  };
  for (const [name, leak] of Object.entries(leaks)) {
    test(name, () => {
      expect(() => checkSync(program(name, leak()))).toThrow(/is not deterministic/);
    });
  }
});

test.each([
  ['Math.random', () => Math.random()],
  ['the clock (Date.now)', () => Date.now()],
  ['the clock (performance.now)', () => performance.now()],
])('a thread that uses %s is refused, where it does', (what, use) => {
  const chancy = program(function* () {
    if (use() < 0) yield* atomic(0).load();
  });
  expect(() => checkSync(chancy)).toThrow(`a thread cannot use ${what}`);
  expect(use()).toBeGreaterThanOrEqual(0); // outside of threads all is as it was
});

test('where all threads are run again in one go, chance is refused, and allowed afterwards', () => {
  const { random } = Math;
  let runs = 0;
  const late = program(function* () {
    const x = atomic<object | undefined>(undefined);
    const run = ++runs;
    const writer = function* () {
      yield* x.store({});
      if (run > 1) Math.random(); // objects have an identity: for the second execution all threads are run again
    };
    yield* spawn(writer);
    yield* spawn(writer);
  });
  expect(() => checkSync(late)).toThrow('a thread cannot use Math.random');
  expect(runs).toBeGreaterThan(1);
  expect(Math.random).toBe(random);
  expect(Date.now()).toBeGreaterThan(0);
});

test('a thread may be anything that behaves like a generator', () => {
  function* body() {
    yield* atomic(0).store(1);
  }
  type Body = ReturnType<typeof body>;
  let passed = 0;
  const wrapped = (): Body => {
    const inner = body();
    const outer = { next: (answer: unknown) => inner.next(answer), [Symbol.iterator]: () => outer };
    return outer as unknown as Body;
  };
  const behindProxy = (): Body =>
    new Proxy(body(), {
      get: (inner, key) => {
        const value: unknown = Reflect.get(inner, key);
        return typeof value === 'function' ? value.bind(inner) : value;
      },
    });
  const withNextOfItsOwn = (): Body => {
    const inner = body();
    const next = inner.next.bind(inner);
    inner.next = (answer) => {
      passed++;
      return next(answer);
    };
    return inner;
  };
  for (const make of [wrapped, behindProxy, withNextOfItsOwn]) {
    const { verdict, executions } = checkSync(
      program(function* () {
        yield* (yield* spawn(make)).join();
      }),
    );
    expect(verdict, make.name).toBe('ok');
    expect(executions.complete).toBe(1);
  }
  expect(passed).toBeGreaterThan(0);
});

test.each([
  ['compare-exchange', (y: Atomic<unknown>) => y.compareExchange(1, { v: 3 })],
  ['compare-exchange of a new object', (y: Atomic<unknown>) => y.compareExchange({ v: 3 }, 1)],
  ['exchange', (y: Atomic<unknown>) => y.exchange({ v: 3 })],
  ['update', (y: Atomic<unknown>) => y.update((old) => old ?? { v: 3 })],
])('an object that a %s makes, and nobody has stored yet, is nothing that happens by chance', (_name, perform) => {
  const twice = program(function* () {
    const x = atomic(0);
    const y = atomic<unknown>(null);
    const thread = function* () {
      yield* x.fetchAdd(1);
      yield* perform(y);
    };
    const one = yield* spawn(thread);
    const other = yield* spawn(thread);
    yield* one.join();
    yield* other.join();
  });
  for (const algorithm of ['trust', 'optimal', 'dfs'] as const) {
    expect(checkSync(twice, { algorithm }).verdict, algorithm).toBe('ok');
  }
});

test('a refusal that the program catches is a refusal all the same', () => {
  const swallowing = program(function* () {
    const x = atomic(0);
    try {
      x.store(1);
      yield* x.load();
    } catch {}
  });
  expect(() => checkSync(swallowing)).toThrow(/was called but not performed/);
});

test.each([new Map(), new Set(), new Date(0), new Uint8Array(1)])(
  'a container that cannot be frozen is refused: %s',
  (value) => {
    const holding = program(function* () {
      yield* atomic<object>({}).store(value);
    });
    expect(() => checkSync(holding)).toThrow(/cannot be the value of a variable/);
  },
);

test('choose has a limit', () => {
  for (const count of [0, 1.5, 10_001, 3e9]) {
    const choosing = program(function* () {
      yield* choose(count);
    });
    expect(() => checkSync(choosing)).toThrow(/the number of choices must be a whole number from 1 to 10000/);
  }
});

test.each(['trust', 'dfs'])('what a function that an operation carries throws fails its thread (%s)', (algorithm) => {
  const awaiting = program(function* () {
    const x = atomic(0);
    yield* spawn(function* () {
      yield* x.store(1);
    });
    yield* awaitUntil(x, (v) => {
      if (v === 1) throw new RangeError('one');
      return v === 2;
    });
  });
  expect(checkSync(awaiting, { algorithm }).errors[0]).toMatchObject({ kind: 'exception', message: 'RangeError: one' });
  const updating = program(function* () {
    yield* atomic(0).update(() => {
      assert(false, 'inside');
      return 1;
    });
  });
  expect(checkSync(updating, { algorithm }).errors[0]).toMatchObject({ kind: 'assertion', message: 'inside' });
});

test('many threads need memory and time in proportion', () => {
  const many = program(function* () {
    const x = atomic(0);
    const threads = [];
    for (let i = 0; i < 300; i++) threads.push(yield* spawn(function* () {}));
    for (const thread of threads) yield* thread.join();
    yield* x.load();
  });
  expect(checkSync(many)).toMatchObject({ verdict: 'ok', executions: { complete: 1 } });
});

test('progress never falls and ends at 1', () => {
  const parts: number[] = [];
  checkSync(lastzero(12), {}, { onProgress: ({ part }) => parts.push(part) });
  expect(parts.at(-1)).toBe(1);
  expect(parts.every((part, i) => i === 0 || part >= (parts[i - 1] as number))).toBe(true);
});

test('every error of random programs is shown by an execution that ends in it', () => {
  let errors = 0;
  for (let seed = 0; seed < 250; seed++) {
    const random = toHeddle(randomProgram(seed));
    for (const options of [{}, { equivalence: 'rf' }, { algorithm: 'dfs', maxExecutions: 500 }]) {
      for (const error of checkSync(random, { ...options, keepGoing: true }).errors) {
        errors++;
        const ends = error.execution.ends.filter((end) => error.threads.includes(end.thread));
        expect(ends.length).toBe(error.threads.length);
        if (error.kind === 'deadlock' || error.kind === 'livelock') {
          expect(error.execution.ends.some((end) => end.state === 'ready')).toBe(false);
        } else if (error.kind === 'race') expect(error.racing).toBeDefined();
        else expect(ends[0]?.state).toBe('failed');
      }
    }
  }
  expect(errors).toBeGreaterThan(150);
});
