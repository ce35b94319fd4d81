/**
 * Value-centric partial order reduction ([VC], Algorithms 5 to 7): at least one execution for every combination of values that the threads
 * can read, and few of those that differ in less. With every write a value of its own it is DC-DPOR ([DC]).
 *
 * What differs from the paper:
 * - Nothing is run again: what a thread does after a value is remembered, so a node of the search needs no trace. An execution is
 *   made (`Realisation`) where one is to be shown.
 * - VC-DPOR, ExtendRoot, ExtendLeaf and Extend are one loop over a stack of decisions (remark 3): in which order two events come, which
 *   option a choose takes, which thread reads which value next.
 * - An update is one event that reads and writes; so is a lock, which reads that the mutex is free. Operations that wait have only
 *   the values that let them through.
 * - C(r) is a count of events for each thread, not a read: a thread may also stop at a join.
 * - Deadlocks and livelocks: see `FinalMemory`.
 * - Optimisation 2 does not skip orders where something is freed: whether an access can come after that depends on them.
 * - After all values of a read that does not wait and does not write, the other threads' reads need not be tried if nobody has written to
 *   its location in what was explored: see `#isSettled`.
 * - Data races are not looked for: two executions of one class may differ in what happens before what.
 */
import { type Behaviours, Step } from '../../program/behaviours.ts';
import { NONE } from '../../program/columns.ts';
import { type Ending, endingOf } from '../../program/ending.ts';
import { LOCKED } from '../../program/orders.ts';
import {
  type Counts,
  type ExploreOptions,
  type Explorer,
  executionsOf,
  type Finding,
  isRerun,
  noCounts,
  type Warning,
} from '../explorer.ts';
import { Findings } from '../findings.ts';
import { AnnotatedOrder, type Observed, type Side } from './annotated-order.ts';
import { Candidates } from './candidates.ts';
import { Closure } from './closure.ts';
import { FinalMemory } from './final-memory.ts';
import { Misuses } from './misuses.ts';
import { Realisation } from './realise.ts';

export interface ValueCentricOptions extends ExploreOptions {
  /** The path of the root. */
  readonly root: string;
  /** Whether a read after which its thread writes comes first (optimisation 1 of appendix D). */
  readonly writersFirst: boolean;
  /** Whether one execution in which all threads end stands for those that differ from it in orders alone (optimisation 2). */
  readonly siblings: boolean;
  /** Whether writes of leaves that no read is to read are left unordered (optimisation 3). */
  readonly unordered: boolean;
}

/** What is decided at a point of the search. */
const Kind = {
  /** Nothing: the beginning. */
  START: 0,
  /** Which of two events comes first. */
  ORDER: 1,
  /** Which option a choose takes. */
  CHOICE: 2,
  /** Which thread reads what next. */
  READ: 3,
} as const;

/** A decision, and what is needed to take it back. Frames are used again and again. */
class Frame {
  kind: number = Kind.START;
  /** How many events there were, and which orders. */
  length = 0;
  mark = 0;
  /** ORDER: the two events. CHOICE: the thread, and the option that it takes. */
  a = NONE;
  b = NONE;
  isTurned = false;
  /** ORDER: whether the last event is a read whose thread has not gone on. */
  isReadPending = false;
  /** READ: the threads in the order in which they come; the one whose turn it is; how often somebody has gone on from here. */
  readonly threads: number[] = [];
  turn = 0;
  /** READ: how many have had their turns. */
  turns = 0;
  children = 0;
  /** READ: whether threads that wait may wait here for ever. */
  standsStill = false;
  /** READ: what the thread whose turn it is may read, and the one that it reads. */
  readonly candidates = new Candidates();
  choice = 0;
  /**
   * READ: the location that is read, by its key, if it is a plain read and considered for the first time; whether others have written
   * there since.
   */
  location = NONE;
  isWritten = false;
  /** READ: what was considered for the reads of the threads before their turn. */
  readonly considered: number[] = [];
  width = 0;
  /** The place of the last START, CHOICE or READ below. */
  base = 0;
  /** START, CHOICE, READ: of the thread and value pairs that are tried next, those after which all threads have ended. */
  readonly done: number[] = [];
}

export class ValueCentric implements Explorer {
  readonly behaviours: Behaviours;
  readonly counts: Counts = noCounts();
  readonly #options: ValueCentricOptions;
  readonly #findings: Findings;
  readonly #order: AnnotatedOrder;
  readonly #closure: Closure;
  readonly #finalMemory: FinalMemory;
  readonly #realisation: Realisation;
  readonly #misuses: Misuses;
  readonly #frames: Frame[] = [];
  #depth = 0;
  /** The place of the last START, CHOICE or READ. */
  #base = 0;
  /** The last event: whether it is an access that is to be ordered with others; whether it is a read and its thread has not gone on. */
  #isUnordered = false;
  #isReadPending = false;
  #isGoingBack = false;
  #isStarted = false;
  isExhausted = false;
  /** How many nodes there were: points at which it was decided which thread reads what. */
  nodes = 0;

  constructor(behaviours: Behaviours, options: ValueCentricOptions, observed: Observed) {
    this.behaviours = behaviours;
    behaviours.copiesObjects = false; // values outlive states here, but threads that are run again make others
    this.#options = options;
    this.#findings = new Findings(behaviours, options, this.counts);
    this.#order = new AnnotatedOrder(behaviours, options.root, observed);
    this.#closure = new Closure(this.#order);
    this.#finalMemory = new FinalMemory(this.#order, this.#closure);
    this.#realisation = new Realisation(this.#order);
    this.#misuses = new Misuses(this.#order, this.#closure, this.#realisation, this.#findings);
  }

  get findings(): readonly Finding[] {
    return this.#findings.list;
  }

  get warnings(): readonly Warning[] {
    return this.#findings.warnings;
  }

  get cutExecutions(): number {
    return this.#findings.cut;
  }

  get exitStatus(): number | undefined {
    return this.#findings.exitStatus;
  }

  run(steps: number): boolean {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#push(Kind.START);
      this.#reached(0);
    }
    for (let i = 0; i < steps && !this.isExhausted && !this.#findings.isOver; i++) {
      if (this.#isGoingBack) this.#goBack();
      else this.#goOn();
    }
    return this.isExhausted || this.#findings.isOver;
  }

  progress(): number {
    if (this.isExhausted) return 1;
    let part = 0;
    let weight = 1;
    for (let i = 0; i < this.#depth; i++) {
      const frame = this.#frames[i] as Frame;
      if (frame.kind === Kind.ORDER) {
        weight /= 2;
        if (frame.isTurned) part += weight;
      } else if (frame.kind === Kind.READ) {
        weight /= frame.threads.length + 1;
        part += weight * frame.turn;
      }
    }
    return part;
  }

  /** The execution that the search is at; closed orders have one. */
  get realisation(): Realisation {
    this.#realisation.realise();
    return this.#realisation;
  }

  get order(): AnnotatedOrder {
    return this.#order;
  }

  // ------------------------------------------------------------------------------------------------------ forwards

  #goOn(): void {
    const p = this.#order;
    if (this.#isUnordered) {
      if (this.#decideOrder()) return;
      this.#isUnordered = false;
      this.#misuses.look(p.length - 1);
    }
    if (this.#isReadPending) {
      this.#isReadPending = false;
      const frame = this.#frames[this.#base] as Frame;
      frame.children++;
      if (p.writes(p.length - 1)) this.#noteWrite(p.length - 1);
      p.goOn(p.length - 1);
      this.#reached(p.thread[p.length - 1]!);
      return;
    }
    for (let t = 0; t < p.threadCount; t++) {
      if (!p.canExtend(t)) continue;
      if (this.behaviours.step[p.stateOf(t)] === Step.CHOOSE) this.#decideChoice(t);
      else this.#extend(t, 0);
      return;
    }
    this.#arrive();
  }

  /** WExtend: an operation of thread t that is no read. */
  #extend(t: number, choice: number): void {
    const p = this.#order;
    const e = p.extend(t, choice);
    if (p.writes(e)) {
      if (!this.#closure.close()) throw new Error('a write cannot be added to a closed order');
      this.#noteWrite(e);
      this.#isUnordered = true;
    }
    this.#reached(t);
    const s = p.before[e]!;
    if (this.behaviours.step[s] === Step.SPAWN) this.#reached(this.behaviours.operand[s]!);
    if (this.behaviours.step[s] === Step.JOIN) this.#misuses.lookAtJoin(e);
  }

  /** Extend, item 2: the last event is to be ordered with another one. False if there is none. */
  #decideOrder(): boolean {
    if (!this.#findUnordered(this.#order.length - 1)) return false;
    const frame = this.#push(Kind.ORDER);
    frame.a = this.#pairA;
    frame.b = this.#pairB;
    frame.isTurned = false;
    frame.isReadPending = this.#isReadPending;
    if (!this.#orders(frame.a, frame.b)) this.#isGoingBack = true;
    return true;
  }

  #orders(a: number, b: number): boolean {
    return this.#order.order(a, b) && this.#closure.close();
  }

  #decideChoice(t: number): void {
    const frame = this.#push(Kind.CHOICE);
    frame.a = t;
    frame.b = 0;
    this.#extend(t, 0);
  }

  /** All threads have run up to their next reads. */
  #arrive(): void {
    const { behaviours: b } = this;
    const p = this.#order;
    p.tidy();
    this.nodes++;
    let isAllEnded = true;
    let reads = 0;
    let waits = 0;
    for (let t = 0; t < p.threadCount; t++) {
      const s = p.stateOf(t);
      if (s === NONE || b.step[s] === Step.END) continue;
      isAllEnded = false;
      if (b.step[s] !== Step.READ) continue;
      reads++;
      if (b.mayBlock[s] === 1) waits++;
    }
    if (isAllEnded) this.#ended('complete');
    const standsStill = !isAllEnded && reads === waits && this.#standsStill();
    if (reads > 0) this.#decideRead(standsStill);
    else if (isAllEnded && this.#options.siblings) this.#skipSiblings();
    else this.#isGoingBack = true;
  }

  #ended(ending: Ending): void {
    this.#findings.ended(
      ending,
      (t) => this.#order.stateOf(t),
      () => this.realisation.witness(),
    );
    if (isRerun(executionsOf(this.counts))) this.realisation.rerun();
  }

  /** If all threads may wait for ever here, that is an execution. */
  #standsStill(): boolean {
    const mark = this.#order.mark();
    const standsStill = this.#finalMemory.standsStill();
    if (standsStill) {
      this.#misuses.lookAtWaiting();
      this.#ended(endingOf(this.realisation));
    }
    this.#order.undoOrders(mark);
    return standsStill;
  }

  /**
   * All threads have ended after a value was read: whatever differs from this in orders alone has the same values. Whether an access can
   * come after a free depends on orders.
   */
  #skipSiblings(): void {
    const read = this.#frames[this.#base] as Frame;
    this.#isGoingBack = true;
    if (read.kind !== Kind.READ || this.#misuses.hasFrees()) return;
    const { done } = this.#frames[read.base] as Frame;
    done.push(read.threads[read.turn] as number, this.#observationOf(read));
    this.#depth = Math.min(this.#depth, this.#base + 1); // what these frames have added, the read takes back, too
  }

  #isDone(frame: Frame, t: number): boolean {
    const { done } = this.#frames[frame.base] as Frame;
    const observation = this.#observationOf(frame);
    for (let i = 0; i < done.length; i += 2) if (done[i] === t && done[i + 1] === observation) return true;
    return false;
  }

  /** What the read that is tried is told apart by: its value, or its write. */
  #observationOf({ candidates, choice }: Frame): number {
    return (this.#order.observed === 'values' ? candidates.value[choice] : candidates.source[choice]) as number;
  }

  #decideRead(standsStill: boolean): void {
    const frame = this.#push(Kind.READ);
    frame.standsStill = standsStill;
    frame.children = 0;
    frame.turn = 0;
    frame.turns = 0;
    frame.width = this.#order.width;
    this.#sortThreads(frame.threads);
    this.#beginTurn(frame);
    this.#isGoingBack = true; // to the first option of this frame
  }

  /** The threads with a read, in the order in which they are tried. */
  #sortThreads(threads: number[]): void {
    const p = this.#order;
    const b = this.behaviours;
    threads.length = 0;
    for (let t = 0; t < p.threadCount; t++) {
      const s = p.stateOf(t);
      if (s === NONE || b.step[s] !== Step.READ) continue;
      const rank = this.#rank(t);
      let at = threads.push(t) - 1;
      for (; at > 0 && this.#rank(threads[at - 1] as number) < rank; at--) threads[at] = threads[at - 1] as number;
      threads[at] = t;
    }
  }

  /** More is earlier. */
  #rank(t: number): number {
    const isRoot = t === this.#order.root ? 1 : 0;
    return this.#options.writersFirst ? 2 * this.behaviours.writesAfter(this.#order.stateOf(t)) + isRoot : isRoot;
  }

  #beginTurn(frame: Frame): void {
    frame.choice = -1;
    const t = frame.threads[frame.turn];
    if (t === undefined) return;
    frame.candidates.find(this.#order, t);
    const b = this.behaviours;
    const s = this.#order.stateOf(t);
    const isPlain = b.mayBlock[s] === 0 && (b.order[s]! & LOCKED) === 0;
    frame.location = isPlain && !this.#order.wasConsidered(t) ? b.keyOfAccessed(s) : NONE;
    frame.isWritten = false;
  }

  /** A write was added: those decisions on the way that are about its location need to know. */
  #noteWrite(e: number): void {
    const location = this.behaviours.keyOfAccessed(this.#order.before[e]!);
    for (let i = this.#depth - 1; i >= 0; i--) {
      const frame = this.#frames[i] as Frame;
      if (frame.kind === Kind.READ && frame.location === location) frame.isWritten = true;
    }
  }

  /**
   * All that the read r whose turn it was can read of what is there has been explored. What is left are executions in which r reads a write
   * that is not there yet. It comes before r, so it does not depend on it; the same execution with r right at this node, which
   * reads what is last there, has that write, too, and was explored. If no write to the location was seen, there is none.
   * (A read always comes if it does not wait; if it wrote, others might see that.)
   */
  #isSettled(frame: Frame): boolean {
    return frame.location !== NONE && !frame.isWritten;
  }

  // ----------------------------------------------------------------------------------------------------------- back

  /** To the last decision that can be taken otherwise. */
  #goBack(): void {
    const frame = this.#frames[this.#depth - 1] as Frame;
    this.#undoTo(frame);
    switch (frame.kind) {
      case Kind.ORDER:
        this.#turnOrder(frame);
        break;
      case Kind.CHOICE:
        this.#nextOption(frame);
        break;
      case Kind.READ:
        this.#nextRead(frame);
        break;
      default:
        this.isExhausted = true;
    }
  }

  #undoTo({ length, mark }: Frame): void {
    const p = this.#order;
    this.#closure.forget();
    while (p.length > length) p.undo();
    p.undoOrders(mark);
  }

  #turnOrder(frame: Frame): void {
    if (frame.isTurned) {
      this.#pop();
      return;
    }
    frame.isTurned = true;
    if (!this.#orders(frame.b, frame.a)) {
      this.#undoTo(frame);
      this.#pop();
      return;
    }
    this.#isUnordered = true;
    this.#isReadPending = frame.isReadPending;
    this.#isGoingBack = false;
  }

  #nextOption(frame: Frame): void {
    const options = this.behaviours.operand[this.#order.stateOf(frame.a)]!;
    if (++frame.b === options) {
      this.#pop();
      return;
    }
    frame.done.length = 0;
    this.#base = this.#depth - 1;
    this.#isGoingBack = false;
    this.#extend(frame.a, frame.b);
  }

  /** ExtendRoot, ExtendLeaf: the next value of the thread whose turn it is, or the next thread's turn. */
  #nextRead(frame: Frame): void {
    const p = this.#order;
    const { threads, candidates } = frame;
    const t = threads[frame.turn];
    if (t === undefined) {
      this.#leaveNode(frame);
      return;
    }
    if (++frame.choice === candidates.count) {
      p.considerAll(t, frame.considered, frame.turn * (frame.width + 1), frame.width);
      frame.turns = frame.turn + 1;
      frame.turn = this.#isSettled(frame) ? frame.threads.length : frame.turn + 1;
      this.#beginTurn(frame);
      return;
    }
    if (this.#options.siblings && this.#isDone(frame, t)) {
      frame.children++;
      return;
    }
    const value = candidates.value[frame.choice] as number;
    p.addRead(t, value, candidates.source[frame.choice] as number, candidates.side[frame.choice] as Side);
    if (!this.#closure.close()) {
      this.#undoTo(frame);
      return;
    }
    frame.done.length = 0;
    this.#base = this.#depth - 1;
    this.#isUnordered = true;
    this.#isReadPending = true;
    this.#isGoingBack = false;
  }

  #leaveNode(frame: Frame): void {
    for (let turn = frame.turns - 1; turn >= 0; turn--) {
      this.#order.reconsider(frame.threads[turn] as number, frame.considered, turn * (frame.width + 1), frame.width);
    }
    if (frame.children === 0 && !frame.standsStill) this.counts.redundant++;
    this.#pop();
  }

  // ---------------------------------------------------------------------------------------------------------- frames

  #push(kind: number): Frame {
    const place = this.#depth++;
    if (place === this.#frames.length) this.#frames.push(new Frame());
    const frame = this.#frames[place] as Frame;
    frame.kind = kind;
    frame.length = this.#order.length;
    frame.mark = this.#order.mark();
    frame.base = this.#base;
    if (kind !== Kind.ORDER) {
      frame.done.length = 0;
      this.#base = place;
    }
    return frame;
  }

  #pop(): void {
    this.#base = (this.#frames[--this.#depth] as Frame).base;
    this.#isGoingBack = true;
  }

  // ---------------------------------------------------------------------------------------------------------- orders

  #pairA = NONE;
  #pairB = NONE;

  /** A pair of events of leaves that must be ordered now that e, the last event, is there. */
  #findUnordered(e: number): boolean {
    const p = this.#order;
    const isOfLeaf = !p.isOfRoot(e);
    if (isOfLeaf && p.writes(e) && this.#findUnorderedRead(e)) return true;
    if (!this.#options.unordered) return isOfLeaf && this.#findUnorderedWrite(e, false);
    if (isOfLeaf && p.reads(e) && this.#findUnorderedWrite(e, false)) return true;
    return (isOfLeaf || p.reads(e)) && this.#findObserved(p.location[e]!);
  }

  /** A read of a leaf that is not ordered with e, a write of one. */
  #findUnorderedRead(e: number): boolean {
    const p = this.#order;
    for (let r = p.lastRead(p.location[e]!); r !== NONE; r = p.previousRead[r]!) {
      if (r === e || p.isOfRoot(r) || p.isBefore(r, e) || p.isBefore(e, r)) continue;
      return this.#isPair(r, e);
    }
    return false;
  }

  /** A write of a leaf that is not ordered with e, and can be read, where that is asked for. */
  #findUnorderedWrite(e: number, isObservable: boolean): boolean {
    const p = this.#order;
    for (let t = 0; t < p.threadCount; t++) {
      if (t === p.root || t === p.thread[e]) continue;
      for (let w = p.lastWrite(p.location[e]!, t); w !== NONE && !p.isBefore(w, e); w = p.previousWrite[w]!) {
        if (p.isBefore(e, w)) continue;
        if (isObservable && !this.#closure.isObservable(w)) continue;
        return this.#isPair(w, e);
      }
    }
    return false;
  }

  /** Two writes of leaves to the location that are not ordered, can both be read, and one of which is good for a read. */
  #findObserved(location: number): boolean {
    const p = this.#order;
    if (!this.#haveSeveralWritten(location)) return false;
    for (let t = 0; t < p.threadCount; t++) {
      if (t === p.root) continue;
      for (let w = p.lastWrite(location, t); w !== NONE; w = p.previousWrite[w]!) {
        if (p.goodFor[w] === 0 || !this.#closure.isObservable(w)) continue;
        if (this.#findUnorderedWrite(w, true)) return true;
      }
    }
    return false;
  }

  /** Whether more than one leaf has written to the location. */
  #haveSeveralWritten(location: number): boolean {
    const p = this.#order;
    let writers = 0;
    for (let t = 0; t < p.threadCount; t++) if (t !== p.root && p.lastWrite(location, t) !== NONE) writers++;
    return writers > 1;
  }

  #isPair(a: number, b: number): true {
    this.#pairA = a;
    this.#pairB = b;
    return true;
  }

  #reached(t: number): void {
    const s = this.#order.stateOf(t);
    if (this.behaviours.step[s] === Step.FAIL) this.#findings.reached(t, s, () => this.realisation.witness());
  }
}
