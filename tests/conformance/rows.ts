/**
 * The conformance programs and what is expected of them. `expected/CATEGORY.json` has what two other model checkers count. GenMC
 * 0.10.3: executions with coherence under each model, and reads-from classes under sequential consistency (`sc-rf`). Its TSO
 * departs from x86 in places, so a count under `tso` is only there if Nidhugg has the same. Nidhugg (April 2026): the executions
 * of Optimal-DPOR, without and with observers, and Source-DPOR, and of Optimal-DPOR with all reductions of [Await] (`sc-optimal-await`), with the blocked ones,
 * whether an assume or an await blocks. The programs of `bugs` say what is wrong with them themselves, in their @bug lines
 * (programs/bugs/README.md).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AlgorithmName } from '../../src/explore/registry.ts';
import type { Equivalence, ModelName } from '../../src/models/registry.ts';
import type { FailureKind } from '../../src/program/operation.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
export const programsFolder = join(here, 'programs');

/** The folders of programs whose executions are counted. */
export const categories = [
  'datastructures',
  'dynprog',
  'litmus',
  'locks',
  'mutualexclusion',
  'spin',
  'synthetic',
] as const;

/** A program with its macros: what is compiled. */
export interface Case {
  /** Below `programs`. */
  readonly program: string;
  /** As they are given to a compiler: -DN=3. */
  readonly defines: readonly string[];
}

export const nameOf = ({ program, defines }: Case): string => [program, ...defines].join(' ');

export const models = ['sc', 'tso', 'pso', 'ra', 'rc11'] as const satisfies readonly ModelName[];

/** What makes searches of [Await] smaller: stopped pure iterations, awaits instead of assumes, independent updates. */
export interface Reductions {
  readonly plp: boolean;
  readonly await: boolean;
  readonly ifaa: boolean;
}

export const all: Reductions = { plp: true, await: true, ifaa: true };
export const none: Reductions = { plp: false, await: false, ifaa: false };

const trust = { algorithm: 'trust', equivalence: 'co', reductions: none } as const;
const optimal = { algorithm: 'optimal', model: 'sc', equivalence: undefined, reductions: none } as const;

/** What a recorded mode counts, and what counts the same here. */
const modes = {
  'genmc/sc': { ...trust, model: 'sc' },
  'genmc/sc-rf': { ...trust, model: 'sc', equivalence: 'rf' },
  'genmc/tso': { ...trust, model: 'tso' },
  'genmc/ra': { ...trust, model: 'ra' },
  'genmc/rc11': { ...trust, model: 'rc11' },
  'nidhugg/sc-optimal': optimal,
  'nidhugg/sc-source': { ...optimal, algorithm: 'source' },
  'nidhugg/sc-optimal-await': { ...optimal, reductions: all },
  'nidhugg/sc-observers': { ...optimal, observers: true },
} as const;

export type Mode = keyof typeof modes;

/** How many executions a program has. */
export interface CountRow extends Case {
  readonly mode: Mode;
  readonly algorithm: AlgorithmName;
  readonly model: ModelName;
  readonly equivalence: Equivalence | undefined;
  readonly reductions: Reductions;
  /** With observers. */
  readonly observers?: boolean;
  readonly unroll: number | undefined;
  readonly complete: number;
  /** No more than these are blocked, if that can be compared. */
  readonly blocked: number | undefined;
}

type Count = number | { readonly complete: number; readonly blocked: number };

interface Recorded extends Case {
  readonly unroll?: number;
  readonly genmc?: Readonly<Record<string, Count>>;
  readonly nidhugg?: Readonly<Record<string, Count>>;
}

export function countRows(category: string): CountRow[] {
  const rows = JSON.parse(readFileSync(join(here, 'expected', `${category}.json`), 'utf8')) as Recorded[];
  return rows.flatMap((row) => (Object.keys(modes) as Mode[]).flatMap((mode) => countRow(row, mode)));
}

function countRow({ program, defines, unroll, ...counts }: Recorded, mode: Mode): CountRow[] {
  const [tool, name] = mode.split('/') as ['genmc' | 'nidhugg', string];
  const count = counts[tool]?.[name];
  if (count === undefined || departs(program, mode, defines)) return [];
  const numbers = typeof count === 'number' ? { complete: count, blocked: undefined } : count;
  return [{ program, defines, unroll, mode, ...modes[mode], ...numbers }];
}

/** What a buggy program does wrong under a model; nothing if it is free of errors there. */
export interface BugRow extends Case {
  readonly model: ModelName;
  /** One of them is to be reported. */
  readonly errors: readonly {
    readonly kind: FailureKind;
    readonly lines: readonly number[];
    /** The least number with which it shows under sequential consistency, if that is known. */
    readonly preemptions: number | undefined;
  }[];
  readonly checkLeaks: boolean;
}

const ourKinds: Readonly<Record<string, FailureKind>> = {
  'invalid-unlock': 'lock-misuse',
  'dangling-stack': 'use-after-free',
  liveness: 'livelock',
};

export function bugFolders(): string[] {
  const entries = readdirSync(join(programsFolder, 'bugs'), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

export function bugRows(folder: string): BugRow[] {
  const files = readdirSync(join(programsFolder, 'bugs', folder)).filter((file) => file.endsWith('.c'));
  return files.flatMap((file) => {
    const program = `bugs/${folder}/${file}`;
    const text = sourceOf(program);
    const bugs = [...text.matchAll(/^\/\/ @bug (.*)$/gm)].map(([, line = '']) => parseBug(line));
    const cases = [...text.matchAll(/^\/\/ @case[ \t]*(.*)$/gm)].map(([, list = '']) =>
      list.split(/\s+/).filter(Boolean),
    );
    const checkLeaks = bugs.some(({ kind }) => kind === 'leak');
    return cases.flatMap((defines) =>
      models.flatMap((model): BugRow[] => {
        if (departs(program, `bugs/${model}`, defines)) return [];
        return [{ program, defines, model, errors: errorsOf(bugs, model, defines), checkLeaks }];
      }),
    );
  });
}

function errorsOf(bugs: readonly Bug[], model: ModelName, defines: readonly string[]): BugRow['errors'] {
  const applying = bugs.filter(({ models, only }) => {
    if (!models.includes(model)) return false;
    return only === undefined ? !defines.includes('-DFIXED') : only === defines.join(' ');
  });
  return applying.map(({ kind, ...rest }) => ({ ...rest, kind: ourKinds[kind] ?? (kind as FailureKind) }));
}

interface Bug {
  readonly kind: string;
  readonly lines: readonly number[];
  readonly preemptions: number | undefined;
  readonly models: readonly string[];
  /** The only macros with which it shows. */
  readonly only: string | undefined;
}

function parseBug(line: string): Bug {
  const [head = '', only] = line.split(/ case=/);
  const fields = new Map(
    head
      .trim()
      .split(' ')
      .map((field) => field.split('=') as [string, string]),
  );
  return {
    kind: fields.get('kind') ?? '',
    lines: (fields.get('line') ?? '').split(',').map(Number),
    preemptions: fields.has('preemptions') ? Number(fields.get('preemptions')) : undefined,
    models: (fields.get('models') ?? '').split(','),
    only: only?.trim(),
  };
}

/** "// @differs genmc/sc -DX=1: why": the recorded tool departs from our semantics there, so it is not compared. */
function departs(program: string, mode: string, defines: readonly string[]): boolean {
  const notes = sourceOf(program).matchAll(/^\/\/ @differs (\S+?)((?: -D\S+)*): /gm);
  return [...notes].some(([, m, d = '']) => m === mode && (d === '' || d.trim() === defines.join(' ')));
}

function sourceOf(program: string): string {
  return readFileSync(join(programsFolder, program), 'utf8');
}
