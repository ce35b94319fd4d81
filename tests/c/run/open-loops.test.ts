/** Loops in C that are not known to end: by default they are searched with growing bounds. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileC } from '../../../src/c/compile/compile.ts';
import { parseModule } from '../../../src/c/ir/parser.ts';
import { type CProgram, type CProgramOptions, cProgram } from '../../../src/c/program.ts';
import { checkSync } from '../../../src/check/check.ts';
import type { CheckOptions } from '../../../src/check/options.ts';
import type { CheckResult } from '../../../src/check/result.ts';
import { jsonReport } from '../../../src/report/json.ts';
import { readTrace } from '../../../src/report/read-trace.ts';
import { replaySteps } from '../../../src/report/replay.ts';
import { checkReportSchema } from '../../../src/report/schema.ts';
import { textReport } from '../../../src/report/text.ts';
import { traceOf, traceText } from '../../../src/report/trace.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-open-loops-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const header = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#line 1
`;

/** The thread of the loop comes first, so that a search without a bound goes round in it for ever. */
const spinsFirst = (claim: string): string => `static atomic_int stop, counter, x;
static void *spin(void *unused) {
  while (!stop)
    counter++;
  return NULL;
}
static void *set(void *unused) { x = 1; stop = 1; return NULL; }
int main(void) {
  pthread_t first, second;
  for (int i = 0; i < 20; i++) counter = 0;
  pthread_create(&first, NULL, spin, NULL);
  pthread_create(&second, NULL, set, NULL);
  int seen = x;
  pthread_join(second, NULL);
  pthread_join(first, NULL);
  ${claim}
  return 0;
}
`;

/** The loop can end at once, so that each execution goes a round deeper than the one before. */
const deeperEachTime = (claim: string): string => `static atomic_int stop, counter;
static void count(void) {
  counter++;
}
static void *spin(void *unused) {
  while (!stop) count();
  return NULL;
}
static void *watch(void *unused) {
  int seen = counter;
  ${claim}
  return NULL;
}
int main(void) {
  pthread_t first, second;
  pthread_create(&second, NULL, watch, NULL);
  pthread_create(&first, NULL, spin, NULL);
  stop = 1;
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return 0;
}
`;

/** Loops over memory, of which nobody sees that they end. */
const longList = (claim: string): string => `struct node { struct node *next; };
static struct node *_Atomic head;
static atomic_int x;
static void *twice(void *unused) { x++; x++; return NULL; }
int main(void) {
  for (int i = 0; i < 700; i++) {
    struct node *n = malloc(sizeof *n);
    n->next = head;
    head = n;
  }
  pthread_t first, second;
  pthread_create(&first, NULL, twice, NULL);
  pthread_create(&second, NULL, twice, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  int length = 0;
  while (head) {
    struct node *n = head;
    head = n->next;
    free(n);
    length++;
  }
  ${claim}
  return 0;
}
`;

const sources: Readonly<Record<string, string>> = {
  'spins-first': spinsFirst('assert(counter >= 0);'),
  'spins-first-broken': spinsFirst('assert(seen == 1 || counter < 0);'),
  'deeper-each-time': deeperEachTime('assert(seen >= 0);'),
  'deeper-each-time-broken': deeperEachTime('assert(seen != 3);'),
  'long-list': longList('assert(length == 700 && x == 4);'),
  'long-list-broken': longList('assert(length != 700);'),
};
const texts = new Map<string, string>();

beforeAll(async () => {
  const names = Object.keys(sources);
  for (const name of names) writeFileSync(join(folder, `${name}.c`), header + sources[name]);
  const files = names.map((name) => `${name}.c`);
  const { modules } = await compileC(files, { cwd: folder });
  for (const [i, { text }] of modules.entries()) texts.set(names[i] as string, text);
}, 120_000);

function program(name: string, options: Partial<CProgramOptions> = {}): CProgram {
  return cProgram([parseModule(texts.get(name) as string, `${name}.c`)], { name: `${name}.c`, ...options });
}

const check = (name: string, options: CheckOptions = {}): CheckResult => checkSync(program(name), options);
const shown = (result: CheckResult): string => textReport(result, { colour: false, width: 200, cwd: folder });

describe('a shallow error beside a loop without end', () => {
  test.each([{}, { model: 'sc', algorithm: 'optimal' }, { model: 'sc', algorithm: 'dfs' }] as CheckOptions[])(
    'is found: %o',
    (options) => {
      for (const name of ['spins-first-broken', 'deeper-each-time-broken'])
        expect(check(name, options)).toMatchObject({ verdict: 'error', errors: [{ kind: 'assertion' }] });
    },
  );

  test('and its trace has the bound', () => {
    const found = program('spins-first-broken');
    const result = checkSync(found);
    const [error] = result.errors;
    const knowledge = found.knowledge();
    expect(knowledge).toMatchObject({ mostRounds: 1 });
    const settings = { files: ['spins-first-broken.c'], defines: [], includeFolders: [], includeFiles: [] };
    const trace = traceText(traceOf(result, error!, { frontEnd: 'c', settings, knowledge: knowledge! }, '/tmp/t.json'));
    const again = program('spins-first-broken', { knowledge });
    expect(again.openLoops.most).toBe(1);
    expect([...replaySteps(again, readTrace(trace, 't.json'))].length).toBeGreaterThan(0);
  });
});

describe('a program in which a loop need not end', () => {
  test('says how many rounds are covered, of which loop, and why they count', () => {
    // with 256 rounds the thread has more operations than it may
    const result = check('spins-first', { maxDepth: 400, timeout: 300 });
    expect(result).toMatchObject({ verdict: 'incomplete', stoppedBy: 'rounds', rounds: { covered: 128 }, errors: [] });
    const text = shown(result);
    expect(text).toContain('incomplete: no error with at most 128 rounds of the loop at spins-first.c:3:3, in ');
    expect(text).toContain('; more rounds were not tried');
    expect(text).toMatch(/every round counts:\n {2}spins-first\.c:3:3, [\d,]+ rounds: it updates counter \(line 4\)\n/);
    expect(text).not.toContain('spins-first.c:11'); // a loop that counts is not blamed
    const report = checkReportSchema.parse(jsonReport(result, folder));
    expect(report).toMatchObject({ rounds: { covered: 128 }, stoppedBy: 'rounds', size: { threads: 3 } });
    expect(report.loops?.find(({ location }) => location?.line === 3)?.rounds).toBeGreaterThan(128);
  });

  test('comes to an end by itself', () => {
    const result = check('deeper-each-time');
    expect(result).toMatchObject({ verdict: 'incomplete', stoppedBy: 'rounds' });
    expect(result.rounds?.covered).toBeGreaterThan(1);
    // the last access was in a function that the loop calls
    expect(shown(result)).toContain(' rounds: it calls count, which updates counter in line 3 (line 6)\n');
  });

  test('is named by a refusal', () => {
    const refused = (): CheckResult => checkSync(program('spins-first', { unroll: 1000 }), { maxDepth: 300 });
    expect(refused).toThrow(/performed 300 operations .* A loop that waits may go round/);
    const long = (): CheckResult => check('spins-first', { maxDepth: 15 });
    expect(long).toThrow(/^(?!.*The loop at)/s); // a loop that counts is not blamed
  });

  test('until it is stopped', () => {
    const result = check('deeper-each-time', { timeout: 4 });
    expect(result).toMatchObject({ verdict: 'incomplete', stoppedBy: 'timeout' });
    const { covered = 0, tried = 2 * covered } = result.rounds ?? {};
    expect(covered).toBeGreaterThan(1);
    expect(tried).toBe(2 * covered);
    expect(shown(result)).toMatch(
      /at most [\d,]+ rounds of the loop at deeper-each-time\.c:6:3; the time limit \(--timeout\)/,
    );
  });

  test('within a bound on preemptions', () => {
    const result = check('spins-first', { model: 'sc', bound: 1, maxDepth: 100, timeout: 300 });
    expect(shown(result)).toContain(
      'at most 32 rounds of the loop at spins-first.c:3:3 and within the other bounds, in ',
    );
  });

  test('is bounded as asked by --unroll', () => {
    const result = checkSync(program('spins-first', { unroll: 25 }));
    expect(result).toMatchObject({ verdict: 'bounded', bounds: [{ name: 'unroll', value: 25 }] });
    expect(result.rounds).toBeUndefined();
    expect(shown(result)).toContain('spins-first.c:3:3');
    expect(shown(result)).not.toContain('spins-first.c:11');
  });
});

describe('a long loop that ends', () => {
  test('is proved, with the counts of a search without bounds', () => {
    const result = check('long-list');
    expect(result).toMatchObject({ verdict: 'ok', executions: { complete: 6, blocked: 0 }, bounds: [] });
    expect(result.rounds).toBeUndefined();
  });

  test('is followed to the error behind it', () => {
    expect(check('long-list-broken')).toMatchObject({ verdict: 'error', errors: [{ kind: 'assertion' }] });
  });
});

test('a program can be checked again', () => {
  const same = program('spins-first-broken');
  const first = checkSync(same);
  const second = checkSync(same);
  expect(second.executions).toEqual(first.executions);
});
