/**
 * Checkpoints: how far a search is, in a file from which `heddle resume` goes on. A line that says what it is, with a checksum of the
 * rest, and the rest. A new one is written beside the old one and renamed; the one before is kept, in case that this one is damaged. How they are
 * read: `read-checkpoint.ts`.
 */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import type { CheckOptions } from '../check/options.ts';
import type { SearchState } from '../check/saved-state.ts';
import { InputError } from '../program/input-error.ts';
import { version } from '../version.ts';

export const FORMAT = 'heddle-checkpoint';
const START = `{"format":"${FORMAT}"`;

export interface Checkpoint {
  /** The settings have paths as seen from the folder of the file. */
  readonly source: {
    readonly frontEnd: string;
    readonly settings?: unknown;
    /** The folder in which the search began: what was compiled has paths in it, as they are seen from there. */
    readonly cwd: string;
  };
  readonly fingerprint: string;
  readonly options: CheckOptions;
  readonly state: SearchState;
}

/** The one before. */
export const before = (file: string): string => `${file}.before`;
const unfinished = (file: string): string => `${file}.part`;

/** Whether a text begins as a checkpoint does, however little there is of it. */
export function beginsAsCheckpoint(text: string): boolean {
  return START.startsWith(text.slice(0, START.length));
}

/** Refuses a place where something else is: it would be replaced now and removed at the end. */
export function expectPlaceFor(file: string): void {
  for (const each of [file, before(file), unfinished(file)]) {
    const found = statSync(each, { throwIfNoEntry: false });
    if (found === undefined || (found.isFile() && beginsAsCheckpoint(firstOf(each)))) continue;
    throw new InputError(`cannot write the checkpoint ${file}: ${each} is there, and is not a checkpoint of Heddle.`);
  }
}

function firstOf(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(START.length);
    return bytes.toString('latin1', 0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}

/** Throws what the file system says. */
export function writeCheckpoint(file: string, checkpoint: Checkpoint): void {
  const body = JSON.stringify(checkpoint);
  const head = JSON.stringify({ format: FORMAT, version, checksum: checksumOf(body) });
  const part = unfinished(file);
  try {
    const descriptor = openSync(part, 'w');
    try {
      writeAll(descriptor, Buffer.from(`${head}\n${body}\n`));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (existsSync(file)) renameSync(file, before(file));
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}

/** The search is over. */
export function removeCheckpoint(file: string): void {
  for (const each of [file, before(file), unfinished(file)]) rmSync(each, { force: true });
}

export function hasCheckpoint(file: string): boolean {
  return existsSync(file);
}

export function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
