/** Which errors are the same: those of one kind at one place. */
import type { SourcePosition } from '../program/operation.ts';
import type { CheckError } from './result.ts';

/** One error per place: explorers tell standstills and races apart by thread, people by the lines that wait or race. */
export function distinct(errors: readonly CheckError[]): CheckError[] {
  const seen = new Set<string>();
  return errors.filter((error) => {
    const places = placesOf(error).join(' ');
    if (places === '') return true;
    const key = `${error.kind} ${places}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/** Alike for errors that people would call the same. */
export function keyOf(error: CheckError): string {
  const places = placesOf(error);
  const place = places.length > 0 ? places.join(' ') : textOf(error.location);
  return `${error.kind} ${place === '' ? error.message : place}`;
}

/** For a standstill or a clash: the lines that wait or clash. */
function placesOf(error: CheckError): string[] {
  const standing = error.execution.ends.filter((end) => error.threads.includes(end.thread)).map((end) => end.next);
  const steps = error.racing ?? (error.kind === 'deadlock' || error.kind === 'livelock' ? standing : []);
  return [...new Set(steps.map((step) => textOf(step?.source)))].sort();
}

function textOf(position: SourcePosition | undefined): string {
  return position === undefined ? '' : `${position.file}:${position.line}:${position.column}`;
}
