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
 * - Whether w may revisit r (lines 16 and 17) is asked when w is added, so that only such revisits are options; and an update whose write
 *   would have no place and nothing to revisit is not added (`#pushReadsToRevisit`, `#dropVain`). Without coherence, which is found by
 *   searches, it is asked when the turn comes to the revisit.
 * - Awaits and locks are reads that stop their thread when the value does not let them through; the thread is stuck
 *   until a write revisits the read. Such a read is only worth adding where nothing comes after the write it reads:
 *   otherwise it is not maximal, so nothing can revisit it, and it does not show how the execution ends. At the end,
 *   stuck reads must read the last write, else the graph is none of the program's and counts as redundant. Many such
 *   graphs are left out before: see `#leavesStuckInVain`.
 * - Locks, and other waits. A read that would be stuck on the last write comes last of all (`#isPutOff`). An update from which
 *   another one takes what it has read, so that it would be stuck, is not added again but excluded, and put off like that
 *   (`exclusions.ts`). So a contended mutex gives no graphs in vain. Not with a policy that looks at each graph, nor without coherence.
 * - A choose is added maximally if it takes its first option. Spawns and joins are events of porf; a join is
 *   available once its thread has ended.
 * - In the place of the order <next of the paper (section 3.3: any total order that respects program order) there is a function of the
 *   graph, for which the proof holds as well: what waits comes last, as above; else it is by the rank of events, which is the
 *   number of joins up to them in their thread, and then by thread. So joins come last, and when nothing else is left the rest
 *   of the execution often has nothing to choose: then it is followed without events (`ends.ts`), unless the policy needs them.
 */
import { type EventId, Graph } from '../../graph/graph.ts';
import { EventStack, type GraphModel } from '../../models/model.ts';
import { type Behaviours, Step } from '../../program/behaviours.ts';
import { type Column, grown, NONE } from '../../program/columns.ts';
import { type Ending, endingOf } from '../../program/ending.ts';
import {
  type Execution,
  nothingExplored,
  type Open,
  type SavedSearch,
  type WorkItem,
} from '../../program/execution.ts';
import { LOCKED } from '../../program/orders.ts';
import {
  type Counts,
  type Divisible,
  type Estimable,
  type ExploreOptions,
  type Explorer,
  executionsOf,
  type Finding,
  isRerun,
  noCounts,
  type Sampler,
  type Warning,
} from '../explorer.ts';
import { Findings } from '../findings.ts';
import { brokenOff, learnFrom, searchOf } from '../saved-knowledge.ts';
import { samplingOptions } from '../thinning.ts';
import { Clashes } from './clashes.ts';
import { EndOfGraph } from './end-of-graph.ts';
import { Ends } from './ends.ts';
import { Exclusions } from './exclusions.ts';
import { HOT_AFTER, type HotLoop, hotLoopOf } from './hot-loop.ts';
import { everyGraph, type GraphPolicy, type LeastPreemptions, type MakePolicy } from './policy.ts';
import { ProgramGraph } from './program-graph.ts';
import { GraphLoader, saveGraph } from './saved-graph.ts';
import { ThinnedGraphs } from './thinned-graphs.ts';

/** A frame: an event with several options. */
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
  POLICY_MARK: 9,
  STAMP: 10,
  EPOCH: 11,
  REVISITS: 12,
  SIZE: 13,
} as const;
/** Later than all stamps. */
const EVER = 0x7fffffff;
const FrameType = { READ: 0, WRITE: 1, REVISIT: 2, CHOOSE: 3 } as const;

export class TruSt implements Explorer, Divisible, Estimable {
  readonly behaviours: Behaviours;
  readonly g: Graph;
  readonly model: GraphModel;
  readonly #threads: ProgramGraph;
  readonly #policy: GraphPolicy;
  readonly #looksForLeaks: boolean;
  /** That of the behaviours, which stays what it is. */
  readonly #isClosed: boolean;
  /** Whether it refuses nothing: then it need not be asked. */
  readonly #admitsAll: boolean;
  readonly counts: Counts = noCounts();
  readonly #findings: Findings;
  readonly #clashes: Clashes;

  #frames: Column = new Int32Array(Frame.SIZE);
  #depth = 0;
  readonly #stack = new EventStack();
  /** The writes that have revisited a read on the way to this graph, as far as they are known: none of them is ever deleted. */
  readonly #revisits = new EventStack();
  /** The read whose update's write comes next ([TruSt], section 4.1: they are adjacent). */
  #due: EventId = NONE;
  /**
   * No thread left of this one is available with an event of rank 0. An event of thread t makes none of
   * them so (unless it ends its thread, for which a join of higher rank may wait), and where t was chosen before, none was. A
   * spawn and a revisit start over.
   */
  #leftmost = 0;
  /** Whether reads that would wait come last, and an update that was excluded leaves the graph: see "Locks, and other waits" in the head. */
  readonly #defers: boolean;
  readonly #exclusions: Exclusions;
  /** Whether a read was ever put off: then a write may make a thread available that is further left. */
  #hasPutOff = false;
  readonly #end: EndOfGraph;
  readonly #ends: Ends;
  /** Whether the states of the events are of another epoch than that of the behaviours. */
  #isStale = false;
  readonly #witnessNow = (): Execution => this.#witness();
  /** The parts of the search that come next, the last one first; and the one that is being explored. */
  #items: WorkItem[] = [nothingExplored];
  #item: WorkItem | undefined;
  /** The graphs that the policy has refused, if they are kept; undefined also if they were too many. */
  #refused: WorkItem[] | undefined;
  #mostRefused = 0;
  readonly #makeSampler: () => Sampler;
  /** The steps before `#runHot`; what that runs, undefined if there is nothing, null: not looked for yet. */
  #coldSteps = HOT_AFTER;
  #hotLoop: HotLoop | undefined | null = null;
  isExhausted = false;
  /** Stays so if an exception ends a run. */
  #isRunning = false;

  constructor(
    behaviours: Behaviours,
    makeModel: (g: Graph) => GraphModel,
    options: ExploreOptions,
    makePolicy: MakePolicy = () => everyGraph,
  ) {
    this.behaviours = behaviours;
    this.#isClosed = behaviours.isClosed;
    behaviours.sharesFutures = true; // what a thread has done is in the graph
    this.g = new Graph();
    this.model = makeModel(this.g);
    this.#threads = new ProgramGraph(behaviours, this.g);
    this.#end = new EndOfGraph(this.#threads, this.model);
    this.#policy = makePolicy(this.#threads, this.counts, this.model);
    this.#admitsAll = this.#policy === everyGraph;
    this.#threads.startsClocks = !this.model.hasCoherence;
    this.#findings = new Findings(behaviours, options, this.counts);
    this.#looksForLeaks = options.checkLeaks;
    this.#defers = this.#policy.isBlind === true && this.model.hasCoherence;
    this.#exclusions = new Exclusions(this.g);
    this.#makeSampler = () => TruSt.#sampler(behaviours.another(), makeModel, makePolicy);
    const isDeferred = this.#policy.preemptions !== undefined;
    this.#clashes = new Clashes(this.#threads, this.model, this.#findings, options.races, isDeferred, (last) =>
      this.#witness(last),
    );
    this.#ends = new Ends({
      threads: this.#threads,
      model: this.model,
      policy: this.#policy,
      counts: this.counts,
      findings: this.#findings,
      clashes: this.#clashes,
      options: this.#stack,
      witness: this.#witnessNow,
      needsEvents: options.checkLeaks || options.onExecution !== undefined,
    });
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

  get exitStatus(): number | undefined {
    return this.#findings.exitStatus;
  }

  run(steps: number): boolean {
    const findings = this.#findings;
    this.#isRunning = true;
    if (this.#item === undefined) this.isExhausted = !this.#nextItem();
    else if (this.behaviours.hasManyCopies) this.#rebuild();
    try {
      const cold = Math.min(steps, this.#coldSteps);
      this.#coldSteps -= cold;
      this.#run(cold);
      if (cold < steps && !this.isExhausted && !findings.isOver) this.#runHot(steps - cold);
    } finally {
      findings.settlePlain();
    }
    this.#isRunning = false;
    return this.isExhausted || findings.isOver;
  }

  /** `#run`, as the build has translated it, if it has. */
  #runHot(steps: number): void {
    if (this.#hotLoop === null)
      this.#hotLoop = hotLoopOf(this, this.model, this.#admitsAll ? '' : this.#policy.hotLoop);
    if (this.#hotLoop === undefined) this.#run(steps);
    else this.#hotLoop(steps);
  }

  /** By itself: the engine compiles it while it runs, and does not know what would come after. */
  #run(steps: number): void {
    const findings = this.#findings;
    for (let i = 0; i < steps && !this.isExhausted && !findings.isOver; i++) {
      if (!this.#visit() && !findings.isOver) this.isExhausted = !this.#backtrack() && !this.#nextItem();
      if (!this.behaviours.hasSortedThreads) this.#sortThreads();
    }
  }

  progress(): number {
    if (this.isExhausted) return 1;
    let left = this.#item === undefined || this.#depth > 0 ? 0 : this.#item.share;
    for (const { share } of this.#items) left += share;
    for (let d = 0, weight = this.#item?.share ?? 0; d < this.#depth; d++) {
      weight = this.#shareOfOption(d, weight);
      left += weight * this.#optionsLeft(d).length;
    }
    return 1 - left;
  }

  // --------------------------------------------------------------------------------------- the search as plain data

  get hasOthers(): boolean {
    if (this.isExhausted) return false;
    if (this.#items.length > (this.#item === undefined ? 1 : 0)) return true;
    const frames = this.#frames;
    for (let f = 0; f < this.#depth * Frame.SIZE; f += Frame.SIZE) {
      if (frames[f + Frame.TAKEN]! < frames[f + Frame.TO]! - frames[f + Frame.FROM]!) return true;
    }
    return false;
  }

  /** All options of all frames that nobody has explored. The search goes on from there, as after `load`. */
  save(): SavedSearch {
    if (this.#isRunning) throw brokenOff();
    this.#findings.giveBack();
    const items = this.isExhausted ? [] : this.#takeItems();
    this.#findings.goOn(false);
    this.#goOnWith(items);
    return searchOf(this.behaviours.program, items, this.#findings.hasErrors);
  }

  load(saved: SavedSearch): void {
    learnFrom(saved, this.behaviours);
    this.#findings.goOn(saved.hasErrors);
    this.#goOnWith(saved.items);
  }

  #goOnWith(items: readonly WorkItem[]): void {
    this.#items = [...items];
    this.#item = undefined;
    this.#depth = 0;
    this.isExhausted = items.length === 0;
    for (const { execution } of items) for (const { path } of execution.threads) this.behaviours.threadOf(path);
    if (!this.behaviours.hasSortedThreads) this.behaviours.sortThreads();
  }

  newSampler(): Sampler {
    return this.#makeSampler();
  }

  static #sampler(behaviours: Behaviours, makeModel: (g: Graph) => GraphModel, makePolicy: MakePolicy): Sampler {
    let thinned: ThinnedGraphs | undefined;
    const explorer = new TruSt(behaviours, makeModel, samplingOptions, (threads, counts, model) => {
      thinned = new ThinnedGraphs(threads, counts, makePolicy(threads, counts, model));
      return thinned;
    });
    const policy = thinned as unknown as ThinnedGraphs;
    let begin = (): void => {};
    let items: readonly WorkItem[] = [];
    return {
      begin: (from, options) => {
        items = from;
        begin = () => {
          policy.begin(options);
          explorer.#goOnWith(from);
        };
        begin();
      },
      run: (steps) => {
        if (!explorer.run(steps)) return undefined;
        if (policy.begun === items.length + 1) return policy.thinning;
        begin(); // threads were sorted on the way, so that weights are lost; now they are known
        return undefined;
      },
    };
  }

  /** From now on the graphs that the policy refuses are kept, up to so many. */
  protected keepRefused(most: number): void {
    this.#refused = [];
    this.#mostRefused = most;
  }

  /** Whether all that the policy has refused is kept. */
  get keepsRefused(): boolean {
    return this.#refused !== undefined;
  }

  /** What it has refused, and will refuse with this bound, is not all that there is. */
  protected forgetRefused(): void {
    this.#refused = undefined;
  }

  /**
   * The search is exhausted, and the policy has a larger bound now: explores what it has refused with the one before, or
   * everything again if that was not kept.
   */
  protected goOnWithin(bound: number): void {
    const refused = this.#refused;
    if (this.#mostRefused > 0) this.#refused = [];
    if (refused === undefined) {
      this.#findings.startOver();
      this.#goOnWith([nothingExplored]);
      return;
    }
    this.counts.pruned = 0;
    this.counts.boundBlocked = 0;
    this.#findings.deepen(bound);
    const all = refused.reduce((sum, { share }) => sum + share, 0);
    this.#goOnWith(refused.map((item) => ({ ...item, share: item.share / all })));
  }

  #keep(): void {
    const refused = this.#refused;
    if (refused === undefined) return;
    if (refused.length >= this.#mostRefused) {
      this.#refused = undefined;
      return;
    }
    let share = this.#item?.share ?? 0;
    for (let d = 0; d < this.#depth; d++) share = this.#shareOfOption(d, share);
    refused.push({ execution: saveGraph(this.#threads, NONE, this.#exclusions.list).execution, share });
  }

  /** What is left, as items; the graph is undone on the way, so that it can only be loaded anew. */
  #takeItems(): WorkItem[] {
    const shares: number[] = [];
    for (let d = 0, weight = this.#item?.share ?? 0; d < this.#depth; d++) {
      weight = this.#shareOfOption(d, weight);
      shares.push(weight);
    }
    const own: WorkItem[] = [];
    // no options, no executions so far
    if (this.#item !== undefined && this.#depth === 0) own.push(this.#item);
    for (let d = this.#depth - 1; d >= 0; d--) {
      const f = d * Frame.SIZE;
      this.g.undoTo(this.#frames[f + Frame.GRAPH_MARK]!);
      this.model.undoTo(this.#frames[f + Frame.MODEL_MARK]!);
      this.#exclusions.undoTo(this.#frames[f + Frame.GRAPH_MARK]!);
      const options = this.#optionsLeft(d);
      if (options.length > 0) own.push(this.#itemOf(f, options, (shares[d] as number) * options.length));
    }
    return [...this.#items, ...own.reverse()];
  }

  #shareOfOption(d: number, share: number): number {
    const f = d * Frame.SIZE;
    return share / Math.max(1, this.#frames[f + Frame.TO]! - this.#frames[f + Frame.FROM]!);
  }

  /** The options of a frame that are not explored, as places in the stack. The one that was taken last in the top frame still is. */
  #optionsLeft(d: number): readonly number[] {
    const f = d * Frame.SIZE;
    const from = this.#frames[f + Frame.FROM]!;
    const taken = this.#frames[f + Frame.TAKEN]! - (d === this.#depth - 1 ? 1 : 0);
    const places: number[] = [];
    for (let i = from + Math.max(0, taken); i < this.#frames[f + Frame.TO]!; i++) places.push(i);
    return places;
  }

  /** The graph at a frame, with these options. */
  #itemOf(f: number, places: readonly number[], share: number): WorkItem {
    const { g } = this;
    const frames = this.#frames;
    const e = frames[f + Frame.EVENT]!;
    const { execution, stepOf } = saveGraph(this.#threads, e, this.#exclusions.list);
    const thread = g.thread[e]!;
    const added = g.stamp[e]!;
    const read = g.updateRead[e]!;
    const options = places.map((place) => this.#stack.items[place]!);
    const update = read === NONE ? {} : { update: { readsFrom: stepOf(g.rf[read]!), added: g.stamp[read]! } };
    switch (frames[f + Frame.TYPE]) {
      case FrameType.READ:
        return { execution, open: { kind: 'read', thread, added, readsFrom: options.map(stepOf) }, share };
      case FrameType.CHOOSE:
        return { execution, open: { kind: 'choose', thread, added, choices: options }, share };
      case FrameType.REVISIT: {
        const r = frames[f + Frame.READ]!;
        const revisited = { thread: g.thread[r]!, added: g.stamp[r]! };
        const open = {
          kind: 'revisit',
          thread,
          added,
          ...update,
          after: options.map(stepOf),
          read: revisited,
        } as const;
        return { execution, open, share };
      }
      default: {
        const split = frames[f + Frame.SPLIT]!;
        const after = options.filter((_, i) => (places[i] as number) < split).map(stepOf);
        const revisits = options.filter((_, i) => (places[i] as number) >= split).map(stepOf);
        return { execution, open: { kind: 'write', thread, added, ...update, after, revisits }, share };
      }
    }
  }

  /** Goes on with the next item that leads anywhere. Returns false if there is none. */
  #nextItem(): boolean {
    for (let item = this.#items.pop(); item !== undefined; item = this.#items.pop()) {
      this.#item = item;
      this.#threads.clear();
      this.model.undoTo(0);
      this.#policy.undoTo(0);
      this.#clashes.undoTo(NONE);
      this.#exclusions.undoTo(NONE);
      this.#depth = 0;
      this.#stack.length = 0;
      this.#revisits.length = 0;
      this.#due = NONE;
      this.#leftmost = 0;
      if (item.open !== undefined) this.#hasPutOff = this.#defers; // whoever had the item before may have put off one
      this.#isStale = false;
      this.#ends.isLoud = false;
      // what clashes in it was told before, unless clashes are told at the end
      const watcher = this.#policy.preemptions === undefined ? undefined : this.#clashes;
      const loader = new GraphLoader(this.#threads, this.model, item.execution, this.#exclusions, watcher);
      if (item.execution.steps.length === 0) this.#enter(0, this.behaviours.main());
      if (item.open === undefined) return true;
      this.#pushOpen(item.open, loader);
      // as in `#tryAll`: where the search stops, no option is taken
      if (this.#findings.isOver || this.#backtrack()) return true;
    }
    this.#item = undefined;
    this.#policy.undoTo(0);
    return false;
  }

  /**
   * The frame that `#itemOf` has written down. What clashes with its event is looked for again: if the search has stopped at that,
   * whoever loads what is left comes to it, too.
   */
  #pushOpen(open: Open, loader: GraphLoader): void {
    const stack = this.#stack;
    switch (open.kind) {
      case 'read': {
        const r = loader.addRead(open.thread, open.added);
        this.#clashes.lookAtNew(r);
        for (const step of open.readsFrom) stack.push(loader.writeOf(step, this.g.location[r]!));
        this.#push(FrameType.READ, r, NONE, 0, stack.length);
        break;
      }
      case 'choose': {
        const e = loader.addChoose(open.thread, open.added);
        for (const option of open.choices) stack.push(option);
        this.#push(FrameType.CHOOSE, e, NONE, 0, stack.length);
        break;
      }
      case 'write': {
        const w = this.#addOpenWrite(open, loader);
        const split = stack.length;
        if (split > 0) this.#clashes.lookAtNew(w);
        for (const step of open.revisits) {
          const r = loader.eventOf(step);
          if (!this.model.hasCoherence || this.#areDeletedMaximal(r, w)) stack.push(r);
        }
        this.#push(FrameType.WRITE, w, NONE, 0, split);
        break;
      }
      case 'revisit': {
        const w = this.#addOpenWrite(open, loader);
        const r = loader.addDeletedRead(open.read.thread, open.read.added);
        this.#push(FrameType.REVISIT, w, r, 0, stack.length);
        break;
      }
      case 'schedule':
        throw new Error('a saved schedule is not a graph');
    }
  }

  /** The write, and its places as options. */
  #addOpenWrite(open: Open & { readonly kind: 'write' | 'revisit' }, loader: GraphLoader): EventId {
    const w =
      open.update === undefined
        ? loader.addWrite(open.thread, open.added)
        : loader.addUpdate(open.thread, open.update, open.added);
    for (const step of open.after) this.#stack.push(loader.writeOf(step, this.g.location[w]!));
    return w;
  }

  /**
   * A thread was seen whose number does not fit the order of paths. Its place decides what comes next (`#next`) and what is maximal,
   * and must be the same in every process; so the search is written down and read again with other numbers.
   */
  #sortThreads(): void {
    const items = this.#takeItems();
    this.behaviours.sortThreads();
    this.#goOnWith(items);
    this.isExhausted = !this.#nextItem();
  }

  // ------------------------------------------------------------------------------------------- procedure Visit

  /** Adds the next event, in the first of its ways. Returns false at the end of a graph, and where the policy refuses it. */
  #visit(): boolean {
    if (this.#due !== NONE) return this.#visitWrite(this.#takeDue());
    if (!this.#admitsAll && !this.#policy.admits()) {
      this.#keep();
      return false;
    }
    const t = this.#next();
    if (t === NONE) {
      this.#endOfGraph();
      return false;
    }
    const s = this.#threads.stateOf(t);
    switch (this.behaviours.step[s]) {
      case Step.READ:
        return this.#visitRead(this.#threads.addRead(t, s));
      case Step.WRITE:
        return this.#visitWrite(this.#threads.addWrite(t, s));
      case Step.CHOOSE:
        return this.#visitChoose(this.#threads.addChoose(t, s));
      case Step.SPAWN:
        return this.#visitSpawn(this.#threads.addOther(t, s));
      default:
        return this.#visitOther(this.#threads.addOther(t, s));
    }
  }

  /** [TruSt] nextP: the available event that is least by rank and thread, those that would wait last. NONE: the graph is full, or the rest of it is quiet. */
  #next(): number {
    const { behaviours } = this;
    const threads = this.#threads;
    const count = threads.threadCount();
    for (let t = this.#leftmost; t < count; t++) {
      const s = threads.stateOf(t);
      if (s === NONE || behaviours.step[s]! >= Step.END || behaviours.rank[s] !== 0 || this.#isPutOff(s)) continue;
      this.#leftmost = t;
      this.#ends.isLoud = false;
      return t;
    }
    this.#leftmost = count;
    return this.#ends.isQuiet() ? NONE : this.#leastAvailable();
  }

  /** No event of rank 0 is available, but for reads that would wait. */
  #leastAvailable(): number {
    const { behaviours } = this;
    let least = NONE;
    let leastRank = 0;
    let putOff = NONE;
    for (let t = this.#threads.threadCount() - 1; t >= 0; t--) {
      const s = this.#threads.stateOf(t);
      if (s === NONE || !this.#isAvailable(s)) continue;
      if (this.#isPutOff(s)) {
        putOff = t;
        continue;
      }
      const rank = behaviours.rank[s]!;
      if (least !== NONE && rank > leastRank) continue;
      least = t;
      leastRank = rank;
    }
    return least === NONE ? putOff : least;
  }

  /** Whether a thread in state s is about to perform a read that would wait as memory is: a lock that is held, a flag that is not set. */
  #isPutOff(s: number): boolean {
    const { behaviours, g } = this;
    if (behaviours.mayBlock[s] === 0 || !this.#defers) return false;
    const location = behaviours.location[s]!;
    const init = this.#threads.initOf(location);
    const value = init === NONE ? behaviours.initialValue(location) : g.value[g.coLast[init]!]!;
    if (!behaviours.blocks(s, value) && this.#isAllowed(behaviours.thread[s]!, init)) return false;
    this.#hasPutOff = true;
    return true;
  }

  /** Whether the next read of thread t, of the location that `init` initialises, may go on with the last write. */
  #isAllowed(t: number, init: EventId): boolean {
    const exclusions = this.#exclusions;
    return exclusions.count === 0 || init === NONE || exclusions.allows(t, this.#nextIndex(t), this.g.coLast[init]!);
  }

  #nextIndex(t: number): number {
    const last = this.g.last[t]!;
    return last === NONE ? 0 : this.g.index[last]! + 1;
  }

  /** Whether a thread in state s has an event to add. */
  #isAvailable(s: number): boolean {
    const { behaviours } = this;
    const step = behaviours.step[s]!;
    return step < Step.END && (step !== Step.JOIN || this.#threads.hasEnded(behaviours.operand[s]!));
  }

  #visitRead(r: EventId): boolean {
    this.#clashes.lookAtNew(r);
    const from = this.#stack.length;
    this.model.readCandidates(r, this.#stack);
    if ((this.g.order[r]! & LOCKED) !== 0 && this.#stack.length > from + 1) this.#dropVain(r, from);
    const to = this.#stack.length;
    if (this.#ends.mayCount(r)) this.#ends.countReads(r, from);
    const split = this.#stack.length;
    return this.#tryAll(FrameType.READ, r, NONE, from, split, split < to);
  }

  /**
   * Of the writes on the stack that the update r may read from, drops those that would lead nowhere: another update follows, so that that of
   * r had no place, and it could revisit nothing.
   */
  #dropVain(r: EventId, from: number): void {
    const { behaviours, g } = this;
    if (!this.model.hasCoherence) return;
    const stack = this.#stack;
    const to = stack.length;
    const before = g.eventBefore(r);
    const last = this.#revisits.length === 0 ? NONE : this.#revisits.items[this.#revisits.length - 1]!;
    let kept = from;
    for (let i = from; i < to; i++) {
      const x = stack.items[i]!;
      if (g.isFollowedByUpdate(x) && behaviours.writes(g.state[r]!, g.value[x]!)) {
        // the write that has revisited last settles most of them (`#settledUpTo`)
        if (last !== NONE && g.stamp[last]! >= g.stamp[g.coNext[x]!]! && !g.leadsTo(last, before, x)) continue;
        g.startClockOfRead(r, x);
        this.#pushReadsToRevisit(r, x);
        if (stack.length === to) continue;
        stack.length = to;
      }
      stack.items[kept++] = x;
    }
    stack.length = kept;
  }

  #visitWrite(w: EventId): boolean {
    const { g } = this;
    const from = this.#stack.length;
    this.model.placings(w, this.#stack);
    const to = this.#stack.length;
    let split = to;
    if (split > from) this.#clashes.lookAtNew(w); // without a place, nothing says that w happens after all that is there
    if (this.#ends.mayCount(w)) split = this.#ends.countPlacings(w, from);
    this.#pushReadsToRevisit(w, g.updateRead[w] === NONE ? NONE : g.rf[g.updateRead[w]!]!);
    return this.#tryAll(FrameType.WRITE, w, NONE, from, split, split < to);
  }

  /** The write of the update whose read was just added. */
  #takeDue(): EventId {
    const r = this.#due;
    this.#due = NONE;
    return this.#threads.addUpdateWrite(r);
  }

  #visitChoose(e: EventId): boolean {
    const from = this.#stack.length;
    for (let i = 0; i < this.behaviours.operand[this.g.state[e]!]!; i++) this.#stack.push(i);
    return this.#tryAll(FrameType.CHOOSE, e, NONE, from, this.#stack.length);
  }

  #visitSpawn(e: EventId): boolean {
    const { behaviours, g } = this;
    const child = g.location[e]!;
    this.#leftmost = 0;
    this.#settle(e);
    if (g.last[child] === NONE) this.#enter(child, behaviours.spawned(g.state[e]!));
    return true;
  }

  #visitOther(e: EventId): boolean {
    this.#clashes.lookAtOther(e);
    return this.#settle(e);
  }

  /** The event e has no options left. */
  #settle(e: EventId): boolean {
    this.model.added(e, false);
    this.#enter(this.g.thread[e]!, this.g.after[e]!);
    return true;
  }

  // ------------------------------------------------------------------------------------------------- options

  /**
   * Takes the first of the options on the stack that leads anywhere. Where there is but one there is nothing to come back to; but if
   * others were counted (`isPartial`), who goes on from here after a cut must not come to those again.
   */
  #tryAll(type: number, event: EventId, read: EventId, from: number, split: number, isPartial = false): boolean {
    if (this.#findings.isOver && this.#stack.length > from) {
      this.#push(type, event, read, from, split); // for whoever goes on
      return true;
    }
    if (this.#stack.length > from + (isPartial ? 0 : 1)) {
      this.#push(type, event, read, from, split);
      return this.#tryOption();
    }
    if (this.#stack.length === from) return false;
    this.#stack.length = from;
    return this.#take(type, event, read, split > from, this.#stack.items[from]!);
  }

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
      const isPlacing = cursor < frames[f + Frame.SPLIT]!;
      const option = this.#stack.items[cursor]!;
      if (this.#take(frames[f + Frame.TYPE]!, frames[f + Frame.EVENT]!, frames[f + Frame.READ]!, isPlacing, option)) {
        return true;
      }
      this.#undoTo(f);
    }
    this.#pop(f);
    return false;
  }

  /** `read`: that which a REVISIT is of. `isPlacing`: of an option of a WRITE, that it is a place, not a read to revisit. */
  #take(type: number, e: EventId, read: EventId, isPlacing: boolean, option: number): boolean {
    switch (type) {
      case FrameType.READ:
        return this.#setRf(e, option);
      case FrameType.CHOOSE:
        this.#threads.choose(e, option);
        return this.#settle(e);
      case FrameType.REVISIT:
        return this.#revisit(read, e, option);
      default:
        return isPlacing ? this.#setCo(e, option) : this.#backwardRevisit(option, e);
    }
  }

  /** [TruSt] SetRF: r reads from w, and its thread goes on with that value. */
  #setRf(r: EventId, w: EventId): boolean {
    const { behaviours, g, model } = this;
    let isUpdate = this.#threads.readFrom(r, w);
    if (behaviours.mayBlock[g.state[r]!] === 1 && !this.#exclusions.allows(g.thread[r]!, g.index[r]!, w)) {
      this.#threads.holdUp(r);
      isUpdate = false;
    }
    const after = g.after[r]!;
    const isStuck = behaviours.step[after] === Step.STUCK;
    if (isStuck && !model.mayStayStuck(r, w)) return false;
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
    if (this.#hasPutOff) this.#leftmost = 0;
    this.#enter(this.g.thread[w]!, this.g.after[w]!);
    return true;
  }

  // ------------------------------------------------------------------------------------- backward revisits

  /**
   * The reads of w's location that do not lead to w (line 15) and that it may revisit (lines 16 and 17): as a frame with options that
   * fail, the others cost much more. Where there is no coherence order, it takes a search to know; then only those are left out of which
   * it shows at once. `x`: where w is of an update, what that reads (NONE: it is not); w may be the read of it, if its write is not there.
   */
  #pushReadsToRevisit(w: EventId, x: EventId): void {
    const { g, model } = this;
    if (g.isPrivate(w)) return;
    let latest = EVER;
    if (x !== NONE && g.isFollowedByUpdate(x)) {
      // w has a place after a revisit only if that deletes the other update that reads x: if the read was added before that one
      const other = g.coNext[x]!;
      if (g.porfBefore(other, w)) return;
      latest = g.stamp[other]!;
    }
    const { hasCoherence } = model;
    let settled = NONE;
    for (let y = hasCoherence ? g.lastNeededBy(w) : g.location[w]!; y !== NONE; y = g.coNext[y]!) {
      for (let r = g.readers[y]!; r !== NONE; r = g.readNext[r]!) {
        if (g.stamp[r]! > latest || g.porfBefore(r, w)) continue;
        if (settled === NONE) settled = this.#settledUpTo(w);
        if (g.stamp[r]! <= settled) continue;
        model.beginRevisit(r, w);
        if (hasCoherence ? this.#areDeletedMaximal(r, w) : model.isMaximallyAdded(r, w)) this.#stack.push(r);
      }
    }
  }

  /** No read that was added up to this stamp can be revisited by w: a write that has revisited, and stays, would be deleted. */
  #settledUpTo(w: EventId): number {
    const { g } = this;
    const { items, length } = this.#revisits;
    let settled = 0;
    for (let i = 0; i < length; i++) {
      const v = items[i]!;
      if (g.stamp[v]! > settled && !g.porfBefore(v, w)) settled = g.stamp[v]!;
    }
    return settled;
  }

  /** Line 18, where w may revisit r. */
  #backwardRevisit(r: EventId, w: EventId): boolean {
    const { g, model } = this;
    if (!model.hasCoherence) {
      model.beginRevisit(r, w);
      if (!this.#areDeletedMaximal(r, w)) return false;
    }
    this.#leftmost = 0;
    const count = this.#threads.threadCount();
    for (let t = 0; t < count; t++) g.truncate(t, g.porfCount(w, t), g.stamp[r]!);
    if (this.#exclusions.count > 0) this.#exclusions.deleteFrom(g.stamp[r]!);
    model.deleted?.();
    if (this.#isStale) this.#rebuild();
    const from = this.#stack.length;
    model.placings(w, this.#stack);
    return this.#tryAll(FrameType.REVISIT, w, r, from, this.#stack.length);
  }

  /** Whether every event of Deleted ∪ {r} was added maximally: r, and what was added after it and w does not depend on. */
  #areDeletedMaximal(r: EventId, w: EventId): boolean {
    const { g, model } = this;
    if (!model.isMaximallyAdded(r, w)) return false;
    const count = this.#threads.threadCount();
    const stamp = g.stamp[r]!;
    for (let t = 0; t < count; t++) {
      const needed = g.porfCount(w, t);
      for (let e = g.last[t]!; e !== NONE && g.stamp[e]! >= stamp && g.index[e]! >= needed; e = g.poPrev[e]!) {
        if (e !== r && !model.isMaximallyAdded(e, w)) return false;
      }
    }
    if (this.#exclusions.count > 0 && !this.#exclusions.areMaximal(stamp, w)) return false;
    return model.areMaximallyAdded?.(w) ?? true;
  }

  /** Places w after `before` and adds the deleted read r again, in its old place in the insertion order, reading from w. */
  #revisit(r: EventId, w: EventId, before: EventId): boolean {
    const { g, model } = this;
    if (!this.#setCo(w, before)) return false;
    this.#revisits.push(w);
    if (g.updateRead[w] !== NONE) this.#clashes.lookAtNew(w); // it may not have had a place until now
    const t = g.thread[r]!;
    if (this.#excludes(w, t)) {
      this.#exclusions.add(w, t, this.#nextIndex(t), g.stamp[r]!);
      return !this.#leavesStuckInVain(NONE, w);
    }
    const stamp = g.nextStamp;
    const again = this.#threads.addRead(t, this.#threads.stateOf(t)); // r's own state may be of another epoch
    g.stamp[again] = g.stamp[r]!;
    g.nextStamp = stamp;
    if (this.#policy.preemptions !== undefined) this.#clashes.lookAtNew(again); // told of r, but r is gone
    return model.canRead(again, w) && this.#setRf(again, w) && !this.#leavesStuckInVain(again, w);
  }

  /**
   * Whether w, which has revisited the next operation of thread t, has taken what that had read, and keeps it waiting. (All that is
   * left is what t's read was maximal in: that had read the last write before w.)
   */
  #excludes(w: EventId, t: number): boolean {
    const { behaviours, g } = this;
    const read = g.updateRead[w]!;
    if (!this.#defers || read === NONE || g.coLast[g.location[w]!] !== w) return false;
    const s = this.#threads.stateOf(t);
    if (behaviours.mayBlock[s] === 0 || (behaviours.order[s]! & LOCKED) === 0) return false;
    const taken = g.rf[read]!;
    if (!behaviours.blocks(s, g.value[w]!) || behaviours.blocks(s, g.value[taken]!)) return false;
    return this.#exclusions.count === 0 || this.#exclusions.allows(t, this.#nextIndex(t), taken);
  }

  /**
   * r has been revisited by w (NONE: it has been excluded), so that neither w nor what it depends on will be deleted again. A read that is stuck on a
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
    frames[f + Frame.POLICY_MARK] = this.#admitsAll ? 0 : this.#policy.mark();
    frames[f + Frame.STAMP] = this.g.nextStamp;
    frames[f + Frame.EPOCH] = this.behaviours.epoch;
    frames[f + Frame.REVISITS] = this.#revisits.length;
  }

  /** Goes back to the last frame with an option left and takes it. Returns false if there is none. */
  #backtrack(): boolean {
    while (this.#depth > 0) {
      const f = (this.#depth - 1) * Frame.SIZE;
      if (this.#frames[f + Frame.TAKEN]! === this.#frames[f + Frame.TO]! - this.#frames[f + Frame.FROM]!) {
        this.#pop(f); // what came after it is undone with what came after the next one
        continue;
      }
      this.#undoTo(f);
      if (this.#tryOption()) return true;
    }
    return false;
  }

  /** The top frame, at f, has no options left. */
  #pop(f: number): void {
    this.#stack.length = this.#frames[f + Frame.FROM]!;
    this.#depth--;
  }

  #undoTo(f: number): void {
    const frames = this.#frames;
    this.g.undoTo(frames[f + Frame.GRAPH_MARK]!);
    this.model.undoTo(frames[f + Frame.MODEL_MARK]!);
    this.#exclusions.undoTo(frames[f + Frame.GRAPH_MARK]!);
    if (!this.#admitsAll) {
      this.#policy.undoTo(frames[f + Frame.POLICY_MARK]!);
      this.#clashes.undoTo(frames[f + Frame.GRAPH_MARK]!);
    }
    this.g.nextStamp = frames[f + Frame.STAMP]!;
    this.#revisits.length = frames[f + Frame.REVISITS]!;
    this.#due = NONE;
    this.#ends.isLoud = false;
    const e = frames[f + Frame.EVENT]!;
    // the write of an update was not chosen: it may come right after a revisit
    const isChosen = frames[f + Frame.TYPE] !== FrameType.REVISIT && this.g.updateRead[e] === NONE;
    this.#leftmost = isChosen ? this.g.thread[e]! : 0;
    this.#isStale = frames[f + Frame.EPOCH] !== this.behaviours.epoch;
    // a revisit deletes first, and then runs what it leaves (`#backwardRevisit`)
    if (this.#isStale && frames[f + Frame.FROM]! + frames[f + Frame.TAKEN]! < frames[f + Frame.SPLIT]!) {
      this.#rebuild();
      frames[f + Frame.EPOCH] = this.behaviours.epoch;
    }
  }

  #rebuild(): void {
    this.#threads.rebuild();
    this.#isStale = false;
  }

  // ------------------------------------------------------------------------------------- ends and errors

  #endOfGraph(): void {
    if (this.#ends.hasFollowed) this.#ends.countFollowed();
    else if (this.#end.areAllEnded()) this.#countComplete();
    else if (!this.#endsOtherwise()) return;
    if (!this.#findings.wasPlain) this.#lookForRerun();
    if (this.behaviours.isLarge(this.#threads.eventCount())) this.#threads.rebuild();
  }

  #countComplete(): void {
    const isPlain = this.#admitsAll && !this.#mayHaveErrors();
    if (!isPlain || !this.#findings.countPlain()) this.#lookAtComplete();
  }

  #lookAtComplete(): void {
    this.#count('complete');
  }

  /** Not all threads have ended. Returns false if the graph is none of the program's. */
  #endsOtherwise(): boolean {
    const end = this.#end;
    if (!end.begin()) {
      this.#findings.settlePlain();
      this.counts.redundant++;
      return false;
    }
    for (let i = 0; i < end.stuck.length; i++) this.#clashes.lookAtStuck(end.stuck.items[i]!);
    this.#count(endingOf(end));
    end.clear();
    return true;
  }

  #lookForRerun(): void {
    const executions = executionsOf(this.counts);
    if (isRerun(executions, this.#isClosed)) this.#threads.rerun(executions);
  }

  #count(ending: Ending): void {
    const judgement = this.#policy.judge(ending);
    const { preemptions } = this.#policy;
    if (judgement === 'dropped') return;
    const isPlain = ending === 'complete' && judgement === 'counts' && !this.#mayHaveErrors();
    if (preemptions !== undefined && !isPlain) this.#tellJudged(ending, judgement === 'counts', preemptions);
    else if (judgement === 'over bound') this.counts.overBound++;
    else this.#findings.ended(ending, this.#ends.stateOf, this.#witnessNow);
  }

  /** Whether an execution in which all threads have ended may have an error. */
  #mayHaveErrors(): boolean {
    return this.#clashes.hasDeferred || this.#looksForLeaks;
  }

  /** Counts the execution, and tells all errors in it. */
  #tellJudged(ending: Ending, isWithin: boolean, preemptions: LeastPreemptions): void {
    const findings = this.#findings;
    let least = NONE;
    const judged = {
      isWithin,
      preemptions: () => {
        if (least === NONE) least = preemptions.least();
        return least;
      },
    };
    let order: EventStack | undefined;
    const inOrder = (): EventStack => {
      if (order === undefined) {
        order = new EventStack();
        preemptions.linearise(order);
      }
      return order;
    };
    const witness = (): Execution => this.#threads.witness(inOrder(), NONE);
    findings.judged(judged, () => {
      if (ending === 'failed') {
        for (let t = 0; t < this.#threads.threadCount(); t++) {
          const s = this.#threads.stateOf(t);
          if (s !== NONE && !findings.isOver) findings.reached(t, s, witness);
        }
      }
      this.#clashes.tellDeferred(inOrder);
      if (!findings.isOver) findings.ended(ending, this.#ends.stateOf, witness);
    });
  }

  /** Thread t has reached state s. */
  #enter(t: number, s: number): void {
    const step = this.behaviours.step[s]!;
    if (step === Step.END) this.#leftmost = 0;
    if (step === Step.FAIL && this.#policy.preemptions === undefined) this.#failed(t, s);
  }

  #failed(t: number, s: number): void {
    this.#findings.reached(t, s, this.#witnessNow);
  }

  #witness(last: EventId = NONE): Execution {
    const order = new EventStack();
    this.model.linearise(order, this.#end.stuck);
    if (this.model.coherence === undefined) return this.#threads.witness(order, last);
    const coherence = new EventStack();
    this.model.coherence(coherence, this.#end.stuck);
    return this.#threads.witness(order, last, coherence);
  }
}
