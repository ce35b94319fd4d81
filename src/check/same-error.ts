/**
 * Whether a run ends in the error that it should: the one that a search has found (if it does not, that is a fault of Heddle's),
 * or the one that a trace has recorded (then the program was changed).
 */
import { basename } from 'node:path';
import type { Finding } from '../explore/explorer.ts';
import { InputError } from '../program/input-error.ts';
import type { Failure, FailureKind, SourcePosition } from '../program/operation.ts';
import { clashIn } from './clash.ts';
import type { RecordedExecution, RecordedStep } from './result.ts';

/** What is not known of it matches anything. */
export interface ExpectedError {
  readonly kind: FailureKind;
  /** Of a failure. A search does not know all names that are in it. */
  readonly message: string | undefined;
  /** Paths: the thread that fails or leaks, all that wait, or the two that clash. */
  readonly threads: readonly string[];
  /** Where it fails or allocates; of two accesses that clash, where one of them is. */
  readonly position: SourcePosition | undefined;
  /** For a leak the number of the allocation in its thread, for a clash that of the first access. */
  readonly operation: number | undefined;
  /**
   * By thread: the access that clashes, or what it waits at. Undefined: found by a search. It may know no coherence order, and
   * then who waits in memory as it is recorded may seem able to go on.
   */
  readonly accesses: readonly (ExpectedAccess | undefined)[] | undefined;
  /** The execution is taken not to end: threads can go on. */
  readonly isEndless: boolean;
}

interface ExpectedAccess {
  readonly op: string;
  readonly location?: string | undefined;
  readonly source?: SourcePosition | undefined;
}

/** Where a run has left its threads. */
interface Ends {
  failureOf(thread: number): Failure | undefined;
  /** The place of its next operation. */
  positionOf(thread: number): SourcePosition | undefined;
}

/** What is at the end of a run instead of the error, and where. */
export interface OtherEnd {
  readonly what: string;
  readonly position?: SourcePosition | undefined;
}

/** `chance`: why threads of the program may not be deterministic; undefined: they cannot but be (`Language`). */
export function expectSameError(
  finding: Finding,
  execution: RecordedExecution,
  ends: Ends,
  chance: string | undefined,
): void {
  const { kind, message, threads, position, operation, round } = finding;
  const isEndless = round !== undefined;
  const expected = { kind, message: undefined, threads, position, operation, accesses: undefined, isEndless };
  const now = otherEnd(expected, execution, ends);
  if (now === undefined) return;
  const place = now.position === undefined ? '' : ` at ${showPlace(now.position)}`;
  const what = `${kind} (${message}) of thread ${threads.join(', ')}`;
  if (chance === undefined)
    throw new Error(
      `the search has found the error ${what}, but in the execution that was recorded for it ${now.what}${place}`,
    );
  throw new InputError(
    `the program is not deterministic: run again to show the error ${what}, with the same answers, ${now.what}${place}.\n${chance}`,
  );
}

/** Undefined: the run ends in the error. */
export function otherEnd(expected: ExpectedError, execution: RecordedExecution, ends: Ends): OtherEnd | undefined {
  const { kind, message, position, threads: paths } = expected;
  const threads = paths.map((path) => execution.threads.find((thread) => thread.path === path)?.id);
  const missing = threads.indexOf(undefined);
  if (missing >= 0) return { what: `thread ${paths[missing]} does not exist` };
  const [first, second] = threads;
  if (kind === 'deadlock' || kind === 'livelock') return otherStandstill(expected, execution);
  if (first === undefined) return { what: 'nobody knows whose error it is' };
  if (kind === 'leak') return otherLeak(expected, first, execution);
  if (second !== undefined) return otherClash(expected, [first, second], execution, ends);
  const failure = ends.failureOf(first);
  if (failure === undefined) return { what: 'the program does not fail' };
  const isSame = failure.kind === kind && (message === undefined || failure.message === message);
  if (isSame && isSamePlace(failure.position, position)) return undefined;
  return { what: `the program fails with ${failure.kind} (${failure.message})`, position: failure.position };
}

/** All that are left wait, each where it did. */
function otherStandstill(expected: ExpectedError, { threads, ends }: RecordedExecution): OtherEnd | undefined {
  const { threads: paths, accesses, isEndless } = expected;
  const left = threads.flatMap(({ id, name, path }) => {
    const end = ends.find(({ thread }) => thread === id);
    return end === undefined || end.state === 'ended' ? [] : [{ name, path, state: end.state, next: end.next }];
  });
  const isSame = isEndless
    ? paths.every((path) => left.some((other) => other.path === path))
    : left.length === paths.length && left.every(({ path }) => paths.includes(path));
  if (!isSame) return { what: `those that have not ended are: ${left.map(({ path }) => path).join(', ') || 'none'}` };
  if (accesses === undefined) return undefined;
  for (const { name, path, state, next } of left) {
    if (!paths.includes(path)) continue;
    const position = next?.source;
    if (state !== 'waiting' && !(isEndless && state === 'ready'))
      return { what: `thread ${name} ${state === 'ready' ? 'can go on' : 'does not wait'}`, position };
    const isThere = isSameAccess(next, accesses[paths.indexOf(path)]);
    if (!isThere) return { what: `thread ${name} waits in ${inWords(next)}`, position };
  }
  return undefined;
}

function otherLeak(
  { operation, position, accesses }: ExpectedError,
  thread: number,
  { steps, ends }: RecordedExecution,
): OtherEnd | undefined {
  const allocation = operation === undefined ? undefined : steps.filter((step) => step.thread === thread)[operation];
  if (allocation?.op !== 'allocate') return { what: 'nothing is allocated there' };
  const { source, location } = allocation;
  if (!isSamePlace(source, position)) return { what: 'the object is allocated elsewhere', position: source };
  const isFreed = steps.some((step) => step.op === 'free' && step.location === location);
  if (isFreed) return { what: 'the object is freed' };
  const isOver = accesses === undefined || ends.every(({ state }) => state !== 'ready');
  return isOver ? undefined : { what: 'the program has not ended' };
}

function otherClash(
  { kind, position, operation, accesses }: ExpectedError,
  threads: readonly [number, number],
  execution: RecordedExecution,
  ends: Ends,
): OtherEnd | undefined {
  const clash = clashIn(execution, threads, operation);
  if (clash === undefined) return { what: 'the two accesses do not come' };
  const places = [clash[0].source, ends.positionOf(threads[1])];
  const isThere = accesses !== undefined || places.some((place) => isSamePlace(place, position));
  const other = clash.find((access, i) => !isSameAccess(access, accesses?.[i]));
  if (isClash(kind, clash) && isThere && other === undefined) return undefined;
  return { what: `two other accesses come: ${clash.map(inWords).join(', ')}`, position: other?.source };
}

function isClash(kind: FailureKind, [a, b]: readonly [RecordedStep, RecordedStep]): boolean {
  const frees = [a, b].filter(({ op }) => op === 'free').length;
  if (kind === 'use-after-free') return frees === 1;
  if (kind === 'abort') return a.op === 'join' && b.op === 'join' && a.target === b.target;
  if (kind === 'race' && [a, b].some(({ op }) => op === 'allocate')) return true;
  return a.location === b.location && frees === (kind === 'double-free' ? 2 : 0);
}

function isSameAccess(now: RecordedStep | undefined, expected: ExpectedAccess | undefined): boolean {
  if (expected === undefined) return true;
  return now?.op === expected.op && now.location === expected.location && isSamePlace(now.source, expected.source);
}

/** Folders do not count: a trace travels with its program. */
export function isSamePlace(a: SourcePosition | undefined, b: SourcePosition | undefined): boolean {
  if (a === undefined || b === undefined) return true;
  return basename(a.file) === basename(b.file) && a.line === b.line && a.column === b.column;
}

/** Short: who says it says which program it is about. */
export function showPlace({ file, line, column }: SourcePosition): string {
  return `${basename(file)}:${line}:${column}`;
}

function inWords(step: RecordedStep | undefined): string {
  return step === undefined ? 'nothing' : `${step.op} ${step.location ?? ''}`.trimEnd();
}
