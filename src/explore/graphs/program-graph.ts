/**
 * An execution graph and the threads of a program: which state of `Behaviours` each thread has reached in the graph. Events
 * hold the states before and after them, so that cutting a thread short, or restoring it, says where it stands.
 *
 * States, values and locations are those of one epoch of the behaviours; in the graph a location is known by its
 * initialising event instead, which outlives epochs, and `rebuild` gives all events their states in a new one.
 */
import { type EventId, type Graph, Kind } from '../../graph/graph.ts';
import type { EventStack } from '../../models/model.ts';
import { type Behaviours, STALE, Step, type ThreadInfo } from '../../program/behaviours.ts';
import { type Column, grown, NONE } from '../../program/columns.ts';
import { type Execution, type ExecutionStep, INITIAL, numberedThreads } from '../../program/execution.ts';
import { InputError } from '../../program/input-error.ts';
import { HELD_UP, isMerging, learns } from '../../program/orders.ts';

/** Which thread goes next where several can go: the leftmost, as long as it can; the rightmost; or any (by a seed). */
type PorfOrder = 'leftmost first' | 'rightmost first' | { readonly seed: number };

/** Events that are run again after an execution, unless it has more. */
const MOST_RERUN = 50_000;

export class ProgramGraph {
  readonly behaviours: Behaviours;
  readonly g: Graph;
  /** By location of `behaviours`: its initialising event, valid if that event says so. */
  #inits: Column = new Int32Array(1).fill(NONE);
  /** By lifetime of `behaviours`: the event that allocates its object, valid if that event says so. */
  readonly #allocations = new Map<number, EventId>();

  /** Whether anybody asks what an atomic read depends on that has no reads-from yet. */
  startsClocks = true;

  constructor(behaviours: Behaviours, g: Graph) {
    this.behaviours = behaviours;
    this.g = g;
  }

  /** The state of thread t in the graph; NONE if it does not exist there. */
  stateOf(t: number): number {
    const { g } = this;
    const e = g.last[t]!;
    return e !== NONE ? g.after[e]! : this.#stateOfStart(t);
  }

  #stateOfStart(t: number): number {
    if (t === 0) return this.behaviours.main();
    const spawn = this.g.spawnedBy[t]!;
    return spawn === NONE ? NONE : this.behaviours.spawned(this.g.state[spawn]!);
  }

  /** The threads known so far; the graph has room for them. */
  threadCount(): number {
    const count = this.behaviours.threadCount;
    if (count > this.g.stride) this.g.ensureThreads(count);
    return count;
  }

  /** The events of all threads. */
  eventCount(): number {
    const { g } = this;
    let events = 0;
    for (let t = this.threadCount() - 1; t >= 0; t--) if (g.last[t] !== NONE) events += g.index[g.last[t]!]! + 1;
    return events;
  }

  hasEnded(t: number): boolean {
    const s = this.stateOf(t);
    return s !== NONE && this.behaviours.step[s] === Step.END;
  }

  /** The event that initialises the location of state s. */
  init(s: number): EventId {
    const location = this.behaviours.location[s]!;
    const known = this.initOf(location);
    if (known !== NONE) return known;
    const e = this.g.addInit(this.behaviours.initialValue(location));
    this.#setInit(location, e);
    return e;
  }

  /** The event that initialises a location of `behaviours`; NONE if the location is not in the graph. */
  initOf(location: number): EventId {
    if (location >= this.#inits.length) return NONE;
    const { g } = this;
    const e = this.#inits[location]!;
    return e !== NONE && e < g.length && g.kind[e] === Kind.INIT && g.state[e] === location ? e : NONE;
  }

  /** The event that allocates the object with this lifetime, which thread t does; NONE: it is not in the graph. */
  allocationOf(lifetime: number, t: number): EventId {
    const { g } = this;
    const known = this.#allocations.get(lifetime) ?? NONE;
    if (known !== NONE && known < g.length && g.has(known) && this.#isAllocation(known, lifetime)) return known;
    let e = g.last[t]!;
    while (e !== NONE && !this.#isAllocation(e, lifetime)) e = g.poPrev[e]!;
    this.#allocations.set(lifetime, e);
    return e;
  }

  #isAllocation(e: EventId, lifetime: number): boolean {
    const { g, behaviours } = this;
    return g.kind[e] === Kind.LOCAL && behaviours.operand[g.state[e]!] === lifetime;
  }

  #setInit(location: number, e: EventId): void {
    if (location >= this.#inits.length) this.#growInits(location + 1);
    this.#inits[location] = e;
    this.g.state[e] = location;
  }

  #growInits(length: number): void {
    const had = this.#inits.length;
    this.#inits = grown(this.#inits, length).fill(NONE, had);
  }

  // ---------------------------------------------------------------------------- the next operation of a thread as an event

  /** A read, thread t being in state s. It may read from any write so far. */
  addRead(t: number, s: number): EventId {
    const r = this.g.add(Kind.READ, t, s, this.init(s));
    this.g.order[r] = this.behaviours.order[s]!;
    this.g.extent[r] = this.behaviours.extent[s]!;
    if (isMerging(this.g.order[r]!)) this.g.hasMerging = true;
    if (this.startsClocks || this.behaviours.plain[s] === 1) this.g.startClock(r);
    return r;
  }

  /** r reads from w, and its thread goes on with that value. Returns whether it is the read of an update. */
  readFrom(r: EventId, w: EventId): boolean {
    const { behaviours, g } = this;
    g.setRf(r, w);
    g.after[r] = behaviours.advance(g.state[r]!, g.value[w]!);
    if (g.after[r] === STALE) this.rebuild();
    const isUpdate = behaviours.written[g.after[r]!] !== NONE;
    g.order[r] = (isUpdate ? behaviours.order : behaviours.orderIfKept)[g.state[r]!]!;
    return isUpdate;
  }

  /** r reads from some write, but its thread does not go on. */
  holdUp(r: EventId): void {
    const { behaviours, g } = this;
    g.after[r] = behaviours.heldUp(g.state[r]!);
    g.order[r] = behaviours.orderIfKept[g.state[r]!]! | HELD_UP;
  }

  /** A write, which has no place in coherence order yet. */
  addWrite(t: number, s: number): EventId {
    const { behaviours, g } = this;
    const w = g.add(Kind.WRITE, t, s, this.init(s));
    g.value[w] = behaviours.value[s]!;
    g.order[w] = behaviours.order[s]!;
    g.after[w] = behaviours.advanceOnly(s);
    if (g.after[w] === STALE) this.rebuild();
    return w;
  }

  /** The write of the update whose read, the last event of its thread, is r. */
  addUpdateWrite(r: EventId): EventId {
    const { g } = this;
    const w = g.add(Kind.WRITE, g.thread[r]!, g.state[r]!, g.location[r]!);
    g.updateRead[w] = r;
    g.after[w] = g.after[r]!;
    g.value[w] = this.behaviours.written[g.after[r]!]!;
    g.order[w] = this.behaviours.order[g.state[r]!]!;
    g.extent[w] = g.extent[r]!;
    return w;
  }

  /** A choose; which option it takes is open. */
  addChoose(t: number, s: number): EventId {
    return this.g.add(Kind.CHOOSE, t, s, NONE);
  }

  choose(e: EventId, option: number): void {
    this.g.value[e] = option;
    this.#conclude(e, this.behaviours.values.idOf(option));
  }

  /** An operation with one answer: a spawn, a join of a thread that has ended, or one that meets nobody. */
  addOther(t: number, s: number): EventId {
    const { behaviours, g } = this;
    const other = behaviours.operand[s]!;
    switch (behaviours.step[s]) {
      case Step.SPAWN: {
        const e = g.add(Kind.SPAWN, t, s, other);
        g.setSpawn(e, other);
        return this.#conclude(e, NONE);
      }
      case Step.JOIN: {
        const e = g.add(Kind.JOIN, t, s, other);
        g.setJoin(e, other);
        return this.#conclude(e, behaviours.value[this.stateOf(other)]!);
      }
      default: {
        const e = g.add(Kind.LOCAL, t, s, NONE);
        g.order[e] = behaviours.order[s]!;
        return this.#conclude(e, NONE);
      }
    }
  }

  /** `answer`: NONE if the operation has but one. */
  #conclude(e: EventId, answer: number): EventId {
    const { behaviours, g } = this;
    const s = g.state[e]!;
    g.after[e] = answer === NONE ? behaviours.advanceOnly(s) : behaviours.advance(s, answer);
    if (g.after[e] === STALE) this.rebuild();
    return e;
  }

  // ------------------------------------------------------------------------------------------------------ all of the graph

  /** Forgets all events, and what the behaviours know where that cannot be used for another execution. */
  clear(): void {
    this.g.undoTo(0);
    this.g.nextStamp = 1;
    if (this.behaviours.values.sawIdentity) this.behaviours.reset();
  }

  /** Runs all threads anew along the graph and gives its events their states in the new epoch (see `Behaviours`). */
  rebuild(order: PorfOrder = 'leftmost first'): void {
    const { behaviours } = this;
    const { program } = behaviours;
    const run = (): void => this.forEachInPorfOrder(order, this.#runAgain);
    do {
      behaviours.reset();
      this.#inits.fill(NONE);
      this.#allocations.clear();
      if (program.inOneGo === undefined) run();
      else program.inOneGo(run);
    } while (behaviours.isMixed);
  }

  readonly #runAgain = (e: EventId): void => {
    const { behaviours, g } = this;
    if (behaviours.isMixed) return; // once more
    const t = g.thread[e]!;
    const before = g.poPrev[e]!;
    const read = g.updateRead[e]!;
    if (read !== NONE) {
      g.state[e] = g.state[read]!;
      g.after[e] = g.after[read]!;
      g.value[e] = behaviours.written[g.after[e]!]!;
      return;
    }
    const s = before !== NONE ? g.after[before]! : this.#stateOfStart(t);
    if (behaviours.step[s] !== g.kind[e]) throw this.#divergence(t);
    g.state[e] = s;
    g.after[e] = this.#answerAgain(e, s);
  };

  #answerAgain(e: EventId, s: number): number {
    const { behaviours, g } = this;
    switch (g.kind[e]) {
      case Kind.READ:
        this.#renumber(s, g.location[e]!);
        if (g.rf[e] === NONE) return NONE;
        return (g.order[e]! & HELD_UP) !== 0 ? behaviours.heldUp(s) : behaviours.advance(s, g.value[g.rf[e]!]!);
      case Kind.WRITE:
        this.#renumber(s, g.location[e]!);
        g.value[e] = behaviours.value[s]!;
        return behaviours.advanceOnly(s);
      case Kind.CHOOSE:
        return g.value[e] === NONE ? NONE : behaviours.advance(s, behaviours.values.idOf(g.value[e]!));
      case Kind.JOIN:
        return behaviours.advance(s, behaviours.value[this.stateOf(g.location[e]!)]!);
      default:
        return behaviours.advanceOnly(s);
    }
  }

  /** The location of state s is the one that `init` initialises. */
  #renumber(s: number, init: EventId): void {
    const location = this.behaviours.location[s]!;
    this.#setInit(location, init);
    this.g.value[init] = this.behaviours.initialValue(location);
  }

  #divergence(t: number): InputError {
    const { name } = this.behaviours.threads[t] as ThreadInfo;
    return new InputError(
      `thread ${name} is not deterministic: run again with the same answers, it asked for other operations than before. ` +
        'The usual causes: Math.random or the clock; a variable that threads share without Heddle knowing of it; ' +
        'an object that is changed after it was stored.',
    );
  }

  /** Calls `visit` for every event after all that it depends on (porf), in one of the orders in which that can be. */
  forEachInPorfOrder(order: PorfOrder, visit: (e: EventId) => void): void {
    const { g } = this;
    const count = this.threadCount();
    const done = new Int32Array(count);
    const isDone = (e: EventId): boolean => g.thread[e] === NONE || g.index[e]! < done[g.thread[e]!]!;
    const canGo = (e: EventId): boolean => {
      if (g.kind[e] === Kind.READ && g.rf[e] !== NONE && !isDone(g.rf[e]!)) return false;
      if (g.kind[e] === Kind.JOIN && g.last[g.location[e]!] !== NONE && !isDone(g.last[g.location[e]!]!)) return false;
      const t = g.thread[e]!;
      return g.poPrev[e] !== NONE || t === 0 || isDone(g.spawnedBy[t]!);
    };
    const cursor = new Int32Array(count).fill(NONE);
    for (let t = 0; t < count; t++) if (g.last[t] !== NONE) cursor[t] = g.first[t]!;
    let left = this.eventCount();
    let seed = typeof order === 'string' ? 0 : order.seed;
    let t = order === 'rightmost first' ? count - 1 : 0;
    const step = order === 'rightmost first' ? count - 1 : 1;
    for (let waited = 0; left > 0; ) {
      if (waited > 1000 * count) throw new Error('events depend on each other in a circle');
      if (typeof order !== 'string') {
        seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
        t = (seed >>> 8) % count;
      }
      if (cursor[t] === NONE || !canGo(cursor[t]!)) {
        t = (t + step) % count;
        waited++;
        continue;
      }
      waited = 0;
      visit(cursor[t]!);
      done[t] = done[t]! + 1;
      cursor[t] = g.poNext[cursor[t]!]!;
      left--;
    }
  }

  /** Whether program order, spawns, joins and reads-from between accesses that are not plain lead from a to b. */
  isOrdered(a: EventId, b: EventId): boolean {
    const { g } = this;
    const seen = new Set<EventId>();
    const todo = [b];
    for (let e = todo.pop(); e !== undefined; e = todo.pop()) {
      if (e === a) return true;
      if (e === NONE || g.thread[e] === NONE || seen.has(e)) continue;
      seen.add(e);
      todo.push(g.eventBefore(e));
      if (g.kind[e] === Kind.READ && g.rf[e] !== NONE && learns(g.order[e]!)) {
        g.forEachSource(e, g.rf[e]!, (w) => {
          if (this.#isAtomicWrite(w)) todo.push(w);
        });
      }
      if (g.kind[e] === Kind.JOIN) {
        const t = g.location[e]!;
        todo.push(g.lastOrSpawn(t));
      }
    }
    return false;
  }

  #isAtomicWrite(w: EventId): boolean {
    const { g } = this;
    return g.thread[w] !== NONE && this.behaviours.plain[g.state[w]!] === 0;
  }

  /**
   * The events, given in an order, as an execution; `last` is left for its thread to ask for (with the read, if it is the write
   * of an update). `coherence`: the writes, those of a location in coherence order, where that need not be the order of the
   * steps.
   */
  witness(order: EventStack, last: EventId, coherence?: EventStack): Execution {
    const { behaviours, g } = this;
    const readOfLast = last === NONE ? NONE : g.updateRead[last]!;
    const steps: ExecutionStep[] = [];
    const stepOf = new Map<EventId, number>();
    const placeOf = new Map<EventId, number>();
    if (coherence !== undefined) for (let i = 0; i < coherence.length; i++) placeOf.set(coherence.items[i]!, i);
    for (let i = 0; i < order.length; i++) {
      const e = order.items[i]!;
      if (e === last || e === readOfLast) continue;
      // an update happens where it writes: others may have read the old value after it did
      if (g.kind[e] === Kind.READ && behaviours.written[g.after[e]!] !== NONE) continue;
      stepOf.set(e, steps.length);
      const read = g.updateRead[e] !== NONE ? g.updateRead[e]! : e;
      if (g.kind[read] === Kind.READ && behaviours.step[g.after[read]!] === Step.STUCK) continue;
      steps.push({
        thread: g.thread[e]!,
        ...(g.kind[read] === Kind.READ ? { readsFrom: stepOf.get(g.rf[read]!) ?? INITIAL } : {}),
        ...(placeOf.has(e) ? { coherence: placeOf.get(e) as number } : {}),
        ...(g.kind[e] === Kind.CHOOSE ? { choice: g.value[e]! } : {}),
      });
    }
    return { threads: numberedThreads(behaviours.threads), steps };
  }

  /**
   * Runs the threads of this execution again, all together, and compares what they do with what is recorded: in several
   * orders, because threads that share variables behind our back agree in the one in which they ran before. The longer it is, the
   * fewer, so that this never takes much longer than the search has; and one is enough where threads cannot share anything so.
   */
  rerun(executions: number): void {
    const orders: PorfOrder[] = ['rightmost first'];
    if (!this.behaviours.isClosed) {
      orders.push('leftmost first');
      for (let i = 0; i < (executions === 1 ? 16 : 2); i++) orders.push({ seed: executions * 16 + i });
    }
    for (const order of orders.slice(0, Math.max(1, Math.floor(MOST_RERUN / this.eventCount())))) {
      if (this.behaviours.values.sawIdentity) this.#rebuildAndCompare(order);
      else this.#rerun(order);
    }
  }

  #rerun(order: PorfOrder): void {
    const { behaviours, g } = this;
    behaviours.beginRerun();
    this.forEachInPorfOrder(order, (e) => {
      if (g.updateRead[e] === NONE) behaviours.rerun(g.state[e]!, g.after[e]!);
    });
    const idle = [...behaviours.threads.keys()].filter((t) => g.last[t] === NONE && this.stateOf(t) !== NONE);
    for (const t of order === 'rightmost first' ? idle.toReversed() : idle) behaviours.rerunStart(this.stateOf(t));
    behaviours.endRerun();
  }

  /** Where values have an identity, runs cannot be compared value by value; but the threads must end up alike. */
  #rebuildAndCompare(order: PorfOrder): void {
    const { behaviours } = this;
    const stepOf = (t: number): number => (this.stateOf(t) === NONE ? NONE : behaviours.step[this.stateOf(t)]!);
    const before = [...behaviours.threads.keys()].map(stepOf);
    this.rebuild(order);
    for (const [t, step] of before.entries()) if (stepOf(t) !== step) throw this.#divergence(t);
  }
}
