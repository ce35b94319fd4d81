/**
 * What can be seen of one execution, whoever made it: the oracle, or an explorer whose execution has been turned into
 * this record. Two executions are the same if the keys of classes.ts say so.
 *
 * Operations are named `PATH:INDEX`. The main thread's PATH is "0"; the k-th thread (from 0) that thread P spawned is
 * "P.k"; INDEX counts the steps of the thread from 0.
 */

/**
 * - `failed`: some thread failed (an assertion, a misused lock);
 * - `complete`: all threads ended, or one ended the program;
 * - `blocked`: some thread was stopped by an assume;
 * - `livelock`: none of these, and some thread waits in an await that does not sleep;
 * - `deadlock`: none of these.
 */
export type Outcome = 'failed' | 'complete' | 'blocked' | 'livelock' | 'deadlock';

export const outcomes: readonly Outcome[] = ['complete', 'blocked', 'deadlock', 'livelock', 'failed'];

export interface ObservedStep {
  /** `PATH:INDEX` */
  readonly id: string;
  /**
   * The kind of operation and what it acts on: `load x`, `store x`, `exchange x`, `fetchAdd x`, `compare-exchange x`,
   * `await-load x`, `await-update x`, `allocate o`, `free o`, `lock m`, `trylock m`, `unlock m`, `spawn PATH`, `join PATH`, `fence`, `yield`, `choose`, `block`.
   * Plain accesses are `load d` and `store d` too.
   */
  readonly label: string;
  /** For a step that reads memory (updates, lock and trylock do): the step that wrote what it read, or `init`. */
  readonly readsFrom?: string | undefined;
  /** For `choose`: the value. */
  readonly choice?: number | undefined;
}

export interface Observed {
  readonly outcome: Outcome;
  /** In any order. */
  readonly steps: readonly ObservedStep[];
  /**
   * Per location that was written, the steps that wrote it, in order, without the initial value: stores, exchanges,
   * fetchAdds, compare-exchanges that succeeded, locks, trylocks that succeeded, unlocks.
   */
  readonly coherence: Readonly<Record<string, readonly string[]>>;
  /** What each thread that ended returned, by PATH. */
  readonly returns: Readonly<Record<string, number>>;
  /** The final value of each location that some step acted on; a mutex is 0 (free) or 1 (held), an object 0 (alive) or 1 (freed). */
  readonly memory: Readonly<Record<string, number>>;
}
