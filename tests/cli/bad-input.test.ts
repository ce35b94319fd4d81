/** Whatever is wrong with the command or the program is said in one message on standard error, with exit code 2. */
import { beforeAll, describe, expect, test } from 'vitest';
import { refusalReportSchema } from '../../src/report/schema.ts';
import { ensureBuilt, fixture, folderWith, heddle, type Run } from './heddle.ts';

beforeAll(ensureBuilt);

function expectMessage(run: Run, ...parts: readonly string[]): void {
  expect(run.code, run.stdout + run.stderr).toBe(2);
  expect(run.stdout).toBe('');
  expect(run.stderr).toMatch(/^heddle: /);
  expect(run.stderr).not.toMatch(/^\s+at /m); // no stack trace
  for (const part of parts) expect(run.stderr).toContain(part);
}

describe.concurrent('a program that', () => {
  const cases: readonly (readonly [what: string, file: string, ...message: readonly string[]])[] = [
    ['is not exported as default', 'no-default.mjs', 'has no default export', 'Its export counter is a program'],
    [
      'is a generator function',
      'not-a-program.mjs',
      'not a program but the function main',
      'export default program(…)',
    ],
    ['is a number', 'number.mjs', 'not a program but 42'],
    ['yields a number', 'yields-a-number.mjs', 'thread worker yielded 5, which is not an operation'],
    ['forgets a star', 'forgotten-star.mjs', 'forgotten-star.mjs:5:11: ', 'yield*', '5 │   yield x.load();\n'],
    ['does not perform an operation', 'not-performed.mjs', 'not-performed.mjs:5:5: ', 'called but not performed'],
    ['uses Math.random', 'random.mjs', 'random.mjs:6:', 'a thread cannot use Math.random', 'choose(n)'],
    ['shares an array', 'captured-array.mjs', 'captured-array.mjs:9:14: ', 'worker is not deterministic', 'atomic(…)'],
    ['spawns a function that is no generator', 'spawn-no-generator.mjs', 'is not a generator function: it returned 5'],
    ['spawns a number', 'spawn-no-function.mjs', 'spawn-no-function.mjs:4:10: spawn needs a generator function, not 5'],
    ['asks for an order that does not exist', 'wrong-order.mjs', 'wrong-order.mjs:5:12: ', 'memory order "release"'],
    ['polls for ever', 'polls.mjs', 'polls.mjs:6:26: ', 'operations in one execution and did not end', 'awaitUntil'],
    [
      'throws while it is loaded',
      'throws-at-load.mjs',
      'throws-at-load.mjs:2:22: ',
      'TypeError: Cannot read properties',
    ],
    ['imports what is not exported', 'bad-import.mjs', 'bad-import.mjs:1:10: ', "export named 'atomc'"],
    ['imports a file that is not there', 'missing-import.mjs', 'could not be loaded', 'helper-that-is-not-there.js'],
    ['ends the process', 'exits.mjs', 'process.exit'],
    ['never finishes loading', 'never-loads.mjs', 'never finished loading'],
  ];
  test.each(cases)('%s', async (_, file, ...message) => {
    expectMessage(await heddle(['check', fixture(file)]), ...message);
  });

  test('ends the process of another worker than the first', async () => {
    expectMessage(
      await heddle(['check', fixture('exits-in-a-worker.mjs'), '--workers', '2']),
      'the program ended the process (process.exit, code 3)',
    );
  });

  test('runs for ever without an operation', async () => {
    const run = await heddle(['check', fixture('endless.mjs')], { env: { HEDDLE_PATIENCE_MS: '300' } });
    expectMessage(
      { ...run, stderr: run.stderr.replace('loaded\n', '') },
      'thread spinner ran for 0.3 s without performing an operation (after its 2nd operation)',
      'awaitUntil',
    );
  });

  test('has a syntax error', async () => {
    const cwd = folderWith({
      'wrong.ts': 'export const x: number = 1;\nexport default x +;\n',
      'imports.ts': "import wrong from './wrong.ts';\nexport default wrong;\n",
      'wrong.mjs': 'export default 1;\nconst x = ;\n',
    });
    const snippet =
      'wrong.ts:2:19: syntax error: Expression expected\n  2 │ export default x +;\n    │                   ^\n';
    expectMessage(await heddle(['check', 'wrong.ts'], { cwd }), snippet);
    expectMessage(await heddle(['check', 'imports.ts'], { cwd }), snippet);
    expectMessage(await heddle(['check', 'wrong.mjs'], { cwd }), "wrong.mjs:2:11: syntax error: Unexpected token ';'");
  });

  test('is written in CommonJS, or lies in a file of another kind', async () => {
    const cwd = folderWith({ 'old.js': "const { program } = require('heddle');\n", 'notes.txt': '' });
    expectMessage(await heddle(['check', 'old.js'], { cwd }), 'old.js is a CommonJS module', "import … from 'heddle'");
    expectMessage(await heddle(['check', 'notes.txt'], { cwd }), 'must end in .c, .ll, .ts, .mts, .js, .mjs');
  });

  test('does not exist, or is a directory', async () => {
    expectMessage(await heddle(['check', fixture('countre.ts')]), 'does not exist', 'There is counter.ts beside it');
    expectMessage(await heddle(['check', 'tests']), 'tests is a directory');
  });
});

describe.concurrent('a command with', () => {
  const verified = fixture('verified.ts');
  const cases: readonly (readonly [what: string, args: readonly string[], ...message: readonly string[]])[] = [
    ['an unknown option', ['check', verified, '--modle', 'sc'], "unknown option '--modle'", 'Did you mean --model?'],
    ['an unknown model', ['check', verified, '--model', 'scc'], 'unknown model "scc"', 'Did you mean sc?'],
    ['an unknown algorithm', ['check', verified, '--algorithm', 'trsut'], 'unknown algorithm', 'Did you mean trust?'],
    ['an unknown equivalence', ['check', verified, '--equivalence', 'rff'], 'unknown equivalence', 'Did you mean rf?'],
    [
      'an equivalence for an algorithm that has none',
      ['check', verified, '--algorithm', 'dfs', '--equivalence', 'co'],
      '--equivalence is an option of trust, not of dfs.',
    ],
    [
      'an option that the usual algorithm does not have',
      ['check', verified, '--no-ifaa'],
      '--no-ifaa is an option of bpor, optimal, source and dpor: add --algorithm bpor, or another of them.',
    ],
    [
      'an option that none of the algorithms to compare has',
      ['compare', verified, '--algorithms', 'dfs,trust', '--no-ifaa'],
      '--no-ifaa is an option of bpor, optimal, source and dpor, not of dfs.',
    ],
    [
      'an option that does not go with the models to compare',
      ['compare', verified, '--models', '--no-ifaa'],
      '--no-ifaa is an option of bpor, optimal, source and dpor, not of trust.',
    ],
    ['an unknown name', ['chekc', verified], 'unknown command chekc', 'Did you mean check?'],
    ['a file in place of a name', [verified], `To check a program: heddle check ${verified}`],
    ['no file', ['check'], "missing required argument 'file'"],
    ['two files', ['check', verified, verified], 'one program at a time'],
    [
      'a number that is none',
      ['check', verified, '--max-executions', '10k'],
      '--max-executions needs a number, not "10k"',
    ],
    [
      'a number too small',
      ['check', verified, '--max-executions', '0'],
      'max-executions must be a whole number from 1, not 0',
    ],
    ['an option of C', ['check', verified, '-DN=3'], '-D is an option for C programs'],
    ['an option to come', ['check', verified, '--report', 'x.html'], '--report is not available yet in this version'],
    [
      'two fair bounds',
      ['check', verified, '--bound-type', 'fair', '--fair-bound', '2'],
      'with --bound-type fair, --bound and --iterate are about the fair bound: leave out --fair-bound',
    ],
    [
      'a fair bound with a model that has none',
      ['check', verified, '--fair-bound', '2', '--model', 'tso'],
      'the algorithm bpor does not support the model tso',
      'preemptions and yields are counted in interleavings',
    ],
    ['a negative bound', ['check', verified, '--bound', '-1'], 'bound must be a whole number from 0 to 1000, not -1'],
    [
      'a huge bound',
      ['check', verified, '--bound', '1e9'],
      'bound must be a whole number from 0 to 1000, not 1000000000',
    ],
    [
      'a bound for an algorithm without one',
      ['check', verified, '--bound', '2', '--algorithm', 'optimal'],
      '--bound is an option of buster, bpor and dfs, not of optimal',
    ],
    [
      'a bound with a model that has none',
      ['check', verified, '--bound', '2', '--model', 'tso'],
      'the algorithm buster does not support the model tso',
      'preemptions are counted in interleavings',
    ],
    ['a switch to come', ['check', verified, '--report', 'x.html'], '--report is not available yet in this version'],
    ['an unknown algorithm to compare', ['compare', verified, '--algorithms', 'trust,dsf'], 'Did you mean dfs?'],
    ['a trace that does not exist', ['replay', 'nowhere.json'], 'the trace file nowhere.json does not exist'],
  ];
  test.each(cases.map(([what, ...rest]) => ({ what, rest })))('$what', async ({ rest: [args, ...message] }) => {
    expectMessage(await heddle(args), ...message);
  });

  test.each<[args: string[], message: string, location?: object]>([
    [['check', 'nowhere.ts'], 'nowhere.ts does not exist'],
    [['check', verified, '--max-executionz', '3'], "unknown option '--max-executionz'"],
    [['replay', 'nowhere.json'], 'the trace file nowhere.json does not exist'],
    [['check', fixture('forgotten-star.mjs')], 'yield*', { file: fixture('forgotten-star.mjs'), line: 5, column: 11 }],
  ])('--json, refused: %j', async (args, message, location) => {
    const { code, stdout, stderr } = await heddle([...args, '--json']);
    const report = refusalReportSchema.parse(JSON.parse(stdout));
    expect([code, report.verdict, report.location]).toEqual([2, 'refused', location]);
    expect(report.message).toContain(message);
    expect(stderr).toContain(message);
  });

  test('a place that cannot be written: said before the search', async () => {
    const { code, stdout, stderr } = await heddle(['check', fixture('counter.ts'), '--trace', 'no/such/folder/t.json']);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^heddle: cannot write no\/such\/folder\/t.json: ENOENT/);
  });

  test('nothing at all prints the help', async () => {
    const run = await heddle([]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('Usage: heddle');
    expect(run.stderr).toContain('heddle check counter.ts');
  });
});
