/** `heddle resume CHECKPOINT` */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { resolveOptions } from '../check/options.ts';
import { frontEnds } from '../front-ends.ts';
import { InputError } from '../program/input-error.ts';
import { listOf } from '../program/list-of.ts';
import { partOfTrace } from '../report/read-trace.ts';
import { runToResult } from './check.ts';
import { type Checkpoint, expectPlaceFor } from './checkpoint.ts';
import { limitsOf, type ResumeFlags } from './flags.ts';
import { workersFor } from './peers.ts';
import { readCheckpoint } from './read-checkpoint.ts';
import { type Chosen, entryOf, fingerprintOf, nameOf, sourceOf } from './source.ts';
import { expectWritable } from './written-files.ts';

export async function runResume(given: string, givenFlags: ResumeFlags): Promise<number> {
  const checkpoint = readCheckpoint(given, (text) => process.stderr.write(`heddle: ${text}\n`));
  const { file, flags } = whereItBegan(checkpoint, given, givenFlags);
  const next = flags.checkpoint ?? file;
  const chosen = await chosenIn(checkpoint, file);
  const read = flags.checkpoint === undefined ? chosen.settings.files : [file, ...chosen.settings.files];
  expectWritable([flags.trace, flags.dot, next], read);
  expectPlaceFor(next);
  const { maxExecutions: _executions, timeout: _timeout, ...asBefore } = checkpoint.options;
  const options = { ...asBefore, ...limitsOf(flags) };
  const workers = workersFor(flags.workers, resolveOptions(options, entryOf(chosen).language));
  const source = await sourceOf(chosen, flags.json === true);
  if (fingerprintOf(source) !== checkpoint.fingerprint) {
    throw new InputError(
      `${nameOf(source)} has changed since ${file} was written (or what it includes, its compiler, or the path to it), so that what ` +
        'was explored says nothing of it: check it from the beginning, with heddle check.',
    );
  }
  return runToResult({ source, options, workers, checkpoint: next, before: checkpoint.state }, flags, nameOf(source));
}

/** Goes to the folder where the search began, if it is there; from it, other files are seen by other paths. */
function whereItBegan(
  { source }: Checkpoint,
  file: string,
  flags: ResumeFlags,
): { readonly file: string; readonly flags: ResumeFlags } {
  const folder = resolve(dirname(resolve(file)), source.cwd);
  if (folder === process.cwd() || !existsSync(folder)) return { file, flags };
  const { trace, dot, checkpoint } = flags;
  const absolute = {
    ...flags,
    ...(trace === undefined ? {} : { trace: resolve(trace) }),
    ...(dot === undefined ? {} : { dot: resolve(dot) }),
    ...(checkpoint === undefined ? {} : { checkpoint: resolve(checkpoint) }),
  };
  const from = { file: resolve(file), flags: absolute };
  process.chdir(folder);
  return from;
}

async function chosenIn(
  { source: { frontEnd, settings }, state: { saved } }: Checkpoint,
  file: string,
): Promise<Chosen> {
  const entry = frontEnds[frontEnd];
  if (entry === undefined) {
    throw new InputError(
      `${file} is of a program for ${frontEnd}, and this is known: ${listOf(Object.keys(frontEnds))}.`,
    );
  }
  const { knowledge } = saved;
  const source = { settings, ...(knowledge === undefined ? {} : { knowledge }) };
  const traced = partOfTrace(await entry.traceSchema(), source, ['source'], file);
  return { frontEnd, settings: entry.settingsFromTrace(traced.settings, dirname(resolve(file)), process.cwd()) };
}
