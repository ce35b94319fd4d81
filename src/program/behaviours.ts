/**
 * What the threads of a program do, remembered: a tree for each thread. A *state* is a node of such a tree, the point a
 * thread has reached after a sequence of answers, and the operation that it asks for there; its children are the
 * states after the possible answers. So a thread's state is one integer, taking it back is an assignment, and user code
 * runs only where no execution has been before: the explorers walk the tree.
 *
 * A generator cannot be copied. To run a thread on from a state that its live run has passed, it is run again from its
 * start along the path to that state (`#catchUp`), and every operation on the way is compared with the recorded one:
 * that is how a thread that is not deterministic is noticed. Where threads cannot be otherwise (`isClosed`), they are run
 * silently (`Thread.replay`), and only the last operation is compared.
 *
 * Where a thread says that two states go on alike, they have the same children (`sharesFutures`): the tree is a graph of
 * layers then, and a state no longer says all of how it was reached.
 *
 * Objects as values. Run again, a thread makes new objects, and Object.is tells them from those of the run before; so each run of a
 * thread has copies of its own (copies.ts). Where there can be none, no thread is run again by itself as soon as a value with an
 * identity is seen: `advance` answers STALE, and the explorer forgets all states (`reset`) and advances all threads from their start
 * along its execution, so that all that it holds stems from one run. The same frees memory when the trees have grown too large.
 *
 * This file is hot: states are rows of typed arrays, and `advance` allocates nothing for an answer it has seen.
 */
import { type Column, grown, NONE } from './columns.ts';
import { Copies, isObject, isPrimitive, type Layer, type Shared } from './copies.ts';
import { comparePaths } from './execution.ts';
import { WHOLE } from './extent.ts';
import { identityOf, MAIN } from './identity.ts';
import { EndlessThread, InputError } from './input-error.ts';
import { bareLanguage, type Language } from './language.ts';
import { type Location, type LocationOwner, resumeRunning, withRunning } from './location.ts';
import { LocationKeys } from './location-keys.ts';
import { type LocationInfo, LocationTable, Trait } from './location-table.ts';
import {
  type LoopReport,
  type Operation,
  type Program,
  type SourcePosition,
  type Thread,
  ThreadFailure,
} from './operation.ts';
import { describeOperation, isSameOperation, kindOf, outcomeOf } from './operation-kinds.ts';
import { LOCKED, Order } from './orders.ts';
import { asksThread, type Outcome, sliceOf, thrownBy } from './outcome.ts';
import { Step } from './step.ts';
import { NO_ANSWER, Values } from './values.ts';

export { Step } from './step.ts';

/** `advance` could not tell: see the head of this file. */
export const STALE = -2;

/** In the place of an answer: it is none. */
const NO_VALUE = -3;

/** Operations of one thread in one execution that there is memory for. */
export const MOST_OPERATIONS = 3_000_000;

/** In the place of a location's number: threads that are replayed make none. */
const NO_LOCATION = -2;

/** After so many operations of a thread that is run again, whoever watches is told. */
const REPLAYED_AT_ONCE = 64;

/** So many children of a state are looked at one by one. */
const MOST_LOOKED_AT = 4;

const noValues: readonly unknown[] = [];

/** Copies of objects, after which the trees are too large. */
const MOST_COPIES = 300_000;

/** More than there are of values; and states times this are numbers that are exact. */
const MOST_VALUES = 2 ** 26;

function hashOf(state: number, answer: number): number {
  const mixed = Math.imul(state, 0x9e3779b1) ^ Math.imul(answer, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}

export interface ThreadInfo {
  readonly name: string;
  /** 0 for main; the k-th thread that thread P spawns is P.k. */
  readonly path: string;
  /** What the program knows it by: see identity.ts. */
  readonly identity: number;
}

export interface BehavioursOptions {
  /** Record source positions of operations and locations. */
  readonly recording?: boolean;
  /** Operations of one thread in one execution after which it is taken not to end. */
  readonly maxDepth?: number | undefined;
  /** States after which the trees are too large (`isLarge`). */
  readonly maxStates?: number;
  /** Shared with a watcher: [thread that runs now + 1 or 0, how often a thread was resumed, its depth]. */
  readonly pulse?: Int32Array;
  readonly onThread?: (thread: number, info: ThreadInfo) => void;
}

export class Behaviours implements LocationOwner {
  readonly program: Program;
  readonly #options: BehavioursOptions;
  /** Operations of one thread in one execution after which it is taken not to end. */
  readonly maxDepth: number;
  readonly #maxStates: number;
  #recording: boolean;

  // Columns, by state.
  /** The operation's `Step`. */
  step: Column = new Int32Array(0);
  thread: Column = new Int32Array(0);
  /** How many operations the thread has performed before. */
  depth: Column = new Int32Array(0);
  /** The location that a READ or WRITE accesses. */
  location: Column = new Int32Array(0);
  /** 1 for an access that is not atomic. */
  plain: Column = new Int32Array(0);
  /** The operation's memory order (see `Order`); of a READ: where it writes, and where it does not. */
  order: Column = new Int32Array(0);
  orderIfKept: Column = new Int32Array(0);
  /** The bytes of the location that a READ or WRITE is to: see extent.ts. */
  extent: Column = new Int32Array(0);
  /** 1 for a READ that may get stuck: await, lock. */
  mayBlock: Column = new Int32Array(0);
  /** The value that a WRITE writes or an END returns. */
  value: Column = new Int32Array(0);
  /** The value that the READ before this state wrote, given the answer that led here; NONE if it did not write. */
  written: Column = new Int32Array(0);
  /**
   * Spawn: the new thread. Join: the thread, NONE as long as none with that identity is known. Choose: how many. Allocate on the
   * heap: the lifetime (a location).
   */
  operand: Column = new Int32Array(0);
  /**
   * How many joins the thread has performed before, and one more for a JOIN: explorers of graphs let steps of a lower rank go first,
   * so that joins come when there is nothing else to do.
   */
  rank: Column = new Int32Array(0);
  /** The last state before on the way from the thread's start that allocates on the heap or frees; NONE: there is none. */
  memoryBefore: Column = new Int32Array(0);
  /**
   * A state with the same future, whose children are those of all of these (see `Base.future` in operation.ts): itself, or an earlier
   * one. A parent is always such a one.
   */
  #alike: Column = new Int32Array(0);
  /** The last state on the way that has no future of its own: itself, or one before. */
  #base: Column = new Int32Array(0);
  #answer: Column = new Int32Array(0);
  #parent: Column = new Int32Array(0);
  #child: Column = new Int32Array(0);
  #sibling: Column = new Int32Array(0);
  /** States by parent and answer, for those with many children: a hash table, its length a power of two. */
  #places: Column = new Int32Array(0);
  /** Spawn: the new thread's first state, NONE before it was started. */
  #root: Column = new Int32Array(0);
  /** A thread's first state: the spawn; NONE for main's. */
  #startedBy: Column = new Int32Array(0);
  /** Locations made on the way into a state are numbered from here. */
  #firstLocation: number[] = [];
  /** How many locations the thread has made before it performs the operation. */
  #made: Column = new Int32Array(0);
  #operations: (Operation | undefined)[] = [];
  /** The copies of objects that the run has which has asked for the operation. */
  #copies: (Copies | undefined)[] = [];
  /** By state of a spawn: what the new thread may have of these. */
  readonly #copiesOfChild = new Map<number, Layer>();
  /** What the thread got as the result of the operation before this state. */
  #results: unknown[] = [];
  #length = 0;
  #mainState = NONE;

  /** What functions of the program have answered, by state and value (`#judge`). */
  readonly #judged = new Map<number, Outcome>();
  /** By base, depth and future: the first state. */
  #futures = new Map<string, number>();
  /**
   * Whether states with the same future have the same children. An explorer may ask for that if it takes a state for what a thread will do,
   * not for what it has done.
   */
  sharesFutures = false;

  values = new Values();
  /** Whether the bound of a loop has stopped a thread anywhere. */
  hasBound = false;
  /** How often threads were resumed. */
  resumed = 0;
  /** The most operations that a thread has performed in one execution. */
  mostOperations = 0;
  readonly #keys = new LocationKeys();
  /** The locations, by number. */
  locationTable = new LocationTable(this.#keys);
  #isForgetful = false;
  /** How often `reset` was called: states, values and locations are those of one epoch. */
  epoch = 0;
  /** By number, which stays in this object: programs and reports know it not. */
  readonly threads: ThreadInfo[] = [{ name: 'main', path: '0', identity: MAIN }];
  /** How many these are. */
  threadCount = 1;
  /**
   * Whether the numbers of threads follow the order of their paths. Where explorers choose by number, only then do they choose
   * alike in every process; a thread that is met for the first time may disturb the order (`sortThreads`).
   */
  hasSortedThreads = true;
  readonly #threadByIdentity = new Map<number, number>([[MAIN, 0]]);
  readonly #threadByPath = new Map<string, number>([['0', 0]]);
  /** Joins of what is no thread, as far as is known. */
  #idleJoins: number[] = [];

  /**
   * Whether objects have copies, as long as none was seen that can have none. Not where nothing is run again (`recording`), nor where
   * an explorer does not know how.
   */
  copiesObjects: boolean;
  /** The objects that are there before any thread runs. */
  #constants: Copies | undefined;

  // Live runs, by thread: where each stands, what it has asked for, and its copies of objects.
  #live: (Thread | undefined)[] = [];
  #liveState: number[] = [];
  #liveOperation: (Operation | undefined)[] = [];
  #liveCopies: (Copies | undefined)[] = [];
  /** The thread that runs. */
  #runningThread = NONE;
  /** By depth: the results along the path of the thread that is run again. */
  readonly #path: unknown[] = [];
  /** Whether some thread ran again by itself in this epoch. */
  #ranAgain = false;

  /** During a rerun: the spawns that it has come to, by state. */
  readonly #rerunSpawns = new Map<number, Operation>();
  readonly #rerunCopies = new Map<number, Layer>();
  /** During a run along a known path: the next location number to hand out again, or NO_LOCATION; else NONE. */
  #replayedLocation = NONE;
  /** During any other run: the thread, and how many locations it has made. */
  #maker = 0;
  #madeSoFar = 0;

  constructor(program: Program, options: BehavioursOptions = {}) {
    this.program = program;
    this.#options = options;
    this.#maxStates = options.maxStates ?? 200_000;
    this.maxDepth = options.maxDepth ?? MOST_OPERATIONS;
    this.#recording = options.recording === true;
    this.copiesObjects = !this.#recording && !this.isClosed;
    this.#grow(256);
    options.onThread?.(0, this.threads[0] as ThreadInfo);
  }

  /** The same program run by threads of their own, whom nobody is told of. */
  another(): Behaviours {
    const { onThread: _, ...options } = this.#options;
    return new Behaviours(this.program, options);
  }

  /** The state in which the main thread starts. */
  main(): number {
    if (this.#mainState === NONE) this.#mainState = this.#startThread(NONE, 0);
    return this.#mainState;
  }

  /** The state in which the thread of a spawn starts. */
  spawned(spawn: number): number {
    const root = this.#root[spawn]!;
    if (root !== NONE) return root;
    const started = this.#startThread(spawn, this.operand[spawn]!);
    this.#root[spawn] = started;
    return started;
  }

  /** The state after `answer` (a number of `values`) to the operation of `state`; or STALE. */
  advance(state: number, answer: number): number {
    const known = this.knownAfter(state, answer);
    return known === NONE ? this.#extend(state, answer) : known;
  }

  /** The state after an operation that has but one answer. */
  advanceOnly(state: number): number {
    const child = this.#child[this.#alike[state]!]!;
    return child !== NONE ? child : this.#extendOnly(state);
  }

  #extendOnly(state: number): number {
    const answer = this.step[state] === Step.SPAWN ? this.values.idOf(this.#spawnedIdentity(state)) : NO_ANSWER;
    return this.#extend(state, answer);
  }

  /** The state after a failed assume. */
  stopped(state: number): number {
    const child = this.#child[this.#alike[state]!]!;
    if (child !== NONE) return child;
    const end = this.#append(this.thread[state]!, this.depth[state]! + 1, undefined, this.locations.length);
    return this.#link(state, end, NO_ANSWER);
  }

  /** The state of a thread that is held up at the READ of `state`, whatever it reads. */
  heldUp(state: number): number {
    const known = this.knownAfter(state, NO_VALUE);
    if (known !== NONE) return known;
    const child = this.#append(this.thread[state]!, this.depth[state]! + 1, undefined, this.locations.length);
    return this.#link(state, child, NO_VALUE);
  }

  /** Whether the READ of `state` would be stuck if it read `value`. */
  wouldBlock(state: number, value: number): boolean {
    if (this.mayBlock[state] === 0) return false;
    try {
      return this.#outcome(this.thread[state]!, this.depth[state]!, state, value).stuck;
    } catch (error) {
      if (error instanceof ThreadFailure) return false; // it will fail
      throw error;
    }
  }

  /** The same, and what is found is remembered. */
  blocks(state: number, value: number): boolean {
    const known = this.knownAfter(state, value);
    if (known !== NONE) return this.step[known] === Step.STUCK;
    if (!this.wouldBlock(state, value)) return false;
    this.#extend(state, value);
    return true;
  }

  /** The value that the READ of `state` writes if it reads `value`; NONE: none. The thread does not go on by that. */
  writtenBy(state: number, value: number): number {
    const known = this.knownAfter(state, value);
    if (known !== NONE) return this.written[known]!;
    const outcome = this.#outcomeOfUpdate(state, value);
    return outcome?.writes === true ? this.values.idOf(outcome.value) : NONE;
  }

  /** Whether the READ of `state` writes if it reads `value`. What it writes gets no number by that. */
  writes(state: number, value: number): boolean {
    const known = this.knownAfter(state, value);
    if (known !== NONE) return this.written[known] !== NONE;
    return this.#outcomeOfUpdate(state, value)?.writes === true;
  }

  #outcomeOfUpdate(state: number, value: number): Outcome | undefined {
    if ((this.order[state]! & LOCKED) === 0) return undefined;
    try {
      return this.#outcome(this.thread[state]!, this.depth[state]!, state, value);
    } catch (error) {
      if (error instanceof ThreadFailure) return undefined; // it will fail
      throw error;
    }
  }

  /** Whether the READ before this state has written something else than it has read. */
  hasChanged(state: number): boolean {
    return this.written[state] !== NONE && this.written[state] !== this.#answer[state];
  }

  /** The state after `answer` to the operation of `state`, if a thread was there before; else NONE. */
  knownAfter(state: number, answer: number): number {
    const sibling = this.#sibling;
    const answers = this.#answer;
    const parent = this.#alike[state]!;
    let c = this.#child[parent]!;
    for (let looked = 0; c !== NONE; c = sibling[c]!) {
      if (answers[c] === answer) return c;
      if (++looked === MOST_LOOKED_AT) return this.#lookUp(parent, answer);
    }
    return NONE;
  }

  /** The same, where there are many. */
  #lookUp(state: number, answer: number): number {
    const places = this.#places;
    const mask = places.length - 1;
    for (let i = hashOf(state, answer) & mask; ; i = (i + 1) & mask) {
      const c = places[i]!;
      if (c === NONE || (this.#parent[c] === state && this.#answer[c] === answer)) return c;
    }
  }

  #enlist(child: number): void {
    const places = this.#places;
    const mask = places.length - 1;
    let i = hashOf(this.#parent[child]!, this.#answer[child]!) & mask;
    while (places[i] !== NONE) i = (i + 1) & mask;
    places[i] = child;
  }

  /** There is twice the room at least: the table has as many places as the columns have rows, twice over. */
  #enlistAll(): void {
    this.#places = new Int32Array(2 * this.step.length).fill(NONE);
    for (let s = 0; s < this.#length; s++) if (this.#parent[s] !== NONE) this.#enlist(s);
  }

  /** The state after the operation of `state`, which has but one answer, if a thread was there before; else NONE. */
  knownNext(state: number): number {
    return this.#child[this.#alike[state]!]!;
  }

  /** The most writes that the thread has performed in one go after the READ of `state`, as far as is known. */
  writesAfter(state: number): number {
    let most = 0;
    for (let c = this.#child[this.#alike[state]!]!; c !== NONE; c = this.#sibling[c]!) {
      let writes = 0;
      for (let s = c; s !== NONE && this.step[s]! >= Step.WRITE && this.step[s]! <= Step.LOCAL; s = this.knownNext(s)) {
        if (this.step[s] === Step.WRITE) writes++;
      }
      if (writes > most) most = writes;
    }
    return most;
  }

  /** The state whose operation keeps the thread from going on: it has been performed if `state` is STUCK. */
  stoppedIn(state: number): number {
    return this.step[state] === Step.STUCK ? this.#parent[state]! : state;
  }

  /** Whether the thread stands at the bound of a loop. */
  isAtBound(state: number): boolean {
    const operation = this.#operations[this.stoppedIn(state)];
    return operation?.kind === 'block' && operation.reason === 'bound';
  }

  operation(state: number): Operation {
    return this.#operations[state] as Operation;
  }

  initialValue(location: number): number {
    return this.values.idOf((this.locations[location] as LocationInfo).initial);
  }

  /** The number of the thread with this path of spawns, whether it was met before or not. */
  threadOf(path: string): number {
    const known = this.#threadByPath.get(path);
    if (known !== undefined) return known;
    const identity = identityOf(path);
    const other = this.#threadByIdentity.get(identity);
    if (other !== undefined) throw this.#sameIdentity((this.threads[other] as ThreadInfo).path, path);
    const t = this.threads.length;
    this.hasSortedThreads &&= comparePaths((this.threads[t - 1] as ThreadInfo).path, path) < 0;
    this.#setThread(t, { name: `thread ${t}`, path, identity });
    for (const join of this.#idleJoins) if (this.#joinedIdentity(join) === identity) this.operand[join] = t;
    return t;
  }

  /** Forgets every state, and numbers the threads in the order of their paths. */
  sortThreads(): void {
    this.reset();
    const sorted = [...this.threads].sort((a, b) => comparePaths(a.path, b.path));
    this.#keys.renumber(sorted.map((info) => this.threads.indexOf(info)));
    for (const [t, info] of sorted.entries()) this.#setThread(t, info);
    this.hasSortedThreads = true;
  }

  /** How many states are known: the local states that threads have reached since the last `reset`. */
  get stateCount(): number {
    return this.#length;
  }

  /** The most operations that a thread has performed, as its live run stands. */
  get longestRun(): number {
    const s = this.#liveState[this.#longest()];
    return s === undefined ? 0 : this.depth[s]!;
  }

  /** Whether its language lets threads share nothing that Heddle does not know of. */
  get isClosed(): boolean {
    return this.#language.chance === undefined;
  }

  /** Whether the trees hold more than they should, if the execution has so many steps: then the explorer rebuilds its states after a `reset`. */
  isLarge(steps: number): boolean {
    return this.#isForgetful || this.#length > Math.max(this.#maxStates, 2 * steps);
  }

  /** The same of the copies of objects that states keep. */
  get hasManyCopies(): boolean {
    return this.values.copyCount > MOST_COPIES;
  }

  /** As soon as an execution has ended, the trees are too large, whatever they hold: memory is short. */
  forgetSoon(): void {
    this.#isForgetful = true;
  }

  /** Forgets every state and location; threads and values keep their numbers. */
  resetStates(): void {
    const { values } = this;
    this.reset();
    this.values = values;
  }

  /** Forgets every state, value and location; threads keep their numbers. */
  reset(): void {
    this.epoch++;
    this.#isForgetful = false;
    this.#length = 0;
    this.#places.fill(NONE);
    this.#firstLocation = [];
    this.#operations = [];
    this.#copies = [];
    this.#copiesOfChild.clear();
    this.#constants = undefined;
    this.#results = [];
    this.#futures.clear();
    this.#judged.clear();
    this.#mainState = NONE;
    this.values = new Values(this.values.sawIdentity);
    this.locationTable = new LocationTable(this.#keys);
    this.#live = [];
    this.#liveState = [];
    this.#liveOperation = [];
    this.#liveCopies = [];
    this.#ranAgain = false;
    this.#idleJoins = [];
  }

  /** Between these two `rerun` runs the threads anew, as a run of their own: a thread's code is that of its new spawn. */
  beginRerun(): void {
    this.#live = [];
    this.#liveState = [];
    this.#liveOperation = [];
    this.#liveCopies = [];
    this.endRerun();
  }

  endRerun(): void {
    this.#rerunSpawns.clear();
    this.#rerunCopies.clear();
  }

  /** Starts a new run of the thread whose first state is `root`, if none is live; throws if it starts differently. */
  rerunStart(root: number): void {
    const t = this.thread[root]!;
    if (this.#live[t] === undefined) this.#noteSpawn(root, this.#restart(root, t));
  }

  #noteSpawn(state: number, operation: Operation): void {
    if (operation.kind !== 'spawn') return;
    this.#rerunSpawns.set(state, operation);
    const copies = this.#liveCopies[this.thread[state]!];
    if (copies !== undefined) this.#rerunCopies.set(state, copies.forChild());
  }

  /** Performs the known step from `from` to `to` in a run of the thread; throws if it asks for other operations now. */
  rerun(from: number, to: number): void {
    const t = this.thread[from]!;
    this.rerunStart(from);
    if (this.#liveState[t] !== from) throw new Error(`rerun: thread ${t} is not at the state to go on from`);
    if (this.step[to] === Step.STUCK) return;
    this.#noteSpawn(to, this.#follow(t, to));
  }

  // ---------------------------------------------------------------------------------------------- growing the trees

  #startThread(spawn: number, t: number): number {
    const run = this.#newRun(spawn);
    const firstLocation = this.locations.length;
    this.#maker = t;
    this.#madeSoFar = 0;
    this.#liveCopies[t] = this.#newCopies(spawn);
    const operation = this.#resume(run, t, 0, undefined);
    const state = this.#append(t, 0, operation, firstLocation);
    this.#startedBy[state] = spawn;
    this.#live[t] = run;
    this.#liveState[t] = state;
    this.#makeSure(t, state);
    return state;
  }

  #newRun(spawn: number): Thread {
    if (spawn === NONE) return this.program.start();
    const operation = this.#rerunSpawns.get(spawn) ?? this.#operations[spawn];
    if (operation?.kind !== 'spawn') throw new Error('not a spawn state');
    return operation.start(this.#spawnedIdentity(spawn));
  }

  /** For a new run of the thread that `spawn` starts. */
  #newCopies(spawn: number): Copies | undefined {
    if (!this.#isCopying) return undefined;
    const below = spawn === NONE ? undefined : (this.#rerunCopies.get(spawn) ?? this.#copiesOfChild.get(spawn));
    return new Copies(this.#sharedByCopies(), below ?? this.#constantCopies().top, spawn === NONE);
  }

  #spawnedIdentity(spawn: number): number {
    return (this.threads[this.operand[spawn]!] as ThreadInfo).identity;
  }

  /** The child of `state` for an answer that is new. */
  #extend(state: number, answer: number): number {
    const t = this.thread[state]!;
    const depth = this.depth[state]! + 1;
    if (this.isMixed) return STALE;
    const isLive = this.#live[t] !== undefined && this.#alike[this.#liveState[t]!] === this.#alike[state];
    let outcome: Outcome;
    try {
      outcome = isLive ? this.#liveOutcome(t, depth, answer) : this.#outcome(t, depth, state, answer);
    } catch (error) {
      if (error instanceof InputError) throw error;
      const child = this.#append(t, depth, thrownBy(error), this.locations.length);
      return this.#link(state, child, answer);
    }
    if (outcome.stuck) {
      const child = this.#append(t, depth, undefined, this.locations.length);
      return this.#link(state, child, answer);
    }
    if (!isLive) {
      if (this.values.sawIdentity) return STALE;
      this.#catchUp(t, state);
      if (this.isMixed) return STALE;
      if (!this.isClosed) outcome = this.#liveOutcome(t, depth, answer);
    }
    if (depth > this.maxDepth) throw this.#tooLong(t, state);
    const firstLocation = this.locations.length;
    this.#maker = t;
    this.#madeSoFar = this.#made[state]!;
    if (outcome.writes) this.#writeLive(t, outcome.value);
    if (isObject(outcome.value) && this.#isCopying) this.#meetWritten(t, depth, answer, outcome.value);
    if (this.isMixed) return STALE;
    const operation = this.#resume(this.#live[t] as Thread, t, depth, outcome.result);
    const child = this.#append(t, depth, operation, firstLocation);
    if (outcome.writes) this.written[child] = this.values.idOf(outcome.value);
    this.#results[child] = outcome.result;
    this.#liveState[t] = child;
    this.#link(state, child, answer);
    this.#makeSure(t, child);
    return this.isMixed ? STALE : child;
  }

  #link(before: number, child: number, answer: number): number {
    const state = this.#alike[before]!;
    this.#answer[child] = answer;
    this.#parent[child] = state;
    this.memoryBefore[child] = this.#isMemoryOperation(state) ? state : this.memoryBefore[state]!;
    this.rank[child] = this.rank[child]! + this.rank[state]!;
    this.#sibling[child] = this.#child[state]!;
    this.#child[state] = child;
    this.#enlist(child);
    if (this.sharesFutures) this.#findAlike(child, state);
    return child;
  }

  #findAlike(state: number, parent: number): void {
    const future = this.#operations[state]?.future;
    if (future === undefined) return;
    const base = this.#base[parent]!;
    this.#base[state] = base;
    const key = `${base} ${this.depth[state]} ${future}`;
    const first = this.#futures.get(key);
    if (first === undefined) this.#futures.set(key, state);
    else this.#alike[state] = first;
  }

  #isMemoryOperation(state: number): boolean {
    return this.allocates(state) || (this.step[state] === Step.WRITE && this.frees(state));
  }

  /** Whether the JOIN of `state` must be the only one of its thread. */
  joinsOnce(state: number): boolean {
    const operation = this.operation(state);
    return operation.kind === 'join' && operation.isOnce === true;
  }

  /** Whether `state` allocates an object on the heap. */
  allocates(state: number): boolean {
    return this.step[state] === Step.LOCAL && this.operand[state] !== NONE;
  }

  /** Whether the WRITE of `state` frees an object. */
  frees(state: number): boolean {
    return (this.locationTable.traits[this.location[state]!]! & Trait.LIFETIME) !== 0;
  }

  /** Runs thread t again from its start to `state`. */
  #catchUp(t: number, state: number): void {
    this.#ranAgain = true;
    if (this.isClosed && !this.#recording && this.#replay(t, state)) return;
    const path: number[] = [];
    for (let s = state; s !== NONE; s = this.#parent[s]!) path.push(s);
    const root = path.pop() as number;
    this.#restart(root, t);
    for (let to = path.pop(); to !== undefined && !this.isMixed; to = path.pop()) this.#follow(t, to);
  }

  /** The same without making operations, but for the last one, which is compared; false if the thread cannot do that. */
  #replay(t: number, state: number): boolean {
    const length = this.depth[state]! + 1;
    const results = this.#path;
    while (results.length < length) results.push(undefined);
    let root = state;
    for (let s = state; s !== NONE; s = this.#parent[s]!) {
      results[this.depth[s]!] = this.#results[s];
      root = s;
    }
    const run = this.#newRun(this.#startedBy[root]!);
    if (run.replay === undefined) return false;
    this.#live[t] = undefined; // should it throw
    let from = 0;
    for (; length - from > REPLAYED_AT_ONCE; from += REPLAYED_AT_ONCE)
      this.#resumeAll(run, t, from, from + REPLAYED_AT_ONCE);
    const again = this.#resumeAll(run, t, from, length);
    this.#live[t] = run;
    this.#liveState[t] = state;
    this.#liveOperation[t] = again;
    this.#compare(state, again);
    return true;
  }

  #resumeAll(run: Thread, t: number, from: number, to: number): Operation {
    this.resumed += to - from;
    this.#replayedLocation = NO_LOCATION;
    try {
      this.#beginWatch(t, to - 1);
      return withRunning(this, false, () => run.replay!(this.#path, from, to));
    } finally {
      this.#endWatch();
      this.#replayedLocation = NONE;
    }
  }

  /** A new run of t, whose first state is `root`. */
  #restart(root: number, t: number): Operation {
    const run = this.#newRun(this.#startedBy[root]!);
    this.#liveCopies[t] = this.#newCopies(this.#startedBy[root]!);
    const again = this.#replaying(root, () => this.#resume(run, t, 0, undefined));
    this.#live[t] = run;
    this.#liveState[t] = root;
    this.#compare(root, again);
    return again;
  }

  #follow(t: number, to: number): Operation {
    const again = this.#performAgain(t, to);
    this.#liveState[t] = to;
    this.#compare(to, again);
    return again;
  }

  #performAgain(t: number, to: number): Operation {
    const depth = this.depth[to]!;
    try {
      if (this.isMixed) return this.operation(to); // it goes no further
      const { result, value, writes } = this.#liveOutcome(t, depth, this.#answer[to]!);
      if (writes) this.#writeLive(t, value);
      if (isObject(value) && this.#isCopying) this.#meetAgain(t, value, this.written[to]!);
      if (this.isMixed) return this.operation(to);
      return this.#replaying(to, () => this.#resume(this.#live[t] as Thread, t, depth, result));
    } catch (error) {
      return thrownBy(error);
    }
  }

  #replaying(state: number, body: () => Operation): Operation {
    this.#replayedLocation = this.#firstLocation[state]!;
    try {
      return body();
    } finally {
      this.#replayedLocation = NONE;
    }
  }

  #resume(run: Thread, t: number, depth: number, answer: unknown): Operation {
    this.resumed++;
    this.#runningThread = t;
    this.#beginWatch(t, depth);
    try {
      const operation = resumeRunning(this, this.#recording, run, answer);
      this.#liveOperation[t] = operation;
      return operation;
    } finally {
      this.#endWatch();
    }
  }

  /** What becomes of the operation of `state`, which thread t is about to perform, if it is answered so. */
  #outcome(t: number, depth: number, state: number, answer: number): Outcome {
    const operation = this.operation(state);
    const canRunAgain = !this.#recording && !this.values.sawIdentity;
    if (canRunAgain && asksThread(operation)) return this.#judge(t, depth, state, answer);
    return this.#outcomeOf(t, depth, operation, this.valueFor(state, answer));
  }

  /** The same, asked in a run that stands at `state`: what a function of the program looks at changes as its thread goes on. */
  #judge(t: number, depth: number, state: number, answer: number): Outcome {
    const key = state * MOST_VALUES + answer;
    const known = this.#judged.get(key);
    if (known !== undefined) return known;
    if (this.#live[t] === undefined || this.#liveState[t] !== state) this.#catchUp(t, state);
    const outcome = this.isMixed
      ? this.#outcomeOf(t, depth, this.operation(state), this.valueFor(state, answer))
      : this.#liveOutcome(t, depth, answer);
    this.#judged.set(key, outcome);
    return outcome;
  }

  /** What becomes of the operation that the live run stands at, with its own copies of objects. */
  #liveOutcome(t: number, depth: number, answer: number): Outcome {
    return this.#outcomeOf(t, depth, this.#liveOperation[t] as Operation, this.#valueIn(this.#liveCopies[t], answer));
  }

  /** The live run writes this value. */
  #writeLive(t: number, value: unknown): void {
    const operation = this.#liveOperation[t] as Operation;
    if (operation.kind === 'update') operation.onWritten?.(value);
  }

  #outcomeOf(t: number, depth: number, operation: Operation, answer: unknown): Outcome {
    this.#beginWatch(t, depth);
    try {
      return outcomeOf(operation, answer);
    } finally {
      this.#endWatch();
    }
  }

  // ---------------------------------------------------------------------------------------------- copies of objects

  /** A value (a number of `values`) as the run knows it that has asked for the operation of `state`. */
  valueFor(state: number, value: number): unknown {
    return this.#valueIn(this.#copies[state], value);
  }

  #valueIn(copies: Copies | undefined, value: number): unknown {
    const first = this.values.valueOf(value);
    return copies !== undefined && this.values.idOfCopy(first) !== undefined ? copies.of(value) : first;
  }

  get #isCopying(): boolean {
    return this.copiesObjects && !this.values.sawIdentity;
  }

  /**
   * Whether the states stem from several runs, and values from them have an identity that there can be no copies of: `advance` answers
   * STALE, also while threads are run again after a `reset`. After another one it does not.
   */
  get isMixed(): boolean {
    return this.values.sawIdentity && (this.#ranAgain || this.values.hasCopies);
  }

  /** A value came by that cannot have copies: from now on all threads are run again together. */
  #stopCopying(): void {
    this.values.sawIdentity = true;
    this.#ranAgain = true;
  }

  #sharedByCopies(): Shared {
    return { values: this.values, opaque: this.#opaque };
  }

  readonly #opaque = (value: object): number | undefined => {
    const location = this.program.locationIn?.(value);
    return location === undefined ? undefined : this.locationTable.knownNumberOf(location);
  };

  #constantCopies(): Copies {
    this.#constants ??= new Copies(this.#sharedByCopies(), undefined);
    return this.#constants;
  }

  /** The live run of t has this value. `again`: the same, made once more. */
  #meet(t: number, value: unknown, again?: unknown): void {
    if (isPrimitive(value)) return;
    if (!this.#isCopying) this.values.see(value);
    else if (this.#liveCopies[t]?.meet(value, again) !== true) this.#stopCopying();
  }

  /** It has this value where an earlier run of t had value `id`. */
  #meetAgain(t: number, value: unknown, id: number): void {
    if (this.#isCopying && this.#liveCopies[t]?.meetAgain(value, id) !== true) this.#stopCopying();
  }

  /** The live run of t, in `state`, writes an object: if it makes it only now, nobody else can have it. */
  #meetWritten(t: number, depth: number, answer: number, value: object): void {
    const isMade = this.values.idOfCopy(value) === undefined && this.#liveOperation[t]?.kind === 'update';
    this.#meet(t, value, isMade ? this.#liveOutcome(t, depth, answer).value : undefined);
  }

  /** Runs t again if it has made objects on the way into `state`: those of another run must be others. */
  #makeSure(t: number, state: number): void {
    const copies = this.#liveCopies[t];
    if (copies?.hasNew !== true || !this.#isCopying) return;
    copies.hasNew = false;
    this.#catchUp(t, state);
  }

  /** Code of the program is run up to `#endWatch`: tells whoever watches that thread t is at it. */
  #beginWatch(t: number, depth: number): void {
    const { pulse } = this.#options;
    if (pulse === undefined) return;
    pulse[2] = depth;
    pulse[1] = (pulse[1]! + 1) | 0;
    pulse[0] = t + 1;
  }

  #endWatch(): void {
    const { pulse } = this.#options;
    if (pulse !== undefined) pulse[0] = 0;
  }

  #append(t: number, depth: number, operation: Operation | undefined, firstLocation: number): number {
    const state = this.#length++;
    if (state >= this.step.length) this.#grow(state + 1);
    this.thread[state] = t;
    this.depth[state] = depth;
    if (depth > this.mostOperations) this.mostOperations = depth;
    this.#alike[state] = state;
    this.#base[state] = state;
    this.#parent[state] = NONE;
    this.#child[state] = NONE;
    this.#sibling[state] = NONE;
    this.#root[state] = NONE;
    this.#startedBy[state] = NONE;
    this.#answer[state] = NO_ANSWER;
    this.location[state] = NONE;
    this.plain[state] = 0;
    this.order[state] = Order.PLAIN;
    this.orderIfKept[state] = Order.PLAIN;
    this.extent[state] = WHOLE;
    this.mayBlock[state] = 0;
    this.value[state] = NO_ANSWER;
    this.written[state] = NONE;
    this.operand[state] = NONE;
    this.memoryBefore[state] = NONE;
    this.rank[state] = 0;
    this.step[state] = Step.STUCK;
    this.#operations[state] = operation;
    this.#copies[state] = operation === undefined ? undefined : this.#liveCopies[t];
    this.#results[state] = undefined;
    this.#firstLocation[state] = firstLocation;
    this.#made[state] = this.#madeSoFar;
    if (operation !== undefined) this.#describeTo(state, t, operation);
    return state;
  }

  /** Fills the columns from the operation. */
  #describeTo(state: number, t: number, operation: Operation): void {
    const kind = kindOf(operation);
    this.step[state] = kind.step;
    if (kind.step === Step.JOIN) this.rank[state] = 1;
    if ('order' in operation && operation.order === 'plain') this.plain[state] = 1;
    this.order[state] = kind.order(operation);
    this.orderIfKept[state] = kind.orderIfKept(operation);
    this.extent[state] = sliceOf(operation)?.extent ?? WHOLE;
    if (kind.mayBlock) this.mayBlock[state] = 1;
    const values = this.#valuesOf(t, operation);
    for (const value of values) this.#meet(t, value);
    if (kind.value !== undefined && (kind.step !== Step.END || values.length > 0))
      this.value[state] = this.values.idOf(kind.value(operation));
    const isAccess = kind.step === Step.READ || kind.step === Step.WRITE;
    if (isAccess && 'location' in operation) this.#describeAccess(state, operation.location);
    switch (operation.kind) {
      case 'allocate':
        if (operation.isHeap) this.#describeAllocation(state, operation.location);
        break;
      case 'block':
        if (operation.reason === 'bound') this.hasBound = true;
        break;
      case 'choose':
        this.operand[state] = operation.count;
        break;
      case 'join':
        this.#describeJoin(state, operation.thread);
        break;
      case 'spawn':
        this.operand[state] = this.#childThread(state, t, operation.name);
        if (this.#liveCopies[t] !== undefined) this.#copiesOfChild.set(state, this.#liveCopies[t].forChild());
        break;
    }
    if (operation.kind === 'spawn') this.#noteSpawned(t);
  }

  #noteSpawned(t: number): void {
    const copies = this.#liveCopies[t];
    if (copies !== undefined) copies.hasSpawned = true;
  }

  /** The values that the operation carries, but for an object that main returns: nobody joins main. */
  #valuesOf(t: number, operation: Operation): readonly unknown[] {
    const values = kindOf(operation).values(operation);
    return t === 0 && operation.kind === 'end' && isObject(operation.value) ? noValues : values;
  }

  #describeAccess(state: number, location: Location): void {
    const id = this.numberOf(location);
    this.location[state] = id;
    this.locationTable.noteAccess(id, this.plain[state] === 1);
  }

  #describeAllocation(state: number, lifetime: Location): void {
    const id = this.numberOf(lifetime);
    this.operand[state] = id;
    this.locationTable.noteHeap(id, this.thread[state]!);
  }

  /** C can join any number: one that is no thread, or none yet, is waited for. */
  #describeJoin(state: number, identity: number): void {
    const known = this.#threadByIdentity.get(identity);
    if (known === undefined) this.#idleJoins.push(state);
    else this.operand[state] = known;
  }

  /** The k-th thread that t spawns has the same number in every execution. */
  #childThread(state: number, t: number, name: string): number {
    // `state` is not linked yet when it is filled: its predecessors are those of the live run, whose state is the parent
    let k = 0;
    for (let s = this.#liveState[t] ?? NONE; s !== NONE && this.depth[state]! > 0; s = this.#parent[s]!) {
      if (this.step[s] === Step.SPAWN) k++;
    }
    const child = this.threadOf(`${(this.threads[t] as ThreadInfo).path}.${k}`);
    if (name !== '') this.#setThread(child, { ...(this.threads[child] as ThreadInfo), name });
    return child;
  }

  #setThread(t: number, info: ThreadInfo): void {
    this.threads[t] = info;
    this.threadCount = this.threads.length;
    this.#threadByIdentity.set(info.identity, t);
    this.#threadByPath.set(info.path, t);
    this.#options.onThread?.(t, info);
  }

  #joinedIdentity(join: number): number | undefined {
    const operation = this.operation(join);
    return operation.kind === 'join' ? operation.thread : undefined;
  }

  #sameIdentity(one: string, other: string): InputError {
    return new InputError(
      `the threads ${one} and ${other} (main is 0, the first thread that it spawns 0.0, and so on) have the same identity: ` +
        'threads that are spawned by threads so often, or so deep, cannot be told apart.',
    );
  }

  #grow(length: number): void {
    this.step = grown(this.step, length);
    this.thread = grown(this.thread, length);
    this.depth = grown(this.depth, length);
    this.location = grown(this.location, length);
    this.order = grown(this.order, length);
    this.orderIfKept = grown(this.orderIfKept, length);
    this.extent = grown(this.extent, length);
    this.plain = grown(this.plain, length);
    this.mayBlock = grown(this.mayBlock, length);
    this.value = grown(this.value, length);
    this.written = grown(this.written, length);
    this.operand = grown(this.operand, length);
    this.memoryBefore = grown(this.memoryBefore, length);
    this.rank = grown(this.rank, length);
    this.#alike = grown(this.#alike, length);
    this.#base = grown(this.#base, length);
    this.#answer = grown(this.#answer, length);
    this.#parent = grown(this.#parent, length);
    this.#child = grown(this.#child, length);
    this.#sibling = grown(this.#sibling, length);
    this.#root = grown(this.#root, length);
    this.#startedBy = grown(this.#startedBy, length);
    this.#made = grown(this.#made, length);
    this.#enlistAll();
  }

  // --------------------------------------------------------------------------------------------------- locations

  get locations(): readonly LocationInfo[] {
    return this.locationTable.infos;
  }

  /** Numbers a location that the running thread has just made. */
  adopt(location: Location): void {
    if (this.#replayedLocation === NO_LOCATION) throw new Error('a thread that makes locations cannot be replayed');
    const { initial } = location;
    if (this.#replayedLocation !== NONE) {
      const id = this.#replayedLocation++;
      this.locationTable.adoptAgain(location, id);
      if (isObject(initial)) this.#meetAgain(this.#runningThread, initial, this.initialValue(id));
      return;
    }
    this.locationTable.adopt(location, this.#maker, this.#madeSoFar++);
    this.#meet(this.#runningThread, initial);
    this.values.idOf(initial);
  }

  numberOf(location: Location): number {
    const { length } = this.locations;
    const id = this.locationTable.numberOf(location);
    // one that was made outside of any thread
    if (this.locations.length > length && isObject(location.initial) && this.#isCopying) {
      if (!this.#constantCopies().meet(location.initial)) this.#stopCopying();
    }
    return id;
  }

  /** What the location that a READ or WRITE accesses is known by in all epochs: see location-keys.ts. */
  keyOfAccessed(state: number): number {
    return this.locationTable.key[this.location[state]!]!;
  }

  /** The lifetime (a location) of the object that a location is part of, or NONE. */
  lifetimeOf(location: number): number {
    return this.locationTable.lifetime[location]!;
  }

  /** The locations of the object with this lifetime, as far as they are known. */
  partsOf(lifetime: number): readonly number[] {
    return this.locationTable.partsOf(lifetime);
  }

  // --------------------------------------------------------------------------------------------------- complaints

  get #language(): Language {
    return this.program.language ?? bareLanguage;
  }

  #compare(state: number, again: Operation): void {
    const before = this.#operations[state] as Operation;
    if (again.kind === 'spawn') this.#noteSpawned(this.thread[state]!);
    if (this.values.hasCopies) this.#compareObjects(this.thread[state]!, before, again);
    const t = this.thread[state]!;
    if (this.isMixed || this.#sameOperation(before, again)) return;
    const name = (this.threads[t] as ThreadInfo).name;
    const what =
      `thread ${name} is not deterministic: run again with the same answers, its operation number ${this.depth[state]! + 1} ` +
      `was ${describeOperation(before, this)} and is now ${describeOperation(again, this)}.`;
    const { chance } = this.#language;
    if (chance === undefined) throw new Error(what);
    throw new InputError(`${what}\n${chance}`, again.position ?? before.position);
  }

  #compareObjects(t: number, before: Operation, again: Operation): void {
    if (before.kind !== again.kind) return;
    const values = this.#valuesOf(t, again);
    for (const [i, value] of this.#valuesOf(t, before).entries()) {
      const id = this.values.idOfCopy(value);
      if (id !== undefined) this.#meetAgain(t, values[i], id);
    }
  }

  #sameOperation(before: Operation, again: Operation): boolean {
    if ('location' in again && !this.#isSameLocation(before, again.location)) return false;
    if ('order' in again && 'order' in before && again.order !== before.order) return false;
    if (sliceOf(again)?.extent !== sliceOf(before)?.extent) return false;
    return isSameOperation(before, again, this.#isSameValue);
  }

  /** Objects without a number are not compared: nobody else gets them. */
  readonly #isSameValue = (a: unknown, b: unknown): boolean =>
    Object.is(a, b) || (isObject(a) && isObject(b) && this.values.idOfCopy(a) === this.values.idOfCopy(b));

  #isSameLocation(before: Operation, location: Location): boolean {
    return 'location' in before && this.numberOf(before.location) === this.numberOf(location);
  }

  /** The thread that has performed the most operations does not end, as far as anybody can tell. */
  endless(): EndlessThread {
    const t = this.#longest();
    return this.#tooLong(t, this.#liveState[t] as number);
  }

  #longest(): number {
    const live = this.#liveState;
    let longest = 0;
    for (const [t, s] of live.entries())
      if (s !== undefined && this.depth[s]! > this.depth[live[longest]!]!) longest = t;
    return longest;
  }

  #tooLong(t: number, state: number): EndlessThread {
    const { name } = this.threads[t] as ThreadInfo;
    const position = this.operation(state).position ?? this.#positionOf(t, state);
    const advice = this.#language.endlessThread + this.#longLoop();
    return new EndlessThread(
      `thread ${name} performed ${this.depth[state]!.toLocaleString('en-US')} operations in one execution and did not end; the last was ` +
        `${describeOperation(this.operation(state), this)}. ${advice}`,
      position,
    );
  }

  /** The loop that went round most often, and why every round counts. */
  #longLoop(): string {
    const [longest] = this.program.openLoops?.longest() ?? [];
    if (longest?.position === undefined) return '';
    const { file, line } = longest.position;
    const isThis = ({ position }: LoopReport): boolean => position?.file === file && position.line === line;
    const { why = '' } = this.program.loops?.().find(isThis) ?? {};
    return `\nThe loop at ${file}:${line} has gone round ${longest.rounds} times${why === '' ? '' : `: ${why}`}.`;
  }

  /** Where the operation of `state` stands: its thread is run again, and only the last step is recorded. */
  #positionOf(t: number, state: number): SourcePosition | undefined {
    const before = this.#parent[state]!;
    if (before === NONE || this.values.sawIdentity) return undefined;
    this.#catchUp(t, before);
    if (this.isMixed) return undefined;
    this.#recording = true;
    const { result } = this.#liveOutcome(t, this.depth[state]!, this.#answer[state]!);
    const again = this.#replaying(state, () => this.#resume(this.#live[t] as Thread, t, this.depth[state]!, result));
    this.#recording = false;
    return again.position;
  }
}
