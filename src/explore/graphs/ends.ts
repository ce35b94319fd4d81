/**
 * Ends of executions that TruSt need not build: where the rest of one has nothing to choose (`quiet-tail.ts`), it is counted as it is, and
 * the ways to add a last event before such a rest are counted without taking them. What is not known to be so is left to be built, with
 * events, and nothing has changed then.
 *
 * Hot code: nothing is allocated.
 */
import { type EventId, Kind } from '../../graph/graph.ts';
import type { EventStack, GraphModel } from '../../models/model.ts';
import { NONE } from '../../program/columns.ts';
import type { Execution } from '../../program/execution.ts';
import { LOCKED } from '../../program/orders.ts';
import { type Counts, executionsOf, isRerun } from '../explorer.ts';
import type { Findings } from '../findings.ts';
import type { Clashes } from './clashes.ts';
import { everyGraph, type GraphPolicy } from './policy.ts';
import type { ProgramGraph } from './program-graph.ts';
import { QuietTail } from './quiet-tail.ts';

/** What it has of the search. */
interface Search {
  readonly threads: ProgramGraph;
  readonly model: GraphModel;
  readonly policy: GraphPolicy;
  readonly counts: Counts;
  readonly findings: Findings;
  readonly clashes: Clashes;
  /** The ways to add the new event are on top of this stack. */
  readonly options: EventStack;
  readonly witness: () => Execution;
  /** Whether somebody wants to see all events of an execution. */
  readonly needsEvents: boolean;
}

export class Ends {
  readonly #threads: ProgramGraph;
  readonly #model: GraphModel;
  readonly #policy: GraphPolicy;
  readonly #counts: Counts;
  readonly #findings: Findings;
  readonly #clashes: Clashes;
  readonly #options: EventStack;
  readonly #witness: () => Execution;
  readonly #needsEvents: boolean;
  /** Whether the policy refuses nothing: then it need not be asked. */
  readonly #admitsAll: boolean;
  /** That of the behaviours, which stays what it is. */
  readonly #isClosed: boolean;
  readonly #tail: QuietTail;
  /** Whether the graph was seen not to end in a quiet tail; what is added to it now is part of one that is not. */
  isLoud = false;

  constructor(search: Search) {
    this.#threads = search.threads;
    this.#model = search.model;
    this.#policy = search.policy;
    this.#counts = search.counts;
    this.#findings = search.findings;
    this.#clashes = search.clashes;
    this.#options = search.options;
    this.#witness = search.witness;
    this.#admitsAll = search.policy === everyGraph;
    this.#needsEvents = search.needsEvents || search.policy.countsAhead === undefined;
    this.#isClosed = search.threads.behaviours.isClosed;
    this.#tail = new QuietTail(search.threads, search.model);
  }

  /** The state of a thread at the end that was followed. */
  readonly stateOf = (t: number): number => {
    const tail = this.#tail;
    if (t === tail.thread) return tail.state;
    return t === tail.ending ? tail.endState : this.#threads.stateOf(t);
  };

  // -------------------------------------------------------------------------------------------- after the last event

  /** Whether the rest of the execution has nothing to choose, and the policy counts it: then it was followed. */
  isQuiet(): boolean {
    if (this.#needsEvents || this.isLoud) return false;
    this.isLoud = this.#mustRerun() || this.#clashes.hasDeferred || !this.#tail.follow() || !this.#countsAhead(NONE);
    return !this.isLoud;
  }

  get hasFollowed(): boolean {
    return this.#tail.thread !== NONE;
  }

  /** Counts the execution that was followed. */
  countFollowed(): void {
    if (!this.#findings.countPlain()) this.#lookAtFollowed();
    this.#tail.clear();
  }

  #lookAtFollowed(): void {
    this.#findings.ended('complete', this.stateOf, this.#witness);
  }

  // ------------------------------------------------------------------------------------------- before the last event

  /** Whether the new access e may be the last event of all but a quiet tail, so that its ways can be counted without taking them. */
  mayCount(e: EventId): boolean {
    const { behaviours, g } = this.#threads;
    if (this.#needsEvents || this.#findings.isOver) return false;
    const s = g.state[e]!;
    // what this step led to last time is a good guess
    const after = g.kind[e] === Kind.WRITE ? g.after[e]! : behaviours.knownNext(s);
    if (after === NONE || behaviours.mayBlock[s] === 1 || !this.#tail.mayEnd(g.thread[e]!, after)) return false;
    // such reads are judged by what they read
    if (g.kind[e] === Kind.READ && (behaviours.locationTable.hasMixed || behaviours.locationTable.hasHeap))
      return false;
    if (g.kind[e] === Kind.READ && (g.order[e]! & LOCKED) !== 0) return false;
    return this.#tail.beginAfter(g.thread[e]!) && this.#model.isListExact?.(e) === true;
  }

  /** Counts the executions that end with r reading one of the writes on the stack, and leaves the other writes there. */
  countReads(r: EventId, from: number): void {
    const { behaviours, g } = this.#threads;
    const tail = this.#tail;
    const options = this.#options;
    const to = options.length;
    let counted: number = NONE;
    let hadOwn = false;
    let wasRead = false;
    options.length = from;
    for (let i = from; i < to; i++) {
      const w = options.items[i]!;
      const after = behaviours.knownAfter(g.state[r]!, g.value[w]!);
      const isUnknown = after === NONE || behaviours.written[after] !== NONE;
      const end = isUnknown || !this.#mayCountAhead(g.coNext[w] === NONE) ? NONE : tail.endOf(r, after);
      // what the thread has written down matters if it is read
      const isComparable = end !== NONE && counted !== NONE && !(wasRead && (hadOwn || tail.hasOwn));
      if (isComparable && this.#areAlike(end, counted) && this.#countAlike()) continue;
      if (end !== NONE && this.#countEnd(r, end, NONE, NONE)) {
        counted = end;
        hadOwn = tail.hasOwn;
        wasRead = tail.hasRead;
      } else options.push(w);
    }
  }

  /** The same for the places of the write w. Returns where those end that are left. */
  countPlacings(w: EventId, from: number): number {
    const { g } = this.#threads;
    const options = this.#options;
    const to = options.length;
    const init = g.location[w]!;
    const end = this.#tail.endOf(w, g.after[w]!);
    if (end === NONE) return to;
    let hasCounted = false;
    options.length = from;
    for (let i = from; i < to; i++) {
      const before = options.items[i]!;
      const isLast = g.coLast[init] === before;
      if (!isLast && hasCounted && this.#countAlike()) continue;
      if (this.#mayCountAhead(isLast) && this.#countEnd(w, end, isLast ? init : NONE, g.value[w]!))
        hasCounted ||= !isLast;
      else options.push(before);
    }
    return options.length;
  }

  /**
   * Whether an execution in which a thread ends in one of these states is, in all that counts, one in which it ends in the other. (Main
   * may end the program by that, or not.)
   */
  #areAlike(end: number, other: number): boolean {
    const { memoryBefore, thread, value } = this.#threads.behaviours;
    if (end === other) return true;
    return thread[end] !== 0 && value[end] === value[other] && memoryBefore[end] === memoryBefore[other];
  }

  /** Counts an execution that differs from the one that was counted last (`#countEnd`) in nothing that counts. */
  #countAlike(): boolean {
    return this.#admitsAll && !this.#mustRerun() && this.#findings.endedAlike();
  }

  /** Counts the execution that ends so, if it can be known without events. */
  #countEnd(e: EventId, end: number, writtenTo: EventId, written: number): boolean {
    if (this.#findings.isOver || this.#mustRerun() || this.#clashes.hasDeferred) return false;
    const t = this.#threads.g.thread[e]!;
    if (!this.#tail.followAfter(t, end, writtenTo, written) || !this.#countsAhead(e)) return false;
    this.countFollowed();
    return !this.#findings.isOver; // enough were counted, and this one not
  }

  /** Whether to ask the policy about a last event; `isLast`: whether nothing in memory comes after it. */
  #mayCountAhead(isLast: boolean): boolean {
    return isLast || this.#policy.countsLastOnly !== true;
  }

  /** Whether the policy counts the graph with the last event e and the tail that was followed. */
  #countsAhead(e: EventId): boolean {
    if (this.#admitsAll || this.#policy.countsAhead?.(e) === true) return true;
    this.#tail.clear();
    return false;
  }

  /** Whether the next execution is one that is run again. */
  #mustRerun(): boolean {
    return !this.#findings.isPlainNext && this.#isRerunNext();
  }

  #isRerunNext(): boolean {
    this.#findings.settlePlain();
    return isRerun(executionsOf(this.#counts) + 1, this.#isClosed);
  }
}
