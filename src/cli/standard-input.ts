/** A program that comes from standard input (`heddle check -`): it is kept in a file for as long as the command runs. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { frontEnds } from '../front-ends.ts';
import { InputError } from '../program/input-error.ts';

const STANDARD_INPUT = '-';

/** What `run` gives, with a file in the place of each `-`. */
export async function withStandardInput<T>(
  files: readonly string[],
  trace: string | undefined,
  run: (files: readonly string[]) => Promise<T>,
): Promise<T> {
  if (!files.includes(STANDARD_INPUT)) return run(files);
  if (trace !== undefined)
    throw new InputError('a program from standard input cannot be replayed: for --trace, write it to a file.');
  const as = Object.values(frontEnds).find(({ standardInput }) => standardInput !== undefined)?.standardInput;
  if (as === undefined) throw new InputError('no language takes programs from standard input.');
  const folder = mkdtempSync(join(tmpdir(), 'heddle-'));
  try {
    const file = join(folder, as.name);
    writeFileSync(file, as.before + readFileSync(0, 'utf8'));
    return await run(files.map((each) => (each === STANDARD_INPUT ? file : each)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
