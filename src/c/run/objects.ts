/**
 * The objects that threads may share, by address: global variables, stack objects whose address leaves their thread, and
 * the heap.
 *
 * A thread must know the object at an address without asking anybody, so addresses are never used twice: the k-th object
 * that thread t makes at a place in the program, of a size, has one address for ever (zones.ts).
 */
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { hashOfText } from '../../program/hash.ts';
import type { KnowledgeScope, Learned } from '../../program/knowledge.ts';
import { Location } from '../../program/location.ts';
import {
  ALIVE,
  mutexValue,
  type NameOfThread,
  ProgramRefined,
  type Slice,
  type SourcePosition,
} from '../../program/operation.ts';
import type { CType } from '../ir/debug.ts';
import { leaves, sizeOf } from '../ir/layout.ts';
import type { Type } from '../ir/module.ts';
import { FUTEX, type Site, UNINITIALISED } from '../runtime.ts';
import { aligned, FUNCTIONS, GLOBALS, gapAfter, OBJECTS } from './addresses.ts';
import { Cells } from './cells.ts';
import { type Bits, cellValue } from './encoding.ts';
import { areCellsKept, type CKnowledge, type Division, mergeKnowledge } from './knowledge.ts';
import { nameInside, nameOfRange, nameOfSync, type Shower, scalarOffsets, showFields } from './names.ts';
import { type Nameable, ObjectNames } from './object-names.ts';
import { sliceAt } from './parts.ts';
import { type Identity, Zones } from './zones.ts';

/** A place in the program where objects come from: a variable, or a call of malloc. */
export interface Origin {
  readonly name: string;
  readonly kind: 'global' | 'thread-local' | 'stack' | 'heap';
  /** What lies in it, as far as it is known: of a heap object, of one element. */
  readonly debugType: CType | undefined;
  readonly type: Type | undefined;
  readonly site: Site | undefined;
  readonly cells: Cells;
  /** Tells it from others, in every process; and a hash of that. */
  readonly key: string;
  readonly hash: number;
}

type OriginFields = Omit<Origin, 'cells' | 'key' | 'hash'>;

/** A stack frame that has objects which others may know. */
export interface FrameObjects {
  /** The number of its first object among those of the thread. */
  readonly first: number;
  readonly lifetime: Location;
  readonly named: Nameable;
}

/** A location of an object. */
class Place extends Location {
  constructor(
    readonly address: number,
    ...rest: ConstructorParameters<typeof Location>
  ) {
    super(...rest);
  }
}

/** A piece of an object's bytes. */
export class Cell extends Place {
  /** For whoever watches who accesses it: what stands for the last one. */
  era: object | undefined = undefined;
}

export function isCell(location: Location): location is Cell {
  return location instanceof Cell;
}

/** Where a location lies; -1 if it is none of an object. */
export function addressOf(location: Location): number {
  return location instanceof Place ? location.address : -1;
}

export class MemoryObject implements Identity {
  /** By offset: its cells that were accessed. */
  readonly #cells = new Map<number, Location>();
  readonly #slices = new Map<string, Slice>();
  readonly #sync = new Map<string, Location>();
  readonly #names: ObjectNames;
  readonly thread: number;
  readonly number: number;
  readonly origin: Origin;
  readonly size: number;
  readonly align: number;
  readonly initialKind: number;
  readonly frame: number;
  /** Of a heap object its own, of a stack object that of its stack frame. */
  readonly lifetime: Location | undefined;

  constructor(
    readonly address: number,
    { thread, number, origin, size, align, initialKind, frame }: Identity & { readonly origin: Origin },
    /** undefined: it was never written. */
    readonly initial: Initial,
    frameLifetime: Location | undefined,
    names: ObjectNames,
    readonly shower: Shower,
  ) {
    this.thread = thread;
    this.number = number;
    this.origin = origin;
    this.size = size;
    this.align = align;
    this.initialKind = initialKind;
    this.frame = frame;
    this.#names = names;
    const isMortal = origin.kind !== 'global';
    this.lifetime = isMortal ? (frameLifetime ?? newLifetime(() => this.name, origin.site?.position)) : undefined;
  }

  /** It depends on the run that is recorded (`Objects.nameAnew`). */
  get name(): string {
    return this.#names.nameOf(this);
  }

  /** What lies in it, as far as it is known; on the heap that, too, may depend on the run that is recorded. */
  get #type(): CType | undefined {
    return this.origin.debugType ?? this.#names.learnedTypeOf(this);
  }

  /** Whether it may be one thing of a type, or several, of which one starts at an address (undefined: where is not known). */
  mayBe(type: CType, start: number | undefined): boolean {
    if (type.kind === 'function' || type.size === 0 || type.size > this.size) return false;
    if (start === this.address) return true;
    return this.size % type.size === 0 && (start === undefined || (start - this.address) % type.size === 0);
  }

  /** The name of what lies at an offset: see `nameInside`. */
  nameOfPart(offset: number, size: number): string {
    return this.#names.nameOf(this, (name) => nameInside(name, this.#type, offset, size, this.size).name);
  }

  /** A value of what lies at an offset. */
  showPart(offset: number, size: number, value: unknown): string {
    const { type, fields } = nameInside('', this.#type, offset, size, this.size);
    return fields === undefined ? this.shower(value, type, size) : showFields(value, fields);
  }

  /** The name of `count` bytes from an offset on. */
  nameOfRange(offset: number, count: number): string {
    return this.#names.nameOf(this, (name) => nameOfRange(name, this.#type, offset, count, this.size));
  }

  /** The cell at an offset, which is one of `origin.cells`. */
  cell(offset: number, size: number): Location {
    const known = this.#cells.get(offset);
    if (known !== undefined) return known;
    const name = (): string => this.nameOfPart(offset, size);
    const show = (value: unknown): string => this.showPart(offset, size, value);
    const initial = this.#initialValue(offset, size);
    const { site } = this.origin;
    const location = new Cell(this.address + offset, 'shared', initial, name, site?.position, this.lifetime, show);
    this.#cells.set(offset, location);
    return location;
  }

  /** `count` bytes at an offset, which are part of the cell at `start` of `size` bytes. */
  slice(offset: number, count: number, start: number, size: number): Slice {
    const key = `${offset} ${count}`;
    const known = this.#slices.get(key);
    if (known !== undefined) return known;
    const name = (): string => this.nameOfPart(offset, count);
    const show = (value: unknown): string => this.showPart(offset, count, value);
    const slice = sliceAt(offset - start, count, size, name, show);
    this.#slices.set(key, slice);
    return slice;
  }

  /**
   * The synchronisation object at an offset, beside the bytes. It starts as one that was initialised statically, because an
   * initialiser that is assigned (`m = PTHREAD_MUTEX_INITIALIZER`) is nothing but a write of bytes.
   */
  sync(offset: number, kind: 'mutex' | 'atomic', role: string): Location {
    const key = `${offset} ${role}`;
    const known = this.#sync.get(key);
    if (known !== undefined) return known;
    const own = (): string => this.#names.nameOf(this, (whole) => nameOfSync(whole, this.#type, offset, this.size));
    const name = role === FUTEX ? (): string => `${FUTEX} ${own()}` : own; // beside a word that has the name
    const initial = kind === 'mutex' ? this.#initialMutex(offset) : 0;
    const { site } = this.origin;
    const location = new Place(this.address + offset, kind, initial, name, site?.position, this.lifetime, showSync);
    this.#sync.set(key, location);
    return location;
  }

  /** The first word of a static initialiser is the type of the mutex. */
  #initialMutex(offset: number): number {
    const isInside = typeof this.initial === 'object' && offset + 4 <= this.size;
    const word = isInside ? this.#initialValue(offset, 4) : 0;
    return mutexValue(word === 1 || word === 2 ? word : 0, false);
  }

  /** Its cells were divided anew. */
  forgetCells(): void {
    this.#cells.clear();
    this.#slices.clear();
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

type Initial = Bits | 'zero' | undefined;

const newLifetime = (name: string | (() => string), position: SourcePosition | undefined): Location =>
  new Location('lifetime', ALIVE, name, position);

export class Objects {
  /** In the order of their addresses. */
  readonly #globals: MemoryObject[] = [];
  #nextGlobal = GLOBALS + gapAfter(0);
  readonly #zones: Zones<MemoryObject>;
  readonly #names = new ObjectNames();
  readonly #frames = new Map<string, FrameObjects>();
  readonly shower: Shower;
  /** From another run of the program. */
  #known: CKnowledge;
  readonly #cells = new Map<string, Cells>();
  readonly #heap = new Map<string, Origin>();
  /** The calls of malloc whose objects have origins of their own. */
  #split: ReadonlySet<string>;

  constructor(shower: Shower, known: CKnowledge) {
    this.shower = shower;
    this.#known = known;
    this.#split = new Set(known.split);
    this.#zones = new Zones(known.displaced);
  }

  /** What was found out so far: of executions, or all of it (see `Division.isSimple`). */
  knowledge(scope: KnowledgeScope): CKnowledge {
    const met = [...this.#cells].filter(([origin]) => !this.#split.has(origin));
    const divisions = met.flatMap(([origin, cells]): Division[] => {
      const { all, division } = cells;
      if (division.length > 0) return [{ origin, cells: division }];
      return scope === 'executions' || all.length === 0 ? [] : [{ origin, cells: all, isSimple: true }];
    });
    const notMet = this.#known.divisions.filter(
      ({ origin, isSimple }) =>
        !this.#cells.has(origin) && !this.#split.has(origin) && (scope === 'search' || isSimple !== true),
    );
    return { divisions: [...divisions, ...notMet], split: [...this.#split], displaced: this.#zones.displaced };
  }

  /** Takes in what another process knows: see `Program.learn`. */
  learn(other: CKnowledge): Learned {
    const own = this.knowledge('search');
    const merged = mergeKnowledge(own, other);
    if (isDeepStrictEqual(own, merged)) return areCellsKept(other, merged) && this.#agrees(other) ? 'known' : 'void';
    const holds = areCellsKept(own, merged) && areCellsKept(other, merged) && this.#agrees(other);
    this.#known = merged;
    this.#split = new Set(merged.split);
    if (holds) this.#zones.forget(({ origin }) => this.#split.has(origin.key));
    else this.#forgetCells();
    for (const key of [...this.#heap.keys()].filter((key) => !holds || this.#split.has(key))) {
      this.#heap.delete(key);
      this.#cells.delete(key);
    }
    for (const { origin, cells, isSimple } of merged.divisions) {
      this.#cells.get(origin)?.become(cells, isSimple !== true);
    }
    this.#zones.become(merged.displaced);
    return holds ? 'new' : 'void';
  }

  #agrees({ displaced }: CKnowledge): boolean {
    return this.#zones.agreesWith(displaced);
  }

  /** A run that is recorded begins: see `ObjectNames`. What it returns takes that back. */
  nameAnew(nameOfThread: NameOfThread): () => void {
    return this.#names.beginAnew(nameOfThread);
  }

  learnType(object: MemoryObject, type: CType): void {
    this.#names.learn(object, type);
  }

  /** The program's own places get theirs before it runs, in the same order each time. */
  origin(fields: OriginFields): Origin {
    const plain = keyOf(fields);
    let key = plain;
    for (let i = 2; this.#cells.has(key); i++) key = `${plain} (${i})`; // inlined twice
    return { ...fields, key, hash: hashOfText(key), cells: this.#newCells(fields, key, undefined) };
  }

  /**
   * Where the k-th object of thread t comes from: a call of malloc. Different things may come from one call, if it stands in a
   * function that others use to allocate. So when accesses to objects of one call do not fit together, each object gets
   * an origin of its own.
   */
  heapOrigin(fields: OriginFields, t: number, k: number): Origin {
    const key = keyOf(fields);
    const isSplit = this.#split.has(key);
    const own = isSplit ? `${key} #${t}.${k}` : key;
    const known = this.#heap.get(own);
    if (known !== undefined) return known;
    const onClash = (): void => {
      this.#split = new Set([...this.#split, key]);
      this.#forgetCells();
      throw new ProgramRefined();
    };
    const cells = this.#newCells(fields, own, isSplit ? undefined : onClash);
    const origin = { ...fields, key, hash: hashOfText(key), cells };
    this.#heap.set(own, origin);
    return origin;
  }

  #newCells(fields: OriginFields, key: string, onClash: (() => void) | undefined): Cells {
    const known = this.#known.divisions.find((division) => division.origin === key);
    const scalars = (): readonly number[] => scalarsOf(fields.type, fields.debugType);
    const cells = new Cells(() => this.#forgetCells(), known, onClash, scalars);
    this.#cells.set(key, cells);
    return cells;
  }

  addGlobal(origin: Origin, size: number, align: number, initial: Bits | 'zero'): MemoryObject {
    const address = aligned(this.#nextGlobal, Math.max(align, 16));
    this.#nextGlobal = address + size + gapAfter(size);
    if (this.#nextGlobal > FUNCTIONS) throw new Error('the global variables need too much memory');
    const number = this.#globals.length;
    const identity = { thread: 0, number, origin, size, align, initialKind: kindOf(initial), frame: -1 };
    const object = new MemoryObject(address, identity, initial, undefined, this.#names, this.shower);
    this.#globals.push(object);
    this.#names.noteGlobal(object);
    return object;
  }

  /** The k-th object of thread t; undefined if there is no room. */
  make(
    t: number,
    k: number,
    origin: Origin,
    size: number,
    align: number,
    initial: Initial,
    frame: FrameObjects | undefined,
  ): MemoryObject | undefined {
    const initialKind = kindOf(initial);
    const identity = { thread: t, number: k, origin, size, align, initialKind, frame: frame?.first ?? -1 };
    const found = this.#zones.find(identity);
    if (found === undefined) return undefined;
    if (typeof found !== 'number') return this.#made(found);
    const object = new MemoryObject(found, identity, initial, frame?.lifetime, this.#names, this.shower);
    this.#zones.add(object);
    return this.#made(object);
  }

  #made(object: MemoryObject): MemoryObject {
    this.#names.note(object);
    return object;
  }

  /** The stack objects of one call, whose first is the k-th object of thread t. */
  newFrame(t: number, k: number, functionName: string): FrameObjects {
    const key = `${t} ${k} ${functionName}`;
    const known = this.#frames.get(key);
    if (known !== undefined) this.#names.note(known.named);
    if (known !== undefined) return known;
    const origin = { name: `the variables of ${functionName}`, kind: 'stack', site: undefined } as const;
    const named: Nameable = { thread: t, origin };
    const frame = { first: k, lifetime: newLifetime(() => this.#names.nameOf(named), undefined), named };
    this.#names.note(named);
    this.#frames.set(key, frame);
    return frame;
  }

  /** The object that an address lies in, or, if it lies in none, one that ends before it. */
  at(address: number): MemoryObject | undefined {
    if (address >= OBJECTS) return this.#zones.at(address);
    if (address < GLOBALS || address >= FUNCTIONS) return undefined;
    const objects = this.#globals;
    let low = 0;
    let high = objects.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((objects[middle] as MemoryObject).address <= address) low = middle + 1;
      else high = middle;
    }
    return objects[low - 1];
  }

  /** They are divided anew. */
  #forgetCells(): void {
    for (const object of this.#globals) object.forgetCells();
    this.#zones.clear();
  }
}

/** Told apart, because objects that begin differently are different objects. */
function kindOf(initial: Initial): number {
  return initial === undefined ? 0 : initial === 'zero' ? 1 : 2;
}

/** Where the scalars of a type begin. Memory from malloc has no type of its own, only what a pointer to it says. */
function scalarsOf(type: Type | undefined, debugType: CType | undefined): readonly number[] {
  if (type !== undefined) return sizeOf(type) > MOST_SCALARS ? [] : leaves(type).map(({ offset }) => offset);
  return debugType === undefined ? [] : scalarOffsets(debugType);
}

const MOST_SCALARS = 100_000;

function keyOf({ name, kind, site }: OriginFields): string {
  const place = site?.position;
  return `${kind} ${name}${place === undefined ? '' : ` ${basename(place.file)}:${place.line}:${place.column}`}`;
}
