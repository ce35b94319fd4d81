/**
 * The end of an execution that has nothing to choose: all threads but one have ended, and that one joins them, looks at memory and
 * ends. Such a tail is followed without events, from one known state of the thread to the next.
 *
 * It is left to the explorer, with events, as soon as it might be anything else: a step that no execution has taken yet, any that
 * writes, spawns, chooses, waits, allocates or fails, a second join of a thread, a use of what was freed. Nothing has changed
 * then. So what is followed here has no errors and no clashes, gives no options and revisits nothing:
 * - A join of a thread that has ended is only ever added in one way, and maximally.
 * - A read is followed only when its thread has joined all others. Then all writes happen before it, and where the model knows which
 *   one is the last it can read that one alone, it races with nobody, and no write comes after it that could revisit it.
 *
 * `followAfter` asks the same of a graph in which one more event is added, to which nothing else is left to add in its thread: so the
 * ways to add a last event are counted without taking them. Nothing else but what its thread does with locations of its own
 * (`endOf`), which nobody else accesses in the graph: it writes down what it has read, say. A write there has one place and no reads to
 * revisit, a read there one write to read from, and neither races.
 *
 * Hot code: nothing is allocated.
 */
import type { EventId } from '../../graph/graph.ts';
import type { GraphModel } from '../../models/model.ts';
import { Step } from '../../program/behaviours.ts';
import { type Column, grown, NONE } from '../../program/columns.ts';
import { Trait } from '../../program/location-table.ts';
import type { ProgramGraph } from './program-graph.ts';

/** What a thread does with what is its own is followed so far: there may be a loop in it. */
const MOST_STEPS = 64;

export class QuietTail {
  readonly #threads: ProgramGraph;
  readonly #model: GraphModel;
  /** The thread whose tail was followed, and the state in which it has ended; NONE: there is none. */
  thread = NONE;
  state = NONE;
  /** The thread whose last event is taken to be added, the state in which that ends it, and what it writes where (as init). */
  ending = NONE;
  endState = NONE;
  #written = NONE;
  #writtenTo = NONE;
  /** Pairs: a location of that thread alone, and what it writes there after its last event (`endOf`); the last one counts. */
  #own: Column = new Int32Array(8);
  #ownLength = 0;
  /** Whether what was followed last has read something. */
  hasRead = false;
  /** By thread: the last walk that has joined it. */
  #joined: Column = new Int32Array(8);
  #walk = 0;

  constructor(threads: ProgramGraph, model: GraphModel) {
    this.#threads = threads;
    this.#model = model;
  }

  /** Whether the graph ends so, with all threads ended. If it does, `thread` and `state` say how. */
  follow(): boolean {
    this.#ownLength = 0;
    return this.#followOnly(this.#onlyThread());
  }

  /**
   * The same once thread t has ended in state `end`, and its last event has become the last write to `writtenTo` (NONE: to nothing).
   * `ending` and `endState` say so then, too. Only when `beginAfter` has found that no other thread but one is left.
   */
  followAfter(t: number, end: number, writtenTo: number, written: number): boolean {
    this.ending = t;
    this.endState = end;
    this.#writtenTo = writtenTo;
    this.#written = written;
    this.hasRead = false;
    if (this.#only === NONE) {
      this.thread = t;
      this.state = end;
      return true;
    }
    if (this.#followOnly(this.#only)) return true;
    this.clear();
    return false;
  }

  #only = NONE;

  /** Whether the thread writes something between its last event and where it ends (`endOf`). */
  get hasOwn(): boolean {
    return this.#ownLength > 0;
  }

  /** In which state the thread of e ends that is in state s once e is added; NONE: it has more to do than with what is its own. */
  endOf(e: EventId, s: number): number {
    const { behaviours } = this.#threads;
    this.#ownLength = 0;
    let state = s;
    for (let steps = 0; state !== NONE && behaviours.step[state] !== Step.END; steps++) {
      state = steps < MOST_STEPS ? this.#afterOwn(e, state) : NONE;
    }
    return state;
  }

  /** Whether that may be so, if it comes to state s. */
  mayEnd(t: number, s: number): boolean {
    const { behaviours } = this.#threads;
    const step = behaviours.step[s];
    return step === Step.END || step === Step.LOCAL || (step! <= Step.WRITE && this.#isOwn(t, behaviours.location[s]!));
  }

  #afterOwn(e: EventId, s: number): number {
    const { behaviours, g } = this.#threads;
    const t = g.thread[e]!;
    const location = behaviours.location[s]!;
    switch (behaviours.step[s]) {
      case Step.WRITE:
        if (!this.#isOwn(t, location)) return NONE;
        if (this.#ownLength + 2 > this.#own.length) this.#own = grown(this.#own, this.#ownLength + 2);
        this.#own[this.#ownLength++] = location;
        this.#own[this.#ownLength++] = behaviours.value[s]!;
        return behaviours.knownNext(s);
      case Step.READ: {
        const init = this.#threads.initOf(location);
        // e has no place yet, so what it writes is not known to the graph
        if (init === g.location[e] || behaviours.mayBlock[s] === 1 || !this.#isOwn(t, location)) return NONE;
        const after = behaviours.knownAfter(s, this.#lastValue(location, init));
        return after === NONE || behaviours.written[after] !== NONE ? NONE : after;
      }
      case Step.LOCAL:
        return behaviours.allocates(s) ? NONE : behaviours.knownNext(s);
      default:
        return NONE;
    }
  }

  /** Whether nobody but thread t accesses the location in the graph; it is a variable, and stays. */
  #isOwn(t: number, location: number): boolean {
    const init = this.#threads.initOf(location);
    if (init !== NONE) {
      const accessor = this.#threads.g.accessor[init]!;
      if (accessor !== t && accessor !== NONE) return false;
    }
    const { hasMixed, traits } = this.#threads.behaviours.locationTable;
    if (!this.#model.hasCoherence || hasMixed) return false;
    return (traits[location]! & (Trait.MORTAL | Trait.LIFETIME | Trait.MUTEX)) === 0;
  }

  /** Whether all threads but t, and perhaps one more that waits for another to end, have ended. */
  beginAfter(t: number): boolean {
    const threads = this.#threads;
    const { step } = threads.behaviours;
    const count = threads.threadCount();
    this.#only = NONE;
    for (let u = 0; u < count; u++) {
      if (u === t) continue;
      const s = threads.stateOf(u);
      if (s === NONE || step[s] === Step.END) continue;
      if (this.#only !== NONE || step[s] !== Step.JOIN) return false;
      this.#only = u;
    }
    return true;
  }

  #followOnly(t: number): boolean {
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
          if (!hasAll || !(this.#model.hasCoherence || this.#model.isLastKnown?.() === true)) return false;
          this.hasRead = true;
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
    this.ending = NONE;
    this.#writtenTo = NONE;
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
    if (other === NONE || (other !== this.ending && !this.#threads.hasEnded(other))) return NONE;
    if (other >= this.#joined.length) this.#joined = grown(this.#joined, other + 1);
    if (this.#joined[other] === this.#walk || g.joiners[other] !== NONE) return NONE;
    this.#joined[other] = this.#walk;
    const end = other === this.ending ? this.endState : this.#threads.stateOf(other);
    return behaviours.knownAfter(s, behaviours.value[end]!);
  }

  #hasJoinedAll(t: number): boolean {
    const threads = this.#threads;
    const count = threads.threadCount();
    if (count > this.#joined.length) this.#joined = grown(this.#joined, count);
    for (let u = 0; u < count; u++) {
      if (u === t || this.#joined[u] === this.#walk) continue;
      // the state in which the last event ends its thread is not that of the graph yet
      if (threads.stateOf(u) === NONE && u !== this.ending) continue;
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
    const { behaviours } = this.#threads;
    if (behaviours.mayBlock[s] === 1) return NONE;
    const location = behaviours.location[s]!;
    const traits = behaviours.locationTable.traits[location]!;
    if ((traits & Trait.MORTAL) !== 0 && this.#isFreed(behaviours.lifetimeOf(location))) return NONE;
    const init = this.#threads.initOf(location);
    const after = behaviours.knownAfter(s, this.#lastValue(location, init));
    return after === NONE || behaviours.written[after] !== NONE ? NONE : after;
  }

  #lastValue(location: number, init: EventId): number {
    const { behaviours, g } = this.#threads;
    for (let i = this.#ownLength - 2; i >= 0; i -= 2) if (this.#own[i] === location) return this.#own[i + 1]!;
    if (init === NONE) return behaviours.initialValue(location);
    return init === this.#writtenTo ? this.#written : g.value[g.coLast[init]!]!;
  }

  #isFreed(lifetime: number): boolean {
    const init = this.#threads.initOf(lifetime);
    return init !== NONE && this.#threads.g.coNext[init] !== NONE;
  }
}
