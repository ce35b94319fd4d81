/** Runs the comparison with the oracle over seeds; a failure names the seed and shows the smallest program that differs. */
import { expect } from 'vitest';
import type { ProgramAst } from '../oracle/language.ts';
import { minimise, randomProgram, show } from '../random/programs.ts';
import { waitingProgram } from '../random/waiting.ts';
import { type Comparison, disagreement } from './agreement.ts';

export interface Variant extends Comparison {
  /** What makes a program of a seed. Default: randomProgram. */
  readonly make?: (seed: number) => ProgramAst;
}

/** Compares `count` programs that the oracle can handle, from `seed` on; returns the seed after the last. */
export function expectAgreement(seed: number, count: number, variant: Variant = {}): number {
  let next = seed;
  for (let compared = 0; compared < count; next++) {
    const program = (variant.make ?? randomProgram)(next);
    const difference = outcomeOf(program, variant);
    if (difference === 'too large') continue;
    compared++;
    if (difference === undefined) continue;
    const kind = difference.slice(0, 20);
    const smallest = minimise(program, (candidate) => outcomeOf(candidate, variant)?.startsWith(kind) === true);
    expect.fail(`seed ${next}:\n${show(smallest)}\n${outcomeOf(smallest, variant)}`);
  }
  return next;
}

/**
 * `optimal`, with and without commuting updates, `source`, `dpor` and TruSt on small programs that wait: many programs in little
 * time.
 */
export function expectAgreementOnWaiting(seed: number, count: number): number {
  return expectAgreement(seed, count, { make: waitingProgram, bare: true, brief: true, maxInterleavings: 300 });
}

function outcomeOf(program: ProgramAst, variant: Variant): string | undefined {
  try {
    return disagreement(program, variant);
  } catch (error) {
    return `thrown: ${error instanceof Error ? error.stack : String(error)}`;
  }
}
