/** The kinds of error in words: a title, what it means, and what usually helps. */
import type { FailureKind } from '../program/operation.ts';

export function titleOf(kind: FailureKind): string {
  return titles[kind] ?? kind.replaceAll('-', ' ');
}

const titles: Partial<Record<FailureKind, string>> = {
  assertion: 'assertion failed',
  race: 'data race',
  exception: 'uncaught exception',
};

export function hintOf(kind: FailureKind): string | undefined {
  return hints[kind];
}

const hints: Partial<Record<FailureKind, string>> = {
  assertion:
    'Go up from the failed assertion and see which step each value was read from. If another thread comes between a ' +
    'read and the write that depends on it, make the two one step (fetchAdd, compareExchange) or hold a mutex around them.',
  race:
    'The two accesses are not atomic, and no lock, join or atomic access makes one happen before the other, so the program ' +
    'has no defined result. Hold the same mutex around both, or make the variable atomic(…).',
  deadlock:
    'No thread that is left can go on. If they wait for locks of each other: take the locks in the same order everywhere. ' +
    'If one waits for a lock that it holds itself, or whose holder has ended: an unlock is missing (mutex.withLock(…) pairs ' +
    'them). If one waits for a thread to end: look at what that thread waits for.',
  livelock:
    'A thread waits for a value that no thread will write any more. Look for a write that is missing, one that another ' +
    'write can overtake, or a condition that compares with the wrong value.',
  'lock-misuse':
    'Only the thread that holds a mutex may unlock it, and a mutex is not recursive. mutex.withLock(…) pairs lock and unlock.',
  exception:
    'The code of a thread threw this exception in this execution. If it stems from a value that was read, see which step ' +
    'wrote it. To state what must hold, use assert(…).',
};
