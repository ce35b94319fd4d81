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

export function withoutChance<T>(body: () => T): T {
  const { random } = Math;
  const { now } = Date;
  const timer = performance.now;
  Math.random = noRandom;
  Date.now = noClock;
  performance.now = noTimer;
  try {
    return body();
  } finally {
    Math.random = random;
    Date.now = now;
    performance.now = timer;
  }
}
