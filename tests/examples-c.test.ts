/**
 * Every C example does what its opening comment promises. Each command there is run, and must come to the verdict after
 * its arrow:
 *
 *     //   npx heddle check -DFIXED examples/c/counter.c  → ok
 *     //   npx heddle check examples/c/counter.c          → error assertion at line 31
 *
 * One that ends in ", after a while" is run in the long tier alone.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { compileC } from '../src/c/compile/compile.ts';
import { parseModule } from '../src/c/ir/parser.ts';
import { cProgram } from '../src/c/program.ts';
import { type CheckError, type CheckOptions, checkSync } from '../src/index.ts';
import type { SourcePosition } from '../src/program/operation.ts';
import { type Replayed, replayable, replayInFreshProcess } from './c/fresh-process.ts';
import { byTier } from './tier.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = ['examples/c', 'examples/memory-models'];

const afterAWhile = ', after a while';

interface Command {
  readonly text: string;
  readonly files: readonly string[];
  readonly defines: readonly string[];
  readonly model: string | undefined;
  readonly checkLeaks: boolean;
  readonly spuriousWakeups: boolean;
  readonly unroll: number | undefined;
  readonly nondet: { readonly least: number; readonly greatest: number } | undefined;
  /** As the comment says it. */
  readonly promised: string;
  readonly takesLong: boolean;
}

/** The C files of the examples, and their headers; the files of a folder are one program. */
const written = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
);
const sources = written.filter((file) => file.endsWith('.c'));
const headers = written.filter((file) => file.endsWith('.h'));
const sourceOf = (file: string): string => readFileSync(join(root, file), 'utf8');
const commands = sources.flatMap((file) =>
  [...sourceOf(file).matchAll(/^\/\/ {3}npx heddle check (.*?) +→ (.*)$/gm)].map(([, args = '', promised = '']) =>
    commandOf(args, promised),
  ),
);

function commandOf(args: string, promised: string): Command {
  const words = args.split(' ');
  const after = (option: string): string | undefined => {
    const at = words.indexOf(option);
    return at === -1 ? undefined : words.splice(at, 2)[1];
  };
  const has = (option: string): boolean => {
    const at = words.indexOf(option);
    if (at !== -1) words.splice(at, 1);
    return at !== -1;
  };
  const unroll = after('--unroll');
  const [least, greatest] = (after('--nondet') ?? '').split('..');
  const command = {
    text: args,
    model: after('--model'),
    checkLeaks: has('--check-leaks'),
    spuriousWakeups: has('--spurious-wakeups'),
    unroll: unroll === undefined ? undefined : Number(unroll),
    nondet: greatest === undefined ? undefined : { least: Number(least), greatest: Number(greatest) },
    promised: promised.replace(afterAWhile, ''),
    takesLong: promised.endsWith(afterAWhile),
  };
  const defines = words.filter((word) => word.startsWith('-D')).map((word) => word.slice(2));
  const files = words.filter((word) => !word.startsWith('-D'));
  expect(files.every((file) => sources.includes(file))).toBe(true);
  return { ...command, defines, files };
}

/** By macros and file: the IR. All files that are compiled alike are so in one run of the compiler. */
const compiled = new Map<string, string>();
const keyOf = (defines: readonly string[], file: string): string => `${defines.join()} ${file}`;

beforeAll(async () => {
  for (const group of new Set(commands.map(({ defines }) => defines.join()))) {
    const defines = group === '' ? [] : group.split(',');
    const alike = commands.filter((command) => command.defines.join() === group);
    const files = [...new Set(alike.flatMap((command) => command.files))];
    const { modules, warnings } = await compileC(files, { cwd: root, defines });
    expect(warnings).toBe('');
    for (const { name, text } of modules) compiled.set(keyOf(defines, name), text);
  }
}, 120_000);

/** In seconds: far more than any takes on a machine of its own. */
const timeout = byTier({ normal: 60, long: 300 });

/** Of the errors that were found. */
const traces: Replayed[] = [];

function run(command: Command, options: CheckOptions) {
  const { files, defines, model, unroll, nondet, spuriousWakeups, checkLeaks } = command;
  const modules = files.map((file) => ({ text: compiled.get(keyOf(defines, file)) as string, file }));
  const how = { unroll, nondet, spuriousWakeups };
  const parsed = modules.map(({ text, file }) => parseModule(text, file));
  const program = cProgram(parsed, { name: files.join(' '), ...how });
  const result = checkSync(program, { ...options, checkLeaks, timeout, ...(model === undefined ? {} : { model }) });
  const name = `${command.text} ${options.equivalence}`;
  if (result.errors.length > 0) traces.push(replayable(name, program, result, modules, how));
  return result;
}

/** Where it is: of two accesses that clash both, of a standstill where threads wait for something else than another's end. */
function placesOf(error: CheckError): readonly (SourcePosition | undefined)[] {
  if (error.racing !== undefined) return error.racing.map((step) => step.source);
  if (error.kind !== 'deadlock') return [error.location];
  const waiting = error.execution.ends.filter((end) => end.state === 'waiting' && end.next?.op !== 'join');
  return waiting.map((end) => end.next?.source);
}

/** An error in the words of the comments; the file is named if it is not the first one. */
function wordsFor(error: CheckError, files: readonly string[]): string {
  const places = placesOf(error);
  const lines = [...new Set(places.map((place) => place?.line ?? 0))].sort((a, b) => a - b);
  const [file] = new Set(places.map((place) => place?.file));
  const where = file?.endsWith(files[0] as string) ? '' : `${basename(file ?? 'nowhere')} `;
  return `${error.kind} at ${where}${lines.length === 1 ? 'line' : 'lines'} ${lines.join(' and ')}`;
}

const equivalences: readonly CheckOptions[] = byTier({
  normal: [{ equivalence: 'co' }],
  long: [{ equivalence: 'co' }, { equivalence: 'rf' }],
});

const tried = byTier({ normal: commands.filter(({ takesLong }) => !takesLong), long: commands });

for (const options of equivalences) {
  for (const command of tried) {
    test(`heddle check ${command.text} --equivalence ${options.equivalence}: ${command.promised}`, () => {
      const result = run(command, options);
      const errors = result.errors.map((error) => wordsFor(error, command.files));
      expect([result.verdict, ...errors].join(' ')).toBe(command.promised);
    });
  }
}

test('all that fail do so again in a fresh process, at the same place', async () => {
  expect(traces.length).toBeGreaterThan(0);
  expect(await replayInFreshProcess(traces)).toEqual({});
});

describe('every example', () => {
  test.each([...sources, ...headers])('%s marks the lines that it says fail', (file) => {
    const marked = sourceOf(file)
      .split('\n')
      .flatMap((line, i) => (line.endsWith(' // <- fails') ? [i + 1] : []));
    const named = commands
      .filter(({ promised }) => promised.startsWith('error'))
      .filter(({ files, promised }) =>
        /\.[ch] /.test(promised) ? promised.includes(`${basename(file)} `) : files[0] === file,
      )
      .flatMap(({ promised }) => [...promised.matchAll(/\d+/g)].map(Number));
    expect([...new Set(named)].sort((a, b) => a - b)).toEqual(marked);
  });

  test('is run by some command, and each kind of error that C can have is among them', () => {
    const kinds = [
      ...['assertion', 'deadlock', 'race', 'use-after-free', 'double-free', 'invalid-free', 'out-of-bounds'],
      ...['null-dereference', 'uninitialised-read', 'leak', 'livelock', 'lock-misuse', 'abort', 'division-by-zero'],
    ];
    expect(new Set(commands.flatMap(({ files }) => files))).toEqual(new Set(sources));
    const promised = commands.flatMap((command) => /^error (\S+)/.exec(command.promised)?.[1] ?? []);
    expect(new Set(promised)).toEqual(new Set(kinds));
  });

  test.each(folders)('of %s is in the table of the README beside it', (folder) => {
    const here = commands.filter(({ files }) => files.every((file) => dirname(file).startsWith(folder)));
    const readme = readFileSync(join(root, folder, 'README.md'), 'utf8');
    const listed = [...readme.matchAll(/\]\(([\w/-]+\.c)\)/g)].map(([, file = '']) => join(folder, file));
    const first = new Set(here.map(({ files }) => files[0]));
    expect(new Set(listed)).toEqual(first);
    for (const { files, promised } of here) {
      const row = readme
        .split('\n')
        .find((line) => line.includes(`](${(files[0] as string).slice(folder.length + 1)})`));
      const kind = /^error (\S+)/.exec(promised)?.[1];
      if (kind !== undefined) expect(row).toContain(`\`${kind}\``);
    }
  });
});
