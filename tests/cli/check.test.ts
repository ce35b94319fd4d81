import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkReportSchema } from '../../src/report/schema.ts';
import { ensureBuilt, fixture, folderWith, heddle, type RunOptions, root } from './heddle.ts';

beforeAll(ensureBuilt);

async function json(args: readonly string[]) {
  const run = await heddle([...args, '--json']);
  return { ...run, report: checkReportSchema.parse(JSON.parse(run.stdout)) };
}

describe.concurrent('check', () => {
  test('a correct program is verified: exit code 0', async () => {
    const { code, stdout, stderr } = await heddle(['check', fixture('verified.ts')]);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^✔ verified: 2 executions, no error \(model sc, algorithm trust, \d+ ms\)\n$/);
  });

  const failing = [
    ['counter.ts', 'assertion'],
    ['race.ts', 'race'],
    ['deadlock.ts', 'deadlock'],
    ['livelock.ts', 'livelock'],
    ['unlock-stranger.ts', 'lock-misuse'],
    ['values.ts', 'exception'],
  ] as const;
  test.each(failing)('%s fails with %s: exit code 1, and JSON as the schema has it', async (file, kind) => {
    const { code, report } = await json(['check', fixture(file)]);
    expect(code).toBe(1);
    expect(report).toMatchObject({
      program: fixture(file),
      verdict: 'error',
      model: 'sc',
      algorithm: 'trust',
      equivalence: 'co',
    });
    expect(report.errors.map((error) => error.kind)).toEqual([kind]);
    expect(report.errors[0]?.location?.file).toBe(fixture(file));
  });

  test('the JSON of a verified program has no errors, and none of what is not known', async () => {
    const { code, report, stderr } = await json(['check', fixture('verified.ts'), '--algorithm', 'dfs']);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(report).toMatchObject({ verdict: 'ok', algorithm: 'dfs', errors: [] });
    expect(report).not.toHaveProperty('equivalence');
    expect(report).not.toHaveProperty('stoppedBy');
  });

  test('a limit makes it incomplete: exit code 3', async () => {
    const { code, stdout, stderr } = await heddle(['check', fixture('long.ts'), '--max-executions', '100']);
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /^◐ incomplete: no error in 100 executions, but the limit on executions \(--max-executions\) stopped/,
    );
    expect(stdout).not.toContain('verified');
    expect(stderr).toBe('loaded\n'); // what the program prints; no progress, since this is no terminal
    const timed = await json(['check', fixture('long.ts'), '--timeout', '0.2']);
    expect(timed.code).toBe(3);
    expect(timed.report).toMatchObject({ verdict: 'incomplete', stoppedBy: 'timeout' });
  });

  test('a limit is kept also where nothing looks at it: the search is cut off', async () => {
    const { code, report } = await json(['check', fixture('loops-at-load.mjs'), '--timeout', '0.2']);
    expect(code).toBe(3);
    expect(report).toMatchObject({ verdict: 'incomplete', stoppedBy: 'timeout', executions: { complete: 0 } });
  });

  test('--keep-going reports every different error', async () => {
    const { report } = await json(['check', fixture('two-errors.ts'), '--keep-going']);
    expect(report.errors.map((error) => error.message).sort()).toEqual(['saw 1', 'saw 2']);
  });

  test('--no-livelock counts a livelock as blocked, --no-races ignores races', async () => {
    const livelock = await json(['check', fixture('livelock.ts'), '--no-livelock']);
    expect(livelock.code).toBe(0);
    expect(livelock.report.executions).toMatchObject({ complete: 0, blocked: 1 });
    expect((await heddle(['check', fixture('race.ts'), '--no-races'])).code).toBe(0);
  });

  test('reductions', async () => {
    const { code, report } = await json(['check', fixture('verified.ts'), '--algorithm', 'optimal', '--no-ifaa']);
    expect(code).toBe(0);
    expect(report.algorithmOptions).toEqual({ ifaa: false, observers: false });
    for (const option of ['--no-plp', '--no-await']) {
      const { code, stderr } = await heddle(['check', fixture('verified.ts'), option]);
      expect(code).toBe(2);
      expect(stderr).toContain(`${option} is an option for C programs`);
    }
  });

  test('what the program prints goes to standard error', async () => {
    const { stdout, stderr } = await heddle(['check', fixture('prints.ts'), '--json']);
    expect(stderr).toContain('printed while loading');
    expect(stderr).toContain('printed by a thread');
    expect(checkReportSchema.safeParse(JSON.parse(stdout)).success).toBe(true);
  });

  test('--dot writes a graph, and nothing is written if nothing fails', async () => {
    const folder = folderWith({});
    const dot = join(folder, 'x.dot');
    await heddle(['check', fixture('counter.ts'), '--dot', dot]);
    expect(readFileSync(dot, 'utf8')).toMatch(/^digraph execution \{/);
    const trace = join(folder, 't.json');
    const run = await heddle(['check', fixture('verified.ts'), '--trace', trace]);
    expect(run.stdout).toContain('was not written');
    expect(existsSync(trace)).toBe(false);
  });

  test('a fault of our own says so: exit code 70', async () => {
    const cwd = folderWith({ 'x.mjs': "export default { start() { throw new Error('not a program of ours'); } };\n" });
    const { code, stdout, stderr } = await heddle(['check', 'x.mjs'], { cwd });
    expect(code).toBe(70);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^heddle: internal error in Heddle .*, please report/);
  });

  test('a reader that goes away is no error', () => {
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', `node dist/cli/main.js check ${fixture('counter.ts')} --json | true`],
      { cwd: root },
    );
    expect(status).toBe(0);
    expect(stderr.toString()).toBe('');
  });
});

/** Acts when the word is first seen. */
function once(
  word: string,
  act: (kill: (signal: NodeJS.Signals) => void) => void,
): NonNullable<RunOptions['onStderr']> {
  let isDone = false;
  return (text, kill) => {
    if (isDone || !text.includes(word)) return;
    isDone = true;
    act(kill);
  };
}

describe.concurrent('an interrupt', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('(%s) stops the search: exit code 3, and a report', async (signal) => {
    const run = await heddle(['check', fixture('long.ts'), '--json'], {
      onStderr: once('loaded', (kill) => setTimeout(() => kill(signal), 200)),
    });
    expect(run.code).toBe(3);
    expect(checkReportSchema.parse(JSON.parse(run.stdout))).toMatchObject({
      verdict: 'incomplete',
      stoppedBy: 'interrupt',
    });
  });

  test('that comes twice ends at once', async () => {
    const run = await heddle(['check', fixture('endless.mjs')], {
      onStderr: once('loaded', (kill) => {
        kill('SIGINT');
        setTimeout(() => kill('SIGINT'), 200);
      }),
    });
    expect(run.code).toBe(130);
    expect(run.stdout).toBe('');
  });
});

describe.concurrent('a TypeScript file', () => {
  test('runs outside of any project, and imports others as TypeScript allows', async () => {
    const cwd = folderWith({
      'main.ts': [
        "import { atomic, program, ThreadHandle } from 'heddle';", // a type, imported without saying so
        "import { Kind } from './kind.js';",
        "import { check } from './check';",
        "import { start } from './lib';",
        'export default program(function* () {',
        '  const threads: ThreadHandle<Kind>[] = [];',
        '  const x = atomic<Kind>(Kind.First);',
        '  threads.push(yield* start(x));',
        '  for (const thread of threads) check(yield* thread.join());',
        '});',
      ].join('\n'),
      'kind.ts': 'export enum Kind { First = 1, Second }\n',
      'check.ts':
        "import { assert } from 'heddle';\nexport const check = (x: number): void => assert(x === 1, 'it is ' + x);\n",
      'lib/index.ts': [
        "import { type Atomic, spawn } from 'heddle';",
        "import { Kind } from '../kind.ts';",
        'export function start(x: Atomic<Kind>) {',
        '  return spawn(function* changes() {',
        '    yield* x.store(Kind.Second);',
        '    return yield* x.load();',
        '  });',
        '}',
      ].join('\n'),
    });
    const { code, stdout } = await heddle(['check', 'main.ts'], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain('assertion failed: it is 2\n  in main, at check.ts:2:');
    expect(stdout).toMatch(/x = 2 .* index.ts:5\n/);
  });

  test('.mts, .mjs and .js run too, whatever package.json says', async () => {
    const source = "import { program } from 'heddle';\nexport default program(function* () {});\n";
    const cwd = folderWith({
      'a.mts': source,
      'b.mjs': source,
      'c.js': source,
      'd/e.js': source,
      'd/package.json': '{"type":"commonjs"}',
    });
    for (const file of ['a.mts', 'b.mjs', 'c.js', 'd/e.js']) {
      expect((await heddle(['check', file], { cwd })).stdout).toContain('verified: 1 execution,');
    }
  });
});

describe.concurrent('help', () => {
  test.each([[['--help']], [['check', '--help']], [['compare', '--help']], [['replay', '--help']]])(
    '%s has examples',
    async (args) => {
      const { code, stdout } = await heddle(args);
      expect(code).toBe(0);
      expect(stdout).toContain('Examples:\n  heddle ');
    },
  );

  test('--version', async () => {
    expect((await heddle(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
