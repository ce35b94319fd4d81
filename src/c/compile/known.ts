/**
 * Which clang compiles: an installed one takes a twentieth of the time of the bundled one, which has to be loaded first.
 *
 * By default only a version is taken whose IR was compared with the bundled one's: counts and verdicts must not depend on
 * who compiled. Others may do as well, and can be asked for by their path.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { CompilerName } from '../../program/operation.ts';
import { BUNDLED_VERSION, type CompileFlags } from './flags.ts';

/**
 * Majors, the one to prefer first; `tests/conformance/versions.test.ts` compares those that are there. Others that were
 * tried: 16 has integers where pointers are loaded atomically, 15 other strings for `__FILE__`, 14 pointers with types.
 */
export const knownVersions: readonly number[] = [22, 19];

export interface Compiler extends CompilerName {
  /** For an installed one: the program. */
  readonly command?: string;
  /** What tells one compiler, and one state of it, from another; undefined if that is not known. */
  readonly identity: string | undefined;
  /** Nobody asked for this one: if it fails, the bundled one takes its place. */
  readonly isReplaceable: boolean;
}

export const bundledCompiler: Compiler = {
  name: `clang ${BUNDLED_VERSION}`,
  kind: 'bundled',
  identity: `bundled ${BUNDLED_VERSION}`,
  isReplaceable: false,
};

/** Where programs are looked for (PATH), and where the versions of those that were found are remembered. */
export interface Surroundings {
  readonly searchPath?: string | undefined;
  readonly cacheFolder?: string | undefined;
}

export function compilerFor({ clang = 'auto', cwd }: CompileFlags, surroundings: Surroundings): Compiler {
  if (clang === 'bundled') return bundledCompiler;
  if (clang === 'auto') return knownInstalled(surroundings) ?? bundledCompiler;
  const isPath = /[\\/]/.test(clang);
  const [file] = isPath ? [resolve(cwd, clang)] : filesNamed(clang, surroundings);
  const identity = file === undefined ? undefined : identityOf(file);
  const version = identity === undefined ? undefined : versionOf(file as string, identity, surroundings);
  return {
    name: version === undefined ? clang : `clang ${version}`,
    kind: 'installed',
    command: isPath ? clang : (file ?? clang),
    identity,
    isReplaceable: false,
  };
}

function knownInstalled(surroundings: Surroundings): Compiler | undefined {
  for (const name of ['clang', ...knownVersions.map((major) => `clang-${major}`)]) {
    const [file] = filesNamed(name, surroundings);
    const identity = file === undefined ? undefined : identityOf(file);
    if (file === undefined || identity === undefined) continue;
    const version = versionOf(file, identity, surroundings);
    if (version === undefined || !knownVersions.includes(Number.parseInt(version, 10))) continue;
    return { name: `clang ${version}`, kind: 'installed', command: file, identity, isReplaceable: true };
  }
  return undefined;
}

/** In the folders of the search path, in their order. */
function filesNamed(name: string, { searchPath = '' }: Surroundings): string[] {
  const folders = searchPath.split(delimiter).filter((folder) => folder !== '');
  const names = delimiter === ';' ? [name, `${name}.exe`] : [name]; // on Windows
  return folders.flatMap((folder) => names.map((each) => resolve(folder, each))).filter((file) => identityOf(file));
}

function identityOf(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() === true ? `${file} ${stat.size} ${stat.mtimeMs}` : undefined;
}

/** `16.0.6`; undefined if it does not say, or is another vendor's with versions of their own. */
function versionOf(file: string, identity: string, { cacheFolder }: Surroundings): string | undefined {
  const remembered = rememberedVersions(cacheFolder);
  const known = remembered[identity];
  if (known !== undefined) return known === '' ? undefined : known;
  const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 10_000 });
  const version = /^(?!.*\bApple\b).*\bclang version (\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1];
  remember({ ...remembered, [identity]: version ?? '' }, cacheFolder);
  return version;
}

/** By identity; empty: none is known. */
type Versions = Readonly<Record<string, string>>;

const FILE = 'clang-versions.json';

function rememberedVersions(cacheFolder: string | undefined): Versions {
  if (cacheFolder === undefined) return {};
  try {
    const content: unknown = JSON.parse(readFileSync(join(cacheFolder, FILE), 'utf8'));
    if (typeof content !== 'object' || content === null) return {};
    return Object.fromEntries(Object.entries(content).filter(([, version]) => typeof version === 'string'));
  } catch {
    return {};
  }
}

/** As the cache of compiled files: it may be lost or read-only, and then clang is asked again. */
function remember(versions: Versions, cacheFolder: string | undefined): void {
  if (cacheFolder === undefined) return;
  const aside = join(cacheFolder, `${randomUUID()}.tmp`);
  try {
    mkdirSync(cacheFolder, { recursive: true });
    writeFileSync(aside, JSON.stringify(Object.fromEntries(Object.entries(versions).slice(-20))));
    renameSync(aside, join(cacheFolder, FILE));
  } catch {
    // asked again next time
  }
}
