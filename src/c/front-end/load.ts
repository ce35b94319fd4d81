/** IR → program. */
import type { Host } from '../../program/front-end.ts';
import { InputError } from '../../program/input-error.ts';
import type { Knowledge } from '../../program/knowledge.ts';
import type { CompilerName, Program } from '../../program/operation.ts';
import type { Module } from '../ir/module.ts';
import { parseModule } from '../ir/parser.ts';
import { printModule } from '../ir/printer.ts';
import { cProgram, linkProgram, prepare } from '../program.ts';
import { type CompiledFiles, compileFiles } from './compile-files.ts';
import type { CSettings } from './settings.ts';

export async function loadC(
  settings: CSettings,
  compiled: CompiledFiles,
  host: Host,
  knowledge: Knowledge | undefined,
): Promise<Program> {
  const { input } = compiled;
  const { modules, compiler } = await parsed(settings, compiled, host);
  return cProgram(modules, { ...settings, input, knowledge, compiler, name: settings.files.join(' ') });
}

/** The program as IR, for `--emit-ir`. */
export async function irOf(
  settings: CSettings,
  compiled: CompiledFiles,
  host: Host,
  when: 'before' | 'after',
): Promise<string> {
  const { modules } = await parsed(settings, compiled, host);
  const module = linkProgram(modules);
  if (when === 'after') prepare(module, settings);
  return printModule(module);
}

interface Parsed {
  readonly modules: Module[];
  readonly compiler: CompilerName | undefined;
}

/** What another clang has made of it, and is not understood, the bundled one makes anew. */
async function parsed(settings: CSettings, compiled: CompiledFiles, host: Host): Promise<Parsed> {
  const { modules, compiler, otherwise } = compiled;
  try {
    return { modules: modules.map(({ name, text }) => parseModule(text, name)), compiler };
  } catch (error) {
    if (!(error instanceof InputError) || otherwise === undefined) throw error;
    return parsed(settings, await compileFiles({ ...settings, clang: otherwise }, host), host);
  }
}
