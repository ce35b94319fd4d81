/** The options of C programs, without running anything. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { normaliseArguments, settingsOf } from '../../src/cli/c-flags.ts';
import { cacheFolder } from '../../src/cli/cache-folder.ts';
import type { CSettings } from '../../src/cli/job.ts';
import { settingsForTrace, settingsFromTrace } from '../../src/cli/trace-settings.ts';
import { folderWith } from './heddle.ts';

test('options of clang with one dash, and --emit-ir before a file, are understood', () => {
  const normalised = (line: string): string => normaliseArguments(line.split(' ')).join(' ');
  expect(normalised('check -std=c11 x.c')).toBe('check --std=c11 x.c');
  expect(normalised('check x.c -include a.h -DN=1 -Ilib')).toBe('check x.c --include a.h -DN=1 -Ilib');
  expect(normalised('check --emit-ir x.c')).toBe('check --emit-ir=after x.c');
  expect(normalised('check --emit-ir before x.c')).toBe('check --emit-ir=before x.c');
  expect(normalised('check x.c --emit-ir')).toBe('check x.c --emit-ir=after');
  expect(normalised('check -- -std=c11')).toBe('check -- -std=c11');
});

describe('settings', () => {
  test('say all that makes the program', () => {
    expect(settingsOf(['a.c', 'B.LL'], { D: ['N=1'], I: ['x'], std: 'c99', nondet: '-1..3', unroll: '2' })).toEqual({
      files: ['a.c', 'B.LL'],
      defines: ['N=1'],
      includeFolders: ['x'],
      includeFiles: [],
      standard: 'c99',
      nondet: { least: -1, greatest: 3 },
      unroll: 2,
    });
    expect(settingsOf(['a.ts'], {})).toBeUndefined();
  });

  test('are refused where they make no sense', () => {
    expect(() => settingsOf(['a.ts'], { unroll: '2' })).toThrow(
      '--unroll is an option for C programs (.c, .ll), and a.ts is none.',
    );
    expect(() => settingsOf(['a.ts', 'b.ts'], {})).toThrow('one program at a time, not a.ts and b.ts');
    expect(() => settingsOf(['a.c', 'b.ts'], {})).toThrow('b.ts cannot be checked together with a.c');
    for (const nondet of ['', '3', '3..1', 'a..b', '0..', '0..1e9', '0..99999999999'])
      expect(() => settingsOf(['a.c'], { nondet })).toThrow('--nondet needs a range');
    for (const unroll of ['0', '-1', '1.5', 'x', ''])
      expect(() => settingsOf(['a.c'], { unroll })).toThrow('--unroll needs a whole number from 1');
  });

  test('are the same after a trace file, seen from the folder of the trace and from anywhere', () => {
    const cwd = folderWith({ 'src/a.c': '', 'first.h': '' });
    const folder = join(cwd, 'traces');
    mkdirSync(folder);
    writeFileSync(join(folder, 't.json'), '');
    const settings: CSettings = {
      files: [join(cwd, 'src/a.c')],
      defines: ['X'],
      includeFolders: [join(cwd, 'include')],
      includeFiles: [join(cwd, 'first.h'), 'from-folder.h'],
      unroll: 3,
      nondet: { least: 0, greatest: 5 },
      spuriousWakeups: true,
    };
    const traced = settingsForTrace(settings, folder);
    expect(traced).toMatchObject({
      files: ['../src/a.c'],
      includeFolders: ['../include'],
      includeFiles: ['../first.h', 'from-folder.h'],
    });
    expect(settingsFromTrace(traced, folder, '/')).toEqual({
      ...settings,
      files: settings.files.map((file) => file.slice(1)),
      includeFolders: [join(cwd, 'include').slice(1)],
      includeFiles: [join(cwd, 'first.h').slice(1), 'from-folder.h'],
    });
    expect(settingsFromTrace(traced, folder, cwd).files).toEqual(['src/a.c']);
  });
});

test('compiled files are kept where the system keeps such things', () => {
  expect(cacheFolder({ HEDDLE_CACHE: 'off' }, 'linux')).toBeUndefined();
  expect(cacheFolder({ HEDDLE_CACHE: '/x', XDG_CACHE_HOME: '/y' }, 'linux')).toBe('/x');
  expect(cacheFolder({ XDG_CACHE_HOME: '/y' }, 'linux')).toBe('/y/heddle');
  expect(cacheFolder({}, 'linux')).toBe(join(homedir(), '.cache/heddle'));
  expect(cacheFolder({}, 'darwin')).toBe(join(homedir(), 'Library/Caches/heddle'));
  expect(cacheFolder({ LOCALAPPDATA: '/l' }, 'win32')).toBe('/l/heddle/Cache');
});
