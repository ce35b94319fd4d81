/** `heddle replay TRACE.json`: in this thread, so that what the program prints stands between the steps. */
import { Console } from 'node:console';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { CheckError } from '../check/result.ts';
import { frontEnds } from '../front-ends.ts';
import { InputError } from '../program/input-error.ts';
import { bareLanguage } from '../program/language.ts';
import { listOf } from '../program/list-of.ts';
import type { Program } from '../program/operation.ts';
import { rowsOf } from '../report/execution.ts';
import { errorOf } from '../report/json.ts';
import { labelContext } from '../report/label.ts';
import { lanesOf } from '../report/lanes.ts';
import { errorOfTrace, partOfTrace, racingIn, readTrace } from '../report/read-trace.ts';
import { replaySteps } from '../report/replay.ts';
import type { ReplayReport, Trace } from '../report/schema.ts';
import { styleOf } from '../report/style.ts';
import { executionTitle, failureReport, hint, isStandstill, scNote, standings } from '../report/text.ts';
import { version } from '../version.ts';
import { Exit } from './exit.ts';
import type { ReplayFlags } from './flags.ts';
import { type Chosen, loadProgram, sourceOf } from './source.ts';
import { textOptions } from './terminal.ts';

export async function runReplay(file: string, flags: ReplayFlags): Promise<number> {
  const isJson = flags.json === true;
  const trace = readTrace(contentOf(file), file);
  const recorded = errorOfTrace(trace);
  if (isJson) globalThis.console = new Console(process.stderr);
  const program = await loadProgram(await sourceOf(await chosenInTrace(trace, file), isJson));
  if (isJson) writeJson(program, trace, recorded, file);
  else await writeText(program, trace, recorded, flags.step === true);
  return Exit.ERROR;
}

async function chosenInTrace({ source: { frontEnd, ...rest } }: Trace, file: string): Promise<Chosen> {
  const entry = frontEnds[frontEnd];
  if (entry === undefined) {
    const known = listOf(Object.keys(frontEnds));
    throw new InputError(`${file} is a trace of a program for ${frontEnd}, and this version of Heddle knows ${known}.`);
  }
  const { settings, knowledge } = partOfTrace(await entry.traceSchema(), rest, ['source'], file);
  return { frontEnd, settings: entry.settingsFromTrace(settings, dirname(resolve(file)), process.cwd()), knowledge };
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new InputError(`the trace file ${file} does not exist.`);
    throw new InputError(code === 'EISDIR' ? `${file} is a directory.` : `cannot read ${file}: ${message}`);
  }
}

function writeJson(program: Program, trace: Trace, recorded: CheckError, file: string): void {
  const steps = replaySteps(program, trace);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  const execution = step.value;
  const error = errorOf({ ...recorded, execution, racing: racingIn(execution, trace) }, process.cwd());
  const report: ReplayReport = { version, program: program.name, trace: file, reproduced: true, error };
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
}

async function writeText(program: Program, trace: Trace, recorded: CheckError, isStepping: boolean): Promise<void> {
  const options = textOptions();
  const { model } = trace.options;
  const { language = bareLanguage } = program;
  const style = styleOf(options.colour);
  const context = labelContext(recorded, { model, language }, String);
  const rows = rowsOf(recorded, context, options.cwd);
  const lanes = lanesOf(trace.threads, rows, style, options.width);
  const print = (line: string): boolean => process.stdout.write(`${line}\n`);
  print(`Replaying ${program.name}. ${executionTitle(recorded)}\n`);
  for (const line of lanes.header) print(line);
  const keys = isStepping ? enterKeys() : undefined;
  const steps = replaySteps(program, trace);
  for (const row of rows.filter((row) => row.steps > 0)) {
    await keys?.next();
    for (let i = 0; i < row.steps; i++) steps.next();
    print(lanes.line(row));
  }
  await keys?.return(undefined);
  steps.next();
  for (const row of rows.filter((row) => row.steps === 0)) print(lanes.line(row));
  print(`\n${style('red', '✘ It fails as recorded.')}\n\n${failureReport(recorded, context, options)}`);
  const note = scNote(recorded, model, options);
  if (note !== '') print(`\n${note}`);
  if (isStandstill(recorded)) print(`\n${standings(recorded, context, options)}`);
  print(`\n${hint(recorded, model, options, language)}`);
}

/** Each `next` waits for a line on standard input; after its end nothing waits any more. */
async function* enterKeys(): AsyncGenerator<undefined, undefined> {
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const _line of lines) yield undefined;
  } finally {
    lines.close();
  }
  return undefined;
}
