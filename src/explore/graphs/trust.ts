/**
 * TruSt [TruSt]: optimal dynamic partial order reduction over execution graphs. Algorithm 1 with a model that tracks
 * coherence, Algorithm 2 with one that does not; the model answers what differs (see `GraphModel`).
 *
 * What differs from the paper:
 * - It runs on an explicit stack of frames, one per event that has more than one way to be added; a frame's next option
 *   is tried after undoing all that came after. Unlike in Algorithm 4 nothing is rebuilt: what a revisit deletes keeps
 *   its rows until it is undone, so memory is linear but for nested revisits, as in the authors' implementation.
 * - A consistent graph only grows in consistent ways: the model lists the options that keep it consistent, or refuses one
 *   as soon as it is taken, instead of each recursive call checking afterwards (line 4).
 * - A backward revisit deletes r too and adds it anew, in its old place in the insertion order, reading w.
 * - Awaits and locks are reads that stop their thread when the value does not let them through; the thread is stuck
 *   until a write revisits the read. Such a read is only worth adding where nothing comes after the write it reads:
 *   otherwise it is not maximal, so nothing can revisit it, and it does not show how the execution ends. At the end,
 *   stuck reads must read the last write, else the graph is none of the program's and counts as redundant. Many such
 *   graphs are left out before: see `#leavesStuckInVain`.
 * - A choose is added maximally if it takes its first option. Spawns and joins are events of porf; a join is
 *   available once its thread has ended.
 */
import { type EventId, Graph, Kind } from '../../graph/graph.ts';
import { EventStack, type GraphModel } from '../../models/model.ts';
import { type Behaviours, STALE, Step } from '../../program/behaviours.ts';
import { type Column, grown, NONE } from '../../program/columns.ts';
import { endingOf } from '../../program/ending.ts';
import {
  type Counts,
  type ExploreOptions,
  type Explorer,
  executionsOf,
  type Finding,
  isRerun,
  noCounts,
  type Warning,
  type WitnessStep,
} from '../explorer.ts';
import { Findings } from '../findings.ts';
import { Clashes } from './clashes.ts';
import { EndOfGraph } from './end-of-graph.ts';
import { ProgramGraph } from './program-graph.ts';

/** A frame: an event with options left. */
const Frame = {
  TYPE: 0,
  EVENT: 1,
  /** The read that is revisited (REVISIT). */
  READ: 2,
  /** Its options are options[FROM..TO). For WRITE those before SPLIT are placings, the others reads to revisit. */
  FROM: 3,
  TO: 4,
  SPLIT: 5,
  /** How many options were taken. */
  TAKEN: 6,
  GRAPH_MARK: 7,
  MODEL_MARK: 8,
  STAMP: 9,
  EPOCH: 10,
  SIZE: 11,
} as const;
const FrameType = { READ: 0, WRITE: 1, REVISIT: 2, CHOOSE: 3 } as const;

export class TruSt implements Explorer {
  readonly behaviours: Behaviours;
  readonly g: Graph;
  readonly model: GraphModel;
  readonly #threads: ProgramGraph;
  readonly counts: Counts = noCounts();
  readonly #findings: Findings;
  readonly #clashes: Clashes;

  #frames: Column = new Int32Array(Frame.SIZE * 64);
  #depth = 0;
  readonly #stack = new EventStack();
  /** The read whose update's write comes next ([TruSt], section 4.1: they are adjacent). */
  #due: EventId = NONE;
  /**
   * No thread left of this one is available. An event of thread t makes none of them so, unless it ends its thread (a join
   * may wait for that), and where t was chosen before, none was. A spawn and a revisit start over.
   */
  #leftmost = 0;
  readonly #end: EndOfGraph;
  /** By thread: the index of the first event that a revisit deletes, see `#areDeletedMaximal`. */
  #firstDeleted: Column = new Int32Array(8);
  #started = false;
  isExhausted = false;

  constructor(behaviours: Behaviours, makeModel: (g: Graph) => GraphModel, options: ExploreOptions) {
    this.behaviours = behaviours;
    this.g = new Graph();
    this.model = makeModel(this.g);
    this.#threads = new ProgramGraph(behaviours, this.g);
    this.#end = new EndOfGraph(this.#threads, this.model);
    this.#findings = new Findings(behaviours, options, this.counts);
    this.#clashes = new Clashes(this.#threads, this.model, this.#findings, options.races, (last) =>
      this.#witness(last),
    );
  }

  stateOf(t: number): number {
    return this.#threads.stateOf(t);
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

  run(steps: number): boolean {
    if (!this.#started) {
      this.#started = true;
      this.#enter(0, this.behaviours.main());
    }
    const findings = this.#findings;
    for (let i = 0; i < steps && !this.isExhausted && !findings.isOver; i++) {
      if (!this.#visit() && !findings.isOver) this.isExhausted = !this.#backtrack();
    }
    return this.isExhausted || findings.isOver;
  }

  progress(): number {
    if (this.isExhausted) return 1;
    let part = 0;
    let weight = 1;
    for (let d = 0; d < this.#depth; d++) {
      const f = d * Frame.SIZE;
      const total = this.#frames[f + Frame.TO]! - this.#frames[f + Frame.FROM]!;
      weight /= Math.max(1, total);
      part += weight * Math.max(0, this.#frames[f + Frame.TAKEN]! - 1);
    }
    return part;
  }

  // ------------------------------------------------------------------------------------------- procedure Visit

  /** Adds the next event, in the first of its ways. Returns false at the end of a graph. */
  #visit(): boolean {
    if (this.#due !== NONE) return this.#visitWrite(this.#addUpdateWrite());
    const t = this.#next();
    if (t === NONE) {
      this.#endOfGraph();
      return false;
    }
    const s = this.#threads.stateOf(t);
    const { behaviours, g } = this;
    switch (behaviours.step[s]) {
      case Step.READ:
        return this.#visitRead(g.add(Kind.READ, t, s, this.#threads.init(s)));
      case Step.WRITE: {
        const w = g.add(Kind.WRITE, t, s, this.#threads.init(s));
        g.value[w] = behaviours.value[s]!;
        g.order[w] = behaviours.order[s]!;
        g.after[w] = behaviours.advanceOnly(s);
        if (g.after[w] === STALE) this.#threads.rebuild();
        return this.#visitWrite(w);
      }
      case Step.CHOOSE:
        return this.#visitChoose(g.add(Kind.CHOOSE, t, s, NONE));
      case Step.SPAWN:
        return this.#visitSpawn(t, s);
      case Step.JOIN: {
        const e = g.add(Kind.JOIN, t, s, behaviours.operand[s]!);
        g.setJoin(e, behaviours.operand[s]!);
        return this.#conclude(e, behaviours.value[this.#threads.stateOf(behaviours.operand[s]!)]!);
      }
      default: {
        const e = g.add(Kind.LOCAL, t, s, NONE);
        g.order[e] = behaviours.order[s]!;
        return this.#conclude(e, NONE);
      }
    }
  }

  /** [TruSt] nextP: the available event of the leftmost thread. */
  #next(): number {
    const { behaviours } = this;
    const count = this.#threads.threadCount();
    for (let t = this.#leftmost; t < count; t++) {
      const s = this.#threads.stateOf(t);
      if (s === NONE) continue;
      const step = behaviours.step[s]!;
      if (step >= Step.END) continue;
      if (step === Step.JOIN && !this.#threads.hasEnded(behaviours.operand[s]!)) continue;
      this.#leftmost = t;
      return t;
    }
    return NONE;
  }

  #visitRead(r: EventId): boolean {
    this.g.order[r] = this.behaviours.order[this.g.state[r]!]!;
    this.#clashes.lookAtNew(r);
    const from = this.#stack.length;
    this.model.readCandidates(r, this.#stack);
    this.#push(FrameType.READ, r, NONE, from, this.#stack.length);
    return this.#tryOption();
  }

  #visitWrite(w: EventId): boolean {
    const from = this.#stack.length;
    this.model.placings(w, this.#stack);
    const split = this.#stack.length;
    if (split > from) this.#clashes.lookAtNew(w); // without a place, nothing says that w happens after all that is there
    this.#pushReadsToRevisit(w);
    this.#push(FrameType.WRITE, w, NONE, from, split);
    return this.#tryOption();
  }

  #visitChoose(e: EventId): boolean {
    const from = this.#stack.length;
    for (let i = 0; i < this.behaviours.operand[this.g.state[e]!]!; i++) this.#stack.push(i);
    this.#push(FrameType.CHOOSE, e, NONE, from, this.#stack.length);
    return this.#tryOption();
  }

  #visitSpawn(t: number, s: number): boolean {
    const { behaviours, g } = this;
    const child = behaviours.operand[s]!;
    const e = g.add(Kind.SPAWN, t, s, child);
    g.setSpawn(e, child);
    this.#leftmost = 0;
    this.#conclude(e, NONE);
    if (g.last[child] === NONE) this.#enter(child, behaviours.spawned(g.state[e]!));
    return true;
  }

  /** The write of the update whose read was just added. */
  #addUpdateWrite(): EventId {
    const { g } = this;
    const r = this.#due;
    this.#due = NONE;
    const w = g.add(Kind.WRITE, g.thread[r]!, g.state[r]!, g.location[r]!);
    g.updateRead[w] = r;
    g.after[w] = g.after[r]!;
    g.value[w] = this.behaviours.written[g.after[r]!]!;
    g.order[w] = this.behaviours.order[g.state[r]!]!;
    return w;
  }

  /** An event with one answer (NONE: the operation has none) and no options. */
  #conclude(e: EventId, answer: number): boolean {
    const { behaviours, g } = this;
    const s = g.state[e]!;
    g.after[e] = answer === NONE ? behaviours.advanceOnly(s) : behaviours.advance(s, answer);
    if (g.after[e] === STALE) this.#threads.rebuild();
    this.model.added(e, false);
    this.#enter(g.thread[e]!, g.after[e]!);
    return true;
  }

  // ------------------------------------------------------------------------------------------------- options

  /** Takes the next option of the top frame that leads anywhere; the changes since the frame must be undone. */
  #tryOption(): boolean {
    const f = (this.#depth - 1) * Frame.SIZE;
    for (;;) {
      const frames = this.#frames; // taking an option may push frames, and so move them
      const from = frames[f + Frame.FROM]!;
      const count = frames[f + Frame.TO]! - from;
      const taken = frames[f + Frame.TAKEN]!;
      if (taken === count) break;
      frames[f + Frame.TAKEN] = taken + 1;
      const cursor = from + taken;
      if (this.#take(f, cursor, this.#stack.items[cursor]!)) return true;
      this.#undoTo(f);
    }
    this.#stack.length = this.#frames[f + Frame.FROM]!;
    this.#depth--;
    return false;
  }

  #take(f: number, cursor: number, option: number): boolean {
    const frames = this.#frames;
    const e = frames[f + Frame.EVENT]!;
    switch (frames[f + Frame.TYPE]) {
      case FrameType.READ:
        return this.#setRf(e, option);
      case FrameType.CHOOSE:
        this.g.value[e] = option;
        return this.#conclude(e, this.behaviours.values.idOf(option));
      case FrameType.REVISIT:
        return this.#revisit(frames[f + Frame.READ]!, e, option);
      default:
        return cursor < frames[f + Frame.SPLIT]! ? this.#setCo(e, option) : this.#backwardRevisit(option, e);
    }
  }

  /** [TruSt] SetRF: r reads from w, and its thread goes on with that value. */
  #setRf(r: EventId, w: EventId): boolean {
    const { behaviours, g, model } = this;
    g.setRf(r, w);
    let after = behaviours.advance(g.state[r]!, g.value[w]!);
    if (after === STALE) {
      g.after[r] = STALE;
      this.#threads.rebuild();
      after = g.after[r]!;
    }
    g.after[r] = after;
    const isStuck = behaviours.step[after] === Step.STUCK;
    if (isStuck && !model.mayStayStuck(r, w)) return false;
    const isUpdate = behaviours.written[after] !== NONE;
    g.order[r] = (isUpdate ? behaviours.order : behaviours.orderIfKept)[g.state[r]!]!;
    if (!model.added(r, isUpdate)) return false;
    if (isUpdate) {
      this.#due = r;
      return true;
    }
    if (!isStuck) this.#clashes.lookAtRead(r);
    this.#enter(g.thread[r]!, after);
    return true;
  }

  /** [TruSt] SetCO: w comes right after `before`. */
  #setCo(w: EventId, before: EventId): boolean {
    this.g.setCo(w, before);
    if (!this.model.added(w, false)) return false;
    this.#enter(this.g.thread[w]!, this.g.after[w]!);
    return true;
  }

  // ------------------------------------------------------------------------------------- backward revisits

  /** The reads of w's location that do not lead to w (line 15). */
  #pushReadsToRevisit(w: EventId): void {
    const { g } = this;
    for (let x = g.location[w]!; x !== NONE; x = g.coNext[x]!) {
      for (let r = g.readers[x]!; r !== NONE; r = g.readNext[r]!) if (!g.porfBefore(r, w)) this.#stack.push(r);
    }
  }

  /** Lines 16 to 18: w revisits r if r and all that would be deleted were added maximally. */
  #backwardRevisit(r: EventId, w: EventId): boolean {
    const { g, model } = this;
    model.beginRevisit(r, w);
    if (!this.#areDeletedMaximal(r, w)) return false;
    this.#leftmost = 0;
    const count = this.#threads.threadCount();
    for (let t = 0; t < count; t++) if (this.#firstDeleted[t] !== NONE) g.truncate(t, this.#firstDeleted[t]!);
    const from = this.#stack.length;
    model.placings(w, this.#stack);
    this.#push(FrameType.REVISIT, w, r, from, this.#stack.length);
    return this.#tryOption();
  }

  /**
   * Whether every event of Deleted ∪ {r} was added maximally; leaves in `firstDeleted`, by thread, the index of the first deleted
   * event (NONE: none). The deleted events of a thread are its last ones: stamps rise along it, and porf is closed.
   */
  #areDeletedMaximal(r: EventId, w: EventId): boolean {
    const { g, model } = this;
    if (!model.isMaximallyAdded(r, w)) return false;
    const count = this.#threads.threadCount();
    if (this.#firstDeleted.length < count) this.#firstDeleted = grown(this.#firstDeleted, count);
    const stamp = g.stamp[r]!;
    for (let t = 0; t < count; t++) {
      this.#firstDeleted[t] = NONE;
      const needed = g.porfCount(w, t);
      for (let e = g.last[t]!; e !== NONE && g.stamp[e]! >= stamp && g.index[e]! >= needed; e = g.poPrev[e]!) {
        if (e !== r && !model.isMaximallyAdded(e, w)) return false;
        this.#firstDeleted[t] = g.index[e]!;
      }
    }
    return true;
  }

  /** Places w after `before` and adds the deleted read r again, in its old place in the insertion order, reading from w. */
  #revisit(r: EventId, w: EventId, before: EventId): boolean {
    const { behaviours, g, model } = this;
    if (!this.#setCo(w, before)) return false;
    if (g.updateRead[w] !== NONE) this.#clashes.lookAtNew(w); // it may not have had a place until now
    const stamp = g.nextStamp;
    const t = g.thread[r]!;
    const again = g.add(Kind.READ, t, this.#threads.stateOf(t), g.location[r]!); // r's own state may be of another epoch
    g.stamp[again] = g.stamp[r]!;
    g.order[again] = behaviours.order[g.state[again]!]!;
    g.nextStamp = stamp;
    return model.canRead(again, w) && this.#setRf(again, w) && !this.#leavesStuckInVain(again, w);
  }

  /**
   * r has been revisited by w, so that neither w nor what it depends on will be deleted again. A read that is stuck on a
   * write that one of these has overtaken will then never be the last word, nor be revisited.
   */
  #leavesStuckInVain(r: EventId, w: EventId): boolean {
    const { behaviours, g, model } = this;
    const count = this.#threads.threadCount();
    for (let t = 0; t < count; t++) {
      const e = g.last[t]!;
      if (e === NONE || e === r || behaviours.step[g.after[e]!] !== Step.STUCK) continue;
      if (model.isOvertaken(e, w)) return true;
    }
    return false;
  }

  // -------------------------------------------------------------------------------------------- backtracking

  #push(type: number, event: EventId, read: EventId, from: number, split: number): void {
    const f = this.#depth++ * Frame.SIZE;
    if (f + Frame.SIZE > this.#frames.length) this.#frames = grown(this.#frames, f + Frame.SIZE);
    const frames = this.#frames;
    frames[f + Frame.TYPE] = type;
    frames[f + Frame.EVENT] = event;
    frames[f + Frame.READ] = read;
    frames[f + Frame.FROM] = from;
    frames[f + Frame.TO] = this.#stack.length;
    frames[f + Frame.SPLIT] = split;
    frames[f + Frame.TAKEN] = 0;
    frames[f + Frame.GRAPH_MARK] = this.g.mark();
    frames[f + Frame.MODEL_MARK] = this.model.mark();
    frames[f + Frame.STAMP] = this.g.nextStamp;
    frames[f + Frame.EPOCH] = this.behaviours.epoch;
  }

  /** Goes back to the last frame with an option left and takes it. Returns false if there is none. */
  #backtrack(): boolean {
    while (this.#depth > 0) {
      this.#undoTo((this.#depth - 1) * Frame.SIZE);
      if (this.#tryOption()) return true;
    }
    return false;
  }

  #undoTo(f: number): void {
    const frames = this.#frames;
    this.g.undoTo(frames[f + Frame.GRAPH_MARK]!);
    this.model.undoTo(frames[f + Frame.MODEL_MARK]!);
    this.g.nextStamp = frames[f + Frame.STAMP]!;
    this.#due = NONE;
    this.#leftmost = frames[f + Frame.TYPE] === FrameType.REVISIT ? 0 : this.g.thread[frames[f + Frame.EVENT]!]!;
    if (frames[f + Frame.EPOCH] !== this.behaviours.epoch) {
      this.#threads.rebuild();
      frames[f + Frame.EPOCH] = this.behaviours.epoch;
    }
  }

  // ------------------------------------------------------------------------------------- ends and errors

  #endOfGraph(): void {
    const end = this.#end;
    if (!end.begin()) {
      this.counts.redundant++;
      return;
    }
    for (let i = 0; i < end.stuck.length; i++) this.#clashes.lookAtStuck(end.stuck.items[i]!);
    this.#findings.ended(
      endingOf(end),
      (t) => this.#threads.stateOf(t),
      () => this.#witness(),
    );
    end.clear();
    const executions = executionsOf(this.counts);
    if (isRerun(executions)) this.#threads.rerun(executions);
    if (this.behaviours.isLarge) this.#threads.rebuild();
  }

  /** Thread t has reached state s. */
  #enter(t: number, s: number): void {
    const step = this.behaviours.step[s]!;
    if (step === Step.END) this.#leftmost = 0;
    if (step === Step.FAIL) this.#findings.reached(t, s, () => this.#witness());
  }

  #witness(last: EventId = NONE): WitnessStep[] {
    const order = new EventStack();
    this.model.linearise(order, this.#end.stuck);
    if (this.model.coherence === undefined) return this.#threads.witness(order, last);
    const coherence = new EventStack();
    this.model.coherence(coherence, this.#end.stuck);
    return this.#threads.witness(order, last, coherence);
  }
}
