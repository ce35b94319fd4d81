/** Whether a recorded run ends in the error that a search has found: if it does not, that is a fault of Heddle's. */
import type { Finding } from '../explore/explorer.ts';
import type { Failure, SourcePosition } from '../program/operation.ts';
import { clashIn } from './clash.ts';
import type { RecordedExecution, RecordedStep } from './result.ts';

/** Where a run has left its threads. */
interface Ends {
  failureOf(thread: number): Failure | undefined;
  /** The place of its next operation. */
  positionOf(thread: number): SourcePosition | undefined;
}

export function expectSameError(finding: Finding, execution: RecordedExecution, ends: Ends): void {
  const now = otherEnd(finding, execution, ends);
  if (now === undefined) return;
  const { kind, message, threads } = finding;
  throw new Error(
    `the search has found the error ${kind} (${message}) of thread ${threads.join(', ')}, but in the execution that was ` +
      `recorded for it ${now}`,
  );
}

/** What is at the end of the run instead of the error; undefined if nothing is. */
function otherEnd(finding: Finding, execution: RecordedExecution, ends: Ends): string | undefined {
  const { kind, position, threads: paths, operation = 0 } = finding;
  const threads = paths.map((path) => execution.threads.find((thread) => thread.path === path)?.id);
  const missing = threads.indexOf(undefined);
  if (missing >= 0) return `thread ${paths[missing]} does not exist`;
  const [first, second] = threads as [number, number?];
  if (kind === 'deadlock' || kind === 'livelock') return otherStandstill(paths, execution);
  if (kind === 'leak') return otherLeak(first, operation, position, execution);
  if (second !== undefined) return otherClash(finding, [first, second], execution, ends);
  const failure = ends.failureOf(first);
  if (failure === undefined) return 'it does not fail';
  const isSame = failure.kind === kind && isSamePlace(failure.position, position);
  return isSame ? undefined : `it fails with ${failure.kind} (${failure.message})`;
}

function otherStandstill(paths: readonly string[], { threads, ends }: RecordedExecution): string | undefined {
  const left = ends.filter(({ state }) => state !== 'ended').map(({ thread }) => thread);
  const now = threads.filter(({ id }) => left.includes(id)).map(({ path }) => path);
  const isSame = now.length === paths.length && now.every((path) => paths.includes(path));
  return isSame ? undefined : `those that have not ended are: ${now.join(', ') || 'none'}`;
}

function otherLeak(
  thread: number,
  operation: number,
  position: SourcePosition | undefined,
  { steps }: RecordedExecution,
): string | undefined {
  const allocation = steps.filter((step) => step.thread === thread)[operation];
  if (allocation?.op !== 'allocate' || !isSamePlace(allocation.source, position)) return 'nothing is allocated there';
  const isFreed = steps.some(({ op, location }) => op === 'free' && location === allocation.location);
  return isFreed ? 'the object is freed' : undefined;
}

function otherClash(
  { kind, position, operation }: Finding,
  threads: readonly [number, number],
  execution: RecordedExecution,
  ends: Ends,
): string | undefined {
  const clash = clashIn(execution, threads, operation);
  if (clash === undefined) return 'the two accesses do not come';
  const places = [clash[0].source, ends.positionOf(threads[1])];
  const isSame = isClash(kind, clash) && places.some((place) => isSamePlace(place, position));
  return isSame
    ? undefined
    : `two other accesses come: ${clash.map(({ op, location }) => `${op} ${location}`).join(', ')}`;
}

function isClash(kind: Finding['kind'], [a, b]: readonly [RecordedStep, RecordedStep]): boolean {
  const frees = [a, b].filter(({ op }) => op === 'free').length;
  if (kind === 'use-after-free') return frees === 1;
  return a.location === b.location && frees === (kind === 'double-free' ? 2 : 0);
}

/** A search does not know all places. */
function isSamePlace(now: SourcePosition | undefined, found: SourcePosition | undefined): boolean {
  if (now === undefined || found === undefined) return true;
  return now.file === found.file && now.line === found.line && now.column === found.column;
}
