/** `heddle compare FILE…` */
import type { GivenAlgorithmOptions } from '../check/algorithm-options.ts';
import { resolveOptions } from '../check/options.ts';
import { type AlgorithmEntry, algorithms } from '../explore/registry.ts';
import { models } from '../models/registry.ts';
import { InputError } from '../program/input-error.ts';
import { compareReport, compareText, searchOf } from '../report/compare.ts';
import { compareCsv } from '../report/compare-csv.ts';
import { compareModelsReport, compareModelsText } from '../report/compare-models.ts';
import { comparePlot } from '../report/compare-plot.ts';
import type { CheckReport } from '../report/schema.ts';
import type { TextOptions } from '../report/text.ts';
import { givenAlgorithmOptions, givenFor, variantsOf } from './algorithm-flags.ts';
import { Exit } from './exit.ts';
import { type CompareFlags, searchOptions } from './flags.ts';
import { oneWorker } from './job.ts';
import { runJob } from './run-job.ts';
import { chosenBy, type ProgramSource, sourceOf } from './source.ts';
import { textOptions } from './terminal.ts';
import { expectWritable, write } from './written-files.ts';

const DEFAULT_TIMEOUT_S = 60;

export async function runCompare(files: readonly string[], flags: CompareFlags): Promise<number> {
  const isJson = flags.json === true;
  const text = textOptions();
  const isOfModels = flags.models === true;
  const chosen = isOfModels ? modelChoices(flags) : choices(flags);
  expectWritable([flags.csv, flags.plot], files);
  const source = await sourceOf(chosenBy(files, flags), isJson);
  const runs = await runAll(source, chosen, flags, text);
  const keepGoing = flags.keepGoing === true;
  const report = isOfModels
    ? compareModelsReport(
        runs,
        chosen.map(({ model }) => model),
        keepGoing,
      )
    : compareReport(runs);
  if (isJson) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  else process.stdout.write('bugs' in report ? compareModelsText(report, keepGoing, text) : compareText(report, text));
  if (flags.csv !== undefined) write(flags.csv, compareCsv(runs));
  if (flags.plot !== undefined) {
    const title = isOfModels ? report.program : `${report.program} (model ${runs[0]?.model})`;
    write(flags.plot, comparePlot(title, runs, isOfModels ? ({ model }) => model : searchOf));
  }
  if (runs.some(({ verdict }) => verdict === 'error')) return Exit.ERROR;
  return runs.some(({ verdict }) => verdict === 'incomplete') ? Exit.INCOMPLETE : Exit.OK;
}

/** A worker for each: none profits from what the engine learnt in the run before, or meets what the program left behind. */
async function runAll(
  source: ProgramSource,
  chosen: readonly Choice[],
  flags: CompareFlags,
  text: TextOptions,
): Promise<CheckReport[]> {
  const base = { timeout: DEFAULT_TIMEOUT_S, underSc: false, ...searchOptions(flags) };
  const runs: CheckReport[] = [];
  let refusal: InputError | undefined;
  for (const choice of chosen) {
    const request = {
      source,
      options: { ...base, ...choice },
      text,
      traceFile: undefined,
      workers: oneWorker,
      checkpoint: undefined,
      before: undefined,
    };
    try {
      const { report } = await runJob(request, process.stderr.isTTY && flags.json !== true);
      runs.push(report);
      if (report.stoppedBy === 'interrupt') break;
    } catch (error) {
      // what one algorithm cannot check, others may
      if (!(error instanceof InputError)) throw error;
      if (runs.length > 0) process.stderr.write(`heddle: ${error.message}\n`);
      else if (refusal?.message === error.message) throw error;
      else refusal ??= error;
    }
  }
  if (runs.length === 0 && refusal !== undefined) throw refusal;
  if (refusal !== undefined) process.stderr.write(`heddle: ${refusal.message}\n`);
  return runs;
}

interface Choice extends GivenAlgorithmOptions {
  readonly model: string;
  readonly algorithm: string;
}

/**
 * Every algorithm, with every value of the options that are to be compared; under the model that all of them support, if
 * none is named.
 */
function choices(flags: CompareFlags): Choice[] {
  const { algorithms: names, model = 'sc' } = flags;
  const wanted = names === undefined ? allFor(model) : names.split(',').map((name) => name.trim());
  if (wanted.length === 0) throw new InputError(`no algorithm supports the model ${model}.`);
  const chosen = wanted.map((name) => resolveOptions({ algorithm: name, model }).algorithm);
  const given = givenAlgorithmOptions(flags);
  return chosen.flatMap((algorithm) =>
    variantsOf(algorithm, givenFor(algorithm, given, chosen)).map((options) => ({ model, algorithm, ...options })),
  );
}

function allFor(model: string): string[] {
  const table: Record<string, AlgorithmEntry> = algorithms;
  return Object.keys(table).filter((name) => table[name]?.models.some((supported) => supported === model));
}

function modelChoices(flags: CompareFlags): Choice[] {
  const { model, algorithms: names } = flags;
  if (model !== undefined)
    throw new InputError('--models compares all memory models, and --model names one: leave one of them out.');
  if (names !== undefined)
    throw new InputError('--models compares memory models, and --algorithms algorithms: leave one of them out.');
  const given = givenAlgorithmOptions(flags);
  return Object.keys(models).map((name) => ({ model: name, algorithm: 'trust', ...given }));
}
