/**
 * Finds the files that compiling a C file may need, by following `#include` textually: the bundled compiler sees no
 * disk, only what it is given. Too many do no harm, and what is not found is left to clang to complain about.
 */
import { readFileSync, statSync } from 'node:fs';
import { basename, isAbsolute, resolve } from 'node:path';
import { InputError } from '../../program/input-error.ts';
import type { CompileFlags } from './flags.ts';

export interface Sources {
  /** Absolute path, without `.` and `..`, → content. The first is the C file itself, if it exists. */
  readonly files: Map<string, Buffer>;
  /** Whether macros make up the name of a file (`#include CONFIG`): then one may be missing. */
  readonly hasHidden: boolean;
}

/** A file with more than this takes clang minutes. */
const GREATEST_SIZE = 2 * 2 ** 20;

/** `file` and all that it may include. `hints`: names that are included in a way that cannot be seen in the text. */
export function sourcesOf(file: string, flags: CompileFlags, hints: readonly string[] = []): Sources {
  const found = new Map<string, Buffer>();
  const hidden = [...(flags.defines ?? []).flatMap(quotedNames), ...hints];
  let hasHidden = false;
  const inCwd = (given: readonly string[] = []): string[] => given.map((folder) => join(flags.cwd, folder));
  const folders = [...inCwd(flags.includeFolders), ...inCwd(flags.lateFolders)];
  const quoteFolders = inCwd(flags.quoteFolders);
  const queue: string[] = [];
  const add = (path: string): boolean => {
    const key = resolve(path);
    if (found.has(key)) return true;
    // read by the path as it was spelt: `..` after a symbolic link leads elsewhere than its text says
    const content = contentOf(path);
    if (content === undefined) return false;
    found.set(key, content);
    queue.push(path);
    return true;
  };
  const addFirst = (name: string, places: readonly string[]): void => {
    places.some((folder) => add(join(folder, name)));
  };
  add(join(flags.cwd, file));
  for (const name of flags.includeFiles ?? []) addFirst(name, [flags.cwd, ...quoteFolders, ...folders]);
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const here = path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')));
    const text = (found.get(resolve(path)) as Buffer).toString('utf8').replaceAll(/\\\r?\n/g, '');
    hasHidden ||= /^[ \t]*#[ \t]*(include|include_next|import|embed)[ \t]+\w/m.test(text);
    for (const { name, isQuoted, isNext } of includesIn(text)) {
      const places = isQuoted ? [here, ...quoteFolders, ...folders] : folders;
      if (isNext) for (const folder of places) add(join(folder, name));
      else addFirst(name, places);
    }
    for (const name of hidden) addFirst(name, [here, ...quoteFolders, ...folders]);
  }
  return { files: found, hasHidden };
}

interface Include {
  readonly name: string;
  readonly isQuoted: boolean;
  /** Further down the list of folders than the file that it stands in. */
  readonly isNext: boolean;
}

function includesIn(text: string): Include[] {
  const pattern =
    /(?:^[ \t]*#[ \t]*(include|include_next|import|embed)|\b__has_(include|include_next|embed)\s*\()\s*(?:"([^"\n]+)"|<([^>\n]+)>)/gm;
  return [...text.matchAll(pattern)].map(([, directive = '', test = '', quoted, angled = '']) => ({
    name: quoted ?? angled,
    isQuoted: quoted !== undefined,
    isNext: (directive || test) === 'include_next',
  }));
}

/** `-DCONFIG='"config.h"'`, for `#include CONFIG`. */
function quotedNames(definition: string): string[] {
  const match = /^[^=]*=(?:"([^"]+)"|<([^>]+)>)$/.exec(definition);
  const name = match?.[1] ?? match?.[2];
  return name === undefined ? [] : [name];
}

/** Not `path.join`, which would take `..` out of the text. */
function join(folder: string, name: string): string {
  return isAbsolute(name) ? name : `${folder}/${name}`;
}

/** Undefined if there is no such file. */
function contentOf(path: string): Buffer | undefined {
  try {
    const { size, isFile } = statOf(path);
    if (!isFile) return undefined;
    if (size > GREATEST_SIZE) {
      throw new InputError(
        `${basename(path)} is too large: ${(size / 2 ** 20).toFixed(1)} MB of C, and at most ${GREATEST_SIZE / 2 ** 20} MB are taken.`,
      );
    }
    return readFileSync(path);
  } catch (error) {
    if (error instanceof InputError) throw error;
    return undefined;
  }
}

function statOf(path: string): { readonly size: number; readonly isFile: boolean } {
  const stat = statSync(path);
  return { size: stat.size, isFile: stat.isFile() };
}
