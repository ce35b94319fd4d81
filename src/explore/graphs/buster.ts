/**
 * BUSTER [BUSTER], Algorithm 1: TruSt that leaves out the graphs which need more than k + slack preemptions (its line 5). Every
 * full graph with at most k of them is visited, once (theorems 1 and 2); of those beyond, some.
 *
 * Why slack: to reach a graph that needs k, TruSt may have to go through graphs that need more, because it adds events that a
 * revisit will delete again. Each thread that has such events costs one preemption at most, and that of the revisited read none
 * (proof of theorem 1).
 *
 * What differs from the paper:
 * - Slack. The paper takes N − 2, or the number of threads without deletable events if that is less (section 5). That sentence is
 *   the wrong way round: by the paper's own argument it is the threads *with* deletable events that count, and as written it
 *   loses executions of its own Fig. 2. Here: the number of threads that have a deletable event which is worth a switch, less
 *   one. N − 2 would be smaller by one where all threads have such events, but how many threads there will be is not known.
 * - Awaits, locks, deadlocks: see `preemptions.ts`. Whether a full graph is within the bound is decided by the count at the end, and so
 *   is that for the errors in it: when a thread fails, others are in the midst of something that they could have done before.
 * - The predicate is seldom computed: a trace that is kept while the graph grows and is revisited mostly shows that it holds
 *   (`known-trace.ts`).
 */
import { type EventId, type Graph, Kind } from '../../graph/graph.ts';
import { EventStack, type GraphModel } from '../../models/model.ts';
import { type Behaviours, Step } from '../../program/behaviours.ts';
import { type Column, grown, NONE } from '../../program/columns.ts';
import type { Bounded, Counts, ExploreOptions, SearchBound } from '../explorer.ts';
import { KnownTrace, stepOf } from './known-trace.ts';
import type { GraphPolicy, Judgement, LeastPreemptions } from './policy.ts';
import { Counting, Preemptions } from './preemptions.ts';
import type { ProgramGraph } from './program-graph.ts';
import { TruSt } from './trust.ts';

/** By how much a graph on the way may exceed the bound. */
export type Slack = (threads: ProgramGraph) => number;

/** An admitted graph. */
const Entry = {
  /** A trace of it has at most so many preemptions; and ends with this thread. */
  MOST: 0,
  LAST: 1,
  /** Its slack is at least this; NONE: not computed since the last revisit. */
  SLACK: 2,
  /** Whether it has an await. */
  AWAITS: 3,
  /** What became of the graphs that come of it: bits of `Fate`. */
  FATE: 4,
  /** The step that was added; NONE: none. */
  STEP: 5,
  /** The read that was revisited; NONE: none. */
  READ: 6,
  /** Where the log of the kept trace is when it is one of this graph; NONE: it never was. */
  TRACE_MARK: 7,
  SIZE: 8,
} as const;

type Refusals = Pick<Counts, 'pruned' | 'boundBlocked'>;

/** More preemptions than any trace has. */
const UNKNOWN = 1_000_000;

const Fate = { NOTHING: 0, REFUSED: 1, EXPLORED: 2 } as const;

/** How many refused graphs are kept for the next bound: some hundred megabytes. */
const MOST_KEPT = 50_000;

export interface BusterOptions {
  readonly bound: number;
  /** Whether the bound will be raised (`deepen`). */
  readonly isRaised: boolean;
}

export class Buster extends TruSt implements Bounded {
  readonly #policy: PreemptionBound;

  constructor(
    behaviours: Behaviours,
    makeModel: (g: Graph) => GraphModel,
    options: ExploreOptions,
    { bound, isRaised }: BusterOptions,
  ) {
    let policy: PreemptionBound | undefined;
    super(behaviours, makeModel, options, (threads, counts, model) => {
      policy = new PreemptionBound(threads, counts, bound, model);
      return policy;
    });
    this.#policy = policy as unknown as PreemptionBound;
    if (isRaised) this.keepRefused(MOST_KEPT);
  }

  get bound(): number {
    return this.#policy.bound;
  }

  get bounds(): readonly SearchBound[] {
    return [{ name: 'preemptions', value: this.bound, refused: this.counts.pruned }];
  }

  deepen(): void {
    this.goOnWithin(++this.#policy.bound);
  }
}

export class PreemptionBound implements GraphPolicy {
  bound: number;
  readonly #threads: ProgramGraph;
  readonly #counts: Refusals;
  readonly #slack: Slack;
  readonly #phi: Preemptions;
  /** A trace of one of the graphs on the way; the steps of those after it come then, in their order. */
  readonly #trace: KnownTrace;
  /** Where the entries after that graph's begin. */
  #caughtUp = 0;
  /** While the trace catches up: how many preemptions it has at most; from `UNKNOWN` on they must be counted. */
  #rise = 0;
  readonly #order = new EventStack();
  /** Whether a mutex was seen: who holds it when decides what it costs to leave those who want it. */
  #hasLocks = false;
  #hasAwaits = false;
  /** The graphs on the way to the one before us. */
  #entries: Column = new Int32Array(Entry.SIZE * 64);
  #length = 0;

  /** `slack`, `phi`: for tests, which show what becomes of other ones. */
  constructor(
    threads: ProgramGraph,
    counts: Refusals,
    bound: number,
    model: GraphModel,
    { slack = deletableThreads, phi = new Preemptions(threads) }: { slack?: Slack; phi?: Preemptions } = {},
  ) {
    this.#threads = threads;
    this.#counts = counts;
    this.bound = bound;
    this.#slack = slack;
    this.#phi = phi;
    const { precedes } = model;
    if (precedes === undefined) throw new Error('preemptions are counted in interleavings');
    this.#trace = new KnownTrace(threads, (e) => this.#isFreeToLeave(e), precedes.bind(model));
  }

  /** Line 5: whether the graph needs at most k + slack preemptions. */
  admits(): boolean {
    const entry = this.#entryOfLastEvent();
    if (!this.#isWithin(entry)) {
      this.#counts.pruned++;
      this.#tell(Fate.REFUSED);
      this.#undoTrace();
      return false;
    }
    this.#tell(Fate.EXPLORED);
    this.#length += Entry.SIZE;
    return true;
  }

  judge(): Judgement {
    this.#tell(Fate.EXPLORED);
    return this.#isFullWithin() ? 'counts' : 'over bound';
  }

  readonly preemptions: LeastPreemptions = {
    least: () => {
      this.#phi.begin(Counting.END);
      return this.#phi.least();
    },
    linearise: (out) => {
      this.preemptions.least();
      this.#phi.linearise(out);
    },
  };

  mark(): number {
    return this.#length;
  }

  undoTo(mark: number): void {
    while (this.#length > mark) {
      this.#length -= Entry.SIZE;
      if (this.#entries[this.#length + Entry.FATE] === Fate.REFUSED) this.#counts.boundBlocked++;
    }
    this.#undoTrace();
  }

  /** To one of the last graph that was admitted, or of one before. */
  #undoTrace(): void {
    if (this.#caughtUp <= this.#length) return;
    let top = this.#length - Entry.SIZE;
    while (top >= 0 && this.#entries[top + Entry.TRACE_MARK] === NONE) top -= Entry.SIZE;
    this.#caughtUp = top + Entry.SIZE;
    this.#trace.undoTo(top < 0 ? 0 : this.#entries[top + Entry.TRACE_MARK]!);
  }

  // ---------------------------------------------------------------------------------------------------------------

  #isFullWithin(): boolean {
    const top = this.#length - Entry.SIZE;
    // where nobody waits, both counts are the same
    if (top >= 0 && this.#entries[top + Entry.AWAITS] === 0 && !this.#hasStuck()) {
      if (this.#entries[top + Entry.MOST]! <= this.bound) return true;
      if (this.#isTraceWithin(this.bound, top) || this.#isImprovedTo(this.bound, top)) return true;
    }
    if (this.#threads.g.length + this.#threads.threadCount() <= this.bound) return true;
    this.#phi.begin(Counting.END);
    return this.#phi.isWithin(this.bound);
  }

  #hasStuck(): boolean {
    const { behaviours } = this.#threads;
    for (let t = 0; t < this.#threads.threadCount(); t++) {
      const s = this.#threads.stateOf(t);
      if (s !== NONE && behaviours.step[s] === Step.STUCK) return true;
    }
    return false;
  }

  /** Writes what is known of the graph with its last event into a new entry. */
  #entryOfLastEvent(): number {
    const { behaviours, g } = this.#threads;
    const entry = this.#length;
    if (entry + Entry.SIZE > this.#entries.length) this.#entries = grown(this.#entries, entry + Entry.SIZE);
    const entries = this.#entries;
    const parent = entry - Entry.SIZE;
    const e = this.#lastEvent();
    entries[entry + Entry.FATE] = Fate.NOTHING;
    entries[entry + Entry.READ] = NONE;
    entries[entry + Entry.TRACE_MARK] = NONE;
    if (e === NONE || parent < 0) return this.#firstEntry(entry, e);
    const step = stepOf(g, e);
    const t = g.thread[e]!;
    const last = entries[parent + Entry.LAST]!;
    let isStuck = false;
    let isAwait = false;
    if (g.kind[step] === Kind.READ) {
      if (behaviours.mayBlock[g.state[step]!] === 1) {
        isStuck = behaviours.step[g.after[step]!] === Step.STUCK;
        isAwait = this.#noteAwait(step);
      }
      if (wasRevisited(this.#threads, step)) return this.#entryOfRevisit(entry, step, isStuck);
    }
    entries[entry + Entry.STEP] = isStuck ? NONE : step;
    entries[entry + Entry.AWAITS] = isAwait ? 1 : entries[parent + Entry.AWAITS]!;
    entries[entry + Entry.SLACK] = entries[parent + Entry.SLACK]!;
    // a join can come right after the end of what it waits for, where leaving is free: nobody is left for it
    const isElsewhere = isStuck || g.kind[step] === Kind.JOIN;
    entries[entry + Entry.LAST] = isElsewhere ? last : t;
    const rise = isElsewhere || t === last ? 0 : this.#costOfReturning(step);
    entries[entry + Entry.MOST] = entries[parent + Entry.MOST]! + rise;
    if (!isStuck && !isLastInMemory(this.#threads, e)) this.#catchUp(entry);
    return entry;
  }

  /** Of an empty graph, or one that was loaded, with the last event e. */
  #firstEntry(entry: number, e: EventId): number {
    const entries = this.#entries;
    entries[entry + Entry.STEP] = NONE;
    entries[entry + Entry.AWAITS] = 0;
    entries[entry + Entry.SLACK] = NONE;
    entries[entry + Entry.LAST] = NONE;
    entries[entry + Entry.MOST] = 0;
    return e === NONE ? entry : this.#entryOfLoaded(entry);
  }

  /** Of a graph that was loaded. */
  #entryOfLoaded(entry: number): number {
    this.#entries[entry + Entry.AWAITS] = 1;
    this.#hasAwaits = true;
    this.#hasLocks = true;
    this.#caughtUp = entry + Entry.SIZE;
    const enough = this.#threads.g.length;
    this.#phi.begin(Counting.PREFIX);
    this.#phi.isWithin(enough);
    this.#keepTrace(entry, enough);
    return entry;
  }

  /**
   * Of a graph in which r was revisited. What is left of the trace before has no more preemptions than that had, unless a mutex is
   * free now that was not; and if the write that r reads comes last in memory, it and r may come at the end.
   */
  #entryOfRevisit(entry: number, r: EventId, isStuck: boolean): number {
    const { g } = this.#threads;
    const entries = this.#entries;
    const w = g.rf[r]!;
    const source = stepOf(g, w);
    const isUpdate = g.kind[source] === Kind.READ;
    if (isUpdate) this.#noteAwait(source);
    entries[entry + Entry.STEP] = isStuck ? NONE : r;
    entries[entry + Entry.READ] = r;
    entries[entry + Entry.SLACK] = NONE;
    entries[entry + Entry.AWAITS] = this.#hasAwaits && this.#hasAwait() ? 1 : 0;
    entries[entry + Entry.LAST] = isStuck ? g.thread[w]! : g.thread[r]!;
    const most = entries[entry - Entry.SIZE + Entry.MOST]!;
    const costOfRead = isStuck ? 0 : this.#costOfReturning(r);
    entries[entry + Entry.MOST] = most + this.#costOfReturning(source) + costOfRead;
    const next = g.coNext[w]!;
    const isLast = next === NONE || (g.updateRead[next] === r && g.coNext[next] === NONE);
    const isFirstRevisit = !isUpdate || !wasRevisited(this.#threads, source);
    if (!isLast || !isFirstRevisit || this.#hasLocks) this.#catchUp(entry);
    return entry;
  }

  /** What it costs at most to have left the thread before a step that comes at the end. */
  #costOfReturning(step: EventId): number {
    return this.#threads.g.poPrev[step] === NONE || this.#isFreeToLeave(step) ? 0 : 1;
  }

  /** The trace is one of the graph of this entry. */
  #conclude(entry: number): void {
    const last = this.#trace.last;
    this.#entries[entry + Entry.LAST] = last === NONE ? NONE : this.#threads.g.thread[last]!;
    this.#entries[entry + Entry.TRACE_MARK] = this.#trace.mark();
    this.#caughtUp = entry + Entry.SIZE;
  }

  /** Puts the steps of the entries up to this one, as far as the trace does not have them, where they cost least. */
  #catchUp(entry: number): void {
    const entries = this.#entries;
    const trace = this.#trace;
    for (let i = entry; i >= this.#caughtUp; i -= Entry.SIZE) {
      if (entries[i + Entry.READ] === NONE) continue;
      this.#catchUpWithRevisits(i);
      break;
    }
    for (let i = this.#caughtUp; i <= entry; i += Entry.SIZE) {
      const step = entries[i + Entry.STEP]!;
      let most = i === 0 ? 0 : entries[i - Entry.SIZE + Entry.MOST]!;
      if (step !== NONE) {
        const rise = trace.add(step);
        const isCounted = rise === NONE || (this.#hasLocks && !trace.isAppended);
        most = isCounted ? trace.preemptions() : most + rise;
      }
      entries[i + Entry.MOST] = most;
      this.#conclude(i);
    }
  }

  /**
   * Up to the last revisit. Something was deleted meanwhile: the trace becomes one of the graph as it was after that, and of none on the
   * way to it.
   */
  #catchUpWithRevisits(entry: number): void {
    const { g } = this.#threads;
    const entries = this.#entries;
    const trace = this.#trace;
    trace.dropDeleted();
    this.#rise = this.#caughtUp === 0 ? 0 : entries[this.#caughtUp - Entry.SIZE + Entry.MOST]!;
    for (let i = this.#caughtUp; i <= entry; i += Entry.SIZE) {
      const step = entries[i + Entry.STEP]!;
      if (entries[i + Entry.READ] !== NONE) this.#addSource(entries[i + Entry.READ]!);
      if (step !== NONE && g.has(step) && !trace.has(step)) this.#addRising(step);
    }
    const isKnown = this.#rise < UNKNOWN && !this.#hasLocks;
    entries[entry + Entry.MOST] = isKnown ? this.#rise : trace.preemptions();
    this.#conclude(entry);
  }

  #addRising(step: EventId): void {
    const rise = this.#trace.add(step);
    this.#rise += rise === NONE ? UNKNOWN : rise;
  }

  /** The write that r reads was new; if it is that of an update, that may have been revisited itself just before. */
  #addSource(r: EventId): void {
    const { g } = this.#threads;
    const step = stepOf(g, g.rf[r]!);
    if (step === NONE || this.#trace.has(step) || !g.has(step)) return;
    if (g.kind[step] === Kind.READ) {
      this.#addSource(step);
      this.#noteAwait(step);
    }
    this.#addRising(step);
  }

  /** Whether the trace, brought to the graph of the entry, has so few preemptions. */
  #isTraceWithin(budget: number, entry: number): boolean {
    this.#catchUp(entry);
    if (this.#entries[entry + Entry.MOST]! <= budget) return true;
    this.#entries[entry + Entry.MOST] = this.#trace.preemptions();
    return this.#entries[entry + Entry.MOST]! <= budget;
  }

  /** Whether the trace, which is that of the entry, can easily be made one with so few preemptions. */
  #isImprovedTo(budget: number, entry: number): boolean {
    this.#trace.improve();
    this.#entries[entry + Entry.MOST] = this.#trace.preemptions();
    this.#conclude(entry);
    return this.#entries[entry + Entry.MOST]! <= budget;
  }

  /** The trace that was found within a budget is the one that is kept. */
  #keepTrace(entry: number, budget: number): void {
    this.#order.length = 0;
    this.#phi.linearise(this.#order);
    this.#trace.replace(this.#order);
    this.#entries[entry + Entry.MOST] = this.#phi.spentOf(budget);
    this.#conclude(entry);
  }

  /** Whether the thread of e can be left before e for nothing: it may have to wait, other than for a mutex, or waits for good. */
  #isFreeToLeave(e: EventId): boolean {
    const { behaviours, g } = this.#threads;
    if (g.kind[e] !== Kind.READ || behaviours.mayBlock[g.state[e]!] === 0) return false;
    return behaviours.step[g.after[e]!] === Step.STUCK || this.#phi.isFreeOnTheWay(g.state[e]!);
  }

  /** Whether the read e is an await; if it is that, or a lock, the program has some. */
  #noteAwait(e: EventId): boolean {
    const { behaviours, g } = this.#threads;
    if (behaviours.mayBlock[g.state[e]!] === 0) return false;
    const isAwait = this.#isAwait(e);
    if (isAwait) this.#hasAwaits = true;
    else this.#hasLocks = true;
    return isAwait;
  }

  /** Whether the access e may block, other than on a mutex. */
  #isAwait(e: EventId): boolean {
    const { behaviours, g } = this.#threads;
    const s = g.state[e]!;
    return behaviours.mayBlock[s] === 1 && behaviours.operation(s).kind !== 'lock';
  }

  #hasAwait(): boolean {
    const { g } = this.#threads;
    for (let t = 0; t < this.#threads.threadCount(); t++) {
      for (let e = g.last[t]!; e !== NONE; e = g.poPrev[e]!) {
        if (g.kind[e] === Kind.READ && this.#isAwait(e)) return true;
      }
    }
    return false;
  }

  /** The event that was added last; NONE: the graph is empty. */
  #lastEvent(): EventId {
    const { g } = this.#threads;
    for (let e = g.length - 1; e >= 0; e--) if (g.thread[e] !== NONE) return e;
    return NONE;
  }

  #isWithin(entry: number): boolean {
    const { bound } = this;
    const entries = this.#entries;
    // as long as nothing is revisited, events only become deletable: what slack was it still is at least
    const known = this.#slack === deletableThreads ? Math.max(0, entries[entry + Entry.SLACK]!) : 0;
    if (entries[entry + Entry.MOST]! <= bound + known) return true;
    if (this.#isTraceWithin(bound + known, entry)) return true;
    const slack = this.#slack(this.#threads);
    entries[entry + Entry.SLACK] = slack;
    if (entries[entry + Entry.MOST]! <= bound + slack || this.#isImprovedTo(bound + slack, entry)) return true;
    this.#phi.begin(Counting.PREFIX);
    if (!this.#phi.isWithin(bound + slack)) return false;
    this.#keepTrace(entry, bound + slack);
    return true;
  }

  #tell(fate: number): void {
    if (this.#length === 0) return;
    const at = this.#length - Entry.SIZE + Entry.FATE;
    this.#entries[at] = this.#entries[at]! | fate;
  }
}

/** Whether e, the last event, comes after all others of its location, so that a trace may end with it. */
function isLastInMemory({ g }: ProgramGraph, e: EventId): boolean {
  switch (g.kind[e]) {
    case Kind.READ:
      return g.coNext[g.rf[e]!] === NONE;
    case Kind.WRITE:
      return g.coNext[e] === NONE;
    default:
      return true;
  }
}

/** Whether the read r reads from a write that was added after it. */
function wasRevisited({ g }: ProgramGraph, r: EventId): boolean {
  return g.stamp[g.rf[r]!]! > g.stamp[r]!;
}

/**
 * The number of threads with an event that may yet be deleted and is worth a switch, less one. An event is not deletable if it is
 * porf-before a write that has revisited ([BUSTER], section 5), or is one. A spawn can come as early as its thread allows and a
 * join right after what it waits for: neither is worth a switch. A read that is stuck counts: it may be the one that is revisited,
 * whose thread the "less one" is for.
 */
export function deletableThreads(threads: ProgramGraph): number {
  return Math.max(0, countDeletable(threads) - 1);
}

let stable: Column = new Int32Array(8);

export function countDeletable(threads: ProgramGraph): number {
  const { g } = threads;
  const count = threads.threadCount();
  if (stable.length < count) stable = grown(stable, count);
  stable.fill(0, 0, count);
  for (let t = 0; t < count; t++) {
    for (let r = g.last[t]!; r !== NONE; r = g.poPrev[r]!) {
      if (g.kind[r] !== Kind.READ || !wasRevisited(threads, r)) continue;
      const w = g.rf[r]!;
      for (let u = 0; u < count; u++) stable[u] = Math.max(stable[u]!, g.porfCount(w, u));
    }
  }
  let deletable = 0;
  for (let t = 0; t < count; t++) {
    for (let e = g.last[t]!; e !== NONE && g.index[e]! >= stable[t]!; e = g.poPrev[e]!) {
      if (g.kind[e] === Kind.SPAWN || g.kind[e] === Kind.JOIN) continue;
      deletable++;
      break;
    }
  }
  return deletable;
}
