/** The files and flags that were given → what is checked. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { frontEnds } from '../front-ends.ts';
import type { Flags, FrontEnd, Traced } from '../program/front-end.ts';
import { InputError } from '../program/input-error.ts';
import { listOf } from '../program/list-of.ts';
import type { Program } from '../program/operation.ts';
import { expectFile } from './files.ts';
import { refuseOthers } from './front-end-flags.ts';
import { hostOf } from './host.ts';

/** A program, compiled: the worker makes a program of it. Plain data. */
export interface ProgramSource extends Chosen {
  /** What the front end made of the files. */
  readonly compiled: unknown;
  readonly compileMs: number;
}

/** What is known before anything is compiled. */
export interface Chosen extends Traced {
  /** Its name in the table. */
  readonly frontEnd: string;
}

export function chosenBy(files: readonly string[], flags: Flags): Chosen {
  const frontEnd = frontEndFor(files);
  refuseOthers(entryOf({ frontEnd }), files[0] as string, flags);
  return { frontEnd, settings: entryOf({ frontEnd }).settings(files, flags) };
}

/** `isQuiet`: nothing is shown but the result. */
export async function sourceOf(chosen: Chosen, isQuiet: boolean): Promise<ProgramSource> {
  const { settings } = chosen;
  const start = performance.now();
  for (const file of settings.files) expectFile(file, resolve(file));
  const compiled = await entryOf(chosen).compile(settings, hostOf(isQuiet));
  return { ...chosen, compiled, compileMs: performance.now() - start };
}

export function loadProgram(source: ProgramSource): Promise<Program> {
  return entryOf(source).load(source.settings, source.compiled, hostOf(true), source.knowledge);
}

/** The same for programs that are the same: of what was compiled, or else of what will be loaded. */
export function fingerprintOf({ compiled, settings }: ProgramSource): string {
  const hash = createHash('sha256');
  if (compiled !== undefined) hash.update(JSON.stringify(compiled));
  else for (const file of settings.files) hash.update(readFileSync(resolve(file)));
  return hash.digest('hex');
}

export function entryOf({ frontEnd }: Pick<ProgramSource, 'frontEnd'>): FrontEnd {
  const entry = frontEnds[frontEnd];
  if (entry === undefined) throw new Error(`there is no front end ${frontEnd}`);
  return entry;
}

/** How reports call the program. */
export function nameOf({ settings }: ProgramSource): string {
  return settings.files.join(' ');
}

/** The front end that all of the files are for. */
function frontEndFor(files: readonly string[]): string {
  const names = files.map((file) => nameFor(file));
  const many = names.findIndex((name) => frontEnds[name]?.takesSeveralFiles === true);
  const first = names[Math.max(many, 0)] as string;
  const other = names.findIndex((name) => name !== first);
  if (other >= 0) {
    throw new InputError(`${files[other]} cannot be checked together with ${files[Math.max(many, 0)]}: ${several()}.`);
  }
  if (files.length > 1 && many < 0)
    throw new InputError(`one program at a time, not ${files.join(' and ')}; ${several()}.`);
  return first;
}

function several(): string {
  const extensions = Object.values(frontEnds).flatMap((entry) => (entry.takesSeveralFiles ? entry.extensions : []));
  return `several files can only be ${listOf(extensions)}`;
}

function nameFor(file: string): string {
  const extension = extname(file).toLowerCase();
  const name = Object.keys(frontEnds).find((key) => frontEnds[key]?.extensions.includes(extension) === true);
  if (name !== undefined) return name;
  expectFile(file, resolve(file));
  throw new Error(`${file} was taken for a file that can be checked`);
}
