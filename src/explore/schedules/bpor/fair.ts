/**
 * [BPOR], Algorithm 4: the procedures for the fair bound.
 *
 * A release, an operation that may enable another thread, makes others dearer: one with fewer yields may be enabled by it. So where
 * a release is explored, all threads are (definition 4.7). Releases are: a spawn; the last operation of a thread, known when it
 * has been performed; a write to a location that a thread waits for, here or in any other schedule from here. Which locations
 * those are is found out on the way. When a new one is met, the points on the way to it are looked at again; points that were
 * left before lead to nobody who waits for it.
 *
 * What differs from the paper: a thread that the bound holds back counts as not enabled where it is asked for. Line 4 means the
 * current state.
 */
import { Step } from '../../../program/behaviours.ts';
import { type Column, grown, NONE } from '../../../program/columns.ts';
import type { FairBound } from '../fair-bound.ts';
import { Mark } from './points.ts';
import type { Procedures, Search } from './procedures.ts';
import { addBacktrackPoint } from './requests.ts';

export class FairProcedures implements Procedures {
  readonly #search: Search;
  readonly #bound: FairBound;
  /** By location: 1 if some thread waits for it somewhere. */
  #isAwaited: Column = new Int32Array(16);
  /** The locations have got other numbers since: all are taken to be waited for. */
  #hasForgotten = false;
  #epoch: number;
  /** By thread, while points are looked at again: its state there. */
  #states: Column = new Int32Array(8);

  /** Told of each step of the schedule that turns out to be a release. */
  readonly #onRelease: (i: number) => void;

  constructor(search: Search, bound: FairBound, onRelease: (i: number) => void = () => {}) {
    this.#search = search;
    this.#bound = bound;
    this.#onRelease = onRelease;
    this.#epoch = search.schedule.behaviours.epoch;
  }

  arrive(d: number): void {
    const { schedule, points } = this.#search;
    const b = schedule.behaviours;
    let isNew = b.epoch !== this.#epoch;
    if (isNew) this.#forget();
    for (let t = 0; t < schedule.threadCount; t++) {
      const s = schedule.stateOf(t);
      if (s === NONE) continue;
      if (b.step[s] === Step.READ && b.mayBlock[s] === 1 && this.#learn(b.location[s]!)) isNew = true;
      if (!points.has(d, t, Mark.ENABLED)) continue;
      if (this.#isRelease(s)) points.set(d, t, Mark.RELEASES);
      if (this.#bound.holdsBack(t)) points.set(d, t, Mark.HELD_BACK);
    }
    if (d > 0 && b.step[schedule.stateOf(schedule.thread[d - 1]!)] === Step.END) {
      points.set(d - 1, schedule.thread[d - 1]!, Mark.RELEASES);
      this.added(d - 1, schedule.thread[d - 1]!);
    }
    if (isNew) this.#lookAgain(d);
  }

  /** Line 4: one that has yielded least; the executing thread, if it is one of them. */
  initialize(d: number): number {
    const { schedule, points } = this.#search;
    let first = d === 0 ? 0 : schedule.thread[d - 1]!;
    if (!points.has(d, first, Mark.ENABLED)) first = NONE;
    for (let t = 0; t < schedule.threadCount; t++) {
      if (!points.has(d, t, Mark.ENABLED)) continue;
      if (first === NONE || this.#bound.yieldsOf(t) < this.#bound.yieldsOf(first)) first = t;
    }
    return first;
  }

  added(d: number, u: number): void {
    const { points, variant } = this.#search;
    const mark = variant.releases ? Mark.RELEASES | Mark.HELD_BACK : Mark.HELD_BACK;
    if (points.has(d, u, mark)) points.addAll(d, Mark.LATER);
  }

  backtrack(i: number, u: number, mark: number): void {
    this.addBacktrackPoint(i, u, mark);
  }

  /** Lines 6 to 9. */
  addBacktrackPoint(d: number, u: number, mark: number): void {
    const added = addBacktrackPoint(this.#search, d, u, mark);
    if (added !== NONE) this.added(d, added);
  }

  /** A step that is no release makes nothing dearer by coming earlier (lemma 5). */
  staysAsleep(q: number, d: number): boolean {
    const { points } = this.#search;
    return !points.has(d - 1, q, Mark.RELEASES) && !points.has(d, q, Mark.RELEASES);
  }

  #isRelease(s: number): boolean {
    const { schedule, dependences } = this.#search;
    const b = schedule.behaviours;
    if (b.step[s] === Step.SPAWN) return true;
    return dependences.letsThrough(s) && this.isOnAwaited(s);
  }

  /** Whether the operation of state s is on a location that some thread waits for. */
  isOnAwaited(s: number): boolean {
    const location = this.#search.schedule.behaviours.location[s]!;
    if (location === NONE) return false;
    return this.#hasForgotten || (location < this.#isAwaited.length && this.#isAwaited[location] === 1);
  }

  /** Some thread waits for the location. Returns whether that is new. */
  #learn(location: number): boolean {
    if (location >= this.#isAwaited.length) this.#isAwaited = grown(this.#isAwaited, location + 1);
    if (this.#isAwaited[location] === 1) return false;
    this.#isAwaited[location] = 1;
    return !this.#hasForgotten;
  }

  #forget(): void {
    this.#epoch = this.#search.schedule.behaviours.epoch;
    this.#hasForgotten = true;
  }

  /** More steps than were known are releases: what would have been asked for at all points up to d is asked for now. */
  #lookAgain(d: number): void {
    const { schedule, points } = this.#search;
    const threads = schedule.threadCount;
    if (threads > this.#states.length) this.#states = grown(this.#states, threads);
    const states = this.#states;
    for (let t = 0; t < threads; t++) states[t] = schedule.stateOf(t);
    for (let p = d; p >= 0; p--) {
      for (let t = 0; t < threads; t++) {
        if (!points.has(p, t, Mark.ENABLED) || points.has(p, t, Mark.RELEASES) || !this.#isRelease(states[t]!))
          continue;
        points.set(p, t, Mark.RELEASES);
        if (points.has(p, t, Mark.ASLEEP)) points.wake(p, t);
        if (points.has(p, t, Mark.WANTED | Mark.LATER)) this.added(p, t);
        if (p < d && schedule.thread[p] === t) this.#onRelease(p);
      }
      if (p > 0) states[schedule.thread[p - 1]!] = schedule.before[p - 1]!;
    }
  }
}
