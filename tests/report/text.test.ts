/** The report for people, as people see it: read these snapshots when they change. */
import { describe, expect, test } from 'vitest';
import { type CheckResult, checkSync, mutex, program, spawn, type ThreadBody } from '../../src/index.ts';
import { counted, showTime } from '../../src/report/words.ts';
import { resultOf, text } from './reports.ts';

describe('the failing execution of', () => {
  test('an assertion', async () => {
    expect(text(await resultOf('counter'), { traceFile: 't.json' })).toMatchInlineSnapshot(`
      "✘ error: assertion failed in execution 2 (model sc, algorithm trust, 12 ms)

      assertion failed: an increment was lost
        in main, at counter.ts:12:3
          12 │   assert((yield* x.load()) === 2, 'an increment was lost');
             │   ^

      The steps that lead there, in the order in which they happen (1 preemption):

           main                increment 1       increment 2
       1   spawn increment 1                                       counter.ts:10
       2   spawn increment 2                                       counter.ts:10
       3                                         x → 0 (initial)   counter.ts:6
       4                       x → 0 (initial)                     counter.ts:6
       5                       x = 1                               counter.ts:7
       6                                         x = 1             counter.ts:7
       7   join increment 1                                        counter.ts:11
       8   join increment 2                                        counter.ts:11
       9   x → 1 ⟵ #6                                              counter.ts:12
       ✘   assertion failed                                        counter.ts:12

      x = 1: a store · x → 1: a load that gave 1 · ⟵ #n: written by step n

      Hint: Go up from the failed assertion and see which step each value was read from. If another thread
      comes between a read and the write that depends on it, make the two one step (fetchAdd,
      compareExchange) or hold a mutex around them.

      To run this execution again, step by step: heddle replay t.json
      "
    `);
  });

  test('a race', async () => {
    expect(text(await resultOf('race'), { mentionTrace: true })).toMatchInlineSnapshot(`
      "✘ error: data race in execution 1 (model sc, algorithm trust, 12 ms)

      data race on data: main loads and writer stores it, and nothing orders the two
        main loads at race.ts:8:15
          8 │   yield* data.load();
            │               ^
        writer stores at race.ts:6:17
          6 │     yield* data.store(1);
            │                 ^

      The steps that lead there, in the order in which they happen (0 preemptions):

           main                 writer
       1   spawn writer                                  race.ts:5
       2   data → 0 (initial)                            race.ts:8
       ✘                        data = 1 races with #2   race.ts:6

      x = 1: a store · x → 1: a load that gave 1

      Hint: The two accesses are not atomic, and no lock, join or atomic access makes one happen before
      the other, so the program has no defined result. Hold the same mutex around both, or make the
      variable atomic(…).

      To keep this execution for replay, add: --trace FILE.json
      "
    `);
  });

  test('a deadlock', async () => {
    expect(text(await resultOf('deadlock'))).toMatchInlineSnapshot(`
      "✘ error: deadlock in execution 2 (model sc, algorithm trust, 12 ms)

      deadlock: nothing can run any more; waiting: main, worker

      The steps that lead there, in the order in which they happen (1 preemption):

           main           worker
       1   spawn worker                  deadlock.ts:6
       2   lock a                        deadlock.ts:12
       3                  lock b         deadlock.ts:7
       ✘   lock b waits                  deadlock.ts:13
       ✘                  lock a waits   deadlock.ts:8

      Where the threads stand:
        main waits for the lock b, which worker took in step 3, at deadlock.ts:13:12
          13 │   yield* b.lock();
             │            ^
        worker waits for the lock a, which main took in step 2, at deadlock.ts:8:14
          8 │     yield* a.lock();
            │              ^

      Hint: No thread that is left can go on. If they wait for locks of each other: take the locks in the
      same order everywhere. If one waits for a lock that it holds itself, or whose holder has ended: an
      unlock is missing (mutex.withLock(…) pairs them). If one waits for a thread to end: look at what
      that thread waits for.
      "
    `);
  });

  test('a livelock', async () => {
    expect(text(await resultOf('livelock'))).toMatchInlineSnapshot(`
      "✘ error: livelock in execution 1 (model sc, algorithm trust, 12 ms)

      livelock: a wait that nothing will end; waiting: main, worker

      The steps that lead there, in the order in which they happen (0 preemptions):

           main                worker
       1   spawn worker                           livelock.ts:5
       2   flag = 1                               livelock.ts:8
       ✘   join worker waits                      livelock.ts:9
       ✘                       await flag waits   livelock.ts:6

      x = 1: a store

      Where the threads stand:
        main waits for worker to end, at livelock.ts:9:17
          9 │   yield* worker.join();
            │                 ^
        worker waits for another value of flag; the last one written is 1 (step 2), at livelock.ts:6:12
          6 │     yield* awaitUntil(flag, (value) => value === 2);
            │            ^

      Hint: A thread waits for a value that no thread will write any more. Look for a write that is
      missing, one that another write can overtake, or a condition that compares with the wrong value.
      "
    `);
  });

  test('a lock misused', async () => {
    expect(text(await resultOf('unlock-stranger'))).toMatchInlineSnapshot(`
      "✘ error: lock misuse in execution 1 (model sc, algorithm trust, 12 ms)

      lock misuse: thread thief unlocks a mutex, which it does not hold
        in thief, at unlock-stranger.ts:7:14
          7 │     yield* m.unlock();
            │              ^

      The steps that lead there, in the order in which they happen (0 preemptions):

           main          thief
       1   lock m                      unlock-stranger.ts:5
       2   spawn thief                 unlock-stranger.ts:6
       ✘                 lock misuse   unlock-stranger.ts:7

      Hint: Only the thread that holds a mutex may unlock it, and a mutex is not recursive.
      mutex.withLock(…) pairs lock and unlock.
      "
    `);
  });

  test('an exception, with one of each kind of operation', async () => {
    expect(text(await resultOf('values'))).toMatchInlineSnapshot(`
      "✘ error: uncaught exception in execution 1 (model sc, algorithm trust, 12 ms)

      uncaught exception: RangeError: at the end
        in main, at values.ts:36:9
          36 │   throw new RangeError('at the end');
             │         ^

      The steps that lead there, in the order in which they happen (0 preemptions):

           main                               worker
       1   spawn worker                                                                        values.ts:18
       2   odd → -0 (initial)                                                                  values.ts:25
       3   trylock the "lock" ✓                                                                values.ts:26
       4   trylock the "lock" ✗                                                                values.ts:27
       5   unlock the "lock"                                                                   values.ts:28
       6   choose → 0                                                                          values.ts:29
       7   fence                                                                               values.ts:30
       8   yield                                                                               values.ts:31
       9   cas odd 1→2 ✗ (was -0) (initial)                                                    values.ts:32
      10   cas odd -0→NaN ✓ (initial)                                                          values.ts:33
      11   fetchAdd big 1n→2n (initial)                                                        values.ts:34
      12                                      await big → 2n ⟵ #11                             values.ts:19
      13                                      exchange odd NaN→{ self: { self: {…} } } ⟵ #10   values.ts:20
      14                                      odd = Node { value: 1 }                          values.ts:21
      15                                      odd = { colour: "red", list: [1, null] }         values.ts:22
      16   join worker → 7n                                                                    values.ts:35
       ✘   uncaught exception                                                                  values.ts:36

      x = 1: a store · x → 1: a load that gave 1 · ⟵ #n: written by step n

      Hint: The code of a thread threw this exception in this execution. If it stems from a value that was
      read, see which step wrote it. To state what must hold, use assert(…).
      "
    `);
  });

  test('several errors', async () => {
    expect(text(await resultOf('two-errors', { keepGoing: true }))).toMatchInlineSnapshot(`
      "✘ errors: 2 different errors in 3 executions (model sc, algorithm trust, 12 ms)

      1. assertion failed: saw 1
        in main, at two-errors.ts:10:3
          10 │   assert(seen !== 1, 'saw 1');
             │   ^

      The steps that lead there, in the order in which they happen (2 preemptions):

           main               writer
       1   spawn writer                two-errors.ts:5
       2                      x = 1    two-errors.ts:6
       3   x → 1 ⟵ #2                  two-errors.ts:9
       ✘   assertion failed            two-errors.ts:10

      x = 1: a store · x → 1: a load that gave 1 · ⟵ #n: written by step n

      2. assertion failed: saw 2
        in main, at two-errors.ts:11:3
          11 │   assert(seen !== 2, 'saw 2');
             │   ^

      The steps that lead there, in the order in which they happen (1 preemption):

           main               writer
       1   spawn writer                two-errors.ts:5
       2                      x = 1    two-errors.ts:6
       3                      x = 2    two-errors.ts:7
       4   x → 2 ⟵ #3                  two-errors.ts:9
       ✘   assertion failed            two-errors.ts:11

      Hint: Go up from the failed assertion and see which step each value was read from. If another thread
      comes between a read and the write that depends on it, make the two one step (fetchAdd,
      compareExchange) or hold a mutex around them.
      "
    `);
  });

  test('an assertion, where there is no room for columns', async () => {
    expect(text(await resultOf('counter'), { width: 50 })).toMatchInlineSnapshot(`
      "✘ error: assertion failed in execution 2 (model sc, algorithm trust, 12 ms)

      assertion failed: an increment was lost
        in main, at counter.ts:12:3
          12 │   assert((yield* x.load()) === 2, 'an increment was lost');
             │   ^

      The steps that lead there, in the order in which they happen (1 preemption):

       1  [main]        spawn increment 1  counter.ts:10
       2  [main]        spawn increment 2  counter.ts:10
       3  [increment 2] x → 0 (initial)    counter.ts:6
       4  [increment 1] x → 0 (initial)    counter.ts:6
       5  [increment 1] x = 1              counter.ts:7
       6  [increment 2] x = 1              counter.ts:7
       7  [main]        join increment 1   counter.ts:11
       8  [main]        join increment 2   counter.ts:11
       9  [main]        x → 1 ⟵ #6         counter.ts:12
       ✘  [main]        assertion failed   counter.ts:12

      x = 1: a store · x → 1: a load that gave 1 · ⟵ #n:
      written by step n

      Hint: Go up from the failed assertion and see
      which step each value was read from. If another
      thread comes between a read and the write that
      depends on it, make the two one step (fetchAdd,
      compareExchange) or hold a mutex around them.
      "
    `);
  });
});

describe('a thread that waits for a lock', () => {
  const standing = (main: () => ThreadBody<unknown>): string =>
    text(checkSync(program(main))).split('stand:\n')[1] ?? '';

  test('that it holds itself', () => {
    const report = standing(function* () {
      const m = mutex();
      yield* m.lock();
      yield* m.lock();
    });
    expect(report).toContain('main waits for the lock m, which it holds itself since step 1, at ');
  });

  test('whose holder has ended', () => {
    const report = standing(function* () {
      const m = mutex();
      const forgetful = yield* spawn(function* forgetful() {
        yield* m.lock();
      });
      yield* forgetful.join();
      yield* m.lock();
    });
    expect(report).toContain(
      'main waits for the lock m, which forgetful took in step 2 and ended without unlocking it, at ',
    );
  });
});

describe('the verdict', () => {
  const sentence = (result: CheckResult): string => text(result).split('\n')[0] as string;

  test('of a proof', async () => {
    expect(text(await resultOf('verified'))).toBe(
      '✔ verified: 2 executions, no error (model sc, algorithm trust, 12 ms)\n',
    );
    expect(sentence(await resultOf('verified', { equivalence: 'rf' }))).toContain(
      '(model sc, algorithm trust, equivalence rf, 12 ms)',
    );
  });

  test('of a proof about nothing has a note', async () => {
    expect(text(await resultOf('blocked'))).toMatchInlineSnapshot(`
      "✔ verified: 1 execution (1 blocked), no error (model sc, algorithm trust, 12 ms)

      Note: no execution ran to its end; a failed assume (or an await) stopped every one of them.
      "
    `);
  });

  test('counts what did not run to its end', async () => {
    const result = await resultOf('verified');
    const executions = {
      complete: 1234567,
      blocked: 2,
      redundant: 3,
      overBound: 0,
      erroneous: 0,
      pruned: 0,
      boundBlocked: 0,
    };
    expect(sentence({ ...result, executions })).toBe(
      '✔ verified: 1,234,572 executions (1,234,567 complete, 2 blocked, 3 redundant), no error (model sc, algorithm trust, 12 ms)',
    );
  });

  test('says what cut the search short', async () => {
    const result: CheckResult = { ...(await resultOf('verified')), verdict: 'incomplete' };
    expect(sentence({ ...result, stoppedBy: 'executions' })).toContain(
      'the limit on executions (--max-executions) stopped the search',
    );
    expect(sentence({ ...result, stoppedBy: 'timeout' })).toContain('the time limit (--timeout) stopped the search');
    expect(sentence({ ...result, stoppedBy: 'interrupt' })).toContain('the search was interrupted');
    const short = text({ ...result, stoppedBy: 'memory' });
    expect(short).toContain('but memory ran short before all were explored');
    expect(short).toContain('NODE_OPTIONS=--max-old-space-size=8000 heddle …');
    expect(short).not.toContain('--algorithm trust');
    expect(text({ ...result, algorithm: 'optimal', stoppedBy: 'memory' })).toContain('--algorithm trust');
  });

  test('says "verified" of a proof only', async () => {
    const result = await resultOf('verified');
    for (const verdict of ['bounded', 'incomplete'] as const)
      expect(text({ ...result, verdict })).not.toContain('verified');
    for (const name of ['counter', 'race', 'deadlock', 'livelock'])
      expect(text(await resultOf(name))).not.toContain('verified');
  });
});

test('a long execution is cut in the middle', async () => {
  const result = await resultOf('counter');
  const [error] = result.errors;
  if (error === undefined) throw new Error('the counter must fail');
  const steps = Array.from({ length: 500 }, (_, i) => ({ thread: 0, op: 'store', location: 'x', written: i }) as const);
  const report = text({ ...result, errors: [{ ...error, execution: { ...error.execution, steps } }] });
  expect(report).toContain('100   x = 99\n… 301 steps left out …\n402   x = 401\n');
  expect(report).toContain('500   x = 499\n  ✘   assertion failed');
});

test('colour changes nothing but colour', async () => {
  for (const name of ['counter', 'race', 'deadlock', 'values', 'verified']) {
    const result = await resultOf(name);
    const coloured = text(result, { colour: true });
    expect(coloured).toContain('\x1b[');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colour is made of
    expect(coloured.replaceAll(/\x1b\[\d+m/g, '')).toBe(text(result));
  }
});

test('no line is wider than it must be: columns, or a list', async () => {
  for (const width of [60, 80, 120]) {
    for (const line of text(await resultOf('counter'), { width }).split('\n')) {
      if (/^ *\d+ {2}/.test(line)) expect(line.length).toBeLessThanOrEqual(width);
    }
  }
});

test('a trace file with a strange name is quoted', async () => {
  expect(text(await resultOf('counter'), { traceFile: "it's.json" })).toContain("heddle replay 'it'\\''s.json'\n");
});

test('words and numbers', () => {
  expect([counted(1, 'step'), counted(0, 'step'), counted(12345, 'step')]).toEqual([
    '1 step',
    '0 steps',
    '12,345 steps',
  ]);
  expect([3.4, 999, 12_340, 75_000, 3_700_000].map(showTime)).toEqual([
    '3 ms',
    '999 ms',
    '12.3 s',
    '1 min 15 s',
    '1 h 1 min',
  ]);
});
