/** The model of the C library: what a call of a function that the program does not define does. */
import type { Library, LibraryFunction } from '../run/runtime.ts';
import { atomic } from './atomic.ts';
import { ctype } from './ctype.ts';
import { checked } from './define.ts';
import { exit } from './exit.ts';
import { findIntrinsic } from './intrinsics.ts';
import { math } from './math.ts';
import { numbers } from './numbers.ts';
import { pthreadBarrier } from './pthread-barrier.ts';
import { pthreadCond } from './pthread-cond.ts';
import { pthreadKeys } from './pthread-keys.ts';
import { pthreadMutex } from './pthread-mutex.ts';
import { pthreadOnce } from './pthread-once.ts';
import { pthreadRwlock } from './pthread-rwlock.ts';
import { pthreadSpin } from './pthread-spin.ts';
import { pthreadThread } from './pthread-thread.ts';
import { refused } from './refused.ts';
import { semaphores } from './semaphore.ts';
import { sort } from './sort.ts';
import { stdio, streams } from './stdio.ts';
import { stdlib } from './stdlib.ts';
import { string } from './string.ts';
import { threads } from './threads.ts';
import { time } from './time.ts';
import { verifier } from './verifier.ts';

/** One for each part; no name is in two of them. */
export const libraries: readonly Library[] = [
  pthreadThread,
  pthreadMutex,
  pthreadCond,
  pthreadRwlock,
  pthreadBarrier,
  pthreadSpin,
  pthreadOnce,
  pthreadKeys,
  semaphores,
  threads,
  atomic,
  stdlib,
  exit,
  numbers,
  sort,
  string,
  stdio,
  ctype,
  math,
  time,
  verifier,
  refused,
];

const byName = new Map<string, LibraryFunction>();
for (const library of libraries) for (const [name, f] of Object.entries(library)) byName.set(name, f);

/** undefined: no such function is modelled. */
export function findLibraryFunction(name: string): LibraryFunction | undefined {
  const known = byName.get(name) ?? findIntrinsic(name);
  return known === undefined ? undefined : checked(name, known);
}

/**
 * Variables that the library defines, with the word that they hold. `errno` is thread-local; of a clock only the address
 * counts.
 */
export const externalVariables: Readonly<Record<string, number>> = {
  ...streams,
  errno: 0,
  environ: 0,
  __environ: 0,
  __stack_chk_guard: 0x2a2a2a2a,
  _CLOCK_REALTIME: 0,
  _CLOCK_MONOTONIC: 0,
};
