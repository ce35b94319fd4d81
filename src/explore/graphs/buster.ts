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
import { Deletable, wasRevisited } from './deletable.ts';
import { KnownTrace, type Ordered, stepOf, type Waits } from './known-trace.ts';
import type { GraphPolicy, Judgement, LeastPreemptions } from './policy.ts';
import { Counting, Preemptions } from './preemptions.ts';
import type { ProgramGraph } from './program-graph.ts';
import { TruSt } from './trust.ts';

/** By how much a graph on the way may exceed the bound, if so many of its threads have events that may be deleted and are worth a switch. */
export type Slack = (deletable: number, threads: ProgramGraph) => number;

/** As argued above. */
const lessOne: Slack = (deletable) => Math.max(0, deletable - 1);

/** An admitted graph that the search may come back to. */
const Entry = {
  /** A trace of it has at most so many preemptions; and ends with this thread. */
  MOST: 0,
  LAST: 1,
  /** Its slack is at least this; NONE: not computed since the last revisit. */
  SLACK: 2,
  /** How many awaits it has. */
  AWAITS: 3,
  /** What became of the graphs that come of it: bits of `Fate`. */
  FATE: 4,
  /** How many rows the events of the graph take; and took after the last revisit on the way to it, 0: there was none. */
  ROWS: 5,
  REVISITED: 6,
  /** Where the log of the kept trace is when it is one of this graph; NONE: it never was. */
  TRACE_MARK: 7,
  /** The row of `Deletable`. */
  STABLE: 8,
  SIZE: 9,
} as const;

type Refusals = Pick<Counts, 'pruned' | 'boundBlocked'>;

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
      const made = new PreemptionBound(threads, counts, policy?.bound ?? bound, model);
      policy ??= made; // others are for samples, within the bound of the search
      return made;
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

  deepen(afresh = false): void {
    if (afresh) this.forgetRefused();
    this.goOnWithin(++this.#policy.bound);
  }
}

export class PreemptionBound implements GraphPolicy, Waits {
  bound: number;
  readonly #threads: ProgramGraph;
  readonly #counts: Refusals;
  readonly #slack: Slack;
  /** Whether slack and preemptions are counted as they are here. */
  readonly #isOwn: boolean;
  readonly #deletable: Deletable;
  readonly #phi: Preemptions;
  readonly #order = new EventStack();
  /** Whether a mutex was seen: who holds it when decides what it costs to leave those who want it. (The trace is told of both.) */
  #hasLocks = false;
  #hasAwaits = false;

  // The last graph that was asked about: what `Entry` has of it (NONE rows: there was none). Only if it is marked it has an entry,
  // the last one.
  #most = 0;
  #last = NONE;
  #slackKnown = NONE;
  #awaits = 0;
  #rows = NONE;
  #revisited = 0;
  #stable = NONE;
  #isMarked = true;
  /** Whether something that comes of it was counted already (`countsAhead`). */
  #isExplored = false;
  /** Of the graphs on the way to it, and of itself, those that are marked. */
  #entries: Column = new Int32Array(Entry.SIZE * 64);
  #length = 0;

  /**
   * A trace of one of the graphs on the way, which has the first so many rows; it has so many preemptions at most, and the entries of
   * later graphs begin there. The steps of the other rows come then: their order is one of porf, also after a revisit.
   */
  readonly #trace: KnownTrace;
  #traceRows = 0;
  #traceMost = 0;
  #caughtUp = 0;

  /** `slack`, `phi`: for tests, which show what becomes of other ones. */
  constructor(
    threads: ProgramGraph,
    counts: Refusals,
    bound: number,
    model: GraphModel,
    { slack = lessOne, phi = new Preemptions(threads) }: { slack?: Slack; phi?: Preemptions } = {},
  ) {
    this.#threads = threads;
    this.#counts = counts;
    this.bound = bound;
    this.#slack = slack;
    this.#deletable = new Deletable(threads);
    this.#phi = phi;
    this.#isOwn = slack === lessOne && phi.constructor === Preemptions && new.target === PreemptionBound;
    if (!isOrdered(model)) throw new Error('preemptions are counted in interleavings');
    this.#trace = new KnownTrace(threads, this, model);
  }

  /** Line 5: whether the graph needs at most k + slack preemptions. */
  admits(): boolean {
    const isChoice = this.#isMarked; // the graph before may have others that come of it
    this.#isMarked = false;
    this.#isExplored = false;
    if (this.#rows === NONE) this.#begin();
    else this.#goOn();
    const isWithin = this.#isWithin();
    if (isChoice) this.#tell(isWithin ? Fate.EXPLORED : Fate.REFUSED);
    if (!isWithin) this.#countRefused(isChoice);
    return isWithin;
  }

  get hotLoop(): string | undefined {
    return this.#isOwn ? 'buster-' : undefined;
  }

  #countRefused(isChoice: boolean): void {
    this.#counts.pruned++;
    if (!isChoice) this.#countBlocked();
  }

  #countBlocked(): void {
    this.#counts.boundBlocked++;
  }

  judge(): Judgement {
    return this.#isFullWithin() ? 'counts' : 'over bound';
  }

  readonly countsLastOnly = true;

  /**
   * A trace of the full graph is that of this one, and e at its end. The tail costs nothing: where its thread is left, it can go on at once with
   * the joins and steps of its own that are possible there, and then waits for somebody or has ended; and what it reads comes after
   * all others have ended. (Where a search goes on from an update's read, nothing is known of the graph as it was loaded.)
   */
  countsAhead(e: EventId): boolean {
    if (this.#rows === NONE || this.#isOfRevisited(e)) return false;
    const budget = this.bound - this.#awaits; // see `#isFullWithin`
    if (this.#mostAhead(e) > budget) {
      this.#catchUp();
      // e has its row, so that having left its thread is counted
      if (this.#mostAhead(e) > budget && !this.#isTraceWithin(this.bound, Counting.END)) return false;
    }
    if (this.#isMarked) this.#tell(Fate.EXPLORED);
    else this.#isExplored = true;
    return true;
  }

  /** Whether e is the write of an update whose read was just revisited: what is known is of the graph before that. */
  #isOfRevisited(e: EventId): boolean {
    const read = e === NONE ? NONE : this.#threads.g.updateRead[e]!;
    return read !== NONE && wasRevisited(this.#threads, read);
  }

  #mostAhead(e: EventId): number {
    const { g } = this.#threads;
    if (e === NONE || g.thread[e] === this.#last) return this.#most;
    return this.#most + this.#costOfReturning(stepOf(g, e));
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
    if (this.#isMarked) return this.#length;
    const entry = this.#length;
    this.#length += Entry.SIZE;
    if (this.#length > this.#entries.length) this.#entries = grown(this.#entries, this.#length);
    const entries = this.#entries;
    entries[entry + Entry.MOST] = this.#most;
    entries[entry + Entry.LAST] = this.#last;
    entries[entry + Entry.SLACK] = this.#slackKnown;
    entries[entry + Entry.AWAITS] = this.#awaits;
    entries[entry + Entry.FATE] = this.#isExplored ? Fate.EXPLORED : Fate.NOTHING;
    entries[entry + Entry.ROWS] = this.#rows;
    entries[entry + Entry.REVISITED] = this.#revisited;
    entries[entry + Entry.STABLE] = this.#stable;
    entries[entry + Entry.TRACE_MARK] = NONE;
    if (this.#traceRows === this.#rows) {
      entries[entry + Entry.TRACE_MARK] = this.#trace.mark();
      this.#caughtUp = this.#length;
    }
    this.#isMarked = true;
    return this.#length;
  }

  undoTo(mark: number): void {
    const entries = this.#entries;
    while (this.#length > mark) {
      this.#length -= Entry.SIZE;
      if (entries[this.#length + Entry.FATE] === Fate.REFUSED) this.#countBlocked();
    }
    this.#isMarked = true;
    this.#isExplored = false;
    const top = mark - Entry.SIZE;
    this.#most = top < 0 ? 0 : entries[top + Entry.MOST]!;
    this.#last = top < 0 ? NONE : entries[top + Entry.LAST]!;
    this.#slackKnown = top < 0 ? NONE : entries[top + Entry.SLACK]!;
    this.#awaits = top < 0 ? 0 : entries[top + Entry.AWAITS]!;
    this.#rows = top < 0 ? NONE : entries[top + Entry.ROWS]!;
    this.#revisited = top < 0 ? 0 : entries[top + Entry.REVISITED]!;
    this.#stable = top < 0 ? NONE : entries[top + Entry.STABLE]!;
    if (this.#traceRows > this.#rows) this.#undoTrace();
    else if (this.#caughtUp > mark) this.#caughtUp = mark;
  }

  /** To one of the last marked graph, or of one before. */
  #undoTrace(): void {
    const entries = this.#entries;
    let top = this.#length - Entry.SIZE;
    while (top >= 0 && entries[top + Entry.TRACE_MARK] === NONE) top -= Entry.SIZE;
    this.#caughtUp = top + Entry.SIZE;
    this.#trace.undoTo(top < 0 ? 0 : entries[top + Entry.TRACE_MARK]!);
    this.#traceRows = top < 0 ? 0 : entries[top + Entry.ROWS]!;
    this.#traceMost = top < 0 ? 0 : entries[top + Entry.MOST]!;
  }

  #tell(fate: number): void {
    if (this.#length === 0) return;
    const at = this.#length - Entry.SIZE + Entry.FATE;
    this.#entries[at] = this.#entries[at]! | fate;
  }

  // ---------------------------------------------------------------------------------------------------------------

  /**
   * A trace of the graph has at most so many preemptions more at the end than on the way as it has awaits, and threads that wait for
   * ever: leaving a thread before one of these is free on the way, and happens at most once.
   */
  #isFullWithin(): boolean {
    const stuck = this.#countStuck();
    const budget = this.bound - this.#awaits - stuck;
    if (this.#most <= budget || this.#threads.g.length + this.#threads.threadCount() <= this.bound) return true;
    this.#catchUp();
    if (this.#most <= budget || this.#isTraceWithin(this.bound - stuck, Counting.END)) return true;
    this.#phi.begin(Counting.END);
    return this.#phi.isWithin(this.bound);
  }

  /** How many threads wait for ever, for memory to change. */
  #countStuck(): number {
    const { behaviours, g } = this.#threads;
    if (!this.#hasLocks && !this.#hasAwaits) return 0;
    let stuck = 0;
    for (let t = 0; t < this.#threads.threadCount(); t++) {
      const e = g.last[t]!;
      if (e !== NONE && behaviours.step[g.after[e]!] === Step.STUCK) stuck++;
    }
    return stuck;
  }

  /** The first graph: the empty one, or one that was loaded. */
  #begin(): void {
    this.#rows = this.#threads.g.length;
    if (this.#lastEvent() === NONE) return;
    this.#revisited = this.#rows; // not all rows need be in the graph
    this.#stable = this.#deletable.ofGraph();
    this.#awaits = this.#countAwaits();
    this.#hasAwaits = true;
    this.#hasLocks = true;
    this.#trace.hasWaits = true;
    const enough = this.#rows;
    this.#phi.begin(Counting.PREFIX);
    this.#phi.isWithin(enough);
    this.#keepTrace(enough);
  }

  /** What is known of the graph after the one before, with its new events. */
  #goOn(): void {
    const { behaviours, g } = this.#threads;
    const e = this.#lastEvent();
    const step = stepOf(g, e);
    let isStuck = false;
    if (g.kind[step] === Kind.READ) {
      if (behaviours.mayBlock[g.state[step]!] === 1) {
        isStuck = behaviours.step[g.after[step]!] === Step.STUCK;
        if (this.#noteAwait(step)) this.#awaits++;
      }
      if (wasRevisited(this.#threads, step)) {
        this.#goOnAfterRevisit(step, isStuck);
        return;
      }
    }
    this.#rows = g.length;
    if (isStuck) return;
    const t = g.thread[e]!;
    // a join can come right after the end of what it waits for, where leaving is free: nobody is left for it
    if (t !== this.#last && g.kind[step] !== Kind.JOIN) {
      this.#most += this.#costOfReturning(step);
      this.#last = t;
    }
    if (!isLastInMemory(this.#threads, e)) this.#catchUp();
  }

  /**
   * In the graph r was revisited. What is left of the trace before has no more preemptions than that had, unless a mutex is free now
   * that was not; and if the write that r reads comes last in memory, it and r may come at the end.
   */
  #goOnAfterRevisit(r: EventId, isStuck: boolean): void {
    const { g } = this.#threads;
    const w = g.rf[r]!;
    const source = stepOf(g, w);
    const isUpdate = g.kind[source] === Kind.READ;
    if (isUpdate) for (let e = this.#rows; e < g.length; e++) if (g.kind[e] === Kind.READ) this.#noteAwait(e);
    this.#most += this.#costOfReturning(source) + (isStuck ? 0 : this.#costOfReturning(r));
    this.#last = g.thread[isStuck ? w : r]!;
    this.#slackKnown = NONE;
    // if w is of an update whose read was revisited, too, w comes after what revisited that
    this.#stable = this.#deletable.afterRevisit(this.#stable, w);
    this.#awaits = this.#hasAwaits ? this.#countAwaits() : 0;
    this.#rows = g.length;
    this.#revisited = g.length;
    const next = g.coNext[w]!;
    const isLast = next === NONE || (g.updateRead[next] === r && g.coNext[next] === NONE);
    const isFirstRevisit = !isUpdate || !wasRevisited(this.#threads, source);
    if (!isLast || !isFirstRevisit || this.#hasLocks) this.#catchUp();
  }

  /** What it costs at most to have left the thread before a step that comes at the end. */
  #costOfReturning(step: EventId): number {
    return this.#threads.g.poPrev[step] === NONE || this.isFreeToLeave(step) ? 0 : 1;
  }

  /** The trace is one of the graph, and has at most so many preemptions. */
  #conclude(most: number): void {
    this.#most = most;
    this.#last = this.#lastThread();
    this.#traceRows = this.#rows;
    this.#traceMost = most;
    this.#caughtUp = this.#length;
  }

  #lastThread(): number {
    const { last } = this.#trace;
    return last === NONE ? NONE : this.#threads.g.thread[last]!;
  }

  /** Puts the steps that the trace does not have where they cost least: it becomes one of the graph, and of the marked ones on the way. */
  #catchUp(): void {
    if (this.#traceRows === this.#rows) return;
    const entries = this.#entries;
    let row = this.#traceRows;
    let most = this.#traceMost;
    let i = this.#caughtUp;
    if (this.#revisited > row) {
      most = this.#catchUpWithRevisits(row, most);
      row = this.#revisited;
      while (i < this.#length && entries[i + Entry.ROWS]! < row) i += Entry.SIZE;
    }
    for (; i < this.#length; i += Entry.SIZE) {
      const end = entries[i + Entry.ROWS]!;
      most = this.#addRows(row, end, most);
      row = end;
      entries[i + Entry.MOST] = most;
      entries[i + Entry.LAST] = this.#lastThread();
      entries[i + Entry.TRACE_MARK] = this.#trace.mark();
    }
    this.#conclude(this.#addRows(row, this.#rows, most));
  }

  /**
   * Up to the last revisit. Something was deleted meanwhile: the trace becomes one of the graph as it was after that, and of none on the
   * way to it.
   */
  #catchUpWithRevisits(from: number, before: number): number {
    this.#trace.dropDeleted();
    const most = this.#addRows(from, this.#revisited, before, true);
    return this.#hasLocks ? this.#trace.preemptions(Counting.PREFIX) : most;
  }

  /** The steps of those rows; of those that are in the graph, if something `wasDeleted`. */
  #addRows(from: number, end: number, before: number, wasDeleted = false): number {
    const { g } = this.#threads;
    const trace = this.#trace;
    let most = before;
    let isCounted = false;
    for (let e = from; e < end; e++) {
      if (!this.#isStep(e) || (wasDeleted && !g.has(e))) continue;
      const rise = trace.add(e);
      if (rise === NONE || (this.#hasLocks && !trace.isAppended)) isCounted = true;
      else most += rise;
    }
    return isCounted ? trace.preemptions(Counting.PREFIX) : most;
  }

  /** Whether the row e is the first event of a step: not the write of an update, nor of a read that is stuck. */
  #isStep(e: EventId): boolean {
    const { behaviours, g } = this.#threads;
    if (g.thread[e] === NONE || g.updateRead[e] !== NONE) return false;
    return g.kind[e] !== Kind.READ || behaviours.step[g.after[e]!] !== Step.STUCK;
  }

  /** Whether the trace, which is that of the graph, has so few preemptions if they are counted, or can easily be made one with so few. */
  #isTraceWithin(budget: number, counting: Counting): boolean {
    let count = this.#count(counting);
    while (count > budget) {
      const before = count;
      const hasTriedAll = this.#trace.improve(count - budget);
      count = this.#count(counting);
      if (hasTriedAll || count >= before) break;
    }
    return count <= budget;
  }

  #count(counting: Counting): number {
    this.#conclude(this.#trace.preemptions(Counting.PREFIX));
    return counting === Counting.END && this.#hasAwaits ? this.#trace.preemptions(counting) : this.#most;
  }

  /** The trace that was found within a budget is the one that is kept. */
  #keepTrace(budget: number): void {
    this.#order.length = 0;
    this.#phi.linearise(this.#order);
    this.#trace.replace(this.#order);
    this.#conclude(this.#phi.spentOf(budget));
  }

  /** Whether the thread of e can be left before e for nothing: it may have to wait, other than for a mutex, or waits for good. */
  isFreeToLeave(e: EventId): boolean {
    const { behaviours, g } = this.#threads;
    if (g.kind[e] !== Kind.READ || behaviours.mayBlock[g.state[e]!] === 0) return false;
    return behaviours.step[g.after[e]!] === Step.STUCK || this.#phi.isFreeOnTheWay(g.state[e]!);
  }

  /** Whether the read e is an await; if it is that, or a lock, the program has some. */
  #noteAwait(e: EventId): boolean {
    const { behaviours, g } = this.#threads;
    if (behaviours.mayBlock[g.state[e]!] === 0) return false;
    const isAwait = this.#isAwait(e);
    this.#trace.hasWaits = true;
    if (isAwait) this.#hasAwaits = true;
    else this.#hasLocks = true;
    return isAwait;
  }

  /** Whether the access e may block, other than on a mutex. */
  #isAwait(e: EventId): boolean {
    const { behaviours, g } = this.#threads;
    const s = g.state[e]!;
    return behaviours.mayBlock[s] === 1 && this.#phi.isFreeOnTheWay(s);
  }

  #countAwaits(): number {
    const { g } = this.#threads;
    let awaits = 0;
    for (let t = 0; t < this.#threads.threadCount(); t++) {
      for (let e = g.last[t]!; e !== NONE; e = g.poPrev[e]!) {
        if (g.kind[e] === Kind.READ && this.#isAwait(e)) awaits++;
      }
    }
    return awaits;
  }

  /** The event that was added last; NONE: the graph is empty. */
  #lastEvent(): EventId {
    const { g } = this.#threads;
    for (let e = g.length - 1; e >= 0; e--) if (g.thread[e] !== NONE) return e;
    return NONE;
  }

  #isWithin(): boolean {
    const { bound } = this;
    if (this.#most <= bound) return true;
    // as long as nothing is revisited, events only become deletable: what slack was it still is at least
    const known = this.#slackKnown !== NONE && this.#isOwn ? this.#slackKnown : this.#newSlack();
    if (this.#most <= bound + known) return true;
    this.#catchUp();
    if (this.#most <= bound + known) return true;
    const slack = this.#newSlack();
    if (this.#most <= bound + slack || this.#isTraceWithin(bound + slack, Counting.PREFIX)) return true;
    this.#phi.begin(Counting.PREFIX);
    if (!this.#phi.isWithin(bound + slack)) return false;
    this.#keepTrace(bound + slack);
    return true;
  }

  #newSlack(): number {
    const deletable = this.#deletable.countThreads(this.#stable);
    this.#slackKnown = this.#isOwn ? Math.max(0, deletable - 1) : this.#slack(deletable, this.#threads);
    return this.#slackKnown;
  }
}

function isOrdered(model: GraphModel): model is GraphModel & Ordered {
  return model.precedes !== undefined;
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
