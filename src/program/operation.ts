/**
 * What a thread may do. A front end turns source code into these operations; an explorer decides what they return.
 *
 * A thread is a deterministic transducer: run again with the same answers, it asks for the same operations. All it
 * computes in between is invisible to an explorer.
 */
import type { Location } from './location.ts';

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
] as const;
export type FailureKind = (typeof failureKinds)[number];

/** A thread that has gone wrong on its own account: an assertion, an exception, a misused lock. */
export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
  readonly position: SourcePosition | undefined;
}

/** Thrown by a function that an operation carries: the thread that performs the operation fails. */
export class ThreadFailure extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

interface Base {
  /** Where in the source it stands; only known in a run that is recorded (see `recording`). */
  position?: SourcePosition | undefined;
}

interface Access extends Base {
  readonly location: Location;
  readonly order: MemoryOrder;
}

export type Operation =
  | (Access & { readonly kind: 'load' })
  | (Access & { readonly kind: 'store'; readonly value: unknown })
  /** Exchange and fetch-op. `resultUsed: false` promises that the thread ignores the old value (it may commute). */
  | (Access & {
      readonly kind: 'update';
      readonly name: string;
      readonly operand: unknown;
      readonly apply: (old: unknown) => unknown;
      readonly resultUsed: boolean;
    })
  | (Access & {
      readonly kind: 'compare-exchange';
      readonly expected: unknown;
      readonly desired: unknown;
      readonly failureOrder: MemoryOrder;
      readonly weak: boolean;
    })
  /** Block until `until` holds of the location's value; then load it, or exchange it for `value`. */
  | (Access & { readonly kind: 'await-load'; readonly until: (value: unknown) => boolean })
  | (Access & { readonly kind: 'await-exchange'; readonly until: (value: unknown) => boolean; readonly value: unknown })
  | (Access & { readonly kind: 'await-compare-exchange'; readonly expected: unknown; readonly desired: unknown })
  | (Base & { readonly kind: 'fence'; readonly order: MemoryOrder })
  | (Base & { readonly kind: 'mutex-init'; readonly location: Location })
  | (Base & { readonly kind: 'lock'; readonly location: Location })
  | (Base & { readonly kind: 'trylock'; readonly location: Location })
  | (Base & { readonly kind: 'unlock'; readonly location: Location })
  | (Base & { readonly kind: 'mutex-destroy'; readonly location: Location })
  | (Base & { readonly kind: 'spawn'; readonly name: string; readonly start: () => Thread })
  | (Base & { readonly kind: 'join'; readonly thread: number })
  /** An assume that failed: the thread goes no further, and that is no error. */
  | (Base & { readonly kind: 'block' })
  | (Base & { readonly kind: 'yield' })
  | (Base & { readonly kind: 'choose'; readonly count: number })
  | (Base & { readonly kind: 'allocate'; readonly locations: readonly Location[] })
  | (Base & { readonly kind: 'free'; readonly locations: readonly Location[] })
  /** The last operation of a thread: it ended with `value`, or it failed. */
  | (Base & { readonly kind: 'end'; readonly value: unknown })
  | (Base & { readonly kind: 'fail'; readonly failure: Failure });

export type OperationKind = Operation['kind'];

/** One run of one thread. */
export interface Thread {
  /** Goes on to the next operation, given the result of the one before (at first: undefined). */
  resume(answer: unknown): Operation;
}

export interface Program {
  readonly name: string;
  /** A new run of the main thread. */
  start(): Thread;
}

/** The values of a mutex: 0 free, 1 held. */
export const MUTEX_FREE = 0;
export const MUTEX_HELD = 1;
