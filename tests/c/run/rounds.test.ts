/** Loops that wait in rounds that are seen to change nothing only while the program runs. No bound is needed, in no way to search. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compileC } from '../../../src/c/compile/compile.ts';
import { parseModule } from '../../../src/c/ir/parser.ts';
import { type CProgram, type CProgramOptions, cProgram } from '../../../src/c/program.ts';
import { checkSync } from '../../../src/check/check.ts';
import type { CheckOptions } from '../../../src/check/options.ts';
import { byTier } from '../../tier.ts';
import { backOffs, givesBack, rounds } from './round-programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-rounds-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const header = `#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
`;
const texts = new Map<string, string>();

beforeAll(async () => {
  const names = [...Object.keys(rounds), ...Object.values(backOffs), ...['release', 'relaxed'].map(givesBack)];
  for (const [i, name] of names.entries()) writeFileSync(join(folder, `${i}.c`), header + (rounds[name]?.code ?? name));
  const { modules } = await compileC(
    names.map((_, i) => `${i}.c`),
    { cwd: folder },
  );
  for (const [i, { text }] of modules.entries()) texts.set(names[i] as string, text);
}, 120_000);

function program(name: string, options: Partial<CProgramOptions> = {}): CProgram {
  return cProgram([parseModule(texts.get(name) as string, `${name}.c`)], { name, ...options });
}

const usual: readonly CheckOptions[] = [{ algorithm: 'optimal', model: 'sc' }, { model: 'rc11' }];
/** In the long tier each program is searched in one of these ways, too. */
const others: readonly CheckOptions[] = [
  ...['dfs', 'source'].map((algorithm) => ({ algorithm, model: 'sc' })),
  ...['sc', 'tso', 'ra'].map((model) => ({ model })),
  { model: 'rc11', equivalence: 'rf' },
  { model: 'sc', equivalence: 'rf' },
];

test.each(Object.entries(rounds).map(([name, expected], i) => [name, expected, i] as const))(
  '%s: the right verdict, without a bound if it can be',
  (name, { error: kind, models, unroll }, i) => {
    for (const how of byTier({ normal: usual, long: [...usual, others[i % others.length]!] })) {
      const error = models?.includes(how.model as string) === false ? undefined : kind;
      const { verdict, errors } = checkSync(program(name, { unroll }), {
        ...how,
        maxExecutions: 20_000,
        underSc: false,
      });
      expect([verdict, errors[0]?.kind], JSON.stringify(how)).toEqual([error === undefined ? 'ok' : 'error', error]);
    }
  },
);

test.each(Object.entries(backOffs))('%s makes no more executions than none', (_, code) => {
  const module = parseModule(texts.get(code) as string, 'back-off.c');
  const { verdict, executions } = checkSync(cProgram([module], { name: 'back-off' }), { model: 'rc11' });
  expect([verdict, executions.complete]).toEqual(['ok', 6]);
});

test('rounds that give back a lock and release nothing count', () => {
  const check = (order: string) => {
    const module = parseModule(texts.get(givesBack(order)) as string, 'gives-back.c');
    return checkSync(cProgram([module], { name: 'gives-back' }), { model: 'rc11', maxExecutions: 20_000 });
  };
  expect(check('release').verdict).toBe('ok');
  expect(check('relaxed').errors.map(({ kind }) => kind)).toEqual(['race']);
});

const named = 'polling under a lock';

test('such loops are told from others', () => {
  const checked = program(named);
  const { loops } = checkSync(checked, { model: 'sc' });
  expect(loops.map(({ functionName, outcome, returns }) => [functionName, outcome, returns])).toEqual([
    ['waiter', 'not pure', true],
  ]);
});

test('with --no-plp every round counts', () => {
  const { verdict } = checkSync(program(named, { plp: false, unroll: 4 }), { model: 'sc' });
  expect(verdict).toBe('bounded');
  expect(checkSync(program(named, { unroll: 4 }), { model: 'sc' }).verdict).toBe('ok');
});
