/**
 * The loops of a program of which nobody knows that they end: neither counted nor stopped when they go round in vain. A search that
 * goes into ever more rounds of one finds nothing else, so they can be bounded while the program runs.
 */
import type { SourcePosition } from './operation.ts';

export interface OpenLoops {
  /**
   * How often each of them may go round, each time that it is come to; what goes on is a `block` with the reason `bound`.
   * Undefined: as often as it likes. Whoever changes it goes on with threads that were started with the same bound.
   */
  most: number | undefined;
  /** What runs meanwhile is not counted. */
  aside(body: () => void): void;
  /** What follows is about runs from here on. */
  forget(): void;
  /** The most rounds that one of them has gone without a bound. */
  readonly deepest: number;
  /** In a run of the same program elsewhere, one of them has gone so many rounds without a bound. */
  heardOf(rounds: number): void;
  /** Those that a bound has stopped, or that have gone round often without one; the most rounds first. */
  longest(): readonly OpenLoop[];
}

export interface OpenLoop {
  readonly position: SourcePosition | undefined;
  /** The name of the function that it is in. */
  readonly functionName: string;
  /** How often it has gone round at most. */
  readonly rounds: number;
}
