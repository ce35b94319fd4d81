/** Compiles with the clang that comes with Heddle, in a process of its own (`compiler.mjs`). */
import { fork } from 'node:child_process';
import { basename, isAbsolute, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError } from '../../program/input-error.ts';
import { portableAssembly } from './assembly.ts';
import {
  type CompileFlags,
  lenience,
  libraryMacros,
  otherFlags,
  ourWarnings,
  platform,
  standardOf,
  TARGET,
  userArguments,
} from './flags.ts';
import type { Header } from './headers.ts';
import type { Sources } from './includes.ts';

/** One file to compile. */
export interface Unit {
  /** As the user wrote it. */
  readonly file: string;
  readonly sources: Sources;
}

/** What came of one. */
export interface Compilation {
  /** 0: it worked. */
  readonly code: number;
  readonly messages: string;
  readonly text: string;
}

/** The folder of clang's own disk that is ours; its other folder is `usr`. */
const OURS = '/heddle';

export async function compileBundled(
  units: readonly Unit[],
  flags: CompileFlags,
  headers: readonly Header[],
): Promise<Compilation[]> {
  const include = treeOf(headers);
  const jobs = units.map(({ file, sources }) => ({
    args: argumentsFor(file, flags),
    files: { heddle: { include, ...disk(sources) } },
  }));
  return run(jobs);
}

interface Folder {
  [name: string]: string | Folder;
}

/** Headers by name, those of `sys/…` in a folder of their own. */
function treeOf(headers: readonly Header[]): Folder {
  const tree: Folder = {};
  for (const { name, content } of headers) {
    const parts = name.split('/');
    const last = parts.pop() as string;
    let folder = tree;
    for (const part of parts) {
      folder[part] ??= {};
      folder = folder[part] as Folder;
    }
    folder[last] = content;
  }
  return tree;
}

/**
 * All files by number, and a list that says which path each has. So clang finds, names and reports every file by the
 * path that it has for the user, wherever that is, and nothing of ours is in the way.
 */
function disk({ files: sources }: Sources): { files: Record<string, Uint8Array>; 'overlay.json': string } {
  const files: Record<string, Uint8Array> = {};
  const roots = [...sources].map(([path, content], i) => {
    files[i] = Buffer.from(portableAssembly(content.toString('latin1')), 'latin1');
    return { type: 'file', name: innerPath(path), 'external-contents': `${OURS}/files/${i}` };
  });
  const overlay = { version: 0, 'case-sensitive': true, 'use-external-names': false, roots };
  return { files, 'overlay.json': JSON.stringify(overlay) };
}

/** The compiler proper (`-cc1`), not its driver: that would have to be started first, and asked for these arguments. */
function argumentsFor(file: string, flags: CompileFlags): string[] {
  const cwd = innerPath(flags.cwd);
  return [
    'clang',
    '-cc1',
    ...['-triple', TARGET, '-emit-llvm', '-disable-free'],
    // memory as written, nothing optimised, and nothing marked as not to be optimised
    ...['-O0', '-disable-O0-optnone', '-fno-builtin', '-ffp-contract=off'],
    ...['-target-feature', '+atomics', '-target-feature', '+bulk-memory', '-pthread'],
    // paths in debug information stay as given: from any other folder clang would cut off what they share with it
    ...['-debug-info-kind=constructor', '-dwarf-version=4', '-fdebug-compilation-dir=/'],
    ...['-ferror-limit', '20', '-main-file-name', basename(file)],
    ...['-ivfsoverlay', `${OURS}/overlay.json`, '-working-directory', cwd, '-resource-dir', '/usr'],
    ...['-internal-isystem', `${OURS}/include`],
    ...['-internal-isystem', '/usr/include', '-internal-isystem', '/usr/include/wasm32-wasip1'],
    ...libraryMacros.map((name) => `-D${name}`),
    ...platform,
    ...lenience,
    ...ourWarnings,
    standardOf(flags),
    ...otherFlags(flags, true),
    ...userArguments(flags, innerPath),
    ...['-o', '-', '-x', 'c', innerPath(file)],
  ];
}

/** A path of this computer as clang sees it: that one knows neither drives nor other separators. */
function innerPath(path: string): string {
  const slashed = path.split(sep).join('/');
  return isAbsolute(path) && !slashed.startsWith('/') ? `/${slashed}` : slashed;
}

type Job = { readonly args: string[]; readonly files: object };

function run(jobs: readonly Job[]): Promise<Compilation[]> {
  const child = fork(fileURLToPath(new URL('./compiler.mjs', import.meta.url)), {
    // clang is large and runs once: V8's optimising compiler costs more than it gives back, for 1,500 functions as for one
    // and it is checked as functions are first called, which are a few thousands of 130,000
    execArgv: ['--liftoff-only', '--wasm-lazy-validation'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  return new Promise<Compilation[]>((resolve, reject) => {
    child.on('error', reject);
    child.on('message', (answers: Compilation[]) => {
      resolve(answers);
      child.disconnect();
    });
    child.on('close', (code, signal) => reject(stopped(code, signal, complaint)));
    child.send(jobs);
  });
}

/** Without an answer. */
function stopped(code: number | null, signal: string | null, complaint: string): InputError {
  const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
  const first = complaint.split('\n').find((line) => /error/i.test(line)) ?? complaint.split('\n')[0] ?? '';
  return new InputError(
    `the compiler ${how} before it was done${first === '' ? '' : ` (${first.trim()})`}. It needs about 600 MB of memory; --clang PATH uses an installed clang instead.`,
  );
}
