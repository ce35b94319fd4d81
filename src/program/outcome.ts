/** What operations do when they are answered: what their thread gets, what they write, whether they cannot go on. */
import { MUTEX_FREE, MUTEX_HELD, type Operation, ThreadFailure } from './operation.ts';

export interface Outcome {
  readonly stuck: boolean;
  /** What the thread gets. */
  readonly result: unknown;
  readonly writes: boolean;
  readonly value: unknown;
}

const stuck: Outcome = { stuck: true, result: undefined, writes: false, value: undefined };
const reads = (result: unknown): Outcome => ({ stuck: false, result, writes: false, value: undefined });
const replaces = (result: unknown, value: unknown): Outcome => ({ stuck: false, result, writes: true, value });

/** What an operation does when the explorer answers it with `value` (for a read: the value it reads). */
export function outcomeOf(operation: Operation, value: unknown): Outcome {
  switch (operation.kind) {
    case 'update':
      return replaces(value, operation.apply(value));
    case 'compare-exchange':
      return Object.is(value, operation.expected) ? replaces(value, operation.desired) : reads(value);
    case 'await-load':
      return operation.until(value) ? reads(value) : stuck;
    case 'await-exchange':
      return operation.until(value) ? replaces(value, operation.value) : stuck;
    case 'await-compare-exchange':
      return Object.is(value, operation.expected) ? replaces(value, operation.desired) : stuck;
    case 'lock':
      return value === MUTEX_FREE ? replaces(undefined, MUTEX_HELD) : stuck;
    case 'trylock':
      return value === MUTEX_FREE ? replaces(true, MUTEX_HELD) : reads(false);
    default:
      return reads(value);
  }
}

/** A function of the program that an operation carries (`update`, `awaitUntil`) threw. */
export function thrownBy(error: unknown): Operation {
  if (!(error instanceof ThreadFailure)) throw error;
  const { failure } = error;
  return { kind: 'fail', failure, position: failure.position };
}
