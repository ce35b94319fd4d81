/** One program under several memory models: how many executions each allows, and which of them expose which error. */
import { listOf } from '../program/list-of.ts';
import type { SourcePosition } from '../program/operation.ts';
import { verdictOf } from './compare.ts';
import { titleOf } from './kinds.ts';
import type { CheckReport, CompareModelsReport } from './schema.ts';
import { styleOf } from './style.ts';
import { tableOf } from './table.ts';
import type { TextOptions } from './text.ts';
import { showCount, showTime } from './words.ts';

type Bug = CompareModelsReport['bugs'][number];
type ErrorReport = CheckReport['errors'][number];

/** `runs`: at least one, each of another of the `models`; `keepGoing`: whether they went on after an error. */
export function compareModelsReport(
  runs: readonly CheckReport[],
  models: readonly string[],
  keepGoing: boolean,
): CompareModelsReport {
  const [{ version, program }] = runs as readonly [CheckReport];
  const notRun = models.filter((name) => runs.every(({ model }) => model !== name));
  return {
    version,
    program,
    bugs: bugsOf(runs, keepGoing),
    ...(notRun.length === 0 ? {} : { notRun }),
    runs: [...runs],
  };
}

function bugsOf(runs: readonly CheckReport[], keepGoing: boolean): Bug[] {
  const firsts = new Map<string, ErrorReport>();
  for (const error of runs.flatMap(({ errors }) => errors))
    if (!firsts.has(keyOf(error))) firsts.set(keyOf(error), error);
  return [...firsts].map(([key, error]) => {
    const has = (run: CheckReport): boolean => run.errors.some((other) => keyOf(other) === key);
    const names = (some: readonly CheckReport[]): string[] => some.map(({ model }) => model);
    const { kind, message } = error;
    const models = names(runs.filter(has));
    const unknown = names(runs.filter((run) => !has(run) && mayHaveMore(run, keepGoing)));
    return { kind, message, places: placesOf(error), models, unknown };
  });
}

/** Errors of two models are the same if they are of one kind and at one place. */
function keyOf(error: ErrorReport): string {
  const keys = placesOf(error).map(({ file, line, column }) => `${file}:${line}:${column}`);
  return [error.kind, ...(keys.length === 0 ? accessesOf(error) : new Set(keys.sort()))].join(' ');
}

/** What clashes, whichever of the two comes first; for other errors, the message. */
function accessesOf({ accesses, threads, message }: ErrorReport): string[] {
  const nameOf = (thread: number): string | undefined => threads.find(({ id }) => id === thread)?.name;
  return accesses?.map(({ thread, op, location }) => `${nameOf(thread)} ${op} ${location}`).sort() ?? [message];
}

/** Both accesses that clash, all waits of a standstill, else where it failed. */
function placesOf({ kind, accesses, threads, location }: ErrorReport): SourcePosition[] {
  const waits = threads.filter(({ state }) => state === 'waiting').map(({ next }) => next);
  const others = waits.filter((next) => next?.op !== 'join'); // who only waits for those adds nothing
  const steps = accesses ?? (kind !== 'deadlock' && kind !== 'livelock' ? [] : others.length > 0 ? others : waits);
  const places = steps.map((step) => step?.source).filter((source) => source !== undefined);
  return places.length > 0 || location === undefined ? places : [location];
}

/** Whether the run ended before all executions were explored. */
function isPartial({ verdict, stoppedBy }: CheckReport, keepGoing: boolean): boolean {
  return stoppedBy !== undefined || verdict === 'incomplete' || (verdict === 'error' && !keepGoing);
}

/** Whether there may be errors that the run did not find: it ended early, or something was left out. */
function mayHaveMore(run: CheckReport, keepGoing: boolean): boolean {
  return isPartial(run, keepGoing) || run.bounds !== undefined;
}

const header = ['model', 'verdict', 'complete', 'blocked', 'time'];
const isNumeric = [false, false, true, true, true];

export function compareModelsText(
  report: CompareModelsReport,
  keepGoing: boolean,
  { colour }: Pick<TextOptions, 'colour'>,
): string {
  const { program, runs } = report;
  const table = tableOf(
    header,
    isNumeric,
    runs.map((run) => cellsOf(run, keepGoing)),
    styleOf(colour),
  );
  const isSome = runs.some((run) => isPartial(run, keepGoing));
  const note = isSome ? `\n\n${partialNote(runs, keepGoing)}` : '';
  return `${program}\n\n${table}${note}\n\n${conclusion(report)}\n`;
}

function cellsOf(run: CheckReport, keepGoing: boolean): string[] {
  const { complete, blocked } = run.executions;
  const sign = isPartial(run, keepGoing) ? '+' : ' ';
  const counts = [complete, blocked].map((count) => `${showCount(count)}${sign}`);
  return [run.model, verdictOf(run), ...counts, showTime(run.elapsedMs)];
}

function partialNote(runs: readonly CheckReport[], keepGoing: boolean): string {
  const isError = !keepGoing && runs.some(({ verdict }) => verdict === 'error');
  return `+: so many until the run stopped${isError ? ' at its first error; --keep-going goes on' : ''}`;
}

function conclusion({ bugs, notRun = [], runs }: CompareModelsReport): string {
  const unchecked = notRun.length === 0 ? [] : [`under ${listOf(notRun)} the program was not checked`];
  if (bugs.length > 0) {
    const count = runs.length + notRun.length;
    const found = bugs.map((bug) => sentenceOf(bug, count, notRun.length === 0));
    return [...found, ...unchecked.map((words) => `But ${words}.`)].join('\n');
  }
  const modelsOf = (wanted: CheckReport['verdict']): string =>
    listOf(runs.filter(({ verdict }) => verdict === wanted).map(({ model }) => model));
  const [incomplete, bounded] = [modelsOf('incomplete'), modelsOf('bounded')];
  const reasons = [
    incomplete === '' ? '' : `under ${incomplete} the search did not come to its end`,
    bounded === '' ? '' : `under ${bounded} a bound cut the search off`,
    ...unchecked,
  ].filter((reason) => reason !== '');
  return reasons.length === 0 ? 'No model exposes an error.' : `No error was found, but ${reasons.join(', and ')}.`;
}

/** "The assertion at mp.c:17 fails under ra and rc11 only." */
function sentenceOf({ kind, places, models, unknown }: Bug, count: number, areAllRun: boolean): string {
  const lines = [...new Set(places.map(({ file, line }) => `${file}:${line}`))];
  const at = lines.length === 0 ? '' : ` at ${listOf(lines)}`;
  const what = kind === 'assertion' ? `The assertion${at} fails` : `The ${titleOf(kind)}${at} occurs`;
  if (models.length === count) return `${what} under every model.`;
  if (unknown.length === 0) return `${what} under ${listOf(models)}${areAllRun ? ' only' : ''}.`;
  const rest = unknown.length === 1 ? 'the run' : 'the runs';
  return `${what} under ${listOf(models)}; ${rest} under ${listOf(unknown)} ended without that being known there.`;
}
