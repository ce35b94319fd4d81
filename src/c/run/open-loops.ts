/** The loops that are not known to end, as the program runs: see src/program/open-loops.ts. */
import type { OpenLoop, OpenLoops } from '../../program/open-loops.ts';
import type { Site } from '../runtime.ts';

/** Loops that go round no more than this are not worth a note. */
const FEW = 8;

export class COpenLoops implements OpenLoops {
  deepest = 0;
  /** What a loop compares its rounds with: only a loop that has gone round more often calls `goesOn`. */
  noted = FEW;
  #most: number | undefined;
  #rounds = new Map<Site, number>();

  get most(): number | undefined {
    return this.#most;
  }

  set most(most: number | undefined) {
    this.#most = most;
    this.noted = most ?? FEW;
  }

  aside(body: () => void): void {
    const { deepest } = this;
    const rounds = this.#rounds;
    this.#rounds = new Map(rounds);
    try {
      body();
    } finally {
      this.deepest = deepest;
      this.#rounds = rounds;
    }
  }

  forget(): void {
    this.deepest = 0;
    this.#rounds.clear();
  }

  /** The loop at `site` was stopped, after some rounds. */
  note(site: Site): void {
    if (!this.#rounds.has(site)) this.#rounds.set(site, 0);
  }

  /** The loop at `site` is about to begin another round, after so many; whether it may. */
  goesOn(rounds: number, site: Site): boolean {
    if (rounds > (this.#rounds.get(site) ?? 0)) this.#rounds.set(site, rounds);
    if (this.#most !== undefined) return false;
    if (rounds > this.deepest) this.deepest = rounds;
    return true;
  }

  heardOf(rounds: number): void {
    this.deepest = Math.max(this.deepest, rounds);
  }

  longest(): readonly OpenLoop[] {
    const loops = [...this.#rounds].map(([{ position, functionName }, rounds]) => ({ position, functionName, rounds }));
    return loops.sort((a, b) => b.rounds - a.rounds);
  }
}
