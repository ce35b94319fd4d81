/** Which errors are the same: those of one kind at one place. */
import type { SourcePosition } from '../program/operation.ts';
import type { CheckError } from './result.ts';

/**
 * One error per place: explorers tell errors apart by thread and message, people by the lines that fail, wait or race. Where a bound
 * counts preemptions, the one with the fewest.
 */
export function distinct(errors: readonly CheckError[]): CheckError[] {
  const byKey = new Map<string, CheckError>();
  for (const error of errors) {
    const known = byKey.get(keyOf(error));
    if (known === undefined || (error.preemptions ?? 0) < (known.preemptions ?? 0)) byKey.set(keyOf(error), error);
  }
  return [...byKey.values()];
}

/** Alike for errors that people would call the same. */
export function keyOf(error: CheckError): string {
  const place = placesOf(error).join(' ') || textOf(error.location);
  return `${error.kind} ${place === '' ? (accessesOf(error) ?? error.message) : place}`;
}

/** For a standstill or a clash: the lines that wait or clash. */
function placesOf(error: CheckError): string[] {
  const standing = error.execution.ends.filter((end) => error.threads.includes(end.thread)).map((end) => end.next);
  const steps = error.racing ?? (error.kind === 'deadlock' || error.kind === 'livelock' ? standing : []);
  return [...new Set(steps.map((step) => textOf(step?.source)))].sort();
}

/** For a clash: what clashes, whichever of the two comes first. */
function accessesOf({ racing, execution: { threads } }: CheckError): string | undefined {
  const pathOf = (thread: number): string | undefined => threads.find(({ id }) => id === thread)?.path;
  return racing
    ?.map(({ thread, op, location }) => `${pathOf(thread)} ${op} ${location}`)
    .sort()
    .join(' ');
}

function textOf(position: SourcePosition | undefined): string {
  return position === undefined ? '' : `${position.file}:${position.line}:${position.column}`;
}
