/**
 * Objects as values, followed from run to run. A thread that is run again makes its objects again, and `Object.is` tells the new ones
 * from the old. But a thread is deterministic: what it shows on the way into a state it shows there in every run, so an object is known
 * by the state in which a thread has shown it first (its *maker*), and by its place among those shown there. It keeps its number, and
 * each run has an object of its own for it.
 *
 * Only objects that cannot change are followed: plain ones and arrays that are frozen with all they hold, and in them atomics, shared
 * variables and mutexes, which stand for locations. So it does not matter how far the thread that made an object has run since. What
 * holds anything else (instances of classes, functions, symbols) is not followed: `isLost`.
 */
import { types } from 'node:util';
import { NONE } from './columns.ts';
import { type Location, locationBehind } from './location.ts';

/** What an object holds: its keys, and by key the number of a value, or a location. */
interface Content {
  readonly prototype: unknown;
  readonly keys: readonly PropertyKey[];
  readonly parts: readonly number[];
}

/** A location among the parts: numbers below 0. */
const partOfLocation = (location: number): number => -1 - location;

/** Who numbers all other values, and locations. */
interface Numbers {
  /** The objects by number, as the run at hand has them. */
  readonly byId: unknown[];
  idOf(value: unknown): number;
  numberOf(location: Location): number;
}

export class FollowedObjects {
  readonly #numbers: Numbers;
  readonly #ids = new WeakMap<object, number>();
  /** By number. */
  readonly #makers = new Map<number, number>();
  readonly #contents = new Map<number, Content>();
  /** The run in which the object was met last. */
  readonly #metIn = new Map<number, number>();
  /** The run at hand. */
  run = 0;
  /** The state that a thread is on its way into; NONE: none is on its way into a new one. */
  maker = NONE;
  /** Numbers of objects that were known before and were shown by the thread on its way into that state. */
  readonly shown: number[] = [];
  /** Something came by that cannot be followed; or an object has two numbers, as two threads had it from elsewhere. */
  isLost = false;

  constructor(numbers: Numbers) {
    this.#numbers = numbers;
  }

  /** The state in which the object with this number was shown first; NONE: it is the same in every run, or no object. */
  makerOf(id: number): number {
    return this.#makers.get(id) ?? NONE;
  }

  /** Whether the run at hand has an object for the number. */
  isAtHand(id: number): boolean {
    return this.makerOf(id) === NONE || this.#metIn.get(id) === this.run;
  }

  /** The number of an object (or a function, or a symbol) that a thread shows. */
  idOf(value: object): number {
    const known = this.#ids.get(value);
    if (known !== undefined) {
      if (this.maker !== NONE) this.shown.push(known);
      return known;
    }
    const id = this.#enlist(value);
    const todo = [id];
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) this.#describe(next, todo);
    return id;
  }

  #enlist(value: object): number {
    const id = this.#numbers.byId.push(value) - 1;
    this.#ids.set(value, id);
    if (this.maker !== NONE) {
      this.#makers.set(id, this.maker);
      this.#metIn.set(id, this.run);
    }
    return id;
  }

  /** Notes what the object holds. Parts that are new are to be described, too. */
  #describe(id: number, todo: number[]): void {
    const value = this.#numbers.byId[id] as object;
    if (!isFixed(value)) {
      this.isLost = true;
      return;
    }
    const keys = Reflect.ownKeys(value);
    const parts = keys.map((key) => this.#partOf((value as Record<PropertyKey, unknown>)[key], todo));
    this.#contents.set(id, { prototype: Object.getPrototypeOf(value), keys, parts });
  }

  #partOf(part: unknown, todo: number[]): number {
    if (!hasIdentity(part)) return this.#numbers.idOf(part);
    if (typeof part === 'symbol') return this.#numbers.idOf(part); // which is lost by that
    const location = locationBehind(part);
    if (location !== undefined) return partOfLocation(this.#numbers.numberOf(location));
    const known = this.#ids.get(part);
    if (known !== undefined) {
      if (this.maker !== NONE) this.shown.push(known);
      return known;
    }
    const id = this.#enlist(part);
    todo.push(id);
    return id;
  }

  /** A thread that is run again shows `value` where it has shown the one with this number. Returns whether it can be the same. */
  meetAgain(id: number, value: unknown): boolean {
    const todo: [number, unknown][] = [[id, value]];
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      if (!this.#meet(next[0], next[1], todo)) return false;
    }
    return true;
  }

  #meet(id: number, value: unknown, todo: [number, unknown][]): boolean {
    if (!hasIdentity(value)) return this.#numbers.idOf(value) === id;
    const { byId } = this.#numbers;
    if (!hasIdentity(byId[id])) return false;
    const isMet = this.#metIn.get(id) === this.run;
    if (isMet && byId[id] === value) return true;
    const known = this.#ids.get(value);
    if ((isMet && this.makerOf(id) !== NONE) || (known !== undefined && known !== id)) this.isLost = true;
    byId[id] = value;
    this.#metIn.set(id, this.run);
    const content = this.#contents.get(id);
    if (content === undefined) return true; // it is lost anyway
    if (known === undefined) this.#ids.set(value, id);
    const { prototype, keys, parts } = content;
    const now = Reflect.ownKeys(value);
    if (now.length !== keys.length || Object.getPrototypeOf(value) !== prototype) return false;
    return keys.every((key, i) => {
      if (now[i] !== key) return false;
      const part: unknown = (value as Record<PropertyKey, unknown>)[key];
      const before = parts[i] as number;
      const location = hasIdentity(part) ? locationBehind(part) : undefined;
      if (location !== undefined) return before === partOfLocation(this.#numbers.numberOf(location));
      if (before < 0) return false;
      if (!hasIdentity(part)) return this.#numbers.idOf(part) === before;
      todo.push([before, part]);
      return true;
    });
  }

  /** Whether who has the object with number `from` has that with number `id`, too. */
  reaches(from: number, id: number): boolean {
    if (from === id) return true;
    if (!this.#contents.has(from)) return false;
    const seen = new Set([from]);
    for (const each of seen) {
      for (const part of this.#contents.get(each)?.parts ?? []) {
        if (part === id) return true;
        if (this.#contents.has(part)) seen.add(part);
      }
    }
    return false;
  }
}

/** Whether the identity of a value depends on the run that made it. */
export function hasIdentity(value: unknown): value is object {
  const type = typeof value;
  return (type === 'object' && value !== null) || type === 'function' || type === 'symbol';
}

/** Whether it is an object that stays as it is, apart from what it holds. */
function isFixed(value: object): boolean {
  if (typeof value !== 'object' || !Object.isFrozen(value) || types.isProxy(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === Object.prototype || prototype === null;
  if (!isPlain && !(Array.isArray(value) && prototype === Array.prototype)) return false;
  return Reflect.ownKeys(value).every((key) => typeof key === 'string' && isData(value, key));
}

function isData(value: object, key: string): boolean {
  return 'value' in (Object.getOwnPropertyDescriptor(value, key) as PropertyDescriptor);
}
