/** Files and options of all front ends, without running anything. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cacheFolder } from '../../src/c/front-end/cache-folder.ts';
import { traceSchema } from '../../src/c/front-end/schema.ts';
import { type CSettings, settingsForTrace, settingsFromTrace } from '../../src/c/front-end/settings.ts';
import { normaliseArguments } from '../../src/cli/front-end-flags.ts';
import { chosenBy } from '../../src/cli/source.ts';
import { frontEnds } from '../../src/front-ends.ts';
import type { Flags, FrontEnd } from '../../src/program/front-end.ts';
import { folderWith } from './heddle.ts';

test('options of clang with one dash, and --emit-ir before a file, are understood', () => {
  const normalised = (line: string): string => normaliseArguments(line.split(' ')).join(' ');
  expect(normalised('check -std=c11 x.c')).toBe('check --std=c11 x.c');
  expect(normalised('check x.c -include a.h -DN=1 -Ilib')).toBe('check x.c --include a.h -DN=1 -Ilib');
  expect(normalised('check --emit-ir x.c')).toBe('check --emit-ir=after x.c');
  expect(normalised('check --emit-ir before x.c')).toBe('check --emit-ir=before x.c');
  expect(normalised('check x.c --emit-ir')).toBe('check x.c --emit-ir=after');
  expect(normalised('check -- -std=c11')).toBe('check -- -std=c11');
  expect(normalised('check -O2 -g x.c -Wall -lm -UN -isystem lib -pthread')).toBe(
    'check --cflag=-O2 --cflag=-g x.c --cflag=-Wall --cflag=-lm --cflag=-UN --isystem lib --cflag=-pthread',
  );
  expect(normalised('check -MF x.d -MT x -o out -x c x.c -U N -l m -Xlinker -z -Wl,-z')).toBe(
    'check --cflag=-MFx.d --cflag=-MTx --cflag=-oout --cflag=-xc x.c --cflag=-UN --cflag=-lm --cflag=-Xlinker-z --cflag=-Wl,-z',
  );
  expect(normalised('check -iquote a -idirafter b -nostdinc -save-temps x.c')).toBe(
    'check --iquote a --idirafter b --cflag=-nostdinc --cflag=-save-temps x.c',
  );
  expect(normalised('check x.c --json -- 3 -1')).toBe('check x.c --json --argument=3 --argument=-1');
  expect(normalised('check - -- 3 --json')).toBe('check - --argument=3 --argument=--json');
  expect(normalised('check x.ts -- y.ts')).toBe('check x.ts -- y.ts');
});

test('no two front ends take the same files, or have an option of the same name', () => {
  const all = Object.values(frontEnds);
  for (const names of [
    all.flatMap(({ extensions }) => extensions),
    all.flatMap(({ options }) => options.map(({ flags }) => flags)),
  ])
    expect(new Set(names).size).toBe(names.length);
});

const settingsOf = (files: readonly string[], flags: Flags) => chosenBy(files, flags).settings;

describe('settings', () => {
  test('say all that makes the program', () => {
    expect(
      settingsOf(['a.c', 'B.LL'], {
        D: ['N=1'],
        I: ['x'],
        isystem: ['y'],
        iquote: ['q'],
        idirafter: ['z'],
        cflag: ['-O2'],
        std: 'c99',
        nondet: '-1..3',
        unroll: '2',
      }),
    ).toEqual({
      files: ['a.c', 'B.LL'],
      defines: ['N=1'],
      includeFolders: ['x', 'y'],
      includeFiles: [],
      quoteFolders: ['q'],
      lateFolders: ['z'],
      compilerFlags: ['-O2'],
      standard: 'c99',
      nondet: { least: -1, greatest: 3 },
      unroll: 2,
    });
    expect(chosenBy(['a.ts'], { plp: true })).toEqual({ frontEnd: 'typescript', settings: { files: ['a.ts'] } });
  });

  test('are refused where they make no sense', () => {
    expect(() => settingsOf(['a.ts'], { unroll: '2' })).toThrow(
      '--unroll is an option for C programs (.c, .ll), and a.ts is none.',
    );
    expect(() => settingsOf(['a.ts', 'b.ts'], {})).toThrow('one program at a time, not a.ts and b.ts');
    for (const files of [
      ['a.c', 'b.ts'],
      ['b.ts', 'a.c'],
    ])
      expect(() => settingsOf(files, {})).toThrow('b.ts cannot be checked together with a.c');
    for (const nondet of ['', '3', '3..1', 'a..b', '0..', '0..1e9', '0..99999999999'])
      expect(() => settingsOf(['a.c'], { nondet })).toThrow('--nondet needs a range');
    expect(settingsOf(['a.c'], { checkUninitialised: 'strict', volatile: 'seq_cst' })).toMatchObject({
      checkUninitialised: 'strict',
      volatile: 'seq_cst',
    });
    expect(() => settingsOf(['a.c'], { volatile: 'acquire' })).toThrow('--volatile is one of plain, relaxed, seq_cst');
    expect(() => settingsOf(['a.c'], { checkUninitialised: 'never' })).toThrow(
      '--check-uninitialised is one of used, strict, not "never".',
    );
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
      quoteFolders: [join(cwd, 'quoted')],
      lateFolders: [join(cwd, 'late')],
      unroll: 3,
      nondet: { least: 0, greatest: 5 },
      spuriousWakeups: true,
      volatile: 'relaxed',
      checkUninitialised: 'strict',
    };
    const traced = settingsForTrace(settings, folder);
    expect(traced).toMatchObject({
      files: ['../src/a.c'],
      includeFolders: ['../include'],
      includeFiles: ['../first.h', 'from-folder.h'],
      quoteFolders: ['../quoted'],
      lateFolders: ['../late'],
    });
    expect(settingsFromTrace(traced, folder, '/')).toEqual({
      ...settings,
      files: settings.files.map((file) => file.slice(1)),
      includeFolders: [join(cwd, 'include').slice(1)],
      includeFiles: [join(cwd, 'first.h').slice(1), 'from-folder.h'],
      quoteFolders: [join(cwd, 'quoted').slice(1)],
      lateFolders: [join(cwd, 'late').slice(1)],
    });
    expect(settingsFromTrace(traced, folder, cwd).files).toEqual(['src/a.c']);
    expect(traceSchema.parse({ settings: traced })).toEqual({ settings: traced });
  });

  test('of TypeScript are the same after a trace file, too', async () => {
    const entry = frontEnds['typescript'] as FrontEnd;
    const traced = entry.settingsForTrace({ files: ['/project/x.ts'] }, '/project/traces');
    expect(traced).toEqual({ files: ['../x.ts'] });
    expect((await entry.traceSchema()).parse({ settings: traced })).toEqual({ settings: traced });
    expect(entry.settingsFromTrace(traced, '/project/traces', '/project')).toEqual({ files: ['x.ts'] });
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
