/** The form of the state of a search (`saved-state.ts`): loaded where one is read. */
import { z } from 'zod';
import { searchBounds } from '../explore/explorer.ts';
import { savedSearchSchema } from '../program/execution-schema.ts';
import { partSchema } from './sharing/part-schema.ts';

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
