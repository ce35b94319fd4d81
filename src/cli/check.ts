/** `heddle check FILE…` */
import { dirname, resolve } from 'node:path';
import { expectDivisible } from '../check/divisible.ts';
import { type ResolvedOptions, resolveOptions } from '../check/options.ts';
import { InputError } from '../program/input-error.ts';
import type { Language } from '../program/language.ts';
import { givenAlgorithmOptions } from './algorithm-flags.ts';
import { expectPlaceFor, hasCheckpoint, removeCheckpoint } from './checkpoint.ts';
import { Exit, exitCodeOf } from './exit.ts';
import { type CheckFlags, type ResultFlags, searchOptions } from './flags.ts';
import { hostOf } from './host.ts';
import type { JobRequest, JobResult } from './job.ts';
import { workersFor } from './peers.ts';
import { runJob } from './run-job.ts';
import { type Chosen, chosenBy, entryOf, sourceOf } from './source.ts';
import { textOptions } from './terminal.ts';
import { expectWritable, write } from './written-files.ts';

/** `name`: how reports call the program. */
export async function runCheck(files: readonly string[], flags: CheckFlags, name: string): Promise<number> {
  const isJson = flags.json === true;
  const chosen = asResumed(chosenBy(files, flags), flags.checkpoint);
  expectWritable([flags.trace, flags.dot, flags.checkpoint], files);
  const options = {
    ...searchOptions(flags),
    ...(flags.algorithm === undefined ? {} : { algorithm: flags.algorithm }),
    ...givenAlgorithmOptions(flags),
  };
  const { language } = entryOf(chosen);
  const resolved = resolveOptions(options, language); // refused before anything is compiled
  const workers = workersFor(flags.workers, resolved);
  expectCheckpoint(flags.checkpoint, resolved, name !== files.join(' '));
  if (flags.cluster !== undefined) await expectCluster(flags, resolved);
  if (flags.model === undefined) mentionModel(resolved, language);
  mentionEndlessBounds(resolved);
  const source = await sourceOf(chosen, isJson);
  const printed = await entryOf(source).printed?.(source.settings, source.compiled, flags, hostOf(isJson));
  if (printed !== undefined) {
    process.stdout.write(printed);
    return Exit.OK;
  }
  return runToResult({ source, options, workers, checkpoint: flags.checkpoint, before: undefined }, flags, name);
}

/** Runs it, and writes the result; gives the exit code. */
export async function runToResult(
  job: Omit<JobRequest, 'text' | 'traceFile'>,
  flags: ResultFlags & Pick<CheckFlags, 'cluster'>,
  name: string,
): Promise<number> {
  const isJson = flags.json === true;
  const text = { ...textOptions(), mentionTrace: true };
  const tell = (line: string): void => {
    if (!isJson) process.stdout.write(`${line}\n`);
  };
  const request = { ...job, text, traceFile: flags.trace };
  const showProgress = process.stderr.isTTY && !isJson;
  const result =
    flags.cluster === undefined
      ? await runJob(request, showProgress, tell)
      : await (await import('./cluster/client.ts')).checkOnCluster(request, flags.cluster, showProgress);
  process.stdout.write(isJson ? `${JSON.stringify({ ...result.report, program: name }, null, 2)}\n` : result.text);
  writeFiles(result, flags, isJson);
  if (job.checkpoint !== undefined) mentionCheckpoint(job.checkpoint, result, isJson);
  return exitCodeOf(result.report.verdict);
}

/** A search that is over needs none. */
function mentionCheckpoint(file: string, { report }: JobResult, isJson: boolean): void {
  const isStopped = report.stoppedBy !== undefined;
  if (!isStopped) removeCheckpoint(file);
  else if (hasCheckpoint(file)) {
    const text = `To go on from where the search was stopped: heddle resume ${file}\n`;
    (isJson ? process.stderr : process.stdout).write(isJson ? text : `\n${text}`);
  }
}

async function expectCluster({ workers, checkpoint }: CheckFlags, resolved: ResolvedOptions): Promise<void> {
  if (workers !== undefined)
    throw new InputError(
      'with --cluster, heddle worker --threads N says how many threads explore: leave out --workers.',
    );
  if (checkpoint !== undefined)
    throw new InputError('with --cluster, the state of the search is on the server: leave out --checkpoint.');
  (await import('./cluster/client.ts')).expectShareable(resolved);
}

/** With paths as `heddle resume` will see them, since they are part of what is compiled. */
function asResumed(chosen: Chosen, checkpoint: string | undefined): Chosen {
  if (checkpoint === undefined) return chosen;
  const folder = dirname(resolve(checkpoint));
  const entry = entryOf(chosen);
  const settings = entry.settingsForTrace(chosen.settings, folder);
  return { ...chosen, settings: entry.settingsFromTrace(settings, folder, process.cwd()) };
}

/** `isUnnamed`: whether the program is one from standard input. */
function expectCheckpoint(file: string | undefined, { algorithm }: ResolvedOptions, isUnnamed: boolean): void {
  if (file === undefined) return;
  expectDivisible(algorithm, '--checkpoint');
  if (isUnnamed) {
    throw new InputError(
      '--checkpoint needs a program in a file: what comes from standard input cannot be read again.',
    );
  }
  expectPlaceFor(file);
}

/** If the algorithm does not support the model that the language has by default. */
function mentionModel({ model, algorithm }: ResolvedOptions, { model: usual }: Language): void {
  if (model === usual) return;
  process.stderr.write(
    `heddle: ${algorithm} does not support the memory model ${usual}; the check is under ${model}.\n`,
  );
}

/** Each larger fair bound lets a loop that yields go round once more. */
function mentionEndlessBounds({ algorithmOptions, timeoutMs }: ResolvedOptions): void {
  const { iterate = false, boundType, bound } = algorithmOptions;
  if (!iterate || boundType !== 'fair' || bound !== undefined || timeoutMs < Number.POSITIVE_INFINITY) return;
  process.stderr.write(
    'heddle: in a program that yields in a loop, fair bounds rise for ever unless there is an error: --bound K or --timeout SECONDS ends the search.\n',
  );
}

export function writeFiles(result: JobResult, { trace, dot }: ResultFlags, isJson: boolean): void {
  for (const [file, content] of [
    [trace, result.trace],
    [dot, result.dot],
  ] as const) {
    if (file === undefined) continue;
    if (content !== undefined) write(file, content);
    else if (!isJson) process.stdout.write(`There is no failing execution, so ${file} was not written.\n`);
  }
}
