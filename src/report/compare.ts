/** Several runs of one program side by side. */
import { isOfSearch } from '../check/bounds.ts';
import { executionsOf } from '../explore/explorer.ts';
import type { CheckReport, CompareReport } from './schema.ts';
import { styleOf } from './style.ts';
import { tableOf } from './table.ts';
import type { TextOptions } from './text.ts';
import { showCount, showTime } from './words.ts';

/** `runs`: at least one. */
export function compareReport(runs: readonly CheckReport[]): CompareReport {
  const [first] = runs as readonly [CheckReport];
  return { version: first.version, program: first.program, agree: doAgree(runs), runs: [...runs] };
}

/**
 * A run that was cut short, by a limit or by a bound that others do not have, says nothing, unless it found an error; so does one whose
 * algorithm may miss all the errors that others found.
 */
function doAgree(runs: readonly CheckReport[]): boolean {
  const kinds = new Set(runs.flatMap(({ errors }) => errors.map(({ kind }) => kind)));
  const telling = runs.filter((run) => !isCut(run) && !mayMissAll(run, kinds));
  return new Set(telling.map(({ verdict }) => verdict === 'error')).size <= 1;
}

function mayMissAll({ verdict, mayMiss = [] }: CheckReport, kinds: ReadonlySet<string>): boolean {
  return verdict !== 'error' && kinds.size > 0 && [...kinds].every((kind) => mayMiss.includes(kind));
}

function isCut({ verdict, bounds = [] }: CheckReport): boolean {
  return verdict === 'incomplete' || (verdict === 'bounded' && bounds.some(isOfSearch));
}

export function compareText(report: CompareReport, { colour }: Pick<TextOptions, 'colour'>): string {
  const compared = comparedOptions(report.runs);
  const words = ['algorithm', ...compared, 'verdict'];
  const numbers = ['complete', 'blocked', 'redundant', 'time', 'executions/s'];
  const table = tableOf(
    [...words, ...numbers],
    [...words.map(() => false), ...numbers.map(() => true)],
    report.runs.map((run) => cellsOf(run, compared)),
    styleOf(colour),
  );
  const model = report.runs[0]?.model ?? '';
  return `${report.program} (model ${model})\n\n${table}\n\n${conclusion(report)}\n`;
}

/** The options that differ between runs of one algorithm. */
function comparedOptions(runs: readonly CheckReport[]): string[] {
  const differ = (name: string, a: CheckReport, b: CheckReport): boolean =>
    a.algorithm === b.algorithm && a.algorithmOptions?.[name] !== b.algorithmOptions?.[name];
  const names = new Set(runs.flatMap(({ algorithmOptions = {} }) => Object.keys(algorithmOptions)));
  return [...names].filter((name) => runs.some((a) => runs.some((b) => differ(name, a, b))));
}

function cellsOf(run: CheckReport, compared: readonly string[]): string[] {
  const { complete, blocked, redundant } = run.executions;
  const rate = run.elapsedMs === 0 ? 0 : Math.round((executionsOf(run.executions) / run.elapsedMs) * 1000);
  return [
    run.algorithm,
    ...compared.map((name) => String(run.algorithmOptions?.[name] ?? '')),
    verdictOf(run),
    ...[complete, blocked, redundant].map(showCount),
    showTime(run.elapsedMs),
    showCount(rate),
  ];
}

export function verdictOf({ verdict, errors, stoppedBy }: CheckReport): string {
  if (verdict === 'error') return `error (${[...new Set(errors.map(({ kind }) => kind))].join(', ')})`;
  return stoppedBy === undefined ? verdict : `${verdict} (${stoppedBy})`;
}

function conclusion({ agree, runs }: CompareReport): string {
  if (!agree) return 'The verdicts disagree. That is a fault of Heddle: please report it with this program.';
  const finished = runs.filter((run) => !isCut(run));
  if (finished.length === 0) return 'No run came to its end, and none found an error.';
  const [first] = finished as [CheckReport];
  const all = finished.length === runs.length ? 'All' : `The ${finished.length} that came to an end`;
  if (first.verdict === 'error')
    return `${all} found an error. To see it: heddle check ${first.program} --model ${first.model} --algorithm ${first.algorithm}`;
  return `${all} agree: no error.`;
}
