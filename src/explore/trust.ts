/**
 * TruSt [TruSt]: optimal dynamic partial order reduction over execution graphs. Algorithm 1 with a model that tracks
 * coherence, Algorithm 2 with one that does not; the model answers what differs (see `GraphModel`).
 *
 * What differs from the paper:
 * - It runs on an explicit stack of frames, one per event that has more than one way to be added; a frame's next option
 *   is tried after undoing all that came after (the linear-memory version, Algorithm 4, without rebuilding graphs).
 * - A consistent graph only grows in consistent ways: the model lists the options that keep it consistent, instead of
 *   each recursive call checking afterwards (line 4).
 * - A backward revisit deletes r too and adds it anew, in its old place in the insertion order, reading w.
 * - Awaits and locks are reads that stop their thread when the value does not let them through; the thread is stuck
 *   until a write revisits the read. Such a read is only worth adding where nothing comes after the write it reads:
 *   otherwise it is not maximal, so nothing can revisit it, and it does not show how the execution ends. At the end,
 *   stuck reads must read the last write, else the graph is none of the program's and counts as redundant.
 * - A choose is added maximally if it takes its first option. Spawns and joins are events of porf; a join is
 *   available once its thread has ended.
 */
import { type EventId, Graph, Kind } from '../graph/graph.ts';
import { EventStack, type GraphModel } from '../models/model.ts';
import { type Behaviours, STALE, Step, type ThreadInfo } from '../program/behaviours.ts';
import { type Column, grown, NONE } from '../program/columns.ts';
import { InputError } from '../program/input-error.ts';
import {
  type Counts,
  type ExploreOptions,
  type Explorer,
  type Finding,
  isRerun,
  noCounts,
  type Outcome,
  type WitnessStep,
} from './explorer.ts';
import { Findings } from './findings.ts';

/** A frame: an event with options left. `cursor` is the next option, from the top of the options down. */
const Frame = {
  TYPE: 0,
  EVENT: 1,
  /** The read that is revisited (REVISIT). */
  READ: 2,
  /** Its options are options[FROM..TO). For WRITE those before SPLIT are placings, the others reads to revisit. */
  FROM: 3,
  TO: 4,
  SPLIT: 5,
  CURSOR: 6,
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
  readonly counts: Counts = noCounts();
  readonly #options: ExploreOptions;
  readonly #findings: Findings;

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
  /** By location of `behaviours`: its initialising event, valid if that event says so. */
  #inits: Column = new Int32Array(64).fill(NONE);
  /** At the end of a graph: the reads that their threads are stuck on. */
  readonly #stuck = new EventStack();
  #keep: Column = new Int32Array(8);
  #started = false;
  isExhausted = false;

  constructor(behaviours: Behaviours, makeModel: (g: Graph) => GraphModel, options: ExploreOptions) {
    this.behaviours = behaviours;
    this.g = new Graph();
    this.model = makeModel(this.g);
    this.#options = options;
    this.#findings = new Findings(behaviours, options, this.counts);
  }

  get findings(): readonly Finding[] {
    return this.#findings.list;
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
      const taken = this.#frames[f + Frame.CURSOR]! - this.#frames[f + Frame.FROM]!;
      weight /= Math.max(1, total);
      part += weight * Math.max(0, taken - 1);
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
    const s = this.stateOf(t);
    const { behaviours, g } = this;
    switch (behaviours.step[s]) {
      case Step.READ:
        return this.#visitRead(g.add(Kind.READ, t, s, this.#init(s)));
      case Step.WRITE: {
        const w = g.add(Kind.WRITE, t, s, this.#init(s));
        g.value[w] = behaviours.value[s]!;
        g.after[w] = behaviours.advanceOnly(s);
        if (g.after[w] === STALE) this.#rebuild();
        return this.#visitWrite(w);
      }
      case Step.CHOOSE:
        return this.#visitChoose(g.add(Kind.CHOOSE, t, s, NONE));
      case Step.SPAWN:
        return this.#visitSpawn(t, s);
      case Step.JOIN: {
        const e = g.add(Kind.JOIN, t, s, behaviours.operand[s]!);
        g.setJoin(e, behaviours.operand[s]!);
        return this.#conclude(e, behaviours.value[this.stateOf(behaviours.operand[s]!)]!);
      }
      default:
        return this.#conclude(g.add(Kind.LOCAL, t, s, NONE), NONE);
    }
  }

  /** [TruSt] nextP: the available event of the leftmost thread. */
  #next(): number {
    const { behaviours } = this;
    const count = this.#threadCount();
    for (let t = this.#leftmost; t < count; t++) {
      const s = this.stateOf(t);
      if (s === NONE) continue;
      const step = behaviours.step[s]!;
      if (step >= Step.END) continue;
      if (step === Step.JOIN && !this.#hasEnded(behaviours.operand[s]!)) continue;
      this.#leftmost = t;
      return t;
    }
    return NONE;
  }

  #visitRead(r: EventId): boolean {
    this.#checkRaces(r);
    const from = this.#stack.length;
    this.model.readCandidates(r, this.#stack);
    this.#push(FrameType.READ, r, NONE, from, this.#stack.length);
    return this.#tryOption();
  }

  #visitWrite(w: EventId): boolean {
    this.#checkRaces(w);
    const from = this.#stack.length;
    this.model.placings(w, this.#stack);
    const split = this.#stack.length;
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
    return w;
  }

  /** An event with one answer (NONE: the operation has none) and no options. */
  #conclude(e: EventId, answer: number): boolean {
    const { behaviours, g } = this;
    const s = g.state[e]!;
    g.after[e] = answer === NONE ? behaviours.advanceOnly(s) : behaviours.advance(s, answer);
    if (g.after[e] === STALE) this.#rebuild();
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
      const cursor = frames[f + Frame.CURSOR]!;
      if (cursor === frames[f + Frame.TO]) break;
      frames[f + Frame.CURSOR] = cursor + 1;
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
        return this.#setCo(e, option) && this.#revisit(frames[f + Frame.READ]!, e);
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
      this.#rebuild();
      after = g.after[r]!;
    }
    g.after[r] = after;
    if (behaviours.step[after] === Step.STUCK && !model.mayStayStuck(r, w)) return false;
    const isUpdate = behaviours.written[after] !== NONE;
    model.added(r, isUpdate);
    if (isUpdate) this.#due = r;
    else this.#enter(g.thread[r]!, after);
    return true;
  }

  /** [TruSt] SetCO: w comes right after `before`. */
  #setCo(w: EventId, before: EventId): boolean {
    this.g.setCo(w, before);
    this.model.added(w, false);
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
    const count = this.#threadCount();
    for (let t = 0; t < count; t++) if (this.#keep[t] !== NONE) g.truncate(t, this.#keep[t]!);
    const from = this.#stack.length;
    model.placings(w, this.#stack);
    this.#push(FrameType.REVISIT, w, r, from, this.#stack.length);
    return this.#tryOption();
  }

  /**
   * Whether every event of Deleted ∪ {r} was added maximally; leaves in `keep`, by thread, the index of the first deleted
   * event (NONE: none). The deleted events of a thread are its last ones: stamps rise along it, and porf is closed.
   */
  #areDeletedMaximal(r: EventId, w: EventId): boolean {
    const { g, model } = this;
    if (!model.isMaximallyAdded(r, w)) return false;
    const count = this.#threadCount();
    if (this.#keep.length < count) this.#keep = grown(this.#keep, count);
    const stamp = g.stamp[r]!;
    for (let t = 0; t < count; t++) {
      this.#keep[t] = NONE;
      const needed = g.porfCount(w, t);
      for (let e = g.last[t]!; e !== NONE && g.stamp[e]! >= stamp && g.index[e]! >= needed; e = g.poPrev[e]!) {
        if (e !== r && !model.isMaximallyAdded(e, w)) return false;
        this.#keep[t] = g.index[e]!;
      }
    }
    return true;
  }

  /** Adds the deleted read r again, in its old place in the insertion order, reading from w. */
  #revisit(r: EventId, w: EventId): boolean {
    const { g, model } = this;
    const stamp = g.nextStamp;
    const t = g.thread[r]!;
    const again = g.add(Kind.READ, t, this.stateOf(t), g.location[r]!); // r's own state may be of another epoch
    g.stamp[again] = g.stamp[r]!;
    g.nextStamp = stamp;
    return model.canRead(again, w) && this.#setRf(again, w);
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
    frames[f + Frame.CURSOR] = from;
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
      this.#rebuild();
      frames[f + Frame.EPOCH] = this.behaviours.epoch;
    }
  }

  // -------------------------------------------------------------------------------------- states of threads

  /** The state of thread t in the graph; NONE if it does not exist there. */
  stateOf(t: number): number {
    const { g } = this;
    const e = g.last[t]!;
    if (e !== NONE) return g.after[e]!;
    if (t === 0) return this.behaviours.main();
    const spawn = g.spawnedBy[t]!;
    return spawn === NONE ? NONE : this.behaviours.spawned(g.state[spawn]!);
  }

  /** The threads known so far; the graph has room for them. */
  #threadCount(): number {
    const count = this.behaviours.threads.length;
    if (count > this.g.stride) this.g.ensureThreads(count);
    return count;
  }

  #hasEnded(t: number): boolean {
    const s = this.stateOf(t);
    return s !== NONE && this.behaviours.step[s] === Step.END;
  }

  /** The event that initialises the location of state s. */
  #init(s: number): EventId {
    const location = this.behaviours.location[s]!;
    const { g } = this;
    if (location < this.#inits.length) {
      const e = this.#inits[location]!;
      if (e !== NONE && e < g.length && g.kind[e] === Kind.INIT && g.state[e] === location) return e;
    }
    const e = g.addInit(this.behaviours.initialValue(location));
    this.#setInit(location, e);
    return e;
  }

  #setInit(location: number, e: EventId): void {
    if (location >= this.#inits.length) {
      const had = this.#inits.length;
      this.#inits = grown(this.#inits, location + 1).fill(NONE, had);
    }
    this.#inits[location] = e;
    this.g.state[e] = location;
  }

  /** Runs all threads anew along the graph and gives its events their states in the new epoch (see `Behaviours`). */
  #rebuild(): void {
    const { behaviours, g } = this;
    behaviours.reset();
    this.#inits.fill(NONE);
    this.forEachInPorfOrder((e) => {
      const t = g.thread[e]!;
      const before = g.poPrev[e]!;
      const read = g.updateRead[e]!;
      if (read !== NONE) {
        g.state[e] = g.state[read]!;
        g.after[e] = g.after[read]!;
        g.value[e] = behaviours.written[g.after[e]!]!;
        return;
      }
      const s = before !== NONE ? g.after[before]! : this.stateOfStart(t);
      if (behaviours.step[s] !== g.kind[e]) throw this.#divergence(t);
      g.state[e] = s;
      g.after[e] = this.#answerAgain(e, s);
    });
  }

  stateOfStart(t: number): number {
    return t === 0 ? this.behaviours.main() : this.behaviours.spawned(this.g.state[this.g.spawnedBy[t]!]!);
  }

  #answerAgain(e: EventId, s: number): number {
    const { behaviours, g } = this;
    switch (g.kind[e]) {
      case Kind.READ:
        this.#renumber(s, g.location[e]!);
        return g.rf[e] === NONE ? NONE : behaviours.advance(s, g.value[g.rf[e]!]!);
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

  /** Calls `visit` for every event after all that it depends on (porf). */
  forEachInPorfOrder(visit: (e: EventId) => void): void {
    const { g } = this;
    const count = this.#threadCount();
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
    for (let progress = true; progress; ) {
      progress = false;
      for (let t = 0; t < count; t++) {
        while (cursor[t] !== NONE && canGo(cursor[t]!)) {
          visit(cursor[t]!);
          done[t] = done[t]! + 1;
          cursor[t] = g.poNext[cursor[t]!]!;
          progress = true;
        }
      }
    }
  }

  // ------------------------------------------------------------------------------------- ends and errors

  #endOfGraph(): void {
    const outcome = this.#outcome();
    if (outcome === undefined) {
      this.counts.redundant++;
      return;
    }
    this.#findings.ended(
      outcome,
      (t) => this.stateOf(t),
      () => this.#witness(),
    );
    this.#stuck.length = 0;
    if (outcome === 'complete' && isRerun(this.counts.complete)) this.#rerunAll();
    if (this.behaviours.isLarge) this.#rebuild();
  }

  /** How the graph ends; undefined if it is none of the program's (a stuck read could go on). */
  #outcome(): Outcome | undefined {
    const { behaviours, g } = this;
    const stuck = this.#stuck;
    stuck.length = 0;
    let assumed = false;
    let waiting = false;
    let awaiting = false;
    let failed = false;
    const count = this.#threadCount();
    for (let t = 0; t < count; t++) {
      const s = this.stateOf(t);
      if (s === NONE) continue;
      const step = behaviours.step[s]!;
      if (step === Step.FAIL) failed = true;
      else if (step === Step.BLOCK) assumed = true;
      else if (step === Step.STUCK) {
        const r = g.last[t]!;
        stuck.push(r);
        waiting = true;
        if (behaviours.operation(g.state[r]!).kind !== 'lock') awaiting = true;
      } else if (step !== Step.END) waiting = true;
    }
    if (stuck.length > 0) {
      const blocks = (r: EventId, w: EventId): boolean => behaviours.wouldBlock(g.state[r]!, g.value[w]!);
      if (!this.model.isStuckForGood(stuck, blocks)) {
        stuck.length = 0;
        return undefined;
      }
    }
    if (failed) return 'failed';
    if (assumed) return 'blocked';
    if (awaiting) return 'livelock';
    return waiting ? 'deadlock' : 'complete';
  }

  /** Thread t has reached state s. */
  #enter(t: number, s: number): void {
    const step = this.behaviours.step[s]!;
    if (step === Step.END) this.#leftmost = 0;
    if (step === Step.FAIL) this.#findings.reached(t, s, () => this.#witness());
  }

  /**
   * A new access races with one of another thread to the same location that it does not depend on, if one of the two
   * writes and one is plain. Under SC what e depends on happens before it, as long as no race was found: then the
   * write that a plain read reads happens before it anyway. (e has no reads-from edge of its own yet.)
   */
  #checkRaces(e: EventId): void {
    const { behaviours, g } = this;
    if (!this.#options.races || behaviours.plain[g.state[e]!] === 0) return;
    for (let w = g.coNext[g.location[e]!]!; w !== NONE; w = g.coNext[w]!) {
      if (!this.#happensBefore(w, e)) this.#foundRace(w, e);
    }
    if (g.kind[e] !== Kind.WRITE) return;
    for (let w = g.location[e]!; w !== NONE; w = g.coNext[w]!) {
      for (let r = g.readers[w]!; r !== NONE; r = g.readNext[r]!) if (!this.#happensBefore(r, e)) this.#foundRace(r, e);
    }
  }

  #happensBefore(a: EventId, b: EventId): boolean {
    if (!this.g.porfBefore(a, b)) return false;
    return this.findings.length === 0 || this.#isOrdered(a, b);
  }

  /** Whether program order, spawns, joins and reads-from of accesses that are not plain lead from a to b. */
  #isOrdered(a: EventId, b: EventId): boolean {
    const { behaviours, g } = this;
    const seen = new Set<EventId>();
    const todo = [b];
    for (let e = todo.pop(); e !== undefined; e = todo.pop()) {
      if (e === a) return true;
      if (e === NONE || g.thread[e] === NONE || seen.has(e)) continue;
      seen.add(e);
      todo.push(g.poPrev[e] === NONE ? g.spawnedBy[g.thread[e]!]! : g.poPrev[e]!);
      if (g.kind[e] === Kind.READ && behaviours.plain[g.state[e]!] === 0) todo.push(g.rf[e]!);
      if (g.kind[e] === Kind.JOIN) {
        const t = g.location[e]!;
        todo.push(g.last[t] === NONE ? g.spawnedBy[t]! : g.last[t]!);
      }
    }
    return false;
  }

  #foundRace(a: EventId, b: EventId): void {
    const { g } = this;
    const access = (e: EventId) => ({ thread: g.thread[e]!, state: g.state[e]! });
    this.#findings.race(access(a), access(b), () => this.#witness(b));
  }

  /** The events as steps; `last`, an event without edges yet, is left for its thread to ask for at the end. */
  #witness(last: EventId = NONE): WitnessStep[] {
    const { behaviours, g } = this;
    const order = new EventStack();
    this.model.linearise(order, this.#stuck);
    const steps: WitnessStep[] = [];
    const stepOf = new Map<EventId, number>();
    for (let i = 0; i < order.length; i++) {
      const e = order.items[i]!;
      if (e === last) continue;
      if (g.updateRead[e] !== NONE) {
        stepOf.set(e, stepOf.get(g.updateRead[e]!) as number);
        continue;
      }
      stepOf.set(e, steps.length);
      if (g.kind[e] === Kind.READ && behaviours.step[g.after[e]!] === Step.STUCK) continue;
      steps.push({
        path: this.#pathOf(g.thread[e]!),
        ...(g.kind[e] === Kind.READ ? { readsFrom: stepOf.get(g.rf[e]!) ?? -1 } : {}),
        ...(g.kind[e] === Kind.CHOOSE ? { choice: g.value[e]! } : {}),
      });
    }
    return steps;
  }

  #pathOf(t: number): string {
    return (this.behaviours.threads[t] as ThreadInfo).path;
  }

  /** Runs the threads of this execution once more, all together, and compares what they do with what is recorded. */
  #rerunAll(): void {
    const { behaviours, g } = this;
    if (behaviours.values.sawIdentity) return; // then `rebuild` has done so
    behaviours.forgetRuns();
    this.forEachInPorfOrder((e) => {
      if (g.updateRead[e] === NONE) behaviours.rerun(g.state[e]!, g.after[e]!);
    });
  }
}
