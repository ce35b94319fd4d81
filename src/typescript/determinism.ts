/**
 * Threads must do the same when they are run again. What is known to differ from run to run is refused while a thread
 * runs, at the line that asks for it; the rest shows when runs are compared.
 */
import { refusal } from './refusal.ts';

const forbid = (what: string) => (): never => {
  throw refusal(
    `a thread cannot use ${what}: it must do the same each time it is run. To try several values, use choose(n).`,
  );
};
const noRandom = forbid('Math.random');
const noClock = forbid('the clock (Date.now)');
const noTimer = forbid('the clock (performance.now)');

/** What there was before they were forbidden. */
let allowed: { readonly random: () => number; readonly now: () => number; readonly timer: () => number } | undefined;

/** Forbids them, unless they are. Returns whether they were not: then `allowChance` is for the caller. */
export function forbidChance(): boolean {
  if (allowed !== undefined) return false;
  allowed = { random: Math.random, now: Date.now, timer: performance.now };
  Math.random = noRandom;
  Date.now = noClock;
  performance.now = noTimer;
  return true;
}

export function allowChance(): void {
  if (allowed === undefined) return;
  const { random, now, timer } = allowed;
  allowed = undefined;
  Math.random = random;
  Date.now = now;
  performance.now = timer;
}

export function withoutChance<T>(body: () => T): T {
  const isFirst = forbidChance();
  try {
    return body();
  } finally {
    if (isFirst) allowChance();
  }
}
