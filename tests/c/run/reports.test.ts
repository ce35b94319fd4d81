/** What reports say of small C programs: names, words, lines. All are compiled in one run of the compiler. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileC } from '../../../src/c/compile/compile.ts';
import { parseModule } from '../../../src/c/ir/parser.ts';
import { cProgram } from '../../../src/c/program.ts';
import type { CRunOptions } from '../../../src/c/runtime.ts';
import { type CheckOptions, type CheckResult, checkSync } from '../../../src/index.ts';
import { textReport } from '../../../src/report/text.ts';
import { programs } from './report-programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-reports-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const header = `#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#line 1
`;
const texts = new Map<string, string>();

beforeAll(async () => {
  const names = Object.keys(programs);
  for (const name of names) writeFileSync(join(folder, `${name}.c`), header + programs[name]);
  const { modules } = await compileC(
    names.map((name) => `${name}.c`),
    { cwd: folder },
  );
  for (const [i, { text }] of modules.entries()) texts.set(names[i] as string, text);
}, 120_000);

function run(names: readonly string[], options: CheckOptions = {}, settings: Partial<CRunOptions> = {}): CheckResult {
  const modules = names.map((name) => parseModule(texts.get(name) as string, `${name}.c`));
  return checkSync(cProgram(modules, { name: names[0] as string, ...settings }), options);
}

/** The rows of the steps, without numbers and places, with one space between words. */
function rowsOf(names: string | readonly string[], options?: CheckOptions, settings?: Partial<CRunOptions>): string[] {
  const result = run([names].flat(), options, settings);
  const text = textReport(result, { colour: false, width: 20, cwd: folder });
  return text
    .split('\n')
    .filter((line) => /^ *(\d+(–\d+)?|✘) +\[/.test(line))
    .map((line) =>
      line
        .replace(/\s+\S+\.c:\d+$/, '')
        .replace(/^ *\S+ +/, '')
        .replace(/\s+/g, ' '),
    );
}

function messageOf(name: string, options?: CheckOptions): string | undefined {
  return run([name], options).errors[0]?.message;
}

describe('variables of several threads', () => {
  test('are told apart by their threads, also in what points to them', () => {
    const rows = rowsOf('locals-of-two-threads');
    expect(rows).toContain('[worker 1] me.turn@worker 1 = 1');
    expect(rows).toContain('[worker 2] exchange last &me@worker 1→&me@worker 2 ⟵ #4');
    expect(rows.at(-1)).toBe('[worker 2] me.turn@worker 1 = 7 was freed by #5');
    expect(messageOf('locals-of-two-threads')).toContain('me.turn@worker 1');
  });

  test('are numbered if one thread has several, and have no addition if there is one', () => {
    expect(rowsOf('locals-of-two-calls')).toEqual([
      '[main] x#1 = 1',
      '[main] shared = &x#1',
      '[main] return from keep',
      '[main] x#2 = 2',
      '[main] shared = &x#2',
      '[main] return from keep',
      '[main] spawn reader',
      '[reader] shared → &x#2 ⟵ #5',
      '[reader] load x#2 was freed by #6',
    ]);
    expect(rowsOf('local-of-one-thread')).toContain('[worker] shared = &only');
  });

  test('are told from a global of the same name, and thread-locals from each other', () => {
    const rows = rowsOf('local-and-global');
    expect(rows).toContain('[main] x@main = 2');
    expect(rows).toContain('[main] x = 1');
    const locals = rowsOf('thread-locals');
    expect(locals).toContain('[worker 1] mine@worker 1 = 1');
    expect(locals).toContain('[worker 2] mine@worker 2 = 1');
  });

  test('that are static in two functions or two files have these', () => {
    expect(rowsOf('statics-of-functions')).toEqual(expect.arrayContaining(['[main] n@one = 1', '[main] n@two = 2']));
    expect(rowsOf(['static-of-a-file', 'static-of-another'])).toEqual(
      expect.arrayContaining(['[main] n@static-of-a-file.c = 1', '[main] n@static-of-another.c = 2']),
    );
  });
});
