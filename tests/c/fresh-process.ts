/** Runs traces of C programs again in a process that knows nothing but the programs and the traces. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CProgramOptions } from '../../src/c/program.ts';
import type { CheckResult } from '../../src/check/result.ts';
import type { Program } from '../../src/program/operation.ts';
import { traceOf, traceText } from '../../src/report/trace.ts';
import { ensureBuilt } from '../cli/heddle.ts';

export interface Replayed {
  readonly name: string;
  /** The modules of the program, in LLVM IR. */
  readonly modules: readonly { readonly text: string; readonly file: string }[];
  readonly options: Omit<CProgramOptions, 'name'>;
  /** As `--trace` writes it. */
  readonly trace: string;
}

/** What has to travel for the first error of a result to be run again. */
export function replayable(
  name: string,
  program: Program,
  result: CheckResult,
  modules: Replayed['modules'],
  options: Replayed['options'] = {},
): Replayed {
  const [error] = result.errors;
  if (error === undefined) throw new Error(`${name} has no error`);
  const knowledge = program.knowledge?.();
  const source = { frontEnd: 'c', settings: {}, ...(knowledge === undefined ? {} : { knowledge }) };
  return { name, modules, options, trace: traceText(traceOf(result, error, source, '/anywhere/trace.json')) };
}

/** By trace that does not fail as recorded: why. One process runs them all, each with a program of its own. */
export async function replayInFreshProcess(traces: readonly Replayed[]): Promise<Record<string, string>> {
  await ensureBuilt();
  const script = fileURLToPath(new URL('./fresh-process.mjs', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stdin.end(JSON.stringify(traces));
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`the process that replays ended with ${code}`);
  return JSON.parse(output) as Record<string, string>;
}
