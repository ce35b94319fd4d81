/** The form of a part of a search (`part.ts`): loaded where such data is read from outside. */
import { z } from 'zod';
import type { Counts } from '../../explore/explorer.ts';
import { executionSchema } from '../../program/execution-schema.ts';
import { failureKinds } from '../../program/operation.ts';

const count = z.int().nonnegative();
const position = z.strictObject({ file: z.string(), line: count, column: count }).optional();

const countsSchema = z.strictObject({
  complete: count,
  blocked: count,
  redundant: count,
  overBound: count,
  erroneous: count,
  pruned: count,
  boundBlocked: count,
}) satisfies z.ZodType<Counts>;

const findingSchema = z.strictObject({
  kind: z.enum(failureKinds),
  message: z.string(),
  position,
  threads: z.array(z.string()),
  operation: count.optional(),
  round: count.optional(),
  preemptions: count.optional(),
  witness: executionSchema,
});

const warningSchema = z.strictObject({ kind: z.literal('leak'), message: z.string(), location: position });

/** Of a worker, since it began; or of several, put together. */
export const partSchema = z.strictObject({
  counts: countsSchema,
  /** Executions in which the bound of a loop stopped a thread. */
  cut: count,
  findings: z.array(findingSchema),
  warnings: z.array(warningSchema),
  /** With what status executions have ended the program: 0 also if some have and some have not; absent: none has. */
  status: count.optional(),
  /** Of each bound of the search, what it refused; and whether there was anything that it is about. */
  refused: z.array(count),
  isIdle: z.array(z.boolean()),
  /** What the program has said of itself while it ran. */
  assumptions: z.array(z.string()),
  limits: z.array(z.string()),
});
