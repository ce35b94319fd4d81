/** Progress as numbers: one thread writes them, another shows them. */
import type { Progress } from '../check/check.ts';
import { noEstimates } from '../check/estimate.ts';

/** What the live line shows. */
export type Shown = Omit<Progress, 'part'>;

export const PROGRESS_NUMBERS = 8;

export function numbersOf({ executions, errors, elapsedMs, rounds, estimate }: Shown): number[] {
  const first = [executions, errors, elapsedMs, rounds];
  if (typeof estimate === 'string') return [...first, 0, noEstimates.indexOf(estimate), 0, 0];
  return [...first, estimate.total, estimate.least, estimate.most, estimate.leftMs];
}

export function progressOf(numbers: ArrayLike<number>): Shown {
  const [executions = 0, errors = 0, elapsedMs = 0, rounds = 0, total = 0, least = 0, most = 0, leftMs = 0] =
    Array.from(numbers);
  const estimate = total === 0 ? (noEstimates[least] ?? 'early') : { total, least, most, leftMs };
  return { executions, errors, elapsedMs, rounds, estimate };
}
