/**
 * An execution as plain data, which any other run and any other process can follow: threads by their paths of spawns, and the
 * steps in an order in which each comes after those that it depends on (program order, reads-from, spawn, join). A step is
 * no more than who moves, and what a thread cannot know by itself: which write it reads from, which option it chooses.
 *
 * A witness of an error, a recorded execution, a trace file and what a saved search goes on from are all this one type: those
 * that say more of a step or of a thread add fields. Their schemas, which the types
 * come from, are in `execution-schema.ts`.
 */
import type { z } from 'zod';
import type {
  executionSchema,
  openSchema,
  savedSearchSchema,
  stepSchema,
  threadSchema,
  workItemSchema,
} from './execution-schema.ts';
import type { Knowledge } from './knowledge.ts';

/** Where a read reads the initial value from, or a write comes right after it. */
export const INITIAL = -1;

type Plain<T> = T extends object ? { readonly [K in keyof T]: Plain<T[K]> } : T;

export type ExecutionThread = Plain<z.infer<typeof threadSchema>>;
export type ExecutionStep = Plain<z.infer<typeof stepSchema>>;
export type Execution = Plain<z.infer<typeof executionSchema>>;

/** The threads of a run, by number, as those of an execution: only their paths mean something to another run. */
export function numberedThreads(threads: readonly { readonly path: string }[]): ExecutionThread[] {
  return threads.map(({ path }, id) => ({ id, path }));
}

// ------------------------------------------------------------------------------------------------------ saved searches

export type Open = Plain<z.infer<typeof openSchema>>;
export type WorkItem = Plain<z.infer<typeof workItemSchema>>;
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
