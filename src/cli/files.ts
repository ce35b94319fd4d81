/** Says in one message what is wrong with a file that is to be checked. */
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import { nearest } from '../check/nearest.ts';
import { frontEnds } from '../front-ends.ts';
import { InputError } from '../program/input-error.ts';

const extensions = Object.values(frontEnds).flatMap((frontEnd) => frontEnd.extensions);

/** `path`: the absolute path of `file`. */
export function expectFile(file: string, path: string): void {
  let isDirectory: boolean;
  try {
    isDirectory = statSync(path).isDirectory();
  } catch (error) {
    throw cannotRead(file, path, error);
  }
  if (isDirectory) throw new InputError(`${file} is a directory; name one file in it.`);
  if (!extensions.includes(extname(path).toLowerCase())) {
    throw new InputError(`${file} is not a file that Heddle can check: it must end in ${extensions.join(', ')}.`);
  }
}

function cannotRead(file: string, path: string, error: unknown): InputError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return new InputError(`cannot read ${file}: ${message}`);
  const near = nearest(basename(path), filesBeside(path));
  const hint = near === undefined ? '' : ` There is ${near} beside it; did you mean that?`;
  return new InputError(`the file ${file} does not exist.${hint}`);
}

function filesBeside(path: string): string[] {
  try {
    return readdirSync(dirname(path)).filter((name) => extensions.includes(extname(name)));
  } catch {
    return [];
  }
}
