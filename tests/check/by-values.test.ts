/** Searches by values through `check`: what they find, what they say that they may miss, and what is refused. */
import { describe, expect, test } from 'vitest';
import { checkSync } from '../../src/check/check.ts';
import type { CheckOptions } from '../../src/check/options.ts';
import { compareReport } from '../../src/report/compare.ts';
import { jsonReport } from '../../src/report/json.ts';
import { textReport } from '../../src/report/text.ts';
import { assert, atomic, mutex, program, shared, spawn } from '../../src/typescript/api.ts';

const lostUpdate = program(function* () {
  const counter = atomic(0);
  function* increment() {
    yield* counter.store((yield* counter.load()) + 1);
  }
  const threads = [yield* spawn(increment), yield* spawn(increment)];
  for (const thread of threads) yield* thread.join();
  assert((yield* counter.load()) === 2, 'an increment was lost');
});

const crossed = program(function* () {
  const [a, b] = [mutex(), mutex()];
  yield* spawn(function* one() {
    yield* a.lock();
    yield* b.lock();
  });
  yield* spawn(function* other() {
    yield* b.lock();
    yield* a.lock();
  });
});

const racing = program(function* () {
  const x = shared(0);
  yield* spawn(function* writer() {
    yield* x.store(1);
  });
  yield* x.store(2);
});

describe.each(['vc', 'dc'])('%s', (algorithm) => {
  test.each(['0', '0.0', '0.1'])('finds errors, whoever is the root (%s)', (root) => {
    expect(checkSync(lostUpdate, { algorithm, root }).errors).toMatchObject([{ kind: 'assertion' }]);
    expect(checkSync(crossed, { algorithm, root }).errors).toMatchObject([{ kind: 'deadlock' }]);
  });

  test('says that it does not look for data races, unless nobody has asked', () => {
    const result = checkSync(racing, { algorithm });
    expect(result.verdict).toBe('ok');
    const text = textReport(result, { colour: false, width: 100, cwd: '/' });
    expect(text).toContain(`Note: ${algorithm} does not look for data races`);
    expect(jsonReport(result, '/').mayMiss).toEqual(['race', 'use-after-free']);
    expect(jsonReport(checkSync(racing, { algorithm, races: false }), '/').mayMiss).toEqual(['use-after-free']);
  });

  test('a race that it misses is no disagreement, another error is', () => {
    const reports = (of: typeof racing, others: CheckOptions[]) =>
      others.map((options) => jsonReport(checkSync(of, options), '/'));
    expect(compareReport(reports(racing, [{}, { algorithm }])).agree).toBe(true);
    const [found, ok] = [reports(lostUpdate, [{}]), reports(racing, [{ algorithm }])];
    expect(compareReport([...found, ...ok]).agree).toBe(false);
  });

  test.each<[string, CheckOptions, string]>([
    ['a weak model', { model: 'tso' }, `${algorithm} supports sc`],
    ['a root that is no path', { root: '1' }, 'root must be 0 for main'],
    [
      'a root that is no thread',
      { root: '0.99', keepGoing: true },
      'no execution has a thread 0.99, which --root names',
    ],
    ['a bound', { bound: 1 }, 'not of'],
  ])('refuses %s', (_name, options, message) => {
    expect(() => checkSync(lostUpdate, { algorithm, ...options })).toThrow(message);
  });

  test('refuses objects as values', () => {
    const boxed = program(function* () {
      const x = atomic({ value: 0 });
      function* increment() {
        const { value } = yield* x.load();
        yield* x.store({ value: value + 1 });
        return (yield* x.load()).value;
      }
      yield* spawn(increment);
      yield* spawn(increment);
    });
    expect(() => checkSync(boxed, { algorithm })).toThrow('cannot check programs that store objects');
  });
});
