/**
 * The races of a schedule ([Await], Algorithm 1, lines 3 to 22), each as the sequence of steps that takes it the other way round:
 * what comes after the earlier step e and does not depend on it (`notdep`), then the later step e'.
 */
import { type Behaviours, Step } from '../program/behaviours.ts';
import { NONE } from '../program/columns.ts';
import { LOCKED } from '../program/orders.ts';
import { BlockingRaces } from './blocking-races.ts';
import type { Interleaving } from './interleaving.ts';
import type { Trace } from './trace.ts';
import type { Sequence } from './wakeup-tree.ts';

export class Races {
  readonly #trace: Trace;
  readonly #interleaving: Interleaving;
  readonly #behaviours: Behaviours;
  readonly #blocking: BlockingRaces;

  constructor(trace: Trace) {
    this.#trace = trace;
    this.#interleaving = trace.interleaving;
    this.#behaviours = trace.interleaving.behaviours;
    this.#blocking = new BlockingRaces(trace);
  }

  /** Builds each such sequence in v and calls `plan` with the step e before which it comes. */
  forEach(v: Sequence, plan: (e: number) => void): void {
    const trace = this.#trace;
    for (let later = 0; later < trace.length; later++) {
      const end = trace.raceStart[later + 1]!;
      for (let k = trace.raceStart[later]!; k < end; k++) {
        const e = trace.races[k]!;
        this.#reverse(e, later, v);
        plan(e);
      }
    }
    this.#blocking.forEach(v, plan);
  }

  /** Line 5: v := notdep(e, E), then the step `later`. */
  #reverse(e: number, later: number, v: Sequence): void {
    const trace = this.#trace;
    const x = this.#interleaving;
    v.length = 0;
    for (let i = e + 1; i < trace.length; i++) {
      if (!trace.happensBefore(e, i)) v.push(i, x.thread[i]!, x.choice[i]!, trace.effect[i]!, trace.location[i]!);
    }
    v.before = x.previous[later] === NONE ? x.spawnOf(x.thread[later]!) : x.previous[later]!;
    v.push(NONE, x.thread[later]!, x.choice[later]!, this.#effectWithout(e, later), trace.location[later]!);
  }

  /** What the step `later` does if e, and what depends on it, has not happened before. */
  #effectWithout(e: number, later: number): number {
    const trace = this.#trace;
    const b = this.#behaviours;
    const s = this.#interleaving.before[later]!;
    if (b.step[s] !== Step.READ || (b.order[s]! & LOCKED) === 0) return trace.effect[later]!;
    const location = trace.location[later]!;
    let value = trace.valueAt(location, e);
    for (let i = e + 1; i < trace.length; i++) {
      if (trace.location[i] === location && !trace.happensBefore(e, i)) value = trace.valueAfter(i, value);
    }
    return trace.effectWith(s, value);
  }
}
