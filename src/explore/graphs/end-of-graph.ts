/** The threads of an execution graph to which nothing can be added, as `endingOf` asks about them. */
import { type EventId, Kind } from '../../graph/graph.ts';
import { EventStack, type GraphModel } from '../../models/model.ts';
import { type Behaviours, Step } from '../../program/behaviours.ts';
import { NONE } from '../../program/columns.ts';
import type { ThreadsAtEnd } from '../../program/ending.ts';
import { HELD_UP } from '../../program/orders.ts';
import type { ProgramGraph } from './program-graph.ts';

export class EndOfGraph implements ThreadsAtEnd {
  readonly behaviours: Behaviours;
  readonly #threads: ProgramGraph;
  readonly #model: GraphModel;
  /** The reads that threads are stuck on; empty but between `begin` and `clear`. */
  readonly stuck = new EventStack();
  /** What threads that go round in loops have read. */
  readonly #reread = new EventStack();

  readonly #blocks = (r: EventId, w: EventId): boolean => {
    const { g } = this.#threads;
    return this.behaviours.wouldBlock(g.state[r]!, g.value[w]!);
  };

  /** Whether r would do as it does if it read w. */
  readonly #keeps = (r: EventId, w: EventId): boolean => {
    const { g } = this.#threads;
    return this.#isStuck(r) ? this.#blocks(r, w) : g.value[w] === g.value[g.rf[r]!];
  };

  constructor(threads: ProgramGraph, model: GraphModel) {
    this.behaviours = threads.behaviours;
    this.#threads = threads;
    this.#model = model;
  }

  /** Whether every thread has ended: then there is nothing else to ask. */
  areAllEnded(): boolean {
    const { step } = this.behaviours;
    const count = this.threadCount;
    for (let t = 0; t < count; t++) {
      const s = this.stateOf(t);
      if (s !== NONE && step[s] !== Step.END) return false;
    }
    return true;
  }

  /** Takes the graph as it is now for one that has ended. Returns false if it is none of the program's: a stuck read could go on. */
  begin(): boolean {
    const { behaviours, stuck } = this;
    const { last } = this.#threads.g;
    const count = this.threadCount;
    this.#reread.length = 0;
    for (let t = 0; t < count; t++) {
      const s = this.stateOf(t);
      if (s !== NONE && behaviours.step[s] === Step.STUCK) stuck.push(last[t]!);
    }
    if (stuck.length === 0 || (!this.#isHeldUp() && this.#model.isStuckForGood(stuck, this.#blocks))) return true;
    this.clear();
    return false;
  }

  #isHeldUp(): boolean {
    const { order } = this.#threads.g;
    for (let i = 0; i < this.stuck.length; i++) if ((order[this.stuck.items[i]!]! & HELD_UP) !== 0) return true;
    return false;
  }

  clear(): void {
    this.stuck.length = 0;
  }

  get threadCount(): number {
    return this.#threads.threadCount();
  }

  stateOf(t: number): number {
    return this.#threads.stateOf(t);
  }

  valueAwaited(t: number): number {
    const { g } = this.#threads;
    return g.value[g.rf[g.last[t]!]!]!;
  }

  lastStep(t: number): EventId {
    return this.#threads.g.last[t]!;
  }

  previousStep(e: EventId): EventId {
    return this.#threads.g.poPrev[e]!;
  }

  stateBefore(e: EventId): number {
    return this.#threads.g.state[e]!;
  }

  /** What memory is in the end is for the model to say, of all reads together. */
  wouldReadAgain(e: EventId): boolean {
    if (this.#threads.g.kind[e] === Kind.READ && !this.#isStuck(e)) this.#reread.push(e);
    return true;
  }

  settles(): boolean {
    return this.#reread.length === 0 || this.#model.settles(this.stuck, this.#reread, this.#keeps);
  }

  #isStuck(r: EventId): boolean {
    return this.behaviours.step[this.#threads.g.after[r]!] === Step.STUCK;
  }
}
