/** The errors found so far, each distinct one once. */
import type { Finding } from './explorer.ts';

export class Findings {
  readonly list: Finding[] = [];
  readonly #seen = new Set<string>();

  /** Adds the error that `finding` makes, unless one like it is known. `key` says what makes errors alike. */
  add(key: string, finding: () => Finding): void {
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.list.push(finding());
  }
}
