/** C files → LLVM IR. What was compiled before, and has not changed, comes from the cache. */
import { resolve } from 'node:path';
import { InputError } from '../../program/input-error.ts';
import type { SourcePosition } from '../../program/operation.ts';
import { type Compilation, compileBundled, type Unit } from './bundled.ts';
import { Cache, type CompiledFile, hashOf } from './cache.ts';
import { BUNDLED_VERSION, type CompileFlags } from './flags.ts';
import { type Header, ownHeaders } from './headers.ts';
import { sourcesOf } from './includes.ts';
import { compileInstalled, identityOf } from './installed.ts';

export type { CompileFlags } from './flags.ts';

export interface CompileSettings {
  /** Where compiled files are kept; undefined: nowhere. */
  readonly cacheFolder?: string | undefined;
  /** Where programs are looked for (PATH), for an installed clang. */
  readonly searchPath?: string | undefined;
  /** Called when clang must be run, which takes a second. */
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
}

/** Throws an InputError with clang's own words if a file does not compile. */
export async function compileC(
  files: readonly string[],
  flags: CompileFlags,
  settings: CompileSettings = {},
): Promise<Compiled> {
  const headers = ownHeaders();
  const cache = new Cache(settings.cacheFolder);
  const identity = identityOfCompiler(flags, settings);
  const units = files.map((file) => unitOf(file, flags));
  const keys = units.map((unit) => keyOf(unit, flags, headers, identity));
  const compiled = keys.map((key) => (key === undefined ? undefined : cache.read(key)));
  const missing = units.filter((_, i) => compiled[i] === undefined);
  if (missing.length > 0) settings.onCompile?.();
  const compilations = missing.length === 0 ? [] : await compile(missing, flags, headers, settings);
  const problems: string[] = [];
  for (const [i, unit] of missing.entries()) {
    const { code, messages, text } = compilations[i] as Compilation;
    if (code !== 0) {
      problems.push(problemWith(unit.file, messages));
      continue;
    }
    const at = units.indexOf(unit);
    const key = keys[at];
    compiled[at] = { text, messages };
    if (key !== undefined) cache.write(key, { text, messages });
  }
  if (problems.length > 0)
    throw new InputError(problems.join('\n'), placeIn(problems[0] as string, flags), 'in the message');
  const done = compiled as readonly CompiledFile[];
  return {
    modules: done.map(({ text }, i) => ({ name: files[i] as string, text })),
    warnings: done.map(({ messages }) => messages).join(''),
  };
}

function unitOf(file: string, flags: CompileFlags): Unit {
  const sources = sourcesOf(file, flags);
  const [first] = sources.files;
  if (first?.[1].includes(0) === true) throw new InputError(`${file} is not a text file: it cannot be C.`);
  return { file, sources };
}

/** Undefined: it is not known. */
function identityOfCompiler({ clang, ...flags }: CompileFlags, { searchPath }: CompileSettings): string | undefined {
  return clang === undefined ? `bundled ${BUNDLED_VERSION}` : identityOf(clang, flags, searchPath ?? '');
}

/** Undefined: not all that goes into it is known, so it is not kept. */
function keyOf(
  { file, sources }: Unit,
  flags: CompileFlags,
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
  flags: CompileFlags,
  headers: readonly Header[],
  { cacheFolder }: CompileSettings,
): Promise<Compilation[]> {
  if (flags.clang !== undefined) {
    return compileInstalled(flags.clang, units, flags, cacheFolder);
  }
  const compilations = await compileBundled(units, flags, headers);
  for (const [i, unit] of units.entries()) {
    const first = compilations[i] as Compilation;
    if (first.code !== 0 && unit.sources.hasHidden) compilations[i] = await again(unit, first, flags, headers);
  }
  return compilations;
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
