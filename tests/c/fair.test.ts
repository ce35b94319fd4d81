/** Loops in C that yield end within a fair bound, without a bound on rounds; those that do not yield are told. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadC } from '../../src/c/index.ts';
import { checkSync } from '../../src/index.ts';

const cwd = mkdtempSync(join(tmpdir(), 'heddle-fair-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** Each round counts, so that none is left out as one that changes nothing. */
writeFileSync(
  join(cwd, 'wait.c'),
  `#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

atomic_int flag, data, rounds;

void *reader(void *arg) {
  while (!atomic_load(&flag)) {
    atomic_fetch_add(&rounds, 1);
#ifdef YIELDS
    sched_yield();
#endif
  }
  assert(atomic_load(&data) == 1);
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, reader, 0);
  atomic_store(&data, 1);
  atomic_store(&flag, 1);
  pthread_join(thread, 0);
  assert(atomic_load(&rounds) >= 0);
}
`,
);

test.each(['bpor', 'dfs'])('%s', { timeout: 60_000 }, async (algorithm) => {
  const yielding = await loadC('wait.c', { cwd, defines: ['YIELDS'] });
  for (const fairBound of [0, 1, 2]) {
    const result = checkSync(yielding, { algorithm, fairBound });
    expect(result).toMatchObject({ verdict: 'bounded', errors: [], bounds: [{ name: 'fairness', value: fairBound }] });
  }
  const both = checkSync(yielding, { algorithm, fairBound: 1, bound: 1 });
  expect(both).toMatchObject({ verdict: 'bounded', errors: [] });
  const silent = checkSync(await loadC('wait.c', { cwd }), { algorithm, fairBound: 1, maxSteps: 200 });
  expect(silent.errors).toMatchObject([{ kind: 'livelock', round: 2 }]);
  expect(silent.errors[0]?.message).toMatch(/reader goes round and round, and reader does not yield$/);
});
