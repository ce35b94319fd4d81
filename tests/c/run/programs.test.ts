/** Small C programs from source to verdict: each names what it expects. All are compiled in one run of the compiler. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileC } from '../../../src/c/compile/compile.ts';
import { parseModule } from '../../../src/c/ir/parser.ts';
import { type CProgramOptions, cProgram } from '../../../src/c/program.ts';
import type { CheckResult } from '../../../src/check/result.ts';
import { type CheckOptions, checkSync } from '../../../src/index.ts';
import { InputError } from '../../../src/program/input-error.ts';
import { jsonReport } from '../../../src/report/json.ts';
import { textReport } from '../../../src/report/text.ts';
import { allocatedBefore, assuming, broken, correct, refused, weak } from './programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-programs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const header = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#line 1
`;
const sources: Readonly<Record<string, string>> = {
  ...correct,
  ...refused,
  ...Object.fromEntries(
    Object.entries({ ...broken, ...allocatedBefore, ...assuming, ...weak }).map(([name, { code }]) => [name, code]),
  ),
};
const texts = new Map<string, string>();

beforeAll(async () => {
  const names = Object.keys(sources);
  for (const name of names) writeFileSync(join(folder, `${name}.c`), header + sources[name]);
  const files = names.map((name) => `${name}.c`);
  const { modules } = await compileC(files, { cwd: folder });
  for (const [i, { text }] of modules.entries()) texts.set(names[i] as string, text);
}, 120_000);

function run(name: string, options: CheckOptions = {}, more: Omit<CProgramOptions, 'name'> = {}) {
  const module = parseModule(texts.get(name) as string, `${name}.c`);
  return checkSync(cProgram([module], { ...more, name }), options);
}

describe('the status of the process', () => {
  test('is said if it is never 0', () => {
    expect(run('main-returns-3').exitStatus).toBe(3);
    expect(run('exit-with-2-in-a-thread').exitStatus).toBe(2);
    expect(run('main-returns-256').exitStatus).toBeUndefined();
    expect(run('exit-with-minus-1').exitStatus).toBe(255);
    expect(run('status-depends').exitStatus).toBeUndefined();
    expect(run('structs-are-copied').exitStatus).toBeUndefined();
  });
});

test.each(['trust', 'dfs', 'optimal', 'source', 'dpor', 'vc', 'buster', 'bpor'])(
  'two joins of a thread: %s',
  (algorithm) => {
    const options = { algorithm, model: 'sc' };
    expect(run('two-threads-join-one', options).errors.map(({ kind }) => kind)).toEqual(['abort']);
    expect(run('a-join-by-another-than-the-creator', options).errors).toEqual([]);
  },
);

describe('correct programs', () => {
  test.each(Object.keys(correct))('%s', (name) => {
    const found = run(name);
    expect(found.errors.map(({ kind, message, location }) => [kind, message, location])).toEqual([]);
    expect(found.verdict).toBe('ok');
    expect(found.warnings).toEqual([]);
  });
});

describe('broken programs', () => {
  test.each(Object.entries(broken))('%s', (name, { kind, message, code }) => {
    const found = run(name, { checkLeaks: true });
    expect(found.verdict).toBe('error');
    const [error] = found.errors;
    expect([error?.kind, error?.message]).toEqual([kind, expect.stringMatching(message)]);
    const lines = code.split('\n').flatMap((line, i) => (line.includes('// here') ? [i + 1] : []));
    expect(lines).toContain(error?.location?.line);
    expect(error?.location?.file).toBe(`${name}.c`);
    expect(run(name, { checkLeaks: true, algorithm: 'dfs' }).errors[0]?.kind).toBe(kind);
  });
});

test('of two bugs both are found if the search goes on', () => {
  const { errors } = run('two-bugs-at-once', { keepGoing: true });
  expect(errors.map(({ kind }) => kind)).toEqual(['race', 'double-free']);
});

describe('refused programs', () => {
  test.each(Object.entries(refused))('%s', (name, code) => {
    const caught = (() => {
      try {
        run(name);
      } catch (error) {
        return error;
      }
      return undefined;
    })();
    expect(caught).toBeInstanceOf(InputError);
    const line = code.split('\n').findIndex((text) => text.includes('// here')) + 1;
    expect((caught as InputError).position?.line).toBe(line);
  });
});

describe('what is used must be allocated before', () => {
  const isUnordered = (model: string) => model === 'rc11' || model === 'ra';
  test.each(Object.entries(allocatedBefore))('%s', (name, { isRace, code }) => {
    const line = code.split('\n').findIndex((text) => text.includes('// here')) + 1;
    for (const model of ['rc11', 'ra', 'sc']) {
      for (const equivalence of ['co', 'rf']) {
        const { errors } = run(name, { model, equivalence });
        const expected = isRace && isUnordered(model) ? [['race', line]] : [];
        expect([model, ...errors.map(({ kind, location }) => [kind, location?.line])]).toEqual([model, ...expected]);
      }
    }
    expect(run(name, { races: false }).errors).toEqual([]);
  });

  test('the message says what is missing', () => {
    const [error] = run('a-store-through-a-relaxed-pointer').errors;
    expect(error?.message).toBe(
      'user stores box#1.plain, and nothing makes that come after main has allocated the object',
    );
    const [other] = run('a-lock-through-a-relaxed-pointer').errors;
    expect(other?.message).toMatch(/^user \w+ box#1\.lock, and nothing makes that come after main has allocated/);
    expect(error?.racing?.map(({ op }) => op)).toEqual(['allocate', 'store']);
    expect(error?.underSc).toBe('impossible');
  });
});

const report = (result: CheckResult) => textReport(result, { colour: false, width: 500, cwd: '/' });

test('variables that are gone with their function are not freed: its function is left', () => {
  const text = report(run('main-returns-while-its-variable-is-used'));
  expect(text).toContain('main leaves main at');
  expect(text).not.toContain('main frees');
  expect(text).toContain('Hint: The variable is gone with its function');
});

describe('what a proof assumes', () => {
  test.each(Object.entries(assuming))('%s', (name, { assumes }) => {
    const result = run(name);
    expect(result.verdict).toBe('ok');
    expect(result.assumptions).toEqual(assumes.map((each) => expect.stringMatching(each)));
    expect(jsonReport(result, '/').assumptions ?? []).toEqual(result.assumptions);
    const line = assumes.length === 0 ? [] : [`Assumed: ${result.assumptions.join('; ')}`];
    expect(
      report(result)
        .split('\n')
        .filter((each) => each.startsWith('Assumed')),
    ).toEqual(line);
  });

  test('an error assumes nothing', () => {
    const result = run('assertion-fails');
    expect(report({ ...result, assumptions: ['all is well'] })).not.toContain('Assumed');
  });
});

describe('a weak compare-exchange that fails for no reason', () => {
  test.each(Object.entries(weak))('%s', (name, { kind, strong = kind }) => {
    const kinds = (spuriousCas: boolean, options: CheckOptions = {}) =>
      run(name, options, { spuriousCas }).errors.map((error) => error.kind);
    expect(kinds(false)).toEqual(strong);
    for (const options of [{}, { model: 'sc' }, { algorithm: 'dfs' }, { algorithm: 'optimal' }]) {
      expect(kinds(true, options)).toEqual(kind);
    }
    expect(kinds(true, { model: 'tso' })).toEqual(kind);
    expect(run(name, {}, { spuriousCas: true }).assumptions).toEqual([]);
  });
});
