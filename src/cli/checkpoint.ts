/**
 * Checkpoints: how far a search is, in a file from which `heddle resume` goes on. A line that says what it is, with a checksum of the
 * rest, and the rest. A new one is written beside the old one and renamed; the one before is kept, in case that this one is damaged.
 */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { z } from 'zod';
import type { CheckOptions } from '../check/options.ts';
import { type SearchState, searchStateSchema } from '../check/saved-state.ts';
import { InputError } from '../program/input-error.ts';
import { version } from '../version.ts';

const FORMAT = 'heddle-checkpoint';

const headSchema = z.object({ format: z.literal(FORMAT), version: z.string(), checksum: z.string() });

const bodySchema = z.strictObject({
  source: z.strictObject({ frontEnd: z.string(), settings: z.unknown() }),
  /** A hash of the program as it was compiled. */
  fingerprint: z.string(),
  options: z.record(z.string(), z.unknown()),
  state: searchStateSchema,
});

export interface Checkpoint {
  /** The settings have paths as seen from the folder of the file. */
  readonly source: { readonly frontEnd: string; readonly settings?: unknown };
  readonly fingerprint: string;
  readonly options: CheckOptions;
  readonly state: SearchState;
}

/** The one before. */
const before = (file: string): string => `${file}.before`;
const unfinished = (file: string): string => `${file}.part`;

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

/** `warn`: told if the file is damaged, and the one before is taken. */
export function readCheckpoint(file: string, warn: (text: string) => void): Checkpoint {
  if (!existsSync(file) && !existsSync(before(file))) throw new InputError(`the checkpoint ${file} does not exist.`);
  const newest = attempt(() => checkpointIn(file));
  if (newest.checkpoint !== undefined) return newest.checkpoint;
  if (!(newest.error instanceof Damaged) || !existsSync(before(file))) throw newest.error;
  const older = attempt(() => checkpointIn(before(file)));
  if (older.checkpoint === undefined) throw newest.error;
  warn(`${newest.error.message} The search goes on from the checkpoint before, ${before(file)}.`);
  return older.checkpoint;
}

/** It was not written to its end, or changed since. */
class Damaged extends InputError {}

function attempt(read: () => Checkpoint): { checkpoint?: Checkpoint; error?: unknown } {
  try {
    return { checkpoint: read() };
  } catch (error) {
    return { error };
  }
}

function checkpointIn(file: string): Checkpoint {
  const text = textOf(file);
  const end = text.indexOf('\n');
  const head = headSchema.safeParse(jsonOf(text.slice(0, Math.max(0, end))));
  if (!head.success) {
    if (text.startsWith(`{"format":"${FORMAT}"`)) throw new Damaged(`the checkpoint ${file} is damaged.`);
    throw new InputError(`${file} is not a checkpoint of Heddle: one is written by heddle check … --checkpoint FILE.`);
  }
  if (head.data.version !== version) {
    throw new InputError(
      `the checkpoint ${file} is of Heddle ${head.data.version}, and this is ${version}: a search goes on only with the same version. ` +
        'Check the program from the beginning, with heddle check.',
    );
  }
  const body = text.slice(end + 1).replace(/\n$/, '');
  const parsed = checksumOf(body) === head.data.checksum ? bodySchema.safeParse(jsonOf(body)) : undefined;
  if (parsed?.success !== true) throw new Damaged(`the checkpoint ${file} is damaged.`);
  return parsed.data as unknown as Checkpoint;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new Damaged(`the checkpoint ${file} does not exist.`);
    throw new InputError(code === 'EISDIR' ? `${file} is a directory.` : `cannot read ${file}: ${message}`);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
