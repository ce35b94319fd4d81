/** An access to several cells as one line of a report has it: `point = {1, 2}`, `name → "ab"`. Made in runs that are recorded. */
import type { Location } from '../../program/location.ts';
import type { PartOfAccess, Slice } from '../../program/operation.ts';
import { listed, textOf } from './names.ts';
import type { MemoryObject } from './objects.ts';

/** More values than these would make a line too long. */
const MOST_VALUES = 4;

interface Range {
  readonly object: MemoryObject;
  readonly start: number;
  readonly count: number;
}

export class Aggregate {
  #parts = 0;
  #read: Range | undefined;
  #written: Range | undefined;
  #values: Held[] = [];
  /** What all of its bytes become, if it fills; `scalar`: it is one thing, only in several cells. */
  readonly #is: number | 'scalar' | undefined;

  constructor(is?: number | 'scalar') {
    this.#is = is;
  }

  /** From here on its operations read this. */
  reads(object: MemoryObject, start: number, count: number): void {
    this.#read = { object, start, count };
  }

  /** From here on they write this: what is written is of more interest than what was read. */
  writes(object: MemoryObject, start: number, count: number): void {
    this.#written = { object, start, count };
    this.#values = [];
  }

  next(): PartOfAccess {
    return { index: this.#parts++, whole: () => this.#inWords() };
  }

  /** What its last operation has read or written; `size`: in bytes. */
  add({ location, slice }: Accessed, value: unknown, size: number): void {
    this.#values.push({ location: slice ?? location, value, size });
  }

  #inWords(): string {
    const range = this.#written ?? this.#read;
    if (this.#is === 'scalar' && range !== undefined) return this.#scalarInWords(range);
    const values = typeof this.#is === 'number' ? filledWith(this.#is) : shown(this.#values);
    if (this.#written === undefined) return `${nameOf(this.#read)} → ${values}`;
    const from = this.#read === undefined ? '' : `${nameOf(this.#read)}: `;
    return `${nameOf(this.#written)} = ${from}${values}`;
  }

  #scalarInWords({ object, start, count }: Range): string {
    let [value, bits] = [0n, 0n];
    for (const held of this.#values) {
      const part = BigInt.asUintN(held.size * 8, BigInt(typeof held.value === 'string' ? 0 : (held.value as number)));
      value |= part << bits;
      bits += BigInt(held.size * 8);
    }
    const whole = BigInt.asIntN(count * 8, value);
    const text = object.showPart(start, count, count <= 4 ? Number(whole) : whole);
    return `${object.nameOfPart(start, count)} ${this.#written === undefined ? '→' : '='} ${text}`;
  }
}

/** A location, or a part of it. */
interface Accessed {
  readonly location: Location;
  readonly slice?: Slice | undefined;
}

interface Held {
  readonly location: Pick<Location, 'show'>;
  readonly value: unknown;
  readonly size: number;
}

function nameOf(range: Range | undefined): string {
  return range === undefined ? '?' : range.object.nameOfRange(range.start, range.count);
}

/** As C has it for zeros. */
function filledWith(byte: number): string {
  return byte === 0 ? '{0}' : `{0x${byte.toString(16)}, …}`;
}

function shown(held: readonly Held[]): string {
  const text = textOf(held.map(({ value, size }) => (size === 1 && typeof value === 'number' ? value & 0xff : -1)));
  if (text !== undefined) return text;
  const values = held.map(({ location, value }) => location.show?.(value) ?? String(value));
  const [first] = values;
  if (values.length > MOST_VALUES && values.every((value) => value === first)) return `{${first}, …}`;
  return first !== undefined && values.length === 1 ? first : listed(values, MOST_VALUES);
}
