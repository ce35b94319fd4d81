/** What kind of step each operation is. */
import { MUTEX_DESTROYED, mutexValue, type Operation } from './operation.ts';

/** What an explorer has to know of an operation: how it meets the other threads. */
export const Step = {
  /** Reads its location; for some answers it also writes (`written`), for some it cannot go on (a STUCK state follows). */
  READ: 0,
  WRITE: 1,
  SPAWN: 2,
  JOIN: 3,
  CHOOSE: 4,
  /** Fence, yield: meets nobody under sequential consistency. */
  LOCAL: 5,
  /** From here on: states without an operation to perform. */
  END: 6,
  FAIL: 7,
  /** A failed assume, or a loop's bound. */
  BLOCK: 8,
  /** After an await or a lock that the value read does not let through. */
  STUCK: 9,
  /** The program ended here. Who joins this thread waits for ever. */
  EXIT: 10,
} as const;

/** The value that an operation on a mutex writes. */
export function mutexWritten(
  operation: Operation & { readonly kind: 'unlock' | 'mutex-init' | 'mutex-destroy' },
): number {
  return operation.kind === 'mutex-destroy' ? MUTEX_DESTROYED : mutexValue(operation.type ?? 0, false);
}

export const stepOf: Readonly<Record<Operation['kind'], number>> = {
  load: Step.READ,
  update: Step.READ,
  'compare-exchange': Step.READ,
  'await-load': Step.READ,
  'await-exchange': Step.READ,
  'await-compare-exchange': Step.READ,
  'await-update': Step.READ,
  lock: Step.READ,
  trylock: Step.READ,
  store: Step.WRITE,
  unlock: Step.WRITE,
  'mutex-init': Step.WRITE,
  'mutex-destroy': Step.WRITE,
  spawn: Step.SPAWN,
  join: Step.JOIN,
  choose: Step.CHOOSE,
  fence: Step.LOCAL,
  yield: Step.LOCAL,
  allocate: Step.LOCAL,
  print: Step.LOCAL,
  free: Step.WRITE,
  end: Step.END,
  fail: Step.FAIL,
  block: Step.BLOCK,
  exit: Step.EXIT,
};
