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
 * - The predicate is seldom computed: a trace of the graph before, with the new event at its end, often shows that it holds.
 */
import { type EventId, type Graph, Kind } from '../../graph/graph.ts';
import type { GraphModel } from '../../models/model.ts';
import { type Behaviours, Step } from '../../program/behaviours.ts';
import { type Column, grown, NONE } from '../../program/columns.ts';
import type { Bounded, Counts, ExploreOptions, SearchBound } from '../explorer.ts';
import type { GraphPolicy, Judgement, LeastPreemptions } from './policy.ts';
import { Counting, Preemptions } from './preemptions.ts';
import type { ProgramGraph } from './program-graph.ts';
import { TruSt } from './trust.ts';

/** By how much a graph on the way may exceed the bound. */
export type Slack = (threads: ProgramGraph) => number;

/** An admitted graph. */
const Entry = {
  /** A trace of it has at most so many preemptions; and ends with this thread (NONE: not known). */
  MOST: 0,
  LAST: 1,
  /** Its slack is at least this; NONE: not computed since the last revisit. */
  SLACK: 2,
  /** Whether it has an await. */
  AWAITS: 3,
  /** What became of the graphs that come of it: bits of `Fate`. */
  FATE: 4,
  /** No trace need have more preemptions: see `ceilingOf`. */
  CEILING: 5,
  SIZE: 6,
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
    super(behaviours, makeModel, options, (threads, counts) => {
      policy = new PreemptionBound(threads, counts, bound);
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
  /** The graphs on the way to the one before us. */
  #entries: Column = new Int32Array(Entry.SIZE * 64);
  #length = 0;

  /** `slack`, `phi`: for tests, which show what becomes of other ones. */
  constructor(
    threads: ProgramGraph,
    counts: Refusals,
    bound: number,
    { slack = deletableThreads, phi = new Preemptions(threads) }: { slack?: Slack; phi?: Preemptions } = {},
  ) {
    this.#threads = threads;
    this.#counts = counts;
    this.bound = bound;
    this.#slack = slack;
    this.#phi = phi;
  }

  /** Line 5: whether the graph needs at most k + slack preemptions. */
  admits(): boolean {
    const entry = this.#entryOfLastEvent();
    if (!this.#isWithin(entry)) {
      this.#counts.pruned++;
      this.#tell(Fate.REFUSED);
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
  }

  // ---------------------------------------------------------------------------------------------------------------

  #isFullWithin(): boolean {
    const top = this.#length - Entry.SIZE;
    if (top >= 0 && this.#entries[top + Entry.MOST]! <= this.bound) {
      // where nobody waits, both counts are the same
      if (this.#entries[top + Entry.AWAITS] === 0 && !this.#hasStuck()) return true;
    }
    if (top >= 0 && this.#entries[top + Entry.CEILING]! + this.#threads.threadCount() <= this.bound) return true;
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
    entries[entry + Entry.FATE] = Fate.NOTHING;
    entries[entry + Entry.SLACK] = NONE;
    entries[entry + Entry.MOST] = 0;
    entries[entry + Entry.LAST] = NONE;
    entries[entry + Entry.AWAITS] = 0;
    entries[entry + Entry.CEILING] = 0;
    const e = this.#lastEvent();
    if (e === NONE) return entry;
    const r = g.updateRead[e] === NONE ? e : g.updateRead[e]!;
    const isRead = g.kind[r] === Kind.READ;
    const isAwait = isRead && this.#isAwait(r);
    const parent = entry - Entry.SIZE;
    if (parent < 0) {
      // a graph that was loaded
      entries[entry + Entry.AWAITS] = 1;
      entries[entry + Entry.CEILING] = ceilingOf(this.#threads);
      entries[entry + Entry.MOST] = entries[entry + Entry.CEILING]!;
      return entry;
    }
    const isKnown = !(isRead && wasRevisited(this.#threads, r));
    // writes that revisit need not have been the last event of any admitted graph
    const hasAwait = isAwait || (!isKnown && this.#hasAwait());
    entries[entry + Entry.AWAITS] = hasAwait ? 1 : entries[parent + Entry.AWAITS]!;
    const ceiling = isKnown
      ? entries[parent + Entry.CEILING]! + costAtMost(this.#threads, e)
      : ceilingOf(this.#threads);
    entries[entry + Entry.CEILING] = ceiling;
    entries[entry + Entry.MOST] = ceiling;
    if (!isKnown) return entry;
    entries[entry + Entry.SLACK] = entries[parent + Entry.SLACK]!;
    const t = g.thread[e]!;
    let [most, last] = [ceiling, NONE];
    if (isRead && behaviours.step[g.after[r]!] === Step.STUCK) {
      most = entries[parent + Entry.MOST]!;
      last = entries[parent + Entry.LAST]!;
    } else if (isLastInMemory(this.#threads, e)) {
      const isFree = t === entries[parent + Entry.LAST] || g.poPrev[r] === NONE || isAwait;
      most = entries[parent + Entry.MOST]! + (isFree ? 0 : 1);
      last = t;
    }
    if (most > ceiling) return entry;
    entries[entry + Entry.MOST] = most;
    entries[entry + Entry.LAST] = last;
    return entry;
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
    if (this.#entries[entry + Entry.MOST]! <= bound) return true;
    const slack = this.#slackOf(entry);
    if (this.#entries[entry + Entry.MOST]! <= bound + slack) return true;
    const phi = this.#phi;
    phi.begin(Counting.PREFIX);
    if (!phi.isWithin(bound + slack)) return false;
    this.#entries[entry + Entry.MOST] = phi.spentOf(bound + slack);
    this.#entries[entry + Entry.LAST] = phi.lastThread;
    return true;
  }

  /** As long as nothing is revisited, events only become deletable: what slack was it still is at least. */
  #slackOf(entry: number): number {
    const known = this.#entries[entry + Entry.SLACK]!;
    const isEnough = known !== NONE && this.#entries[entry + Entry.MOST]! <= this.bound + known;
    if (isEnough && this.#slack === deletableThreads) return known;
    const slack = this.#slack(this.#threads);
    this.#entries[entry + Entry.SLACK] = slack;
    return slack;
  }

  #tell(fate: number): void {
    if (this.#length === 0) return;
    const at = this.#length - Entry.SIZE + Entry.FATE;
    this.#entries[at] = this.#entries[at]! | fate;
  }
}

/**
 * An upper bound that every graph keeps. A trace in which no thread is left before a spawn, nor before a join of a thread that has
 * ended, can always be had; so each thread costs at most one for each of its other operations but its first.
 */
function ceilingOf(threads: ProgramGraph): number {
  const { g } = threads;
  let ceiling = 0;
  for (let t = 0; t < threads.threadCount(); t++) {
    for (let e = g.last[t]!; e !== NONE; e = g.poPrev[e]!) ceiling += costAtMost(threads, e);
  }
  return ceiling;
}

/** What leaving its thread before e can cost; an update counts where it writes. */
function costAtMost({ g }: ProgramGraph, e: EventId): number {
  if (g.kind[e] === Kind.SPAWN || g.kind[e] === Kind.JOIN) return 0;
  const first = g.updateRead[e] === NONE ? e : g.updateRead[e]!;
  return g.poPrev[first] === NONE || g.isUpdateRead(e) ? 0 : 1;
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
