/**
 * The memory that hot code shares with JavaScript, where the build has translated it to WebAssembly (`scripts/hot/translate.mjs`). The
 * fields of an object that translated code uses are *slots*, words of this memory at a place that the build has chosen; a column is
 * a block of it, whose address is in the slot of its field. Both sides work on the same words, so that whatever is not translated goes on
 * as if nothing had happened.
 *
 * The memory is a shared one, not for other threads, but because views of it stay what they are when it grows. A block is given back
 * only when no translated code runs: as with arrays, who holds a column that was replaced may go on reading it.
 */
import type { Column } from './columns.ts';
import { type WasmModule, wasm } from './web-assembly.ts';

/**
 * What the build says of a module: the class of each object; where its slots are, by `object:class`; which object a field holds, by
 * `object:class:field`.
 */
export interface HotLayout {
  readonly end: number;
  readonly classes: Readonly<Record<string, string>>;
  readonly bases: Readonly<Record<string, number>>;
  readonly children: Readonly<Record<string, string>>;
}

/** An object of a class whose fields may be slots. */
export interface HotObject {
  attachHot(memory: HotMemory, name: string): void;
}

const PAGE = 65_536;
const MOST_PAGES = 65_536;
/** Before the entries of a block: its length, and what an entry before the first reads as, which is no number that any column holds. */
const HEAD = 2;
const NO_ENTRY = -0x80000000;

/** Called by hot code that was built to look for such errors (`scripts/hot/build.mjs`). */
function outside(index: number, length: number): never {
  throw new Error(`hot code reads or writes entry ${index} of a column of ${length}`);
}

export class HotMemory {
  readonly #layout: HotLayout;
  readonly #memory = new wasm.Memory({ initial: 16, maximum: MOST_PAGES, shared: true });
  readonly #imports: Record<string, unknown> = { memory: this.#memory, outside };
  readonly #names = new WeakMap<object, string>();
  readonly #columns = new WeakSet<object>();
  #next: number;
  /** By address: the words that there are for entries. */
  readonly #sizes = new Map<number, number>();
  /** By number of words: the addresses of blocks that nobody needs; and of those that translated code may still read. */
  readonly #free = new Map<number, number[]>();
  #dropped: number[] = [];

  constructor(layout: HotLayout) {
    this.#layout = layout;
    this.#next = (layout.end + 7) & ~7;
  }

  /** Called by an object, for its class and for each that it extends: the slots that this class has; undefined: none. */
  slots(object: string, className: string, count: number, isItsOwn: boolean): Int32Array | undefined {
    const expected = this.#layout.classes[object];
    if (expected !== undefined && isItsOwn !== (className === expected))
      throw new Error(`hot code takes ${object} for a ${expected}, not a ${className}`);
    const base = this.#layout.bases[`${object}:${className}`];
    return base === undefined ? undefined : new Int32Array(this.#memory.buffer, base, count);
  }

  /** Called by an object: one that a field of it holds. */
  adopt(object: string, className: string, field: string, child: Partial<HotObject>): void {
    const name = this.#layout.children[`${object}:${className}:${field}`];
    if (name !== undefined) this.attach(name, child);
  }

  attach(name: string, object: Partial<HotObject>): void {
    const known = this.#names.get(object);
    if (known !== undefined && known !== name) throw new Error(`hot code takes ${known} and ${name} for two objects`);
    if (known !== undefined) return;
    this.#names.set(object, name);
    object.attachHot?.(this, name);
  }

  /** Called by an object: what translated code calls of it. */
  import(object: string, className: string, what: string, body: (...args: number[]) => unknown): void {
    this.#imports[`${object}:${className}:${what}`] = body;
  }

  /** A column with these entries in this memory; its address becomes that in the slot, whose column is dropped. */
  place(entries: Column, slots: Int32Array, slot: number): Column {
    if (this.#columns.has(entries)) throw new Error('a column of two fields');
    const address = this.#allocate(entries.length);
    const column = new Int32Array(this.#memory.buffer, address, entries.length);
    column.set(entries);
    this.#columns.add(column);
    this.drop(slots, [slot]);
    slots[slot] = address;
    return column as unknown as Column;
  }

  /** Nobody needs the columns whose addresses are in these slots. */
  drop(slots: Int32Array, columns: readonly number[]): void {
    for (const slot of columns) if (slots[slot] !== 0) this.#dropped.push(slots[slot]! >>> 0);
  }

  #allocate(length: number): number {
    const words = length + HEAD;
    const size = words <= 16 ? 16 : 1 << (32 - Math.clz32(words - 1));
    let address = this.#free.get(size)?.pop();
    if (address === undefined) {
      const start = this.#next;
      this.#next += 4 * size;
      const missing = this.#next - this.#memory.buffer.byteLength;
      if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE));
      address = start + 4 * HEAD;
      this.#sizes.set(address, size);
    }
    const head = new Int32Array(this.#memory.buffer, address - 4 * HEAD, HEAD);
    head[0] = length;
    head[1] = NO_ENTRY;
    return address;
  }

  /** No translated code runs: what was dropped can be used again. */
  giveBack(): void {
    if (this.#dropped.length === 0) return;
    for (const address of this.#dropped) {
      const size = this.#sizes.get(address)!;
      const others = this.#free.get(size);
      if (others === undefined) this.#free.set(size, [address]);
      else others.push(address);
    }
    this.#dropped = [];
  }

  instantiate(module: WasmModule): Record<string, unknown> {
    return new wasm.Instance(module, { js: this.#imports }).exports;
  }
}
