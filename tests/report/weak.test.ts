/** Errors that only weak memory has, as people and programs see them: read these snapshots when they change. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  atomic,
  type CheckError,
  type CheckResult,
  checkSync,
  program,
  shared,
  spawn,
  type ThreadBody,
} from '../../src/index.ts';
import { dotReport } from '../../src/report/dot.ts';
import { jsonReport } from '../../src/report/json.ts';
import { errorOfTrace, readTrace } from '../../src/report/read-trace.ts';
import { replaySteps } from '../../src/report/replay.ts';
import { checkReportSchema } from '../../src/report/schema.ts';
import { traceOf, traceText } from '../../src/report/trace.ts';
import { cwd, load, resultOf, source, text } from './reports.ts';

const rc11 = { model: 'rc11' } as const;

/** crossed-writes has a standstill that other models have too; this one needs two threads that wait. */
async function crossed(): Promise<CheckResult> {
  const result = await resultOf('crossed-writes', { ...rc11, keepGoing: true });
  return { ...result, errors: result.errors.filter(({ threads }) => threads.length === 2) };
}

async function failures(): Promise<[string, CheckResult][]> {
  return [
    ['store-buffering', await resultOf('store-buffering', rc11)],
    ['relaxed-publication', await resultOf('relaxed-publication', rc11)],
    ['crossed-writes', await crossed()],
  ];
}

describe('the report of', () => {
  test('a stale read', async () => {
    expect(text(await resultOf('store-buffering', rc11))).toMatchInlineSnapshot(`
      "✘ error: assertion failed in execution 2 (model rc11, algorithm trust, 12 ms)

      assertion failed: neither saw the other
        in main, at store-buffering.ts:15:3
          15 │   assert(seen > 0, 'neither saw the other');
             │   ^

      Not possible under SC (sequential consistency): it takes the reordering of accesses that rc11
      allows.

      The steps that lead there, causes first (no order of them explains every value):

           main               left                        right
       1   spawn left                                                                                    store-buffering.ts:6
       2   spawn right                                                                                   store-buffering.ts:10
       3                      x = 1 [release]                                                            store-buffering.ts:7
       4                      y → 0 [acquire] (initial)                                                  store-buffering.ts:8
       5                                                  y = 1 [release]                                store-buffering.ts:11
       6                                                  x → 0 [acquire] (initial), stale: #3 wrote 1   store-buffering.ts:12
       7   join left → 0                                                                                 store-buffering.ts:14
       8   join right → 0                                                                                store-buffering.ts:14
       ✘   assertion failed                                                                              store-buffering.ts:15

      x = 1: a store · x → 1: a load that gave 1 · stale: an old value, as the write of step n is not seen
      yet

      Hint: A load may give an old value as long as nothing makes the newer store happen before it. What
      tells another thread that something is ready must be a release store (or stronger), and the load
      that finds it out an acquire load (or stronger); relaxed accesses order nothing. A thread that must
      not miss a store of another one after its own store needs seq_cst for both stores and both loads, or
      a seq_cst fence between store and load in both threads.
      "
    `);
  });

  test('a race that release and acquire would prevent', async () => {
    expect(text(await resultOf('relaxed-publication', rc11))).toMatchInlineSnapshot(`
      "✘ error: data race in execution 2 (model rc11, algorithm trust, 12 ms)

      data race on data: producer stores and main loads it, and nothing orders the two
        producer stores at relaxed-publication.ts:7:17
          7 │     yield* data.store(42);
            │                 ^
        main loads at relaxed-publication.ts:10:49
          10 │   if (yield* ready.load('acquire')) yield* data.load();
             │                                                 ^

      Not a race under SC (sequential consistency), where every atomic access orders what comes before it
      and after it. Under rc11 it takes a release store and an acquire load, or stronger ones.

      The steps that lead there, in the order in which they happen (1 preemption):

           main                          producer
       1   spawn producer                                         relaxed-publication.ts:6
       2                                 data = 42                relaxed-publication.ts:7
       3                                 ready = true [relaxed]   relaxed-publication.ts:8
       4   ready → true [acquire] ⟵ #3                            relaxed-publication.ts:10
       ✘   load data races with #2                                relaxed-publication.ts:10

      x = 1: a store · x → 1: a load that gave 1 · ⟵ #n: written by step n

      Hint: The atomic accesses between the two do not order them. What tells another thread that
      something is ready must be a release store (or stronger), and the load that finds it out an acquire
      load (or stronger); relaxed accesses order nothing.
      "
    `);
  });

  test('a standstill after a write that comes late', async () => {
    expect(text(await crossed())).toMatchInlineSnapshot(`
      "✘ error: livelock in 5 of 9 executions (model rc11, algorithm trust, 12 ms)

      livelock: a wait that nothing will end; waiting: main, reader

      Not possible under SC (sequential consistency): it takes the reordering of accesses that rc11
      allows.

      The steps that lead there, causes first (no order of them explains every value):

       1  [main]   spawn left                                     crossed-writes.ts:6
       2  [main]   spawn right                                    crossed-writes.ts:10
       3  [main]   spawn reader                                   crossed-writes.ts:14
       4  [left]   x = 1 [relaxed]                                crossed-writes.ts:7
       5  [left]   y = 2 [relaxed]                                crossed-writes.ts:8
       6  [right]  y = 1 [relaxed]                                crossed-writes.ts:11
       7  [right]  x = 2 [relaxed], late: takes effect before #4  crossed-writes.ts:12
       ✘  [main]   await y [relaxed] waits                        crossed-writes.ts:17
       ✘  [reader] await x [relaxed] waits                        crossed-writes.ts:15

      x = 1: a store · late: in memory this write comes before that of step n

      Where the threads stand:
        main waits for another value of y; the last one written is 1 (step 6), at crossed-writes.ts:17:10
          17 │   yield* awaitUntil(y, (value) => value === 2, 'relaxed');
             │          ^
        reader waits for another value of x; the last one written is 1 (step 4), at crossed-writes.ts:15:12
          15 │     yield* awaitUntil(x, (value) => value === 2, 'relaxed');
             │            ^

      Hint: A load may give an old value as long as nothing makes the newer store happen before it. What
      tells another thread that something is ready must be a release store (or stronger), and the load
      that finds it out an acquire load (or stronger); relaxed accesses order nothing. A thread that must
      not miss a store of another one after its own store needs seq_cst for both stores and both loads, or
      a seq_cst fence between store and load in both threads.
      "
    `);
  });

  test('a race after stale reads, which release and acquire do not prevent', async () => {
    const dekker = program(function* () {
      const flags = [atomic(0), atomic(0)] as const;
      const data = shared(0);
      function* enter(mine: 0 | 1): ThreadBody<void> {
        yield* flags[mine].store(1, 'release');
        if ((yield* flags[(1 - mine) as 0 | 1].load('acquire')) === 0) yield* data.store(mine);
      }
      yield* spawn(enter, 0 as const);
      yield* enter(1);
    });
    const result = checkSync(dekker, rc11);
    expect(result.errors).toMatchObject([{ kind: 'race', underSc: 'impossible' }]);
    const [, hint] = text(result).replaceAll(/\s+/g, ' ').split(' Hint: ');
    expect(hint).toMatch(/^A load may give an old value .* needs seq_cst for both stores and both loads/);
  });

  test('an error that may be possible under SC says that this is not known', async () => {
    const result = await resultOf('store-buffering', rc11);
    const errors = result.errors.map((error) => ({ ...error, underSc: 'unknown' }) as const);
    expect(text({ ...result, errors }).replaceAll(/\s+/g, ' ')).toContain(
      'This execution is not possible under SC (sequential consistency). Whether the error is possible there in another ' +
        'one is not known: the search for it took too long. To find out: --model sc --keep-going',
    );
  });

  test('an error that is possible under SC says nothing of that, nor of memory orders', async () => {
    const report = text(await resultOf('counter', rc11));
    expect(report).not.toContain('SC');
    expect(report).not.toContain('[seq_cst]');
    expect(report).toBe(text(await resultOf('counter')).replaceAll('model sc', 'model rc11'));
  });

  test.each(['tso', 'pso', 'ra', 'rc11'])('store buffering under %s has a hint for that model', async (model) => {
    const report = text(await resultOf('store-buffering', { model })).replaceAll(/\s+/g, ' ');
    expect(report).toContain(`it takes the reordering of accesses that ${model} allows.`);
    expect(report.split(' Hint: ')[1]).toContain(model === 'tso' || model === 'pso' ? 'buffer' : 'acquire load');
  });
});

test('colour changes nothing but colour', async () => {
  for (const [, result] of await failures()) {
    const coloured = text(result, { colour: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colour is made of
    expect(coloured.replaceAll(/\x1b\[\d+m/g, '')).toBe(text(result));
  }
});

test('the graph of a stale read', async () => {
  const result = await resultOf('store-buffering', rc11);
  const dot = dotReport(result.errors[0] as CheckError, result, cwd);
  expect(dot).toContain('label="assertion failed: neither saw the other\\nnot possible under SC"');
  expect(dot).toContain('[label="#6  x → 0 [acquire]\\nstale: #3 wrote 1\\nstore-buffering.ts:12", color=orange];');
  expect(dot).toContain('e5 -> e2 [label="fr", color=orange');
});

test('the graph of a late write', async () => {
  const result = await crossed();
  const dot = dotReport(result.errors[0] as CheckError, result, cwd);
  expect(dot).toContain('late: takes effect before #4');
  expect(dot.match(/e\d -> e\d \[label="co"/g)).toEqual(['e4 -> e5 [label="co"', 'e6 -> e3 [label="co"']);
});

test('the JSON is as the schema has it, and has what was missed', async () => {
  for (const [name, result] of await failures()) {
    const report = jsonReport(result, cwd);
    expect(checkReportSchema.parse(JSON.parse(JSON.stringify(report))), name).toEqual(report);
    expect(report.errors[0]?.underSc, name).toBe('impossible');
  }
  const [[, buffering], [, publication], [, late]] = (await failures()) as [
    [string, CheckResult],
    [string, CheckResult],
    [string, CheckResult],
  ];
  const [stale] = jsonReport(buffering, cwd).errors;
  expect(stale).not.toHaveProperty('preemptions');
  expect(stale?.trace[5]).toMatchObject({ op: 'load', location: 'x', order: 'acquire', readsFrom: -1, missed: 2 });
  expect(stale?.trace[2]).toMatchObject({ op: 'store', location: 'x', coherence: 1 });
  const [race] = jsonReport(publication, cwd).errors;
  expect(race?.preemptions).toBe(1);
  expect(race?.accesses).toMatchObject([
    { op: 'store', location: 'data', order: 'plain' },
    { op: 'load', location: 'data', order: 'plain' },
  ]);
  const [crossedWrites] = jsonReport(late, cwd).errors;
  expect(crossedWrites?.trace[6]).toMatchObject({ location: 'x', value: 2, coherence: 1, takesEffectBefore: 3 });
});

test('traces hold all of it, and can be run again', async () => {
  for (const [name, result] of await failures()) {
    const [error] = result.errors as [CheckError];
    const file = join(cwd, 'traces/t.json');
    const trace = readTrace(traceText(traceOf(result, error, source, file)), file);
    const read = errorOfTrace(trace);
    expect(read.underSc).toBe('impossible');
    expect(read.execution.preemptions).toBe(error.execution.preemptions);
    const steps = replaySteps(await load(name), trace);
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    expect(step.value.steps.map(({ source: _, ...rest }) => rest)).toEqual(
      error.execution.steps.map(({ source: _, ...rest }) => rest),
    );
    expect(step.value.ends.map(({ state }) => state)).toEqual(error.execution.ends.map(({ state }) => state));
  }
});

test('a trace that refers to later steps is damaged', async () => {
  const result = await resultOf('store-buffering', rc11);
  const trace = traceOf(result, result.errors[0] as CheckError, source, '/t.json');
  for (const field of ['missed', 'takesEffectBefore', 'wokenBy']) {
    const steps = trace.steps.map((step, i) => (i === 5 ? { ...step, [field]: 6 } : step));
    expect(() => readTrace(JSON.stringify({ ...trace, steps }), 't.json')).toThrow(
      'steps[5] misses, takes effect before, or is woken by, a later step',
    );
  }
});
