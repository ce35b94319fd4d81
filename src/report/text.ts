/** The report for people. */
import { hasCut, isOfSearch } from '../check/bounds.ts';
import type { CheckError, CheckResult, RecordedStep } from '../check/result.ts';
import { executionsOf } from '../explore/explorer.ts';
import type { Language } from '../program/language.ts';
import type { LoopReport } from '../program/operation.ts';
import { verbOf } from '../program/operation-kinds.ts';
import { extentOf, guaranteeOf, idleNotes, limitsIn, reasonOf } from './bounds.ts';
import { cutMiddle, PREEMPTS, rowsOf, standingOf } from './execution.ts';
import { endlessHint, hintOf, isOrderedClash, titleOf, weakHintOf } from './kinds.ts';
import { type LabelContext, labelContext } from './label.ts';
import { lanesOf, type Row } from './lanes.ts';
import { loopsBeyond, reasonsOf } from './loops.ts';
import { showPosition, snippet } from './source.ts';
import { type Style, styleOf } from './style.ts';
import { counted, showCount, showTime, wrap } from './words.ts';

export interface TextOptions {
  readonly colour: boolean;
  readonly width: number;
  /** File names are shown as seen from here. */
  readonly cwd: string;
  /** Where the first error's trace is written, if it is. */
  readonly traceFile?: string | undefined;
  /** Whether the reader can ask for a trace file: on the command line, not in a test. */
  readonly mentionTrace?: boolean | undefined;
}

/** A search that was cut off knows less of itself. */
type Known = 'warnings' | 'bounds' | 'assumptions' | 'loops' | 'openLoops' | 'iterations';
export type Result = Omit<CheckResult, Known> & Partial<Pick<CheckResult, Known>>;

export function textReport(result: Result, options: TextOptions): string {
  const style = styleOf(options.colour);
  const { errors, model, language } = result;
  const blocks = [
    verdictSentence(result, options, style),
    guarantee(result),
    ...notes(result, style),
    assumed(result, options, style),
    loopNotes(result, options, style),
    advice(result, options),
    warningsOf(result, options, style),
  ];
  const explained = new Set<string>();
  errors.forEach((error, i) => {
    const context = labelContext(error, result);
    blocks.push(failureReport(error, context, options, errors.length === 1 ? '' : `${i + 1}. `));
    blocks.push(boundNote(error, result, options));
    blocks.push(scNote(error, model, options));
    blocks.push(executionReport(error, context, options, explained));
    if (isStandstill(error)) blocks.push(standings(error, context, options));
  });
  for (const text of new Set(errors.map((error) => hint(error, model, options, language)))) blocks.push(text);
  if (errors.length > 0) blocks.push(style('dim', replayLine(errors.length, options)));
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

// ------------------------------------------------------------------------------------------------------- the verdict

function verdictSentence(result: Result, { cwd }: TextOptions, style: Style): string {
  const { verdict, errors } = result;
  const how = howOf(result);
  switch (verdict) {
    case 'ok':
      return `${style('green', '✔ verified')}: ${breakdown(result)}, no error ${how}`;
    case 'bounded':
      return `${style('yellow', `◐ no error within ${extentOf(result.bounds ?? [])}`)}: ${breakdown(result)}, so this is no proof ${how}`;
    case 'incomplete':
      return `${style('yellow', '◐ incomplete')}: ${incomplete(result, cwd)} ${how}`;
    case 'error':
      return `${style('red', errors.length === 1 ? '✘ error' : '✘ errors')}: ${errorsOf(result)} ${how}`;
  }
}

/** "no error with at most 8 rounds of the loop at a.c:5:3; the time limit (--timeout) stopped the search with at most 16, after 12 executions". */
function incomplete(result: Result, cwd: string): string {
  const { rounds, openLoops = [], bounds = [], stoppedBy } = result;
  if (rounds === undefined || rounds.covered === 0)
    return `no error in ${breakdown(result)}, but ${cutOf(result)} before all were explored`;
  const others = bounds.some((bound) => isOfSearch(bound) || (bound.name !== 'rounds' && hasCut(bound)));
  const loops = loopsBeyond(rounds.covered, openLoops, cwd);
  const within = `no error with at most ${counted(rounds.covered, 'round')} of ${loops}${others ? ' and within the other bounds' : ''}`;
  if (stoppedBy === 'rounds') return `${within}, in ${breakdown(result)}; ${cutOf(result)}`;
  const next = rounds.tried === undefined ? '' : ` with at most ${showCount(rounds.tried)}`;
  return `${within}; ${cutOf(result)}${next}, after ${breakdown(result)}`;
}

function errorsOf(result: Result): string {
  const { executions, errors, stoppedBy } = result;
  const all = executionsOf(executions);
  const cut =
    stoppedBy === undefined ? '' : `; ${cutOf(result)}${stoppedBy === 'rounds' ? '' : ' before all were explored'}`;
  const [first] = errors;
  if (errors.length !== 1 || first === undefined)
    return `${counted(errors.length, 'different error')} in ${counted(all, 'execution')}${cut}`;
  if (executions.erroneous > 1)
    return `${titleOf(first.kind)} in ${executions.erroneous} of ${counted(all, 'execution')}${cut}`;
  return `${titleOf(first.kind)} in execution ${showCount(Math.min(all, all - executions.erroneous + 1))}${cut}`;
}

function howOf({ model, algorithm, unusualOptions, elapsedMs }: Result): string {
  return `(${[`model ${model}`, `algorithm ${algorithm}`, ...unusualOptions, showTime(elapsedMs)].join(', ')})`;
}

/** "64 executions", and how they ended if not all ran to their end. */
function breakdown({ executions }: Result): string {
  const { complete, blocked, redundant, overBound } = executions;
  const all = counted(executionsOf(executions), 'execution');
  const parts = [
    [complete, 'complete'],
    [blocked, 'blocked'],
    [redundant, 'redundant'],
    [overBound, 'over the bound'],
  ] as const;
  const some = parts.filter(([count]) => count > 0);
  if (some.length === 0 || (some.length === 1 && complete > 0)) return all;
  return `${all} (${some.map(([count, name]) => `${showCount(count)} ${name}`).join(', ')})`;
}

function cutOf({ stoppedBy }: Result): string {
  switch (stoppedBy) {
    case 'executions':
      return 'the limit on executions (--max-executions) stopped the search';
    case 'timeout':
      return 'the time limit (--timeout) stopped the search';
    case 'interrupt':
      return 'the search was interrupted';
    case 'rounds':
      return 'more rounds were not tried';
    case 'memory':
      return 'memory ran short';
    case undefined:
      return 'the search was cut short';
  }
}

function notes({ verdict, executions, algorithm, mayMiss, exitStatus, bounds = [] }: Result, style: Style): string[] {
  const limits = limitsIn(bounds)
    .map((limit) => style('yellow', `Limit: ${limit}`))
    .join('\n');
  const isOver = verdict === 'ok' || verdict === 'bounded';
  const hasEnd = !isOver || executions.complete > 0 || executions.blocked === 0;
  return [
    limits,
    mayMiss === undefined ? '' : style('yellow', `Note: ${algorithm} ${mayMiss.map(({ why }) => why).join(', and ')}.`),
    isOver && exitStatus !== undefined
      ? style('yellow', `Note: every execution ends with status ${exitStatus}: was anything checked?`)
      : '',
    ...(isOver ? idleNotes(bounds) : []).map((note) => style('yellow', note)),
    hasEnd
      ? ''
      : style('yellow', 'Note: no execution ran to its end; a failed assume (or an await) stopped every one of them.'),
  ];
}

/** What is certain although something was left out. */
function guarantee({ verdict, bounds = [] }: Result): string {
  return verdict === 'bounded' ? (guaranteeOf(bounds) ?? '') : '';
}

/** Where nothing is proved, nothing rests on it. */
function assumed({ verdict, assumptions = [] }: Result, { width }: TextOptions, style: Style): string {
  if (assumptions.length === 0 || (verdict !== 'ok' && verdict !== 'bounded')) return '';
  return style('dim', wrap(`Assumed: ${assumptions.join('; ')}`, width));
}

const MOST_LOOPS = 5;

/**
 * Which loops a thread goes round in no more than once in vain. If the search was bounded or not finished: which ones go round often,
 * and why every round of them counts.
 */
function loopNotes(result: Result, { cwd, width }: TextOptions, style: Style): string {
  const { verdict, loops = [], openLoops = [] } = result;
  const places = (some: readonly LoopReport[]): string[] => [
    ...new Set(some.flatMap(({ position }) => (position === undefined ? [] : `${showPosition(position, cwd)}`))),
  ];
  const bounded = places(loops.filter(({ outcome, returns }) => outcome !== 'not pure' && returns !== true));
  const lines: string[] = [];
  if (bounded.length > 0)
    lines.push(wrap(`Loops: rounds that change nothing are left out, at ${someOf(bounded)}`, width));
  const returning = places(loops.filter(({ returns }) => returns === true));
  if (returning.length > 0)
    lines.push(wrap(`Loops: rounds that return to where they began are left out, at ${someOf(returning)}`, width));
  if (verdict === 'bounded' || verdict === 'incomplete') {
    const reasons = reasonsOf(openLoops, loops, cwd);
    if (reasons.length > 0) lines.push('In these loops every round counts:', ...reasons.slice(0, MOST_LOOPS));
    if (reasons.length > MOST_LOOPS) lines.push(`  and ${reasons.length - MOST_LOOPS} more (--json has them all)`);
  }
  return style('dim', lines.join('\n'));
}

/** For a search that was cut short: how large the program is, and what to try. */
function advice(result: Result, { width }: TextOptions): string {
  const { verdict, size, stoppedBy, openLoops = [], language } = result;
  const memory = stoppedBy === 'memory' ? [wrap(moreMemory(result), width)] : [];
  if (verdict !== 'incomplete' || size === undefined) return memory.join('');
  const seen = `So far: ${counted(size.threads, 'thread')}, with up to ${counted(size.operations, 'operation')} each.`;
  const tip = openLoops.length > 0 ? language.endlessThread : largeProgram;
  return [...memory, wrap(`${seen} ${tip}`, width)].join('\n');
}

/** Where the search keeps more than one execution and what branches off it, another one needs less. */
function moreMemory({ algorithm }: Result): string {
  const more = 'To give it more memory, in megabytes: NODE_OPTIONS=--max-old-space-size=8000 heddle …';
  return frugal.has(algorithm) ? more : `${more} Or try --algorithm trust, which needs little.`;
}

const frugal: ReadonlySet<string> = new Set(['trust', 'buster']);

const largeProgram =
  'The number of executions grows fast with both: try fewer threads, or fewer operations of each. --equivalence rf ' +
  'counts fewer classes, and --bound 2 looks at executions with few preemptions, where most errors are.';

function someOf(places: readonly string[]): string {
  const more = places.length - MOST_LOOPS;
  return `${places.slice(0, MOST_LOOPS).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

const MOST_WARNINGS = 5;

/** Leaks: where, in one line each. */
function warningsOf({ warnings = [] }: Result, { cwd }: TextOptions, style: Style): string {
  const lines = warnings
    .slice(0, MOST_WARNINGS)
    .map(
      ({ kind, message, location }) =>
        `${kind}: ${message}${location === undefined ? '' : `, ${showPosition(location, cwd)}`}`,
    );
  const more = warnings.length - lines.length;
  if (more > 0) lines.push(`${counted(more, 'warning')} more`);
  if (lines.length > 0) lines.push('(--check-leaks makes a leak an error and shows an execution.)');
  return lines.map((line, i) => style('yellow', i === 0 ? `Warning: ${line}` : `         ${line}`)).join('\n');
}

// -------------------------------------------------------------------------------------------------- one of the errors

/** What failed, and where. */
export function failureReport(error: CheckError, context: LabelContext, options: TextOptions, number = ''): string {
  const style = styleOf(options.colour);
  const title = titleOf(error.kind);
  const { message } = error;
  const text =
    message === title || message === '' ? title : message.startsWith(title) ? message : `${title}: ${message}`;
  return [`${number}${style('bold', text)}`, ...places(error, context, options, style)].join('\n');
}

function places(error: CheckError, context: LabelContext, options: TextOptions, style: Style): string[] {
  if (error.racing !== undefined) {
    return error.racing.flatMap((step) => {
      const what = `${context.nameOfThread(step.thread)} ${doneBy(step)}`;
      return step.source === undefined
        ? []
        : [`  ${what} at ${showPosition(step.source, options.cwd)}`, ...quoted(step.source, context, style)];
    });
  }
  if (isStandstill(error) || error.location === undefined) return [];
  const [thread] = error.threads;
  const who = thread === undefined ? '' : `in ${context.nameOfThread(thread)}, `;
  return [`  ${who}at ${showPosition(error.location, options.cwd)}`, ...quoted(error.location, context, style)];
}

/** Variables that are gone with their function nobody frees. */
function doneBy({ op, detail }: RecordedStep): string {
  return op === 'free' && detail !== undefined ? `leaves ${detail}` : verbOf(op);
}

function quoted(position: NonNullable<CheckError['location']>, { columns }: LabelContext, style: Style): string[] {
  return snippet(position, columns, style).map((line) => `    ${line}`);
}

/** `explained`: the signs that were explained before. */
function executionReport(
  error: CheckError,
  context: LabelContext,
  options: TextOptions,
  explained: Set<string>,
): string {
  const rows = rowsOf(error, context, options.cwd);
  if (rows.length === 0) return '';
  const style = styleOf(options.colour);
  const { first, left, last } = cutMiddle(rows);
  const lanes = lanesOf(error.execution.threads, [...first, ...last], style, options.width);
  const lines = [...first, ...last].map((row) => lanes.line(row));
  if (left > 0) lines.splice(first.length, 0, style('dim', `… ${counted(left, 'step')} left out …`));
  const signs = legend(rows, explained, style, options.width);
  return [executionTitle(error), '', ...lanes.header, ...lines, ...signs].join('\n');
}

export function executionTitle({ execution: { preemptions } }: CheckError): string {
  if (preemptions !== undefined)
    return `The steps that lead there, in the order in which they happen (${counted(preemptions, 'preemption')}):`;
  return 'The steps that lead there, causes first (no order of them explains every value):';
}

/** Explains the signs that occur for the first time. */
function legend(rows: readonly Row[], explained: Set<string>, style: Style, width: number): string[] {
  const hasWarning = (word: string): boolean => rows.some((row) => row.warning?.includes(word));
  const signs = [
    rows.some((row) => / = /.test(row.label)) ? 'x = 1: a store' : '',
    rows.some((row) => / → /.test(row.label)) ? 'x → 1: a load that gave 1' : '',
    rows.some((row) => row.note.startsWith('⟵')) ? '⟵ #n: written by step n' : '',
    rows.some((row) => row.margin.startsWith(PREEMPTS))
      ? `${PREEMPTS}: a preemption, the thread before could have gone on`
      : '',
    hasWarning('stale') ? 'stale: an old value, as the write of step n is not seen yet' : '',
    hasWarning('late') ? 'late: in memory this write comes before that of step n' : '',
  ];
  const used = signs.filter((sign) => sign !== '' && !explained.has(sign));
  for (const sign of used) explained.add(sign);
  return used.length === 0 ? [] : ['', style('dim', wrap(used.join(' · '), width))];
}

/** For a search with a bound on preemptions: how many it takes. */
function boundNote(
  { preemptions, isBeyondBound }: CheckError,
  { bounds = [], iterations = [], stoppedBy }: Result,
  options: TextOptions,
): string {
  if (preemptions === undefined) return '';
  const bound = bounds.find(({ name }) => name === 'preemptions')?.value ?? 0;
  const number = counted(preemptions, 'preemption');
  const style = styleOf(options.colour);
  if (isBeyondBound === true) {
    const text = `This takes ${number}, more than the bound ${bound}: it was met on the way.${stoppedBy === undefined ? ' No execution within the bound has it.' : ''}`;
    return style('yellow', wrap(text, options.width));
  }
  const isLeast = preemptions > 0 && iterations.length > 0 && !bounds.some(({ name }) => name === 'rounds');
  return isLeast ? `This takes ${number}: no execution with fewer fails.` : `This takes ${number}.`;
}

/** For an error of another model: that it is not possible under sequential consistency, or may not be. */
export function scNote(error: CheckError, model: string, { colour, width }: TextOptions): string {
  const text = scSentence(error, model);
  return text === undefined ? '' : styleOf(colour)('yellow', wrap(text, width));
}

function scSentence(error: CheckError, model: string): string | undefined {
  const { kind, underSc, scBounds } = error;
  if (underSc === undefined || underSc === 'possible') return undefined;
  const isOrdered = isOrderedClash(error);
  if (underSc === 'unknown') {
    const here = isOrdered ? 'This execution is no error' : 'This execution is not possible';
    return (
      `${here} under SC (sequential consistency). Whether the error is possible there in another one is not known: ` +
      `${scBounds === undefined ? 'the search for it took too long. To find out: --model sc --keep-going' : reasonOf(scBounds)}`
    );
  }
  if (!isOrdered)
    return `Not possible under SC (sequential consistency): it takes the reordering of accesses that ${model} allows.`;
  return (
    `${kind === 'race' ? 'Not a race' : 'Not possible'} under SC (sequential consistency), where every atomic access orders ` +
    `what comes before it and after it. Under ${model} it takes a release store and an acquire load, or stronger ones.`
  );
}

/** What this kind of error means, and what usually helps. */
export function hint(error: CheckError, model: string, { width }: TextOptions, language: Language): string {
  if (error.round !== undefined) return wrap(`Hint: ${endlessHint}`, width);
  const text = isOfOrders(error) ? weakHintOf(error, model) : hintOf(error, language);
  return text === undefined ? '' : wrap(`Hint: ${text}`, width);
}

/** Whether the memory orders of the program are at fault, as far as is known. */
function isOfOrders({ underSc, execution }: CheckError): boolean {
  return underSc === 'impossible' || (underSc === 'unknown' && execution.preemptions === undefined);
}

/** For a standstill: what each thread waits for. */
export function standings(error: CheckError, context: LabelContext, options: TextOptions): string {
  const style = styleOf(options.colour);
  if (error.round !== undefined) return goingRound(error, error.round, context, options);
  const lines = error.execution.ends
    .filter((end) => end.state === 'waiting' || end.state === 'assumed' || end.state === 'cut')
    .flatMap((end) => {
      const where = end.next?.source;
      const place = where === undefined ? '' : `, at ${showPosition(where, options.cwd)}`;
      const text = `  ${style('bold', context.nameOfThread(end.thread))} ${standingOf(end, error, context)}${place}`;
      return where === undefined ? [text] : [text, ...quoted(where, context, style)];
    });
  return ['Where the threads stand:', ...lines].join('\n');
}

/** For an execution that is taken not to end: who takes part in what repeats, and who yields there. */
function goingRound(
  { execution: { threads, steps, ends } }: CheckError,
  round: number,
  context: LabelContext,
  { colour }: TextOptions,
): string {
  const style = styleOf(colour);
  const tail = round === 0 ? steps : steps.slice(-round);
  const lines = threads.flatMap(({ id }) => {
    const end = ends.find(({ thread }) => thread === id);
    const own = tail.filter(({ thread }) => thread === id);
    if (end?.state === 'ended') return [];
    const yields = own.filter(({ op }) => op === 'yield').length;
    const what =
      own.length === 0
        ? 'does nothing meanwhile'
        : `takes ${counted(own.length, 'step')}, ${yields === 0 ? 'and does not yield' : `${yields} of them ${yields === 1 ? 'a yield' : 'yields'}`}`;
    return [`  ${style('bold', context.nameOfThread(id))} ${what}`];
  });
  const which = round === 0 ? 'In all these steps:' : `In each round, such as the last ${counted(round, 'step')}:`;
  return [which, ...lines].join('\n');
}

export function isStandstill({ kind }: CheckError): boolean {
  return kind === 'deadlock' || kind === 'livelock';
}

function replayLine(errors: number, { traceFile, mentionTrace }: TextOptions): string {
  const which = errors === 1 ? 'this execution' : 'the first of these executions';
  if (traceFile !== undefined) return `To run ${which} again, step by step: heddle replay ${quotedForShell(traceFile)}`;
  return mentionTrace === true ? `To keep ${which} for replay, add: --trace FILE.json` : '';
}

function quotedForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
