/** What goes on for ever in a schedule that is taken not to end: the steps that repeat. */
import { Step } from '../../program/behaviours.ts';
import type { Round } from '../findings.ts';
import { isYield } from './fair-bound.ts';
import type { Interleaving } from './interleaving.ts';

/** Rounds with more steps than this are not looked for. */
const LONGEST = 1000;

/**
 * The shortest sequence of steps that comes three times, one after the other, at the end of the schedule: the same operations,
 * whatever the values. The schedule may have left it for something else when it was cut off, so the last quarter of it does not
 * have to be part of it.
 */
export function roundOf(x: Interleaving): Round {
  const { length } = x;
  for (let end = length; end > length - length / 4; end--) {
    const most = Math.min(LONGEST, Math.floor(end / 3));
    for (let steps = 1; steps <= most; steps++) {
      if (repeats(x, end, steps)) return described(x, end - steps, end, steps, beginning(x, end, steps) + 2 * steps);
    }
  }
  return described(x, length >> 1, length, 0, length);
}

function repeats(x: Interleaving, end: number, steps: number): boolean {
  for (let i = end - 1; i >= end - 2 * steps; i--) if (!isSame(x, i, i - steps)) return false;
  return true;
}

/** The step with which it begins to repeat itself. */
function beginning(x: Interleaving, end: number, steps: number): number {
  let from = end - 3 * steps;
  while (from > 0 && isSame(x, from - 1, from - 1 + steps)) from--;
  return from;
}

function isSame(x: Interleaving, i: number, j: number): boolean {
  const b = x.behaviours;
  const s = x.before[i]!;
  const other = x.before[j]!;
  if (x.thread[i] !== x.thread[j] || b.step[s] !== b.step[other] || b.location[s] !== b.location[other]) return false;
  return b.step[s] !== Step.LOCAL || b.operation(s).kind === b.operation(other).kind;
}

/** Who does what from one step to another. */
function described(x: Interleaving, from: number, to: number, steps: number, shownIn: number): Round {
  const threads = new Set<number>();
  const yielding = new Set<number>();
  for (let i = from; i < to; i++) {
    threads.add(x.thread[i]!);
    if (isYield(x.behaviours, x.before[i]!)) yielding.add(x.thread[i]!);
  }
  const sorted = [...threads].sort((t, u) => t - u);
  return { steps, shownIn, threads: sorted, withoutYield: sorted.filter((t) => !yielding.has(t)) };
}
