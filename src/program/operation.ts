/**
 * What a thread may do. A front end turns source code into these operations; an explorer decides what they return.
 *
 * A thread is a deterministic transducer: run again with the same answers, it asks for the same operations. All it
 * computes in between is invisible to an explorer.
 */
import type { Knowledge, KnowledgeScope, Learned } from './knowledge.ts';
import type { Language } from './language.ts';
import type { Location } from './location.ts';
import type { OpenLoops } from './open-loops.ts';

/** `plain` accesses are not atomic: two conflicting ones that happens-before does not order are a data race. */
export type MemoryOrder = 'plain' | 'relaxed' | 'acquire' | 'release' | 'acq_rel' | 'seq_cst';

export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The kinds of error that a program under test can have; the words of the JSON output. */
export const failureKinds = [
  'assertion',
  'deadlock',
  'livelock',
  'race',
  'use-after-free',
  'double-free',
  'invalid-free',
  'out-of-bounds',
  'null-dereference',
  'uninitialised-read',
  'leak',
  'lock-misuse',
  'abort',
  'exception',
  'division-by-zero',
  'undefined-behaviour',
] as const;
export type FailureKind = (typeof failureKinds)[number];

/** A thread that has gone wrong on its own account: an assertion, an exception, a misused lock. */
export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
  readonly position: SourcePosition | undefined;
}

/** What `apply` of an update gives to write nothing. */
export const KEEP: unique symbol = Symbol('keep');

/** Thrown by a function that an operation carries: the thread that performs the operation fails. */
export class ThreadFailure extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/**
 * Thrown by a thread when the program has learned something that makes all behaviours seen so far void (a piece of memory
 * has to be split in two). Whoever drives a search or a recording starts it over with the same program object.
 */
export class ProgramRefined extends Error {
  override readonly name: string = 'ProgramRefined';
}

/**
 * What was saved of a search, and what the program now knows, do not fit together: one of the two has learned something since that
 * makes void what the other has explored. The program knows both now. The whole search starts over, and what was saved is thrown away.
 */
export class SavedSearchVoid extends ProgramRefined {
  override readonly name = 'SavedSearchVoid';

  constructor() {
    super(
      'the program has learned something since: what was saved of the search is void, and the search has to start over',
    );
  }
}

interface Base {
  /** Where in the source it stands; only known in a run that is recorded (see `recording`). */
  position?: SourcePosition | undefined;
  /** What it does in the words of the program, where its kind, location and values say it badly; `done` undefined: it waits. */
  readonly words?: ((done: Done | undefined) => string) | undefined;
  /** It only makes ready for the next operation of its thread: a reader need not see it by itself. */
  readonly prepares?: boolean | undefined;
  /**
   * Two states of a thread have the same future if these are the same and the thread has performed as many operations, and if it had
   * the same state once before and has only performed operations with a future since then: given the same result, it does
   * the same. If the operations read, they are the same, too; if they write, they may write something else, somewhere else.
   */
  readonly future?: string | undefined;
  /** Only in a run that is recorded. */
  readonly part?: PartOfAccess | undefined;
}

/** An operation that was performed: its answer, and whether it has written something. */
export interface Done {
  readonly answer: unknown;
  readonly isWritten: boolean;
}

/** Of an access to several locations at once (a struct is copied, a string is read), in words: this is its operation `index`. */
export interface PartOfAccess {
  readonly index: number;
  readonly whole: () => string;
}

/**
 * A part of a location that is accessed as a whole, too: the operation is about the part, and what it gives, wants and writes are
 * values of the part. Whoever performs it reads and writes values of the whole.
 */
export interface Slice {
  /** Which bytes: see extent.ts. */
  readonly extent: number;
  /** The part of a value of the whole, and a value of the whole with another part. */
  readonly get: (whole: unknown) => unknown;
  readonly put: (whole: unknown, part: unknown) => unknown;
  readonly name: () => string;
  /** How to show a value of the part. */
  readonly show: (part: unknown) => string;
}

interface Access extends Base {
  readonly location: Location;
  readonly order: MemoryOrder;
  /** Absent: it is to all of the location. */
  readonly slice?: Slice | undefined;
  /** Of a read: what it gives makes no difference to anybody, so that a loop which reads something else goes round in vain as well. */
  readonly unread?: boolean | undefined;
}

interface Asking extends Access {
  /**
   * Its functions are of the program, and may look at what their thread has: they are asked in a run that stands there, not in one that
   * has gone on.
   */
  readonly asksThread?: boolean | undefined;
}

/**
 * Blocks until its condition holds of the location's value. If that never comes: with `sleeps` (a condition variable, a
 * barrier) the thread is asleep for good, a `deadlock`; without, it spins for ever, a `livelock`.
 */
interface Await extends Asking {
  readonly sleeps?: boolean;
  /** A front end made it of an assume. If nothing satisfies it, the thread counts as stopped by an assume: `blocked`. */
  readonly assumed?: boolean;
  /** A front end made it of a loop. */
  readonly loop?: SpinLoop | undefined;
  /** While it waits, it writes what it has read, again and again: that makes no difference, but it may race. */
  readonly rewrites?: boolean;
}

/** A loop that goes round again without having changed anything. */
export interface SpinLoop {
  readonly position: SourcePosition | undefined;
  /**
   * How many operations the thread had performed when it began the iteration that changes nothing, if the awaited value is this
   * one. If all that the iteration has read stays as it is, the next one will be the same, and so on: a `livelock`. If not, the
   * iteration came too early or too late, and the thread counts as stopped by an assume.
   */
  readonly since: (value: unknown) => number;
}

/** Kinds of updates that commute with their like. A subtraction adds. */
export type Commuting = 'add' | 'and' | 'or' | 'xor';

interface OnMutex extends Base {
  readonly location: Location;
}

export type Operation =
  | (Access & { readonly kind: 'load' })
  | (Access & { readonly kind: 'store'; readonly value: unknown })
  /**
   * A store to a part. It keeps the rest, so it is performed as an update of the whole; but its thread learns nothing by that, neither
   * a value nor what happened before.
   */
  | (Access & { readonly kind: 'store-part'; readonly value: unknown; readonly slice: Slice })
  /**
   * Exchange and fetch-op. `apply` may give KEEP: then nothing is written. `commutes` promises that it does not matter in which
   * order this and others of its kind come: they are arithmetic of integers, and their threads ignore the old value.
   */
  | (Asking & {
      readonly kind: 'update';
      readonly name: string;
      readonly operand: unknown;
      readonly apply: (old: unknown) => unknown;
      /** Called with what `apply` gives if that is what is written. */
      readonly onWritten?: ((value: unknown) => void) | undefined;
      readonly commutes?: Commuting | undefined;
    })
  | (Access & {
      readonly kind: 'compare-exchange';
      readonly expected: unknown;
      readonly desired: unknown;
      readonly failureOrder: MemoryOrder;
      readonly weak: boolean;
    })
  /** Block until `until` holds of the location's value; then load it, exchange it for `value`, or update it as `update` does. */
  | (Await & { readonly kind: 'await-load'; readonly until: (value: unknown) => boolean })
  | (Await & { readonly kind: 'await-exchange'; readonly until: (value: unknown) => boolean; readonly value: unknown })
  | (Await & { readonly kind: 'await-compare-exchange'; readonly expected: unknown; readonly desired: unknown })
  | (Await & {
      readonly kind: 'await-update';
      readonly name: string;
      readonly until: (value: unknown) => boolean;
      readonly apply: (old: unknown) => unknown;
    })
  | (Base & { readonly kind: 'fence'; readonly order: MemoryOrder })
  /** `type`: see `mutexValue`; it is what the mutex has after the operation. */
  | (OnMutex & { readonly kind: 'mutex-init'; readonly type?: number })
  /** Its answer is the type of the mutex. */
  | (OnMutex & { readonly kind: 'lock' })
  /** Its answer is the type of the mutex, or MUTEX_BUSY. */
  | (OnMutex & { readonly kind: 'trylock' })
  | (OnMutex & { readonly kind: 'unlock'; readonly type?: number })
  | (OnMutex & { readonly kind: 'mutex-destroy' })
  /** `start` gets the identity of the new thread (identity.ts), which is also the answer, and what a join names. */
  | (Base & { readonly kind: 'spawn'; readonly name: string; readonly start: (self: number) => Thread })
  /** `isOnce`: nobody may join the thread again, this thread or another. */
  | (Base & { readonly kind: 'join'; readonly thread: number; readonly isOnce?: boolean })
  /** The thread goes no further, and that is no error by itself: an assume failed, a loop reached its bound or goes round in vain. */
  | (Base & { readonly kind: 'block'; readonly reason?: 'assume' | 'bound' })
  | (Base & { readonly kind: 'block'; readonly reason: 'loop'; readonly loop: SpinLoop })
  | (Base & { readonly kind: 'yield' })
  | (Base & { readonly kind: 'choose'; readonly count: number })
  /** The object whose lifetime is `location` begins to live. `isHeap`: if nobody frees it, it has leaked. */
  | (Base & {
      readonly kind: 'allocate';
      readonly location: Location;
      readonly size: number;
      readonly isHeap: boolean;
    })
  /** The object whose lifetime is `location` dies: every access to its locations must happen before. */
  /** `ends`: not a call of free, but the end of this function, whose variables are gone. */
  | (Base & { readonly kind: 'free'; readonly location: Location; readonly ends?: string })
  /** Output: shown in its place in the execution. */
  | (Base & { readonly kind: 'print'; readonly text: string })
  /**
   * The last operation of a thread: it ended with `value`; it failed; or it ended the program. Nothing comes after an exit,
   * so whatever other threads do is done before: they go on as far as they can, and waiting for ever is no error then.
   * `endsProgram`: the same goes for the end of this thread, but what others assume must hold.
   */
  | (Base & { readonly kind: 'end'; readonly value: unknown; readonly endsProgram?: boolean })
  | (Base & { readonly kind: 'fail'; readonly failure: Failure })
  | (Base & { readonly kind: 'exit'; readonly status: number });

export type OperationKind = Operation['kind'];

/** One run of one thread. */
export interface Thread {
  /** Goes on to the next operation, given the result of the one before (at first: undefined). */
  resume(answer: unknown): Operation;
  /**
   * The same as to resume with each of the results from `from` on and before `to`, one after the other: gives what the last of these
   * would give. What is asked for on the way need not be made, and nobody sees it. All else that a run does, to the thread and to what
   * the program has learned, is done; and what `resume` may throw, this may. `results` may change afterwards.
   *
   * Only for a path that a run of the same thread has taken before, in a program whose threads cannot but do the same again
   * (`Language.chance`) and make no locations.
   */
  replay?(results: readonly unknown[], from: number, to: number): Operation;
}

/** The compiler that came with Heddle, or one of the user's own. */
export const compilerKinds = ['bundled', 'installed'] as const;

export interface CompilerName {
  /** With its version. */
  readonly name: string;
  readonly kind: (typeof compilerKinds)[number];
}

export interface Program {
  readonly name: string;
  /** What it is written in. Default: `bareLanguage`. */
  readonly language?: Language;
  /** A new run of the main thread. */
  start(): Thread;
  /** Runs `body`, which resumes its threads many times over: what is to be done around each of these is done once. */
  inOneGo?(body: () => void): void;
  /** The location that a value of the program stands for, and nothing else: it does not change, and two for one location are alike. */
  locationIn?(value: object): Location | undefined;
  /** Who compiled it, if somebody did; for reports. */
  readonly compiler?: CompilerName | undefined;
  /** How often a loop may be entered (`block` with the reason `bound` comes of it); for reports. */
  readonly unroll?: number;
  /** The loops that are not known to end. Absent: none of them can be bounded while the program runs. */
  readonly openLoops?: OpenLoops;
  /**
   * What the program itself left out so far, though nobody asked for it, in sentences ("rand() gave 0 and 1 only"). If there
   * is any, no search is a proof.
   */
  limits?(): readonly string[];
  /** What a proof takes for granted of what the program has used so far, in sentences ("volatile accesses are ordinary ones"). */
  assumptions?(): readonly string[];
  /** What was found out about its loops; for reports. */
  loops?(): readonly LoopReport[];
  /**
   * What its runs so far have taught that another process must know to run the same executions (the default), or to go on with the
   * search; undefined: nothing.
   */
  knowledge?(scope?: KnowledgeScope): Knowledge | undefined;
  /** Takes in what the same program has learned in a search elsewhere; undefined: nothing. */
  learn?(knowledge: Knowledge | undefined): Learned;
  /**
   * Called before a run that is recorded: what has its name from the order in which a run makes it (`node#1`), or from a thread
   * (`me@worker 2`), is named anew from here on. What it returns takes that back.
   */
  nameAnew?(nameOfThread: NameOfThread): () => void;
  /** Called before a search: the memory model that it is under. A program may refuse what it cannot do there. */
  checkedUnder?(model: string): void;
  /** What else there is to say of two accesses that race, by where they stand: a sentence. */
  remarkOnRace?(accesses: readonly (SourcePosition | undefined)[]): string | undefined;
}

/** The name of a thread of the run that is recorded, by its identity (identity.ts): its final one, if it is asked when the run is over. */
export type NameOfThread = (identity: number) => string | undefined;

/** Whether a thread that goes round in a loop without changing anything is stopped, so that it need not go round again. */
export interface LoopReport {
  readonly position: SourcePosition | undefined;
  /** The name of the function that it is in. */
  readonly functionName: string;
  /** `pure`: each way round is stopped if nothing changes on it; `partly pure`: some are; `not pure`: none. */
  readonly outcome: 'pure' | 'partly pure' | 'not pure';
  /** In a run, rounds that returned to where they began were left out. */
  readonly returns?: boolean;
  /** What stood in the way; empty if nothing did. */
  readonly why: string;
}

/**
 * The values of a mutex: bit 0 says whether it is held, the rest is its type, which only front ends know about (C: 0 normal,
 * 1 recursive, 2 errorcheck).
 */
export function mutexValue(type: number, isHeld: boolean): number {
  return (type << 1) | (isHeld ? 1 : 0);
}

export const MUTEX_FREE = 0;
export const MUTEX_DESTROYED = -1;
/** The answer to a trylock of a mutex that is held. */
export const MUTEX_BUSY = -1;

/** The values of a lifetime. */
export const ALIVE = 'alive';
export const FREED = 'freed';
