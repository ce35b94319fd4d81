/** Reads a checkpoint: whatever is wrong with it is said in one message. */
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { searchStateSchema } from '../check/saved-state-schema.ts';
import { InputError } from '../program/input-error.ts';
import { version } from '../version.ts';
import { before, beginsAsCheckpoint, type Checkpoint, checksumOf, FORMAT } from './checkpoint.ts';

const headSchema = z.object({ format: z.literal(FORMAT), version: z.string(), checksum: z.string() });

const bodySchema = z.strictObject({
  source: z.strictObject({ frontEnd: z.string(), settings: z.unknown(), cwd: z.string() }),
  /** A hash of the program as it was compiled. */
  fingerprint: z.string(),
  options: z.record(z.string(), z.unknown()),
  state: searchStateSchema,
});

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
    if (beginsAsCheckpoint(text)) throw new Damaged(`the checkpoint ${file} is damaged.`);
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
