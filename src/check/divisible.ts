/** What needs a search that can be cut in pieces (`Divisible`): workers, checkpoints, clusters. */
import { type AlgorithmEntry, type AlgorithmName, algorithms, divisibleAlgorithms } from '../explore/registry.ts';
import { InputError } from '../program/input-error.ts';
import { listOf } from '../program/list-of.ts';

export function isDivisibleAlgorithm(algorithm: AlgorithmName): boolean {
  const { isDivisible = false }: AlgorithmEntry = algorithms[algorithm];
  return isDivisible;
}

/** Refuses an algorithm for which `what` cannot be had. */
export function expectDivisible(algorithm: AlgorithmName, what: string): void {
  if (isDivisibleAlgorithm(algorithm)) return;
  throw new InputError(
    `the search of ${algorithm} cannot be cut in pieces, so ${what} cannot be had with it; those of ${listOf(divisibleAlgorithms)} can.`,
  );
}
