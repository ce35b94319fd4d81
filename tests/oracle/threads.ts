/**
 * What a single thread of a program does, given what it reads. Whoever runs threads together (as interleavings, or as execution
 * graphs) decides that.
 *
 * A step is one operation of one thread, together with the local computation after it, up to the next operation. Ifs,
 * asserts, assumes that hold and returns are local. An assume that does not hold is a step, `block`, after which its
 * thread never moves again.
 */
import {
  applied,
  holds,
  loadPart,
  nameOfUpdate,
  partOf,
  putPart,
  type Statement,
  takePart,
  UNUSED,
  type UpdateOrder,
  type Value,
} from './language.ts';
import type { Outcome } from './observed.ts';

export interface ThreadState {
  readonly path: string;
  /** What is left to do. While the thread is running, the first statement is its next step. */
  readonly todo: readonly Statement[];
  readonly registers: readonly number[];
  /** The PATH of the thread in each handle slot. */
  readonly handles: readonly string[];
  readonly held: readonly string[];
  readonly stepsTaken: number;
  readonly spawned: number;
  readonly status: 'running' | 'ended' | 'failed' | 'stopped' | 'exited';
  readonly result: number;
  /** `kind message`, if it failed. */
  readonly failure: string;
}

/** Something that is still being made, so that nobody else has seen it yet. */
export type Fresh<T> = { -readonly [K in keyof T]: T[K] };

export const FREE = 0;
export const HELD = 1;

export function newThread(path: string, body: readonly Statement[], handles: readonly string[]): ThreadState {
  const thread: Fresh<ThreadState> = {
    path,
    todo: body,
    registers: [],
    handles,
    held: [],
    stepsTaken: 0,
    spawned: 0,
    status: 'running',
    result: 0,
    failure: '',
  };
  runLocalComputation(thread);
  return thread;
}

/** Field by field, which is a good deal faster than a spread. */
function copyOf(thread: ThreadState): Fresh<ThreadState> {
  return {
    path: thread.path,
    todo: thread.todo,
    registers: thread.registers,
    handles: thread.handles,
    held: thread.held,
    stepsTaken: thread.stepsTaken,
    spawned: thread.spawned,
    status: thread.status,
    result: thread.result,
    failure: thread.failure,
  };
}

/** Runs a thread that nobody else has seen yet up to its next step, its end or its failure. */
function runLocalComputation(thread: Fresh<ThreadState>): void {
  for (;;) {
    const statement = thread.todo[0];
    if (statement === undefined) {
      thread.status = 'ended';
      return;
    } else if (statement.kind === 'return') {
      thread.status = 'ended';
      thread.result = registerOf(thread, statement.register);
      return;
    } else if (statement.kind === 'exit') {
      thread.status = 'exited';
      return;
    } else if (statement.kind === 'if') {
      const isEqual = registerOf(thread, statement.register) === statement.equals;
      thread.todo = [...(isEqual ? statement.whenEqual : statement.otherwise), ...thread.todo.slice(1)];
    } else if (statement.kind === 'assert') {
      if (registerOf(thread, statement.register) === statement.not) {
        thread.status = 'failed';
        thread.failure = `assertion assert ${statement.id}`;
        return;
      }
      thread.todo = thread.todo.slice(1);
    } else if (statement.kind === 'assume' && holds(statement.condition, registerOf(thread, statement.register))) {
      thread.todo = thread.todo.slice(1);
    } else if (statement.kind === 'unlock' && !thread.held.includes(statement.mutex)) {
      thread.status = 'failed';
      thread.failure = `lock-misuse unlock ${statement.mutex}`;
      return;
    } else {
      return;
    }
  }
}

function registerOf(thread: ThreadState, register: number): number {
  return thread.registers[register] ?? 0;
}

function evaluate(thread: ThreadState, value: Value): number {
  return (value.register === undefined ? 0 : registerOf(thread, value.register)) + value.constant;
}

/** The step that a running thread takes next. */
export function nextOf(thread: ThreadState): Statement {
  const statement = thread.todo[0];
  if (statement === undefined) throw new Error(`thread ${thread.path} has nothing to do`);
  return statement;
}

/** The location that a step reads. */
export function readBy(statement: Statement): string | undefined {
  switch (statement.kind) {
    case 'load':
    case 'plainLoad':
    case 'exchange':
    case 'fetchAdd':
    case 'compareExchange':
    case 'awaitUntil':
    case 'awaitUpdate':
      return statement.location;
    case 'store':
    case 'plainStore':
      return statement.part === undefined ? undefined : statement.location; // it keeps the rest
    case 'lock':
    case 'tryLock':
      return statement.mutex;
    default:
      return undefined;
  }
}

/** Whether a step waits as long as it would read `value`. */
export function waitsOn(statement: Statement, value: number): boolean {
  if (statement.kind === 'lock') return value !== FREE;
  const isAwait = statement.kind === 'awaitUntil' || statement.kind === 'awaitUpdate';
  return isAwait && !holds(statement.condition, takePart(value, partOf(statement)));
}

/** The location that a thread waits for, if its next step is one that may wait for a value. */
export function awaitedBy(thread: ThreadState): string | undefined {
  const next = thread.status === 'running' ? thread.todo[0] : undefined;
  if (next?.kind === 'lock') return next.mutex;
  return next?.kind === 'awaitUntil' || next?.kind === 'awaitUpdate' ? next.location : undefined;
}

/** Whether a step writes while it waits. */
export function rewrites(statement: Statement | undefined): boolean {
  return statement?.kind === 'awaitUpdate' && statement.rewrites === true;
}

/** Whether a thread that waits for ever would spin. */
function spins(thread: ThreadState): boolean {
  const next = thread.status === 'running' ? thread.todo[0] : undefined;
  return next?.kind === 'awaitUntil' || (next?.kind === 'awaitUpdate' && !next.sleeps);
}

/** Whether a thread that waits for ever counts as one that was stopped by an assume. */
function isAssumed(thread: ThreadState): boolean {
  const next = thread.status === 'running' ? thread.todo[0] : undefined;
  return spins(thread) && next !== undefined && 'assumed' in next && next.assumed === true;
}

export function handleOf(thread: ThreadState, slot: number): string {
  const path = thread.handles[slot];
  if (path === undefined || path === '') throw new Error(`thread ${thread.path} joins the empty slot ${slot}`);
  return path;
}

/** What a step does: to its thread, to memory, and what is recorded of it. */
export interface Effect {
  readonly label: string;
  readonly location?: string;
  readonly reads?: boolean;
  /** The value written to the location. */
  readonly writes?: number;
  /** Of accesses and fences. */
  readonly order?: UpdateOrder | 'plain';
  readonly choice?: number;
  readonly result?: { readonly register: number; readonly value: number };
  readonly acquires?: string;
  readonly releases?: string;
  readonly spawns?: { readonly slot: number; readonly thread: ThreadState };
  readonly joins?: string;
  readonly stops?: boolean;
  /** It is a fetchAdd, or the like, whose result is not used. */
  readonly commutes?: boolean;
  readonly allocates?: string;
  readonly frees?: string;
}

/** What a step is given: the value of the location that it reads, the result of the thread that it joins, or its choice. */
export function effectOf(thread: ThreadState, given: number): Effect {
  const statement = nextOf(thread);
  const part = partOf(statement);
  const effect = effectOfStatement(thread, statement, takePart(given, part));
  if (part === undefined || effect.writes === undefined) return effect;
  const whole = { ...effect, writes: putPart(given, part, effect.writes) };
  if (effect.reads === true) return whole;
  return { ...whole, label: effect.label.replace('store', 'store-part'), reads: true };
}

/** The same for a part of the location, if it is about one. */
function effectOfStatement(thread: ThreadState, statement: Statement, given: number): Effect {
  switch (statement.kind) {
    case 'load':
    case 'plainLoad': {
      const { location, register } = statement;
      const order = statement.kind === 'plainLoad' ? 'plain' : (statement.order ?? 'seq_cst');
      return { label: `load ${location}`, location, order, reads: true, result: { register, value: given } };
    }
    case 'store':
    case 'plainStore': {
      const { location } = statement;
      const order = statement.kind === 'plainStore' ? 'plain' : (statement.order ?? 'seq_cst');
      return { label: `store ${location}`, location, order, writes: evaluate(thread, statement.value) };
    }
    case 'exchange': {
      const { location, register, order = 'seq_cst' } = statement;
      const writes = evaluate(thread, statement.value);
      const label = `exchange ${location}`;
      return { label, location, order, reads: true, writes, result: { register, value: given } };
    }
    case 'fetchAdd': {
      const { location, register, order = 'seq_cst' } = statement;
      const update = { label: `${nameOfUpdate(statement)} ${location}`, location, order, reads: true };
      const writes = applied(statement, given);
      if (register === UNUSED) return { ...update, writes, commutes: true };
      return { ...update, writes, result: { register, value: given } };
    }
    case 'compareExchange': {
      const { location, register, expected, desired, order = 'seq_cst', failureOrder = loadPart(order) } = statement;
      const label = `compare-exchange ${location}`;
      const read = { label, location, reads: true, result: { register, value: given } };
      return given === expected ? { ...read, order, writes: desired } : { ...read, order: failureOrder };
    }
    case 'awaitUntil': {
      const { location, register, order = 'seq_cst' } = statement;
      return { label: `await-load ${location}`, location, order, reads: true, result: { register, value: given } };
    }
    case 'awaitUpdate': {
      const { location, register, keep, add, set = given + add, order = 'seq_cst' } = statement;
      const read = { label: `await-update ${location}`, location, reads: true, result: { register, value: given } };
      const keeps = keep !== undefined && holds(keep, given);
      return keeps ? { ...read, order: loadPart(order) } : { ...read, order, writes: set };
    }
    case 'allocate':
      return { label: `allocate ${statement.object}`, allocates: statement.object };
    case 'free': {
      const { object } = statement;
      return { label: `free ${object}`, location: object, order: 'plain', writes: 1, frees: object };
    }
    case 'lock': {
      const { mutex } = statement;
      return { label: `lock ${mutex}`, location: mutex, order: 'acquire', reads: true, writes: HELD, acquires: mutex };
    }
    case 'unlock': {
      const { mutex } = statement;
      return { label: `unlock ${mutex}`, location: mutex, order: 'release', writes: FREE, releases: mutex };
    }
    case 'tryLock': {
      const { mutex, register } = statement;
      const read = { label: `trylock ${mutex}`, location: mutex, reads: true };
      if (given === HELD) return { ...read, order: 'relaxed', result: { register, value: 0 } };
      return { ...read, order: 'acquire', writes: HELD, acquires: mutex, result: { register, value: 1 } };
    }
    case 'spawn': {
      const path = `${thread.path}.${thread.spawned}`;
      const child = newThread(path, statement.body, thread.handles);
      return { label: `spawn ${path}`, spawns: { slot: statement.slot, thread: child } };
    }
    case 'join': {
      const path = handleOf(thread, statement.slot);
      return { label: `join ${path}`, joins: path, result: { register: statement.register, value: given } };
    }
    case 'choose':
      return { label: 'choose', choice: given, result: { register: statement.register, value: given } };
    case 'fence':
      return { label: 'fence', order: statement.order ?? 'seq_cst' };
    case 'yield':
      return { label: 'yield' };
    case 'assume':
      return { label: 'block', stops: true };
    case 'if':
    case 'assert':
    case 'return':
    case 'exit':
      throw new Error(`${statement.kind} is local, not a step`);
  }
}

/** The thread after its next step. */
export function afterEffect(thread: ThreadState, effect: Effect): ThreadState {
  const moved = copyOf(thread);
  moved.todo = thread.todo.slice(1);
  moved.stepsTaken += 1;
  if (effect.result !== undefined) {
    moved.registers = replaced(thread.registers, effect.result.register, effect.result.value, 0);
  }
  if (effect.acquires !== undefined) moved.held = [...thread.held, effect.acquires];
  if (effect.releases !== undefined) moved.held = thread.held.filter((mutex) => mutex !== effect.releases);
  if (effect.spawns !== undefined) {
    moved.handles = replaced(thread.handles, effect.spawns.slot, effect.spawns.thread.path, '');
    moved.spawned += 1;
  }
  if (effect.stops === true) moved.status = 'stopped';
  else runLocalComputation(moved);
  return moved;
}

/** A copy of `list` with `value` at `index`; places that were beyond its end hold `filler`. */
function replaced<T>(list: readonly T[], index: number, value: T, filler: T): T[] {
  const copy = [...list];
  while (copy.length <= index) copy.push(filler);
  copy[index] = value;
  return copy;
}

/** How an execution ends in which no thread can go on. */
export function outcomeOf(threads: readonly ThreadState[]): Outcome {
  if (threads.some((thread) => thread.status === 'failed')) return 'failed';
  if (threads.some((thread) => thread.status === 'exited')) return 'complete';
  if (threads.every((thread) => thread.status === 'ended')) return 'complete';
  if (threads.some((thread) => thread.status === 'stopped' || isAssumed(thread))) return 'blocked';
  return threads.some(spins) ? 'livelock' : 'deadlock';
}

/** What the threads that ended returned, by PATH. */
export function returnsOf(threads: readonly ThreadState[]): Record<string, number> {
  const returns: Record<string, number> = {};
  for (const thread of threads) if (thread.status === 'ended') returns[thread.path] = thread.result;
  return returns;
}

/** `kind message PATH`, for example `assertion assert 3 0.1` or `lock-misuse unlock m 0`. */
export function failuresOf(threads: readonly ThreadState[]): string[] {
  return threads.filter(({ status }) => status === 'failed').map(({ failure, path }) => `${failure} ${path}`);
}
