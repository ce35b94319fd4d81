/**
 * When an execution is taken not to end. A long one and an endless one look alike, so it is given time, and no thread is suspected
 * that has performed fewer operations than a computation may well have: whatever the machine, a program of such threads is checked.
 */

/** Operations of a thread in one execution. */
const MANY_OPERATIONS = 1_000_000;
/** How long the search may go on in one execution. */
const PATIENCE_MS = 5000;

export class Patience {
  #executions = 0;
  #endedMs = 0;

  /** Whether it is at an end: so many executions have ended so far, and in this one a thread has performed so many operations. */
  isOver(executions: number, operations: number, elapsedMs: number): boolean {
    if (executions !== this.#executions) {
      this.#executions = executions;
      this.#endedMs = elapsedMs;
    }
    return operations > MANY_OPERATIONS && elapsedMs - this.#endedMs > PATIENCE_MS;
  }
}
