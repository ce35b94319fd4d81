import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bugFolders, bugRows, categories, countRows, notRunYet, programsFolder } from './rows.ts';

test('no row is lost on the way', () => {
  const counts = categories.flatMap(countRows);
  expect(counts).toHaveLength(2519);
  expect(counts.every(({ program }) => existsSync(join(programsFolder, program)))).toBe(true);
  expect(bugFolders().flatMap(bugRows)).toHaveLength(1048);
});

test('every folder of programs is compared', () => {
  expect(readdirSync(programsFolder).sort()).toEqual(['bugs', ...categories]);
});

test('the bugs that are not run are those of waiting in loops', () => {
  const left = bugRows(notRunYet).flatMap(({ errors }) => errors.map(({ kind }) => kind as string));
  expect(new Set(left)).toEqual(new Set(['liveness']));
});
