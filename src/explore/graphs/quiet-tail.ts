/**
 * The end of an execution that has nothing to choose: all threads but one have ended, and that one joins them, looks at memory and
 * ends. Such a tail is followed without events, from one known state of the thread to the next.
 *
 * It is left to the explorer, with events, as soon as it might be anything else: a step that no execution has taken yet, any that
 * writes, spawns, chooses, waits, allocates or fails, a second join of a thread, a use of what was freed. Nothing has changed
 * then. So what is followed here has no errors and no clashes, gives no options and revisits nothing:
 * - A join of a thread that has ended is only ever added in one way, and maximally.
 * - A read is followed only when its thread has joined all others. Then all writes happen before it, in every model that tracks
 *   coherence it can read the last one alone, it races with nobody, and no write comes after it that could revisit it.
 *
 * Hot code: nothing is allocated.
 */
import { Step } from '../../program/behaviours.ts';
import { type Column, grown, NONE } from '../../program/columns.ts';
import { Trait } from '../../program/location-table.ts';
import type { ProgramGraph } from './program-graph.ts';

export class QuietTail {
  readonly #threads: ProgramGraph;
  readonly #hasCoherence: boolean;
  /** The thread whose tail was followed, and the state in which it has ended; NONE: there is none. */
  thread = NONE;
  state = NONE;
  /** By thread: the last walk that has joined it. */
  #joined: Column = new Int32Array(8);
  #walk = 0;

  /** `hasCoherence`: whether the model tracks coherence; else tails that read are not followed. */
  constructor(threads: ProgramGraph, hasCoherence: boolean) {
    this.#threads = threads;
    this.#hasCoherence = hasCoherence;
  }

  /** Whether the graph ends so, with all threads ended. If it does, `thread` and `state` say how. */
  follow(): boolean {
    const t = this.#onlyThread();
    if (t === NONE) return false;
    const { behaviours } = this.#threads;
    this.#walk++;
    let hasAll = false;
    for (let s = this.#threads.stateOf(t); s !== NONE; ) {
      switch (behaviours.step[s]) {
        case Step.JOIN:
          s = this.#afterJoin(s);
          break;
        case Step.READ:
          hasAll ||= this.#hasJoinedAll(t);
          if (!hasAll || !this.#hasCoherence) return false;
          s = this.#afterRead(s);
          break;
        case Step.LOCAL:
          s = behaviours.allocates(s) ? NONE : behaviours.knownNext(s);
          break;
        case Step.END:
          this.thread = t;
          this.state = s;
          return true;
        default:
          return false;
      }
    }
    return false;
  }

  clear(): void {
    this.thread = NONE;
  }

  /** The thread that has not ended, if it is the only one. */
  #onlyThread(): number {
    const threads = this.#threads;
    const { step } = threads.behaviours;
    const count = threads.threadCount();
    let only = NONE;
    for (let t = 0; t < count; t++) {
      const s = threads.stateOf(t);
      if (s === NONE || step[s] === Step.END) continue;
      if (only !== NONE) return NONE;
      only = t;
    }
    return only;
  }

  #afterJoin(s: number): number {
    const { behaviours, g } = this.#threads;
    const other = behaviours.operand[s]!;
    if (other === NONE || !this.#threads.hasEnded(other)) return NONE;
    if (other >= this.#joined.length) this.#joined = grown(this.#joined, other + 1);
    if (this.#joined[other] === this.#walk || g.joiners[other] !== NONE) return NONE;
    this.#joined[other] = this.#walk;
    return behaviours.knownAfter(s, behaviours.value[this.#threads.stateOf(other)]!);
  }

  #hasJoinedAll(t: number): boolean {
    const threads = this.#threads;
    const count = threads.threadCount();
    if (count > this.#joined.length) this.#joined = grown(this.#joined, count);
    for (let u = 0; u < count; u++) {
      if (u === t || this.#joined[u] === this.#walk || threads.stateOf(u) === NONE) continue;
      if (!this.#hasJoined(t, u)) return false;
    }
    return true;
  }

  /** Whether an event of t joins u. */
  #hasJoined(t: number, u: number): boolean {
    const { g } = this.#threads;
    for (let e = g.joiners[u]!; e !== NONE; e = g.readNext[e]!) if (g.thread[e] === t) return true;
    return false;
  }

  #afterRead(s: number): number {
    const { behaviours, g } = this.#threads;
    if (behaviours.mayBlock[s] === 1) return NONE;
    const location = behaviours.location[s]!;
    const traits = behaviours.locationTable.traits[location]!;
    if ((traits & Trait.MORTAL) !== 0 && this.#isFreed(behaviours.lifetimeOf(location))) return NONE;
    const init = this.#threads.initOf(location);
    const value = init === NONE ? behaviours.initialValue(location) : g.value[g.coLast[init]!]!;
    const after = behaviours.knownAfter(s, value);
    return after === NONE || behaviours.written[after] !== NONE ? NONE : after;
  }

  #isFreed(lifetime: number): boolean {
    const init = this.#threads.initOf(lifetime);
    return init !== NONE && this.#threads.g.coNext[init] !== NONE;
  }
}
