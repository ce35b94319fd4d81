/**
 * Compiles with a clang of the user's own, and all headers of the bundled one: those of its C library, and those that
 * come with a compiler.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { InputError } from '../../program/input-error.ts';
import { argumentsFor, type Places } from './arguments.ts';
import { portableAssembly } from './assembly.ts';
import { type Compilation, OWN_HEADERS, RESOURCES, type Unit } from './bundled.ts';
import { BUNDLED_VERSION, type CompileFlags } from './flags.ts';
import { headersFolder } from './headers.ts';

export async function compileInstalled(
  clang: string,
  units: readonly Unit[],
  flags: CompileFlags,
  cacheFolder: string | undefined,
): Promise<Compilation[]> {
  const headers = libraryHeaders(cacheFolder);
  const changed = changedFiles(units);
  const ownHeaders = headersFolder.replace(/[\\/]$/, '');
  const places: Places = {
    ownHeaders,
    resources: headers.folder,
    overlay: changed.overlay,
    otherNames: [
      [ownHeaders, OWN_HEADERS],
      [headers.folder, RESOURCES],
    ],
    path: (path) => path,
  };
  try {
    const compilations: Compilation[] = [];
    for (const { file } of units) {
      compilations.push(await run(clang, argumentsFor(file, flags, places), flags.cwd));
    }
    return compilations;
  } finally {
    headers.release();
    changed.release();
  }
}

interface ChangedFiles {
  readonly overlay: string | undefined;
  release(): void;
}

/** Files with assembly for other processors are put in the place of those that the user has. */
function changedFiles(units: readonly Unit[]): ChangedFiles {
  const changed = new Map<string, string>();
  for (const [path, content] of units.flatMap(({ sources }) => [...sources.files])) {
    const text = content.toString('latin1');
    const portable = portableAssembly(text);
    if (portable !== text) changed.set(path, portable);
  }
  if (changed.size === 0) return { overlay: undefined, release: () => {} };
  const folder = mkdtempSync(join(tmpdir(), 'heddle-assembly-'));
  const roots = [...changed].map(([name, text], i) => {
    const file = join(folder, `${i}.c`);
    writeFileSync(file, text, 'latin1');
    return { type: 'file', name, 'external-contents': file };
  });
  const overlay = join(folder, 'overlay.json');
  writeFileSync(overlay, JSON.stringify({ version: 0, 'use-external-names': false, roots }));
  return { overlay, release: () => rmSync(folder, { recursive: true, force: true }) };
}

function run(clang: string, args: readonly string[], cwd: string): Promise<Compilation> {
  // a path that names a folder starts from here, not from a folder of the search path
  const command = /[\\/]/.test(clang) ? resolve(cwd, clang) : clang;
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  let messages = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    messages += part;
  });
  return new Promise((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'ENOENT' ? 'there is no such program' : error.message;
      reject(new InputError(`cannot run ${clang} (--clang): ${why}.`));
    });
    child.on('close', (code, signal) => {
      if (signal !== null) reject(new InputError(`${clang} (--clang) was ended by ${signal}.`));
      else if (code === 0 && text.trim() === '') reject(new InputError(`${clang} (--clang) printed no LLVM IR.`));
      else resolve({ code: code ?? 1, messages, text });
    });
  });
}

interface LibraryHeaders {
  /** With `include` in it. */
  readonly folder: string;
  release(): void;
}

/** They lie in an archive of the bundled compiler; an installed clang needs them as files. */
function libraryHeaders(cacheFolder: string | undefined): LibraryHeaders {
  if (cacheFolder !== undefined) {
    const folder = join(cacheFolder, `resources-${BUNDLED_VERSION}`);
    if (existsSync(folder)) return { folder, release: () => {} };
    try {
      mkdirSync(cacheFolder, { recursive: true });
      const aside = mkdtempSync(`${folder}.`);
      try {
        unpackHeaders(aside);
        renameSync(aside, folder);
      } catch {
        rmSync(aside, { recursive: true, force: true });
      }
    } catch {
      // there is no such folder, and none can be made
    }
    if (existsSync(folder)) return { folder, release: () => {} }; // by us, or by somebody who was faster
  }
  const folder = mkdtempSync(join(tmpdir(), 'heddle-headers-'));
  unpackHeaders(folder);
  return { folder, release: () => rmSync(folder, { recursive: true, force: true }) };
}

const BLOCK = 512;

/** The archive is a tar file: a block that says name, size and type, then the content in whole blocks. */
function unpackHeaders(folder: string): void {
  const bundle = createRequire(import.meta.url).resolve('@yowasp/clang');
  const archive = readFileSync(join(dirname(bundle), 'llvm-resources.tar'));
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0; ) {
    const field = (from: number, length: number): string =>
      archive.toString('utf8', at + from, at + from + length).split('\0')[0] as string;
    const [name, size, type, prefix] = [
      field(0, 100),
      Number.parseInt(field(124, 12), 8),
      field(156, 1),
      field(345, 155),
    ];
    const path = prefix === '' ? name : `${prefix}/${name}`;
    if ((type === '0' || type === '') && path.startsWith('include/') && !path.startsWith('include/c++/')) {
      const target = join(folder, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, archive.subarray(at + BLOCK, at + BLOCK + size));
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
}
