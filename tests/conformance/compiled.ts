/** Compiles cases many at a time: starting the compiler costs more than a compilation. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileC } from '../../src/c/compile/compile.ts';
import { parseModule } from '../../src/c/ir/parser.ts';
import { type CProgramOptions, cProgram } from '../../src/c/program.ts';
import type { Program } from '../../src/program/operation.ts';
import { type Case, nameOf, programsFolder } from './rows.ts';

/** What was compiled once is kept here, for as long as the packages are. */
const cacheFolder = fileURLToPath(new URL('../../node_modules/.cache/heddle-conformance', import.meta.url));

export type CompiledCases = ReadonlyMap<string, string>;

/** The IR of each case, by its name. `clang`: see `CompileFlags`. */
export async function compileCases(cases: readonly Case[], clang = 'bundled'): Promise<CompiledCases> {
  const names = [...new Set(cases.map(nameOf))];
  const folder = join(cacheFolder, 'cases');
  mkdirSync(folder, { recursive: true });
  // One run of the compiler has one set of flags, so the macros of a case stand in a file that includes the program.
  const files = names.map((name) => {
    const file = join(folder, `${name.replaceAll(/[^\w=-]+/g, '_')}.c`);
    writeWhole(file, wrapperOf(name));
    return file;
  });
  const { modules } = await compileC(files, { cwd: programsFolder, clang }, { cacheFolder });
  return new Map(modules.map(({ text }, index) => [names[index] as string, text]));
}

/** Files of tests run at the same time and have cases in common: nobody may find half of a file. */
function writeWhole(file: string, text: string): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  const aside = `${file}.${randomUUID()}`;
  writeFileSync(aside, text);
  renameSync(aside, file);
}

function wrapperOf(name: string): string {
  const [program = '', ...defines] = name.split(' ');
  const macros = defines.map((define) => {
    const [macro, value = '1'] = define.replace(/^-D/, '').split('=');
    return `#define ${macro} ${value}\n`;
  });
  return `${macros.join('')}#include "${join(programsFolder, program)}"\n`;
}

/** A new program each time, as a run of Heddle would make it. */
export function programOf(compiled: CompiledCases, it: Case, options: Omit<CProgramOptions, 'name'> = {}): Program {
  return cProgram([parseModule(textOf(compiled, it), it.program)], { name: it.program, ...options });
}

export function textOf(compiled: CompiledCases, it: Case): string {
  const text = compiled.get(nameOf(it));
  if (text === undefined) throw new Error(`${nameOf(it)} was not compiled`);
  return text;
}
