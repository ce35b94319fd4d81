/** TypeScript: what is usual in it, and in its words. */
import type { Language } from '../program/language.ts';

export const typescriptLanguage: Language = {
  name: 'TypeScript',
  model: 'sc',
  hints: {
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
    'lock-misuse':
      'Only the thread that holds a mutex may unlock it, and a mutex is not recursive. mutex.withLock(…) pairs lock and unlock.',
    exception:
      'The code of a thread threw this exception in this execution. If it stems from a value that was read, see which step ' +
      'wrote it. To state what must hold, use assert(…).',
  },
  endlessThread:
    'A loop that waits for another thread must say what it waits for: ' +
    'write yield* awaitUntil(x, (value) => …) instead of loading x again and again. ' +
    'Or it yields in each round (yield* yieldNow()), and is checked with a fair bound: --fair-bound 1.',
  silentThread:
    'Between two operations a thread must come to an end: a loop that waits for another thread must wait with ' +
    'yield* awaitUntil(x, (value) => …), or at least perform an operation in each round (yield* yieldNow()).',
  chance:
    'The usual causes: Math.random or the clock; a variable that threads share without Heddle knowing of it ' +
    '(make it atomic(…) or shared(…), or return the value from the thread and take it from join()); ' +
    'state that one execution leaves behind for the next.',
  allocation: 'allocate',
  columns: 'units',
  nothing: undefined,
};
