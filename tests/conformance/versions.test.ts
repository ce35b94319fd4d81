/**
 * An installed clang of a version that is known (src/c/compile/known.ts) gives what the bundled one gives: the same program
 * after all passes, up to names and columns, for every program whose executions are counted here. So counts and verdicts
 * do not depend on who compiled.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { knownVersions } from '../../src/c/compile/known.ts';
import { parseModule } from '../../src/c/ir/parser.ts';
import { printModule } from '../../src/c/ir/printer.ts';
import { linkProgram, prepare } from '../../src/c/program.ts';
import { byTier } from '../tier.ts';
import { type CompiledCases, compileCases, textOf } from './compiled.ts';
import { bugFolders, bugRows, type Case, categories, countRows, nameOf } from './rows.ts';

const folders = (process.env['PATH'] ?? '').split(delimiter);
const installed = knownVersions.flatMap((major) => {
  const file = folders.map((folder) => join(folder, `clang-${major}`)).find((path) => existsSync(path));
  return file === undefined ? [] : [file];
});

const every = [...categories.flatMap(countRows), ...bugFolders().flatMap(bugRows)];
const cases = byTier({ normal: firstBy(every, ({ program }) => program), long: firstBy(every, nameOf) });

function firstBy(all: readonly Case[], key: (it: Case) => string): Case[] {
  return [...new Map(all.toReversed().map((it) => [key(it), it])).values()];
}

/** The program after all passes, with locals numbered as they come and without what only reports need. */
function shapeOf(compiled: CompiledCases, it: Case): string {
  const module = linkProgram([parseModule(textOf(compiled, it), it.program)]);
  prepare(module, {});
  const lines = printModule(module)
    .split('\n')
    .filter((line) => !/^($|!|;|target |%\S+ = type)|#dbg_|@llvm\.dbg\./.test(line))
    .map((line) => line.replace(/ +; .*:\d+:\d+$/, '').replaceAll(/,? !dbg !\d+/g, ''));
  let numbers = new Map<string, string>();
  const numbered = (name: string): string => {
    if (!numbers.has(name)) numbers.set(name, `%${numbers.size}`);
    return numbers.get(name) as string;
  };
  return lines
    .map((line) => {
      if (line.startsWith('define ')) numbers = new Map();
      return line
        .replaceAll(/%(struct|union)\.[\w.]+/g, 'TYPE')
        .replace(/^([\w.$-]+):$/, '%$1:')
        .replaceAll(/%[\w.$-]+/g, numbered);
    })
    .join('\n');
}

test('there is a clang to compare with', () => {
  const names = knownVersions.map((major) => `clang-${major}`).join(' or ');
  expect(installed, `${names} must be in the search path (on Debian: apt-get install clang-19)`).not.toEqual([]);
});

describe.each(installed)('%s', (clang) => {
  let [bundled, other]: CompiledCases[] = [];
  beforeAll(async () => {
    [bundled, other] = [await compileCases(cases), await compileCases(cases, clang)];
  }, 600_000);

  test.each(categoriesOf(cases))('makes the same of %s', (category) => {
    for (const it of cases.filter(({ program }) => program.startsWith(`${category}/`))) {
      expect(shapeOf(other as CompiledCases, it), nameOf(it)).toBe(shapeOf(bundled as CompiledCases, it));
    }
  });
});

function categoriesOf(all: readonly Case[]): string[] {
  return [...new Set(all.map(({ program }) => program.split('/')[0] as string))].sort();
}
