/** C programs on the command line. All tests share one cache, so that each program is compiled once. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { CSettings } from '../../src/c/front-end/settings.ts';
import { checkReportSchema, compareReportSchema, traceSchema } from '../../src/report/schema.ts';
import { ensureBuilt, folderWith, heddle, type Run, type RunOptions } from './heddle.ts';

const counter = `#include <assert.h>
#include <pthread.h>
#include "counter.h"

static void *increment(void *unused) {
#ifdef FIXED
  counter++;
#else
  counter = counter + 1;
#endif
  return unused;
}

int main(void) {
  pthread_t thread;
  if (ROUNDS) pthread_create(&thread, 0, increment, 0);
  increment(0);
  pthread_join(thread, 0);
  check(counter);
}
`;
const files = {
  'src/counter.c': counter,
  'src/check.c': '#include <assert.h>\nvoid check(int value) { assert(value == 2); }\n',
  'include/counter.h':
    '#include <stdatomic.h>\nextern atomic_int counter;\natomic_int counter;\nvoid check(int value);\n',
  'choice.c': '#include <heddle.h>\n#include <assert.h>\nint main(void) { assert(__VERIFIER_nondet_int() < 3); }\n',
  'loop.c':
    '#include <stdatomic.h>\natomic_int x;\nint main(void) { int i; for (i = 0; i < 5; i++) x = i; if (i = 5) return 0; }\n',
  'buffers.c': `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int a, b;

static void *other(void *unused) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  b = atomic_load_explicit(&x, memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, other, 0);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  a = atomic_load_explicit(&y, memory_order_relaxed);
  pthread_join(thread, 0);
  assert(a + b > 0);
}
`,
  'input.c': `#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  int read;
  assert(argc == 3 && strcmp(argv[1], "-x") == 0 && argv[3] == NULL);
  assert(scanf("%d", &read) == 1);
  assert(read == argv[2][0]);
}
`,
  'numbers.txt': '52',
  'vain.c': `#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *waiter(void *unused) {
  int a, b;
  do {
    a = x;
    b = y;
  } while (a != b);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, waiter, 0);
  x = 1;
  pthread_join(thread, 0);
}
`,
  'far.c':
    'static int down(int n) { return n == 0 ? 0 : down(n - 1) + 1; }\nint main(void) { return down(150000) - 150000; }\n',
  'endless.c':
    'static int down(int n) { return n + down(n + 1) + 1; }\nint main(int n, char **a) { return down(n); }\n',
  'leak.c': '#include <stdlib.h>\nint main(void) { int *p = malloc(4); *p = 1; return 0; }\n',
};
const cwd = folderWith(files);
const cache = folderWith({});
const program = ['src/counter.c', 'src/check.c', '-I', 'include', '-DROUNDS=1'];

function run(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  return heddle(args, { cwd, ...options, env: { HEDDLE_CACHE: cache, ...options.env } });
}

async function json(...args: readonly string[]) {
  const { code, stdout, stderr } = await run(['check', ...args, '--json']);
  expect(stderr).toBe('');
  return { code, report: checkReportSchema.parse(JSON.parse(stdout)) };
}

beforeAll(async () => {
  await ensureBuilt();
  // all at once: they are no program together, but what was compiled is kept
  const alone = Object.keys(files).filter((file) => file.endsWith('.c') && !file.includes('/'));
  await run(['check', ...alone]);
});

describe('a C program', () => {
  test('of several files, with macros and include folders, fails where it is wrong', async () => {
    const { code, report } = await json(...program);
    expect(code).toBe(1);
    expect(report).toMatchObject({ program: 'src/counter.c src/check.c', model: 'rc11', verdict: 'error' });
    expect(report.errors[0]).toMatchObject({ kind: 'assertion', location: { file: 'src/check.c', line: 2 } });
    expect(report.compileMs).toBeGreaterThan(0);
    expect((await json(...program, '-DFIXED', '-std=c11')).report.verdict).toBe('ok');
  });

  test('is checked under the memory model of C, or the one that is named', async () => {
    const verdictUnder = async (...options: string[]) => {
      const { code, report } = await json('buffers.c', ...options);
      return [report.model, report.verdict, code];
    };
    expect(await verdictUnder()).toEqual(['rc11', 'error', 1]);
    expect(await verdictUnder('--model', 'tso', '--equivalence', 'co')).toEqual(['tso', 'error', 1]);
    expect(await verdictUnder('--model', 'sc')).toEqual(['sc', 'ok', 0]);
    expect(await verdictUnder('--model', 'sc', '--algorithm', 'dfs')).toEqual(['sc', 'ok', 0]);
  });

  test('is checked under a model that the algorithm supports, which is mentioned', async () => {
    const { code, stdout, stderr } = await run(['check', 'buffers.c', '--algorithm', 'dfs']);
    expect(code).toBe(0);
    expect(stdout).toContain('model sc, algorithm dfs');
    expect(stderr).toBe('heddle: dfs does not support the memory model rc11; the check is under sc.\n');
    const asked = await run(['check', 'buffers.c', '--algorithm', 'dfs', '--model', 'rc11']);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('the algorithm dfs does not support the model rc11');
  });

  test('is compared by every algorithm', async () => {
    const { code, stdout } = await run(['compare', ...program, '--json']);
    expect(code).toBe(1);
    const report = compareReportSchema.parse(JSON.parse(stdout));
    expect(report.agree).toBe(true);
    expect(report.runs.length).toBeGreaterThan(1);
  });

  test('can be replayed from anywhere, with the options that it was checked with', async () => {
    const trace = join(cwd, 'out.json');
    const check = await run(['check', ...program, '--trace', 'out.json']);
    expect(check.code).toBe(1);
    expect(traceSchema.parse(JSON.parse(readFileSync(trace, 'utf8'))).source).toMatchObject({
      frontEnd: 'c',
      settings: { files: ['src/counter.c', 'src/check.c'], defines: ['ROUNDS=1'], includeFolders: ['include'] },
    });
    for (const place of [cwd, '/']) {
      const replay = await run(['replay', trace], { cwd: place });
      expect(replay.stderr).toBe('');
      expect(replay.code).toBe(1);
      expect(replay.stdout).toContain('✘ It fails as recorded.');
      expect(replay.stdout).toContain('atomic_fetch_add'); // a hint in the words of C
    }
  });

  test('whose functions call themselves: far, and without end', async () => {
    const far = await json('far.c');
    expect([far.report.verdict, far.report.exitStatus]).toEqual(['ok', undefined]);
    const { report } = await json('endless.c');
    expect(report.errors[0]).toMatchObject({
      kind: 'abort',
      message: expect.stringContaining('stack overflow in down'),
    });
  });

  test('with a loop that goes round in vain is replayed with the reductions that it was checked with', async () => {
    for (const options of [[], ['--no-await']]) {
      const check = await run(['check', 'vain.c', '--trace', 'vain.json', '--model', 'sc', ...options]);
      expect(check.code, check.stderr).toBe(1);
      expect(check.stdout).toContain('livelock');
      expect(check.stdout).toContain('vain.c:8:');
      const { source } = traceSchema.parse(JSON.parse(readFileSync(join(cwd, 'vain.json'), 'utf8')));
      const isAwaiting = options.length === 0 ? undefined : false;
      expect(source.settings).toMatchObject({ files: ['vain.c'] });
      expect((source.settings as CSettings).await).toBe(isAwaiting);
      const replay = await run(['replay', 'vain.json']);
      expect(replay.stderr).toBe('');
      expect(replay.stdout).toContain('✘ It fails as recorded.');
    }
    const { report } = await json('vain.c');
    expect(report.errors[0]).toMatchObject({ kind: 'livelock', location: { line: 8 } });
    expect(report.loops).toMatchObject([{ function: 'waiter', location: { line: 8 }, outcome: 'pure' }]);
    const endless = await run(['check', 'vain.c', '--no-plp', '--max-executions', '100']);
    expect(endless.stdout + endless.stderr).not.toContain('Loops:');
  });

  test('may be given as IR, and printed as IR before and after the passes', async () => {
    const before = await run(['check', '--emit-ir', 'before', ...program]);
    const after = await run(['check', ...program, '--emit-ir']);
    expect([before.code, after.code]).toEqual([0, 0]);
    expect(before.stdout).toContain('%value.addr = alloca');
    expect(after.stdout).toContain('define void @check(i32 %value)');
    expect(after.stdout).not.toContain('%value.addr = alloca');
    writeFileSync(join(cwd, 'linked.ll'), before.stdout);
    expect((await json('linked.ll')).report).toMatchObject({ verdict: 'error', program: 'linked.ll' });
  });

  test('gets arguments and input, which its trace has', async () => {
    const given = ['input.c', '--stdin', 'numbers.txt'];
    expect((await json(...given, '--argument=-x', '--argument', '4')).report.verdict).toBe('ok');
    const failed = await run(['check', ...given, '--trace', 'input.json', '--', '-x', '5']);
    expect(failed.code).toBe(1);
    const { source } = traceSchema.parse(JSON.parse(readFileSync(join(cwd, 'input.json'), 'utf8')));
    expect(source.settings).toMatchObject({ arguments: ['-x', '5'], stdin: 'numbers.txt' });
    expect((await run(['replay', join(cwd, 'input.json')], { cwd: '/' })).stdout).toContain('It fails as recorded.');
  });

  test('may come from standard input', async () => {
    const input = '#include <assert.h>\nint main(void) {\n  assert(0);\n}\n';
    const { code, stdout } = await run(['check', '-'], { input });
    expect(code).toBe(1);
    expect(stdout).toContain('in main, at <stdin>:3:3');
    expect((await run(['check', '-', '--trace', 't.json'], { input })).stderr).toContain('write it to a file');
  });

  test('from standard input is called that, in reports and where it is refused', async () => {
    const good = await run(['check', '-', '--json'], { input: 'int main(void) {}\n' });
    expect(JSON.parse(good.stdout)).toMatchObject({ verdict: 'ok', program: '<stdin>' });
    const broken = await run(['check', '-'], { input: 'int main( {' });
    expect(broken.stderr).toMatch(/^heddle: <stdin> does not compile:\n<stdin>:1:11: error: /);
    const empty = await run(['check', '-', '--', '--json'], { input: '' });
    expect([empty.stdout, empty.stderr]).toEqual(['', expect.stringContaining('no function main in <stdin>')]);
  });

  test('chooses within --nondet, is cut off by --unroll, and leaks only if asked', async () => {
    expect((await json('choice.c')).report.verdict).toBe('bounded');
    expect((await json('choice.c', '--nondet', '-1..3')).report.verdict).toBe('error');
    const warned = await run(['check', 'loop.c', '--unroll', '2']);
    expect(warned.code).toBe(0);
    expect(warned.stdout).toContain('--unroll 2 cut 1 execution');
    expect(warned.stderr).toMatch(/^loop\.c:3:\d+: warning: using the result of an assignment as a condition/);
    expect((await json('loop.c')).report).toMatchObject({ verdict: 'ok', executions: { complete: 1 } });
    expect((await json('leak.c')).code).toBe(0);
    expect((await json('leak.c', '--check-leaks')).report.errors[0]?.kind).toBe('leak');
  });

  test('runs also where nothing can be kept', async () => {
    for (const place of ['off', join(cwd, 'loop.c')]) {
      const { code, stdout } = await run(['check', 'loop.c'], { env: { HEDDLE_CACHE: place } });
      expect(stdout).toContain('✔ verified');
      expect(code).toBe(0);
    }
  });

  test('says in JSON who compiled', async () => {
    const bundled = { name: expect.stringMatching(/^clang \d+\./), kind: 'bundled' };
    const nowhere = { env: { PATH: join(cwd, 'nowhere') } };
    for (const it of [
      run(['check', 'loop.c', '--clang', 'bundled', '--json']),
      run(['check', 'loop.c', '--json'], nowhere),
    ])
      expect(JSON.parse((await it).stdout)).toMatchObject({ verdict: 'ok', compiler: bundled });
  });

  test('starts fast when it was compiled before', async () => {
    await run(['check', 'loop.c']);
    const start = performance.now();
    await run(['check', 'loop.c']);
    // the aim is 0.5 s on a machine that does nothing else; clang alone takes more than the limit here
    expect(performance.now() - start).toBeLessThan(5000);
  });
});
