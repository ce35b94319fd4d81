/**
 * An execution graph of a program that is put together by hand: whoever holds it says which thread goes next, and how. The model is
 * asked just as TruSt asks it (see `GraphModel`), and what it refuses is taken back.
 *
 * A step is an event, or the two events of an atomic update, which are added together ([TruSt], section 4.1).
 */
import { ProgramGraph } from '../../../src/explore/graphs/program-graph.ts';
import { type EventId, Graph, Kind } from '../../../src/graph/graph.ts';
import { EventStack, type GraphModel } from '../../../src/models/model.ts';
import type { Equivalence } from '../../../src/models/registry.ts';
import { type Behaviours, STALE, Step } from '../../../src/program/behaviours.ts';
import { NONE } from '../../../src/program/columns.ts';
import { type Drawing, eventAt, nameOf, type Ref, type Way } from './drawing.ts';

/** What a model has refused, and whether that was the write of an update whose read it had allowed, with its place still free. */
export interface Refusal {
  readonly by: 'readCandidates' | 'placings' | 'added';
  readonly isUpdateWrite?: boolean;
}

export class Assembly {
  readonly behaviours: Behaviours;
  readonly g = new Graph();
  readonly model: GraphModel;
  readonly #threads: ProgramGraph;
  readonly #hasCoherence: boolean;
  /** What the model has said that contradicts itself. */
  contradiction: string | undefined;

  constructor(behaviours: Behaviours, make: (g: Graph) => GraphModel, equivalence: Equivalence) {
    this.behaviours = behaviours;
    this.model = make(this.g);
    this.#threads = new ProgramGraph(behaviours, this.g);
    this.#hasCoherence = equivalence === 'co';
  }

  /** The threads that have a next event. */
  available(): number[] {
    const { behaviours } = this;
    const found: number[] = [];
    for (let t = 0; t < this.#threads.threadCount(); t++) {
      const s = this.#threads.stateOf(t);
      if (s === NONE || behaviours.step[s]! >= Step.END) continue;
      if (behaviours.step[s] === Step.JOIN && !this.#threads.hasEnded(behaviours.operand[s]!)) continue;
      found.push(t);
    }
    return found;
  }

  /** What the thread does next. */
  step(t: number): number {
    return this.behaviours.step[this.#threads.stateOf(t)]!;
  }

  /** All ways to add the next step of t, whatever the model thinks; a wait that would not get through is none. */
  ways(t: number): Way[] {
    const s = this.#threads.stateOf(t);
    switch (this.behaviours.step[s]) {
      case Step.READ: {
        const sources = this.#writes(s).filter((w) => !this.behaviours.wouldBlock(s, this.g.value[w]!));
        return sources.map((w) => ({ from: nameOf(this.g, w) }));
      }
      case Step.WRITE:
        return this.#hasCoherence ? this.#writes(s).map((w) => ({ after: nameOf(this.g, w) })) : [{}];
      case Step.CHOOSE:
        return Array.from({ length: this.behaviours.operand[s]! }, (_, choice) => ({ choice }));
      default:
        return [{}];
    }
  }

  /** The writes of the location of state s, in the order of the graph's list, from the initial value on. */
  #writes(s: number): EventId[] {
    const { g } = this;
    const found: EventId[] = [];
    for (let w: EventId = this.#threads.init(s); w !== NONE; w = g.coNext[w]!) found.push(w);
    return found;
  }

  /** The maximal way to add the next step of t, where there is coherence: undefined if it is a wait that does not get through. */
  maximalWay(t: number): Way | undefined {
    switch (this.step(t)) {
      case Step.READ: {
        const last = this.lastWrite(t);
        return this.ways(t).find(({ from }) => from === last);
      }
      case Step.WRITE:
        return { after: this.lastWrite(t) };
      case Step.CHOOSE:
        return { choice: 0 };
      default:
        return {};
    }
  }

  /** The last write of the location that the next step of t accesses. */
  lastWrite(t: number): Ref {
    return nameOf(this.g, this.g.coLast[this.#location(t)]!);
  }

  /** The next step of t as it is in a drawing; undefined if the drawing has none, or what it reads is not there yet. */
  wayIn(drawing: Drawing, t: number): Way | undefined {
    const { g } = this;
    const way = drawing.steps[t]?.[this.#stepsOf(t)];
    if (way === undefined) return undefined;
    if (way.from !== undefined && eventAt(g, way.from, this.#location(t)) === NONE) return undefined;
    if (this.step(t) !== Step.WRITE || !this.#hasCoherence) return way;
    const own = `${t}:${g.last[t] === NONE ? 0 : g.index[g.last[t]!]! + 1}`;
    const order = drawing.coherence.find((writes) => writes.includes(own)) ?? [];
    const earlier = order.slice(0, order.indexOf(own)).filter((w) => eventAt(g, w, NONE) !== NONE);
    return { after: earlier.at(-1) ?? 'init' };
  }

  #stepsOf(t: number): number {
    const { g } = this;
    let count = 0;
    for (let e = g.last[t]!; e !== NONE; e = g.poPrev[e]!) if (g.updateRead[e] === NONE) count += 1;
    return count;
  }

  #location(t: number): EventId {
    return this.#threads.init(this.#threads.stateOf(t));
  }

  // ------------------------------------------------------------------------------------------------------ adding

  /** Adds the next step of t, if the model allows it. Otherwise says what it refused, and nothing has changed. */
  add(t: number, way: Way): Refusal | undefined {
    this.#threads.threadCount(); // there is room for a thread that is spawned
    const before = this.mark();
    const refused = this.#add(t, this.#threads.stateOf(t), way);
    if (refused !== undefined) this.undoTo(before);
    return refused;
  }

  /** What would be refused of the next step of t. */
  refuses(t: number, way: Way): Refusal | undefined {
    const before = this.mark();
    const refused = this.add(t, way);
    this.undoTo(before);
    return refused;
  }

  #add(t: number, s: number, way: Way): Refusal | undefined {
    const { behaviours, g } = this;
    switch (behaviours.step[s]) {
      case Step.READ:
        return this.#addRead(t, s, way.from as Ref);
      case Step.WRITE: {
        const w = g.add(Kind.WRITE, t, s, this.#threads.init(s));
        g.value[w] = behaviours.value[s]!;
        g.order[w] = behaviours.order[s]!;
        g.after[w] = behaviours.advanceOnly(s);
        return this.#place(w, way.after);
      }
      case Step.CHOOSE: {
        const e = g.add(Kind.CHOOSE, t, s, NONE);
        g.value[e] = way.choice!;
        g.after[e] = behaviours.advance(s, behaviours.values.idOf(way.choice));
        return this.#conclude(e);
      }
      case Step.SPAWN: {
        const e = g.add(Kind.SPAWN, t, s, behaviours.operand[s]!);
        g.setSpawn(e, behaviours.operand[s]!);
        g.after[e] = behaviours.advanceOnly(s);
        return this.#conclude(e);
      }
      case Step.JOIN: {
        const joined = behaviours.operand[s]!;
        const e = g.add(Kind.JOIN, t, s, joined);
        g.setJoin(e, joined);
        g.after[e] = behaviours.advance(s, behaviours.value[this.#threads.stateOf(joined)]!);
        return this.#conclude(e);
      }
      default: {
        const e = g.add(Kind.LOCAL, t, s, NONE);
        g.order[e] = behaviours.order[s]!;
        g.after[e] = behaviours.advanceOnly(s);
        return this.#conclude(e);
      }
    }
  }

  #conclude(e: EventId): Refusal | undefined {
    if (this.g.after[e] === STALE) throw new Error('the behaviours have forgotten a state');
    return this.model.added(e, false) ? undefined : { by: 'added' };
  }

  #addRead(t: number, s: number, from: Ref): Refusal | undefined {
    const { behaviours, g, model } = this;
    const r = this.#threads.addRead(t, s);
    const w = eventAt(g, from, g.location[r]!);
    const isOffered = this.#asked((out) => model.readCandidates(r, out)).includes(w);
    const canRead = model.canRead(r, w);
    if (!isOffered && !canRead) return { by: 'readCandidates' };
    g.setRf(r, w);
    const after = behaviours.advance(s, g.value[w]!);
    const isUpdate = behaviours.written[after] !== NONE;
    g.after[r] = after;
    g.order[r] = (isUpdate ? behaviours.order : behaviours.orderIfKept)[s]!;
    if (!model.added(r, isUpdate)) return { by: 'added' };
    if (isOffered !== canRead) this.contradiction = `readCandidates and canRead differ on ${nameOf(g, r)} <- ${from}`;
    return isUpdate ? this.#addUpdateWrite(r) : undefined;
  }

  #addUpdateWrite(r: EventId): Refusal | undefined {
    const { g } = this;
    const w = this.#threads.addUpdateWrite(r);
    const isTaken = this.#isReadByAnotherUpdate(r);
    const refused = this.#place(w, this.#hasCoherence ? nameOf(g, g.rf[r]!) : undefined);
    return refused === undefined || isTaken ? refused : { ...refused, isUpdateWrite: true };
  }

  #isReadByAnotherUpdate(r: EventId): boolean {
    const { g } = this;
    for (let other = g.readers[g.rf[r]!]!; other !== NONE; other = g.readNext[other]!) {
      if (other !== r && g.isUpdateRead(other)) return true;
    }
    return false;
  }

  /** Places w after a write; without coherence, where the model says. */
  #place(w: EventId, after: Ref | undefined): Refusal | undefined {
    const { g, model } = this;
    const places = this.#asked((out) => model.placings(w, out));
    const place = after === undefined ? places[0] : eventAt(g, after, g.location[w]!);
    if (place === undefined || !places.includes(place)) return { by: 'placings' };
    g.setCo(w, place);
    return this.#conclude(w);
  }

  /** What the model offers the next step of t, which reads. */
  candidates(t: number): Ref[] {
    const { g, model } = this;
    const before = this.mark();
    const s = this.#threads.stateOf(t);
    const r = this.#threads.addRead(t, s);
    const offered = this.#asked((out) => model.readCandidates(r, out)).map((w) => nameOf(g, w));
    this.undoTo(before);
    return offered;
  }

  #asked(ask: (out: EventStack) => void): EventId[] {
    const out = new EventStack();
    ask(out);
    return Array.from(out.items.subarray(0, out.length));
  }

  // ----------------------------------------------------------------------------------------------------- undoing

  mark(): readonly [number, number, number] {
    return [this.g.mark(), this.model.mark(), this.g.nextStamp];
  }

  undoTo([graph, model, stamp]: readonly [number, number, number]): void {
    this.g.undoTo(graph);
    this.model.undoTo(model);
    this.g.nextStamp = stamp;
  }
}
