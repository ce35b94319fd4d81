/** What all threads of a C program have in common: where globals and functions lie, what they start with. */
import { InputError } from '../../program/input-error.ts';
import { Location } from '../../program/location.ts';
import { sizeOf } from '../ir/layout.ts';
import type { GlobalVariable, Module } from '../ir/module.ts';
import { changingVariables, externalVariables, findLibraryFunction } from '../library/index.ts';
import type { Escape } from '../passes/analyses/escape.ts';
import { hasRelaxed } from '../passes/analyses/relaxed.ts';
import type { CRunOptions, Site } from '../runtime.ts';
import { CONSTANTS, FUNCTION_STEP, FUNCTIONS, GLOBALS, NULL_END, PRIVATE, PRIVATE_LIMIT } from './addresses.ts';
import { writeConstant } from './constants.ts';
import type { Bits } from './encoding.ts';
import type { HeapTypes } from './heap-types.ts';
import { type CKnowledge, noRounds } from './knowledge.ts';
import { nameInside, showHeld, textOf, wordFor } from './names.ts';
import { type MemoryObject, Objects, type Origin } from './objects.ts';
import { COpenLoops } from './open-loops.ts';
import { fillIn, newSegment, reserve, type Segment } from './private-memory.ts';
import { Reliance } from './reliance.ts';
import type { Callable } from './thread.ts';

/** Thread-locals of all threads are numbered from here among the objects of a thread. */
const FIRST_THREAD_LOCAL = 0x4000_0000;
const MOST_CONSTANTS = 0x3000_0000;

/** The memory models under which one thread may read what another has written, and nothing happens before. */
const loose: ReadonlySet<string> = new Set(['ra', 'rc11']);

export class Image {
  readonly options: CRunOptions;
  readonly objects: Objects;
  readonly constants: Segment = newSegment();
  readonly limits = new Set<string>();
  readonly openLoops = new COpenLoops();
  readonly assumptions = new Set<string>();
  /** The memory model that the program is checked under, if it was told. */
  model: string | undefined;
  readonly reliance: Reliance;
  /** Whether threads look for rounds that return to where they were. */
  hasRounds = false;
  /** Whether a plain access of compiled code to a scalar was ever several operations, in whatever run. */
  hasDividedScalars = false;
  /** The functions of the program that are generators, as they were compiled. */
  readonly compiled = new Set<Callable['run']>();
  readonly #module: Module;
  readonly #privateStart: Segment = newSegment();
  readonly #addresses = new Map<string, number>();
  readonly #threadLocals = new Map<string, { readonly origin: Origin; readonly bits: Bits; readonly number: number }>();
  readonly #functions: (Callable | undefined)[] = [];
  readonly #functionNumbers = new Map<string, number>();
  readonly #heapTypes: HeapTypes;
  readonly #hasRelaxed: boolean;
  readonly #locations = new Map<string, Location>();
  readonly #literals = new Map<string, number>();
  /** Variables that nobody changes, string literals among them. */
  readonly #constantVariables: { readonly global: GlobalVariable; readonly address: number; readonly bits: Bits }[] =
    [];

  constructor(module: Module, escaping: Escape, heapTypes: HeapTypes, options: CRunOptions, knowledge: CKnowledge) {
    this.#module = module;
    this.#heapTypes = heapTypes;
    this.options = options;
    this.#hasRelaxed = hasRelaxed(module);
    this.reliance = new Reliance(knowledge.rounds ?? noRounds);
    this.reliance.isLoose = this.#hasRelaxed;
    this.objects = new Objects(
      (value, type, size) => showHeld(value, type, size, (a) => this.#placeName(a)),
      knowledge,
    );
    for (const f of module.functions.values()) {
      // what is declared weak and defined nowhere has the address 0
      const isMissing = f.isWeak && f.blocks.length === 0 && findLibraryFunction(f.name) === undefined;
      if (isMissing) this.#addresses.set(f.name, 0);
      else this.#functionNumbers.set(f.name, this.#functionNumbers.size);
    }
    const filled: { readonly bits: Bits; readonly global: GlobalVariable; readonly done: () => void }[] = [];
    for (const global of module.globals.values()) {
      const bits: Bits = { data: new Uint8Array(this.#sizeOf(global)), defined: undefined };
      filled.push({ bits, global, done: this.#place(global, bits, escaping) });
    }
    for (const { bits, global, done } of filled) {
      this.#initialise(global, bits);
      done();
    }
  }

  checkedUnder(model: string): void {
    this.model = model;
    this.reliance.isLoose = this.#hasRelaxed && loose.has(model);
  }

  /** The address of a function or variable; undefined: each thread has its own, or nobody defines it. */
  addressOf(symbol: string): number | undefined {
    const name = this.resolve(symbol);
    const number = this.#functionNumbers.get(name);
    return number === undefined ? this.#addresses.get(name) : FUNCTIONS + number * FUNCTION_STEP;
  }

  /** Whether the symbol is a thread-local variable that others may get to know. */
  isSharedThreadLocal(symbol: string): boolean {
    return this.#threadLocals.has(this.resolve(symbol));
  }

  resolve(symbol: string): string {
    let name = symbol;
    for (let i = 0; i < 100; i++) {
      const target = this.#module.aliases.get(name);
      if (target === undefined) return name;
      name = target;
    }
    throw new InputError(`the symbol ${symbol} is an alias of itself`);
  }

  setFunction(name: string, callable: Callable): void {
    const number = this.#functionNumbers.get(name);
    if (number !== undefined) this.#functions[number] = callable;
  }

  functionAt(pointer: number): Callable | undefined {
    const number = (pointer - FUNCTIONS) / FUNCTION_STEP;
    return Number.isInteger(number) ? this.#functions[number] : undefined;
  }

  /** What thread-locals start with. */
  get privateStart(): Segment {
    return this.#privateStart;
  }

  makeThreadLocal(symbol: string, thread: number): MemoryObject {
    const variable = this.#threadLocals.get(this.resolve(symbol));
    if (variable === undefined) throw new Error(`${symbol} is not thread-local`);
    const { origin, bits, number } = variable;
    const object = this.objects.make(
      thread,
      FIRST_THREAD_LOCAL + number,
      origin,
      bits.data.length,
      16,
      bits,
      undefined,
    );
    if (object === undefined) throw new InputError(`there is no room for the thread-local variable ${symbol}`);
    return object;
  }

  /** Where the k-th object of thread t comes from, which is allocated at `site`. */
  heapOrigin(site: Site, t: number, k: number): Origin {
    const debugType = this.#heapTypes.madeAt(site);
    const name = wordFor(debugType) ?? 'heap';
    return this.objects.heapOrigin({ name, kind: 'heap', debugType, type: undefined, site }, t, k);
  }

  /** In a run that is recorded, tells what lies in memory of which malloc did not say it, by an access at `site`. */
  learnType(object: MemoryObject, address: number, site: Site): void {
    for (const { type, offset } of this.#heapTypes.accessedAt(site)) {
      if (object.mayBe(type, offset === undefined ? undefined : address - offset)) this.objects.learnType(object, type);
    }
  }

  /** The address of a constant string. */
  literal(text: string): number {
    const known = this.#literals.get(text);
    if (known !== undefined) return known;
    const address = this.#addConstant(new TextEncoder().encode(`${text}\0`));
    this.#literals.set(text, address);
    return address;
  }

  /** An argv, the name of the program first. */
  argumentVector(words: readonly string[]): number {
    const vector = new Uint8Array(4 * words.length + 4);
    const view = new DataView(vector.buffer);
    for (const [i, word] of words.entries()) view.setInt32(4 * i, this.literal(word), true);
    return this.#addConstant(vector);
  }

  #addConstant(data: Uint8Array): number {
    const offset = reserve(this.constants, data.length, 4, MOST_CONSTANTS);
    fillIn(this.constants, offset, { data, defined: undefined });
    return (CONSTANTS + offset) | 0;
  }

  globalLocation(key: string, initial: unknown, name: () => string): Location {
    const known = this.#locations.get(key);
    if (known !== undefined) return known;
    const location = new Location('atomic', initial, name, undefined);
    this.#locations.set(key, location);
    return location;
  }

  // ------------------------------------------------------------------------------------------------------ placing

  #sizeOf(global: GlobalVariable): number {
    const isOpaque = global.type.kind === 'struct' && global.type.fields === undefined;
    const size = isOpaque ? 1 : sizeOf(global.type); // of what is opaque only the address is ever used
    if (size > 0x0800_0000)
      throw new InputError(`the variable ${global.name} is too large (${size} bytes)`, global.position);
    return size;
  }

  /** Gives a variable its address; what it returns is called once its bytes are known. */
  #place(global: GlobalVariable, bits: Bits, escaping: Escape): () => void {
    const { name, align } = global;
    const nothing = (): void => undefined;
    if (global.initializer === undefined && externalVariables[name] === undefined) {
      if (global.isWeak) this.#addresses.set(name, 0);
      return nothing;
    }
    if (global.isThreadLocal && !escaping.isLocalThreadLocal(name)) {
      const origin = this.#originOf(global);
      this.#threadLocals.set(name, { origin, bits, number: this.#threadLocals.size });
      return nothing;
    }
    if (global.isThreadLocal) {
      const offset = reserve(this.#privateStart, bits.data.length, align, PRIVATE_LIMIT);
      this.#addresses.set(name, (PRIVATE + offset) | 0);
      return () => fillIn(this.#privateStart, offset, bits);
    }
    if (global.isConstant || (global.initializer === undefined && !changingVariables.has(name))) {
      const offset = reserve(this.constants, bits.data.length, align, MOST_CONSTANTS);
      const address = (CONSTANTS + offset) | 0;
      this.#addresses.set(name, address);
      this.#constantVariables.push({ global, address, bits });
      return () => fillIn(this.constants, offset, bits);
    }
    this.#addresses.set(name, this.objects.addGlobal(this.#originOf(global), bits.data.length, align, bits).address);
    return nothing;
  }

  #originOf(global: GlobalVariable): Origin {
    return this.objects.origin({
      name: global.sourceName ?? global.name,
      kind: global.isThreadLocal ? 'thread-local' : 'global',
      debugType: global.debugType,
      type: global.type,
      site: { position: global.position, functionName: functionOf(global) },
    });
  }

  #initialise(global: GlobalVariable, bits: Bits): void {
    const view = new DataView(bits.data.buffer);
    if (global.initializer !== undefined) {
      writeConstant(view, 0, global.initializer, (symbol) => this.#addressIn(symbol, global));
    } else if (bits.data.length >= 4) {
      view.setInt32(0, externalVariables[global.name] ?? 0, true);
    }
  }

  #addressIn(symbol: string, global: GlobalVariable): number {
    const address = this.addressOf(symbol);
    if (address !== undefined) return address;
    throw new InputError(
      `the initial value of ${global.name} has the address of ${symbol}, which is declared but not defined`,
      global.position,
    );
  }

  /** `&x`, `&node#1.next`, `worker`, `"text"`; undefined where there is nothing. */
  #placeName(address: number): string | undefined {
    const callable = this.functionAt(address);
    if (callable !== undefined) return callable.name;
    if (address < 0) return this.#constantName(address);
    if (address < NULL_END || address < GLOBALS) return undefined;
    const object = this.objects.at(address);
    if (object === undefined || address >= object.address + Math.max(1, object.size)) return undefined;
    return `&${object.nameOfPart(address - object.address, 0)}`;
  }

  #constantName(address: number): string | undefined {
    const found = this.#constantVariables.find(
      ({ address: start, bits }) => address >= start && address < start + bits.data.length,
    );
    if (found === undefined) return undefined;
    const { global, bits } = found;
    const offset = address - found.address;
    const name = global.sourceName;
    if (name === undefined) return textOf([...bits.data.subarray(offset)]);
    return `&${nameInside(name, global.debugType, offset, 0, bits.data.length).name}`;
  }
}

/** The function that a static variable is declared in, which clang puts before its name; empty if there is none. */
function functionOf({ name, sourceName }: GlobalVariable): string {
  const at = sourceName === undefined ? -1 : name.indexOf(`.${sourceName}`);
  return at < 0 ? '' : name.slice(0, at);
}
