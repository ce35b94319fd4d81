/** `heddle compare FILE…` */
import { resolveOptions } from '../check/options.ts';
import { type AlgorithmEntry, algorithms } from '../explore/registry.ts';
import { InputError } from '../program/input-error.ts';
import { compareReport, compareText } from '../report/compare.ts';
import type { CheckReport } from '../report/schema.ts';
import { settingsOf } from './c-flags.ts';
import { Exit } from './exit.ts';
import { type CompareFlags, searchOptions } from './flags.ts';
import { runJob } from './run-job.ts';
import { sourceOf } from './source.ts';
import { textOptions } from './terminal.ts';

const DEFAULT_TIMEOUT_S = 60;

export async function runCompare(files: readonly string[], flags: CompareFlags): Promise<number> {
  const isJson = flags.json === true;
  const base = { timeout: DEFAULT_TIMEOUT_S, ...searchOptions(flags) };
  const text = textOptions();
  const chosen = choices(flags);
  const source = await sourceOf(files, settingsOf(files, flags), isJson);
  const runs: CheckReport[] = [];
  for (const choice of chosen) {
    // a worker for each: none profits from what the engine learnt in the run before, or meets what the program left behind
    const request = { source, options: { ...base, ...choice }, text, traceFile: undefined };
    const { report } = await runJob(request, process.stderr.isTTY && !isJson);
    runs.push(report);
    if (report.stoppedBy === 'interrupt') break;
  }
  const report = compareReport(runs);
  process.stdout.write(isJson ? `${JSON.stringify(report, null, 2)}\n` : compareText(report, text));
  if (runs.some(({ verdict }) => verdict === 'error')) return Exit.ERROR;
  return runs.some(({ verdict }) => verdict === 'incomplete') ? Exit.INCOMPLETE : Exit.OK;
}

interface Choice {
  readonly algorithm: string;
  readonly equivalence?: string;
}

function choices({ algorithms: names, model }: CompareFlags): Choice[] {
  const wanted = names === undefined ? allFor(model) : names.split(',').map((name) => name.trim());
  if (wanted.length === 0) throw new InputError(`no algorithm supports the model ${model}.`);
  return wanted.flatMap((name) => {
    const { algorithm } = resolveOptions({ algorithm: name, ...(model === undefined ? {} : { model }) });
    const { equivalences }: AlgorithmEntry = algorithms[algorithm];
    return equivalences.length === 0
      ? [{ algorithm }]
      : equivalences.map((equivalence) => ({ algorithm, equivalence }));
  });
}

function allFor(model = 'sc'): string[] {
  const table: Record<string, AlgorithmEntry> = algorithms;
  return Object.keys(table).filter((name) => table[name]?.models.some((supported) => supported === model));
}
