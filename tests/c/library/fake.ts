/**
 * A C thread over a simple memory, to run library functions on: alone, with operations answered one after the other
 * (`World.call`), or several of them under an explorer (`programOf`).
 */

import type { Type } from '../../../src/c/ir/module.ts';
import { findLibraryFunction } from '../../../src/c/library/index.ts';
import { startThread } from '../../../src/c/library/threads/thread.ts';
import {
  type CallSite,
  type CRunOptions,
  type CThread,
  type CValue,
  type Run,
  type Site,
  UNINITIALISED,
} from '../../../src/c/runtime.ts';
import { MAIN } from '../../../src/program/identity.ts';
import { InputError } from '../../../src/program/input-error.ts';
import { Location } from '../../../src/program/location.ts';
import {
  ALIVE,
  type FailureKind,
  type MemoryOrder,
  MUTEX_DESTROYED,
  mutexValue,
  type Operation,
  type Program,
  type Thread,
  ThreadFailure,
} from '../../../src/program/operation.ts';
import { outcomeOf } from '../../../src/program/operation-kinds.ts';

const START = 0x10000;
const FUNCTIONS = 0x4000_0000;

export const site: CallSite = {
  position: undefined,
  functionName: 'test',
  argumentTypes: [],
  returns: { kind: 'int', bits: 32 },
  isResultUsed: true,
};

export type Body = (thread: FakeThread, ...args: CValue[]) => Run<CValue>;

interface FakeObject {
  readonly address: number;
  readonly size: number;
  readonly isHeap: boolean;
  readonly isZeroed: boolean;
  isFree: boolean;
}

export const sizeOf = (type: Type): number =>
  type.kind === 'int' ? Math.max(1, type.bits / 8) : type.kind === 'double' ? 8 : 4;

/** The program exited, or a thread ended: for functions that do not return. */
export class Ended extends Error {
  constructor(
    readonly how: 'exit' | 'thread' | 'block',
    readonly value: CValue,
  ) {
    super(how);
  }
}

/** What threads have in common. */
export class World {
  readonly bytes = new Uint8Array(1 << 17);
  readonly defined = new Uint8Array(1 << 17);
  readonly objects: FakeObject[] = [];
  readonly options: CRunOptions;
  /** What operations of the sequential runs have written. */
  readonly values = new Map<Location, unknown>();
  readonly limits = new Set<string>();
  readonly assumptions = new Set<string>();
  /** What `choose` answers, in order; then 0. */
  choices: number[] = [];
  output = '';
  /** The kinds of the operations so far. */
  performed: string[] = [];
  readonly #locations = new Map<string, Location>();
  readonly #functions: Body[] = [];
  readonly #literals = new Map<string, number>();
  #next = START;

  constructor(options: Partial<CRunOptions> = {}) {
    this.options = { nondet: { least: 0, greatest: 1 }, spuriousWakeups: false, ...options };
  }

  object(size: number, { isHeap = false, isZeroed = false, align = 8 } = {}): number {
    this.#next = Math.ceil(this.#next / align) * align;
    const object = { address: this.#next, size, isHeap, isZeroed, isFree: false };
    this.objects.push(object);
    this.#next += size + 8; // no two objects touch
    if (isZeroed) this.defined.fill(1, object.address - START, object.address - START + size);
    return object.address;
  }

  /** Zeroed, as a global variable is. */
  global(size: number): number {
    return this.object(size, { isZeroed: true });
  }

  string(text: string): number {
    const bytes = new TextEncoder().encode(`${text}\0`);
    const address = this.global(bytes.length);
    this.bytes.set(bytes, address - START);
    return address;
  }

  literal(text: string): number {
    let address = this.#literals.get(text);
    if (address === undefined) {
      address = this.string(text);
      this.#literals.set(text, address);
    }
    return address;
  }

  text(address: number): string {
    const end = this.bytes.indexOf(0, address - START);
    return new TextDecoder().decode(this.bytes.subarray(address - START, end));
  }

  word(address: number): number {
    return new DataView(this.bytes.buffer).getInt32(address - START, true);
  }

  setWord(address: number, value: number): void {
    new DataView(this.bytes.buffer).setInt32(address - START, value, true);
    this.defined.fill(1, address - START, address - START + 4);
  }

  function(body: Body): number {
    return FUNCTIONS + 16 * (this.#functions.push(body) - 1);
  }

  functionAt(pointer: number): Body {
    const body = this.#functions[(pointer - FUNCTIONS) / 16];
    if (body === undefined) throw new Error(`no function at ${pointer}`);
    return body;
  }

  objectAt(pointer: number, size: number): FakeObject {
    const object = this.objects.find((o) => pointer >= o.address && pointer < o.address + Math.max(o.size, 1));
    const fail = (kind: FailureKind): never => {
      throw new ThreadFailure({ kind, message: `access to ${pointer}`, position: undefined });
    };
    if (pointer >= 0 && pointer < START) return fail('null-dereference');
    if (object === undefined || pointer + size > object.address + object.size) return fail('out-of-bounds');
    return object.isFree ? fail('use-after-free') : object;
  }

  location(key: string, make: () => Location): Location {
    let location = this.#locations.get(key);
    if (location === undefined) {
      location = make();
      this.#locations.set(key, location);
    }
    return location;
  }

  /** Runs one library function to its end, as the only thread. */
  call(name: string, ...args: CValue[]): CValue {
    return this.callOn(new FakeThread(this, MAIN), name, ...args);
  }

  callOn(thread: FakeThread, name: string, ...args: CValue[]): CValue {
    return this.perform(thread.library(name, ...args));
  }

  /** Answers operations as memory would. */
  perform<T>(run: Run<T>): T {
    for (let answer: unknown; ; ) {
      const { done, value } = run.next(answer);
      if (done === true) return value;
      answer = this.#answer(value);
    }
  }

  #answer(operation: Operation): unknown {
    this.performed.push(operation.kind);
    if (operation.kind === 'choose') return this.choices.shift() ?? 0;
    if (operation.kind === 'print') {
      this.output += operation.text;
      return undefined;
    }
    if (!('location' in operation)) return undefined;
    const { location } = operation;
    if (operation.kind === 'store') this.values.set(location, operation.value);
    else if (operation.kind === 'unlock' || operation.kind === 'mutex-init') {
      this.values.set(location, mutexValue(operation.type ?? 0, false));
    } else if (operation.kind === 'mutex-destroy') this.values.set(location, MUTEX_DESTROYED);
    else {
      const outcome = outcomeOf(operation, this.values.has(location) ? this.values.get(location) : location.initial);
      if (outcome.stuck) throw new Error(`stuck in ${operation.kind}`);
      if (outcome.writes) this.values.set(location, outcome.value);
      return outcome.result;
    }
    return undefined;
  }
}

export class FakeThread implements CThread {
  readonly notes = new Map<string, unknown>();
  readonly options: CRunOptions;
  readonly atEnd: (() => Run<void>)[] = [];

  constructor(
    readonly world: World,
    readonly self: number,
  ) {
    this.options = world.options;
  }

  *library(name: string, ...args: CValue[]): Run<CValue> {
    const f = findLibraryFunction(name);
    if (f === undefined) throw new Error(`${name} is not modelled`);
    return f.kind === 'plain' ? f.run(this, site, ...args) : yield* f.run(this, site, ...args);
  }

  #at(pointer: number, size: number): number {
    this.world.objectAt(pointer, size);
    return pointer - START;
  }

  *load(pointer: number, type: Type, _site: Site, _order?: MemoryOrder): Run<CValue> {
    const bytes = yield* this.readBytes(pointer, sizeOf(type));
    const view = new DataView(bytes.buffer);
    if (type.kind === 'double') return view.getFloat64(0, true);
    if (type.kind === 'float') return view.getFloat32(0, true);
    const reads = { 1: 'getInt8', 2: 'getInt16', 4: 'getInt32', 8: 'getBigInt64' } as const;
    return view[reads[bytes.length as 1 | 2 | 4 | 8]](0, true);
  }

  *store(pointer: number, type: Type, value: CValue, _site: Site, _order?: MemoryOrder): Run<void> {
    const bytes = new Uint8Array(sizeOf(type));
    const view = new DataView(bytes.buffer);
    if (type.kind === 'double') view.setFloat64(0, value as number, true);
    else if (type.kind === 'float') view.setFloat32(0, value as number, true);
    else if (bytes.length === 8) view.setBigInt64(0, value as bigint, true);
    else if (bytes.length === 4) view.setInt32(0, value as number, true);
    else if (bytes.length === 2) view.setInt16(0, value as number, true);
    else view.setInt8(0, value as number);
    yield* this.writeBytes(pointer, bytes);
  }

  *update(
    pointer: number,
    type: Type,
    _name: string,
    operand: CValue,
    apply: (old: CValue, operand: CValue) => CValue,
    _order: MemoryOrder,
    where: Site,
  ): Run<CValue> {
    const old = yield* this.load(pointer, type, where);
    yield* this.store(pointer, type, apply(old, operand), where);
    return old;
  }

  *compareExchange(
    pointer: number,
    type: Type,
    expected: CValue,
    desired: CValue,
    _order: MemoryOrder,
    _failureOrder: MemoryOrder,
    _weak: boolean,
    where: Site,
  ): Run<{ readonly old: CValue; readonly exchanged: boolean }> {
    const old = yield* this.load(pointer, type, where);
    if (old === expected) yield* this.store(pointer, type, desired, where);
    return { old, exchanged: old === expected };
  }

  *readBytes(pointer: number, count: number): Run<Uint8Array> {
    if (count === 0) return new Uint8Array(0);
    const at = this.#at(pointer, count);
    if (this.world.defined.subarray(at, at + count).includes(0)) this.fail('uninitialised-read', 'never written', site);
    return this.world.bytes.slice(at, at + count);
  }

  *writeBytes(pointer: number, bytes: Uint8Array): Run<void> {
    if (bytes.length === 0) return;
    const at = this.#at(pointer, bytes.length);
    this.world.bytes.set(bytes, at);
    this.world.defined.fill(1, at, at + bytes.length);
  }

  *copy(target: number, source: number, count: number): Run<void> {
    if (count === 0) return;
    const from = this.#at(source, count);
    const to = this.#at(target, count);
    this.world.bytes.copyWithin(to, from, from + count);
    this.world.defined.copyWithin(to, from, from + count);
  }

  *fill(target: number, byte: number, count: number): Run<void> {
    yield* this.writeBytes(target, new Uint8Array(count).fill(byte));
  }

  *readString(pointer: number, _site: Site, most = Number.POSITIVE_INFINITY): Run<Uint8Array> {
    const bytes: number[] = [];
    while (bytes.length < most) {
      const [byte] = yield* this.readBytes(pointer + bytes.length, 1);
      if (byte === 0) break;
      bytes.push(byte as number);
    }
    return Uint8Array.from(bytes);
  }

  *allocate(size: number, isZeroed: boolean, _site: Site, align?: number): Run<number> {
    return this.world.object(size, { isHeap: true, isZeroed, align: align ?? 16 });
  }

  *free(pointer: number): Run<void> {
    if (pointer !== 0) this.#heapObject(pointer).isFree = true;
  }

  sizeOfAllocation(pointer: number): number {
    return this.#heapObject(pointer).size;
  }

  #heapObject(pointer: number): FakeObject {
    const object = this.world.objects.find((o) => o.address === pointer && o.isHeap);
    if (object === undefined) return this.fail('invalid-free', `${pointer}`, site);
    return object.isFree ? this.fail('double-free', `${pointer}`, site) : object;
  }

  syncLocation(pointer: number, kind: 'mutex' | 'atomic', role: string): Location {
    const { isZeroed } = this.world.objectAt(pointer, 1);
    const lifetime = new Location('lifetime', ALIVE, undefined, undefined);
    const make = (): Location => new Location(kind, 0, undefined, undefined, isZeroed ? undefined : lifetime);
    return this.world.location(`${pointer} ${role}`, make);
  }

  globalLocation(name: string, initial: unknown = 0): Location {
    return this.world.location(name, () => new Location('atomic', initial, name, undefined));
  }

  call(pointer: number, args: readonly CValue[], _site: Site): Run<CValue> {
    return this.world.functionAt(pointer)(this, ...args);
  }

  *spawn(_pointer: number, _args: readonly CValue[], _site: Site): Run<number> {
    throw new Error('alone, a thread starts no other');
  }

  *endThread(value: CValue, _site: Site): Run<never> {
    throw new Ended('thread', value);
  }

  *exitProgram(status: number, _site: Site): Run<never> {
    throw new Ended('exit', status);
  }

  *block(_site: Site): Run<never> {
    throw new Ended('block', undefined);
  }

  *print(text: string, _site: Site): Run<void> {
    yield { kind: 'print', text };
  }

  *choose(count: number, _site: Site): Run<number> {
    return (yield { kind: 'choose', count }) as number;
  }

  fail(kind: FailureKind, message: string, _site: Site): never {
    throw new ThreadFailure({ kind, message, position: undefined });
  }

  refuse(message: string, _site: Site): never {
    throw new InputError(message);
  }

  atThreadEnd(run: () => Run<void>): void {
    this.atEnd.push(run);
  }

  *runAtEnd(): Run<void> {
    for (let run = this.atEnd.pop(); run !== undefined; run = this.atEnd.pop()) yield* run();
  }

  noteLimit(sentence: string): void {
    this.world.limits.add(sentence);
  }

  noteAssumption(sentence: string): void {
    this.world.assumptions.add(sentence);
  }

  addressOf(name: string): number | undefined {
    return name === 'errno' ? this.world.literal('errno: ') : undefined;
  }

  literal(text: string): number {
    return this.world.literal(text);
  }
}

/** Under an explorer: words of memory are locations. */
export class ExploredThread extends FakeThread implements Thread {
  readonly #run: Run<CValue>;

  constructor(world: World, self: number, body: Body, args: readonly CValue[]) {
    super(world, self);
    this.#run = this.#all(body, args);
  }

  *#all(body: Body, args: readonly CValue[]): Run<CValue> {
    let value: CValue;
    try {
      value = yield* body(this, ...args);
    } catch (error) {
      if (!(error instanceof Ended) || error.how !== 'thread') throw error;
      value = error.value;
    }
    yield* this.runAtEnd();
    return value;
  }

  resume(answer: unknown): Operation {
    try {
      const { done, value } = this.#run.next(answer);
      return done === true ? { kind: 'end', value } : value;
    } catch (error) {
      if (error instanceof ThreadFailure) return { kind: 'fail', failure: error.failure };
      if (!(error instanceof Ended)) throw error;
      return error.how === 'block' ? { kind: 'block' } : { kind: 'exit', status: error.value as number };
    }
  }

  #cell(pointer: number): Location {
    this.world.objectAt(pointer, 4);
    const initial = this.world.objectAt(pointer, 4).isZeroed ? 0 : UNINITIALISED;
    return this.world.location(`cell ${pointer}`, () => new Location('shared', initial, undefined, undefined));
  }

  override *load(pointer: number, _type: Type, where: Site, order: MemoryOrder = 'plain'): Run<CValue> {
    const value = yield { kind: 'load', location: this.#cell(pointer), order };
    return value === UNINITIALISED ? this.fail('uninitialised-read', 'never written', where) : (value as CValue);
  }

  override *store(pointer: number, _type: Type, value: CValue, _site: Site, order: MemoryOrder = 'plain'): Run<void> {
    yield { kind: 'store', location: this.#cell(pointer), value, order };
  }

  override *spawn(pointer: number, args: readonly CValue[], _site: Site): Run<number> {
    const body = this.world.functionAt(pointer);
    const start = (self: number): Thread => new ExploredThread(this.world, self, body, args);
    return (yield { kind: 'spawn', name: 'thread', start }) as number;
  }
}

export function programOf(world: World, main: Body): Program {
  return { name: 'test', start: () => new ExploredThread(world, MAIN, main, []) };
}

/** Starts the bodies as pthread_create does and joins them all. */
export function* inParallel(thread: FakeThread, ...bodies: number[]): Run<void> {
  const identities: number[] = [];
  for (const body of bodies) identities.push(yield* startThread(thread, body, 0, site));
  for (const identity of identities) yield* thread.library('pthread_join', identity, 0);
}
