/** The files of a C program → LLVM IR, and what the program will read. */
import { readFileSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import type { Host } from '../../program/front-end.ts';
import { InputError } from '../../program/input-error.ts';
import type { Compiled, IrText } from '../compile/compile.ts';
import { cacheFolder } from './cache-folder.ts';
import type { CSettings } from './settings.ts';

export interface CompiledFiles extends Partial<Pick<Compiled, 'compiler' | 'otherwise'>> {
  /** In the order of the files. */
  readonly modules: readonly IrText[];
  /** A character for each byte. */
  readonly input?: string;
}

export async function compileFiles(settings: CSettings, host: Host): Promise<CompiledFiles> {
  const { files, stdin } = settings;
  const input = stdin === undefined ? {} : { input: contentOf(stdin) };
  const sources = files.filter((file) => extname(file).toLowerCase() === '.c');
  const { modules: compiled = [], ...by } = sources.length === 0 ? {} : await compileSources(sources, settings, host);
  const modules = files.map((file) => compiled[sources.indexOf(file)] ?? { name: file, text: irIn(file) });
  return { ...by, modules, ...input };
}

function contentOf(file: string): string {
  if (statSync(file, { throwIfNoEntry: false }) === undefined)
    throw new InputError(`there is no file ${file} (--stdin).`);
  return readFileSync(file, 'latin1');
}

async function compileSources(
  files: readonly string[],
  { defines, includeFolders, includeFiles, quoteFolders, lateFolders, compilerFlags, standard, clang }: CSettings,
  { cwd, env, platform, waiting, warn }: Host,
): Promise<Omit<Compiled, 'warnings'>> {
  const { compileC } = await import('../compile/compile.ts');
  const line = waiting('compiling…');
  try {
    const { warnings, ...compiled } = await compileC(
      files,
      {
        cwd,
        defines,
        includeFolders,
        includeFiles,
        ...(quoteFolders === undefined ? {} : { quoteFolders }),
        ...(lateFolders === undefined ? {} : { lateFolders }),
        ...(compilerFlags === undefined ? {} : { compilerFlags }),
        ...(standard === undefined ? {} : { standard }),
        ...(clang === undefined ? {} : { clang }),
      },
      { cacheFolder: cacheFolder(env, platform), searchPath: env['PATH'], onCompile: line.show },
    );
    line.end();
    warn(warnings);
    return compiled;
  } finally {
    line.end();
  }
}

/** Text IR as given; the parser says what is wrong with it. */
function irIn(file: string): string {
  const content = readFileSync(file);
  if (content.subarray(0, 2).toString('latin1') === 'BC' || content.includes(0))
    throw new InputError(`${file} is not LLVM IR in text form; make it with clang -S -emit-llvm, or llvm-dis.`);
  return content.toString('utf8');
}
