/**
 * The TypeScript front end: programs as generator functions.
 *
 *     export default program(function* () {
 *       const x = atomic(0);
 *       const worker = yield* spawn(function* () { yield* x.store(1, 'release'); });
 *       const seen = yield* x.load('acquire');
 *       yield* worker.join();
 *       assert(seen <= 1);
 *     });
 *
 * Values may be any immutable JavaScript values; they are compared by Object.is.
 */
import { showValue } from '../program/describe.ts';
import { isInsideThread, isRecording, type Location, type LocationKind, makeLocation } from '../program/location.ts';
import {
  type MemoryOrder,
  MUTEX_BUSY,
  MUTEX_FREE,
  type Operation,
  type Program,
  type Thread,
} from '../program/operation.ts';
import { Action, type ThreadBody } from './action.ts';
import { withoutChance } from './determinism.ts';
import { immutable } from './immutable.ts';
import { typescriptLanguage } from './language.ts';
import { currentPosition } from './position.ts';
import { refusal } from './refusal.ts';
import { AssertionFailed, GeneratorThread, guarded } from './thread.ts';

export type LoadOrder = 'relaxed' | 'acquire' | 'seq_cst';
export type StoreOrder = 'relaxed' | 'release' | 'seq_cst';
export type UpdateOrder = 'relaxed' | 'acquire' | 'release' | 'acq_rel' | 'seq_cst';

const loadOrders: readonly string[] = ['relaxed', 'acquire', 'seq_cst'];
const storeOrders: readonly string[] = ['relaxed', 'release', 'seq_cst'];
const updateOrders: readonly string[] = ['relaxed', 'acquire', 'release', 'acq_rel', 'seq_cst'];

function checked<O extends MemoryOrder>(order: O, allowed: readonly string[], what: string): O {
  if (allowed.includes(order)) return order;
  throw refusal(`${what} cannot have the memory order ${showValue(order)}; it takes ${allowed.join(', ')}.`);
}

function newLocation(kind: LocationKind, initial: unknown, name: string | undefined): Location {
  return makeLocation(kind, immutable(initial), name, isRecording() ? currentPosition() : undefined);
}

/** Literal types widen, so that atomic(0) is a number and not the number 0. */
export type Widen<T> = T extends number
  ? number
  : T extends string
    ? string
    : T extends boolean
      ? boolean
      : T extends bigint
        ? bigint
        : T;

type Numeric = number | bigint;

/** A shared variable whose every access is atomic. Orders are sequentially consistent unless given. */
export class Atomic<T> {
  /** @internal */
  readonly location: Location;

  /** @internal */
  constructor(initial: T, name: string | undefined) {
    this.location = newLocation('atomic', initial, name);
  }

  load(order: LoadOrder = 'seq_cst'): Action<T> {
    return new Action<T>({ kind: 'load', location: this.location, order: checked(order, loadOrders, 'a load') });
  }

  store(value: T, order: StoreOrder = 'seq_cst'): Action<void> {
    return new Action<void>({
      kind: 'store',
      location: this.location,
      order: checked(order, storeOrders, 'a store'),
      value: immutable(value),
    });
  }

  /** Writes `value`; returns what was there. */
  exchange(value: T, order: UpdateOrder = 'seq_cst'): Action<T> {
    immutable(value);
    return this.#update('exchange', value, () => value, order);
  }

  /** Writes `change(old)` in one step; returns the old value. `change` must be a pure function. */
  update(change: (old: T) => T, order: UpdateOrder = 'seq_cst'): Action<T> {
    checked(order, updateOrders, 'update');
    return new Action<T>({
      kind: 'update',
      name: 'update',
      location: this.location,
      order,
      operand: undefined,
      apply: guarded(change as (old: unknown) => unknown),
      asksThread: true,
      onWritten: immutable,
    });
  }

  /** Writes `desired` if the value is `expected`; returns what was there: it succeeded if that is `expected`. */
  compareExchange(
    expected: T,
    desired: T,
    order: UpdateOrder = 'seq_cst',
    failureOrder: LoadOrder = order === 'acq_rel' ? 'acquire' : order === 'release' ? 'relaxed' : order,
  ): Action<T> {
    checked(order, updateOrders, 'a compare-exchange');
    checked(failureOrder, loadOrders, 'a failed compare-exchange');
    const { location } = this;
    const weak = false;
    immutable(desired);
    return new Action<T>({ kind: 'compare-exchange', location, order, failureOrder, expected, desired, weak });
  }

  fetchAdd(this: Atomic<T & Numeric>, operand: T & Numeric, order: UpdateOrder = 'seq_cst'): Action<T> {
    return numeric(this, 'fetchAdd', operand, order);
  }
  fetchSub(this: Atomic<T & Numeric>, operand: T & Numeric, order: UpdateOrder = 'seq_cst'): Action<T> {
    return numeric(this, 'fetchSub', operand, order);
  }
  fetchAnd(this: Atomic<T & Numeric>, operand: T & Numeric, order: UpdateOrder = 'seq_cst'): Action<T> {
    return numeric(this, 'fetchAnd', operand, order);
  }
  fetchOr(this: Atomic<T & Numeric>, operand: T & Numeric, order: UpdateOrder = 'seq_cst'): Action<T> {
    return numeric(this, 'fetchOr', operand, order);
  }
  fetchXor(this: Atomic<T & Numeric>, operand: T & Numeric, order: UpdateOrder = 'seq_cst'): Action<T> {
    return numeric(this, 'fetchXor', operand, order);
  }

  #update(name: string, operand: unknown, change: (old: T) => T, order: UpdateOrder): Action<T> {
    return updateAction<T>(this.location, name, operand, change as (old: unknown) => unknown, order);
  }
}

function updateAction<T>(
  location: Location,
  name: string,
  operand: unknown,
  apply: (old: unknown) => unknown,
  order: UpdateOrder,
): Action<T> {
  checked(order, updateOrders, name);
  return new Action<T>({ kind: 'update', name, location, order, operand, apply });
}

/** What each fetch-op does with what is there and its operand, for numbers and for bigints. */
const arithmetic = {
  fetchAdd: [(a: number, b: number) => a + b, (a: bigint, b: bigint) => a + b],
  fetchSub: [(a: number, b: number) => a - b, (a: bigint, b: bigint) => a - b],
  fetchAnd: [(a: number, b: number) => a & b, (a: bigint, b: bigint) => a & b],
  fetchOr: [(a: number, b: number) => a | b, (a: bigint, b: bigint) => a | b],
  fetchXor: [(a: number, b: number) => a ^ b, (a: bigint, b: bigint) => a ^ b],
} as const;

function numeric<T>(
  target: Atomic<T & Numeric>,
  name: keyof typeof arithmetic,
  operand: Numeric,
  order: UpdateOrder,
): Action<T> {
  const [onNumbers, onBigints] = arithmetic[name];
  const apply = (old: unknown): unknown => {
    if (typeof old === 'number' && typeof operand === 'number') return onNumbers(old, operand);
    if (typeof old === 'bigint' && typeof operand === 'bigint') return onBigints(old, operand);
    throw refusal(
      `${name}(${showValue(operand)}) on an atomic that holds ${showValue(old)}: both must be numbers, or both bigints.`,
    );
  };
  return updateAction<T>(target.location, name, operand, apply, order);
}

/** A plain shared variable: two accesses that nothing orders, one of them a store, are a data race. */
export class Shared<T> {
  /** @internal */
  readonly location: Location;

  /** @internal */
  constructor(initial: T, name: string | undefined) {
    this.location = newLocation('shared', initial, name);
  }

  load(): Action<T> {
    return new Action<T>({ kind: 'load', location: this.location, order: 'plain' });
  }

  store(value: T): Action<void> {
    return new Action<void>({ kind: 'store', location: this.location, order: 'plain', value: immutable(value) });
  }
}

/** A lock that one thread at a time can hold. It is not recursive. */
export class Mutex {
  /** @internal */
  readonly location: Location;

  /** @internal */
  constructor(name: string | undefined) {
    this.location = newLocation('mutex', MUTEX_FREE, name);
  }

  lock(): Action<void> {
    return new Action<void>({ kind: 'lock', location: this.location }, () => undefined);
  }

  /** Takes the lock if it is free, and says whether it did. */
  tryLock(): Action<boolean> {
    return new Action<boolean>({ kind: 'trylock', location: this.location }, (answer) => answer !== MUTEX_BUSY);
  }

  /** Only the thread that holds the lock may unlock it; anything else is the error `lock-misuse`. */
  unlock(): Action<void> {
    return new Action<void>({ kind: 'unlock', location: this.location });
  }

  /** Runs `section` with the lock held. */
  *withLock<R>(section: () => ThreadBody<R>): ThreadBody<R> {
    yield* this.lock();
    const result = yield* section();
    yield* this.unlock();
    return result;
  }
}

export interface ThreadHandle<R> {
  /** Waits until the thread has ended; gives what its function returned. */
  join(): Action<R>;
}

class SpawnedThread<R> implements ThreadHandle<R> {
  readonly #id: number;
  constructor(id: number) {
    this.#id = id;
  }
  join(): Action<R> {
    return new Action<R>({ kind: 'join', thread: this.#id });
  }
}

/** A variable whose every access is atomic. The name is for reports; without one the variable's own is looked up. */
export function atomic<T>(initial: T, name?: string): Atomic<Widen<T>> {
  return new Atomic<Widen<T>>(initial as Widen<T>, name);
}

/** A plain shared variable, for data that the program's own synchronisation must protect. */
export function shared<T>(initial: T, name?: string): Shared<Widen<T>> {
  return new Shared<Widen<T>>(initial as Widen<T>, name);
}

export function mutex(name?: string): Mutex {
  return new Mutex(name);
}

/** Starts a thread that runs `body(...args)`. Its name in reports is that of the function. */
export function spawn<A extends unknown[], R>(
  body: (...args: A) => ThreadBody<R>,
  ...args: A
): Action<ThreadHandle<R>> {
  if (typeof body !== 'function') throw refusal(`spawn needs a generator function, not ${showValue(body)}.`);
  const { name } = body;
  const position = isRecording() ? currentPosition() : undefined;
  const start = (): Thread => new GeneratorThread(name, () => body(...args), position);
  return new Action<ThreadHandle<R>>({ kind: 'spawn', name, start }, (id) => new SpawnedThread<R>(id as number));
}

/** Waits until `holds` is true of the location's value, and gives that value. `holds` must be a pure function. */
export function awaitUntil<T>(
  location: Atomic<T>,
  holds: (value: T) => boolean,
  order: LoadOrder = 'seq_cst',
): Action<T> {
  return new Action<T>({
    kind: 'await-load',
    location: location.location,
    order: checked(order, loadOrders, 'an await'),
    until: guarded(holds as (value: unknown) => boolean),
    asksThread: true,
  });
}

export function fence(order: UpdateOrder = 'seq_cst'): Action<void> {
  return new Action<void>({ kind: 'fence', order: checked(order, updateOrders, 'a fence') });
}

/** Leaves out the executions in which the condition is false: the thread stops there, and that is no error. */
export function assume(condition: boolean): Action<void> {
  const operation: Operation | undefined = condition ? undefined : { kind: 'block' };
  return new Action<void>(operation, () => undefined);
}

const MOST_CHOICES = 10_000;

/** A number from 0 to count - 1: every one of them is explored. */
export function choose(count: number): Action<number> {
  if (!Number.isInteger(count) || count < 1 || count > MOST_CHOICES) {
    throw refusal(
      `choose(${showValue(count)}): the number of choices must be a whole number from 1 to ${MOST_CHOICES}.`,
    );
  }
  return new Action<number>({ kind: 'choose', count });
}

/** Says that this thread waits for others; searches with a fair bound go by it. */
export function yieldNow(): Action<void> {
  return new Action<void>({ kind: 'yield' });
}

export function assert(condition: unknown, message?: string): asserts condition {
  if (!condition) throw new AssertionFailed(message ?? 'assertion failed');
}

const variables = [Atomic, Shared, Mutex];

/** A program to check: `main` is its first thread. */
export class TypeScriptProgram implements Program {
  readonly name: string;
  readonly language = typescriptLanguage;
  readonly #main: () => ThreadBody<unknown>;

  /** @internal */
  constructor(name: string, main: () => ThreadBody<unknown>) {
    this.name = name;
    this.#main = main;
  }

  start(): Thread {
    return new GeneratorThread('main', this.#main);
  }

  inOneGo(body: () => void): void {
    withoutChance(body);
  }

  locationIn(value: object): Location | undefined {
    const prototype: unknown = Object.getPrototypeOf(value);
    const isOne = variables.some((kind) => prototype === kind.prototype);
    return isOne ? (value as Atomic<unknown>).location : undefined;
  }
}

export function program(main: () => ThreadBody<unknown>): TypeScriptProgram;
export function program(name: string, main: () => ThreadBody<unknown>): TypeScriptProgram;
export function program(
  first: string | (() => ThreadBody<unknown>),
  second?: () => ThreadBody<unknown>,
): TypeScriptProgram {
  if (isInsideThread()) throw refusal('program(…) was called inside a thread; define programs at the top of a module.');
  const main = typeof first === 'function' ? first : second;
  if (typeof main !== 'function') {
    throw refusal(`program needs a generator function, not ${showValue(typeof first === 'string' ? second : first)}.`);
  }
  return new TypeScriptProgram(typeof first === 'string' ? first : main.name || 'program', main);
}
