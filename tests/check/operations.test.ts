/** What front ends for low-level languages need of the core, from the operations to the report. */
import { describe, expect, test } from 'vitest';
import { cLanguage } from '../../src/c/language.ts';
import { checkSync } from '../../src/check/check.ts';
import type { CheckError, CheckResult } from '../../src/check/result.ts';
import { identityOf } from '../../src/program/identity.ts';
import type { Language } from '../../src/program/language.ts';
import { Location } from '../../src/program/location.ts';
import { KEEP, MUTEX_BUSY, type Operation, ProgramRefined } from '../../src/program/operation.ts';
import { dotReport } from '../../src/report/dot.ts';
import { jsonReport } from '../../src/report/json.ts';
import { readTrace } from '../../src/report/read-trace.ts';
import { replaySteps } from '../../src/report/replay.ts';
import { checkReportSchema } from '../../src/report/schema.ts';
import { textReport } from '../../src/report/text.ts';
import { traceOf, traceText } from '../../src/report/trace.ts';
import {
  at,
  type Body,
  bare,
  cell,
  free,
  join,
  lifetime,
  load,
  malloc,
  mutexAt,
  spawn,
  store,
} from '../program/bare.ts';
import { source } from '../report/reports.ts';

const ways = [{}, { equivalence: 'rf' }, { algorithm: 'dfs' }];
const text = (result: CheckResult): string => textReport(result, { colour: false, width: 120, cwd: '/tmp' });

/** The same with every algorithm. */
function forAll(expectation: (options: object) => void): void {
  for (const options of ways) expectation(options);
}

describe('freed objects', () => {
  const object = lifetime('node');
  const field = cell('node->value', 0, object);

  test('an access after the free of the same thread', () => {
    const program = bare(function* () {
      yield malloc(object, 8, 1);
      yield free(object, 2);
      yield load(field, 3);
    });
    forAll((options) => {
      const result = checkSync(program, options);
      expect(result.errors).toMatchObject([{ kind: 'use-after-free', location: at(3) }]);
      expect(result.errors[0]?.message).toBe('main loads node->value, which it has freed');
    });
    const shown = text(checkSync(program));
    expect(shown).toContain('malloc 8 bytes');
    expect(shown).toContain('free node');
    expect(shown).toContain('was freed by #2');
    expect(shown).toContain('main frees at bare.c:2:1');
    expect(shown).toContain('main loads at bare.c:3:1');
  });

  test('are made in the words of the language', () => {
    const variable = lifetime('x');
    const makes = (language?: Language): string => {
      const { language: _, ...program } = bare(function* () {
        yield { kind: 'allocate', location: variable, size: 4, isHeap: false };
        yield malloc(object, 8, 1);
        yield free(object, 2);
        yield load(field, 3);
      });
      const result = checkSync(language === undefined ? program : { ...program, language });
      return text(result) + dotReport(result.errors[0] as CheckError, result, '/tmp');
    };
    expect(makes()).toMatch(/ allocate 8 bytes .* allocate 8 bytes/s);
    expect(makes(cLanguage)).toMatch(/ malloc 8 bytes .* malloc 8 bytes/s);
    expect(makes({ ...cLanguage, allocation: 'reserve' })).toMatch(/ x begins.* reserve 8 bytes .* reserve 8 bytes/s);
  });

  test('an access of another thread that the free does not wait for is reported at the access', () => {
    const program = bare(function* () {
      const reader = yield spawn('reader', function* () {
        yield load(field, 10);
      });
      yield free(object, 4);
      yield join(reader);
    });
    forAll((options) => {
      for (const races of [true, false]) {
        const { errors } = checkSync(program, { ...options, races, keepGoing: true });
        expect(errors.map(({ kind, location }) => [kind, location?.line])).toEqual([['use-after-free', 10]]);
      }
    });
  });

  test('a free that waits for all accesses is fine', () => {
    const program = bare(function* () {
      const writer = yield spawn('writer', function* () {
        yield store(field, 1);
      });
      yield join(writer);
      yield free(object, 4);
    });
    forAll((options) => expect(checkSync(program, options).verdict).toBe('ok'));
  });

  test('a free after a reference count has come to nothing is fine, whoever is last', () => {
    const count = cell('count', 2);
    const drop = function* () {
      yield load(field, 1);
      const old = yield {
        kind: 'update',
        name: 'fetch_sub',
        location: count,
        order: 'seq_cst',
        operand: 1,
        apply: (v) => (v as number) - 1,
      };
      if (old === 1) yield free(object, 7);
    } satisfies Body;
    const program = bare(function* () {
      yield spawn('one', drop);
      yield spawn('two', drop);
    });
    forAll((options) => expect(checkSync(program, options).verdict).toBe('ok'));
  });

  test('a plain flag does not order, even if nobody looks for races', () => {
    const flag = cell('flag');
    const program = bare(function* () {
      yield spawn('user', function* () {
        yield store(field, 1, 10);
        yield store(flag, 1, 11);
      });
      if ((yield load(flag, 2)) === 1) yield free(object, 3);
    });
    forAll((options) => {
      const { errors } = checkSync(program, { ...options, races: false });
      expect(errors).toMatchObject([{ kind: 'use-after-free', location: at(10) }]);
    });
  });

  test('a second free', () => {
    const program = bare(function* () {
      yield spawn('worker', function* () {
        yield free(object, 10);
      });
      yield free(object, 3);
    });
    forAll((options) => expect(checkSync(program, options).errors).toMatchObject([{ kind: 'double-free' }]));
    expect(checkSync(program).errors[0]).toMatchObject({
      location: at(10),
      message: 'worker frees node, which main has freed already',
    });
  });

  test('who waits on freed memory uses it', () => {
    const lock = new Location('mutex', 1, 'node->lock', undefined, object);
    const program = bare(function* () {
      yield spawn('waiter', function* () {
        yield { kind: 'lock', location: lock, position: at(10) };
      });
      yield free(object, 3);
    });
    forAll((options) => {
      const { errors } = checkSync(program, { ...options, keepGoing: true });
      expect(errors.map(({ kind }) => kind)).toContain('use-after-free');
    });
  });

  test('traces of two-place errors can be replayed and drawn', () => {
    const program = bare(function* () {
      yield spawn('reader', function* () {
        yield load(field, 10);
      });
      yield free(object, 4);
    });
    const result = checkSync(program);
    const [error] = result.errors;
    if (error === undefined) throw new Error('no error');
    const trace = readTrace(traceText(traceOf(result, error, source, '/tmp/t.json')), '/tmp/t.json');
    const steps = replaySteps(program, trace);
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    expect(step.value.steps).toHaveLength(trace.steps.length);
    expect(dotReport(error, result, '/tmp')).toContain('label="use after free"');
  });

  test('an object and its first part may have one name in a trace', () => {
    const object = lifetime('int#1');
    const only = cell('int#1', 0, object);
    const program = bare(function* () {
      yield malloc(object, 4, 1);
      yield store(only, 1, 2);
      yield free(object, 3);
      yield free(object, 4);
    });
    const result = checkSync(program);
    const trace = traceOf(result, result.errors[0] as never, source, '/tmp/t.json');
    expect(trace.steps.map(({ location }) => location)).toEqual(['int#1', 'int#1', 'int#1']);
    expect(() => [...replaySteps(program, readTrace(traceText(trace), '/tmp/t.json'))]).not.toThrow();
  });
});

describe('leaks', () => {
  const object = lifetime();
  const other = lifetime();
  const leaking = bare(function* () {
    yield malloc(object, 16, 5);
    yield malloc(other, 4, 6);
    const worker = yield spawn('worker', function* () {
      yield free(other, 9); // what another has allocated
    });
    yield join(worker);
  });

  test('are warnings, once for each place', () => {
    forAll((options) => {
      const result = checkSync(leaking, options);
      expect(result.verdict).toBe('ok');
      expect(result.warnings).toEqual([
        { kind: 'leak', message: '16 bytes allocated here and never freed', location: at(5) },
      ]);
    });
    const result = checkSync(leaking);
    expect(text(result)).toContain('Warning: leak: 16 bytes allocated here and never freed, bare.c:5:1');
    expect(checkReportSchema.parse(jsonReport(result, '/tmp')).warnings).toHaveLength(1);
  });

  test('are errors if asked for', () => {
    forAll((options) => {
      const result = checkSync(leaking, { ...options, checkLeaks: true });
      expect(result).toMatchObject({ verdict: 'error', errors: [{ kind: 'leak', location: at(5) }], warnings: [] });
      expect(result.executions).toMatchObject({ complete: 0, erroneous: 1 });
    });
    const result = checkSync(leaking, { checkLeaks: true });
    const trace = traceOf(result, result.errors[0] as never, source, '/tmp/t.json');
    const steps = replaySteps(leaking, readTrace(traceText(trace), '/tmp/t.json'));
    expect(() => [...steps]).not.toThrow();
  });

  test('do not count what lives on the stack, nor blocked executions', () => {
    const program = bare(function* () {
      yield { kind: 'allocate', location: object, size: 4, isHeap: false };
      yield malloc(other, 4, 2);
      yield { kind: 'block' };
    });
    expect(checkSync(program)).toMatchObject({ verdict: 'ok', warnings: [] });
  });
});

describe('plain and atomic accesses to one location', () => {
  const x = cell('x');

  test.each([
    ['a plain store and an atomic load', store(x, 1, 1), load(x, 2, 'seq_cst'), 'error'],
    ['a plain load and an atomic store', load(x, 1), store(x, 1, 2, 'seq_cst'), 'error'],
    ['a plain load and an atomic load', load(x, 1), load(x, 2, 'seq_cst'), 'ok'],
    ['two atomic stores', store(x, 1, 1, 'seq_cst'), store(x, 1, 2, 'seq_cst'), 'ok'],
  ] as const)('%s', (_name, one, other, verdict) => {
    for (const [a, b] of [
      [one, other],
      [other, one],
    ] as const) {
      const program = bare(function* () {
        yield spawn('child', function* () {
          yield a;
        });
        yield b;
      });
      forAll((options) => {
        const result = checkSync(program, options);
        expect(result.verdict).toBe(verdict);
        if (verdict === 'error') expect(result.errors[0]?.kind).toBe('race');
        expect(checkSync(program, { ...options, races: false }).verdict).toBe('ok');
      });
    }
  });

  test('a compare-exchange that fails whenever the plain load happens does not race with it', () => {
    const exchange: Operation = {
      kind: 'compare-exchange',
      location: x,
      expected: 0,
      desired: 1,
      order: 'seq_cst',
      failureOrder: 'seq_cst',
      weak: false,
    };
    const contender = function* () {
      if ((yield exchange) === 0) yield load(x, 5);
    } satisfies Body;
    const program = bare(function* () {
      yield spawn('one', contender);
      yield spawn('two', contender);
    });
    forAll((options) => expect(checkSync(program, options).verdict).toBe('ok'));
  });
});

describe('waits', () => {
  const x = cell('x');
  const await_ = (sleeps: boolean): Operation => ({
    kind: 'await-update',
    name: 'cond_wait',
    location: x,
    order: 'seq_cst',
    until: (v) => v !== 0,
    apply: (v) => (v === 2 ? KEEP : (v as number) + 10),
    sleeps,
  });

  test('a wait that never ends is a deadlock if it sleeps, else a livelock', () => {
    for (const [sleeps, kind] of [
      [true, 'deadlock'],
      [false, 'livelock'],
    ] as const) {
      const program = bare(function* () {
        yield await_(sleeps);
      });
      forAll((options) => expect(checkSync(program, options).errors).toMatchObject([{ kind }]));
    }
    const result = checkSync(
      bare(function* () {
        yield await_(true);
      }),
    );
    expect(text(result)).toContain('waits in cond_wait on x');
  });

  test('await-update gives the old value and writes the new one, or nothing', () => {
    for (const [written, after] of [
      [1, 11],
      [2, 2],
    ]) {
      const seen: unknown[] = [];
      const program = bare(function* () {
        yield spawn('writer', function* () {
          yield store(x, written, 1, 'seq_cst');
        });
        const old = yield await_(false);
        seen.push(old, yield load(x, 2, 'seq_cst'));
      });
      expect(checkSync(program).verdict).toBe('ok');
      expect(seen.slice(0, 2)).toEqual([written, after]);
    }
  });
});

describe('mutexes', () => {
  const results = (program: Body, options = {}) => checkSync(bare(program), options);

  test('lock and trylock give the type', () => {
    const m = mutexAt('m');
    const seen: unknown[] = [];
    const result = results(function* () {
      yield { kind: 'mutex-init', location: m, type: 2 };
      seen.push(yield { kind: 'lock', location: m });
      seen.push(yield { kind: 'trylock', location: m });
      yield { kind: 'unlock', location: m, type: 2 };
      seen.push(yield { kind: 'trylock', location: m });
    });
    expect(result.verdict).toBe('ok');
    expect(seen.slice(0, 3)).toEqual([2, MUTEX_BUSY, 2]);
  });

  test.each([
    ['uninitialised', 'the mutex m is not initialised'],
    [-1, 'the mutex m was destroyed'],
  ])('a mutex with the value %s cannot be locked', (initial, message) => {
    const m = mutexAt('m', initial);
    for (const kind of ['lock', 'trylock'] as const) {
      const result = results(function* () {
        yield { kind, location: m, position: at(7) };
      });
      expect(result.errors).toMatchObject([{ kind: 'lock-misuse', message, location: at(7) }]);
    }
  });

  test('a destroyed one is known as such', () => {
    const m = mutexAt('m');
    const result = results(function* () {
      yield { kind: 'mutex-destroy', location: m };
      yield { kind: 'lock', location: m };
    });
    expect(result.errors[0]?.message).toBe('the mutex m was destroyed');
  });
});

describe('the end of a program', () => {
  const x = cell('x');

  test('exit: waiting for ever is no error then, and the execution is complete', () => {
    const m = mutexAt('m', 1);
    const program = bare(function* () {
      yield spawn('stuck', function* () {
        yield { kind: 'lock', location: m };
      });
      yield { kind: 'exit', status: 3 };
    });
    forAll((options) => {
      const result = checkSync(program, options);
      expect(result).toMatchObject({ verdict: 'ok', executions: { blocked: 0, erroneous: 0 } });
      expect(result.executions.complete).toBeGreaterThan(0);
    });
  });

  test('what other threads do before the exit counts', () => {
    const program = bare(function* () {
      yield spawn('worker', function* () {
        yield load(x, 1);
        yield { kind: 'fail', failure: { kind: 'abort', message: 'abort()', position: at(9) } };
      });
      yield { kind: 'exit', status: 0 };
    });
    forAll((options) => expect(checkSync(program, options).errors).toMatchObject([{ kind: 'abort' }]));
  });

  test('a join of the thread that exits does not go on', () => {
    const program = bare(function* () {
      const worker = yield spawn('worker', function* () {
        yield { kind: 'exit', status: 0 };
      });
      yield join(worker);
      yield { kind: 'fail', failure: { kind: 'assertion', message: 'not reached', position: undefined } };
    });
    forAll((options) => expect(checkSync(program, options)).toMatchObject({ verdict: 'ok' }));
  });

  test('the bound of a loop makes the verdict bounded, and is told', () => {
    const program = bare(
      function* () {
        yield { kind: 'choose', count: 2 };
        yield { kind: 'block', reason: 'bound' };
      },
      { unroll: 4 },
    );
    forAll((options) => {
      const result = checkSync(program, options);
      expect(result).toMatchObject({
        verdict: 'bounded',
        bounds: [{ name: 'unroll', value: 4, cut: 2 }],
        executions: { blocked: 2 },
      });
    });
    const result = checkSync(program);
    expect(text(result)).toContain('no error within the loop bound (--unroll 4 cut 2 executions)');
    expect(checkReportSchema.parse(jsonReport(result, '/tmp'))).toMatchObject({
      verdict: 'bounded',
      bounds: [{ name: 'unroll', value: 4, cut: 2, sentence: '--unroll 4 cut 2 executions' }],
    });
  });

  test('an assume is no bound', () => {
    const program = bare(function* () {
      yield { kind: 'block', reason: 'assume' };
    });
    expect(checkSync(program)).toMatchObject({ verdict: 'ok', bounds: [] });
  });

  test('limits of the program make the verdict bounded', () => {
    const program = bare(
      function* () {
        yield load(x);
      },
      { limits: () => ['rand() gave 0 and 1 only (--nondet)'] },
    );
    const result = checkSync(program);
    expect(result.verdict).toBe('bounded');
    expect(text(result)).toContain('Limit: rand() gave 0 and 1 only (--nondet)');
  });

  test('a thread that does not end: the advice is that of its language', () => {
    const program = bare(function* () {
      for (;;) yield load(x);
    });
    expect(() => checkSync(program, { maxDepth: 50 })).toThrow(/--unroll N/);
  });
});

describe('programs that learn', () => {
  /** Its one cell becomes two as soon as a thread looks at the second half. */
  function refining() {
    let isSplit = false;
    const whole = cell('whole');
    const halves = [cell('low'), cell('high')] as const;
    let starts = 0;
    const program = bare(function* () {
      starts++;
      yield store(isSplit ? halves[0] : whole, 1);
      if (!isSplit) {
        isSplit = true;
        throw new ProgramRefined();
      }
      const value = yield load(halves[0], 2);
      if (value === 1) yield { kind: 'fail', failure: { kind: 'assertion', message: 'one', position: at(3) } };
    });
    return { program, starts: () => starts };
  }

  test('are searched from the start again', () => {
    forAll((options) => {
      const { program } = refining();
      const result = checkSync(program, options);
      expect(result.errors).toMatchObject([{ kind: 'assertion', message: 'one' }]);
      expect(result.executions.erroneous).toBe(1);
      expect(result.errors[0]?.execution.steps.map(({ location }) => location)).toEqual(['low', 'low']);
    });
  });

  test('replay starts over, too', () => {
    const result = checkSync(refining().program);
    const trace = traceOf(result, result.errors[0] as never, source, '/tmp/t.json');
    const { program, starts } = refining();
    // the trace speaks of halves, the new program has not been split yet
    expect(() => [...replaySteps(program, readTrace(traceText(trace), '/tmp/t.json'))]).not.toThrow();
    expect(starts()).toBeGreaterThan(1);
  });
});

describe('in reports', () => {
  const show = (value: unknown): string => `0x${(value as bigint).toString(16)}`;
  const wide = new Location('shared', 0n, 'wide', undefined, undefined, show);
  const program = bare(function* () {
    yield { kind: 'print', text: 'hello\n' };
    yield store(wide, 2n ** 60n);
    yield load(wide);
    yield store(wide, 255n);
    yield { kind: 'fail', failure: { kind: 'assertion', message: 'no', position: at(9) } };
  });

  test('values are shown as their location shows them, and printed text in its place', () => {
    const shown = text(checkSync(program));
    expect(shown).toContain('prints "hello\\n"');
    expect(shown).toContain('wide = 0x1000000000000000');
    expect(shown).toContain('wide → 0x1000000000000000');
  });

  test('JSON has the numbers, as text where they are too large', () => {
    const { errors } = checkReportSchema.parse(jsonReport(checkSync(program), '/tmp'));
    expect(errors[0]?.trace.map(({ value }) => value)).toEqual([undefined, String(2n ** 60n), String(2n ** 60n), 255]);
    expect(errors[0]?.trace[0]).toMatchObject({ op: 'print', text: 'hello\n' });
  });
});

test('a spawned thread is told its identity', () => {
  const seen: unknown[] = [];
  const program = bare(function* () {
    const start = (self: number) => {
      seen.push(self);
      return { resume: (): Operation => ({ kind: 'end', value: self }) };
    };
    const a = yield { kind: 'spawn', name: 'a', start };
    const b = yield { kind: 'spawn', name: 'b', start };
    seen.push(a, b, yield join(a), yield join(b));
  });
  expect(checkSync(program).verdict).toBe('ok');
  expect(new Set(seen)).toEqual(new Set(['0.0', '0.1'].map(identityOf)));
});
