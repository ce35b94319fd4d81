/**
 * What the functions of pthreads, C11 threads and semaphores order, under every memory model: all that POSIX and C11 promise, and
 * under the weak models no more.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { checkSync } from '../../../src/check/check.ts';
import { models } from '../../../src/models/registry.ts';
import type { Program } from '../../../src/program/operation.ts';
import { compileForHeddle } from '../random/heddle.ts';
import { notProtecting, protecting } from './synchronisation.ts';

const headers = ['assert', 'pthread', 'semaphore', 'stdatomic', 'stdlib', 'threads', 'heddle'];
const header = headers.map((name) => `#include <${name}.h>\n`).join('');
const sources: Readonly<Record<string, string>> = { ...protecting, ...notProtecting };

const programs = new Map<string, () => Program>();
beforeAll(async () => {
  const compiled = await compileForHeddle(
    Object.values(sources).map((source) => header + source),
    [],
  );
  for (const [i, name] of Object.keys(sources).entries()) programs.set(name, compiled[i] as () => Program);
}, 120_000);

function kindsUnder(model: string, name: string): string[] {
  const { errors } = checkSync((programs.get(name) as () => Program)(), { model });
  return errors.map(({ kind, message }) => `${kind}: ${message}`);
}

describe.each(Object.keys(models))('under %s', (model) => {
  test.each(Object.keys(protecting))('%s protects', (name) => {
    expect(kindsUnder(model, name)).toEqual([]);
  });

  const isWeak = model === 'ra' || model === 'rc11';
  test.each(Object.keys(notProtecting))(`%s ${isWeak ? 'orders nothing' : 'is like any other step'}`, (name) => {
    expect(kindsUnder(model, name)).toEqual(isWeak ? [expect.stringMatching(/^race: .*data/)] : []);
  });
});
