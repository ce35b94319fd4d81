/** The locations of one epoch of `Behaviours`, by number, and what explorers ask about them. */
import { type Column, grown, NONE } from './columns.ts';
import type { Location, LocationKind } from './location.ts';
import type { LocationKeys } from './location-keys.ts';
import type { SourcePosition } from './operation.ts';

export interface LocationInfo {
  readonly kind: LocationKind;
  readonly name: string | undefined;
  readonly initial: unknown;
  readonly position: SourcePosition | undefined;
  readonly show: ((value: unknown) => string) | undefined;
}

/** What is known of a location, as bits. They are only ever set: that some state accesses it so, not that one will. */
export const Trait = {
  PLAIN: 1,
  ATOMIC: 2,
  /** It is part of an object that can be freed. */
  MORTAL: 4,
  /** It is the lifetime of an object, */
  LIFETIME: 8,
  /** on the heap. */
  HEAP: 16,
  MUTEX: 32,
} as const;

export class LocationTable {
  readonly infos: LocationInfo[] = [];
  traits: Column = new Int32Array(16);
  /** The lifetime (a location) of the object that a location is part of, or NONE. */
  lifetime: Column = new Int32Array(16);
  /** What the location is known by in all epochs. */
  key: Column = new Int32Array(16);
  readonly #keys: LocationKeys;
  /** Whether accesses can race at all, and whether atomic ones can: programs without such locations pay nothing. */
  hasPlain = false;
  hasMixed = false;
  hasLifetimes = false;
  hasHeap = false;
  /** By lifetime: the thread that allocates its object on the heap. */
  readonly #allocators = new Map<number, number>();
  /** By lifetime: the locations of its object that are known. */
  readonly #parts = new Map<number, number[]>();
  /** Locations that were made outside of any thread. */
  readonly #numbers = new Map<Location, number>();

  constructor(keys: LocationKeys) {
    this.#keys = keys;
  }

  /** Numbers a location that the running thread t has just made, its k-th. */
  adopt(location: Location, t: number, k: number): void {
    location.epoch = this;
    location.id = this.#enlist(location, this.#keys.made(t, k));
  }

  /** A location that was made before, as number `id`, is made again. */
  adoptAgain(location: Location, id: number): void {
    location.epoch = this;
    location.id = id;
  }

  /** The number of a location; undefined: it has none so far. */
  knownNumberOf(location: Location): number | undefined {
    return location.epoch === this ? location.id : this.#numbers.get(location);
  }

  /** The number of a location; one made outside of any thread gets it here. */
  numberOf(location: Location): number {
    if (location.epoch === this) return location.id;
    const known = this.#numbers.get(location);
    if (known !== undefined) return known;
    const id = this.#enlist(location, this.#keys.other(location));
    this.#numbers.set(location, id);
    return id;
  }

  /** The locations of the object with this lifetime, as far as they are known. */
  partsOf(lifetime: number): readonly number[] {
    return this.#parts.get(lifetime) ?? noParts;
  }

  /** Some state accesses the location so. */
  noteAccess(id: number, isPlain: boolean): void {
    this.#addTraits(id, isPlain ? Trait.PLAIN : Trait.ATOMIC);
    if (isPlain) this.hasPlain = true;
    const mixed = Trait.PLAIN | Trait.ATOMIC;
    if ((this.traits[id]! & mixed) === mixed) this.hasMixed = true;
  }

  /** Some state of the thread allocates an object on the heap, with this lifetime. */
  noteHeap(id: number, thread: number): void {
    this.#addTraits(id, Trait.HEAP);
    this.#allocators.set(id, thread);
    this.hasHeap = true;
  }

  /** The thread that allocates the object with this lifetime; NONE: it is not on the heap. */
  allocatorOf(lifetime: number): number {
    return this.#allocators.get(lifetime) ?? NONE;
  }

  #addTraits(id: number, traits: number): void {
    this.traits[id] = this.traits[id]! | traits;
  }

  #enlist(location: Location, key: number): number {
    const { kind, initial, position, show } = location;
    const lifetime = location.lifetime === undefined ? NONE : this.numberOf(location.lifetime);
    const id = this.infos.length;
    const info: LocationInfo = {
      kind,
      initial,
      position,
      show,
      get name() {
        return location.name; // it may depend on what comes later: see `Program.nameAnew`
      },
    };
    this.infos.push(info);
    if (id >= this.lifetime.length) {
      this.lifetime = grown(this.lifetime, id + 1);
      this.traits = grown(this.traits, id + 1);
      this.key = grown(this.key, id + 1);
    }
    this.key[id] = key;
    this.lifetime[id] = lifetime;
    if (kind === 'mutex') this.#addTraits(id, Trait.MUTEX);
    if (kind === 'lifetime') {
      this.hasLifetimes = true;
      this.#addTraits(id, Trait.LIFETIME);
    }
    if (lifetime !== NONE) this.#addPart(lifetime, id);
    return id;
  }

  #addPart(lifetime: number, id: number): void {
    this.#addTraits(id, Trait.MORTAL);
    const parts = this.#parts.get(lifetime);
    if (parts === undefined) this.#parts.set(lifetime, [id]);
    else parts.push(id);
  }
}

const noParts: readonly number[] = [];
