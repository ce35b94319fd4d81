/** Synchronisation functions under the explorers: counts of executions, verdicts, misuse. */
import { describe, expect, test } from 'vitest';
import { EBUSY, EDEADLK, EPERM, ETIMEDOUT } from '../../../src/c/library/standard/errno.ts';
import type { CRunOptions, Run } from '../../../src/c/runtime.ts';
import { checkSync } from '../../../src/check/check.ts';
import type { CheckResult } from '../../../src/check/result.ts';
import { type Body, FakeThread, inParallel, programOf, site, World } from './fake.ts';

const I32 = { kind: 'int', bits: 32 } as const;

function check(make: (world: World) => Body, options: Partial<CRunOptions> = {}, algorithm = 'trust'): CheckResult {
  const world = new World(options);
  return checkSync(programOf(world, make(world)), { algorithm, keepGoing: true });
}

/** Both explorers agree on the verdict and the kinds of errors; the counts are those of trust. */
function verdictOf(make: (world: World) => Body, options: Partial<CRunOptions> = {}): CheckResult {
  const result = check(make, options);
  const other = check(make, options, 'dfs');
  expect(kindsOf(other)).toEqual(kindsOf(result));
  return result;
}

const kindsOf = (result: CheckResult): string[] => [...new Set(result.errors.map((error) => error.kind))].sort();

function holds(thread: FakeThread, condition: boolean, what: string): void {
  if (!condition) thread.fail('assertion', what, site);
}

function* load(thread: FakeThread, pointer: number): Run<number> {
  return (yield* thread.load(pointer, I32, site)) as number;
}

function* increment(thread: FakeThread, pointer: number): Run<void> {
  yield* thread.store(pointer, I32, (yield* load(thread, pointer)) + 1, site);
}

describe('mutexes', () => {
  const counting = (n: number, lock: string, unlock: string) => (world: World) => {
    const [mutex, counter] = [world.global(24), world.global(4)];
    const worker = world.function(function* (thread) {
      yield* thread.library(lock, mutex);
      yield* increment(thread, counter);
      yield* thread.library(unlock, mutex);
      return 0;
    });
    return function* (thread: FakeThread) {
      yield* inParallel(thread, ...Array.from({ length: n }, () => worker));
      holds(thread, (yield* load(thread, counter)) === n, 'all are counted');
      return 0;
    };
  };

  for (const [lock, unlock] of [
    ['pthread_mutex_lock', 'pthread_mutex_unlock'],
    ['mtx_lock', 'mtx_unlock'],
    ['pthread_spin_lock', 'pthread_spin_unlock'],
    ['__VERIFIER_atomic_begin', '__VERIFIER_atomic_end'],
    ['pthread_rwlock_wrlock', 'pthread_rwlock_unlock'],
  ] as const) {
    test(`${lock} lets one thread in at a time`, () => {
      const result = verdictOf(counting(3, lock, unlock));
      expect(kindsOf(result)).toEqual([]);
      expect(result.executions.complete).toBe(6);
    });
  }

  test('two threads that lock in opposite order can block each other', () => {
    const result = verdictOf((world) => {
      const [a, b] = [world.global(24), world.global(24)];
      const worker = (first: number, second: number) =>
        world.function(function* (thread) {
          for (const mutex of [first, second]) yield* thread.library('pthread_mutex_lock', mutex);
          for (const mutex of [first, second]) yield* thread.library('pthread_mutex_unlock', mutex);
          return 0;
        });
      const bodies = [worker(a, b), worker(b, a)];
      return function* (thread) {
        yield* inParallel(thread, ...bodies);
        return 0;
      };
    });
    expect(kindsOf(result)).toEqual(['deadlock']);
  });

  const alone = (make: (world: World, mutex: number) => Body) => (world: World) => make(world, world.global(24));

  test('a normal mutex locked twice is a deadlock', () => {
    const result = verdictOf(
      alone(
        (_world, mutex) =>
          function* (thread) {
            yield* thread.library('pthread_mutex_lock', mutex);
            yield* thread.library('pthread_mutex_lock', mutex);
            return 0;
          },
      ),
    );
    expect(kindsOf(result)).toEqual(['deadlock']);
  });

  test('recursive and error-checking ones know their owner', () => {
    const result = verdictOf((world) => {
      const [attributes, recursive, checking] = [world.global(4), world.global(24), world.global(24)];
      const other = world.function(function* (thread) {
        holds(thread, (yield* thread.library('pthread_mutex_trylock', recursive)) === EBUSY, 'busy');
        holds(thread, (yield* thread.library('pthread_mutex_timedlock', checking, 0)) === ETIMEDOUT, 'times out');
        holds(thread, (yield* thread.library('pthread_mutex_unlock', checking)) === EPERM, 'not its own');
        return 0;
      });
      return function* (thread) {
        yield* thread.library('pthread_mutexattr_init', attributes);
        yield* thread.library('pthread_mutexattr_settype', attributes, 1);
        yield* thread.library('pthread_mutex_init', recursive, attributes);
        yield* thread.library('pthread_mutexattr_settype', attributes, 2);
        yield* thread.library('pthread_mutex_init', checking, attributes);
        for (let i = 0; i < 3; i++)
          holds(thread, (yield* thread.library('pthread_mutex_lock', recursive)) === 0, 'again');
        holds(thread, (yield* thread.library('pthread_mutex_trylock', recursive)) === 0, 'and again');
        holds(thread, (yield* thread.library('pthread_mutex_lock', checking)) === 0, 'once');
        holds(thread, (yield* thread.library('pthread_mutex_lock', checking)) === EDEADLK, 'not twice');
        yield* inParallel(thread, other);
        for (let i = 0; i < 4; i++) yield* thread.library('pthread_mutex_unlock', recursive);
        yield* thread.library('pthread_mutex_unlock', checking);
        holds(thread, (yield* thread.library('pthread_mutex_unlock', checking)) === EPERM, 'held no more');
        yield* thread.library('pthread_mutex_destroy', recursive);
        return 0;
      };
    });
    expect(kindsOf(result)).toEqual([]);
    expect(result.executions.complete).toBe(1);
  });

  const misuses: [string, (thread: FakeThread, mutex: number, other: number) => Run<unknown>][] = [
    ['unlocking what nobody holds', (thread, mutex) => thread.library('pthread_mutex_unlock', mutex)],
    [
      'destroying what is held',
      function* (thread, mutex) {
        yield* thread.library('pthread_mutex_lock', mutex);
        yield* thread.library('pthread_mutex_destroy', mutex);
      },
    ],
    [
      'locking what was destroyed',
      function* (thread, mutex) {
        yield* thread.library('pthread_mutex_destroy', mutex);
        yield* thread.library('pthread_mutex_lock', mutex);
      },
    ],
    ['waiting without the mutex', (thread, mutex, other) => thread.library('pthread_cond_wait', other, mutex)],
    ['unlocking a read-write lock', (thread, _mutex, other) => thread.library('pthread_rwlock_unlock', other)],
    ['waiting at a barrier before init', (thread, _mutex, other) => thread.library('pthread_barrier_wait', other)],
    [
      'destroying a read-write lock that is held',
      function* (thread, _mutex, lock) {
        yield* thread.library('pthread_rwlock_rdlock', lock);
        yield* thread.library('pthread_rwlock_destroy', lock);
      },
    ],
    [
      'using a semaphore that was destroyed',
      function* (thread, _mutex, semaphore) {
        yield* thread.library('sem_destroy', semaphore);
        yield* thread.library('sem_wait', semaphore);
      },
    ],
  ];
  for (const [name, run] of misuses) {
    test(`${name} is misuse`, () => {
      const result = check((world) => {
        const [mutex, other] = [world.global(24), world.global(48)];
        return function* (thread) {
          yield* run(thread, mutex, other);
          return 0;
        };
      });
      expect(kindsOf(result)).toEqual(['lock-misuse']);
    });
  }

  test('a timed lock never waits for ever', () => {
    const result = verdictOf((world) => {
      const [a, b] = [world.global(24), world.global(24)];
      const worker = (first: number, second: number) =>
        world.function(function* (thread) {
          yield* thread.library('pthread_mutex_lock', first);
          if ((yield* thread.library('pthread_mutex_timedlock', second, 0)) === 0) {
            yield* thread.library('pthread_mutex_unlock', second);
          }
          yield* thread.library('pthread_mutex_unlock', first);
          return 0;
        });
      const bodies = [worker(a, b), worker(b, a)];
      return function* (thread) {
        yield* inParallel(thread, ...bodies);
        return 0;
      };
    });
    expect(kindsOf(result)).toEqual([]);
  });
});

describe('condition variables', () => {
  /** As conformance's cond_signal.c. */
  const handOver =
    (consumers: number, wait = 'pthread_cond_wait') =>
    (world: World) => {
      const [mutex, condition, flag, woken] = [world.global(24), world.global(48), world.global(4), world.global(4)];
      const producer = world.function(function* (thread) {
        yield* thread.library('pthread_mutex_lock', mutex);
        yield* thread.store(flag, I32, 1, site);
        yield* thread.library(consumers > 1 ? 'pthread_cond_broadcast' : 'pthread_cond_signal', condition);
        yield* thread.library('pthread_mutex_unlock', mutex);
        return 0;
      });
      const consumer = world.function(function* (thread) {
        yield* thread.library('pthread_mutex_lock', mutex);
        while ((yield* load(thread, flag)) === 0) yield* thread.library(wait, condition, mutex);
        yield* increment(thread, woken);
        yield* thread.library('pthread_mutex_unlock', mutex);
        return 0;
      });
      return function* (thread: FakeThread) {
        yield* inParallel(thread, producer, ...Array.from({ length: consumers }, () => consumer));
        holds(thread, (yield* load(thread, woken)) === consumers, 'all have woken');
        return 0;
      };
    };

  for (const [consumers, executions] of [
    [1, 2],
    [2, 10],
    [3, 96],
  ] as const) {
    test(`${consumers} consumers: ${executions} executions`, () => {
      const result = check(handOver(consumers));
      expect(kindsOf(result)).toEqual([]);
      expect(result.executions.complete).toBe(executions);
    });
  }

  test('a wait outside of a loop can miss its signal', () => {
    const result = verdictOf((world) => {
      const [mutex, condition] = [world.global(24), world.global(48)];
      const waiter = world.function(function* (thread) {
        yield* thread.library('mtx_lock', mutex);
        yield* thread.library('cnd_wait', condition, mutex);
        yield* thread.library('mtx_unlock', mutex);
        return 0;
      });
      const signaller = world.function((thread) => thread.library('cnd_signal', condition));
      return function* (thread) {
        yield* inParallel(thread, waiter, signaller);
        return 0;
      };
    });
    expect(kindsOf(result)).toEqual(['deadlock']);
    expect(result.executions.complete).toBe(1);
  });

  /** Two wait, one signal: either of them can be the one that sleeps on. */
  const signals = (name: string) => (world: World) => {
    const [mutex, condition, ready, woken] = [world.global(24), world.global(48), world.global(4), world.global(4)];
    const waiter = world.function(function* (thread) {
      yield* thread.library('pthread_mutex_lock', mutex);
      yield* increment(thread, ready);
      yield* thread.library('pthread_cond_wait', condition, mutex);
      yield* increment(thread, woken);
      yield* thread.library('pthread_mutex_unlock', mutex);
      return 0;
    });
    return function* (thread: FakeThread) {
      for (let i = 0; i < 2; i++) yield* thread.spawn(waiter, [], site);
      yield* thread.library('pthread_mutex_lock', mutex);
      if ((yield* load(thread, ready)) < 2) yield* thread.block(site);
      yield* thread.library(name, condition);
      yield* thread.library('pthread_mutex_unlock', mutex);
      return 0;
    };
  };

  test('a signal wakes one of two', () => {
    expect(kindsOf(verdictOf(signals('pthread_cond_signal')))).toEqual(['deadlock']);
  });

  test('a broadcast wakes both', () => {
    expect(kindsOf(verdictOf(signals('pthread_cond_broadcast')))).toEqual([]);
  });

  test('a timed wait wakes in time, or not, and never sleeps for ever', () => {
    const results = new Set<string>();
    const make = (world: World): Body => {
      const [mutex, condition, flag] = [world.global(24), world.global(48), world.global(4)];
      const waiter = (name: string) =>
        world.function(function* (thread) {
          yield* thread.library('pthread_mutex_lock', mutex);
          let result = 0;
          if ((yield* load(thread, flag)) === 0) {
            result = (yield* thread.library('pthread_cond_timedwait', condition, mutex, 0)) as number;
          }
          results.add(`${name} ${result === 0 ? 'woken' : 'timed out'} ${yield* load(thread, flag)}`);
          yield* thread.library('pthread_mutex_unlock', mutex);
          return 0;
        });
      const bodies = [waiter('a'), waiter('b')];
      return function* (thread) {
        for (const body of bodies) yield* thread.spawn(body, [], site);
        yield* thread.library('pthread_mutex_lock', mutex);
        yield* thread.store(flag, I32, 1, site);
        yield* thread.library('pthread_cond_signal', condition);
        yield* thread.library('pthread_mutex_unlock', mutex);
        return 0;
      };
    };
    expect(kindsOf(verdictOf(make))).toEqual([]);
    for (const name of ['a', 'b']) {
      expect(results).toContain(`${name} woken 1`);
      expect(results).toContain(`${name} timed out 1`);
      expect(results).toContain(`${name} timed out 0`);
      expect(results).not.toContain(`${name} woken 0`);
    }
  });

  const trusting = (world: World): Body => {
    const [mutex, condition, flag] = [world.global(24), world.global(48), world.global(4)];
    const waiter = world.function(function* (thread) {
      yield* thread.library('pthread_mutex_lock', mutex);
      if ((yield* load(thread, flag)) === 0) yield* thread.library('pthread_cond_wait', condition, mutex);
      holds(thread, (yield* load(thread, flag)) === 1, 'woken by the signal');
      yield* thread.library('pthread_mutex_unlock', mutex);
      return 0;
    });
    return function* (thread) {
      yield* thread.spawn(waiter, [], site);
      yield* thread.library('pthread_mutex_lock', mutex);
      yield* thread.store(flag, I32, 1, site);
      yield* thread.library('pthread_cond_signal', condition);
      yield* thread.library('pthread_mutex_unlock', mutex);
      return 0;
    };
  };

  test('wake-ups without a signal are an option', () => {
    expect(kindsOf(verdictOf(trusting))).toEqual([]);
    expect(kindsOf(verdictOf(trusting, { spuriousWakeups: true }))).toEqual(['assertion']);
  });

  test('a loop around a wait ends though it wakes for nothing', () => {
    const result = check(handOver(1), { spuriousWakeups: true });
    expect(kindsOf(result)).toEqual([]);
    expect(result.executions.complete).toBeGreaterThan(2);
  });

  test('destroying one that is waited on is misuse', () => {
    const result = check((world) => {
      const [mutex, condition] = [world.global(24), world.global(48)];
      const waiter = world.function(function* (thread) {
        yield* thread.library('pthread_mutex_lock', mutex);
        yield* thread.library('pthread_cond_wait', condition, mutex);
        return 0;
      });
      return function* (thread) {
        yield* thread.spawn(waiter, [], site);
        yield* thread.library('pthread_cond_destroy', condition);
        return 0;
      };
    });
    expect(kindsOf(result)).toContain('lock-misuse');
  });

  test('destroying one right after a broadcast is not', () => {
    const result = verdictOf((world) => {
      const [mutex, condition, waits] = [world.global(24), world.global(48), world.global(4)];
      const waiter = world.function(function* (thread) {
        yield* thread.library('pthread_mutex_lock', mutex);
        yield* thread.store(waits, I32, 1, site);
        yield* thread.library('pthread_cond_wait', condition, mutex);
        yield* thread.library('pthread_mutex_unlock', mutex);
        return 0;
      });
      return function* (thread) {
        yield* thread.spawn(waiter, [], site);
        yield* thread.library('pthread_mutex_lock', mutex);
        if ((yield* load(thread, waits)) === 0) yield* thread.block(site);
        yield* thread.library('pthread_cond_broadcast', condition);
        yield* thread.library('pthread_cond_destroy', condition);
        yield* thread.library('pthread_mutex_unlock', mutex);
        return 0;
      };
    });
    expect(kindsOf(result)).toEqual([]);
  });
});

describe('read-write locks', () => {
  const program = (readers: number) => (world: World) => {
    const [lock, a, b] = [world.global(32), world.global(4), world.global(4)];
    const writer = world.function(function* (thread) {
      yield* thread.library('pthread_rwlock_wrlock', lock);
      yield* increment(thread, a);
      yield* increment(thread, b);
      yield* thread.library('pthread_rwlock_unlock', lock);
      return 0;
    });
    const reader = world.function(function* (thread) {
      yield* thread.library('pthread_rwlock_rdlock', lock);
      yield* thread.library('pthread_rwlock_rdlock', lock);
      holds(thread, (yield* load(thread, a)) === (yield* load(thread, b)), 'both or none');
      yield* thread.library('pthread_rwlock_unlock', lock);
      yield* thread.library('pthread_rwlock_unlock', lock);
      return 0;
    });
    return function* (thread: FakeThread) {
      yield* inParallel(thread, writer, ...Array.from({ length: readers }, () => reader));
      return 0;
    };
  };

  test('readers never see half of what a writer does', () => {
    expect(kindsOf(verdictOf(program(1)))).toEqual([]);
    expect(kindsOf(check(program(2)))).toEqual([]);
  });

  test('trying', () => {
    const world = new World();
    const lock = world.global(32);
    const [reader, writer] = [new FakeThread(world, 1), new FakeThread(world, 2)];
    expect(world.callOn(reader, 'pthread_rwlock_tryrdlock', lock)).toBe(0);
    expect(world.callOn(writer, 'pthread_rwlock_trywrlock', lock)).toBe(EBUSY);
    expect(world.callOn(writer, 'pthread_rwlock_timedwrlock', lock, 0)).toBe(ETIMEDOUT);
    expect(world.callOn(writer, 'pthread_rwlock_tryrdlock', lock)).toBe(0);
    world.callOn(writer, 'pthread_rwlock_unlock', lock);
    world.callOn(reader, 'pthread_rwlock_unlock', lock);
    expect(world.callOn(writer, 'pthread_rwlock_trywrlock', lock)).toBe(0);
    expect(world.callOn(reader, 'pthread_rwlock_tryrdlock', lock)).toBe(EBUSY);
    expect(world.callOn(reader, 'pthread_rwlock_timedrdlock', lock, 0)).toBe(ETIMEDOUT);
  });

  test('a thread that writes and wants to read blocks itself', () => {
    const result = verdictOf((world) => {
      const lock = world.global(32);
      return function* (thread) {
        yield* thread.library('pthread_rwlock_wrlock', lock);
        yield* thread.library('pthread_rwlock_rdlock', lock);
        return 0;
      };
    });
    expect(kindsOf(result)).toEqual(['deadlock']);
  });
});

describe('barriers', () => {
  const meeting = (n: number, rounds: number) => (world: World) => {
    const barrier = world.object(20);
    const cells = Array.from({ length: n }, () => world.global(4));
    const workers = cells.map((own) =>
      world.function(function* (thread) {
        let serial = 0;
        for (let round = 1; round <= rounds; round++) {
          yield* thread.store(own, I32, round, site);
          if ((yield* thread.library('pthread_barrier_wait', barrier)) === -1) serial++;
          for (const cell of cells) holds(thread, (yield* load(thread, cell)) === round, 'all have come');
          yield* thread.library('pthread_barrier_wait', barrier);
        }
        return serial;
      }),
    );
    return function* (thread: FakeThread) {
      yield* thread.library('pthread_barrier_init', barrier, 0, n);
      yield* inParallel(thread, ...workers);
      yield* thread.library('pthread_barrier_destroy', barrier);
      return 0;
    };
  };

  test('each meeting of n threads has n! orders', () => {
    expect(check(meeting(2, 1)).executions).toMatchObject({ complete: 4 });
    expect(check(meeting(3, 1)).executions).toMatchObject({ complete: 36 });
    expect(kindsOf(verdictOf(meeting(2, 1)))).toEqual([]);
    expect(check(meeting(2, 2)).executions).toMatchObject({ complete: 16 });
  });

  test('too few threads wait for ever', () => {
    const result = verdictOf((world) => {
      const barrier = world.global(20);
      return function* (thread) {
        yield* thread.library('pthread_barrier_init', barrier, 0, 2);
        yield* thread.library('pthread_barrier_wait', barrier);
        return 0;
      };
    });
    expect(kindsOf(result)).toEqual(['deadlock']);
  });

  test('it can be initialised again', () => {
    const world = new World();
    const barrier = world.global(20);
    for (let i = 0; i < 2; i++) {
      expect(world.call('pthread_barrier_init', barrier, 0, 1)).toBe(0);
      expect(world.call('pthread_barrier_wait', barrier)).toBe(-1);
      expect(world.call('pthread_barrier_destroy', barrier)).toBe(0);
    }
  });
});

describe('once', () => {
  test('one thread runs the function, the others see what it did', () => {
    const result = verdictOf((world) => {
      const [control, value] = [world.global(4), world.global(4)];
      const init = world.function(function* (thread) {
        yield* increment(thread, value);
        return undefined;
      });
      const worker = world.function(function* (thread) {
        yield* thread.library('pthread_once', control, init);
        holds(thread, (yield* load(thread, value)) === 1, 'done once');
        return 0;
      });
      return function* (thread) {
        yield* inParallel(thread, worker, worker);
        return 0;
      };
    });
    expect(kindsOf(result)).toEqual([]);
  });

  test('a function that calls itself once more waits for ever', () => {
    const result = verdictOf((world) => {
      const control = world.global(4);
      const init = world.function((thread) => thread.library('pthread_once', control, init));
      return function* (thread) {
        yield* thread.library('call_once', control, init);
        return 0;
      };
    });
    expect(kindsOf(result)).toEqual(['deadlock']);
  });
});

describe('semaphores', () => {
  const producing = (posts: number) => (world: World) => {
    const [semaphore, data] = [world.object(16), world.global(4)];
    const consumer = world.function(function* (thread) {
      yield* thread.library('sem_wait', semaphore);
      yield* thread.library('sem_wait', semaphore);
      holds(thread, (yield* load(thread, data)) === 2, 'both are there');
      return 0;
    });
    return function* (thread: FakeThread) {
      yield* thread.library('sem_init', semaphore, 0, 0);
      yield* thread.spawn(consumer, [], site);
      for (let i = 0; i < posts; i++) {
        yield* increment(thread, data);
        yield* thread.library('sem_post', semaphore);
      }
      return 0;
    };
  };

  test('a wait takes what a post gave', () => {
    expect(kindsOf(verdictOf(producing(2)))).toEqual([]);
    expect(kindsOf(verdictOf(producing(1)))).toEqual(['deadlock']);
  });

  test('trying, and asking', () => {
    const world = new World();
    const [semaphore, result] = [world.global(16), world.global(4)];
    world.call('sem_init', semaphore, 0, 1);
    expect(world.call('sem_trywait', semaphore)).toBe(0);
    expect(world.call('sem_trywait', semaphore)).toBe(-1);
    expect(world.word(world.literal('errno: '))).toBe(6);
    expect(world.call('sem_timedwait', semaphore, 0)).toBe(-1);
    expect(world.word(world.literal('errno: '))).toBe(ETIMEDOUT);
    world.call('sem_post', semaphore);
    world.call('sem_post', semaphore);
    world.call('sem_getvalue', semaphore, result);
    expect(world.word(result)).toBe(2);
  });
});

describe('objects in memory that nobody initialised', () => {
  const uses: [string, number, (thread: FakeThread, pointer: number) => Run<unknown>][] = [
    ['a mutex', 24, (thread, pointer) => thread.library('pthread_mutex_lock', pointer)],
    ['a condition variable', 48, (thread, pointer) => thread.library('pthread_cond_signal', pointer)],
    ['a read-write lock', 32, (thread, pointer) => thread.library('pthread_rwlock_rdlock', pointer)],
    ['a semaphore', 16, (thread, pointer) => thread.library('sem_post', pointer)],
    ['pthread_once_t', 4, (thread, pointer) => thread.library('pthread_once', pointer, 0)],
  ];
  for (const [name, size, use] of uses) {
    test(`${name} is an error`, () => {
      const result = check((world) => {
        const pointer = world.object(size);
        return function* (thread) {
          yield* use(thread, pointer);
          return 0;
        };
      });
      expect(kindsOf(result)).toEqual(['lock-misuse']);
      expect(result.errors[0]?.message).toContain('not initialised');
    });
  }

  test('zero bytes are an initialiser', () => {
    const world = new World();
    const condition = world.object(48);
    world.setWord(condition, 0);
    expect(world.call('pthread_cond_signal', condition)).toBe(0);
    world.setWord(condition, 77);
    expect(() => world.call('pthread_cond_signal', condition)).toThrow('not initialised');
  });

  test('a function writes them', () => {
    const world = new World();
    const mutex = world.object(24);
    world.call('pthread_mutex_init', mutex, 0);
    expect(world.call('pthread_mutex_lock', mutex)).toBe(0);
  });
});

describe('threads', () => {
  test('create, join, exit and what is returned', () => {
    const result = verdictOf((world) => {
      const [identity, value] = [world.global(4), world.global(4)];
      const worker = world.function(function* (thread, argument) {
        holds(thread, (yield* thread.library('pthread_self')) === 2, 'the second thread');
        if (argument === 7) yield* thread.library('pthread_exit', 8);
        return argument;
      });
      return function* (thread) {
        for (const [argument, expected] of [
          [5, 5],
          [7, 8],
        ] as const) {
          yield* thread.library('pthread_create', identity, 0, worker, argument);
          const created = yield* load(thread, identity);
          if (argument === 7) break;
          holds(thread, (yield* thread.library('pthread_equal', created, 1)) === 0, 'not main');
          yield* thread.library('pthread_join', created, value);
          holds(thread, (yield* load(thread, value)) === expected, 'what it returned');
          return 0;
        }
        return 0;
      };
    });
    expect(kindsOf(result)).toEqual([]);
  });

  test('C11: results are ints', () => {
    const result = verdictOf((world) => {
      const [identity, value] = [world.global(4), world.global(4)];
      const worker = world.function((thread, argument) => thread.library('thrd_exit', (argument as number) - 10));
      return function* (thread) {
        holds(thread, (yield* thread.library('thrd_create', identity, worker, 3)) === 0, 'success');
        holds(thread, (yield* thread.library('thrd_join', yield* load(thread, identity), value)) === 0, 'success');
        holds(thread, (yield* load(thread, value)) === -7, 'what it returned');
        holds(thread, (yield* thread.library('thrd_join', 1, 0)) === 2, 'not itself');
        return 0;
      };
    });
    expect(kindsOf(result)).toEqual([]);
  });

  test('joining oneself is an error number, joining twice is an error', () => {
    const world = new World();
    expect(world.call('pthread_join', 1, 0)).toBe(EDEADLK);
    const result = check((w) => {
      const worker = w.function(function* () {
        return 0;
      });
      return function* (thread) {
        const created = yield* thread.spawn(worker, [], site);
        yield* thread.library('pthread_join', created, 0);
        yield* thread.library('pthread_join', created, 0);
        return 0;
      };
    });
    expect(kindsOf(result)).toEqual(['abort']);
  });

  test('data of a thread is destroyed when it ends, in rounds', () => {
    const destroyed: number[] = [];
    const result = check((world) => {
      const key = world.global(4);
      const destructor = world.function(function* (thread, value) {
        destroyed.push(value as number);
        if ((value as number) < 3) {
          yield* thread.library('pthread_setspecific', yield* load(thread, key), (value as number) + 1);
        }
        return undefined;
      });
      const worker = world.function(function* (thread) {
        const number = yield* load(thread, key);
        holds(thread, (yield* thread.library('pthread_getspecific', number)) === 0, 'nothing yet');
        yield* thread.library('pthread_setspecific', number, 1);
        holds(thread, (yield* thread.library('tss_get', number)) === 1, 'its own');
        return 0;
      });
      return function* (thread) {
        yield* thread.library('pthread_key_create', key, destructor);
        yield* thread.library('pthread_setspecific', yield* load(thread, key), 100); // main returns: not destroyed
        yield* inParallel(thread, worker);
        holds(thread, (yield* thread.library('pthread_getspecific', yield* load(thread, key))) === 100, 'its own');
        return 0;
      };
    });
    expect(kindsOf(result)).toEqual([]);
    expect(destroyed.slice(0, 3)).toEqual([1, 2, 3]);
    expect(destroyed).not.toContain(100);
  });

  test('clean-up handlers run when a thread exits, latest first', () => {
    const ran: number[] = [];
    const world = new World();
    const handler = world.function(function* (_thread, argument) {
      ran.push(argument as number);
      return undefined;
    });
    expect(
      kindsOf(
        checkSync(
          programOf(world, function* (thread) {
            for (const n of [1, 2, 3]) yield* thread.library('_pthread_cleanup_push', 0, handler, n);
            yield* thread.library('_pthread_cleanup_pop', 0, 0);
            yield* thread.library('pthread_exit', 0);
            return 0;
          }),
          { algorithm: 'dfs' },
        ),
      ),
    ).toEqual([]);
    expect(ran.slice(0, 2)).toEqual([2, 1]);
  });

  test('handlers of atexit run when main returns and at exit', () => {
    for (const ends of ['return', 'exit']) {
      const ran: number[] = [];
      const world = new World();
      const handlers = [1, 2].map((n) =>
        world.function(function* () {
          ran.push(n);
          return undefined;
        }),
      );
      const program = programOf(world, function* (thread) {
        for (const handler of handlers) yield* thread.library('atexit', handler);
        if (ends === 'exit') yield* thread.library('exit', 0);
        return 0;
      });
      expect(kindsOf(checkSync(program, { algorithm: 'dfs' }))).toEqual([]);
      expect(ran.slice(0, 2)).toEqual([2, 1]);
    }
  });

  test('attributes can be set and asked for', () => {
    const world = new World();
    const [attribute, result] = [world.object(36), world.global(4)];
    world.call('pthread_attr_init', attribute);
    world.call('pthread_attr_setstacksize', attribute, 65536);
    world.call('pthread_attr_getstacksize', attribute, result);
    expect(world.word(result)).toBe(65536);
    world.call('pthread_attr_getdetachstate', attribute, result);
    expect(world.word(result)).toBe(0);
    expect(world.call('pthread_attr_destroy', attribute)).toBe(0);
  });
});
