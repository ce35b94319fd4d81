/** IR → program, for C. */
import { parseModule } from '../c/ir/parser.ts';
import { printModule } from '../c/ir/printer.ts';
import { cProgram, linkProgram, prepare } from '../c/program.ts';
import type { Program } from '../program/operation.ts';
import { type CSource, nameOf } from './job.ts';

export function loadC(source: CSource): Program {
  return cProgram(modulesOf(source), { ...source.settings, name: nameOf(source) });
}

/** The program as IR, for `--emit-ir`. */
export function irOf(source: CSource, when: 'before' | 'after'): string {
  const module = linkProgram(modulesOf(source));
  if (when === 'after') prepare(module, source.settings);
  return printModule(module);
}

function modulesOf({ modules }: CSource): ReturnType<typeof parseModule>[] {
  return modules.map(({ name, text }) => parseModule(text, name));
}
