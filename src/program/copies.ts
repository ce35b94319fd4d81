/**
 * Objects as values, where a thread is run again by itself. Run again, it makes new objects, and Object.is tells them from those of the
 * run before, which other threads have got. So what a value is is its number (`Values`), and each run of a thread has a *copy* of an
 * object: the one that it makes itself in that place or, if another made it, one that is made for the run when the value comes
 * to it. Copies are alike in all that can be seen of them, down to their parts and which of these are the same object, so that a
 * thread does with its own copies what it would do with those of others.
 *
 * A run that is spawned has seen what the one that spawns it had by then: it may have got that by a closure, too. So `Layer`s
 * lie on each other: what a run has got, on what the one that spawned it had.
 *
 * That is right as long as no thread has got an object from elsewhere: one that was made before, and that it was told of by a closure, not
 * by an operation. Whatever does not look as it should is refused here, with `false`, and then all threads are run together again and
 * again instead (see `Behaviours`):
 * - What is not made of plain objects and arrays that are frozen, primitive values, and variables (`OpaqueIdentity`).
 * - An object that the same thread, run twice, does not make twice: `meetAgain` finds that it is known. (Not for main before it spawns:
 *   what it does not make was there before.)
 * - An object that is new in a run which has spawned threads: they may have it by a closure, made before they were spawned.
 * - An object that is another one, or looks different, when its thread is run again.
 */
import type { Values } from './values.ts';

/** What a run has: copies by number; and on what that lies. */
export interface Layer {
  copies: Map<number, object>;
  readonly below: Layer | undefined;
}

/**
 * What tells an object that is no plain one, and does not change, from others, in all runs: the number of the variable that it is. A
 * variable that has no number yet is none.
 */
export type OpaqueIdentity = (value: object) => number | undefined;

/** What all runs share. */
export interface Shared {
  readonly values: Values;
  readonly opaque: OpaqueIdentity;
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A frozen object with no more to it than its own properties. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isUsual = Array.isArray(value)
    ? prototype === Array.prototype
    : prototype === Object.prototype || prototype === null;
  if (!isUsual || !Object.isFrozen(value)) return false;
  return Reflect.ownKeys(value).every((key) => {
    const property = Object.getOwnPropertyDescriptor(value, key) as PropertyDescriptor;
    const isLength = key === 'length' && Array.isArray(value);
    return typeof key === 'string' && 'value' in property && (property.enumerable === true || isLength);
  });
}

/** Whether a value is the same in all runs whose Object.is says so. */
export function isPrimitive(value: unknown): boolean {
  return !isObject(value) && typeof value !== 'function' && typeof value !== 'symbol';
}

type Properties = Record<string, unknown>;

/** Of layers that have none so far. */
const none = new Map<number, object>();

const fieldsOf = (value: object): readonly string[] => Object.getOwnPropertyNames(value);

/** What one run of a thread has in the place of each object. */
export class Copies {
  readonly #shared: Shared;
  top: Layer;
  /** Threads that it has spawned may have what it makes. */
  hasSpawned = false;
  /** Whether an object was new since this was last set to false. */
  hasNew = false;

  /** Nobody else runs before: what is there when it starts is there for all, and stays the same object. */
  readonly #isMain: boolean;

  /** `below`: of the run that spawned this one. */
  constructor(shared: Shared, below: Layer | undefined, isMain = false) {
    this.#shared = shared;
    this.#isMain = isMain;
    this.top = { copies: none, below };
  }

  /** For a thread that is spawned now: what it may have by a closure. */
  forChild(): Layer {
    const layer = this.top;
    if (layer.copies.size === 0 && layer.below !== undefined) return layer.below;
    this.top = { copies: none, below: layer };
    return layer;
  }

  #find(id: number): object | undefined {
    for (let layer: Layer | undefined = this.top; layer !== undefined; layer = layer.below) {
      const copy = layer.copies.get(id);
      if (copy !== undefined) return copy;
    }
    return undefined;
  }

  #put(id: number, copy: object): void {
    if (this.top.copies === none) this.top.copies = new Map();
    this.top.copies.set(id, copy);
    this.#shared.values.addCopy(id, copy);
  }

  // -------------------------------------------------------------------------------------------- what the run gets

  /** The copy of an object that the run has; made now if it has none. */
  of(id: number): object {
    const known = this.#find(id);
    if (known !== undefined) return known;
    const { values, opaque } = this.#shared;
    const todo: object[] = [];
    const copyOf = (number: number): object => {
      const had = this.#find(number);
      if (had !== undefined) return had;
      const first = values.valueOf(number) as object;
      if (opaque(first) !== undefined) {
        this.#put(number, first);
        return first;
      }
      const copy: object = Array.isArray(first)
        ? []
        : (Object.create(Object.getPrototypeOf(first) as object) as object);
      this.#put(number, copy);
      todo.push(first, copy);
      return copy;
    };
    const copy = copyOf(id);
    for (let into = todo.pop(); into !== undefined; into = todo.pop()) {
      const first = todo.pop() as Properties;
      for (const field of fieldsOf(first)) {
        const part = first[field];
        const value = isObject(part) ? copyOf(values.idOf(part)) : part;
        if (field === 'length' && Array.isArray(into)) into.length = value as number;
        else Object.defineProperty(into, field, { value, enumerable: true }); // `__proto__` may be a field
      }
      Object.freeze(into);
    }
    return copy;
  }

  // ------------------------------------------------------------------------------------------- what the run makes

  /** The run has this value: it and its parts get their numbers, if they are new. `again`: the same, made once more, if that was tried. */
  meet(value: unknown, again?: unknown): boolean {
    const { values } = this.#shared;
    const todo: [unknown, unknown][] = [[value, again]];
    for (let pair = todo.pop(); pair !== undefined; pair = todo.pop()) {
      const [part, other] = pair;
      if (isPrimitive(part)) continue;
      if (!isObject(part)) return false;
      const id = values.idOfCopy(part);
      if (id !== undefined) {
        if (this.#find(id) !== part) return false;
        continue;
      }
      const isFresh = isObject(other) && other !== part && values.idOfCopy(other) === undefined;
      if (!isFresh) {
        if (this.hasSpawned) return false;
        this.hasNew = true;
      }
      this.#put(values.addObject(part), part);
      if (this.#shared.opaque(part) !== undefined) continue;
      if (!isPlain(part)) return false;
      for (const field of fieldsOf(part)) {
        todo.push([(part as Properties)[field], isFresh ? (other as Properties)[field] : undefined]);
      }
    }
    return true;
  }

  /** The run has this value where an earlier run of the thread had value `id`. */
  meetAgain(value: unknown, id: number): boolean {
    const { values } = this.#shared;
    const todo: [unknown, unknown][] = [[value, values.valueOf(id)]];
    for (let pair = todo.pop(); pair !== undefined; pair = todo.pop()) {
      const [part, before] = pair;
      if (!isObject(part) || !isObject(before)) {
        if (isPrimitive(part) && Object.is(part, before)) continue;
        return false;
      }
      const expected = values.idOf(before);
      const number = values.idOfCopy(part);
      if (number !== undefined && number !== expected) return false;
      if (number !== undefined && this.#find(number) === part) continue;
      if (number !== undefined && !(this.#isMain && part === before)) return false;
      this.#put(expected, part);
      const { opaque } = this.#shared;
      if (opaque(before) !== opaque(part)) return false;
      if (opaque(part) !== undefined) continue;
      if (!isPlain(part) || Object.getPrototypeOf(part) !== Object.getPrototypeOf(before)) return false;
      const fields = fieldsOf(before);
      const own = fieldsOf(part);
      if (fields.length !== own.length) return false;
      for (const [i, field] of fields.entries()) {
        if (own[i] !== field) return false;
        todo.push([(part as Properties)[field], (before as Properties)[field]]);
      }
    }
    return true;
  }
}
