/** What memory holds and how it is accessed, from source to verdict. All programs are compiled in one run of the compiler. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { volatileKinds } from '../../../src/c/choices.ts';
import { compileC } from '../../../src/c/compile/compile.ts';
import { parseModule } from '../../../src/c/ir/parser.ts';
import { type CProgramOptions, cProgram } from '../../../src/c/program.ts';
import { type CheckOptions, checkSync } from '../../../src/index.ts';
import { InputError } from '../../../src/program/input-error.ts';
import {
  atomics,
  copied,
  copiedByReading,
  mixed,
  partsAreLoaded,
  refusedAtomics,
  used,
  volatileCount,
  volatiles,
} from './memory-programs.ts';
import { mixedProgram } from './mixed-sizes.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-memory-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const header = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#line 1
`;
const randomMixed = Array.from({ length: 6 }, (_, i) => mixedProgram(i + 1));
const broken = (name: string): string => `${name}-broken`;
const codeOf = (programs: Readonly<Record<string, { readonly code: string }>>): Record<string, string> =>
  Object.fromEntries(Object.entries(programs).map(([name, { code }]) => [name, code]));
const sources: Readonly<Record<string, string>> = {
  ...copied,
  ...copiedByReading,
  ...codeOf(used),
  ...codeOf(volatiles),
  'volatile-count': volatileCount,
  ...codeOf(atomics),
  ...codeOf(mixed),
  ...Object.fromEntries(
    Object.entries({ ...atomics, ...mixed }).map(([name, { code }]) => [
      broken(name),
      `#define BROKEN\n#line 1\n${code}`,
    ]),
  ),
  ...codeOf(refusedAtomics),
  'parts-are-loaded': partsAreLoaded,
  ...Object.fromEntries(randomMixed.map(({ code }, i) => [`mixed-${i}`, code])),
};
const texts = new Map<string, string>();

beforeAll(async () => {
  const names = Object.keys(sources);
  for (const name of names) writeFileSync(join(folder, `${name}.c`), header + sources[name]);
  const files = names.map((name) => `${name}.c`);
  const { modules, warnings } = await compileC(files, { cwd: folder });
  expect(warnings).not.toMatch(/-Watomic/);
  for (const [i, { text }] of modules.entries()) texts.set(names[i] as string, text);
}, 120_000);

function run(name: string, options: CheckOptions = {}, program: Partial<CProgramOptions> = {}) {
  const module = parseModule(texts.get(name) as string, `${name}.c`);
  return checkSync(cProgram([module], { name, ...program }), options);
}

const strict = { checkUninitialised: 'strict' } as const;

function expectOk(name: string, program: Partial<CProgramOptions> = {}): void {
  const found = run(name, {}, program);
  expect(found.errors.map(({ kind, message, location }) => [kind, message, location])).toEqual([]);
  expect(['ok', 'bounded']).toContain(found.verdict);
}

describe('copying what was never set is no error', () => {
  test.each(Object.keys(copied))('%s', (name) => {
    expectOk(name);
    expectOk(name, strict);
  });

  test.each(Object.keys(copiedByReading))('%s, unless one is strict', (name) => {
    expectOk(name);
    expect(run(name, {}, strict).errors[0]?.kind).toBe('uninitialised-read');
  });
});

describe('using the copy is', () => {
  test.each(Object.entries(used))('%s', (name, { kind, message, code }) => {
    const [error] = run(name).errors;
    expect([error?.kind, error?.message]).toEqual([kind, expect.stringMatching(message)]);
    const lines = code.split('\n').flatMap((line, i) => (line.includes('// here') ? [i + 1] : []));
    expect(lines).toContain(error?.location?.line);
    expect(run(name, {}, strict).errors[0]?.kind).toBe(kind);
    expect(run(name, { algorithm: 'dfs' }).errors[0]?.kind).toBe(kind);
  });
});

describe('volatile accesses', () => {
  test.each(Object.entries(volatiles))('%s', (name, { weakest }) => {
    for (const [i, kind] of volatileKinds.entries()) {
      const [error] = run(name, {}, { volatile: kind }).errors;
      expect([kind, error?.kind]).toEqual([kind, i >= volatileKinds.indexOf(weakest) ? undefined : 'race']);
    }
  });

  test('are no updates', () => {
    const kinds = volatileKinds.map((kind) => run('volatile-count', {}, { volatile: kind }).errors[0]?.kind);
    expect(kinds).toEqual(['race', 'assertion', 'assertion']);
  });

  test('that race say what they are; what races beside them does not', () => {
    const { message } = run('volatile-by-a-cast').errors[0]!;
    expect(message).toMatch(/^data race on stop: .* the two\. It is volatile, .*; --volatile relaxed \(or seq_cst\)/);
    const other = run('volatile-hand-over', {}, { volatile: 'relaxed' }).errors[0]!;
    expect(other.message).toMatch(/^data race on data: .* the two$/);
  });
});

describe('atomic accesses', () => {
  const models = ['sc', 'tso', 'rc11'] as const;

  test.each(Object.entries(atomics))('%s', (name, { kind }) => {
    for (const model of models) {
      expect([model, ...run(name, { model }).errors]).toEqual([model]);
      expect([model, run(broken(name), { model }).errors[0]?.kind]).toEqual([model, kind]);
    }
  });

  test.each(Object.entries(refusedAtomics))('%s is refused', (name, { message, code }) => {
    const caught = (() => {
      try {
        return run(name);
      } catch (error) {
        return error as InputError;
      }
    })();
    expect(caught).toBeInstanceOf(InputError);
    const { message: said, position } = caught as InputError;
    expect(said).toMatch(message);
    expect(code.split('\n')[(position?.line ?? 0) - 1]).toContain('// here');
  });
});

describe('atomic accesses of different sizes', () => {
  test.each(Object.entries(mixed))('%s', (name, { kind }) => {
    for (const algorithm of ['trust', 'optimal', 'dfs'] as const) {
      expect([algorithm, ...run(name, { model: 'sc', algorithm }).errors]).toEqual([algorithm]);
      expect([algorithm, run(broken(name), { model: 'sc', algorithm }).errors[0]?.kind]).toEqual([algorithm, kind]);
    }
    for (const model of ['tso', 'pso', 'ra', 'rc11'] as const) {
      expect([model, ...run(name, { model }).errors]).toEqual([model]);
      expect([model, run(broken(name), { model }).errors[0]?.kind]).toEqual([model, kind]);
    }
  });

  test('a part of what is written as a whole can be loaded under every model', () => {
    for (const model of ['sc', 'tso', 'pso', 'ra', 'rc11'] as const) {
      expect([model, run('parts-are-loaded', { model }).verdict]).toEqual([model, 'ok']);
    }
  });

  test('do what they do one after the other, in any order: random programs', () => {
    for (const [i, { outcomeLines, otherLine }] of randomMixed.entries()) {
      for (const algorithm of ['trust', 'optimal', 'dfs'] as const) {
        const { errors } = run(`mixed-${i}`, { model: 'sc', algorithm, keepGoing: true });
        const lines = errors.map(({ location }) => location?.line).sort((a, b) => a! - b!);
        expect([i, algorithm, ...lines]).toEqual([i, algorithm, ...outcomeLines]);
        expect(lines).not.toContain(otherLine);
      }
    }
  });
});
