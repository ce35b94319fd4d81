/**
 * Litmus tests: small programs with a known number of executions under every model, and an outcome that tells the models apart.
 * The names are those of the literature (Alglave et al., TOPLAS 2014; Lahav et al., PLDI 2017); after a plus sign comes what
 * is added to the shape.
 *
 * How to check a number: count the graphs that are coherent and whose po ∪ rf is acyclic, then take away those that the model
 * forbids. Where the reason says nothing else, only graphs with the outcome are forbidden.
 */
import { messagePassing } from './litmus/message-passing.ts';
import { moreThreads } from './litmus/more-threads.ts';
import { oneLocation } from './litmus/one-location.ts';
import { storeBuffering } from './litmus/store-buffering.ts';
import { twoThreads } from './litmus/two-threads.ts';

export interface Litmus {
  readonly name: string;
  /** As in litmus/program.ts. */
  readonly threads: readonly string[];
  /** Values of registers, and of locations in the end; or how all threads that are left stand still. */
  readonly outcome: string;
  /** The models that allow the outcome. */
  readonly allowed: string;
  /** The number of executions, and of their classes by reads-from, under sc, tso, pso, ra, rc11. */
  readonly co: readonly [number, number, number, number, number];
  readonly rf: readonly [number, number, number, number, number];
  /** Where the numbers come from, and why the outcome is allowed or not. */
  readonly why: string;
}

export const litmusTests: readonly Litmus[] = [
  ...storeBuffering,
  ...messagePassing,
  ...twoThreads,
  ...moreThreads,
  ...oneLocation,
];
