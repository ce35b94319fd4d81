/** Compiles with the clang that comes with Heddle, in a process of its own (`compiler.mjs`). */
import { fork } from 'node:child_process';
import { isAbsolute, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError } from '../../program/input-error.ts';
import { argumentsFor } from './arguments.ts';
import { portableAssembly } from './assembly.ts';
import type { CompileFlags } from './flags.ts';
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
export const OWN_HEADERS = `${OURS}/include`;
export const RESOURCES = '/usr';

export async function compileBundled(
  units: readonly Unit[],
  flags: CompileFlags,
  headers: readonly Header[],
): Promise<Compilation[]> {
  const include = treeOf(headers);
  const places = {
    ownHeaders: OWN_HEADERS,
    resources: RESOURCES,
    overlay: `${OURS}/overlay.json`,
    workingFolder: innerPath(flags.cwd),
    path: innerPath,
  };
  const jobs = units.map(({ file, sources }) => ({
    args: ['clang', ...argumentsFor(file, flags, places)],
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

/** A path of this computer as clang sees it: that one knows neither drives nor other separators. */
function innerPath(path: string): string {
  const slashed = path.split(sep).join('/');
  return isAbsolute(path) && !slashed.startsWith('/') ? `/${slashed}` : slashed;
}

type Job = { readonly args: string[]; readonly files: object };

function run(jobs: readonly Job[]): Promise<Compilation[]> {
  const child = fork(fileURLToPath(new URL('./compiler.mjs', import.meta.url)), {
    execArgv: [], // none of the flags that this process may have been given
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
