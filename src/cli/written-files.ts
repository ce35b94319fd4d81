/** Files that a command writes because it was asked to. */
import { accessSync, constants, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { InputError } from '../program/input-error.ts';

/** Says so before a long search if its results cannot be written, or would overwrite each other or one of the files that are read. */
export function expectWritable(places: readonly (string | undefined)[], read: readonly string[]): void {
  const taken = new Map(read.map((file) => [resolve(file), 'it is what is to be checked']));
  for (const file of places) {
    if (file === undefined) continue;
    const why = taken.get(resolve(file)) ?? whyNotWritable(file);
    if (why !== undefined) throw new InputError(`cannot write ${file === '' ? 'a file without a name' : file}: ${why}`);
    taken.set(resolve(file), 'it is to hold another result');
  }
}

function whyNotWritable(file: string): string | undefined {
  if (file === '') return 'give one';
  try {
    const existing = statSync(file, { throwIfNoEntry: false });
    if (existing?.isDirectory() === true) return 'it is a directory';
    accessSync(existing === undefined ? dirname(resolve(file)) : file, constants.W_OK);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export function write(file: string, content: string): void {
  try {
    writeFileSync(file, content);
  } catch (error) {
    throw new InputError(`cannot write ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
