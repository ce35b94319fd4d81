/** Fair bounds: loops that yield end, and what goes on for ever is told. */
import { describe, expect, test } from 'vitest';
import { checkSync } from '../../src/check/check.ts';
import type { CheckOptions } from '../../src/check/options.ts';
import type { CheckError, CheckResult } from '../../src/check/result.ts';
import type { Program } from '../../src/program/operation.ts';
import { readTrace } from '../../src/report/read-trace.ts';
import { replaySteps } from '../../src/report/replay.ts';
import { textReport } from '../../src/report/text.ts';
import { traceOf, traceText } from '../../src/report/trace.ts';
import { assert, atomic, program, spawn, yieldNow } from '../../src/typescript/api.ts';

/** A thread that waits in a loop for a flag; `yields`: in each round; `isSet`: somebody sets it. */
function waiting(yields: boolean, isSet = true): Program {
  return program(function* () {
    const flag = atomic(0);
    const data = atomic(0);
    const worker = yield* spawn(function* worker() {
      while ((yield* flag.load()) === 0) if (yields) yield* yieldNow();
      assert((yield* data.load()) === 1, 'the data is there');
    });
    yield* data.store(1);
    if (isSet) yield* flag.store(1);
    yield* worker.join();
  });
}

/** Two threads that give way to each other for ever: each goes on only when the other does not want to. */
const polite = program(function* () {
  const wants = [atomic(0), atomic(0)] as const;
  function* thread(own: 0 | 1) {
    for (;;) {
      yield* wants[own].store(1);
      const isFree = (yield* wants[1 - own]!.load()) === 0;
      yield* wants[own].store(0);
      if (isFree) return;
      yield* yieldNow();
    }
  }
  yield* spawn(function* left() {
    yield* thread(0);
  });
  yield* spawn(function* right() {
    yield* thread(1);
  });
});

const fair: CheckOptions = { fairBound: 1, maxSteps: 300 };

function only(result: CheckResult): CheckError {
  expect(result.errors).toHaveLength(1);
  return result.errors[0] as CheckError;
}

const text = (result: CheckResult): string => textReport(result, { colour: false, width: 120, cwd: '/' });

describe.each(['bpor', 'dfs'])('%s', (algorithm) => {
  test.each([0, 1, 2])('a loop that yields ends within a fair bound of %i', (fairBound) => {
    const result = checkSync(waiting(true), { algorithm, fairBound });
    expect(result).toMatchObject({ verdict: 'bounded', errors: [], bounds: [{ name: 'fairness', value: fairBound }] });
    expect(text(result)).toContain(`--fair-bound ${fairBound} left out`);
    expect(text(result)).toContain('Guaranteed: no execution in which no thread that goes on is ahead by more than');
  });

  test('within both bounds', () => {
    const result = checkSync(waiting(true), { algorithm, fairBound: 1, bound: 1 });
    expect(result).toMatchObject({ verdict: 'bounded', bounds: [{ name: 'preemptions' }, { name: 'fairness' }] });
  });

  test('a loop that does not yield is a livelock, and the thread is named', () => {
    const result = checkSync(waiting(false), { algorithm, ...fair });
    const error = only(result);
    expect(error).toMatchObject({ kind: 'livelock', round: 1 });
    expect(error.message).toBe('no end after 300 steps: worker goes round and round, and worker does not yield');
    expect(error.execution.steps.length).toBeLessThan(20);
    expect(text(result)).toContain('worker takes 1 step, and does not yield');
    expect(text(result)).toContain('Hint: A thread that waits in a loop must yield in each round');
  });

  test('a loop that yields and that nobody ends is a livelock', () => {
    const error = only(checkSync(waiting(true, false), { algorithm, ...fair }));
    expect(error).toMatchObject({ kind: 'livelock', round: 2 });
    expect(error.message).toBe('no end after 300 steps: worker goes round and round, and it yields');
  });

  test('one step is not several', () => {
    const error = only(checkSync(waiting(true, false), { algorithm, fairBound: 1, maxSteps: 1 }));
    expect(error.message).toMatch(/^no end after 1 step: /);
  });

  test('a livelock is one of threads that can go on, even if no round is found', () => {
    const growing = program(function* () {
      for (;;) {
        yield* spawn(function* leaf() {
          yield* yieldNow();
        });
        yield* yieldNow();
      }
    });
    const error = only(checkSync(growing, { algorithm, fairBound: 0, maxSteps: 40 }));
    expect(error.kind).toBe('livelock');
    const ended = new Set(error.execution.ends.filter(({ state }) => state === 'ended').map(({ thread }) => thread));
    for (const thread of error.threads) expect(ended).not.toContain(thread);
  });

  test('counts as blocked if livelocks are no errors', () => {
    const result = checkSync(waiting(false), { algorithm, ...fair, livelock: false });
    expect(result.errors).toEqual([]);
    expect(result.executions.blocked).toBeGreaterThan(0);
  });

  test('threads that give way to each other for ever', () => {
    const error = only(checkSync(polite, { algorithm, ...fair }));
    expect(error).toMatchObject({ kind: 'livelock' });
    expect(error.message).toBe('no end after 300 steps: left and right go round and round, and each yields');
  });
});

test('the execution of such a livelock can be run again, and one of another program is not it', () => {
  const program = waiting(false);
  const result = checkSync(program, fair);
  const source = { frontEnd: 'typescript', settings: { files: ['p.ts'] } };
  const trace = readTrace(traceText(traceOf(result, only(result), source, '/tmp/t.json')), '/tmp/t.json');
  const steps = replaySteps(program, trace);
  while (steps.next().done !== true);
  expect(() => {
    const others = replaySteps(waiting(true), trace);
    while (others.next().done !== true);
  }).toThrow('the program does not follow the recorded execution');
});

test('bounds that rise: on fairness, and on preemptions within a fair bound', () => {
  const seen: string[] = [];
  const onBound = ({ name, bound }: { name: string; bound: number }): void => {
    seen.push(`${name} ${bound}`);
  };
  const unfair = checkSync(waiting(true), { boundType: 'fair', iterate: true, bound: 2 }, { onBound });
  expect(unfair).toMatchObject({ verdict: 'bounded', algorithm: 'bpor' });
  const both = checkSync(waiting(true), { fairBound: 1, iterate: true, bound: 10 }, { onBound });
  expect(both).toMatchObject({ verdict: 'bounded', algorithm: 'bpor' });
  expect(seen.slice(0, 4)).toEqual(['fairness 0', 'fairness 1', 'fairness 2', 'preemptions 0']);
  // what is left out in the end is left out by the fair bound: more preemptions bring nothing
  expect(both.iterations.at(-1)).toMatchObject({ name: 'preemptions', pruned: 0, isCut: true });
});

test.each(['bpor', 'dfs'])('%s: the execution that is shown has no more preemptions than the bound', (algorithm) => {
  const unjoined = program(function* () {
    const [x, y] = [atomic(0), atomic(0)];
    yield* spawn(function* writer() {
      yield* x.store(1);
      yield* y.store(1);
    });
    yield* spawn(function* reader() {
      assert((yield* x.load()) === 0, 'one');
    });
  });
  const result = checkSync(unjoined, { algorithm, bound: 0 });
  expect(only(result)).toMatchObject({ preemptions: 0, execution: { preemptions: 0 } });
  expect(text(result)).toContain('This takes 0 preemptions.');
});

test('a fair bound on a program without yields has nothing to do, and the report says so', () => {
  const silent = program(function* () {
    const x = atomic(0);
    yield* spawn(function* writer() {
      yield* x.store(1);
    });
    yield* x.store(2);
  });
  const result = checkSync(silent, { fairBound: 1 });
  expect(result).toMatchObject({ verdict: 'ok', bounds: [{ name: 'fairness', cut: 0, isIdle: true }] });
  expect(text(result)).toContain('Note: no thread yields, so the fair bound has nothing to do.');
  expect(text(checkSync(waiting(true), { fairBound: 1 }))).not.toContain('no thread yields');
});

describe('what does not go together is refused, with what to do', () => {
  test.each<[string, CheckOptions, string]>([
    ['two fair bounds', { fairBound: 1, boundType: 'fair' }, 'leave out --fair-bound'],
    ['MAX without a fair bound', { algorithm: 'bpor', maxSteps: 10 }, 'add --fair-bound 1, or leave it out'],
    ['MAX without an algorithm', { maxSteps: 10 }, 'add --fair-bound 1, or leave it out'],
    ['MAX beyond the limit', { fairBound: 1, maxSteps: 500, maxDepth: 500 }, 'give fewer steps than that'],
    ['a weak model', { fairBound: 1, model: 'rc11' }, 'bpor supports sc'],
    ['another algorithm', { fairBound: 1, algorithm: 'buster' }, '--fair-bound is an option of bpor and dfs'],
  ])('%s', (_name, options, message) => {
    expect(() => checkSync(waiting(true), options)).toThrow(message);
  });
});
