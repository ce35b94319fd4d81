/** The errors found so far, each distinct one once; and how the end of an execution counts. */
import { type Behaviours, Step, type ThreadInfo } from '../program/behaviours.ts';
import { NONE } from '../program/columns.ts';
import type { Ending } from '../program/ending.ts';
import { comparePaths, type Execution } from '../program/execution.ts';
import { listOf } from '../program/list-of.ts';
import type { SourcePosition } from '../program/operation.ts';
import {
  type Counts,
  type ExploreOptions,
  executionsOf,
  type Finding,
  nextRerun,
  noCounts,
  type Warning,
} from './explorer.ts';
import { Leaks } from './leaks.ts';

/** One of two accesses that clash: a thread, and the state in which it makes the access. */
export interface ClashingAccess {
  readonly thread: number;
  readonly state: number;
}

/** What repeats at the end of an execution that is taken not to end. */
export interface Round {
  /** How many steps it has, and how many steps of the schedule show it twice; 0 and all if no round is found. */
  readonly steps: number;
  readonly shownIn: number;
  /** The threads that take part; those of them that do not yield in it. */
  readonly threads: readonly number[];
  readonly withoutYield: readonly number[];
}

/** `abort`: two joins of one thread. */
export type ClashKind = 'race' | 'use-after-free' | 'double-free' | 'abort';

/** What a bound says of an execution. */
export interface Judged {
  readonly isWithin: boolean;
  /** Its least number of preemptions, computed when it is asked for. */
  preemptions(): number;
}

const countedAs = ['complete', 'blocked', 'erroneous'] as const;
type Counted = (typeof countedAs)[number];

const none: readonly number[] = [];

/** So many executions are counted plainly before anybody looks at the counts. */
const MOST_PLAIN = 1 << 30;

/** What a system keeps of the status of a process. */
const STATUS_BITS = 0xff;

export class Findings {
  readonly list: Finding[] = [];
  readonly warnings: Warning[] = [];
  /** By key: the place of the finding in the list; NONE for a warning. */
  readonly #seen = new Map<string, number>();
  readonly #behaviours: Behaviours;
  readonly #options: ExploreOptions;
  readonly #leaks: Leaks;
  /** Whether an error was found, be it in an earlier part of the search, which somebody else has made. */
  hasErrors = false;
  /** Whether the search is to end: an error was found, or as many executions as wanted. */
  isOver = false;
  /**
   * How many more complete executions can be counted by `countPlain`, and how many were that the counts do not know of yet: while there is
   * nothing to learn from one but that there is one more, and none is to be run again, nobody need look at the counts.
   */
  #plainLeft = 0;
  #plain = 0;
  /** Executions in which the bound of a loop stopped a thread. */
  cut = 0;
  /** Whether the execution that was counted last is one of these. */
  #wasCut = false;
  /** The status other than 0 with which all executions that count as complete have ended the program; undefined: there is none. */
  exitStatus: number | undefined;
  /** Whether some of them have not. */
  #hasSuccess = false;
  /** What a bound says of the execution whose errors are told; undefined: there is none. */
  #judged: Judged | undefined;
  /** By number of preemptions: the executions beyond the bound, by how they would count within. */
  readonly #beyond = new Map<number, Record<Counted, number>>();
  /** Of the counts, what the execution has added at which the search stopped at an error. */
  #ofStop = { erroneous: 0, cut: 0 };

  readonly #counts: Counts;

  constructor(behaviours: Behaviours, options: ExploreOptions, counts: Counts) {
    this.#behaviours = behaviours;
    this.#options = options;
    this.#counts = counts;
    this.#leaks = new Leaks(behaviours);
  }

  /** Tells the errors of an execution that a bound has judged: until `tell` returns, what is found counts so. */
  judged(judged: Judged, tell: () => void): void {
    this.#judged = judged;
    tell();
    this.#judged = undefined;
  }

  /** All executions are judged so, each when it is told of. */
  judgeAll(judged: Judged): void {
    this.#judged = judged;
  }

  /** The bound is `bound` now: what was beyond it may be within. */
  deepen(bound: number): void {
    const counts = this.#counts;
    const within = this.#beyond.get(bound);
    this.#beyond.delete(bound);
    for (const counted of countedAs) {
      counts[counted] += within?.[counted] ?? 0;
      counts.overBound -= within?.[counted] ?? 0;
    }
    const hasError = this.list.some(({ preemptions = 0 }) => preemptions <= bound);
    if (hasError && !this.#options.keepGoing) this.isOver = true;
  }

  /** All is explored again. */
  startOver(): void {
    this.#beyond.clear();
    this.cut = 0;
    this.exitStatus = undefined;
    this.#hasSuccess = false;
    Object.assign(this.#counts, noCounts());
  }

  /** Counts an execution that ended so, unless enough were counted. A standstill or a leak that is an error is found by that. */
  ended(ending: Ending, stateOf: (t: number) => number, witness: () => Execution): void {
    this.settlePlain();
    if (this.isOver || this.#isEnough()) return; // the error that its end has shown was counted
    if (ending === 'complete' && this.#isPlain()) {
      this.#counts.complete++;
      this.#wasCut = false;
      this.#foreseePlain();
      return;
    }
    if (!this.#hasSuccess && ending === 'complete') this.#noteStatus(stateOf);
    const { cut } = this;
    const leaks = ending === 'complete' ? this.#leaks.at(stateOf) : none;
    this.#count(this.#countedAs(ending, leaks));
    for (const state of leaks) this.#leak(state, witness);
    this.#wasCut = ending !== 'failed' && this.#isCut(stateOf);
    if (this.#wasCut) this.cut++;
    if (this.#judged?.isWithin !== false) this.#options.onExecution?.(ending);
    const isError = ending === 'deadlock' || (ending === 'livelock' && this.#options.livelock);
    if (isError) this.#standstill(ending, stateOf, witness);
    if (this.isOver) this.#ofStop = { erroneous: 1, cut: this.cut - cut };
  }

  /**
   * Counts one more complete execution in which all threads have ended as in the last one that was, where nobody is told of each and no
   * bound judges it. Returns false, and counts nothing, if enough were counted.
   */
  endedAlike(): boolean {
    return this.countPlain() || this.#countAlike();
  }

  #countAlike(): boolean {
    this.settlePlain();
    if (this.isOver || this.#isEnough()) return false;
    this.#counts.complete++;
    if (this.#wasCut) this.cut++;
    return true;
  }

  /** Counts a complete execution in which all threads have ended, if there is nothing else to it; false: it must be looked at. */
  countPlain(): boolean {
    const b = this.#behaviours;
    if (this.#plainLeft === 0 || this.isOver || b.locationTable.hasHeap || b.hasBound) return false;
    this.#plainLeft--;
    this.#plain++;
    return true;
  }

  /** Whether the next execution may be counted so: then it is none that is run again. */
  get isPlainNext(): boolean {
    return this.#plainLeft > 0;
  }

  /** Whether the last one was. */
  get wasPlain(): boolean {
    return this.#plain > 0;
  }

  /** After that the counts are right. */
  settlePlain(): void {
    this.#counts.complete += this.#plain;
    this.#plain = 0;
    this.#plainLeft = 0;
  }

  #foreseePlain(): void {
    const executions = executionsOf(this.#counts);
    const untilRerun = nextRerun(executions, this.#behaviours.isClosed) - 1 - executions;
    const untilEnough = this.#options.maxExecutions - (executions - this.#counts.redundant);
    this.#plainLeft = Math.max(0, Math.min(untilRerun, untilEnough, MOST_PLAIN));
  }

  /** Whether there is nothing to learn from a complete execution but that there is one more: as in most searches, after the first. */
  #isPlain(): boolean {
    const b = this.#behaviours;
    const isKnown = this.#hasSuccess && !b.locationTable.hasHeap && !b.hasBound;
    return isKnown && this.#judged === undefined && this.#options.onExecution === undefined;
  }

  #noteStatus(stateOf: (t: number) => number): void {
    const status = this.#statusOf(stateOf);
    this.#hasSuccess = status === 0 || (this.exitStatus ?? status) !== status;
    this.exitStatus = this.#hasSuccess ? undefined : status;
  }

  /** As others see it: the low 8 bits; 0 if nothing is said of it. */
  #statusOf(stateOf: (t: number) => number): number {
    const b = this.#behaviours;
    let status = 0;
    for (let t = 0; t < b.threads.length; t++) {
      const s = stateOf(t);
      if (s === NONE || (b.step[s] !== Step.END && b.step[s] !== Step.EXIT)) continue;
      const operation = b.operation(s);
      if (operation.kind === 'exit') return operation.status & STATUS_BITS;
      if (operation.kind === 'end' && operation.endsProgram === true) status = Number(operation.value) & STATUS_BITS;
    }
    return status;
  }

  /** The execution is taken not to end after so many steps. */
  endless({ threads, withoutYield, steps: round }: Round, steps: number, witness: () => Execution): void {
    this.settlePlain();
    if (this.isOver || this.#isEnough()) return;
    const names = (list: readonly number[]): string =>
      listOf(list.map((t) => (this.#behaviours.threads[t] as ThreadInfo).name));
    const isOne = (list: readonly number[]): boolean => list.length === 1;
    const yields =
      withoutYield.length === 0
        ? isOne(threads)
          ? 'it yields'
          : 'each yields'
        : `${names(withoutYield)} ${isOne(withoutYield) ? 'does' : 'do'} not yield`;
    const goRound = `${names(threads)} ${isOne(threads) ? 'goes' : 'go'} round and round`;
    const length = `${steps.toLocaleString('en-US')} ${steps === 1 ? 'step' : 'steps'}`;
    const message = `no end after ${length}: ${goRound}, and ${yields}`;
    if (!this.#options.livelock) {
      this.#count('blocked');
      this.#options.onExecution?.('livelock');
      return;
    }
    const paths = threads.map((t) => this.#pathOf(t)).sort(comparePaths);
    const key = `livelock ${paths.join(' ')} ${yields}`;
    this.#count('erroneous');
    this.#options.onExecution?.('livelock');
    this.#add(key, () => ({
      kind: 'livelock',
      message,
      position: undefined,
      threads: paths,
      round,
      witness: witness(),
    }));
    if (this.isOver) this.#ofStop = { erroneous: 1, cut: 0 };
  }

  /** Whether as many executions were counted as are wanted: then the search is over. */
  #isEnough(): boolean {
    const counts = this.#counts;
    if (executionsOf(counts) - counts.redundant < this.#options.maxExecutions) return false;
    this.isOver = true;
    return true;
  }

  #countedAs(ending: Ending, leaks: readonly number[]): Counted {
    switch (ending) {
      case 'complete':
        return this.#options.checkLeaks && leaks.length > 0 ? 'erroneous' : 'complete';
      case 'blocked':
        return 'blocked';
      case 'livelock':
        return this.#options.livelock ? 'erroneous' : 'blocked';
      default:
        return 'erroneous';
    }
  }

  #count(counted: Counted): void {
    const judged = this.#judged;
    if (judged === undefined || judged.isWithin) {
      this.#counts[counted]++;
      return;
    }
    this.#counts.overBound++;
    const preemptions = judged.preemptions();
    const beyond = this.#beyond.get(preemptions) ?? { complete: 0, blocked: 0, erroneous: 0 };
    beyond[counted]++;
    this.#beyond.set(preemptions, beyond);
  }

  /** The execution at which the search stopped at an error, if it did, counts no more: it is left for whoever goes on. */
  giveBack(): void {
    this.#counts.erroneous -= this.#ofStop.erroneous;
    this.cut -= this.#ofStop.cut;
    this.#ofStop = { erroneous: 0, cut: 0 };
  }

  /** There is an error on the way, which will be told at the end of its execution. */
  defer(): void {
    this.hasErrors = true;
  }

  /** Another part of the search begins. */
  goOn(hadErrors: boolean): void {
    this.hasErrors ||= hadErrors;
    this.isOver = false;
    this.#ofStop = { erroneous: 0, cut: 0 };
  }

  /** Thread t has reached state s: if it failed there, that is an error. */
  reached(t: number, s: number, witness: () => Execution): void {
    if (this.#behaviours.step[s] !== Step.FAIL) return;
    const operation = this.#behaviours.operation(s);
    if (operation.kind !== 'fail') return;
    const { kind, message, position } = operation.failure;
    const threads = [this.#pathOf(t)];
    this.#addMidway(`${kind} ${message} ${placeOf(position) ?? ''}`, () => ({
      kind,
      message,
      position,
      threads,
      witness: witness(),
    }));
  }

  /**
   * Access `b`, not performed yet, clashes with `a`. A use after free is one of an access and a free, and a race may be one of an
   * access and the allocation, in whatever order they come: it is reported at the access.
   */
  clash(kind: ClashKind, a: ClashingAccess, b: ClashingAccess, witness: () => Execution): void {
    const behaviours = this.#behaviours;
    const { depth, location } = behaviours;
    const isSecond = kind === 'use-after-free' ? behaviours.frees(b.state) : behaviours.allocates(b.state);
    const accused = isSecond ? a : b;
    const places = [a, b].map(({ state }) => placeOf(behaviours.operation(state).position));
    // by source line where that is known, else by operation
    const key = places.includes(undefined)
      ? [
          behaviours.keyOfAccessed(accused.state),
          ...[a, b].map(({ thread, state }) => `${this.#pathOf(thread)}:${depth[state]}`).sort(),
        ]
      : places.sort();
    this.#addMidway(`${kind} ${key.join(' ')}`, () => ({
      kind,
      message: this.#clashMessage(kind, location[accused.state]!),
      position: behaviours.operation(accused.state).position,
      threads: [this.#pathOf(a.thread), this.#pathOf(b.thread)],
      operation: depth[a.state]!,
      witness: witness(),
    }));
  }

  #clashMessage(kind: ClashKind, location: number): string {
    const place = this.#behaviours.locations[location]?.name;
    switch (kind) {
      case 'race':
        return `two accesses to ${place ?? 'a variable'} that nothing orders, and one of them writes`;
      case 'use-after-free':
        return `an access to ${place ?? 'an object'} that does not come before the object is freed`;
      case 'double-free':
        return `${place ?? 'an object'} is freed twice`;
      case 'abort':
        return 'a thread is joined twice';
    }
  }

  /** The object that `state` allocated is not freed: once for each place. */
  #leak(state: number, witness: () => Execution): void {
    const b = this.#behaviours;
    const operation = b.operation(state);
    if (operation.kind !== 'allocate') throw new Error('a leak of what was not allocated');
    const { size, position } = operation;
    const key = `leak ${placeOf(position) ?? b.locationTable.key[b.operand[state]!]}`;
    const message = `${size} ${size === 1 ? 'byte' : 'bytes'} allocated here and never freed`;
    if (this.#options.checkLeaks) {
      const threads = [this.#pathOf(b.thread[state]!)];
      const operation = b.depth[state]!;
      this.#add(key, () => ({ kind: 'leak', message, position, threads, operation, witness: witness() }));
    } else if (!this.#seen.has(key)) {
      this.#seen.set(key, NONE);
      this.warnings.push({ kind: 'leak', message, location: position });
    }
  }

  #isCut(stateOf: (t: number) => number): boolean {
    const b = this.#behaviours;
    if (!b.hasBound) return false;
    for (let t = 0; t < b.threads.length; t++) {
      const s = stateOf(t);
      if (s !== NONE && b.isAtBound(s)) return true;
    }
    return false;
  }

  #standstill(kind: 'deadlock' | 'livelock', stateOf: (t: number) => number, witness: () => Execution): void {
    const { step, depth, threads } = this.#behaviours;
    const waiting = [...threads.keys()]
      .filter((t) => stateOf(t) !== NONE && step[stateOf(t)] !== Step.END)
      .sort((t, u) => comparePaths(this.#pathOf(t), this.#pathOf(u)));
    // threads may get other numbers during a search; by their paths an error is known again
    const key = waiting.map((t) => `${this.#pathOf(t)}:${depth[stateOf(t)]}`).join(' ');
    const names = waiting.map((t) => (threads[t] as ThreadInfo).name).join(', ');
    const message =
      kind === 'deadlock'
        ? `nothing can run any more; waiting: ${names}`
        : `a wait that nothing will end; waiting: ${names}`;
    const paths = waiting.map((t) => this.#pathOf(t));
    this.#add(`${kind} ${key}`, () => ({ kind, message, position: undefined, threads: paths, witness: witness() }));
  }

  /** An error before the end of its execution: if the search stops there, nobody else counts that execution. */
  #addMidway(key: string, finding: () => Finding): void {
    const isWithin = this.#judged?.isWithin ?? true;
    if (!this.#options.keepGoing && !this.isOver && isWithin) {
      this.#counts.erroneous++;
      this.#ofStop = { erroneous: 1, cut: 0 };
    }
    this.#add(key, finding);
  }

  #add(key: string, finding: () => Finding): void {
    const judged = this.#judged;
    if (!this.#options.keepGoing && (judged?.isWithin ?? true)) this.isOver = true;
    const place = this.#seen.get(key) ?? this.list.length;
    const known = this.list[place];
    if (judged === undefined) {
      if (known === undefined) this.list.push(finding());
    } else if (known === undefined || judged.preemptions() < (known.preemptions ?? 0)) {
      this.list[place] = { ...finding(), preemptions: judged.preemptions() };
    }
    this.hasErrors ||= this.list.length > 0;
    this.#seen.set(key, place);
  }

  #pathOf(t: number): string {
    return (this.#behaviours.threads[t] as ThreadInfo).path;
  }
}

function placeOf(position: SourcePosition | undefined): string | undefined {
  return position === undefined ? undefined : `${position.file}:${position.line}:${position.column}`;
}
