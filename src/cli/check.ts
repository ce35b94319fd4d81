/** `heddle check FILE…` */
import { type ResolvedOptions, resolveOptions } from '../check/options.ts';
import type { Language } from '../program/language.ts';
import { givenAlgorithmOptions } from './algorithm-flags.ts';
import { Exit, exitCodeOf } from './exit.ts';
import { type CheckFlags, searchOptions } from './flags.ts';
import type { JobResult } from './job.ts';
import { runJob } from './run-job.ts';
import { chosenBy, entryOf, sourceOf } from './source.ts';
import { textOptions } from './terminal.ts';
import { expectWritable, write } from './written-files.ts';

/** `name`: how reports call the program. */
export async function runCheck(files: readonly string[], flags: CheckFlags, name: string): Promise<number> {
  const isJson = flags.json === true;
  const chosen = chosenBy(files, flags);
  expectWritable([flags.trace, flags.dot], files);
  const options = {
    ...searchOptions(flags),
    ...(flags.algorithm === undefined ? {} : { algorithm: flags.algorithm }),
    ...givenAlgorithmOptions(flags),
  };
  const { language } = entryOf(chosen);
  const resolved = resolveOptions(options, language); // refused before anything is compiled
  if (flags.model === undefined) mentionModel(resolved, language);
  mentionEndlessBounds(resolved);
  const source = await sourceOf(chosen, isJson);
  const printed = await entryOf(source).printed?.(source.settings, source.compiled, flags);
  if (printed !== undefined) {
    process.stdout.write(printed);
    return Exit.OK;
  }
  const text = { ...textOptions(), mentionTrace: true };
  const tell = (line: string): void => {
    if (!isJson) process.stdout.write(`${line}\n`);
  };
  const request = { source, options, text, traceFile: flags.trace };
  const showProgress = process.stderr.isTTY && !isJson;
  const result =
    flags.cluster === undefined
      ? await runJob(request, showProgress, tell)
      : await (await import('./cluster/client.ts')).checkOnCluster(request, resolved, flags.cluster, showProgress);
  process.stdout.write(isJson ? `${JSON.stringify({ ...result.report, program: name }, null, 2)}\n` : result.text);
  writeFiles(result, flags, isJson);
  return exitCodeOf(result.report.verdict);
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

export function writeFiles(
  result: JobResult,
  { trace, dot }: Pick<CheckFlags, 'trace' | 'dot'>,
  isJson: boolean,
): void {
  for (const [file, content] of [
    [trace, result.trace],
    [dot, result.dot],
  ] as const) {
    if (file === undefined) continue;
    if (content !== undefined) write(file, content);
    else if (!isJson) process.stdout.write(`There is no failing execution, so ${file} was not written.\n`);
  }
}
