/** What goes on for ever in a schedule that is taken not to end: the steps that repeat. */
import { Step } from '../../program/behaviours.ts';
import type { Round } from '../findings.ts';
import { isYield } from './fair-bound.ts';
import type { Interleaving } from './interleaving.ts';

/** Rounds with more steps than this are not looked for. */
const LONGEST = 1000;

/**
 * The shortest sequence of steps that half of the schedule consists of, and that comes three times: the same operations, whatever the
 * values. (A shorter one may repeat at the end: threads that a fair bound lets go on in turn take several rounds of their loops
 * each.) The schedule may have left it for something else when it was cut off, so the last quarter of it does not have to be
 * part of it. If there is none: the shortest that comes three times at the end.
 */
export function roundOf(x: Interleaving): Round {
  const { length } = x;
  let shortest: Round | undefined;
  for (let end = length; end > length - length / 4; end--) {
    const most = Math.min(LONGEST, Math.floor(end / 3));
    for (let steps = 1; steps <= most; steps++) {
      const from = beginning(x, end, steps);
      if (end - from < 3 * steps) continue;
      const round = described(x, end - steps, end, steps, from + 2 * steps);
      if (end - from >= length / 2) return round;
      shortest ??= round;
    }
  }
  return shortest ?? withoutRound(x);
}

/** All that is known is who has come to the end of the schedule and not to its own. */
function withoutRound(x: Interleaving): Round {
  const { length } = x;
  const { step } = x.behaviours;
  const all = described(x, length >> 1, length, 0, length);
  const goesOn = (t: number): boolean => step[x.stateOf(t)]! < Step.END;
  const threads = all.threads.filter(goesOn);
  if (threads.length > 0) return { ...all, threads, withoutYield: all.withoutYield.filter(goesOn) };
  const enabled = Array.from({ length: x.threadCount }, (_, t) => t).filter((t) => x.isEnabled(t));
  return { ...all, threads: enabled, withoutYield: enabled };
}

/** The step from which on, up to an end, it repeats itself after so many steps. */
function beginning(x: Interleaving, end: number, steps: number): number {
  let from = end - steps;
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
