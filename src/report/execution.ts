/** The failing execution as rows, and where its threads stand at the end. */
import { basename } from 'node:path';
import type { CheckError, RecordedEnd, RecordedExecution, RecordedStep } from '../check/result.ts';
import { listOf } from '../program/list-of.ts';
import { titleOf } from './kinds.ts';
import { type LabelContext, labelOf, labelOfAll, linesOf, readsFromNote, weaknessNote } from './label.ts';
import type { Row } from './lanes.ts';
import { showLine } from './source.ts';

const MOST_ROWS = 200;

/** The rows of the steps, then those of what happens (or cannot happen) next. */
export function rowsOf(error: CheckError, context: LabelContext, cwd: string): Row[] {
  return shortSources([...stepRows(error, context, cwd), ...endRows(error, context, cwd)]);
}

/** Cuts the middle out of a long list; `left` says how many of them. */
export function cutMiddle<T>(items: readonly T[]): { first: readonly T[]; left: number; last: readonly T[] } {
  if (items.length <= MOST_ROWS) return { first: items, left: 0, last: [] };
  const half = MOST_ROWS / 2;
  return { first: items.slice(0, half), left: items.length - MOST_ROWS, last: items.slice(-half) };
}

/** Rows name a file by its last part, unless two files share that. */
function shortSources(rows: readonly Row[]): Row[] {
  const files = new Set(rows.filter(({ source }) => source !== '').map(({ source }) => source.replace(/:\d+$/, '')));
  const isUnique = new Set([...files].map((file) => basename(file))).size === files.size;
  return isUnique ? rows.map((row) => ({ ...row, source: basename(row.source) })) : [...rows];
}

/** Marks a step that comes after one of a thread which could have gone on. */
export const PREEMPTS = '⇄';

function stepRows(error: CheckError, context: LabelContext, cwd: string): Row[] {
  const { execution, racing, preemptions } = error;
  let next = 0;
  return linesOfError(error).map((steps) => {
    const first = next;
    const last = steps.at(-1) as RecordedStep;
    next += steps.length;
    const numbers = steps.length === 1 ? String(next) : `${first + 1}–${next}`;
    return {
      ...rowOf(last, context, cwd),
      label: labelOfAll(steps, context),
      steps: steps.length,
      margin: preemptions !== undefined && execution.preempting.includes(first) ? `${PREEMPTS} ${numbers}` : numbers,
      note: readsFromNote(steps),
      warning: weaknessNote(last, execution.steps, context),
      isBad: last === racing?.[0],
    };
  });
}

/** What clashes and what memory does not perform at once stands alone. */
export function linesOfError({ execution: { steps }, racing }: CheckError): RecordedStep[][] {
  const isAlone = (step: RecordedStep): boolean =>
    step === racing?.[0] || step.missed !== undefined || step.takesEffectBefore !== undefined;
  return linesOf(steps, isAlone);
}

function endRows(error: CheckError, context: LabelContext, cwd: string): Row[] {
  if (error.racing !== undefined) {
    const [first, second] = error.racing;
    const note = clashNote(error.kind, first, second, error.execution.steps.indexOf(first) + 1);
    return [{ ...rowOf(second, context, cwd), margin: '✘', note, isBad: true }];
  }
  const { ends } = error.execution;
  const failed = ends.filter((end) => end.state === 'failed' && error.threads.includes(end.thread));
  if (failed.length > 0) return failed.map(({ thread }) => failureRow(error, thread, cwd));
  return ends.flatMap((end) =>
    end.state === 'waiting' && end.next !== undefined ? [waitingRow(end.next, context, cwd)] : [],
  );
}

/** What the second of two accesses that clash has to do with the first, which is step `number`. */
function clashNote(kind: CheckError['kind'], first: RecordedStep, second: RecordedStep, number: number): string {
  if (kind === 'double-free') return `was freed by #${number}`;
  if (kind === 'abort') return `was joined by #${number}`;
  if (kind !== 'use-after-free') return `races with #${number}`;
  if (second.op === 'free') return `does not wait for #${number}`;
  return first.detail === undefined ? `was freed by #${number}` : `is gone since #${number}`; // its function has returned
}

function failureRow({ kind, location }: CheckError, thread: number, cwd: string): Row {
  const source = location === undefined ? '' : showLine(location, cwd);
  return { margin: '✘', thread, steps: 0, label: titleOf(kind), note: '', source, isBad: true };
}

function waitingRow(next: RecordedStep, context: LabelContext, cwd: string): Row {
  const row = { ...rowOf(next, context, cwd), margin: '✘', isBad: true };
  if (next.words !== undefined) return row;
  return next.op === 'block' ? { ...row, label: 'goes round', note: 'for ever' } : { ...row, note: 'waits' };
}

function rowOf(step: RecordedStep, context: LabelContext, cwd: string): Row {
  const source = step.source === undefined ? '' : showLine(step.source, cwd);
  return { margin: '', thread: step.thread, steps: 0, label: labelOf(step, context), note: '', source, isBad: false };
}

/** "waits for the lock m, held by worker since step 3". */
export function standingOf(end: RecordedEnd, error: CheckError, context: LabelContext): string {
  const { next } = end;
  switch (end.state) {
    case 'ended':
      return 'has ended';
    case 'failed':
      return 'has failed';
    case 'assumed':
      return 'was stopped by a failed assume';
    case 'cut':
      return 'was stopped by the bound of a loop';
    case 'exited':
      return 'ended the program';
    case 'ready':
      return 'could go on';
    case 'waiting':
      if (next === undefined) return 'waits';
      return next.op === 'block' || (end.reads?.length ?? 0) > 1 ? roundOf(end) : waitOf(next, error, context);
  }
}

function waitOf(next: RecordedStep, error: CheckError, context: LabelContext): string {
  if (next.words !== undefined) return next.words;
  if (next.op === 'join') return joinOf(next.target, error, context);
  if (next.op === 'lock') return `waits for the lock ${next.location ?? ''}${holderOf(next, error, context)}`;
  if (next.op === 'await-update' && next.detail !== undefined)
    return `waits in ${next.detail} on ${next.accessed ?? next.location ?? ''}`;
  const place = next.accessed ?? next.location ?? 'a variable';
  return `waits for another value of ${place}${lastValueOf(next, error, context)}`;
}

/** "goes round in a loop for ever: nobody changes x and y any more". */
function roundOf({ reads = [] }: RecordedEnd): string {
  if (reads.length === 0) return 'goes round in a loop for ever';
  return `goes round in a loop for ever: nobody changes ${listOf(reads)} any more`;
}

function joinOf(target: number | undefined, error: CheckError, context: LabelContext): string {
  if (target === undefined) return 'waits for the end of a thread that does not exist';
  const end = error.execution.ends.find(({ thread }) => thread === target);
  const isStopped = end?.state === 'assumed' || end?.state === 'cut';
  const why = isStopped ? `, which ${standingOf(end, error, context)}` : '';
  return `waits for ${context.nameOfThread(target)} to end${why}`;
}

function holderOf(next: RecordedStep, { execution }: CheckError, context: LabelContext): string {
  const taken = lastWriteTo(next.location, execution);
  const step = execution.steps[taken];
  if (step === undefined || step.op === 'unlock' || step.op === 'mutex-init') return '';
  if (step.thread === next.thread) return `, which it holds itself since step ${taken + 1}`;
  const hasEnded = execution.ends.some(({ thread, state }) => thread === step.thread && state === 'ended');
  const ended = hasEnded ? ' and ended without unlocking it' : '';
  return `, which ${context.nameOfThread(step.thread)} took in step ${taken + 1}${ended}`;
}

/** The step with the write that comes last in coherence order; -1 if nobody writes there. */
function lastWriteTo(location: string | undefined, { steps }: RecordedExecution): number {
  const place = (i: number): number => steps[i]?.coherence ?? i;
  let last = -1;
  for (const [i, step] of steps.entries()) {
    if (step.location === location && 'written' in step && (last < 0 || place(i) > place(last))) last = i;
  }
  return last;
}

function lastValueOf(next: RecordedStep, { execution }: CheckError, context: LabelContext): string {
  const written = lastWriteTo(next.location, execution);
  const step = execution.steps[written];
  if (step === undefined) return ', which nobody writes';
  if (step.accessed !== next.accessed) return ''; // of the two one is to a part, so that it says nothing of the other
  return `; the last one written is ${step.writtenText ?? context.show(step.written)} (step ${written + 1})`;
}
