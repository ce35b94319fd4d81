/** What real programs include and call, from source to verdict. All are compiled in one run of the compiler. */
import { beforeAll, describe, expect, test } from 'vitest';
import { checkSync } from '../../../src/check/check.ts';
import type { Program } from '../../../src/program/operation.ts';
import { compileForHeddle } from '../random/heddle.ts';
import { broken, correct, limited, refused } from './system.ts';

const header = ['assert', 'pthread', 'stdatomic', 'stdio', 'stdlib', 'string']
  .map((name) => `#include <${name}.h>\n`)
  .join('');
const codes = (programs: Readonly<Record<string, { readonly code: string }>>): Record<string, string> =>
  Object.fromEntries(Object.entries(programs).map(([name, { code }]) => [name, code]));
const sources: Readonly<Record<string, string>> = { ...correct, ...refused, ...codes(broken), ...codes(limited) };

const programs = new Map<string, () => Program>();
beforeAll(async () => {
  const compiled = await compileForHeddle(
    Object.values(sources).map((source) => `#define _GNU_SOURCE\n${header}${source}`),
    [],
  );
  for (const [i, name] of Object.keys(sources).entries()) programs.set(name, compiled[i] as () => Program);
}, 120_000);

const check = (name: string, model?: string) =>
  checkSync((programs.get(name) as () => Program)(), model === undefined ? {} : { model });

describe.each([undefined, 'sc', 'tso'])('under the model %s', (model) => {
  test.each(Object.keys(correct))('%s is verified', (name) => {
    const { verdict, errors, bounds } = check(name, model);
    expect(errors.map(({ kind, message, location }) => [kind, message, location])).toEqual([]);
    expect([verdict, bounds]).toEqual(['ok', []]);
  });

  test.each(Object.entries(broken).filter(([, { kind }]) => model === undefined || kind !== 'race'))(
    '%s is an error',
    (name, { kind }) => {
      expect(check(name, model).errors.map((error) => error.kind)).toEqual([kind]);
    },
  );
});

test.each([...Object.keys(correct), ...Object.keys(broken)].filter((name) => /futex|event/.test(name)))(
  '%s is the same under the model ra',
  (name) => {
    const kinds = check(name, 'ra').errors.map((error) => error.kind);
    expect(kinds).toEqual(name in broken ? [broken[name]?.kind] : []);
  },
);

test.each(Object.entries(limited))('%s is no proof', (name, { limit }) => {
  const { verdict, errors, bounds } = check(name);
  expect(errors).toEqual([]);
  expect(verdict).toBe('bounded');
  expect(bounds).toEqual([{ name: 'limit', sentence: expect.stringContaining(limit) }]);
});

test.each(Object.keys(refused))('refused: %s', (message) => {
  expect(() => check(message)).toThrow(message);
});
