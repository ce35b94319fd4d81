/** Several runs of one program side by side. */

import { unusualFlags } from '../check/algorithm-options.ts';
import { isOfSearch } from '../check/bounds.ts';
import { executionsOf } from '../explore/explorer.ts';
import { listOf } from '../program/list-of.ts';
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

/** Whether it has explored all executions of the program, or all within the bounds of loops, which all runs have. */
export function isWhole(run: CheckReport): boolean {
  return run.verdict !== 'error' && !isCut(run);
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

/** The algorithm of a run with its options that are not as by default, as on the command line. */
export function searchOf({ algorithm, algorithmOptions = {} }: CheckReport): string {
  return [algorithm, ...unusualFlags(algorithmOptions)].join(' ');
}

/**
 * By which factor the run has explored less than the one that explored the most, of those that came to their end; undefined if it
 * did not.
 */
export function reductionOf(run: CheckReport, runs: readonly CheckReport[]): number | undefined {
  if (!isWhole(run)) return undefined;
  const whole = runs.filter(isWhole).map(({ executions }) => executionsOf(executions));
  return Math.max(...whole) / Math.max(1, executionsOf(run.executions));
}

function cellsOf(run: CheckReport, runs: readonly CheckReport[]): string[] {
  const { complete, blocked, redundant } = run.executions;
  const rate = run.elapsedMs === 0 ? 0 : Math.round((executionsOf(run.executions) / run.elapsedMs) * 1000);
  const reduction = reductionOf(run, runs);
  return [
    searchOf(run),
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
  const all = finished.length === runs.length ? 'All' : `The ${finished.length} that came to an end`;
  const failing = finished.filter(({ verdict }) => verdict === 'error');
  const [first] = failing;
  if (first === undefined) return `${all} agree: no error.`;
  const others = finished.filter(({ verdict }) => verdict !== 'error').map(searchOf);
  const who =
    others.length === 0
      ? `${all} found an error.`
      : `${listOf(failing.map(searchOf))} found an error of a kind that ${listOf(others)} may miss.`;
  return `${who} To see it: heddle check ${first.program} --model ${first.model} --algorithm ${searchOf(first)}, with what else was given here.`;
}
