/**
 * The form of executions (`execution.ts`) and of saved searches as plain data. Nothing that runs needs more of this than its
 * types: the schemas are loaded where such data is read from outside.
 */
import { z } from 'zod';
import { INITIAL } from './execution.ts';

const count = z.int().nonnegative();

/** `path`: 0 for main; the k-th thread that thread P spawns is P.k. */
export const threadFields = { id: count, path: z.string().regex(/^0(\.\d+)*$/) };

export const stepFields = {
  /** The `id` of its thread. */
  thread: count,
  /** For a read: the index of the step whose write it reads; -1 for the initial value. */
  readsFrom: z.int().min(INITIAL).optional(),
  /**
   * For a write: its place in coherence order, a number that rises along the writes to one location. Without it the writes come
   * in the order of the steps, as they do under sequential consistency.
   */
  coherence: count.optional(),
  /** For a choose: the option. */
  choice: count.optional(),
};

/** The order ≤G in which a search has added the steps to a graph: of an update, its read and its write. */
const additionFields = { added: count.optional(), writeAdded: count.optional() };

export const threadSchema = z.strictObject(threadFields);
/**
 * Of the write of an update that keeps another one waiting: the `id` of that one's thread, its place among the events of the thread,
 * and its old place in the order ≤G.
 */
const excludes = z.strictObject({ thread: count, index: count, added: count }).optional();
export const stepSchema = z.strictObject({ ...stepFields, ...additionFields, excludes });

export const executionSchema = z.strictObject({ threads: z.array(threadSchema), steps: z.array(stepSchema) });

// ------------------------------------------------------------------------------------------------------ saved searches

const stepIndex = z.int().min(INITIAL);
/** Of an update whose write is being added: what it reads, and when its read was added. */
const settledRead = z.strictObject({ readsFrom: stepIndex, added: count }).optional();

/** The operation that a search was adding to an execution, and the ways to do so that it has not taken. */
export const openSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('read'), thread: count, added: count, readsFrom: z.array(stepIndex) }),
  z.strictObject({
    kind: z.literal('write'),
    thread: count,
    added: count,
    update: settledRead,
    /** The steps whose writes it may come right after. */
    after: z.array(stepIndex),
    /** The steps whose reads it may revisit. */
    revisits: z.array(count),
  }),
  /** A write that revisits `read`, which is deleted and will be added anew. */
  z.strictObject({
    kind: z.literal('revisit'),
    thread: count,
    added: count,
    update: settledRead,
    after: z.array(stepIndex),
    read: z.strictObject({ thread: count, added: count }),
  }),
  z.strictObject({ kind: z.literal('choose'), thread: count, added: count, choices: z.array(count) }),
  /** The next step of a schedule. */
  z.strictObject({
    kind: z.literal('schedule'),
    steps: z.array(z.strictObject({ thread: count, choice: count.optional() })),
  }),
]);

export const workItemSchema = z.strictObject({
  execution: executionSchema,
  /** Without it all ways are open. */
  open: openSchema.optional(),
  /** The part of the whole search that it is, from 0 to 1: a guess. */
  share: z.number().min(0).max(1),
});

/**
 * What is left of a search: an explorer that loads it goes on to explore exactly that. The last item comes first.
 *
 * The items mean something only together with what the program knew when they were saved. **Once the program learns something that
 * divides what was taken for one (`ProgramRefined`), all of the search is void**: what was explored before, the counts, and what was
 * saved, wherever it is. The whole search starts over with all that is known (`Program.learn`). So an explorer refuses to load what
 * does not fit what its program knows: `SavedSearchVoid`.
 */
export const savedSearchSchema = z.strictObject({
  items: z.array(workItemSchema),
  /** What the program knew (`Program.knowledge`, of the search): the front end has the schema. Absent: nothing. */
  knowledge: z.json().optional(),
  /** Whether the search has found an error before: then data races are looked for with more care. */
  hasErrors: z.boolean(),
});
