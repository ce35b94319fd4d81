/**
 * What a running C thread offers to compiled code and to the library model. Both are generators of operations: they
 * `yield` an operation to perform it and are resumed with its answer. Whatever only concerns the thread itself they do
 * without an operation.
 */

import type { Location } from '../program/location.ts';
import type { Commuting, FailureKind, MemoryOrder, Operation, SourcePosition } from '../program/operation.ts';
import type { Type } from './ir/module.ts';

/**
 * A value of a C program at run time. i1: 0 or 1. i2 to i32: a number, sign-extended. Pointers: a number, as i32. i33 and
 * wider: a bigint, signed two's complement. float and double: a number. Aggregates: arrays. undefined: never set; a string:
 * in part, which only goes from a load that copies parts to the store that it is for.
 */
export type CValue = number | bigint | readonly CValue[] | PartlySet | undefined;

/** A part of a thread's run: yields operations, is resumed with their answers. */
export type Run<T> = Generator<Operation, T, unknown>;

/** Where a call or access stands in the source; one object per instruction. */
export interface Site {
  readonly position: SourcePosition | undefined;
  /** The C function that it stands in. */
  readonly functionName: string;
}

/** A call of a library function. */
export interface CallSite extends Site {
  /** The type of each argument: variadic functions need them. */
  readonly argumentTypes: readonly Type[];
  readonly returns: Type;
  readonly isResultUsed: boolean;
}

/** A note about what need not be looked at again: it decides nothing. */
export const LOOKED_AT = 'initialised';

export interface CThread {
  /** Its identity (src/program/identity.ts), which `pthread_self()` gives. */
  readonly self: number;
  /** The options that the user gave: see `CRunOptions`. */
  readonly options: CRunOptions;
  /** What library functions keep for this thread (held mutexes, thread-specific data), by a name of their own. */
  readonly notes: Map<string, unknown>;

  // Memory. Addresses are i32 numbers. Each access checks its object: a bad one fails the thread.
  load(pointer: number, type: Type, site: Site, order?: MemoryOrder): Run<CValue>;
  store(pointer: number, type: Type, value: CValue, site: Site, order?: MemoryOrder): Run<void>;
  /** Exchange and fetch-op: `apply` on the value as `type`, and the operand; the old value. */
  update(
    pointer: number,
    type: Type,
    name: string,
    operand: CValue,
    apply: (old: CValue, operand: CValue) => CValue,
    order: MemoryOrder,
    site: Site,
    commutes?: Commuting,
  ): Run<CValue>;
  /** The old value, and whether it was exchanged. */
  compareExchange(
    pointer: number,
    type: Type,
    expected: CValue,
    desired: CValue,
    order: MemoryOrder,
    failureOrder: MemoryOrder,
    weak: boolean,
    site: Site,
  ): Run<{ readonly old: CValue; readonly exchanged: boolean }>;
  /** n bytes; uninitialised ones fail the thread. */
  readBytes(pointer: number, count: number, site: Site): Run<Uint8Array>;
  writeBytes(pointer: number, bytes: Uint8Array, site: Site): Run<void>;
  /** As memmove; uninitialised bytes stay so. */
  copy(target: number, source: number, count: number, site: Site): Run<void>;
  /** As memset. */
  fill(target: number, byte: number, count: number, site: Site): Run<void>;
  /** The bytes before the terminating 0; at most `most` are read. */
  readString(pointer: number, site: Site, most?: number): Run<Uint8Array>;
  /** The address of a new heap object. */
  allocate(size: number, isZeroed: boolean, site: Site, align?: number): Run<number>;
  /** As free(): NULL is fine, anything else that is not a live heap object fails. */
  free(pointer: number, site: Site): Run<void>;
  /** How large the heap object at `pointer` is; fails the thread if it is not the start of one. */
  sizeOfAllocation(pointer: number, site: Site): number;

  /**
   * What stands for the synchronisation object (mutex, condition, barrier, …) at an address, beside its bytes. Its initial
   * value is 0: a static initialiser is no operation. `role` tells apart several for one address.
   */
  syncLocation(pointer: number, kind: 'mutex' | 'atomic', role: string, site: Site): Location;
  /** One that the library keeps for the whole program, with the initial value 0 (or given). */
  globalLocation(key: string, initial?: unknown, name?: () => string): Location;

  /** Calls the C function that `pointer` points to. */
  call(pointer: number, args: readonly CValue[], site: Site): Run<CValue>;
  /** A new thread that runs the C function at `pointer`; its number. */
  spawn(pointer: number, args: readonly CValue[], site: Site): Run<number>;
  /** Ends this thread (pthread_exit): stack objects die, `notes` destructors are the caller's business. */
  endThread(value: CValue, site: Site): Run<never>;
  /** The program ends here (exit): nobody goes on. */
  exitProgram(status: number, site: Site): Run<never>;
  /** The thread goes no further, and that is no error (a failed assume). */
  block(site: Site): Run<never>;
  /** Shows text in the trace and in the program's output. */
  print(text: string, site: Site): Run<void>;
  /** One of `count` options. */
  choose(count: number, site: Site): Run<number>;
  /** The thread fails: throws. */
  fail(kind: FailureKind, message: string, site: Site): never;
  /** The program cannot be checked because of what stands here: throws an InputError with the position. */
  refuse(message: string, site: Site): never;
  /** Functions to run when this thread's function returns or it calls endThread (destructors of thread-specific data). */
  atThreadEnd(run: () => Run<void>): void;
  /** A sentence about what the library left out though nobody asked for it ("rand() gave 0..1 only"). */
  noteLimit(sentence: string): void;
  /** A sentence about what the library takes for granted ("condition variables wake only if they are signalled"). */
  noteAssumption(sentence: string): void;
  /** Where a global variable of that name lies, if thread-local this thread's own; undefined if the program has none. */
  addressOf(name: string): number | undefined;
  /** The address of a constant string, always the same for the same text. */
  literal(text: string): number;
}

export interface CRunOptions {
  /** The values of rand() and __VERIFIER_nondet_int() and the like: least and greatest. */
  readonly nondet: { readonly least: number; readonly greatest: number };
  /** What standard input has, a character for each byte; undefined: a program that reads is refused. */
  readonly input?: string | undefined;
  /** Condition variables may wake without a signal. */
  readonly spuriousWakeups: boolean;
}

/**
 * What a load gives of memory that was never set: an error; 0, if it only keeps the bits that a bit-field leaves; nothing, if
 * it only copies; or the bytes that were set, if it goes from there to memory as it is.
 */
export type IfUnset = 'fails' | 'zero' | 'stays' | 'parts';

/** The role of the queue of threads that belongs to a futex. */
export const FUTEX = 'futex';

/** The value of memory that was never written. */
export const UNINITIALISED = 'uninitialised';
/** The value of memory that something was copied to that was never set. */
export const UNSET_COPY = 'uninitialised copy';
/** The value of memory of which only some bytes were set: these in hexadecimal, the first one first, `??` for the others. */
export type PartlySet = `partly set ${string}`;

export function isPartlySet(held: unknown): held is PartlySet {
  return typeof held === 'string' && held.startsWith('partly set ');
}

/** Whether memory holds no value of C. */
export function isUnset(held: unknown): held is string {
  return typeof held === 'string';
}
