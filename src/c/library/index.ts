/** The model of the C library: what a call of a function that the program does not define does. */
import { atomic } from './compiler/atomic.ts';
import { findIntrinsic } from './compiler/intrinsics.ts';
import { verifier } from './compiler/verifier.ts';
import { checked, type Library, type LibraryFunction } from './define.ts';
import type { Facts } from './facts.ts';
import { refused } from './refused.ts';
import { exit } from './standard/exit.ts';
import { math } from './standard/math.ts';
import { signals } from './standard/signals.ts';
import { sort } from './standard/sort.ts';
import { stdlib } from './standard/stdlib.ts';
import { system } from './standard/system.ts';
import { time } from './standard/time.ts';
import { ctype } from './text/ctype.ts';
import { input } from './text/input.ts';
import { messages } from './text/messages.ts';
import { numbers } from './text/numbers.ts';
import { options, optionVariables } from './text/options.ts';
import { stdio, streams } from './text/stdio.ts';
import { string } from './text/string.ts';
import { pthreadBarrier } from './threads/barrier.ts';
import { threads } from './threads/c11.ts';
import { pthreadCond } from './threads/condition-variable.ts';
import { systemCalls } from './threads/futex.ts';
import { pthreadKeys } from './threads/keys.ts';
import { pthreadMutex } from './threads/mutex.ts';
import { pthreadOnce } from './threads/once.ts';
import { pthreadRwlock } from './threads/rwlock.ts';
import { semaphores } from './threads/semaphore.ts';
import { pthreadSpin } from './threads/spin.ts';
import { pthreadThread } from './threads/thread.ts';

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
  systemCalls,
  threads,
  atomic,
  stdlib,
  exit,
  numbers,
  sort,
  signals,
  system,
  string,
  stdio,
  messages,
  options,
  input,
  ctype,
  math,
  time,
  verifier,
  refused,
];

const byName = new Map<string, LibraryFunction>();
for (const library of libraries) for (const [name, f] of Object.entries(library)) byName.set(name, f);

/** What was looked up before: an intrinsic is made for the types in its name. */
const found = new Map<string, LibraryFunction | undefined>();

/** undefined: no such function is modelled. */
export function findLibraryFunction(name: string): LibraryFunction | undefined {
  if (found.has(name)) return found.get(name);
  const known = byName.get(name) ?? findIntrinsic(name);
  const f = known === undefined ? undefined : checked(name, known);
  found.set(name, f);
  return f;
}

const nothing: Facts = {};

/** What is known of a function that the program does not define itself. */
export function factsOf(name: string): Facts {
  return findLibraryFunction(name)?.facts ?? nothing;
}

/**
 * Variables that the library defines, with the word that they hold. `errno` is thread-local; of a clock only the address
 * counts.
 */
export const externalVariables: Readonly<Record<string, number>> = {
  ...streams,
  ...optionVariables,
  errno: 0,
  environ: 0,
  __environ: 0,
  __stack_chk_guard: 0x2a2a2a2a,
  _CLOCK_REALTIME: 0,
  _CLOCK_MONOTONIC: 0,
};

/** Of these, what functions of the library or the program itself may change; the others are constants. */
export const changingVariables: ReadonlySet<string> = new Set(Object.keys(optionVariables));
