/** Several runs of one program side by side. */

import { unusualFlags } from '../check/algorithm-options.ts';
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
  const words = ['algorithm', 'verdict'];
  const numbers = ['complete', 'blocked', 'redundant', 'reduction', 'time', 'executions/s'];
  const table = tableOf(
    [...words, ...numbers],
    [...words.map(() => false), ...numbers.map(() => true)],
    report.runs.map((run) => cellsOf(run, report.runs)),
    styleOf(colour),
  );
  const model = report.runs[0]?.model ?? '';
  return `${report.program} (model ${model})\n\n${table}\n\n${conclusion(report)}\n`;
}

/** The algorithm of a run with the options, as on the command line, by which it differs from others of the same algorithm. */
export function searchOf({ algorithm, algorithmOptions = {} }: CheckReport, runs: readonly CheckReport[]): string {
  const others = runs.filter((other) => other.algorithm === algorithm);
  const differs = (name: string): boolean =>
    others.some((other) => other.algorithmOptions?.[name] !== algorithmOptions[name]);
  const options = Object.fromEntries(Object.entries(algorithmOptions).filter(([name]) => differs(name)));
  return [algorithm, ...unusualFlags(options)].join(' ');
}

/**
 * By which factor the run has explored less than the one that explored the most, of those that came to their end; undefined if it
 * did not.
 */
export function reductionOf(run: CheckReport, runs: readonly CheckReport[]): number | undefined {
  if (run.verdict !== 'ok') return undefined;
  const whole = runs.filter(({ verdict }) => verdict === 'ok').map(({ executions }) => executionsOf(executions));
  return Math.max(...whole) / Math.max(1, executionsOf(run.executions));
}

function cellsOf(run: CheckReport, runs: readonly CheckReport[]): string[] {
  const { complete, blocked, redundant } = run.executions;
  const rate = run.elapsedMs === 0 ? 0 : Math.round((executionsOf(run.executions) / run.elapsedMs) * 1000);
  const reduction = reductionOf(run, runs);
  return [
    searchOf(run, runs),
    verdictOf(run),
    ...[complete, blocked, redundant].map(showCount),
    reduction === undefined ? '' : `${showCount(Number(reduction.toPrecision(3)))} ×`,
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
    return `${all} found an error. To see it: heddle check ${first.program} --model ${first.model} --algorithm ${searchOf(first, runs)}`;
  return `${all} agree: no error.`;
}
