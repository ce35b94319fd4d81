/** How far a search is: what it has come to, and what is left of it. Plain data, from which another process goes on. */
import { z } from 'zod';
import { searchBounds } from '../explore/explorer.ts';
import { type SavedSearch, savedSearchSchema } from '../program/execution.ts';
import type { BoundStep } from './result.ts';
import { type Part, partSchema } from './sharing/part.ts';

const count = z.int().nonnegative();

export const searchStateSchema = z.strictObject({
  part: partSchema,
  saved: savedSearchSchema,
  /** Of a search with rising bounds: those that it has come to the end of. */
  iterations: z.array(
    z.strictObject({
      name: z.enum(searchBounds),
      bound: count,
      executions: count,
      overBound: count,
      pruned: count,
      isCut: z.boolean(),
      elapsedMs: z.number(),
    }),
  ),
  /** The bound that is being explored, if there is one. */
  bound: count.optional(),
  /** How long it was searched. */
  elapsedMs: z.number().nonnegative(),
});

export interface SearchState {
  readonly part: Part;
  readonly saved: SavedSearch;
  readonly iterations: readonly BoundStep[];
  readonly bound?: number;
  readonly elapsedMs: number;
}
