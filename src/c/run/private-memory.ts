/**
 * Memory that a thread accesses without operations: constants, and what never leaves the thread. Each byte has a state, so that
 * bad accesses are found: between two objects there are bytes that belong to none.
 */
import { alignOf, sizeOf } from '../ir/layout.ts';
import type { Type } from '../ir/module.ts';
import { type CValue, type IfUnset, isPartlySet } from '../runtime.ts';
import { aligned, CONSTANTS, gapAfter, PRIVATE, PRIVATE_LIMIT, STACK } from './addresses.ts';
import { type Bits, cellValue, decode, encode, spread, storeSize } from './encoding.ts';

const State = { NOWHERE: 0, UNSET: 1, SET: 2, DEAD: 3 } as const;

/** Why an access is wrong. */
export type Fault =
  | 'out-of-bounds'
  | 'use-after-free'
  | 'uninitialised-read'
  | 'read-only'
  | 'stack-overflow'
  | 'no-room';

export class PrivateFault extends Error {
  constructor(readonly fault: Fault) {
    super(fault);
  }
}

export interface Segment {
  data: Uint8Array;
  state: Uint8Array;
  /** Where the next object goes. */
  next: number;
}

export function newSegment(): Segment {
  return { data: new Uint8Array(256), state: new Uint8Array(256), next: gapAfter(0) };
}

function copyOf(segment: Segment): Segment {
  return { data: segment.data.slice(), state: segment.state.slice(), next: segment.next };
}

/** Room for an object; its offset in the segment. */
export function reserve(segment: Segment, size: number, align: number, limit: number): number {
  const offset = aligned(segment.next, Math.max(align, 16));
  const next = offset + size + gapAfter(Math.min(size, 64));
  if (next > limit) throw new PrivateFault('no-room');
  if (next > segment.data.length) grow(segment, next);
  segment.next = next;
  segment.state.fill(State.UNSET, offset, offset + size);
  return offset;
}

export function fillIn(segment: Segment, offset: number, bits: Bits): void {
  segment.data.set(bits.data, offset);
  segment.state.fill(State.SET, offset, offset + bits.data.length);
}

function grow(segment: Segment, length: number): void {
  const size = Math.max(length, segment.data.length * 2);
  const data = new Uint8Array(size);
  const state = new Uint8Array(size);
  data.set(segment.data);
  state.set(segment.state);
  segment.data = data;
  segment.state = state;
}

/** What a thread's own memory was at a time. */
export interface Snapshot {
  readonly data: Uint8Array;
  readonly state: Uint8Array;
}

/** More than this is not copied. */
const MOST_OF_SNAPSHOT = 0x1_0000;

/** So often, in bytes, what the stack really holds is counted once it may be too much. */
const COUNT_STEP = 0x10_0000;

export class PrivateMemory {
  readonly #constants: Segment;
  /** What thread-locals start with, shared by all threads, until this one writes or needs a stack: most never do. */
  #own: Segment;
  #isShared = true;
  /** Of what it is now, if that was asked for. */
  #snapshot: Snapshot | undefined;
  /** How high the stack is when it is counted next. */
  #countAt = STACK;

  /** `start` is what thread-locals start with. */
  constructor(constants: Segment, start: Segment) {
    this.#constants = constants;
    this.#own = start;
  }

  /** To be changed. */
  #mine(): Segment {
    if (this.#isShared) {
      this.#own = copyOf(this.#own);
      this.#isShared = false;
    }
    return this.#own;
  }

  /** Whether it is what every thread starts with. */
  get isUntouched(): boolean {
    return this.#isShared;
  }

  /** How high the stack is; `pop` takes all back that was pushed since. */
  get height(): number {
    return this.#own.next;
  }

  /** undefined: there is too much of it. */
  snapshot(): Snapshot | undefined {
    const { data, state, next } = this.#own;
    if (next > MOST_OF_SNAPSHOT) return undefined;
    this.#snapshot ??= { data: data.slice(0, next), state: state.slice(0, next) };
    return this.#snapshot;
  }

  push(size: number, align: number): number {
    this.#snapshot = undefined;
    if (size > STACK) throw new PrivateFault('stack-overflow');
    const offset = reserve(this.#mine(), size, align, PRIVATE_LIMIT);
    if (this.#own.next > this.#countAt) this.#count();
    return (PRIVATE + offset) | 0;
  }

  /** There is room between variables: what they take themselves is what counts. */
  #count(): void {
    const { state, next } = this.#own;
    let held = 0;
    for (let i = 0; i < next; i++) if (state[i] === State.UNSET || state[i] === State.SET) held++;
    if (held > STACK) throw new PrivateFault('stack-overflow');
    this.#countAt = next + Math.max(STACK - held, COUNT_STEP);
  }

  pop(height: number): void {
    if (height === this.#own.next) return;
    this.#snapshot = undefined;
    this.#own.state.fill(State.DEAD, height, this.#own.next);
    this.#own.next = height;
    if (height < STACK) this.#countAt = STACK;
  }

  load(pointer: number, type: Type, ifUnset: IfUnset): CValue {
    const size = storeSize(type);
    const segment = this.#segment(pointer, false);
    const offset = this.#check(segment, pointer, size);
    if (!this.#isSet(segment, offset, size)) {
      if (ifUnset === 'fails') throw new PrivateFault('uninitialised-read');
      if (ifUnset === 'stays') return undefined;
      if (ifUnset === 'parts') return this.#parts(segment, offset, size);
    }
    return decode(cellValue({ data: segment.data, defined: undefined }, offset, size) as number | bigint, type);
  }

  store(pointer: number, type: Type, value: CValue): void {
    const size = storeSize(type);
    const segment = this.#segment(pointer, true);
    const offset = this.#check(segment, pointer, size);
    spread(encode(value, type), size, segment.data, segment.state, offset);
    const { state } = segment;
    for (let i = offset; i < offset + size; i++) state[i] = state[i] === 0 ? State.UNSET : State.SET;
  }

  #parts(segment: Segment, offset: number, size: number): CValue {
    const held = cellValue(bitsIn(segment, offset, size), 0, size);
    return isPartlySet(held) ? held : undefined;
  }

  read(pointer: number, count: number): Bits {
    const segment = this.#segment(pointer, false);
    const offset = this.#check(segment, pointer, count);
    return bitsIn(segment, offset, count);
  }

  write(pointer: number, bits: Bits): void {
    const segment = this.#segment(pointer, true);
    const offset = this.#check(segment, pointer, bits.data.length);
    segment.data.set(bits.data, offset);
    for (let i = 0; i < bits.data.length; i++) {
      segment.state[offset + i] = bits.defined?.[i] === 0 ? State.UNSET : State.SET;
    }
  }

  /** The bytes before the first 0 from here on; faults if they run out of their object. */
  readString(pointer: number, most: number): Uint8Array {
    const segment = this.#segment(pointer, false);
    let offset = this.#offset(segment, pointer);
    const start = offset;
    for (; offset - start < most; offset++) {
      this.#check(segment, pointer + (offset - start), 1);
      if (segment.state[offset] !== State.SET) throw new PrivateFault('uninitialised-read');
      if (segment.data[offset] === 0) break;
    }
    return segment.data.slice(start, offset);
  }

  #segment(pointer: number, isWrite: boolean): Segment {
    if (isWrite) this.#snapshot = undefined;
    if (pointer >= PRIVATE) return isWrite ? this.#mine() : this.#own;
    if (!isWrite) return this.#constants;
    const isConstant = this.#constants.state[pointer - CONSTANTS] === State.SET;
    throw new PrivateFault(isConstant ? 'read-only' : 'out-of-bounds');
  }

  #offset(segment: Segment, pointer: number): number {
    return pointer - (segment === this.#own ? PRIVATE : CONSTANTS);
  }

  #check(segment: Segment, pointer: number, size: number): number {
    const offset = this.#offset(segment, pointer);
    const { state } = segment;
    for (let i = offset; i < offset + size; i++) {
      const s = state[i] ?? State.NOWHERE;
      if (s === State.NOWHERE) throw new PrivateFault('out-of-bounds');
      if (s === State.DEAD) throw new PrivateFault('use-after-free');
    }
    return offset;
  }

  #isSet(segment: Segment, offset: number, size: number): boolean {
    for (let i = offset; i < offset + size; i++) if (segment.state[i] !== State.SET) return false;
    return true;
  }
}

function bitsIn(segment: Segment, offset: number, count: number): Bits {
  const data = segment.data.slice(offset, offset + count);
  const defined = segment.state.slice(offset, offset + count).map((state) => (state === State.SET ? 1 : 0));
  return { data, defined };
}

export function isSameSnapshot(a: Snapshot, b: Snapshot): boolean {
  return a === b || (isSameBytes(a.data, b.data) && isSameBytes(a.state, b.state));
}

function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Lays the arguments of a variadic call out as wasm32 does: each at its alignment, small integers widened before. */
export function variadicLayout(types: readonly Type[]): { readonly size: number; readonly offsets: readonly number[] } {
  let size = 0;
  const offsets = types.map((type) => {
    const offset = aligned(size, Math.max(4, alignOf(type)));
    size = offset + Math.max(4, sizeOf(type));
    return offset;
  });
  return { size, offsets };
}
