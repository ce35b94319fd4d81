/** C programs through the library. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadC } from '../../src/c/index.ts';
import { type CheckOptions, checkSync } from '../../src/index.ts';
import { InputError } from '../../src/program/input-error.ts';

const cwd = fileURLToPath(new URL('../../examples/c/', import.meta.url));

test('a C file is a program like any other', async () => {
  const broken = checkSync(await loadC('counter.c', { cwd }));
  expect(broken.errors.map(({ kind, location }) => [kind, location?.file])).toEqual([['assertion', 'counter.c']]);
  const fixed = checkSync(await loadC(['counter.c'], { cwd, defines: ['FIXED'] }));
  expect([fixed.verdict, fixed.program]).toEqual(['ok', 'counter.c']);
}, 60_000);

test('its memory model is that of C, unless another is named or the algorithm does not support it', async () => {
  const program = await loadC('counter.c', { cwd, defines: ['FIXED'] });
  const modelOf = (options: CheckOptions): string => checkSync(program, options).model;
  expect([{}, { model: 'pso' }, { algorithm: 'dfs' }].map(modelOf)).toEqual(['rc11', 'pso', 'sc']);
  expect(() => modelOf({ algorithm: 'dfs', model: 'rc11' })).toThrow(/dfs does not support the model rc11/);
}, 60_000);

test('what does not compile is refused in the words of clang', async () => {
  await expect(loadC('counter.c', { cwd, includeFiles: ['nowhere.h'] })).rejects.toThrow(InputError);
  await expect(loadC('counter.c', { cwd, includeFiles: ['nowhere.h'] })).rejects.toThrow(/nowhere\.h' file not found/);
}, 60_000);
