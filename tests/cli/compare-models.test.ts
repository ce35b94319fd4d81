import { beforeAll, describe, expect, test } from 'vitest';
import { compareModelsReportSchema } from '../../src/report/schema.ts';
import { ensureBuilt, fixture, folderWith, heddle } from './heddle.ts';

beforeAll(ensureBuilt);

const models = ['sc', 'tso', 'pso', 'ra', 'rc11'];

function masked(text: string): string {
  return text.replaceAll(/ +(?:time|[\d.]+ m?s)$/gm, ' …');
}

describe('compare --models', () => {
  test('says which models expose the bug; exit code 1', async () => {
    const { code, stdout } = await heddle(['compare', fixture('store-buffering.ts'), '--models']);
    expect(code).toBe(1);
    expect(masked(stdout)).toMatchInlineSnapshot(`
      "tests/fixtures/store-buffering.ts

      model  verdict            complete  blocked …
      sc     ok                       3        0 …
      tso    error (assertion)        1+       0+ …
      pso    error (assertion)        1+       0+ …
      ra     error (assertion)        1+       0+ …
      rc11   error (assertion)        1+       0+ …

      +: so many until the run stopped at its first error; --keep-going goes on

      The assertion at tests/fixtures/store-buffering.ts:15 fails under tso, pso, ra and rc11 only.
      "
    `);
  });

  test('counts all executions of a program without an error', async () => {
    const { code, stdout } = await heddle(['compare', fixture('verified.ts'), '--models']);
    expect(code).toBe(0);
    expect(masked(stdout)).toMatchInlineSnapshot(`
      "tests/fixtures/verified.ts

      model  verdict  complete  blocked …
      sc     ok             2        0 …
      tso    ok             2        0 …
      pso    ok             2        0 …
      ra     ok             2        0 …
      rc11   ok             2        0 …

      No model exposes an error.
      "
    `);
  });

  test('--keep-going counts all executions, and finds every error under every model', async () => {
    const { code, stdout } = await heddle(['compare', fixture('crossed-writes.ts'), '--models', '--keep-going']);
    expect(code).toBe(1);
    expect(masked(stdout)).toMatchInlineSnapshot(`
      "tests/fixtures/crossed-writes.ts

      model  verdict           complete  blocked …
      sc     error (livelock)        3        0 …
      tso    error (livelock)        3        0 …
      pso    error (livelock)        4        0 …
      ra     error (livelock)        4        0 …
      rc11   error (livelock)        4        0 …

      The livelock at tests/fixtures/crossed-writes.ts:15 occurs under every model.
      The livelock at tests/fixtures/crossed-writes.ts:17 occurs under every model.
      The livelock at tests/fixtures/crossed-writes.ts:17 and tests/fixtures/crossed-writes.ts:15 occurs under pso, ra and rc11 only.
      "
    `);
  });

  test('--json', async () => {
    const { code, stdout } = await heddle(['compare', fixture('relaxed-publication.ts'), '--models', '--json']);
    expect(code).toBe(1);
    const report = compareModelsReportSchema.parse(JSON.parse(stdout));
    expect(report.runs.map(({ model }) => model)).toEqual(models);
    expect(report.runs.map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok', 'error', 'error']);
    expect(report.bugs).toMatchObject([{ kind: 'race', models: ['ra', 'rc11'], unknown: [] }]);
    expect(report.bugs[0]?.places.map(({ line }) => line)).toEqual([7, 10]);
  });

  test('an error under every model', async () => {
    const { stdout } = await heddle(['compare', fixture('counter.ts'), '--models']);
    expect(stdout).toContain('The assertion at tests/fixtures/counter.ts:12 fails under every model.\n');
  });

  test('a limit is said in the table; exit code 3', async () => {
    const { code, stdout } = await heddle(['compare', fixture('long.ts'), '--models', '--max-executions', '10']);
    expect(code).toBe(3);
    expect(stdout).toContain('incomplete (executions)');
    expect(stdout).toContain(
      'No error was found, but under sc, tso, pso, ra and rc11 the search did not come to its end.',
    );
  });

  test('what a bound cut off is not known, and not excluded', async () => {
    const cwd = folderWith({
      'bounded.c': `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
int r1, r2;
void *left(void *unused) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  r1 = atomic_load_explicit(&y, memory_order_relaxed);
  return 0;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, left, 0);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  r2 = atomic_load_explicit(&x, memory_order_relaxed);
  pthread_join(thread, 0);
  if (r1 || r2)
    for (int i = 0; i < 5; i++) atomic_fetch_add(&x, 1);
#ifndef RIGHT
  assert(0);
#endif
}
`,
    });
    const compared = (...options: readonly string[]) =>
      heddle(['compare', 'bounded.c', '--models', '--unroll', '2', ...options], { cwd });
    const wrong = await compared();
    expect(wrong.stdout).toMatch(/^sc +bounded /m);
    expect(wrong.stdout).toContain(
      'The assertion at bounded.c:20 fails under tso, pso, ra and rc11; the run under sc ended without that being known there.',
    );
    const right = await compared('-DRIGHT');
    expect(right.code).toBe(0);
    expect(right.stdout).toContain(
      'No error was found, but under sc, tso, pso, ra and rc11 a bound cut the search off.',
    );
  });

  test('says where the program was not checked', async () => {
    const cwd = folderWith({
      'buffered.c': `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
atomic_int x, y;
int seen;
void *other(void *unused) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  seen = atomic_load_explicit(&y, memory_order_relaxed);
  return 0;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, other, 0);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  int own = atomic_load_explicit(&x, memory_order_relaxed);
  pthread_join(thread, 0);
  if (!own && !seen) fork();
#ifndef RIGHT
  assert(!own);
#endif
}
`,
    });
    const compared = (...options: readonly string[]) =>
      heddle(['compare', 'buffered.c', '--models', ...options], { cwd });
    expect((await compared()).stdout).toContain(
      'The assertion at buffered.c:20 fails under sc.\nBut under tso, pso, ra and rc11 the program was not checked.\n',
    );
    const right = compareModelsReportSchema.parse(JSON.parse((await compared('-DRIGHT', '--json')).stdout));
    expect([right.runs.length, right.notRun]).toEqual([1, ['tso', 'pso', 'ra', 'rc11']]);
  });

  test.each([
    ['--model', 'sc'],
    ['--algorithms', 'trust'],
  ])('does not go with %s', async (option, value) => {
    const { code, stderr } = await heddle(['compare', fixture('counter.ts'), '--models', option, value]);
    expect(code).toBe(2);
    expect(stderr).toContain('leave one of them out.');
  });
});
