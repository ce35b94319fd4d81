/** Files that a command writes because it was asked to. */
import { accessSync, constants, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { InputError } from '../program/input-error.ts';

/** Says so before a long search if its result cannot be written. */
export function expectWritable(file: string): void {
  try {
    accessSync(dirname(resolve(file)), constants.W_OK);
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new Error('it is a directory');
  } catch (error) {
    throw new InputError(`cannot write ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export function write(file: string, content: string): void {
  try {
    writeFileSync(file, content);
  } catch (error) {
    throw new InputError(`cannot write ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
