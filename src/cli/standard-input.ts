/** A program that comes from standard input (`heddle check -`): it is kept in a file for as long as the command runs. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { frontEnds } from '../front-ends.ts';
import { InputError } from '../program/input-error.ts';

/** What stands for it among the files of a command line. */
export const STANDARD_INPUT = '-';

/** What `run` gives, with a file in the place of each `-`. `name`: of the program, for reports; no message has the file's own path. */
export async function withStandardInput<T>(
  files: readonly string[],
  trace: string | undefined,
  run: (files: readonly string[], name: string) => Promise<T>,
): Promise<T> {
  if (!files.includes(STANDARD_INPUT)) return run(files, files.join(' '));
  if (trace !== undefined)
    throw new InputError('a program from standard input cannot be replayed: for --trace, write it to a file.');
  const as = Object.values(frontEnds).find(({ standardInput }) => standardInput !== undefined)?.standardInput;
  if (as === undefined) throw new InputError('no language takes programs from standard input.');
  const folder = mkdtempSync(join(tmpdir(), 'heddle-'));
  const file = join(folder, as.name);
  const inPlace = (other: string): string[] => files.map((each) => (each === STANDARD_INPUT ? other : each));
  try {
    writeFileSync(file, as.before + readFileSync(0, 'utf8'));
    return await run(inPlace(file), inPlace(as.shownAs).join(' '));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(error.message.replaceAll(file, as.shownAs), error.position, error.shown);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
