/** The kinds of error in words: a title, what it means, and what usually helps. */
import type { CheckError } from '../check/result.ts';
import type { Language } from '../program/language.ts';
import type { FailureKind } from '../program/operation.ts';

export function titleOf(kind: FailureKind): string {
  return titles[kind] ?? kind.replaceAll('-', ' ');
}

const titles: Partial<Record<FailureKind, string>> = {
  assertion: 'assertion failed',
  race: 'data race',
  exception: 'uncaught exception',
  'use-after-free': 'use after free',
  'uninitialised-read': 'read of uninitialised memory',
};

/** What usually helps: in the words of the language, or else in general. */
export function hintOf({ kind, racing }: CheckError, language: Language): string | undefined {
  const isOfFunction = racing?.some(({ op, detail }) => op === 'free' && detail !== undefined) === true;
  if (isOfFunction) return goneHint;
  return language.hints[kind] ?? hints[kind];
}

const hints: Partial<Record<FailureKind, string>> = {
  assertion:
    'Go up from the failed assertion and see which step each value was read from. If another thread comes between a ' +
    'read and the write that depends on it, make the two one step (an atomic update) or hold a mutex around them.',
  race:
    'One of the two accesses is not atomic, and no lock, join or atomic access makes one happen before the other. Hold the ' +
    'same mutex around both, or make the variable atomic.',
  deadlock:
    'No thread that is left can go on. If they wait for locks of each other: take the locks in the same order everywhere. ' +
    'If one waits for a lock that it holds itself, or whose holder has ended: an unlock is missing. If one waits for a ' +
    'thread to end: look at what that thread waits for.',
  livelock:
    'A thread waits for a value that no thread will write any more. Look for a write that is missing, one that another ' +
    'write can overtake, or a condition that compares with the wrong value.',
  'lock-misuse': 'Only the thread that holds a mutex may unlock it, and a mutex is not recursive.',
  exception:
    'The code of a thread threw this exception in this execution. If it stems from a value that was read, see which step ' +
    'wrote it.',
  'use-after-free':
    'The object is freed although nothing makes this access happen before: wait for all its users (join, a lock, a reference ' +
    'count) before it is freed.',
  'double-free': 'The object has two owners that both free it. One of them must know that it is the last.',
  leak: 'The object was allocated, and the execution ended without anybody freeing it.',
};

/** For a use after free of what nobody frees. */
const goneHint =
  'The variable is gone with its function, and nothing makes this access happen before: wait for all its users (join, a ' +
  'lock) before the function ends, or let the variable live longer (static, malloc).';

/** For an execution that is taken not to end although the search is fair to threads that yield. */
export const endlessHint =
  'A thread that waits in a loop must yield in each round, or the fair bound does not make it wait for others; one that makes ' +
  'progress must not yield, or it is made to wait. If all do as they should, they wait for each other: look for what would ' +
  'let one of them go on. If the program only takes long: a larger --max-steps.';

/** Whether two accesses clash in an execution that SC has too: then only what happens before what is different. */
export function isOrderedClash({ racing, execution }: CheckError): boolean {
  return racing !== undefined && execution.preemptions !== undefined;
}

/** For an error that sequential consistency excludes: why the model does not, and what usually helps. */
export function weakHintOf(error: CheckError, model: string): string {
  if (model === 'tso' || model === 'pso') return hintsForBuffers[model];
  const seqCst =
    model === 'rc11'
      ? ' A thread that must not miss a store of another one after its own store needs seq_cst for both stores and both loads, ' +
        'or a seq_cst fence between store and load in both threads.'
      : '';
  const isOrdered = isOrderedClash(error);
  const why = isOrdered
    ? 'The atomic accesses between the two do not order them.'
    : 'A load may give an old value as long as nothing makes the newer store happen before it.';
  return (
    `${why} What tells another thread that something is ready must be a release store (or stronger), and the load that ` +
    `finds it out an acquire load (or stronger); relaxed accesses order nothing.${isOrdered ? '' : seqCst}`
  );
}

const hintsForBuffers = {
  tso:
    'A store waits in a buffer while its thread goes on, so that later loads of other variables may come first. Make the store ' +
    'seq_cst, or put a seq_cst fence between the store and the load.',
  pso:
    'A store waits in a buffer, and stores to different variables may leave theirs in any order. A release store (or a release ' +
    'fence before it) comes after all earlier stores; a seq_cst store, or a seq_cst fence after it, also before later loads.',
} as const;
