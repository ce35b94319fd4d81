import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkReportSchema, replayReportSchema } from '../../src/report/schema.ts';
import { ensureBuilt, fixture, folderWith, heddle, root } from './heddle.ts';

beforeAll(ensureBuilt);

const counter = readFileSync(join(root, fixture('counter.ts')), 'utf8');

let recording: Promise<string> | undefined;

async function recordTrace(): Promise<string> {
  const cwd = folderWith({ 'counter.ts': counter });
  expect((await heddle(['check', 'counter.ts', '--trace', 't.json'], { cwd })).code).toBe(1);
  return readFileSync(join(cwd, 't.json'), 'utf8');
}

/** A folder with the counter and its trace. */
async function recordedCounter(): Promise<string> {
  recording ??= recordTrace();
  return folderWith({ 'counter.ts': counter, 't.json': await recording });
}

/** Replays the trace of the counter after its program was changed. */
async function replayChanged(from: string, to: string) {
  const cwd = await recordedCounter();
  expect(counter).toContain(from);
  writeFileSync(join(cwd, 'counter.ts'), counter.replace(from, to));
  return heddle(['replay', 't.json'], { cwd });
}

describe.concurrent('replay', () => {
  test.each([
    ...['counter.ts', 'race.ts', 'deadlock.ts', 'livelock.ts', 'unlock-stranger.ts', 'values.ts'],
    ...['float-adds.c', 'thread-identity.c', 'heap-order.c'],
  ])('gives the failure of %s again', async (file) => {
    const trace = join(folderWith({}), 't.json');
    const recorded = await heddle(['check', fixture(file), '--trace', trace, '--json']);
    const again = await heddle(['replay', trace, '--json']);
    expect(again.code, again.stderr).toBe(1);
    const { errors } = checkReportSchema.parse(JSON.parse(recorded.stdout));
    const report = replayReportSchema.parse(JSON.parse(again.stdout));
    expect(report.program).toBe(fixture(file));
    expect([report.error]).toEqual(errors);
  });

  test('prints the steps as the report has them, and what the program prints in between', async () => {
    const cwd = folderWith({
      'counter.ts': counter.replace('const old = yield* x.load();', "$& console.log('old is', old);"),
    });
    const checked = await heddle(['check', 'counter.ts', '--trace', 't.json'], { cwd });
    const { code, stdout } = await heddle(['replay', 't.json'], { cwd });
    expect(code).toBe(1);
    const steps = (text: string): string[] => text.split('\n').filter((line) => /^ *(\d+|✘) {3}/.test(line));
    expect(steps(stdout)).toEqual(steps(checked.stdout));
    expect(stdout).toMatch(/^old is 0\n 3 +x → 0/m);
    expect(stdout).toContain('It fails as recorded');
  });

  test('--step waits for the Enter key, and for nobody after the end of the input', async () => {
    const cwd = await recordedCounter();
    expect((await heddle(['replay', 't.json', '--step'], { cwd, input: '\n\n' })).code).toBe(1);
  });

  test('finds the program from the folder of the trace', async () => {
    const cwd = await recordedCounter();
    expect((await heddle(['replay', join(cwd, 't.json')])).code).toBe(1);
  });

  test('says where a program that was changed goes another way', async () => {
    const value = await replayChanged('old + 1', 'old + 2');
    expect(value.code).toBe(2);
    expect(value.stderr).toContain(
      'counter.ts:7:14: the program does not follow the recorded execution at step 5: expected store of x (written 1), but it was store of x (written 2).',
    );
    expect(value.stderr).toContain('The usual causes: the program was changed since');

    const operation = await replayChanged('yield* x.store(old + 1)', 'yield* x.fetchAdd(1)');
    expect(operation.code).toBe(2);
    expect(operation.stderr).toMatch(
      /at step 5: expected store of x \(written 1\), but thread increment performs fetchAdd\(1\)/,
    );

    const shorter = await replayChanged('yield* x.store(old + 1);', 'void old;');
    expect(shorter.stderr).toContain('but thread increment has nothing more to do');

    const fixed = await replayChanged('=== 2', '>= 1');
    expect(fixed.code).toBe(2);
    expect(fixed.stderr).toContain(
      'after all 9 recorded steps the program does not fail; expected: assertion (an increment was lost) at counter.ts:12:3.',
    );
  });

  test('says where a program that was changed fails now', async () => {
    const moved = await replayChanged('  assert(', '  // the same, further down\n  assert(');
    expect(moved.code).toBe(2);
    expect(moved.stdout).not.toContain('It fails as recorded');
    expect(moved.stderr).toContain(
      'counter.ts:13:3: after all 9 recorded steps the program fails with assertion (an increment was lost); ' +
        'expected: assertion (an increment was lost) at counter.ts:12:3.',
    );
  });

  const damages: readonly (readonly [what: string, damage: (text: string) => string, message: string])[] = [
    ['is cut off', (text) => text.slice(0, 200), 't.json is damaged: '],
    ['is something else', () => '{"name":"heddle"}', 't.json is not a trace of Heddle'],
    ['is not JSON', () => 'digraph {}', 't.json is damaged: '],
    ['is empty', () => '', 't.json is damaged: '],
    ['is of another version', (text) => text.replace('"version": 2', '"version": 7'), 'has trace version 7'],
    [
      'is of an older version',
      (text) => text.replace('"version": 2', '"version": 1'),
      'has trace version 1, and this version of Heddle reads version 2. Write it anew',
    ],
    [
      'is for another front end',
      (text) => text.replace('"typescript"', '"fortran"'),
      't.json is a trace of a program for fortran, and this version of Heddle knows c and typescript.',
    ],
    ['has settings of nobody', (text) => text.replace('"files": [', '"folders": ['), 'damaged: source.settings'],
    ['has a wrong field', (text) => text.replace('"kind": "assertion"', '"kind": "surprise"'), 'damaged: error.kind: '],
    [
      'has a step of nobody',
      (text) => text.replace('{"thread":1,', '{"thread":9,'),
      'belongs to thread 9, which is not in threads',
    ],
    ['reads from the future', (text) => text.replace('"readsFrom":-1', '"readsFrom":8'), 'reads from a later step'],
    ['names no program', (text) => text.replace('"counter.ts"', '"gone.ts"'), 'the file gone.ts does not exist'],
    ['is out of order', (text) => text.replace('"path": "0.0"', '"path": "0.7"'), 'thread 0.7 does not exist'],
    [
      'has a thread without a path',
      (text) => text.replace('"path": "0.0"', '"path": "worker"'),
      'damaged: threads[1].path: ',
    ],
  ];
  test.each(damages)('a trace that %s gives a message', async (_, damage, message) => {
    const cwd = await recordedCounter();
    const file = join(cwd, 't.json');
    writeFileSync(file, damage(readFileSync(file, 'utf8')));
    const { code, stderr } = await heddle(['replay', 't.json'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
