/** C programs for the library: `import { loadC } from 'heddle/c'`. */
import { resolve } from 'node:path';
import type { Program } from '../program/operation.ts';
import { type CompileFlags, type CompileSettings, compileC } from './compile/compile.ts';
import { parseModule } from './ir/parser.ts';
import { type CProgramOptions, cProgram } from './program.ts';

export interface LoadOptions
  extends Partial<CompileFlags>,
    Omit<CProgramOptions, 'name'>,
    Pick<CompileSettings, 'cacheFolder'> {}

/** The program in C files, to be checked like any other. Throws an InputError with clang's words if it does not compile. */
export async function loadC(files: string | readonly string[], options: LoadOptions = {}): Promise<Program> {
  const list = typeof files === 'string' ? [files] : files;
  const { cacheFolder, ...rest } = options;
  const { modules, compiler } = await compileC(list, { cwd: resolve('.'), ...rest }, { cacheFolder });
  if (rest.knowledge !== undefined) (await import('./run/knowledge-schema.ts')).expectKnowledge(rest.knowledge);
  const parsed = modules.map(({ name, text }) => parseModule(text, name));
  return cProgram(parsed, { ...rest, compiler, name: list.join(' ') });
}
