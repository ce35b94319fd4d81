/**
 * When a search has to stop because memory runs short. First it is to forget what it can work out again; only what is left after that
 * counts.
 */
import type { Behaviours } from '../program/behaviours.ts';
import { type Heap, ownHeap } from './heap.ts';

/** From this part of the heap on it is worth a garbage collection to know more. */
const MUCH = 0.8;
/** Memory is short if so much is left after it. What V8 needs to move objects about, and a result or checkpoint, takes some, too. */
const TOO_MUCH = 0.7;
/** Then there is no time for anything else. */
const ALL_BUT = 0.9;
/** The time between two garbage collections, as a multiple of what one takes. */
const PAUSE_FACTOR = 10;

type Forgetful = Pick<Behaviours, 'epoch' | 'forgetSoon'>;

export class Memory {
  readonly #heap: Heap;
  readonly #now: () => number;
  /** The epoch in which the behaviours were asked to forget, if that is not settled. */
  #askedIn: number | undefined;
  #nextMs = 0;

  constructor(heap: Heap = ownHeap, now = () => performance.now()) {
    this.#heap = heap;
    this.#now = now;
  }

  /** Whether the search has to stop. Asked between slices. */
  isShort(behaviours: Forgetful): boolean {
    const used = this.#heap.used();
    if (used >= MUCH && used < ALL_BUT && this.#now() < this.#nextMs) return false;
    const live = used < MUCH ? 0 : this.#liveNow();
    if (live < TOO_MUCH) {
      this.#askedIn = undefined;
      return false;
    }
    if (this.#askedIn === undefined) {
      this.#askedIn = behaviours.epoch;
      behaviours.forgetSoon();
      this.#nextMs = 0;
    }
    return live >= ALL_BUT || behaviours.epoch !== this.#askedIn;
  }

  #liveNow(): number {
    const start = this.#now();
    const live = this.#heap.live();
    const end = this.#now();
    this.#nextMs = end + PAUSE_FACTOR * (end - start);
    return live;
  }
}
