/**
 * What a location is known by when the behaviours have forgotten it and it is made again: a number that outlives epochs, where the
 * location itself gets another one.
 *
 * A location that a thread makes is the k-th that it makes. With the same answers a thread makes the same locations, so after a prefix
 * of an execution it is the same location in all that continues it. In executions that differ before, the k-th may be another one:
 * keys tell locations apart where both are reached from the same prefix, and only there.
 *
 * One that no thread makes is an object that all runs share.
 */
import type { Location } from './location.ts';

export class LocationKeys {
  #count = 0;
  /** By thread, and by which one it is of those that the thread makes. */
  #made: number[][] = [];
  readonly #others = new WeakMap<Location, number>();

  /** Of the k-th location that thread t makes. */
  made(t: number, k: number): number {
    const made = this.#made[t] ?? [];
    this.#made[t] = made;
    made[k] ??= this.#count++;
    return made[k];
  }

  /** Threads have other numbers: the one that was number `former[t]` is number t. */
  renumber(former: readonly number[]): void {
    const made = this.#made;
    this.#made = former.map((t) => made[t] ?? []);
  }

  /** Of a location that no thread makes. */
  other(location: Location): number {
    const known = this.#others.get(location);
    if (known !== undefined) return known;
    const key = this.#count++;
    this.#others.set(location, key);
    return key;
  }
}
