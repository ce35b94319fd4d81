/**
 * Realize ([VC], lemma 4.1): a linearisation of a closed annotated partial order in which every read reads a good write. Events of the
 * root come before those of leaves wherever the order allows.
 */
import { Step } from '../../program/behaviours.ts';
import { type Column, grown, NONE } from '../../program/columns.ts';
import type { ThreadsAtEnd } from '../../program/ending.ts';
import { type Execution, type ExecutionStep, INITIAL, numberedThreads } from '../../program/execution.ts';
import type { AnnotatedOrder } from './annotated-order.ts';

/** An execution, and how it leaves the memory: what can be told of threads that cannot go on. */
export class Realisation implements ThreadsAtEnd {
  readonly #order: AnnotatedOrder;
  /** The events in the order in which they happen. */
  #trace: Column = new Int32Array(64);
  #length = 0;
  /** By event: its place in the trace. */
  #place: Column = new Int32Array(64);
  /** By thread: how many of its events are in the trace, and are to be. */
  #done: Column = new Int32Array(8);
  #goal: Column = new Int32Array(8);
  /** The events of all threads, one thread after the other; by thread: where they begin. */
  #events: Column = new Int32Array(64);
  #firstOf: Column = new Int32Array(8);
  /** By location: the last write, NONE for the initial value. By event: the write that it reads. */
  readonly #memory = new Map<number, number>();
  #readsFrom: Column = new Int32Array(64);

  constructor(order: AnnotatedOrder) {
    this.#order = order;
  }

  get behaviours() {
    return this.#order.behaviours;
  }

  /** Makes the execution anew, from the order as it is. */
  realise(): void {
    const p = this.#order;
    const { root } = p;
    this.#begin();
    for (let i = 0; root !== NONE && i < p.countOf(root); i++) {
      const e = this.#eventAt(root, i);
      for (let t = 0; t < p.threadCount; t++) this.#goal[t] = t === root ? i : p.known(e, t);
      this.#performUpToGoal();
      this.#append(e);
    }
    for (let t = 0; t < p.threadCount; t++) this.#goal[t] = p.countOf(t);
    this.#performUpToGoal();
    this.#follow();
  }

  /** Whether a comes before b in the execution. */
  isBefore(a: number, b: number): boolean {
    return this.#place[a]! < this.#place[b]!;
  }

  /** The execution as a witness, up to event `end` if that is given: where it leads to an error, that comes next. */
  witness(end = NONE): Execution {
    const p = this.#order;
    const { step, threads } = p.behaviours;
    const steps: ExecutionStep[] = [];
    const length = end === NONE ? this.#length : this.#place[end]!;
    for (let i = 0; i < length; i++) {
      const e = this.#trace[i]!;
      const from = this.#readsFrom[e]!;
      steps.push({
        thread: p.thread[e]!,
        ...(p.reads(e) ? { readsFrom: from === NONE ? INITIAL : this.#place[from]! } : {}),
        ...(step[p.before[e]!] === Step.CHOOSE ? { choice: p.choice[e]! } : {}),
      });
    }
    return { threads: numberedThreads(threads), steps };
  }

  /** The threads are run again along the execution: they must do the same. */
  rerun(): void {
    const p = this.#order;
    const b = p.behaviours;
    if (b.values.sawIdentity) return; // new objects would be others
    b.beginRerun();
    for (let i = 0; i < this.#length; i++) b.rerun(p.before[this.#trace[i]!]!, p.after[this.#trace[i]!]!);
    b.endRerun();
  }

  // --------------------------------------------------------------------------------------------------- how it ends

  get threadCount(): number {
    return this.#order.threadCount;
  }

  stateOf(t: number): number {
    return this.#order.stateOf(t);
  }

  valueAwaited(_t: number, s: number): number {
    return this.#valueIn(this.behaviours.location[s]!);
  }

  lastStep(t: number): number {
    return this.#order.lastOf(t);
  }

  previousStep(e: number): number {
    return this.#order.previous[e]!;
  }

  stateBefore(e: number): number {
    return this.#order.before[e]!;
  }

  wouldReadAgain(e: number): boolean {
    return this.#order.valueRead[e] === this.#valueIn(this.#order.location[e]!);
  }

  settles(): boolean {
    return true;
  }

  // ---------------------------------------------------------------------------------------------------------------

  #valueIn(location: number): number {
    const w = this.#memory.get(location) ?? NONE;
    return w === NONE ? this.behaviours.initialValue(location) : this.#order.valueWritten[w]!;
  }

  #begin(): void {
    const p = this.#order;
    this.#length = 0;
    if (p.length > this.#trace.length) {
      this.#trace = grown(this.#trace, p.length);
      this.#place = grown(this.#place, p.length);
      this.#readsFrom = grown(this.#readsFrom, p.length);
      this.#events = grown(this.#events, p.length);
    }
    if (p.threadCount > this.#done.length) {
      this.#done = grown(this.#done, p.threadCount);
      this.#goal = grown(this.#goal, p.threadCount);
      this.#firstOf = grown(this.#firstOf, p.threadCount);
    }
    this.#done.fill(0);
    for (let t = 0, first = 0; t < p.threadCount; t++) {
      this.#firstOf[t] = first;
      first += p.countOf(t);
    }
    for (let e = 0; e < p.length; e++) this.#events[this.#firstOf[p.thread[e]!]! + p.index[e]!] = e;
  }

  /** Performs what is missing of each thread, up to as many events as are its goal, in an order that P allows. */
  #performUpToGoal(): void {
    const p = this.#order;
    for (let isDone = false; !isDone; ) {
      isDone = true;
      for (let t = 0; t < p.threadCount; t++) {
        while (this.#done[t]! < this.#goal[t]!) {
          const e = this.#eventAt(t, this.#done[t]!);
          if (!this.#isReady(e)) {
            isDone = false;
            break;
          }
          this.#append(e);
        }
      }
    }
  }

  /** Whether all that is before e has been performed. */
  #isReady(e: number): boolean {
    const p = this.#order;
    for (let t = 0; t < p.threadCount; t++) {
      if (t !== p.thread[e] && p.known(e, t) > this.#done[t]!) return false;
    }
    return true;
  }

  #eventAt(t: number, index: number): number {
    return this.#events[this.#firstOf[t]! + index]!;
  }

  #append(e: number): void {
    this.#place[e] = this.#length;
    this.#trace[this.#length++] = e;
    const t = this.#order.thread[e]!;
    this.#done[t] = this.#done[t]! + 1;
  }

  /** Who reads from whom; that they read what they are to read is what the closure is for. */
  #follow(): void {
    const p = this.#order;
    this.#memory.clear();
    for (let i = 0; i < this.#length; i++) {
      const e = this.#trace[i]!;
      const location = p.location[e]!;
      if (location === NONE) continue;
      if (p.reads(e)) {
        this.#readsFrom[e] = this.#memory.get(location) ?? NONE;
        if (!p.isGood(e, this.#readsFrom[e]!)) throw new Error('a closed order is not realised');
      }
      if (p.writes(e)) this.#memory.set(location, e);
    }
  }
}
