/** `--checkpoint`, `heddle resume`: searches that are stopped in every way there is. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { Random } from '../random/prng.ts';
import { byTier } from '../tier.ts';
import { ensureBuilt, fixture, folderWith, heddle, root } from './heddle.ts';

beforeAll(ensureBuilt, 300_000);

const program = join(root, fixture('readers.ts'));
/** Checkpoints follow each other as fast as can be. */
const env = { HEDDLE_CHECKPOINT_MS: '20' };

interface Report {
  readonly verdict: string;
  readonly executions: unknown;
  readonly errors: readonly { readonly kind: string; readonly location?: unknown }[];
}

function reportOf(stdout: string): Report {
  return JSON.parse(stdout) as Report;
}

let whole: Report;
beforeAll(async () => {
  whole = reportOf((await heddle(['check', program, '--workers', '1', '--json'])).stdout);
  expect(whole.verdict).toBe('ok');
}, 60_000);

/** Runs the command and kills it with -9 after so long; whether it was still running. */
async function killed(args: readonly string[], ms: number): Promise<string | undefined> {
  const child = spawn(process.execPath, [join(root, 'dist/cli/main.js'), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  const closed = new Promise((resolve) => child.on('close', resolve));
  const timer = setTimeout(() => child.kill('SIGKILL'), ms);
  await closed;
  clearTimeout(timer);
  return child.signalCode === 'SIGKILL' ? undefined : stdout;
}

describe('stopped', () => {
  test('by -9 at random moments, and resumed each time', { timeout: 600_000 }, async () => {
    const random = new Random(5);
    for (let kills = byTier({ normal: 3, long: 30 }); kills > 0; ) {
      const file = join(folderWith({}), 'search');
      let stdout: string | undefined;
      for (let begun = false; stdout === undefined; begun = existsSync(file)) {
        // if it was killed when all was explored, the checkpoint is gone, and the search begins again
        const workers = ['--workers', String(random.between(1, 3)), '--json'];
        const args = begun ? ['resume', file] : ['check', program, '--checkpoint', file];
        const ms = kills > 0 ? random.between(300, 1500) : 60_000;
        stdout = await killed([...args, ...workers], ms);
        if (stdout === undefined) kills--;
      }
      const { verdict, executions } = reportOf(stdout);
      expect({ verdict, executions }).toEqual({ verdict: 'ok', executions: whole.executions });
      expect(existsSync(file)).toBe(false);
    }
  });

  test('by a time limit, a number of executions, SIGTERM: it says how to go on', { timeout: 120_000 }, async () => {
    const file = join(folderWith({}), 'search');
    const first = await heddle(['check', program, '--checkpoint', file, '--max-executions', '100']);
    expect(first.code).toBe(3);
    expect(first.stdout).toContain(`To go on from where the search was stopped: heddle resume ${file}`);
    const second = await heddle(['resume', file, '--timeout', '0.1', '--json']);
    expect(second.code).toBe(3);
    expect(reportOf(second.stdout).verdict).toBe('incomplete');
    expect(second.stderr).toContain(`heddle resume ${file}`);
    const third = await heddle(['resume', file, '--json', '--workers', '2']);
    expect(third.code).toBe(0);
    expect(reportOf(third.stdout).executions).toEqual(whole.executions);
    const gone = await heddle(['resume', file]);
    expect(gone).toMatchObject({ code: 2, stderr: `heddle: the checkpoint ${file} does not exist.\n` });
  });

  test('with a bound that rises, with every interleaving, with errors', { timeout: 240_000 }, async () => {
    const searches = [
      ['examples/counter-broken.ts', '--algorithm', 'dfs', '--keep-going'],
      ['examples/c/treiber-stack.c', '--iterate', '--bound', '2', '--keep-going', '--model', 'sc'],
      ['tests/fixtures/saved/halves.c', '--keep-going'],
    ].filter(([each]) => existsSync(join(root, each as string)));
    expect(searches.length).toBeGreaterThan(0);
    for (const args of searches) {
      const alone = reportOf((await heddle(['check', ...args, '--json', '--workers', '1'])).stdout);
      const shared = reportOf((await heddle(['check', ...args, '--json', '--workers', '3'])).stdout);
      expect(shared.executions).toMatchObject(withoutBlocked(alone.executions));
      expect(kindsOf(shared)).toEqual(kindsOf(alone));
      const file = join(folderWith({}), 'search');
      let last = await heddle(['check', ...args, '--json', '--checkpoint', file, '--max-executions', '3']);
      while (last.stderr.includes('heddle resume'))
        last = await heddle(['resume', file, '--json', '--max-executions', byTier({ normal: '100', long: '20' })]);
      expect(reportOf(last.stdout).executions).toMatchObject(withoutBlocked(alone.executions));
      expect(kindsOf(reportOf(last.stdout))).toEqual(kindsOf(alone));
    }
  });
});

/** What came of a graph in all is not known to those who explored parts of it. */
function withoutBlocked(executions: unknown): object {
  const { boundBlocked: _, ...others } = executions as Record<string, number>;
  return others;
}

/** By where they are: which of several threads it happens to depends on the execution that is found. */
function kindsOf({ errors }: Report): string[] {
  return errors.map(({ kind, location }) => `${kind} ${JSON.stringify(location)}`).sort();
}

describe('a checkpoint', () => {
  test('that cannot be written does not stop the search', { timeout: 60_000 }, async () => {
    const folder = folderWith({});
    const search = heddle(['check', program, '--checkpoint', join(folder, 'search'), '--json'], { env });
    while (!existsSync(join(folder, 'search'))) await sleep(10);
    rmSync(folder, { recursive: true });
    const { code, stdout, stderr } = await search;
    expect(stderr).toMatch(/^heddle: the checkpoint .* cannot be written \(ENOENT.*\); the search goes on\.$/m);
    expect(code).toBe(0);
    expect(reportOf(stdout).executions).toEqual(whole.executions);
  });

  test('for which there is no room leaves the one before', { timeout: 60_000 }, async () => {
    const folder = folderWith({});
    const file = join(folder, 'search');
    expect((await heddle(['check', program, '--checkpoint', file, '--max-executions', '50'])).code).toBe(3);
    const text = readFileSync(file, 'utf8');
    // no file may be larger than 512 bytes: to the program it is as if the disk were full
    const limited = spawn(
      'bash',
      [
        '-c',
        `ulimit -f 1; exec "$0" "$@"`,
        process.execPath,
        join(root, 'dist/cli/main.js'),
        'resume',
        file,
        '--timeout',
        '0.5',
      ],
      { env: { ...process.env, ...env } },
    );
    let stderr = '';
    limited.stderr.setEncoding('utf8').on('data', (more: string) => {
      stderr += more;
    });
    expect(await new Promise((resolve) => limited.on('close', resolve))).toBe(3);
    expect(stderr).toContain(`the checkpoint ${file} cannot be written (EFBIG`);
    expect(readFileSync(file, 'utf8')).toBe(text);
    const rest = await heddle(['resume', file, '--json']);
    expect(reportOf(rest.stdout).executions).toEqual(whole.executions);
  });

  test('that was cut in half is refused, and the one before is used', { timeout: 60_000 }, async () => {
    const file = join(folderWith({}), 'search');
    await heddle(['check', program, '--checkpoint', file, '--max-executions', '50']);
    await heddle(['resume', file, '--max-executions', '50']);
    expect(existsSync(`${file}.before`)).toBe(true);
    truncateSync(file, Math.floor(readFileSync(file).length / 2));
    const { code, stdout, stderr } = await heddle(['resume', file, '--json']);
    expect(stderr).toBe(
      `heddle: the checkpoint ${file} is damaged. The search goes on from the checkpoint before, ${file}.before.\n`,
    );
    expect(code).toBe(0);
    expect(reportOf(stdout).executions).toEqual(whole.executions);
  });

  test('that is empty is refused, and the one before is used', { timeout: 60_000 }, async () => {
    const file = join(folderWith({}), 'search');
    await heddle(['check', program, '--checkpoint', file, '--max-executions', '50']);
    await heddle(['resume', file, '--max-executions', '50']);
    truncateSync(file, 0);
    const { code, stderr } = await heddle(['resume', file, '--max-executions', '50']);
    expect(stderr).toContain(`${file} is damaged. The search goes on from the checkpoint before`);
    expect(code).toBe(3);
    for (const each of [file, `${file}.before`]) truncateSync(each, 0);
    const empty = await heddle(['resume', file]);
    expect(empty.stderr).toContain('is damaged');
    expect(empty.code).toBe(2);
  });

  test('does not take the place of another file', { timeout: 60_000 }, async () => {
    const cwd = folderWith({ 'notes.txt': 'notes', 'a.ts': readFileSync(program, 'utf8'), 'b.before': 'notes' });
    symlinkSync('a.ts', join(cwd, 'link'));
    for (const place of ['notes.txt', 'a.ts', 'link', 'b']) {
      const { code, stderr } = await heddle(['check', 'a.ts', '--checkpoint', place], { cwd });
      expect(stderr, place).toContain('cannot write');
      expect(code).toBe(2);
    }
    await heddle(['check', 'a.ts', '--checkpoint', 'search', '--max-executions', '50'], { cwd });
    for (const place of [
      ['--checkpoint', 'notes.txt'],
      ['--checkpoint', 'a.ts'],
      ['--trace', 'a.ts'],
    ]) {
      const { code, stderr } = await heddle(['resume', 'search', ...place], { cwd });
      expect(stderr).toContain('cannot write');
      expect(code).toBe(2);
    }
    expect(readFileSync(join(cwd, 'notes.txt'), 'utf8')).toBe('notes');
    expect(readFileSync(join(cwd, 'a.ts'), 'utf8')).toBe(readFileSync(program, 'utf8'));
  });

  test('is found by any path, and its program too, from any folder', { timeout: 60_000 }, async () => {
    const include = '#include <pthread.h>\n#include <stdatomic.h>\n#include <assert.h>\n#include "size.h"\n';
    const body = `atomic_int x; void *f(void *p) { for (int i = 0; i < N; i++) atomic_fetch_add(&x, 1); return 0; }
      int main(void) { pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0);
      assert(atomic_load(&x) < 9); return 0; }`;
    const folder = folderWith({ 'a/b/p.c': include + body, 'a/inc/size.h': '#define N 3\n', 'c/empty': '' });
    const [a, c] = [join(folder, 'a'), join(folder, 'c')];
    const names: readonly (readonly [string, string])[] = [
      ['b/p.c', a],
      ['./b/p.c', a],
      [join(a, 'b/p.c'), a],
      ['../a/b/p.c', a],
    ];
    const limit = ['--max-executions', '3'];
    for (const [name, cwd] of names) {
      const args = ['check', name, '-I', 'inc', '--checkpoint', 'search', ...limit];
      expect((await heddle(args, { cwd })).stdout).toContain('heddle resume search');
      const here = await heddle(['resume', 'search', ...limit], { cwd });
      expect([here.code, here.stderr], name).toEqual([3, '']);
      const there = await heddle(['resume', '../a/search', '--trace', 'trace.json'], { cwd: c });
      expect([there.code, there.stderr], name).toEqual([0, '']);
      expect(existsSync(join(a, 'search'))).toBe(false);
    }
  });

  test('of another program or another version is refused, and what is none', { timeout: 60_000 }, async () => {
    const folder = folderWith({ 'a.ts': readFileSync(program, 'utf8') });
    const file = join(folder, 'search');
    await heddle(['check', join(folder, 'a.ts'), '--checkpoint', file, '--max-executions', '5']);
    const text = readFileSync(file, 'utf8');
    writeFileSync(join(folder, 'a.ts'), `${readFileSync(program, 'utf8')}\n// changed\n`);
    const changed = await heddle(['resume', file]);
    expect(changed.code).toBe(2);
    expect(changed.stderr).toMatch(/a\.ts has changed since .* was written/);
    writeFileSync(file, text.replace(/"version":"[^"]*"/, '"version":"0.0.1"'));
    const older = await heddle(['resume', file]);
    expect(older.code).toBe(2);
    expect(older.stderr).toContain('is of Heddle 0.0.1');
    writeFileSync(file, '{}');
    expect((await heddle(['resume', file])).stderr).toContain('is not a checkpoint of Heddle');
    writeFileSync(file, text.replace('"elapsedMs":', '"elapsedMs":-'));
    expect((await heddle(['resume', file])).stderr).toContain('is damaged');
  });
});

test.each([
  [['--workers', '0'], '--workers is from 1 to 1024, not 0.'],
  [['--workers', 'many'], '--workers needs a whole number, or auto for all cores, not "many".'],
  [['--workers', '-1'], '--workers needs a whole number'],
  [['--workers', '2', '--algorithm', 'optimal'], 'the search of optimal cannot be cut in pieces'],
  [['--workers', '2', '--max-executions', '5'], '--max-executions counts the executions of one worker'],
  [['--checkpoint', 'x', '--algorithm', 'vc'], 'those of trust, buster and dfs can.'],
  [['--checkpoint', '/no/such/folder/x'], 'cannot write /no/such/folder/x'],
])('%s is refused', async (args, message) => {
  const { code, stderr } = await heddle(['check', program, ...args]);
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});
