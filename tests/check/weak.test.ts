/** Executions that are not sequentially consistent: how they are told, and whether their errors need them. */
import { describe, expect, test } from 'vitest';
import { recordError } from '../../src/check/record.ts';
import { keyOf } from '../../src/check/sameness.ts';
import type { Finding } from '../../src/explore/explorer.ts';
import {
  assert,
  atomic,
  awaitUntil,
  type CheckError,
  type CheckOptions,
  type CheckResult,
  checkSync,
  choose,
  type Program,
  program,
  shared,
  spawn,
  type ThreadBody,
} from '../../src/index.ts';
import type { Execution, ExecutionStep } from '../../src/program/execution.ts';
import { Location } from '../../src/program/location.ts';
import { errorOfTrace, readTrace } from '../../src/report/read-trace.ts';
import { replaySteps } from '../../src/report/replay.ts';
import type { Trace } from '../../src/report/schema.ts';
import { traceOf, traceText } from '../../src/report/trace.ts';
import { bare, cell, free, join, lifetime, malloc, spawn as spawnOf, store } from '../program/bare.ts';
import { source, text } from '../report/reports.ts';
import { byTier } from '../tier.ts';
import { outcomesProgram } from './outcomes.ts';

const models = ['tso', 'pso', 'ra', 'rc11'] as const;

/** Threads over the variables x and y; the main thread joins all of them and fails. */
function litmus(...bodies: readonly ((x: Variable, y: Variable) => ThreadBody<unknown>)[]): Program {
  return program(function* () {
    const x = atomic(0);
    const y = atomic(0);
    const threads = [];
    for (const body of bodies) threads.push(yield* spawn(body, x, y));
    for (const thread of threads) yield* thread.join();
    assert(false, 'the end');
  });
}

type Variable = ReturnType<typeof atomic<number>>;

type StepByPath = Omit<ExecutionStep, 'thread'> & { readonly path: string };

/** Its numbers of threads are not those that a run gives them: only their paths matter. */
function witnessOf(steps: readonly StepByPath[]): Execution {
  const paths = [...new Set(steps.map(({ path }) => path))].reverse();
  return {
    threads: paths.map((path, id) => ({ id, path })),
    steps: steps.map(({ path, ...step }) => ({ ...step, thread: paths.indexOf(path) })),
  };
}

function findingOf(steps: readonly StepByPath[], rest: Partial<Finding> = {}): Finding {
  const witness = witnessOf(steps);
  return { kind: 'assertion', message: 'the end', position: undefined, threads: ['0'], witness, ...rest };
}

const main: StepByPath = { path: '0' };

/** "0.0 x=1", "0.1 x→0 missed 3": the steps that access a variable. */
function accesses({ execution: { threads, steps } }: CheckError): string[] {
  return steps.flatMap((step, i) => {
    if (step.location === undefined) return [];
    const path = threads.find(({ id }) => id === step.thread)?.path;
    const what = 'written' in step ? `=${step.written}` : `→${step.read}`;
    const missed = step.missed === undefined ? '' : ` missed ${step.missed}`;
    const late = step.takesEffectBefore === undefined ? '' : ` before ${step.takesEffectBefore}`;
    return [`#${i} ${path} ${step.location}${what}${missed}${late}`];
  });
}

describe('a witness', () => {
  const storeBuffering = litmus(
    function* (x, y) {
      yield* x.store(1, 'relaxed');
      yield* y.load('relaxed');
    },
    function* (x, y) {
      yield* y.store(1, 'relaxed');
      yield* x.load('relaxed');
    },
  );

  test('of store buffering has one stale read', () => {
    const error = recordError(
      storeBuffering,
      findingOf([
        ...[main, main],
        { path: '0.0', coherence: 0 },
        { path: '0.1', coherence: 0 },
        { path: '0.0', readsFrom: -1 },
        { path: '0.1', readsFrom: -1 },
        ...[main, main],
      ]),
    );
    expect(accesses(error)).toEqual(['#2 0.0 x=1', '#3 0.0 y→0', '#4 0.1 y=1', '#5 0.1 x→0 missed 2']);
    expect(error.execution.preemptions).toBeUndefined();
  });

  test('that memory could have run is told so, whatever its own order', () => {
    const error = recordError(
      storeBuffering,
      findingOf([
        ...[main, main],
        { path: '0.0', coherence: 0 },
        { path: '0.1', coherence: 0 },
        { path: '0.0', readsFrom: 3 },
        { path: '0.1', readsFrom: -1 }, // the store of x is told too early
        ...[main, main],
      ]),
    );
    expect(accesses(error)).toEqual(['#2 0.1 y=1', '#3 0.1 x→0', '#4 0.0 x=1', '#5 0.0 y→1']);
    expect(error.execution.preemptions).toBe(0);
    expect(error.execution.steps.every((step) => step.coherence === undefined)).toBe(true);
  });

  test('of message passing misses the message', () => {
    const error = recordError(
      litmus(
        function* (x, y) {
          yield* x.store(1, 'relaxed');
          yield* y.store(1, 'relaxed');
        },
        function* (x, y) {
          yield* y.load('relaxed');
          yield* x.load('relaxed');
        },
      ),
      findingOf([
        ...[main, main],
        { path: '0.0', coherence: 0 },
        { path: '0.0', coherence: 0 },
        { path: '0.1', readsFrom: 3 },
        { path: '0.1', readsFrom: -1 },
        ...[main, main],
      ]),
    );
    expect(accesses(error)).toEqual(['#2 0.0 x=1', '#3 0.0 y=1', '#4 0.1 y→1', '#5 0.1 x→0 missed 2']);
  });

  test('of two writers and two readers has one stale read', () => {
    const store = (place: 0 | 1) =>
      function* (...variables: [Variable, Variable]) {
        yield* variables[place].store(1);
      };
    const loads = (first: 0 | 1) =>
      function* (...variables: [Variable, Variable]) {
        yield* variables[first].load('acquire');
        yield* (variables[1 - first] as Variable).load('acquire');
      };
    const error = recordError(
      litmus(store(0), store(1), loads(0), loads(1)),
      findingOf([
        ...[main, main, main, main],
        { path: '0.0', coherence: 0 },
        { path: '0.1', coherence: 0 },
        { path: '0.2', readsFrom: 4 },
        { path: '0.2', readsFrom: -1 },
        { path: '0.3', readsFrom: 5 },
        { path: '0.3', readsFrom: -1 },
        ...[main, main, main, main],
      ]),
    );
    expect(accesses(error).filter((access) => access.includes('missed'))).toEqual(['#9 0.3 x→0 missed 4']);
  });

  test('in which waits are stuck on the writes that come last, though others are told after them', () => {
    const waiting = program(function* () {
      const x = atomic(0);
      const y = atomic(0);
      yield* spawn(function* () {
        yield* x.store(1, 'relaxed');
        yield* y.store(2, 'relaxed');
      });
      yield* spawn(function* () {
        yield* y.store(1, 'relaxed');
        yield* x.store(2, 'relaxed');
      });
      yield* spawn(function* () {
        yield* awaitUntil(x, (value) => value === 2);
      });
      yield* awaitUntil(y, (value) => value === 2);
    });
    const error = recordError(
      waiting,
      findingOf(
        [
          ...[main, main, main],
          { path: '0.0', coherence: 1 },
          { path: '0.0', coherence: 0 },
          { path: '0.1', coherence: 1 },
          { path: '0.1', coherence: 0 },
        ],
        { kind: 'livelock', threads: ['0', '0.2'] },
      ),
    );
    expect(accesses(error)).toEqual(['#3 0.0 x=1', '#4 0.0 y=2', '#5 0.1 y=1', '#6 0.1 x=2 before 3']);
    expect(error.execution.steps.slice(3).map(({ coherence }) => coherence)).toEqual([2, 1, 2, 1]);
    expect(error.execution.ends.map(({ state }) => state)).toEqual(['waiting', 'ended', 'ended', 'waiting']);
    expect(error.execution.preemptions).toBeUndefined();
  });

  test('that is long is told in reasonable time', () => {
    const rounds = 400;
    const side = (own: 0 | 1) =>
      function* (...variables: [Variable, Variable]) {
        for (let i = 0; i < rounds; i++) {
          yield* variables[own].store(i + 1, 'relaxed');
          yield* (variables[1 - own] as Variable).load('relaxed');
        }
      };
    const steps = [0, 1].flatMap((t) =>
      Array.from({ length: rounds }, (_, i) => [
        { path: `0.${t}`, coherence: i },
        { path: `0.${t}`, readsFrom: -1 },
      ]).flat(),
    );
    const error = recordError(litmus(side(0), side(1)), findingOf([main, main, ...steps, main, main]));
    expect(error.execution.steps.filter(({ missed }) => missed !== undefined).length).toBe(rounds);
  });
});

function resultFor(body: () => ThreadBody<unknown>, options: CheckOptions) {
  return checkSync(program(body), options).errors;
}

describe('under sequential consistency', () => {
  function* storeBuffering(): ThreadBody<void> {
    const [x, y] = [atomic(0), atomic(0)];
    const left = yield* spawn(function* () {
      yield* x.store(1, 'relaxed');
      return yield* y.load('relaxed');
    });
    yield* y.store(1, 'relaxed');
    const seen = yield* x.load('relaxed');
    assert(seen + (yield* left.join()) > 0, 'both read 0');
  }

  test.each(models)('an error of %s may be impossible', (model) => {
    const [error] = resultFor(storeBuffering, { model });
    expect(error).toMatchObject({ kind: 'assertion', underSc: 'impossible' });
    expect(error?.execution.preemptions).toBeUndefined();
  });

  test('the question is not asked there, nor if it should not be', () => {
    expect(resultFor(storeBuffering, { model: 'rc11', underSc: false })[0]).not.toHaveProperty('underSc');
    function* fails(): ThreadBody<void> {
      yield* atomic(0).load();
      assert(false);
    }
    expect(resultFor(fails, { model: 'sc' })[0]).not.toHaveProperty('underSc');
    expect(resultFor(fails, { model: 'rc11' })[0]?.underSc).toBe('possible');
  });

  test.each(['ra', 'rc11'])('a race of %s is none if atomic accesses of any order come between', (model) => {
    const publication = (order: 'relaxed' | 'release') =>
      resultFor(
        function* () {
          const data = shared(0);
          const ready = atomic(0);
          yield* spawn(function* () {
            yield* data.store(1);
            yield* ready.store(1, order);
          });
          if ((yield* ready.load('acquire')) === 1) yield* data.load();
        },
        { model },
      );
    expect(publication('relaxed')).toMatchObject([{ kind: 'race', underSc: 'impossible' }]);
    expect(publication('relaxed')[0]?.execution.preemptions).toBeDefined();
    expect(publication('release')).toEqual([]);
  });

  test('a race that nothing orders is one', () => {
    const [error] = resultFor(
      function* () {
        const data = shared(0);
        yield* spawn(function* () {
          yield* data.store(1);
        });
        yield* data.load();
      },
      { model: 'rc11' },
    );
    expect(error).toMatchObject({ kind: 'race', underSc: 'possible' });
  });

  /** A user of an object says that it is done; then the object is freed, or its successor used. */
  const handover = (then: 'free' | 'double-free'): Program => {
    const object = lifetime('object');
    const field = cell('object->value', 0, object);
    const done = new Location('atomic', 0, 'done', undefined);
    const flag = { location: done, order: 'relaxed' } as const;
    return bare(function* () {
      yield malloc(object, 4, 1);
      yield spawnOf('user', function* () {
        yield then === 'free' ? store(field, 7, 2) : free(object, 2);
        yield { kind: 'store', value: 1, ...flag };
      });
      if ((yield { kind: 'load', ...flag }) === 1) yield free(object, 3);
    });
  };

  test('an object may be freed after an access that a relaxed flag announces, and never twice', () => {
    const [early] = checkSync(handover('free'), { model: 'rc11' }).errors;
    expect(early).toMatchObject({ kind: 'use-after-free', underSc: 'impossible' });
    expect(early?.execution.preemptions).toBe(1);
    expect(checkSync(handover('double-free'), { model: 'rc11' }).errors).toMatchObject([
      { kind: 'double-free', underSc: 'possible' },
    ]);
  });

  test('several errors are judged one by one, and those that are possible are shown so', () => {
    const errors = resultFor(
      function* () {
        const [x, y] = [atomic(0), atomic(0)];
        const left = yield* spawn(function* () {
          yield* x.store(1, 'relaxed');
          return yield* y.load('relaxed');
        });
        yield* y.store(1, 'relaxed');
        const seen = yield* x.load('relaxed');
        const other = yield* left.join();
        assert(seen + other > 0, 'both read 0');
        assert(seen + other < 2, 'both read 1');
        assert(seen === 1, 'the other was late');
      },
      { model: 'rc11', keepGoing: true },
    );
    const judged = Object.fromEntries(errors.map(({ message, underSc }) => [message, underSc]));
    expect(judged).toEqual({
      'both read 0': 'impossible',
      'both read 1': 'possible',
      'the other was late': 'possible',
    });
    for (const { execution, underSc } of errors)
      expect(execution.preemptions === undefined).toBe(underSc !== 'possible');
  });

  test('an error that the found execution does not show to be possible is searched for', () => {
    // the first execution in which main reads 1 and 0 need not be one that memory could have run
    const [error] = resultFor(
      function* () {
        const [x, y] = [atomic(0), atomic(0)];
        yield* spawn(function* () {
          yield* x.store(1, 'relaxed');
          yield* y.store(1, 'relaxed');
          yield* x.store(0, 'relaxed');
        });
        if ((yield* y.load('relaxed')) === 1) assert((yield* x.load('relaxed')) === 1, 'x is gone');
      },
      { model: 'rc11' },
    );
    expect(error).toMatchObject({ message: 'x is gone', underSc: 'possible' });
    expect(error?.execution.steps.every(({ missed }) => missed === undefined)).toBe(true);
  });

  /** Only the first branch has the error, and only weak memory has it. */
  function* thenMore(more: () => ThreadBody<unknown>): ThreadBody<void> {
    if ((yield* choose(2)) === 0) yield* storeBuffering();
    else yield* more();
  }

  test('nothing is known if the search is cut short', () => {
    const large = program(() =>
      thenMore(function* () {
        const x = atomic(0);
        for (let t = 0; t < 6; t++) {
          yield* spawn(function* () {
            for (let i = 0; i < 4; i++) yield* x.store(t, 'relaxed');
          });
        }
      }),
    );
    const { errors } = checkSync(large, { model: 'rc11' }, { isInterrupted: () => true });
    expect(errors).toMatchObject([{ message: 'both read 0', underSc: 'unknown' }]);
  });

  test('nothing is known if the rest of the program cannot be checked', () => {
    const endless = program(() =>
      thenMore(function* () {
        const x = atomic(0);
        for (;;) yield* x.load();
      }),
    );
    const { errors } = checkSync(endless, { model: 'rc11', maxDepth: 100 });
    expect(errors).toMatchObject([{ message: 'both read 0', underSc: 'unknown' }]);
  });

  /** Fails at its end, which those executions do not come to in which a thread saw the other. */
  const cutOff = (reason: 'assume' | 'bound', more: Partial<Program> = {}): Program => {
    const [x, y] = ['x', 'y'].map((name) => new Location('atomic', 0, name, undefined)) as [Location, Location];
    const relaxed = { order: 'relaxed' } as const;
    return bare(function* () {
      const left = yield spawnOf('left', function* () {
        yield { kind: 'store', location: x, value: 1, ...relaxed };
        return yield { kind: 'load', location: y, ...relaxed };
      });
      yield { kind: 'store', location: y, value: 1, ...relaxed };
      const seen = yield { kind: 'load', location: x, ...relaxed };
      if (seen === 1 || (yield join(left)) === 1) yield { kind: 'block', reason };
      yield { kind: 'fail', failure: { kind: 'assertion', message: 'the end', position: undefined } };
    }, more);
  };

  test('nothing is known if a bound cut off the search', () => {
    const bounded = checkSync(cutOff('bound', { unroll: 2 }), { model: 'rc11' });
    expect(bounded.errors).toMatchObject([{ underSc: 'unknown', scBounds: [{ name: 'unroll', value: 2, cut: 3 }] }]);
    const limits = () => ['rand() gave 0 and 1 only'];
    const limited = checkSync(cutOff('assume', { limits }), { model: 'rc11' });
    expect(limited.errors).toMatchObject([
      { underSc: 'unknown', scBounds: [{ name: 'limit', sentence: 'rand() gave 0 and 1 only' }] },
    ]);
    expect(checkSync(cutOff('assume'), { model: 'rc11' }).errors).toMatchObject([{ underSc: 'impossible' }]);
    const note = (result: CheckResult): string => text(result).replaceAll(/\s+/g, ' ');
    expect(note(bounded)).toContain(
      'is not known: the search for it was cut off by --unroll 2. To find out: a larger --unroll The steps',
    );
    expect(note(limited)).toContain('is not known: rand() gave 0 and 1 only The steps');
    const [error] = bounded.errors as [CheckError];
    const file = '/tmp/trace.json';
    const trace = readTrace(traceText(traceOf(bounded, error, source, file)), file);
    expect(errorOfTrace(trace).scBounds).toEqual(error.scBounds);
  });

  test('the search keeps to its time if steps are slow', () => {
    const never = new Int32Array(new SharedArrayBuffer(4));
    const slow = program(() =>
      thenMore(function* () {
        const x = atomic(0);
        for (let i = 0; i < 300; i++) {
          Atomics.wait(never, 0, 0, 10);
          yield* x.load();
        }
      }),
    );
    const start = performance.now();
    const { errors } = checkSync(slow, { model: 'rc11', timeout: 0.5 });
    expect(performance.now() - start).toBeLessThan(2000);
    expect(errors).toMatchObject([{ message: 'both read 0', underSc: 'unknown' }]);
  });

  test('a standstill of pso, ra and rc11 may be impossible', () => {
    function* crossed(): ThreadBody<void> {
      const [x, y] = [atomic(0), atomic(0)];
      yield* spawn(function* () {
        yield* x.store(1, 'relaxed');
        yield* y.store(2, 'relaxed');
      });
      yield* spawn(function* () {
        yield* y.store(1, 'relaxed');
        yield* x.store(2, 'relaxed');
      });
      yield* spawn(function* () {
        yield* awaitUntil(x, (value) => value === 2, 'relaxed');
      });
      yield* awaitUntil(y, (value) => value === 2, 'relaxed');
    }
    for (const model of models) {
      for (const equivalence of ['co', 'rf']) {
        const errors = resultFor(crossed, { model, equivalence, keepGoing: true });
        const both = errors.filter(({ threads }) => threads.length === 2);
        expect(both.map(({ underSc }) => underSc)).toEqual(model === 'tso' ? [] : ['impossible']);
        expect(errors.filter(({ threads }) => threads.length === 1).map(({ underSc }) => underSc)).toEqual([
          'possible',
          'possible',
        ]);
        for (const { execution } of errors) expect(execution.ends.some(({ state }) => state === 'ready')).toBe(false);
      }
    }
  });
});

/** Whether po ∪ rf ∪ co ∪ fr (with spawns and joins) is acyclic. */
function isSequential({ execution: { steps } }: CheckError): boolean {
  const place = (i: number): number => steps[i]?.coherence ?? i;
  const before = steps.map((b, j) =>
    steps.flatMap((a, i) => {
      const isCause =
        (a.thread === b.thread && i < j) ||
        (a.op === 'spawn' && a.target === b.thread) ||
        (b.op === 'join' && b.target === a.thread) ||
        b.readsFrom === i;
      if (isCause) return [i];
      if (i === j || a.location === undefined || a.location !== b.location || !('written' in b)) return [];
      const isOverwritten =
        ('written' in a && place(i) < place(j)) ||
        (a.readsFrom !== undefined && (a.readsFrom < 0 || place(a.readsFrom) < place(j)));
      return isOverwritten ? [i] : [];
    }),
  );
  const left = new Set(steps.keys());
  for (let size = -1; size !== left.size; ) {
    size = left.size;
    for (const j of left) if (!(before[j] as number[]).some((i) => left.has(i))) left.delete(j);
  }
  return left.size === 0;
}

/** What was recorded, and what a trace file has of it, is a witness of the error as good as that of the search. */
function expectWitnesses(random: Program, error: CheckError, trace: Trace): void {
  const { kind, message, location: position, execution } = error;
  const threads = execution.threads.filter(({ id }) => error.threads.includes(id)).map(({ path }) => path);
  for (const witness of [execution, trace] satisfies Execution[]) {
    expect(keyOf(recordError(random, { kind, message, position, threads, witness }))).toBe(keyOf(error));
  }
}

describe.each(models)('random programs under %s', (model) => {
  test.each(byTier({ normal: ['co'], long: ['co', 'rf'] }))(
    'have errors that are told and judged rightly (%s)',
    (equivalence) => {
      let weak = 0;
      const programs = byTier({ normal: 5, long: 12 });
      for (let seed = 0; seed < programs; seed++) {
        const random = outcomesProgram(seed, seed % 2 === 1);
        const result = checkSync(random, { model, equivalence, keepGoing: true });
        const possible = new Set(checkSync(random, { model: 'sc', keepGoing: true }).errors.map(keyOf));
        for (const error of result.errors) {
          const { preemptions, steps } = error.execution;
          const isStrange = steps.some((step) => step.missed !== undefined || step.takesEffectBefore !== undefined);
          expect([error.underSc, preemptions === undefined, isStrange], `seed ${seed}: ${error.message}`).toEqual(
            possible.has(keyOf(error)) ? ['possible', false, false] : ['impossible', true, true],
          );
          expect(isSequential(error)).toBe(preemptions !== undefined);
          const trace = traceOf(result, error, source, '/trace.json');
          const replay = replaySteps(random, trace);
          let step = replay.next();
          while (step.done !== true) step = replay.next();
          expect(step.value).toEqual(error.execution);
          expectWitnesses(random, error, trace);
          if (isStrange) weak++;
        }
      }
      expect(weak).toBeGreaterThan(model === 'tso' ? 0 : programs / 2);
    },
  );
});
