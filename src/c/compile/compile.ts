/** C files → LLVM IR. What was compiled before, and has not changed, comes from the cache. */
import { resolve } from 'node:path';
import { InputError } from '../../program/input-error.ts';
import type { CompilerName, SourcePosition } from '../../program/operation.ts';
import { type Compilation, compileBundled, type Unit } from './bundled.ts';
import { Cache, type CompiledFile, hashOf } from './cache.ts';
import type { CompileFlags } from './flags.ts';
import { type Header, ownHeaders } from './headers.ts';
import { sourcesOf } from './includes.ts';
import { compileInstalled } from './installed.ts';
import { bundledCompiler, type Compiler, compilerFor } from './known.ts';

export type { CompileFlags } from './flags.ts';

export interface CompileSettings {
  /** Where compiled files are kept; undefined: nowhere. */
  readonly cacheFolder?: string | undefined;
  /** Where programs are looked for (PATH), for an installed clang; undefined: nowhere. */
  readonly searchPath?: string | undefined;
  /** Called when clang must be run, which may take a second. */
  readonly onCompile?: (() => void) | undefined;
}

export interface IrText {
  /** The C file, as it was given. */
  readonly name: string;
  readonly text: string;
}

export interface Compiled {
  /** In the order of the files. */
  readonly modules: readonly IrText[];
  /** As clang prints them. */
  readonly warnings: string;
  readonly compiler: CompilerName;
  /** If this is not understood: what to compile with instead (`CompileFlags.clang`). */
  readonly otherwise?: string;
}

/** Throws an InputError with clang's own words if a file does not compile. */
export async function compileC(
  files: readonly string[],
  flags: CompileFlags,
  settings: CompileSettings = {},
): Promise<Compiled> {
  const headers = ownHeaders();
  const units = files.map((file) => unitOf(file, flags));
  const compiler = compilerFor(flags, settings);
  if (compiler.isReplaceable) {
    const compiled = await compileUnits(units, compiler, flags, headers, settings);
    // what it does not compile is for the bundled one to judge, and to word
    if (compiled.problems.length === 0) return compiledBy(compiler, units, compiled);
  }
  const other = compiler.isReplaceable ? bundledCompiler : compiler;
  const compiled = await compileUnits(units, other, flags, headers, settings);
  const [first] = compiled.problems;
  if (first !== undefined) throw new InputError(compiled.problems.join('\n'), placeIn(first, flags), 'in the message');
  return compiledBy(other, units, compiled);
}

interface CompiledUnits {
  /** In the order of the units; all are there if there are no problems. */
  readonly files: readonly (CompiledFile | undefined)[];
  readonly problems: readonly string[];
}

function compiledBy({ name, kind, isReplaceable }: Compiler, units: readonly Unit[], done: CompiledUnits): Compiled {
  const files = done.files as readonly CompiledFile[];
  return {
    modules: files.map(({ text }, i) => ({ name: (units[i] as Unit).file, text })),
    warnings: files.map(({ messages }) => messages).join(''),
    compiler: { name, kind },
    ...(isReplaceable ? { otherwise: 'bundled' } : {}),
  };
}

async function compileUnits(
  units: readonly Unit[],
  compiler: Compiler,
  flags: CompileFlags,
  headers: readonly Header[],
  settings: CompileSettings,
): Promise<CompiledUnits> {
  const cache = new Cache(settings.cacheFolder);
  const keys = units.map((unit) => keyOf(unit, flags, headers, compiler.identity));
  const files = keys.map((key) => (key === undefined ? undefined : cache.read(key)));
  const missing = units.filter((_, i) => files[i] === undefined);
  if (missing.length === 0) return { files, problems: [] };
  settings.onCompile?.();
  const compilations = await compile(missing, compiler, flags, headers, settings);
  const problems: string[] = [];
  for (const [i, unit] of missing.entries()) {
    const { code, messages, text } = compilations[i] as Compilation;
    if (code !== 0) {
      problems.push(problemWith(unit.file, messages));
      continue;
    }
    const at = units.indexOf(unit);
    const key = keys[at];
    files[at] = { text, messages };
    if (key !== undefined) cache.write(key, { text, messages });
  }
  return { files, problems };
}

function unitOf(file: string, flags: CompileFlags): Unit {
  const sources = sourcesOf(file, flags);
  const [first] = sources.files;
  if (first?.[1].includes(0) === true) throw new InputError(`${file} is not a text file: it cannot be C.`);
  return { file, sources };
}

/** Undefined: not all that goes into it is known, so it is not kept. */
function keyOf(
  { file, sources }: Unit,
  { clang: _, ...flags }: CompileFlags,
  headers: readonly Header[],
  identity: string | undefined,
): string | undefined {
  if (identity === undefined || sources.hasHidden) return undefined;
  const own = headers.flatMap(({ name, content }) => [name, content]);
  const { files } = sources;
  return hashOf([identity, file, JSON.stringify(flags), String(files.size), ...[...files].flat(), ...own]);
}

async function compile(
  units: readonly Unit[],
  { command, isReplaceable, name }: Compiler,
  flags: CompileFlags,
  headers: readonly Header[],
  { cacheFolder }: CompileSettings,
): Promise<Compilation[]> {
  if (command !== undefined) {
    if (!isReplaceable) return compileInstalled(command, units, flags, cacheFolder);
    try {
      const compilations = await compileInstalled(command, units, flags, cacheFolder);
      // a program by that name may start another one, which was changed since it was asked for its version
      return compilations.map((each) => (each.text.includes(identOf(name)) ? each : { ...each, code: 1 }));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return units.map(() => ({ code: 1, messages: error.message, text: '' }));
    }
  }
  const compilations = await compileBundled(units, flags, headers);
  for (const [i, unit] of units.entries()) {
    const first = compilations[i] as Compilation;
    if (first.code !== 0 && unit.sources.hasHidden) compilations[i] = await again(unit, first, flags, headers);
  }
  return compilations;
}

/** How IR says who made it. */
function identOf(name: string): string {
  return name.replace('clang', 'clang version');
}

/** The name of a file may be put together by macros: then clang says which one it misses. */
async function again(
  unit: Unit,
  first: Compilation,
  flags: CompileFlags,
  headers: readonly Header[],
): Promise<Compilation> {
  const hints: string[] = [];
  let { sources } = unit;
  let compilation = first;
  while (compilation.code !== 0) {
    const name = /fatal error: '([^'\n]+)' file not found/.exec(compilation.messages)?.[1];
    if (name === undefined || hints.includes(name)) break;
    hints.push(name);
    const more = sourcesOf(unit.file, flags, hints);
    if (more.files.size === sources.files.size) break;
    sources = more;
    [compilation = first] = await compileBundled([{ file: unit.file, sources }], flags, headers);
  }
  return compilation;
}

function problemWith(file: string, messages: string): string {
  return `${file} does not compile:\n${messages.trimEnd()}`;
}

/** Where clang has found the first error. */
function placeIn(messages: string, { cwd }: CompileFlags): SourcePosition | undefined {
  const [, file, line, column] = /^(.+?):(\d+):(\d+): (?:fatal )?error: /m.exec(messages) ?? [];
  if (file === undefined) return undefined;
  return { file: resolve(cwd, file), line: Number(line), column: Number(column) };
}
