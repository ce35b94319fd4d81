/** `heddle check FILE` */
import { writeFileSync } from 'node:fs';
import { InputError } from '../program/input-error.ts';
import { exitCodeOf } from './exit.ts';
import { type CheckFlags, searchOptions } from './flags.ts';
import type { JobResult } from './job.ts';
import { runJob } from './run-job.ts';
import { textOptions } from './terminal.ts';

export async function runCheck(file: string, flags: CheckFlags): Promise<number> {
  const isJson = flags.json === true;
  const options = {
    ...searchOptions(flags),
    ...(flags.algorithm === undefined ? {} : { algorithm: flags.algorithm }),
    ...(flags.equivalence === undefined ? {} : { equivalence: flags.equivalence }),
  };
  const text = { ...textOptions(), mentionTrace: true };
  const result = await runJob({ file, options, text, traceFile: flags.trace }, process.stderr.isTTY && !isJson);
  process.stdout.write(isJson ? `${JSON.stringify(result.report, null, 2)}\n` : result.text);
  writeFiles(result, flags, isJson);
  return exitCodeOf(result.report.verdict);
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

function write(file: string, content: string): void {
  try {
    writeFileSync(file, content);
  } catch (error) {
    throw new InputError(`cannot write ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
