/**
 * Where stack and heap objects lie. The address of an object is a function of which object it is (its thread, its number in the
 * thread, the place in the program that makes it, its size), so that it is the same in all executions, searches and processes.
 *
 * Memory is divided into zones, one for each size of slots, and an object has a slot of its own, with room left after it. Which
 * one, a hash says: objects that one call makes one after the other lie side by side. If the slot is another object's, the
 * object is *displaced*; that depends on which of them was made first, so displaced objects are written down (`knowledge.ts`).
 * So are those that are too large for any slot.
 */
import { mixed, SEED } from '../../program/hash.ts';
import { aligned, END, gapAfter, LARGE_OBJECTS, LARGEST_SLOT, OBJECTS, SMALLEST_SLOT, ZONE_BITS } from './addresses.ts';
import { type Displaced, excludes } from './knowledge.ts';

/** Which object it is. Its address depends on nothing else. */
export interface Identity {
  readonly thread: number;
  /** Which one it is of the objects that the thread makes. */
  readonly number: number;
  /** The place in the program that makes it. */
  readonly origin: { readonly key: string; readonly hash: number };
  readonly size: number;
  readonly align: number;
  /** What it holds at first, as a number. */
  readonly initialKind: number;
  /** Of a stack object: the number of the first object of its stack frame; else -1. */
  readonly frame: number;
}

interface Placed extends Identity {
  readonly address: number;
}

/** Each step to another slot: an odd number, so that all of them are tried. */
const STRIDE = 0x9e37;

export class Zones<T extends Placed> {
  /** By address of the slot. */
  readonly #slots = new Map<number, T>();
  /** By object: those that lie elsewhere than in the slot of their hash. */
  readonly #displaced = new Map<string, Displaced>();
  /** The slots of displaced objects, made or known of. */
  readonly #reserved = new Set<number>();
  /** In the order of their addresses. */
  readonly #large: T[] = [];
  #nextLarge = LARGE_OBJECTS;

  constructor(known: readonly Displaced[]) {
    this.become(known);
  }

  get displaced(): Displaced[] {
    return [...this.#displaced.values()];
  }

  /**
   * Whether no object lies elsewhere in another process, which has displaced these. An object that is displaced here and unknown
   * there may lie in its own slot there, if it has one.
   */
  agreesWith(others: readonly Displaced[]): boolean {
    const byObject = new Map(others.map((other) => [other.object, other]));
    for (const own of this.#displaced.values()) {
      const other = byObject.get(own.object);
      if (other === undefined ? own.address < LARGE_OBJECTS : own.address !== other.address) return false;
    }
    const unknown = others.filter(({ object }) => !this.#displaced.has(object));
    if (unknown.length === 0) return true;
    const atHome = new Set([...this.#slots.values()].map(keyOf));
    return unknown.every((other) => {
      const isTaken = this.#slots.has(other.address) || this.displaced.some((own) => excludes(own, other));
      return !isTaken && !atHome.has(other.object);
    });
  }

  /** From now on these are the displaced objects; if others were, all objects must have been forgotten (`clear`). */
  become(displaced: readonly Displaced[]): void {
    this.#displaced.clear();
    this.#reserved.clear();
    this.#nextLarge = LARGE_OBJECTS;
    for (const each of displaced) this.#displace(each);
  }

  /** The object, made before in whatever execution; or an address for it, undefined if there is no room. */
  find(identity: Identity): T | number | undefined {
    const slot = slotOf(identity);
    const home = slot === undefined ? undefined : homeOf(identity, slot);
    const there = home === undefined ? undefined : this.#slots.get(home);
    if (there !== undefined && isSame(there, identity)) return there;
    const object = keyOf(identity);
    const displaced = this.#displaced.get(object);
    if (displaced !== undefined) return this.#at(displaced.address) ?? displaced.address;
    if (home !== undefined && this.#isFree(home)) return home;
    const address = this.#otherPlace(identity, slot, home);
    if (address !== undefined) this.#displace({ object, address, size: identity.size });
    return address;
  }

  add(object: T): void {
    if (object.address < LARGE_OBJECTS) {
      this.#slots.set(object.address, object);
      return;
    }
    const place = this.#large.findIndex(({ address }) => address > object.address);
    this.#large.splice(place === -1 ? this.#large.length : place, 0, object);
  }

  /** The object that an address lies in, or, if it lies in none, the one that ends before it in the same slot. */
  at(address: number): T | undefined {
    if (address >= LARGE_OBJECTS) return this.#large.findLast((object) => object.address <= address);
    const bits = SMALLEST_SLOT + ((address - OBJECTS) >> ZONE_BITS);
    return this.#slots.get((address >> bits) << bits);
  }

  /** Forgets some objects; made again, they lie where they lay. */
  forget(isForgotten: (object: T) => boolean): void {
    for (const [slot, object] of this.#slots) if (isForgotten(object)) this.#slots.delete(slot);
    const large = this.#large.filter((object) => !isForgotten(object));
    this.#large.splice(0, this.#large.length, ...large);
  }

  /** Forgets all objects; made again, they lie where they lay. */
  clear(): void {
    this.#slots.clear();
    this.#large.length = 0;
  }

  #at(address: number): T | undefined {
    const object = this.at(address);
    return object?.address === address ? object : undefined;
  }

  #isFree(slot: number): boolean {
    return !this.#slots.has(slot) && !this.#reserved.has(slot);
  }

  #otherPlace({ size, align }: Identity, slot: number | undefined, home: number | undefined): number | undefined {
    if (slot !== undefined && home !== undefined) {
      const zone = zoneOf(slot);
      for (let i = 1; i < 1 << (ZONE_BITS - slot); i++) {
        const other = zone + ((home - zone + ((i * STRIDE) << slot)) & ((1 << ZONE_BITS) - 1));
        if (this.#isFree(other)) return other;
      }
    }
    const address = aligned(this.#nextLarge, Math.max(align, 16));
    return address + size + gapAfter(size) > END ? undefined : address;
  }

  #displace(displaced: Displaced): void {
    const { object, address, size } = displaced;
    this.#displaced.set(object, displaced);
    if (address < LARGE_OBJECTS) this.#reserved.add(address);
    else this.#nextLarge = Math.max(this.#nextLarge, address + size + gapAfter(size));
  }
}

/** The size of slots for an object, as a power of 2; undefined if none is large enough. */
function slotOf({ size, align }: Identity): number | undefined {
  const needed = Math.max(size + gapAfter(size), align);
  const bits = needed <= 1 << SMALLEST_SLOT ? SMALLEST_SLOT : 32 - Math.clz32(needed - 1);
  return needed > 1 << LARGEST_SLOT ? undefined : bits;
}

function zoneOf(slot: number): number {
  return OBJECTS + (slot - SMALLEST_SLOT) * (1 << ZONE_BITS);
}

function homeOf({ thread, number, origin, size, align, initialKind }: Identity, slot: number): number {
  const hash = mixed(mixed(mixed(mixed(mixed(SEED, origin.hash), thread), size), align), initialKind);
  return zoneOf(slot) + (((hash + number) << slot) & ((1 << ZONE_BITS) - 1));
}

function isSame(a: Identity, b: Identity): boolean {
  return (
    a.number === b.number &&
    a.thread === b.thread &&
    a.origin.key === b.origin.key &&
    a.size === b.size &&
    a.align === b.align &&
    a.initialKind === b.initialKind &&
    a.frame === b.frame
  );
}

function keyOf({ thread, number, origin, size, align, initialKind, frame }: Identity): string {
  return [thread, number, size, align, initialKind, frame, origin.key].join(' ');
}
