/** Whatever is wrong with a C program is said in one message on standard error, with exit code 2. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { refusalReportSchema } from '../../src/report/schema.ts';
import { ensureBuilt, folderWith, heddle } from './heddle.ts';

beforeAll(ensureBuilt);

const cwd = folderWith({
  'good.c': 'int main(void) { return 0; }\n',
  'empty.c': '',
  'no-main.c': 'int helper(void) { return 0; }\n',
  'again.c': 'int helper(void) { return 1; }\n',
  'binary.c': 'int main\0(void)',
  'large.c': 'int x;\n'.repeat(1_500_000),
  'syntax.c': 'int main(void) {\n  return 0\n}\n',
  'include.c': '#include <nowhere.h>\n',
  'text.ll': 'this is not IR\n',
  'bitcode.ll': 'BC\xc0\xde',
  'unmodelled.c': 'int unknown(void);\nint main(void) {\n  return unknown();\n}\n',
  'assembly.c': 'int main(void) {\n  int x = 1;\n  __asm__("i32.add" : "+r"(x));\n  return x;\n}\n',
  'one-line.ll': '('.repeat(1_000_000),
  'endless.c': 'int main(void) { int a[2]; for (int i = 0;; i++) a[i & 1] = i; }\n',
  'program.ts': '',
});
writeFileSync(join(cwd, 'random.c'), Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919 + (i >> 3)) % 256)));
const cache = folderWith({});

describe('a C program that', () => {
  const cases: readonly (readonly [what: string, args: readonly string[], ...message: readonly string[]])[] = [
    ['does not exist', ['god.c'], 'the file god.c does not exist. There is good.c beside it'],
    ['is a directory', ['.'], '. is a directory'],
    ['is empty', ['empty.c'], 'no function main in empty.c'],
    ['has no main', ['no-main.c'], 'no function main in no-main.c'],
    ['is binary', ['binary.c'], 'binary.c is not a text file'],
    ['is random', ['random.c'], 'random.c is not a text file'],
    ['is huge', ['large.c'], 'large.c is too large: 10.0 MB of C'],
    [
      'has a syntax error',
      ['syntax.c'],
      "syntax.c does not compile:\nsyntax.c:2:11: error: expected ';' after return statement\n    2 |   return 0\n",
    ],
    ['includes what is not there', ['include.c'], "include.c:1:10: fatal error: 'nowhere.h' file not found"],
    ['defines a function twice', ['good.c', 'no-main.c', 'again.c'], 'helper', 'again.c'],
    ['is no IR', ['text.ll'], 'text.ll:1:1: '],
    ['is one line', ['one-line.ll'], 'one-line.ll:1:1: '],
    ['is bitcode', ['bitcode.ll'], 'bitcode.ll is not LLVM IR in text form'],
    ['calls what nobody defines', ['unmodelled.c'], 'unmodelled.c:3:10: ', 'unknown'],
    ['never ends', ['endless.c'], 'thread main ran for 1 s without performing an operation', '--unroll N'],
    ['contains assembly', ['assembly.c'], 'assembly.c:3:3: inline assembly is not supported: i32.add'],
    ['comes with TypeScript', ['good.c', 'program.ts'], 'program.ts cannot be checked together with good.c'],
    ['is of another language', ['program.ts', '-DN=3'], '-D is an option for C programs (.c, .ll)'],
    ['is for a standard that does not exist', ['good.c', '-std=c77'], "error: invalid value 'c77' in '-std=c77'"],
    ['is for a clang that does not exist', ['good.c', '--clang', './clang'], 'cannot run ./clang (--clang)'],
    ['has an unknown option', ['good.c', '-Q2'], "unknown option '-Q2'"],
    ['is for OpenMP', ['good.c', '-fopenmp'], '-fopenmp: OpenMP is not supported'],
    ['has an option to come', ['good.c', '--report', 'x.html'], '--report is not available yet'],
    ['has a model that does not exist', ['syntax.c', '--model', 'x86'], 'unknown model "x86"'],
    ['has an odd range', ['good.c', '--nondet', '3..1'], '--nondet needs a range'],
    ['is printed at an odd moment', ['good.c', '--emit-ir=during'], '--emit-ir prints the program before or after'],
  ];
  test.each(cases.map(([what, ...rest]) => ({ what, rest })))('$what', async ({ rest: [args, ...message] }) => {
    const run = await heddle(['check', ...args], { cwd, env: { HEDDLE_CACHE: cache, HEDDLE_PATIENCE_MS: '1000' } });
    expect(run.code, run.stdout + run.stderr).toBe(2);
    expect(run.stdout).toBe('');
    expect(run.stderr).toMatch(/^heddle: /);
    expect(run.stderr).not.toMatch(/^\s+at /m); // no stack trace
    expect(run.stderr.length).toBeLessThan(3000);
    for (const part of message) expect(run.stderr).toContain(part);
  });

  test('does not compile, for programs: with the place', async () => {
    const run = await heddle(['check', 'syntax.c', '--json'], { cwd, env: { HEDDLE_CACHE: cache } });
    const { verdict, message, location } = refusalReportSchema.parse(JSON.parse(run.stdout));
    expect([run.code, verdict, location]).toEqual([2, 'refused', { file: 'syntax.c', line: 2, column: 11 }]);
    expect(message).toContain("syntax.c:2:11: error: expected ';'");
    expect(run.stderr).toMatch(/^heddle: syntax.c does not compile:\n/);
  });
});
