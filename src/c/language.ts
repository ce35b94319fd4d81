/** C: what is usual in it, and in its words. */
import type { Language } from '../program/language.ts';

export const cLanguage: Language = {
  name: 'C',
  model: 'rc11',
  hints: {
    assertion:
      'Go up from the failed assertion and see which step each value was read from. If another thread comes between a ' +
      'read and the write that depends on it, make the two one step (atomic_fetch_add, atomic_compare_exchange_strong) or ' +
      'hold a mutex around them.',
    race:
      'One of the two accesses is not atomic, and no lock, join or atomic access makes one happen before the other, so the ' +
      'behaviour of the program is undefined. Hold the same mutex around both, or make the variable _Atomic.',
    deadlock:
      'No thread that is left can go on. If they wait for locks of each other: take the locks in the same order everywhere. ' +
      'If one waits for a lock that it holds itself, or whose holder has ended: an unlock is missing. If one waits for a ' +
      'condition: the signal came before the wait, or never. If one waits for a thread to end: look at what that thread ' +
      'waits for.',
    'lock-misuse':
      'Only the thread that holds a mutex may unlock it, a mutex must be initialised before it is used and free when it is ' +
      'destroyed, and a mutex of the default type is not recursive.',
  },
  endlessThread:
    'A loop that waits may go round as often as it likes if a round changes nothing: let it only read. For one that does more, ' +
    '--unroll N lets each loop be entered at most N times, and --timeout SECONDS gives the search more time for more rounds. ' +
    'One that waits and yields in each round (sched_yield) ends with --fair-bound 1, under sc.',
  silentThread:
    'Between two accesses to shared memory a thread must come to an end. A loop that never ends can be cut off: ' +
    '--unroll N. For a long computation: HEDDLE_PATIENCE_MS=60000 heddle …',
  chance: undefined,
  allocation: 'malloc',
  columns: 'bytes',
  nothing: 0,
};
