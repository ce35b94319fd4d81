/**
 * Execution graphs as plain data (`Execution`), and back. The steps come in the order in which the events got their rows: each
 * was once added to those before it, so that the model accepts them again one by one. (What a revisit has deleted in between was
 * added maximally, and what stays does not depend on it.) An update is one step.
 */
import { type EventId, type Graph, Kind } from '../../graph/graph.ts';
import type { GraphModel } from '../../models/model.ts';
import { Step } from '../../program/behaviours.ts';
import { NONE } from '../../program/columns.ts';
import { type Execution, type ExecutionStep, INITIAL, numberedThreads } from '../../program/execution.ts';
import type { Exclusion, Exclusions } from './exclusions.ts';
import type { ProgramGraph } from './program-graph.ts';

interface SavedGraph {
  readonly execution: Execution;
  /** The step that an event is (part of); INITIAL for an initialising write. */
  stepOf(e: EventId): number;
}

/** The graph without `open`, an event that is being added; if that is the write of an update, without its read either. */
export function saveGraph(threads: ProgramGraph, open: EventId, exclusions: readonly Exclusion[]): SavedGraph {
  const { g } = threads;
  const { threads: known } = threads.behaviours;
  const openRead = open === NONE ? NONE : g.updateRead[open]!;
  const events: EventId[] = [];
  for (const t of known.keys()) {
    for (let e = t < g.stride ? g.last[t]! : NONE; e !== NONE; e = g.poPrev[e]!) {
      if (e !== open && e !== openRead) events.push(e);
    }
  }
  const steps = new Map<EventId, number>();
  const stepOf = (e: EventId): number => (g.thread[e] === NONE ? INITIAL : (steps.get(e) as number));
  const isWriteOfUpdate = (e: EventId): boolean => g.updateRead[e] !== NONE;
  let length = 0;
  for (const e of events.sort((a, b) => a - b)) {
    steps.set(e, isWriteOfUpdate(e) ? (steps.get(g.updateRead[e]!) as number) : length++);
  }
  const coherence = coherenceOf(g, events);
  return {
    execution: {
      threads: numberedThreads(known),
      steps: events
        .filter((e) => !isWriteOfUpdate(e))
        .map((e): ExecutionStep => {
          const write = g.isUpdateRead(e) ? g.poNext[e]! : NONE;
          const place = coherence.get(write === NONE ? e : write);
          const exclusion = exclusions.find((exclusion) => exclusion.write === write);
          return {
            thread: g.thread[e]!,
            ...(g.kind[e] === Kind.READ ? { readsFrom: stepOf(g.rf[e]!) } : {}),
            ...(place === undefined ? {} : { coherence: place }),
            ...(g.kind[e] === Kind.CHOOSE ? { choice: g.value[e]! } : {}),
            added: g.stamp[e]!,
            ...(write === NONE ? {} : { writeAdded: g.stamp[write]! }),
            ...(exclusion === undefined ? {} : { excludes: savedExclusion(exclusion) }),
          };
        }),
    },
    stepOf,
  };
}

function savedExclusion({ thread, index, stamp }: Exclusion): ExecutionStep['excludes'] {
  return { thread, index, added: stamp };
}

/** By write: which one of its location it is, from 1; where coherence is not tracked, in the order that is kept as a witness. */
function coherenceOf(g: Graph, events: readonly EventId[]): ReadonlyMap<EventId, number> {
  const places = new Map<EventId, number>();
  const seen = new Set<EventId>();
  for (const e of events) {
    if (g.kind[e] !== Kind.WRITE || seen.has(g.location[e]!)) continue;
    const init = g.location[e]!;
    seen.add(init);
    let place = 0;
    for (let w = g.coNext[init]!; w !== NONE; w = g.coNext[w]!) places.set(w, ++place);
  }
  return places;
}

/** Who looks at accesses as they are added: before a read or write has its place, and once a read has been answered. */
export interface AccessWatcher {
  lookAtNew(e: EventId): void;
  lookAtRead(r: EventId): void;
  lookAtOther(e: EventId): void;
}

/** Adds the steps of an execution to a graph that is empty. */
export class GraphLoader {
  readonly #threads: ProgramGraph;
  readonly #model: GraphModel;
  readonly #exclusions: Exclusions;
  readonly #watcher: AccessWatcher | undefined;
  /** By step: its event; for an update, its read and its write. */
  readonly #events: EventId[] = [];
  readonly #writes: EventId[] = [];
  /** By write: its place in coherence order. */
  readonly #places = new Map<EventId, number>();
  /** By `id` in the execution: the thread. */
  readonly #threadOf = new Map<number, number>();

  constructor(
    threads: ProgramGraph,
    model: GraphModel,
    execution: Execution,
    exclusions: Exclusions,
    watcher?: AccessWatcher,
  ) {
    this.#threads = threads;
    this.#model = model;
    this.#exclusions = exclusions;
    this.#watcher = watcher;
    for (const { id, path } of execution.threads) this.#threadOf.set(id, threads.behaviours.threadOf(path));
    threads.threadCount();
    for (const step of execution.steps) this.#add(step);
  }

  /** The thread that has this `id` in the execution. */
  threadOf(id: number): number {
    return this.#threadOf.get(id) as number;
  }

  /** The event of a step; of an update, its read. */
  eventOf(step: number): EventId {
    return this.#events[step] as EventId;
  }

  /** The write of a step to the location that `init` initialises. */
  writeOf(step: number, init: EventId): EventId {
    return step === INITIAL ? init : (this.#writes[step] as EventId);
  }

  /** The next read of a thread, whose write is still open; `added`: its place in the order of addition. */
  addRead(id: number, added: number): EventId {
    const t = this.threadOf(id);
    const r = this.#stamped(this.#threads.addRead(t, this.#stateOf(t, Step.READ)), added);
    this.#watcher?.lookAtNew(r);
    return r;
  }

  /** The next write of a thread, which has no place in coherence order yet. */
  addWrite(id: number, added: number): EventId {
    const t = this.threadOf(id);
    const w = this.#stamped(this.#threads.addWrite(t, this.#stateOf(t, Step.WRITE)), added);
    this.#watcher?.lookAtNew(w);
    return w;
  }

  /** The write of the next operation of a thread, an update, whose read is settled; it has no place yet. */
  addUpdate(id: number, read: { readonly readsFrom: number; readonly added: number }, added: number): EventId {
    const r = this.addRead(id, read.added);
    if (!this.#settleRead(r, read.readsFrom)) throw broken();
    return this.#addUpdateWrite(r, added);
  }

  addChoose(id: number, added: number): EventId {
    const t = this.threadOf(id);
    return this.#stamped(this.#threads.addChoose(t, this.#stateOf(t, Step.CHOOSE)), added);
  }

  /** The read that the next operation of a thread is, deleted. */
  addDeletedRead(id: number, added: number): EventId {
    const t = this.threadOf(id);
    return this.#threads.g.addDeleted(t, this.#threads.init(this.#stateOf(t, Step.READ)), added);
  }

  #add(step: ExecutionStep): void {
    const t = this.threadOf(step.thread);
    const { added = this.#threads.g.nextStamp } = step;
    switch (this.#threads.behaviours.step[this.#threads.stateOf(t)]) {
      case Step.READ:
        this.#addWholeRead(step, added);
        break;
      case Step.WRITE: {
        const w = this.addWrite(step.thread, added);
        this.#place(w, step);
        this.#note(w, w);
        break;
      }
      case Step.CHOOSE: {
        const e = this.addChoose(step.thread, added);
        this.#threads.choose(e, step.choice ?? 0);
        this.#accept(e, false);
        break;
      }
      default: {
        const e = this.#stamped(this.#threads.addOther(t, this.#stateOf(t, NONE)), added);
        this.#threads.threadCount();
        this.#watcher?.lookAtOther(e);
        this.#accept(e, false);
      }
    }
  }

  #addWholeRead(step: ExecutionStep, added: number): void {
    const r = this.addRead(step.thread, added);
    const isUpdate = this.#settleRead(r, step.readsFrom ?? INITIAL);
    if (!isUpdate) {
      this.#note(r, NONE);
      return;
    }
    const w = this.#addUpdateWrite(r, step.writeAdded ?? this.#threads.g.nextStamp);
    this.#place(w, step);
    this.#note(r, w);
    if (step.excludes === undefined) return;
    const { thread, index, added: stamp } = step.excludes;
    this.#exclusions.add(w, this.threadOf(thread), index, stamp);
  }

  #addUpdateWrite(r: EventId, added: number): EventId {
    const w = this.#stamped(this.#threads.addUpdateWrite(r), added);
    this.#watcher?.lookAtNew(w);
    return w;
  }

  /** Returns whether it is the read of an update. */
  #settleRead(r: EventId, step: number): boolean {
    const w = this.writeOf(step, this.#threads.g.location[r]!);
    if (w === undefined) throw broken();
    let isUpdate = this.#threads.readFrom(r, w);
    const { g } = this.#threads;
    if (!this.#exclusions.allows(g.thread[r]!, g.index[r]!, w)) {
      this.#threads.holdUp(r);
      isUpdate = false;
    }
    if (!this.#model.added(r, isUpdate)) throw broken();
    const isStuck = this.#threads.behaviours.step[this.#threads.g.after[r]!] === Step.STUCK;
    if (!isUpdate && !isStuck) this.#watcher?.lookAtRead(r);
    return isUpdate;
  }

  /** Puts w after the last write, of those that are there, that comes before it. */
  #place(w: EventId, { coherence = Number.MAX_SAFE_INTEGER }: ExecutionStep): void {
    const { g } = this.#threads;
    let before = g.coLast[g.location[w]!]!;
    while (g.thread[before] !== NONE && (this.#places.get(before) as number) > coherence) before = g.coPrev[before]!;
    this.#places.set(w, coherence);
    g.setCo(w, before);
    if (!this.#model.added(w, false)) throw broken();
  }

  #accept(e: EventId, isUpdate: boolean): void {
    if (!this.#model.added(e, isUpdate)) throw broken();
    this.#note(e, NONE);
  }

  #note(e: EventId, w: EventId): void {
    this.#events.push(e);
    this.#writes.push(w);
  }

  /** The state of thread t, which performs a `step` next (NONE: any). */
  #stateOf(t: number, step: number): number {
    const s = this.#threads.stateOf(t);
    const { behaviours } = this.#threads;
    if (s === NONE || behaviours.step[s]! >= Step.END) throw broken();
    if (step !== NONE && behaviours.step[s] !== step) throw broken();
    return s;
  }

  #stamped(e: EventId, added: number): EventId {
    const { g } = this.#threads;
    g.stamp[e] = added;
    g.nextStamp = Math.max(g.nextStamp - 1, added + 1);
    return e;
  }
}

function broken(): Error {
  return new Error('a saved execution is not one of this program');
}
