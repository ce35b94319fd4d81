/**
 * The objects that threads may share, by address: global variables, stack objects whose address leaves their thread, and
 * the heap.
 *
 * A thread must know the object at an address without asking anybody, so addresses are never used twice: the k-th object
 * that thread t makes at a place in the program, of a size, has one address for ever, in all executions.
 */
import { basename } from 'node:path';
import { Location } from '../../program/location.ts';
import { ProgramRefined } from '../../program/operation.ts';
import type { CType } from '../ir/debug.ts';
import { leaves, sizeOf } from '../ir/layout.ts';
import type { Type } from '../ir/module.ts';
import { type Site, UNINITIALISED } from '../runtime.ts';
import { aligned, END, GLOBALS, gapAfter, LARGE_OBJECTS, THREAD_OBJECTS, THREAD_REGION } from './addresses.ts';
import { Cells, type Division } from './cells.ts';
import { type Bits, cellValue } from './encoding.ts';
import { nameInside, nameOfSync, type Shower, scalarOffsets } from './names.ts';

/** A place in the program where objects come from: a variable, or a call of malloc. */
export interface Origin {
  readonly name: string;
  readonly kind: 'global' | 'thread-local' | 'stack' | 'heap';
  /** What lies in it, as far as it is known: of a heap object, of one element. */
  readonly debugType: CType | undefined;
  readonly type: Type | undefined;
  readonly site: Site | undefined;
  readonly cells: Cells;
}

export class MemoryObject {
  /** By offset: its cells that were accessed. */
  readonly #cells = new Map<number, Location>();
  readonly #sync = new Map<string, Location>();

  constructor(
    readonly address: number,
    readonly size: number,
    readonly origin: Origin,
    readonly name: string,
    /** undefined: it was never written. */
    readonly initial: Bits | 'zero' | undefined,
    /** Of a heap object its own, of a stack object that of its stack frame. */
    readonly lifetime: Location | undefined,
    readonly shower: Shower,
  ) {}

  /** The cell at an offset, which is one of `origin.cells`. */
  cell(offset: number, size: number): Location {
    const known = this.#cells.get(offset);
    if (known !== undefined) return known;
    const { name, type } = nameInside(this.name, this.origin.debugType, offset, size, this.size);
    const show = (value: unknown): string => this.shower(value, type, size);
    const initial = this.#initialValue(offset, size);
    const location = new Location('shared', initial, name, this.origin.site?.position, this.lifetime, show);
    this.#cells.set(offset, location);
    return location;
  }

  /**
   * The synchronisation object at an offset, beside the bytes. It starts as one that was initialised statically, because an
   * initialiser that is assigned (`m = PTHREAD_MUTEX_INITIALIZER`) is nothing but a write of bytes.
   */
  sync(offset: number, kind: 'mutex' | 'atomic', role: string): Location {
    const key = `${offset} ${role}`;
    const known = this.#sync.get(key);
    if (known !== undefined) return known;
    const name = nameOfSync(this.name, this.origin.debugType, offset, this.size);
    const location = new Location(kind, 0, name, this.origin.site?.position, this.lifetime, showSync);
    this.#sync.set(key, location);
    return location;
  }

  /** Its cells were divided anew. */
  forgetCells(): void {
    this.#cells.clear();
  }

  #initialValue(offset: number, size: number): unknown {
    if (this.initial === undefined) return UNINITIALISED;
    if (this.initial === 'zero') return size <= 4 && size !== 3 ? 0 : 0n;
    return cellValue(this.initial, offset, size);
  }
}

/** The library keeps the state of condition variables as text, which is for it alone. */
function showSync(value: unknown): string {
  return typeof value === 'string' ? '…' : String(value);
}

export class Objects {
  /** By region: its objects in the order of their addresses, and where the next one goes. */
  readonly #globals: Region = { objects: [], next: GLOBALS + gapAfter(0), end: THREAD_OBJECTS };
  readonly #threads: Region[] = [];
  readonly #large: Region = { objects: [], next: LARGE_OBJECTS, end: END };
  /** By thread and number in it: the objects that were made there, in whatever executions. */
  readonly #made: Map<number, MemoryObject[]>[] = [];
  readonly #counts = new Map<string, number>();
  readonly #frames = new Map<string, Location>();
  readonly shower: Shower;
  /** From an earlier run of the program. */
  readonly #known: readonly Division[];
  readonly #cells: { readonly key: string; readonly cells: Cells }[] = [];
  readonly #heap = new Map<string, Origin>();
  /** The calls of malloc whose objects have origins of their own. */
  readonly #split = new Set<string>();

  constructor(shower: Shower, known: readonly Division[]) {
    this.shower = shower;
    this.#known = known;
  }

  /** How objects were found to be divided so far. */
  get divisions(): Division[] {
    const all = this.#cells.map(({ key, cells }) => ({ origin: key, cells: cells.division }));
    return all.filter(({ cells }) => cells.length > 0);
  }

  origin(fields: Omit<Origin, 'cells'>): Origin {
    return this.#originOf(fields, keyOf(fields), undefined);
  }

  /**
   * Where the k-th object of thread t comes from: a call of malloc. Different things may come from one call, if it stands in a
   * function that others use to allocate. So when accesses to objects of one call do not fit together, each object gets
   * an origin of its own.
   */
  heapOrigin(fields: Omit<Origin, 'cells'>, t: number, k: number): Origin {
    const shared = keyOf(fields);
    const isSplit = this.#split.has(shared) || this.#known.some(({ origin }) => origin.startsWith(`${shared} #`));
    const key = isSplit ? `${shared} #${t}.${k}` : shared;
    const known = this.#heap.get(key);
    if (known !== undefined) return known;
    const onClash = (): void => {
      this.#split.add(shared);
      this.#forgetCells();
      throw new ProgramRefined();
    };
    const origin = this.#originOf(fields, key, isSplit ? undefined : onClash);
    this.#heap.set(key, origin);
    return origin;
  }

  #originOf(fields: Omit<Origin, 'cells'>, key: string, onClash: (() => void) | undefined): Origin {
    const known = this.#known.filter((division) => division.origin === key).flatMap((division) => division.cells);
    const scalars = (): readonly number[] => scalarsOf(fields.type, fields.debugType);
    const cells = new Cells(fields.name, () => this.#forgetCells(), known, onClash, scalars);
    this.#cells.push({ key, cells });
    return { ...fields, cells };
  }

  addGlobal(origin: Origin, size: number, align: number, initial: Bits | 'zero'): MemoryObject {
    const address = placeIn(this.#globals, size, Math.max(align, 16));
    if (address === undefined) throw new Error('the global variables need too much memory');
    const object = new MemoryObject(address, size, origin, origin.name, initial, undefined, this.shower);
    this.#globals.objects.push(object);
    return object;
  }

  /** The k-th object of thread t; undefined if there is no room. `lifetime`: of the stack frame; else it gets its own. */
  make(
    t: number,
    k: number,
    origin: Origin,
    size: number,
    align: number,
    initial: Bits | 'zero' | undefined,
    lifetime: Location | undefined,
  ): MemoryObject | undefined {
    this.#made[t] ??= new Map();
    const ofThread = this.#made[t] as Map<number, MemoryObject[]>;
    const alike = ofThread.get(k) ?? [];
    ofThread.set(k, alike);
    const known = alike.find(
      (o) =>
        o.origin === origin &&
        o.size === size &&
        o.initial === initial &&
        o.address % align === 0 &&
        (lifetime === undefined || o.lifetime === lifetime),
    );
    if (known !== undefined) return known;
    const region = this.#regionOf(t);
    let home = region;
    let address = placeIn(region, size, Math.max(align, 16));
    if (address === undefined) {
      home = this.#large;
      address = placeIn(home, size, Math.max(align, 16));
    }
    if (address === undefined) return undefined;
    const name = origin.kind === 'heap' ? this.#numbered(origin.name) : origin.name;
    const life = lifetime ?? new Location('lifetime', 'alive', name, origin.site?.position);
    const object = new MemoryObject(address, size, origin, name, initial, life, this.shower);
    alike.push(object);
    home.objects.push(object);
    return object;
  }

  /** The lifetime of the stack objects of one call, whose first object is the k-th of thread t. */
  frameLifetime(t: number, k: number, functionName: string): Location {
    const key = `${t} ${k} ${functionName}`;
    const known = this.#frames.get(key);
    if (known !== undefined) return known;
    const lifetime = new Location('lifetime', 'alive', `the variables of ${functionName}`, undefined);
    this.#frames.set(key, lifetime);
    return lifetime;
  }

  /** The object that an address lies in, or, if it lies in none, the one that ends before it. */
  at(address: number): MemoryObject | undefined {
    const region = this.#regionAt(address);
    if (region === undefined) return undefined;
    const { objects } = region;
    let low = 0;
    let high = objects.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((objects[middle] as MemoryObject).address <= address) low = middle + 1;
      else high = middle;
    }
    return objects[low - 1];
  }

  #regionAt(address: number): Region | undefined {
    if (address < GLOBALS) return undefined;
    if (address < THREAD_OBJECTS) return this.#globals;
    if (address >= LARGE_OBJECTS) return this.#large;
    return this.#threads[Math.floor((address - THREAD_OBJECTS) / THREAD_REGION)];
  }

  #regionOf(t: number): Region {
    const start = THREAD_OBJECTS + t * THREAD_REGION;
    if (start >= LARGE_OBJECTS) return this.#large;
    this.#threads[t] ??= { objects: [], next: start + gapAfter(0), end: start + THREAD_REGION };
    return this.#threads[t] as Region;
  }

  #numbered(name: string): string {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return `${name}#${count}`;
  }

  #forgetCells(): void {
    for (const region of [this.#globals, this.#large, ...this.#threads]) {
      for (const object of region?.objects ?? []) object.forgetCells();
    }
  }
}

/** Where the scalars of a type begin. Memory from malloc has no type of its own, only what a pointer to it says. */
function scalarsOf(type: Type | undefined, debugType: CType | undefined): readonly number[] {
  if (type !== undefined) return sizeOf(type) > MOST_SCALARS ? [] : leaves(type).map(({ offset }) => offset);
  return debugType === undefined ? [] : scalarOffsets(debugType);
}

const MOST_SCALARS = 100_000;

function keyOf({ name, kind, site }: Omit<Origin, 'cells'>): string {
  const place = site?.position;
  return `${kind} ${name}${place === undefined ? '' : ` ${basename(place.file)}:${place.line}:${place.column}`}`;
}

interface Region {
  readonly objects: MemoryObject[];
  next: number;
  readonly end: number;
}

function placeIn(region: Region, size: number, align: number): number | undefined {
  const address = aligned(region.next, align);
  const next = address + size + gapAfter(size);
  if (next > region.end) return undefined;
  region.next = next;
  return address;
}
