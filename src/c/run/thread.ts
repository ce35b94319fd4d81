/**
 * A running C thread: compiled code and library functions work on it (`CThread`), an explorer runs it (`Thread`). All that it
 * knows of other threads it was told in answers to its operations, so that it can be run again.
 */
import { MAIN } from '../../program/identity.ts';
import { InputError } from '../../program/input-error.ts';
import { isRecording, type Location } from '../../program/location.ts';
import {
  type Commuting,
  type FailureKind,
  KEEP,
  type MemoryOrder,
  type Operation,
  type Slice,
  type SourcePosition,
  type SpinLoop,
  type Thread,
  ThreadFailure,
} from '../../program/operation.ts';
import { alignOf } from '../ir/layout.ts';
import type { FunctionType, Type } from '../ir/module.ts';
import {
  type CRunOptions,
  type CThread,
  type CValue,
  type IfUnset,
  isPartlySet,
  isUnset,
  type Run,
  type Site,
  UNINITIALISED,
} from '../runtime.ts';
import { FUNCTION_STEP, NULL_END, STACK } from './addresses.ts';
import { Aggregate } from './aggregate.ts';
import type { CellOfObject } from './cells.ts';
import { type Bits, bitsOf, cellValue, decode, encode, spread, storeSize } from './encoding.ts';
import type { Image } from './image.ts';
import type { FrameObjects, MemoryObject, Origin } from './objects.ts';
import type { COpenLoops } from './open-loops.ts';
import { LARGEST_CELL } from './parts.ts';
import { type Fault, PrivateFault, PrivateMemory, variadicLayout } from './private-memory.ts';
import { Rounds, Stay } from './rounds.ts';

/** A call takes as many bytes of the stack as this at least: where to return to, and where the caller's variables are. */
const LEAST_OF_CALL = 16;
const MOST_CALLS = STACK / LEAST_OF_CALL;

const tooDeepForUs =
  'calls of C functions are nested deeper than the stack of this process allows, which is a limit of Heddle. ' +
  'The command line has more of it; as a library, start Node with --stack-size=60000 and, in the shell, ulimit -s unlimited.';

const noRoom =
  'the local variables of a thread, those of calls that have returned among them if their address was given away, take more room ' +
  'than there is, which is a limit of Heddle.';

/** The largest access that can be atomic, and the largest alignment that it needs, in bytes. */
const MOST_ATOMIC = 16;
const WORD = 4;

/** No lock, semaphore or other such object is smaller. */
const SYNC_BYTES = 4;

/** A function that compiled code can call through a pointer. */
export interface Callable {
  readonly name: string;
  readonly run: (thread: CThreadRun, ...args: unknown[]) => Run<CValue>;
  readonly parameters: readonly Type[];
  readonly returns: Type;
  readonly variadic: boolean;
}

/** A call that has stack objects which others may know. */
export interface Frame {
  /** As soon as there are any. */
  objects: FrameObjects | undefined;
  readonly functionName: string;
}

/** What an access is to: a cell, or a part of one. */
interface Target {
  readonly location: Location;
  readonly slice: Slice | undefined;
}

/** What an access waits for. */
export interface Wait {
  readonly until: (value: CValue) => boolean;
  /** If it waits instead of going round in a loop: see `SpinLoop`. If not, the program assumes what it waits for. */
  readonly loop?: { readonly position: SourcePosition | undefined; readonly since: (value: CValue) => number };
}

/** `decoded`: the value of C that a value in memory is. */
function kindOf({ loop }: Wait, decoded: (held: unknown) => CValue): { assumed: true } | { loop: SpinLoop } {
  if (loop === undefined) return { assumed: true };
  return { loop: { position: loop.position, since: (held) => loop.since(decoded(held)) } };
}

/** A run that may yield the runs that it waits for: see `CThreadRun.#goOn`. */
type Body = Generator<Operation | Run<CValue>, CValue, unknown>;

/** Ends a thread from within (pthread_exit). */
class ThreadEnd {
  constructor(readonly value: CValue) {}
}

/** Ends a thread's run with one last operation: exit, a failed assume, a loop bound. */
class LastOperation {
  constructor(readonly operation: Operation) {}
}

export class CThreadRun implements Thread, CThread {
  readonly self: number;
  readonly options: CRunOptions;
  readonly notes = new Map<string, unknown>();
  readonly memory: PrivateMemory;
  readonly openLoops: COpenLoops;
  readonly #image: Image;
  /** The calls that have not returned, those of C functions each for itself: the last one runs. */
  readonly #running: Body[];
  readonly #frames: Frame[] = [];
  readonly #threadLocals = new Map<string, MemoryObject>();
  readonly #atEnd: (() => Run<void>)[] = [];
  /** Objects made so far: they are told apart by it. */
  #made = 0;
  #calls = 0;
  /** If there are loops in which it may come back to where it was. */
  readonly #rounds: Rounds | undefined;
  /** The operation that it asked for last. */
  #asked: Operation | undefined;
  /** How many operations it has performed. */
  performed = -1;
  /** Whether the process ends with it. */
  #endsProgram = false;
  /** The operation to repeat for ever after the last one. */
  #last: Operation | undefined;
  /** During a replay: the results of the operations that were performed before, of which the next is at `#at`. */
  #results: readonly unknown[] = [];
  #at = 0;
  /** Whether its first call is of a function that was compiled, and of nothing that would go on around that. */
  readonly #isCompiled: boolean;
  /** How many of them are left: meanwhile, an operation that the thread is about to ask for has the next one for its result (`take`). */
  left = 0;

  constructor(image: Image, self: number, callable: Callable, args: readonly CValue[]) {
    this.#image = image;
    this.self = self;
    this.options = image.options;
    this.openLoops = image.openLoops;
    this.memory = new PrivateMemory(image.constants, image.privateStart);
    this.#running = [this.#body(callable, args)];
    this.#isCompiled = image.compiled.has(callable.run);
    this.#rounds = image.hasRounds ? new Rounds(this, image.reliance) : undefined;
  }

  /** How many objects it has made. */
  get made(): number {
    return this.#made;
  }

  // ------------------------------------------------------------------------------------------------------ the run

  resume(answer: unknown): Operation {
    if (this.#last !== undefined) return this.#last;
    this.performed++;
    const rounds = this.#rounds;
    if (rounds === undefined) return this.#next(answer);
    const loop = this.#asked === undefined ? undefined : rounds.performed(this.#asked, answer);
    const operation = loop === undefined ? this.#next(answer) : this.#lastOf(spinning(loop));
    rounds.asks(operation);
    this.#asked = operation;
    return operation;
  }

  /**
   * See `Thread`. Whatever the code between two operations does, it does; operations that nobody will see are not made where that is
   * worth it. Rounds look at every operation, so that a thread that has some is resumed step by step.
   */
  replay(results: readonly unknown[], from: number, to: number): Operation {
    if (this.#rounds !== undefined) {
      for (let i = from; i < to - 1; i++) this.resume(results[i]);
      return this.resume(results[to - 1]);
    }
    this.#results = results;
    this.#at = from + 1;
    this.left = to - this.#at;
    try {
      const operation = this.resume(results[from]);
      if (this.left > 0) throw new Error('run again with the same answers, a thread of C has ended too early');
      return operation;
    } finally {
      this.left = 0;
    }
  }

  /** During a replay: the result of the operation that the thread is about to perform. */
  take(): unknown {
    this.left--;
    this.performed++;
    return this.#results[this.#at++];
  }

  #next(answer: unknown): Operation {
    try {
      return this.#goOn((running) => running.next(answer));
    } catch (error) {
      return error instanceof ThreadEnd ? this.#unwind(error) : this.#lastOf(error);
    }
  }

  /** Only the body of the thread itself goes on after its end. */
  #unwind(end: ThreadEnd): Operation {
    this.#running.length = 1;
    try {
      return this.#goOn((running) => running.throw(end));
    } catch (error) {
      return this.#lastOf(error);
    }
  }

  /**
   * Up to the next operation that has no result yet. All operations of a thread pass here, but those that a replay has seen to before
   * they were made. A C function that calls another yields its run instead of delegating to it (`yield*`): what delegates is
   * resumed level by level, so that an operation would cost more the deeper the calls, and the depth would be limited.
   */
  #goOn(resume: (run: Body) => IteratorResult<Operation | Run<CValue>, CValue>): Operation {
    const running = this.#running;
    let result = resume(running.at(-1) as Body);
    for (;;) {
      const { done, value } = result;
      if (done === true) {
        running.pop();
        const caller = running.at(-1);
        if (caller === undefined) return { kind: 'end', value, ...(this.#endsProgram ? { endsProgram: true } : {}) };
        result = caller.next(value);
      } else if (isRun(value)) {
        running.push(value);
        result = value.next();
      } else if (this.left > 0) {
        result = (running.at(-1) as Body).next(this.take());
      } else {
        return value;
      }
    }
  }

  #lastOf(error: unknown): Operation {
    if (error instanceof LastOperation) this.#last = error.operation;
    else if (error instanceof ThreadFailure) this.#last = failed(error);
    else if (error instanceof RangeError && /call stack/.test(error.message)) throw new InputError(tooDeepForUs);
    else throw error;
    return this.#last;
  }

  *#body(callable: Callable, args: readonly CValue[]): Body {
    let value: CValue;
    try {
      value = (yield callable.run(this, ...args)) as CValue;
      this.#endsProgram = this.self === MAIN; // a return from main is an exit
    } catch (error) {
      if (!(error instanceof ThreadEnd)) throw error;
      value = error.value;
    }
    const site: Site = { position: undefined, functionName: callable.name };
    yield* this.#runAtEnd();
    if (this.self === MAIN) return value; // the process ends
    for (const object of this.#threadLocals.values()) yield* this.#endLifetime(object.lifetime, site, callable.name);
    return value;
  }

  *#runAtEnd(): Run<void> {
    for (let run = this.#atEnd.pop(); run !== undefined; run = this.#atEnd.pop()) yield* run();
  }

  atThreadEnd(run: () => Run<void>): void {
    this.#atEnd.push(run);
  }

  *endThread(value: CValue, site: Site): Run<never> {
    for (let frame = this.#frames.pop(); frame !== undefined; frame = this.#frames.pop()) {
      yield* this.#endLifetime(frame.objects?.lifetime, site, frame.functionName);
    }
    throw new ThreadEnd(value);
  }

  exitProgram(status: number, site: Site): Run<never> {
    throw new LastOperation({ kind: 'exit', status, position: site.position });
  }

  block(site: Site): Run<never> {
    throw new LastOperation({ kind: 'block', reason: 'assume', position: site.position });
  }

  /** The loop at `site` goes round again, and has changed nothing since the thread had performed `since` operations. */
  spin(since: number, site: Site): never {
    throw spinning({ position: site.position, since: () => since });
  }

  /** At the header of the loop at `site`, where the phis have these values. */
  visit(stay: Stay | undefined, site: Site, ...values: CValue[]): Stay {
    const here = stay ?? new Stay(site.position);
    const loop = (this.#rounds as Rounds).visit(here, values);
    if (loop !== undefined) throw spinning(loop);
    return here;
  }

  /** The loop at `site` was entered too often. */
  bound(site: Site): never {
    this.openLoops.note(site);
    throw new LastOperation({ kind: 'block', reason: 'bound', position: site.position });
  }

  /** The loop at `site`, which is not known to end, has gone round so often. */
  boundAfter(rounds: number, site: Site): void {
    if (!this.openLoops.goesOn(rounds, site)) this.bound(site);
  }

  noteLimit(sentence: string): void {
    this.#image.limits.add(sentence);
  }

  noteAssumption(sentence: string): void {
    this.#image.assumptions.add(sentence);
  }

  addressOf(name: string): number | undefined {
    return this.#image.isSharedThreadLocal(name) ? this.threadLocal(name) : this.#image.addressOf(name);
  }

  literal(text: string): number {
    return this.#image.literal(text);
  }

  fail(kind: FailureKind, message: string, site: Site): never {
    throw new ThreadFailure({ kind, message, position: site.position });
  }

  refuse(message: string, site: Site): never {
    throw new InputError(message, site.position);
  }

  // ------------------------------------------------------------------------------------------ calls and the stack

  enter(site: Site): void {
    if (++this.#calls > MOST_CALLS) throw overflow(site);
  }

  leave(): void {
    this.#calls--;
  }

  /** A stack object of this thread alone. */
  privateObject(size: number, align: number, site: Site): number {
    try {
      return this.memory.push(size, align);
    } catch (error) {
      throw this.#faulted(error, 'write', size, site);
    }
  }

  newFrame(functionName: string): Frame {
    const frame: Frame = { objects: undefined, functionName };
    this.#frames.push(frame);
    return frame;
  }

  /** A stack object that others may get to know. */
  stackObject(frame: Frame, origin: Origin, size: number, align: number, site: Site): number {
    const { objects } = this.#image;
    frame.objects ??= objects.newFrame(this.self, this.#made, frame.functionName);
    const object = objects.make(this.self, this.#made++, origin, size, align, undefined, frame.objects);
    if (object !== undefined) return object.address;
    if (size > STACK) throw overflow(site);
    return this.refuse(noRoom, site);
  }

  *endFrame(frame: Frame, site: Site): Run<void> {
    this.#frames.pop();
    yield* this.#endLifetime(frame.objects?.lifetime, site, frame.functionName);
  }

  *#endLifetime(location: Location | undefined, site: Site, ends?: string): Run<void> {
    if (location === undefined) return;
    yield { kind: 'free', location, position: site.position, ...(ends === undefined ? {} : { ends }) };
  }

  /** The address of this thread's own copy of a thread-local variable that others may get to know. */
  threadLocal(name: string): number {
    const known = this.#threadLocals.get(name);
    if (known !== undefined) return known.address;
    const object = this.#image.makeThreadLocal(name, this.self);
    this.#threadLocals.set(name, object);
    return object.address;
  }

  callable(pointer: number, site: Site): Callable {
    if (pointer === undefined) this.fail('uninitialised-read', 'a call through a pointer that was never set', site);
    if (pointer >= 0 && pointer < NULL_END) this.fail('null-dereference', 'a call through a null pointer', site);
    const callable = this.#image.functionAt(pointer);
    if (callable !== undefined) return callable;
    return this.fail('out-of-bounds', 'a call through a pointer that does not point to a function', site);
  }

  /** As `callable`, for a call of a type: one of another type is undefined behaviour. */
  callableAs(pointer: number, type: FunctionType, site: Site): Callable {
    const callable = this.callable(pointer, site);
    if (isCallableAs(callable, type)) return callable;
    return this.fail('abort', `${callable.name} is called through a pointer to a function of another type`, site);
  }

  unknownFunction(name: string, site: Site): never {
    return this.refuse(
      `the function ${name} is called here, but it is not defined in the given files, and Heddle does not know it.`,
      site,
    );
  }

  /** What a library function gave that the program did not declare, and so takes to give an int. */
  answerAsInt(name: string, answer: CValue, site: Site): CValue {
    if (answer === undefined || (typeof answer === 'number' && (answer | 0) === answer)) return answer;
    return this.refuse(`${name} is called here without a declaration, and gives no int: include its header.`, site);
  }

  unknownVariable(name: string, site: Site): never {
    return this.refuse(`the variable ${name} is used here, but it is not defined in the given files.`, site);
  }

  call(pointer: number, args: readonly CValue[], site: Site): Run<CValue> {
    return this.callable(pointer, site).run(this, ...args);
  }

  *spawn(pointer: number, args: readonly CValue[], site: Site): Run<number> {
    const callable = this.callable(pointer, site);
    const image = this.#image;
    return (yield {
      kind: 'spawn',
      name: callable.name,
      start: (self) => new CThreadRun(image, self, callable, args),
      position: site.position,
    }) as number;
  }

  *print(text: string, site: Site): Run<void> {
    yield { kind: 'print', text, position: site.position };
  }

  *choose(count: number, site: Site): Run<number> {
    return (yield { kind: 'choose', count, position: site.position }) as number;
  }

  // --------------------------------------------------------------------------------------------- private accesses

  /** For addresses below 0. */
  loadPrivate(pointer: number, type: Type, site: Site, ifUnset: IfUnset = 'fails'): CValue {
    try {
      return this.memory.load(pointer, type, ifUnset);
    } catch (error) {
      throw this.#faulted(error, 'read', storeSize(type), site);
    }
  }

  storePrivate(pointer: number, type: Type, value: CValue, site: Site): void {
    try {
      this.memory.store(pointer, type, value);
    } catch (error) {
      throw this.#faulted(error, 'write', storeSize(type), site);
    }
  }

  updatePrivate(pointer: number, type: Type, apply: (old: CValue) => CValue, site: Site): CValue {
    const old = this.loadPrivate(pointer, type, site);
    this.storePrivate(pointer, type, apply(old), site);
    return old;
  }

  compareExchangePrivate(pointer: number, type: Type, expected: CValue, desired: CValue, site: Site) {
    const old = this.loadPrivate(pointer, type, site);
    const exchanged = encode(old, type) === encode(expected, type);
    if (exchanged) this.storePrivate(pointer, type, desired, site);
    return { old, exchanged };
  }

  #faulted(error: unknown, what: 'read' | 'write', size: number, site: Site): unknown {
    if (!(error instanceof PrivateFault)) return error;
    if (error.fault === 'stack-overflow') return overflow(site);
    if (error.fault === 'no-room') return new InputError(noRoom, site.position);
    const [kind, message] = faults[error.fault](what, size);
    return new ThreadFailure({ kind, message, position: site.position });
  }

  // ---------------------------------------------------------------------------------------------- shared accesses

  /** `unread`: nobody needs what it reads. */
  *load(
    pointer: number,
    type: Type,
    site: Site,
    order: MemoryOrder = 'plain',
    ifUnset: IfUnset = 'fails',
    unread = false,
  ): Run<CValue> {
    if (pointer < 0) return this.loadPrivate(pointer, type, site, ifUnset);
    const asked = this.loading(pointer, type, site, order, unread);
    const held = isRun(asked) ? yield* asked : yield asked;
    return this.loaded(held, pointer, type, site, order, ifUnset);
  }

  *store(pointer: number, type: Type, value: CValue, site: Site, order: MemoryOrder = 'plain'): Run<void> {
    if (pointer < 0) {
      this.storePrivate(pointer, type, value, site);
      return;
    }
    const asked = this.storing(pointer, type, value, site, order);
    if (isRun(asked)) yield* asked;
    else yield asked;
  }

  *update(
    pointer: number,
    type: Type,
    name: string,
    operand: CValue,
    apply: (old: CValue, operand: CValue) => CValue,
    order: MemoryOrder,
    site: Site,
    commutes?: Commuting,
  ): Run<CValue> {
    if (pointer < 0) return this.updatePrivate(pointer, type, (old) => apply(old, operand), site);
    const held = yield this.updating(pointer, type, name, operand, apply, order, site, commutes);
    return this.loaded(held, pointer, type, site, order);
  }

  *compareExchange(
    pointer: number,
    type: Type,
    expected: CValue,
    desired: CValue,
    order: MemoryOrder,
    failureOrder: MemoryOrder,
    weak: boolean,
    site: Site,
  ): Run<{ readonly old: CValue; readonly exchanged: boolean }> {
    if (pointer < 0) return this.compareExchangePrivate(pointer, type, expected, desired, site);
    const held = yield this.exchanging(pointer, type, expected, desired, order, failureOrder, weak, site);
    return this.exchanged(held, pointer, type, expected, site, order);
  }

  // ----------------------------------------------------------------------- the same for compiled code, from address 0 on

  /** What to yield to load; `loaded` knows what came of it. */
  loading(
    pointer: number,
    type: Type,
    site: Site,
    order: MemoryOrder,
    unread: boolean,
    future?: string,
  ): Operation | Run<Bits> {
    const target = this.#target(pointer, storeSize(type), 'read', order, site);
    if (target === undefined) {
      this.#image.hasDividedScalars = true;
      return this.#readShared(pointer, storeSize(type), site, newAggregate('scalar'));
    }
    const { location, slice } = target;
    const { position } = site;
    const known = slice === undefined ? future : undefined;
    return unread
      ? { kind: 'load', location, slice, order, position, future: known, unread }
      : { kind: 'load', location, slice, order, position, future: known };
  }

  /** `held`: what the access that asked for a value in memory was answered. */
  loaded(
    held: unknown,
    pointer: number,
    type: Type,
    site: Site,
    order: MemoryOrder,
    ifUnset: IfUnset = 'fails',
  ): CValue {
    if (typeof held === 'number' || typeof held === 'bigint') return decode(held, type);
    if (typeof held === 'object') return this.#decodeWide(held as Bits, type, site, ifUnset);
    return this.#decode(
      held,
      type,
      this.#target(pointer, storeSize(type), 'read', order, site) as Target,
      site,
      ifUnset,
    );
  }

  /** What to yield to store. */
  storing(
    pointer: number,
    type: Type,
    value: CValue,
    site: Site,
    order: MemoryOrder,
    future?: string,
  ): Operation | Run<void> {
    const target = this.#target(pointer, storeSize(type), 'write', order, site);
    const held = encode(value, type);
    const { position } = site;
    if (target === undefined) {
      this.#image.hasDividedScalars = true;
      return this.#writeShared(pointer, bitsOf(held, storeSize(type)), site, newAggregate('scalar'));
    }
    const { location, slice } = target;
    return slice === undefined
      ? { kind: 'store', location, value: held, order, position, future }
      : { kind: 'store-part', location, slice, value: held, order, position };
  }

  /** What to yield to update; `loaded` knows the old value. */
  updating(
    pointer: number,
    type: Type,
    name: string,
    operand: CValue,
    apply: (old: CValue, operand: CValue) => CValue,
    order: MemoryOrder,
    site: Site,
    commutes?: Commuting,
    unread = false,
    future?: string,
  ): Operation {
    const target = this.#target(pointer, storeSize(type), 'read', order, site) as Target;
    const { location, slice } = target;
    return {
      kind: 'update',
      location,
      slice,
      name,
      operand: encode(operand, type),
      apply: (old) => encode(apply(this.#decode(old, type, target, site, 'fails'), operand), type),
      commutes: slice === undefined ? commutes : undefined,
      order,
      position: site.position,
      unread: unread ? true : undefined,
      future: slice === undefined ? future : undefined,
    };
  }

  /** What to yield to compare and exchange; `exchanged` knows what came of it. */
  exchanging(
    pointer: number,
    type: Type,
    expected: CValue,
    desired: CValue,
    order: MemoryOrder,
    failureOrder: MemoryOrder,
    weak: boolean,
    site: Site,
    future?: string,
  ): Operation {
    const wanted = encode(expected, type);
    const { location, slice } = this.#target(pointer, storeSize(type), 'read', order, site) as Target;
    return {
      kind: 'compare-exchange',
      location,
      slice,
      expected: wanted,
      desired: encode(desired, type),
      order,
      failureOrder,
      weak,
      position: site.position,
      future: slice === undefined ? future : undefined,
    };
  }

  exchanged(held: unknown, pointer: number, type: Type, expected: CValue, site: Site, order: MemoryOrder) {
    const exchanged = held === encode(expected, type);
    return { old: this.loaded(held, pointer, type, site, order), exchanged };
  }

  /**
   * What the future of a thread depends on that is at the access number `access` of its first function, where `values` are all that is used
   * later on. Undefined unless that and its place are all there is of it: no other call, no memory of its own, nothing
   * that the library keeps for it, no object that it made. (All fields of this class count; what is in the image is no thread's.)
   */
  future(access: number, ...values: CValue[]): string | undefined {
    const isAll =
      this.#isCompiled &&
      this.#calls === 1 &&
      this.#running.length === 2 &&
      this.#frames.length === 0 &&
      this.#made === 0 &&
      this.#threadLocals.size === 0 &&
      this.#atEnd.length === 0 &&
      this.#rounds === undefined &&
      this.notes.size === 0 &&
      this.memory.isUntouched;
    if (!isAll) return undefined;
    let text = String(access);
    for (const value of values) {
      if (typeof value === 'number' && !Number.isNaN(value)) text += Object.is(value, -0) ? ' -0' : ` ${value}`;
      else if (typeof value === 'bigint') text += ` ${value}n`;
      else return undefined;
    }
    return text;
  }

  /**
   * During a replay: whether the plain access that the thread is about to make is one operation. It was made before, so it can only be
   * several if any access ever was.
   */
  isOne(pointer: number, type: Type, site: Site): boolean {
    if (!this.#image.hasDividedScalars) return true;
    return this.#target(pointer, storeSize(type), 'read', 'plain', site) !== undefined;
  }

  *awaitLoad(pointer: number, type: Type, wait: Wait, site: Site, order: MemoryOrder): Run<CValue> {
    if (pointer < 0) return this.#unlessNever(wait, this.loadPrivate(pointer, type, site), site);
    const target = this.#target(pointer, storeSize(type), 'read', order, site);
    if (target === undefined) {
      const value = yield* this.load(pointer, type, site, order);
      return this.#unlessNever(wait, value, site);
    }
    const decoded = (held: unknown): CValue => decode(held as number | bigint, type);
    const until = (held: unknown): boolean => isUnset(held) || wait.until(decoded(held));
    const held = yield {
      kind: 'await-load',
      ...target,
      order,
      until,
      ...kindOf(wait, decoded),
      position: site.position,
    };
    return this.#decode(held, type, target, site, 'fails');
  }

  *awaitUpdate(
    pointer: number,
    type: Type,
    name: string,
    operand: CValue,
    apply: (old: CValue, operand: CValue) => CValue,
    wait: Wait,
    order: MemoryOrder,
    site: Site,
  ): Run<CValue> {
    if (pointer < 0) {
      this.#unlessNever(wait, this.loadPrivate(pointer, type, site), site);
      return this.updatePrivate(pointer, type, (old) => apply(old, operand), site);
    }
    const target = this.#target(pointer, storeSize(type), 'read', order, site) as Target;
    const decoded = (held: unknown): CValue => decode(held as number | bigint, type);
    const applied = (old: unknown): unknown =>
      encode(apply(this.#decode(old, type, target, site, 'fails'), operand), type);
    const until = (held: unknown): boolean =>
      isUnset(held) || wait.until(decoded(held)) || this.#isSeen(wait, held, applied);
    const common = { ...target, order, until, rewrites: true, ...kindOf(wait, decoded), position: site.position };
    const held =
      name === 'exchange'
        ? yield { ...common, kind: 'await-exchange', value: encode(operand, type) }
        : yield { ...common, kind: 'await-update', name, apply: applied };
    return this.#decode(held, type, target, site, 'fails');
  }

  /** A compare-exchange that waits: for its success, or for what else is wanted of the old value and whether it exchanged. */
  *awaitExchange(
    pointer: number,
    type: Type,
    expected: CValue,
    desired: CValue,
    demandsSuccess: boolean,
    wait: Wait,
    order: MemoryOrder,
    site: Site,
  ): Run<readonly CValue[]> {
    const wanted = encode(expected, type);
    const pairOf = (held: unknown): readonly CValue[] => [
      decode(held as number | bigint, type),
      held === wanted ? 1 : 0,
    ];
    if (pointer < 0) {
      const old = this.loadPrivate(pointer, type, site);
      const isEqual = encode(old, type) === wanted;
      this.#unlessNever(wait, [old, isEqual ? 1 : 0], site);
      if (isEqual) this.storePrivate(pointer, type, desired, site);
      return [old, isEqual ? 1 : 0];
    }
    const target = this.#target(pointer, storeSize(type), 'read', order, site) as Target;
    const common = { ...target, order, ...kindOf(wait, pairOf), position: site.position };
    const written = encode(desired, type);
    const exchanged = (old: unknown): unknown => (old === wanted ? written : old);
    const held = demandsSuccess
      ? yield { ...common, kind: 'await-compare-exchange', expected: wanted, desired: written }
      : yield {
          ...common,
          kind: 'await-update',
          name: 'compare_exchange',
          until: (value) =>
            isUnset(value) || wait.until(pairOf(value)) || this.#isSeen(wait, value, () => exchanged(value)),
          apply: (old) => (old === wanted ? written : KEEP),
        };
    return [this.#decode(held, type, target, site, 'fails'), held === wanted ? 1 : 0];
  }

  /**
   * Whether others can see that an update writes, although the program then stops the thread: so it does not wait. (After a
   * pure iteration of a loop, it has written what it read.)
   */
  #isSeen({ loop }: Wait, old: unknown, applied: (old: unknown) => unknown): boolean {
    return loop === undefined && applied(old) !== old;
  }

  /** The value, which is not waited for: of this thread's own memory, or put together from several cells. */
  #unlessNever({ until, loop }: Wait, value: CValue, site: Site): CValue {
    if (until(value)) return value;
    if (loop === undefined) return this.block(site) as never;
    return this.spin(loop.since(value), { ...site, position: loop.position });
  }

  *readBytes(pointer: number, count: number, site: Site): Run<Uint8Array> {
    const { data, defined } = yield* this.#read(pointer, count, site);
    if (defined?.includes(0) === true) this.#uninitialised(this.#nameOf(pointer), site);
    return data;
  }

  *writeBytes(pointer: number, bytes: Uint8Array, site: Site): Run<void> {
    if (bytes.length > 0) yield* this.#write(pointer, { data: bytes, defined: undefined }, site);
  }

  *copy(target: number, source: number, count: number, site: Site): Run<void> {
    const whole = newAggregate();
    if (count > 0) yield* this.#write(target, yield* this.#read(source, count, site, whole), site, whole);
  }

  *fill(target: number, byte: number, count: number, site: Site): Run<void> {
    const bits = { data: new Uint8Array(count).fill(byte), defined: undefined };
    if (count > 0) yield* this.#write(target, bits, site, newAggregate(byte));
  }

  *readString(pointer: number, site: Site, most = Number.POSITIVE_INFINITY): Run<Uint8Array> {
    if (pointer < 0) {
      try {
        return this.memory.readString(pointer, most);
      } catch (error) {
        throw this.#faulted(error, 'read', 1, site);
      }
    }
    const bytes: number[] = [];
    const whole = newAggregate();
    while (bytes.length < most) {
      const byte = (yield* this.#loadCharacter(pointer, bytes.length, site, whole)) as number;
      if (byte === 0) break;
      bytes.push(byte);
    }
    return Uint8Array.from(bytes);
  }

  /** The i-th byte of the string at `pointer`. */
  *#loadCharacter(pointer: number, i: number, site: Site, whole: Aggregate | undefined): Run<CValue> {
    const target = this.#target(pointer + i, 1, 'read', 'plain', site);
    if (target === undefined || whole === undefined) return yield* this.load(pointer + i, byteType, site);
    const object = this.#locate(pointer, i + 1, 'read', site);
    whole.reads(object, pointer - object.address, i + 1);
    const held = yield { kind: 'load', ...target, order: 'plain', position: site.position, part: whole.next() };
    whole.add(target, held, 1);
    return this.#decode(held, byteType, target, site, 'fails');
  }

  *#read(pointer: number, count: number, site: Site, whole = newAggregate()): Run<Bits> {
    if (count === 0) return { data: new Uint8Array(0), defined: undefined };
    if (pointer >= 0 || pointer === undefined) return yield* this.#readShared(pointer, count, site, whole);
    try {
      return this.memory.read(pointer, count);
    } catch (error) {
      throw this.#faulted(error, 'read', count, site);
    }
  }

  *#write(pointer: number, bits: Bits, site: Site, whole = newAggregate()): Run<void> {
    if (pointer >= 0 || pointer === undefined) {
      yield* this.#writeShared(pointer, bits, site, whole);
      return;
    }
    try {
      this.memory.write(pointer, bits);
    } catch (error) {
      throw this.#faulted(error, 'write', bits.data.length, site);
    }
  }

  *#readShared(pointer: number, count: number, site: Site, whole: Aggregate | undefined): Run<Bits> {
    const object = this.#locate(pointer, count, 'read', site);
    const start = pointer - object.address;
    whole?.reads(object, start, count);
    const data = new Uint8Array(count);
    const defined = new Uint8Array(count);
    for (const cell of object.origin.cells.pieces(start, count)) {
      const { from, to } = within(cell, start, count);
      const target = targetIn(object, cell, from, to);
      const held = yield { kind: 'load', ...target, order: 'plain', position: site.position, part: whole?.next() };
      whole?.add(target, held, to - from);
      spread(held, to - from, data, defined, from - start);
    }
    return { data, defined };
  }

  *#writeShared(pointer: number, bits: Bits, site: Site, whole: Aggregate | undefined): Run<void> {
    const object = this.#locate(pointer, bits.data.length, 'write', site);
    const start = pointer - object.address;
    whole?.writes(object, start, bits.data.length);
    for (const cell of object.origin.cells.pieces(start, bits.data.length)) {
      const { from, to } = within(cell, start, bits.data.length);
      const { location, slice } = targetIn(object, cell, from, to);
      if (slice === undefined) this.#expectWhole(bits, from - start, cell.size, object, from);
      const value = cellValue(bits, from - start, to - from);
      const common = { location, value, order: 'plain', position: site.position, part: whole?.next() } as const;
      whole?.add({ location, slice }, value, to - from);
      yield slice === undefined ? { ...common, kind: 'store' } : { ...common, kind: 'store-part', slice };
    }
  }

  /** A cell of which only some bytes are known must be divided. */
  #expectWhole(bits: Bits, at: number, size: number, object: MemoryObject, offset: number): void {
    const { defined } = bits;
    if (defined === undefined) return;
    for (let i = 1; i < size; i++) {
      if (defined[at + i] !== defined[at]) object.origin.cells.pieces(offset, i);
    }
  }

  /** What an access is to; undefined if that is several cells. */
  #target(pointer: number, size: number, what: 'read' | 'write', order: MemoryOrder, site: Site): Target | undefined {
    const object = this.#locate(pointer, size, what, site);
    const offset = pointer - object.address;
    const { cells } = object.origin;
    const isAtomic = order !== 'plain';
    if (isAtomic) this.#expectAtomic(object, pointer, size, site);
    if (cells.isOne(offset, size, isAtomic)) return { location: object.cell(offset, size), slice: undefined };
    const cell = cells.around(offset);
    if (isAtomic) this.#expectParts(object, cell, site);
    else if (offset + size > cell.offset + cell.size || !cell.isAtomic) return undefined;
    return targetIn(object, cell, offset, offset + size);
  }

  /** A word can be accessed in one step where it is aligned; a structure of several where each of its words is. */
  #expectAtomic(object: MemoryObject, pointer: number, size: number, site: Site): void {
    if (size > MOST_ATOMIC) {
      this.refuse(`an atomic access to ${size} bytes of ${object.name}: more than ${MOST_ATOMIC}`, site);
    }
    const align = Math.min(size, WORD);
    if (pointer % align === 0) return;
    const needed = align === size ? `its size of ${plural(size, 'byte')}` : `${align} bytes`;
    this.refuse(`an atomic access to ${object.name} at an address that is not aligned to ${needed}`, site);
  }

  /** An atomic access is to a part of a cell. */
  #expectParts(object: MemoryObject, cell: CellOfObject, site: Site): void {
    const { model } = this.#image;
    const name = object.origin.kind === 'heap' ? 'memory from malloc' : object.nameOfPart(cell.offset, cell.size);
    if (cell.size > LARGEST_CELL) {
      this.refuse(
        `atomic accesses to ${name} that overlap: together they are to ${cell.size} bytes, more than ${LARGEST_CELL}`,
        site,
      );
    }
    if (model === undefined || model === 'sc') return;
    this.noteAssumption(`atomic accesses to parts of ${name} are in one order, as accesses to the whole are`);
  }

  /** The object that `size` bytes from `pointer` on lie in; anything else fails. */
  #locate(pointer: number, size: number, what: 'read' | 'write', site: Site): MemoryObject {
    if (pointer === undefined) this.fail('uninitialised-read', `a ${what} through a pointer that was never set`, site);
    if (pointer < NULL_END) {
      const at = pointer === 0 ? '' : ` (plus ${pointer})`;
      this.fail('null-dereference', `a ${what} through a null pointer${at}`, site);
    }
    const object = this.#image.objects.at(pointer);
    if (object === undefined) {
      const isCode = this.#image.functionAt(pointer - (pointer % FUNCTION_STEP)) !== undefined;
      const target = isCode ? 'the code of a function' : `address 0x${pointer.toString(16)}, where there is nothing`;
      this.fail('out-of-bounds', `a ${what} of ${target}`, site);
    }
    const { origin } = object;
    if (origin.debugType === undefined && origin.kind === 'heap' && isRecording())
      this.#image.learnType(object, pointer, site);
    const offset = pointer - object.address;
    if (offset + size <= object.size) return object;
    const place = object.nameOfPart(offset, size);
    const isBeyond = offset >= object.size && !/\+\d+(@|$)/.test(place);
    return this.fail(
      'out-of-bounds',
      `a ${what} of ${plural(size, 'byte')} at offset ${offset} of ${object.name}, which has ${plural(object.size, 'byte')}` +
        `${isBeyond ? `: ${place} is beyond its end` : ''}`,
      site,
    );
  }

  #decode(held: unknown, type: Type, { location, slice }: Target, site: Site, ifUnset: IfUnset): CValue {
    if (!isUnset(held)) return decode(held as number | bigint, type);
    if (ifUnset === 'stays') return undefined;
    if (ifUnset === 'parts') return isPartlySet(held) ? held : undefined;
    if (ifUnset === 'zero') return decode(storeSize(type) <= 4 ? 0 : 0n, type);
    return this.#uninitialised(slice?.name() ?? location.name ?? 'memory', site, held !== UNINITIALISED);
  }

  #decodeWide(bits: Bits, type: Type, site: Site, ifUnset: IfUnset): CValue {
    const { data, defined } = bits;
    if (ifUnset !== 'zero' && defined?.includes(0) === true) {
      if (ifUnset === 'stays') return undefined;
      if (ifUnset === 'parts') {
        const held = cellValue(bits, 0, data.length);
        return isPartlySet(held) ? held : undefined;
      }
      this.#uninitialised('memory', site);
    }
    return decode(cellValue({ data, defined: undefined }, 0, data.length) as number | bigint, type);
  }

  #uninitialised(name: string, site: Site, isCopy = false): never {
    const why = isCopy ? ', but it is a copy of something that was never set' : ' before anything was written to it';
    return this.fail('uninitialised-read', `${name} is read${why}`, site);
  }

  #nameOf(pointer: number): string {
    return pointer < 0 ? 'a variable' : (this.#image.objects.at(pointer)?.name ?? 'memory');
  }

  // ------------------------------------------------------------------------------------------------------- the heap

  *allocate(size: number, isZeroed: boolean, site: Site, align = 16): Run<number> {
    const { objects } = this.#image;
    const origin = this.#image.heapOrigin(site, this.self, this.#made);
    const initial = isZeroed ? 'zero' : undefined;
    const object = objects.make(this.self, this.#made++, origin, size >>> 0, align, initial, undefined);
    if (object === undefined) this.refuse(`more memory is allocated here than fits into the address space`, site);
    const location = object.lifetime as Location;
    yield { kind: 'allocate', location, size: size >>> 0, isHeap: true, position: site.position };
    return object.address;
  }

  *free(pointer: number, site: Site): Run<void> {
    if (pointer === 0) return;
    const object = this.#heapObject(pointer, 'free', site);
    yield* this.#endLifetime(object.lifetime, site);
  }

  sizeOfAllocation(pointer: number, site: Site): number {
    return this.#heapObject(pointer, 'realloc', site).size;
  }

  #heapObject(pointer: number, what: string, site: Site): MemoryObject {
    if (pointer === undefined) this.fail('uninitialised-read', `${what} of a pointer that was never set`, site);
    const object = pointer < 0 ? undefined : this.#image.objects.at(pointer);
    if (object !== undefined && object.origin.kind === 'heap' && object.address === pointer) return object;
    const inside = object !== undefined && pointer < object.address + Math.max(1, object.size);
    const target = !inside
      ? 'something that malloc did not return'
      : object.origin.kind === 'heap'
        ? `a place inside ${object.name}, not of its start`
        : `${object.name}, which is not from malloc`;
    return this.fail('invalid-free', `${what} of ${target}`, site);
  }

  // ------------------------------------------------------------------------------- synchronisation, variadic calls

  syncLocation(pointer: number, kind: 'mutex' | 'atomic', role: string, site: Site): Location {
    if (pointer < 0) {
      this.storePrivate(pointer, byteType, 0, site); // fails if there is no variable
      this.refuse('a synchronisation object in memory that only this thread can see', site);
    }
    const object = this.#locate(pointer, SYNC_BYTES, 'read', site);
    return object.sync(pointer - object.address, kind, role);
  }

  globalLocation(key: string, initial: unknown = 0, name: () => string = () => key): Location {
    return this.#image.globalLocation(key, initial, name);
  }

  /** Lays out the variadic arguments for va_arg; the address of the first. */
  variadicArguments(types: readonly Type[], values: readonly CValue[], site: Site): number {
    const { size, offsets } = variadicLayout(types);
    const start = this.privateObject(Math.max(size, 4), 16, site);
    for (const [i, value] of values.entries()) {
      this.storePrivate(start + (offsets[i] as number), types[i] as Type, value, site);
    }
    return start;
  }

  /** va_arg: the next argument of the list at `pointer`. */
  *nextVariadic(pointer: number, type: Type, site: Site): Run<CValue> {
    const next = (yield* this.load(pointer, pointerType, site)) as number;
    const align = Math.max(4, alignOf(type));
    const at = (next + align - 1) & -align;
    yield* this.store(pointer, pointerType, (at + Math.max(4, storeSize(type))) | 0, site);
    return yield* this.load(at, type, site);
  }

  /** A local variable that may not have been set. */
  defined(value: CValue, message: string, site: Site): CValue {
    if (value !== undefined) return value;
    return this.fail('uninitialised-read', message, site);
  }

  shiftByTooMuch(bits: number, site: Site): never {
    return this.fail('undefined-behaviour', `a shift of a value of ${bits} bits by ${bits} or more`, site);
  }

  divisionByZero(site: Site): never {
    return this.fail('division-by-zero', 'a division by zero', site);
  }

  unreachable(site: Site): never {
    return this.fail('abort', 'code that was declared unreachable is reached', site);
  }
}

/** The bytes of a cell that are among `count` from `start` on. */
function within(
  { offset, size }: CellOfObject,
  start: number,
  count: number,
): { readonly from: number; readonly to: number } {
  return { from: Math.max(offset, start), to: Math.min(offset + size, start + count) };
}

/** The bytes of an object that begin at `from` and end before `to`, which are in one cell. */
function targetIn(object: MemoryObject, { offset, size }: CellOfObject, from: number, to: number): Target {
  const location = object.cell(offset, size);
  const isWhole = from === offset && to === offset + size;
  return { location, slice: isWhole ? undefined : object.slice(from, to - from, offset, size) };
}

/** Undefined unless the run is recorded: nobody else asks for its words. */
function newAggregate(is?: number | 'scalar'): Aggregate | undefined {
  return isRecording() ? new Aggregate(is) : undefined;
}

const byteType: Type = { kind: 'int', bits: 8 };
const pointerType: Type = { kind: 'ptr' };

/** Whether a function can be called with the arguments of a call of another type. */
export function isCallableAs(callable: Omit<Callable, 'name' | 'run'>, call: FunctionType): boolean {
  const { parameters, returns, variadic } = call;
  if (callable.variadic !== variadic && callable.variadic) return false;
  if (!isAlike(callable.returns, returns) && returns.kind !== 'void') return false;
  if (callable.parameters.length > parameters.length) return false;
  return callable.parameters.every((parameter, i) => isAlike(parameter, parameters[i] as Type));
}

/** Pointers and 32-bit integers are passed alike. */
function isAlike(a: Type, b: Type): boolean {
  const shape = (type: Type): string =>
    type.kind === 'ptr' ? 'int32' : type.kind === 'int' ? `int${type.bits}` : type.kind;
  return shape(a) === shape(b);
}

const faults: Record<
  Exclude<Fault, 'stack-overflow' | 'no-room'>,
  (what: string, size: number) => [FailureKind, string]
> = {
  'out-of-bounds': (what, size) => ['out-of-bounds', `a ${what} of ${plural(size, 'byte')} outside of any variable`],
  'use-after-free': (what) => ['use-after-free', `a ${what} of a variable of a function that has ended`],
  'uninitialised-read': () => ['uninitialised-read', 'memory is read before anything was written to it'],
  'read-only': () => ['abort', 'a write to constant memory'],
};

function plural(n: number, word: string): string {
  return `${n} ${word}${n === 1 ? '' : 's'}`;
}

function overflow(site: Site | undefined): ThreadFailure {
  const where = site === undefined ? '' : ` in ${site.functionName}`;
  return new ThreadFailure({
    kind: 'abort',
    message: `stack overflow${where}: calls are nested too deeply, or their variables are too large`,
    position: site?.position,
  });
}

function spinning(loop: SpinLoop): LastOperation {
  return new LastOperation({ kind: 'block', reason: 'loop', loop, position: loop.position });
}

/** Whether a C function has called another, or makes an access that is several operations. */
function isRun<T>(value: Operation | Run<T>): value is Run<T> {
  return !('kind' in value);
}

function failed(error: ThreadFailure): Operation {
  return { kind: 'fail', failure: error.failure, position: error.failure.position };
}
