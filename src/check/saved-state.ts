/**
 * How far a search is: what it has come to, and what is left of it. Plain data, from which another process goes on. Its schema is in
 * `saved-state-schema.ts`.
 */
import type { SavedSearch } from '../program/execution.ts';
import type { BoundStep } from './result.ts';
import type { Part } from './sharing/part.ts';

export interface SearchState {
  readonly part: Part;
  readonly saved: SavedSearch;
  /** Of a search with rising bounds: those that it has come to the end of. */
  readonly iterations: readonly BoundStep[];
  /** The bound that is being explored, if there is one. */
  readonly bound?: number;
  /** How long it was searched. */
  readonly elapsedMs: number;
}
