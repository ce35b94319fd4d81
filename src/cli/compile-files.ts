/** The files of a C program → LLVM IR, in the main thread: before a search starts, and once for several. */
import { readFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import type { IrText } from '../c/compile/compile.ts';
import { InputError } from '../program/input-error.ts';
import { cacheFolder } from './cache-folder.ts';
import { expectFile } from './files.ts';
import type { CSettings, CSource } from './job.ts';
import { waitingLine } from './progress.ts';

/** `isQuiet`: warnings are not shown, nor that it takes a moment. */
export async function compileFiles(settings: CSettings, isQuiet: boolean): Promise<CSource> {
  const start = performance.now();
  for (const file of settings.files) expectFile(file, resolve(file));
  const sources = settings.files.filter((file) => extname(file).toLowerCase() === '.c');
  const compiled = sources.length === 0 ? [] : await compileSources(sources, settings, isQuiet);
  const modules = settings.files.map((file) => compiled[sources.indexOf(file)] ?? { name: file, text: irIn(file) });
  return { language: 'c', settings, modules, compileMs: performance.now() - start };
}

async function compileSources(
  files: readonly string[],
  settings: CSettings,
  isQuiet: boolean,
): Promise<readonly IrText[]> {
  const { compileC } = await import('../c/compile/compile.ts');
  const { defines, includeFolders, includeFiles, standard, clang } = settings;
  const line = waitingLine(process.stderr.isTTY && !isQuiet, 'compiling…');
  try {
    const { modules, warnings } = await compileC(
      files,
      {
        cwd: process.cwd(),
        defines,
        includeFolders,
        includeFiles,
        ...(standard === undefined ? {} : { standard }),
        ...(clang === undefined ? {} : { clang }),
      },
      {
        cacheFolder: cacheFolder(process.env, process.platform),
        searchPath: process.env['PATH'],
        onCompile: line.show,
      },
    );
    line.end();
    if (!isQuiet) process.stderr.write(warnings);
    return modules;
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
