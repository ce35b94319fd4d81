/** How fast a search is of late. */

/** Over the last half of the search, as it begins slowly: code is compiled, other workers start, more time goes to samples; but over no more than this. */
const MOST_MS = 10_000;
/** Others say now and then how far they are; less than this would be a matter of when they did. */
const BETWEEN_MS = 100;

interface Mark {
  readonly ms: number;
  readonly executions: number;
}

export class Speed {
  readonly #startMs: number;
  /** Where the search was, from as long ago as matters on. */
  readonly #marks: Mark[];

  constructor(ms: number, executions: number) {
    this.#startMs = ms;
    this.#marks = [{ ms, executions }];
  }

  /** So many executions have ended after so many milliseconds. */
  note(ms: number, executions: number): void {
    const marks = this.#marks;
    if (ms - (marks.at(-1) as Mark).ms < BETWEEN_MS) return;
    marks.push({ ms, executions });
    const since = Math.max((this.#startMs + ms) / 2, ms - MOST_MS);
    while (marks.length > 1 && (marks[1] as Mark).ms <= since) marks.shift();
  }

  /** Milliseconds for each execution, when so many have ended after so many milliseconds. */
  msEach(ms: number, executions: number): number {
    const [before] = this.#marks as [Mark];
    return (ms - before.ms) / Math.max(1, executions - before.executions);
  }
}
