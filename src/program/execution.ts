/**
 * An execution as plain data, which any other run and any other process can follow: threads by their paths of spawns, and the
 * steps in an order in which each comes after those that it depends on (program order, reads-from, spawn, join). A step is
 * no more than who moves, and what a thread cannot know by itself: which write it reads from, which option it chooses.
 *
 * A witness of an error, a recorded execution, a trace file and what a saved search goes on from are all this one type: those
 * that say more of a step or of a thread add fields. Schemas and types are declared here, once.
 */
import { z } from 'zod';
import type { Knowledge } from './knowledge.ts';

const count = z.int().nonnegative();

/** Where a read reads the initial value from, or a write comes right after it. */
export const INITIAL = -1;

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

const thread = z.strictObject(threadFields);
const step = z.strictObject({ ...stepFields, ...additionFields });

export const executionSchema = z.strictObject({ threads: z.array(thread), steps: z.array(step) });

type Plain<T> = T extends object ? { readonly [K in keyof T]: Plain<T[K]> } : T;

export type ExecutionThread = Plain<z.infer<typeof thread>>;
export type ExecutionStep = Plain<z.infer<typeof step>>;
export type Execution = Plain<z.infer<typeof executionSchema>>;

/** The threads of a run, by number, as those of an execution: only their paths mean something to another run. */
export function numberedThreads(threads: readonly { readonly path: string }[]): ExecutionThread[] {
  return threads.map(({ path }, id) => ({ id, path }));
}

// ------------------------------------------------------------------------------------------------------ saved searches

const stepIndex = z.int().min(INITIAL);
/** Of an update whose write is being added: what it reads, and when its read was added. */
const settledRead = z.strictObject({ readsFrom: stepIndex, added: count }).optional();

/** The operation that a search was adding to an execution, and the ways to do so that it has not taken. */
const open = z.discriminatedUnion('kind', [
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

const workItem = z.strictObject({
  execution: executionSchema,
  /** Without it all ways are open. */
  open: open.optional(),
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
  items: z.array(workItem),
  /** What the program knew (`Program.knowledge`, of the search): the front end has the schema. Absent: nothing. */
  knowledge: z.json().optional(),
  /** Whether the search has found an error before: then data races are looked for with more care. */
  hasErrors: z.boolean(),
});

export type Open = Plain<z.infer<typeof open>>;
export type WorkItem = Plain<z.infer<typeof workItem>>;
export interface SavedSearch extends Plain<Omit<z.infer<typeof savedSearchSchema>, 'knowledge'>> {
  readonly knowledge?: Knowledge | undefined;
}

/** A search that has not begun. */
export const nothingExplored: WorkItem = { execution: { threads: [{ id: 0, path: '0' }], steps: [] }, share: 1 };

/** The order of threads: by the depth of their paths, then as they are spawned. */
export function comparePaths(a: string, b: string): number {
  const [x, y] = [a.split('.'), b.split('.')];
  if (x.length !== y.length) return x.length - y.length;
  for (const [i, component] of x.entries()) {
    const difference = Number(component) - Number(y[i]);
    if (difference !== 0) return difference;
  }
  return 0;
}
