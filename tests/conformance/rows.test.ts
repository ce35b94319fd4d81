import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bugFolders, bugRows, categories, countRows, programsFolder } from './rows.ts';

test('no row is lost on the way', () => {
  const counts = categories.flatMap(countRows);
  expect(counts).toHaveLength(4602); // but for those that @differs names
  expect(counts.every(({ program }) => existsSync(join(programsFolder, program)))).toBe(true);
  expect(bugFolders().flatMap(bugRows)).toHaveLength(1048);
});

test('every folder of programs is compared', () => {
  expect(readdirSync(programsFolder).sort()).toEqual(['bugs', ...categories]);
});
