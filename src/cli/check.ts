/** `heddle check FILE…` */
import { accessSync, constants, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { defaultModels, type ResolvedOptions, resolveOptions } from '../check/options.ts';
import { InputError } from '../program/input-error.ts';
import { givenAlgorithmOptions } from './algorithm-flags.ts';
import { settingsOf } from './c-flags.ts';
import { Exit, exitCodeOf } from './exit.ts';
import { type CheckFlags, searchOptions } from './flags.ts';
import type { CSource, JobResult } from './job.ts';
import { runJob } from './run-job.ts';
import { sourceOf } from './source.ts';
import { textOptions } from './terminal.ts';

export async function runCheck(files: readonly string[], flags: CheckFlags): Promise<number> {
  const isJson = flags.json === true;
  const settings = settingsOf(files, flags);
  for (const place of [flags.trace, flags.dot]) if (place !== undefined) expectWritable(place);
  const options = {
    ...searchOptions(flags),
    ...(flags.algorithm === undefined ? {} : { algorithm: flags.algorithm }),
    ...givenAlgorithmOptions(flags),
  };
  const language = settings === undefined ? 'typescript' : 'c';
  const resolved = resolveOptions(options, language); // refused before anything is compiled
  if (flags.model === undefined) mentionModel(resolved, language);
  const source = await sourceOf(files, settings, isJson);
  if (source.language === 'c' && flags.emitIr !== undefined) return emitIr(source, flags.emitIr);
  const text = { ...textOptions(), mentionTrace: true };
  const result = await runJob({ source, options, text, traceFile: flags.trace }, process.stderr.isTTY && !isJson);
  process.stdout.write(isJson ? `${JSON.stringify(result.report, null, 2)}\n` : result.text);
  writeFiles(result, flags, isJson);
  return exitCodeOf(result.report.verdict);
}

/** If the algorithm does not support the model that the language has by default. */
function mentionModel({ model, algorithm }: ResolvedOptions, language: keyof typeof defaultModels): void {
  const usual = defaultModels[language];
  if (model === usual) return;
  process.stderr.write(
    `heddle: ${algorithm} does not support the memory model ${usual}; the check is under ${model}.\n`,
  );
}

async function emitIr(source: CSource, when: string): Promise<number> {
  if (when !== 'before' && when !== 'after')
    throw new InputError(`--emit-ir prints the program before or after our passes, not ${JSON.stringify(when)}.`);
  const { irOf } = await import('./load-c.ts');
  process.stdout.write(irOf(source, when));
  return Exit.OK;
}

function writeFiles(result: JobResult, { trace, dot }: CheckFlags, isJson: boolean): void {
  for (const [file, content] of [
    [trace, result.trace],
    [dot, result.dot],
  ] as const) {
    if (file === undefined) continue;
    if (content !== undefined) write(file, content);
    else if (!isJson) process.stdout.write(`There is no failing execution, so ${file} was not written.\n`);
  }
}

/** Says so before a long search if its result cannot be written. */
function expectWritable(file: string): void {
  try {
    accessSync(dirname(resolve(file)), constants.W_OK);
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new Error('it is a directory');
  } catch (error) {
    throw new InputError(`cannot write ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function write(file: string, content: string): void {
  try {
    writeFileSync(file, content);
  } catch (error) {
    throw new InputError(`cannot write ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
