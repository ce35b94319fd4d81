/** IR → program. */
import type { Knowledge } from '../../program/knowledge.ts';
import type { Program } from '../../program/operation.ts';
import type { IrText } from '../compile/compile.ts';
import type { Module } from '../ir/module.ts';
import { parseModule } from '../ir/parser.ts';
import { printModule } from '../ir/printer.ts';
import { cProgram, linkProgram, prepare } from '../program.ts';
import type { CompiledFiles } from './compile-files.ts';
import type { CSettings } from './settings.ts';

export function loadC(
  settings: CSettings,
  { modules, input }: CompiledFiles,
  knowledge: Knowledge | undefined,
): Program {
  return cProgram(parsed(modules), { ...settings, input, knowledge, name: settings.files.join(' ') });
}

/** The program as IR, for `--emit-ir`. */
export function irOf(settings: CSettings, modules: readonly IrText[], when: 'before' | 'after'): string {
  const module = linkProgram(parsed(modules));
  if (when === 'after') prepare(module, settings);
  return printModule(module);
}

function parsed(modules: readonly IrText[]): Module[] {
  return modules.map(({ name, text }) => parseModule(text, name));
}
