/** How far a search goes before somebody looks at the clock. */

/** A slice of a search lasts about so long: for as long another worker may have to wait for an answer. */
const SLICE_MS = 5;
/** Few, because nobody knows yet how long a step takes. */
const FIRST_STEPS = 16;
const MOST_STEPS = 65_536;

export class Pace {
  /** Steps per slice: adapted to how long steps take. */
  #steps = FIRST_STEPS;

  /** What `slice` gives, which is to go so many steps. */
  run<T>(slice: (steps: number) => T): T {
    const start = performance.now();
    const result = slice(this.#steps);
    const factor = performance.now() - start > SLICE_MS ? 0.5 : 2;
    this.#steps = Math.min(MOST_STEPS, Math.max(1, this.#steps * factor));
    return result;
  }
}
