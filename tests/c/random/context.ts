/** What is known at a point of a program that is being written: what is in scope, what may be called, what it costs. */
import { Random } from '../../random/prng.ts';
import type { Block, Piece } from './pieces.ts';
import type { Scalar } from './scalars.ts';

export type CType = Scalar | ArrayType | StructType;

export interface ArrayType {
  readonly kind: 'array';
  readonly of: CType;
  readonly length: number;
}

export interface StructType {
  readonly kind: 'struct';
  /** With the word struct or union. */
  readonly name: string;
  readonly isUnion: boolean;
  /** Its fields may be unaligned: no pointer to one. */
  readonly isPacked: boolean;
  readonly fields: readonly Field[];
}

export interface Field {
  readonly name: string;
  readonly type: CType;
  /** Of a bit-field. */
  readonly width: number | undefined;
  /** Reading it could give a NaN, whose bits are not fixed. */
  readonly isWriteOnly: boolean;
}

export interface Variable {
  /** An lvalue. */
  readonly text: string;
  readonly type: CType;
  readonly isConst: boolean;
  readonly hasAddress: boolean;
  /** For a counter: it is from 0 up to this. */
  readonly greatest: bigint | undefined;
  /** How deep it was declared; 0: it outlives every function. What lies deeper is gone earlier. */
  readonly level: number;
}

/** A function that can be called with any values. */
export interface Callable {
  readonly name: string;
  readonly parameters: readonly CType[];
  readonly returns: CType;
  readonly cost: number;
}

/** A pointer that always points to a live scalar of its type. */
export interface Pointer {
  readonly name: string;
  readonly to: Scalar;
  readonly level: number;
}

/** Steps that one phase of a program may take, roughly. */
const GREATEST_COST = 2000;

export class Context {
  readonly random: Random;
  /** Every name of the program begins with this, so that many programs fit into one file. */
  readonly prefix: string;
  /** File scope: types, variables and functions, in order. */
  readonly top: Piece[] = [];
  readonly structs: StructType[] = [];
  readonly functions: Callable[] = [];
  variables: Variable[] = [];
  pointers: Pointer[] = [];
  /** How often the statement that is being written runs, roughly, and what the function costs so far. */
  times = 1;
  cost = 0;
  level = 0;
  #names = 0;

  constructor(seed: number, prefix: string) {
    this.random = new Random(seed);
    this.prefix = prefix;
  }

  /** A new name at file scope. */
  globalName(kind: string): string {
    return `${this.prefix}${kind}${this.#names++}`;
  }

  /** A new name inside a function. */
  name(kind: string): string {
    return `${kind}${this.#names++}`;
  }

  spend(cost: number): void {
    this.cost += cost * this.times;
  }

  canAfford(cost: number): boolean {
    return this.cost + cost * this.times <= GREATEST_COST;
  }

  /** Declarations that `write` makes are gone afterwards. */
  inScope<T>(write: () => T): T {
    const { variables, pointers } = this;
    this.variables = [...variables];
    this.pointers = [...pointers];
    this.level++;
    try {
      return write();
    } finally {
      this.level--;
      this.variables = variables;
      this.pointers = pointers;
    }
  }

  /** What `write` writes runs `times` as often. */
  repeated<T>(times: number, write: () => T): T {
    this.times *= times;
    try {
      return this.inScope(write);
    } finally {
      this.times /= times;
    }
  }

  /** Writes a function at file scope: only what outlives functions is visible in it. Returns its cost. */
  define(open: string, write: () => readonly Piece[]): number {
    const { cost, times, level } = this;
    this.level = 0;
    this.cost = 0;
    this.times = 1;
    const body = this.inScope(() => {
      this.variables = this.variables.filter((v) => v.level === 0);
      this.pointers = this.pointers.filter((p) => p.level === 0);
      return write();
    });
    this.top.push({ open: `${open} {`, body, close: '}' } satisfies Block);
    const own = this.cost + 1;
    this.cost = cost;
    this.times = times;
    this.level = level;
    return own;
  }

  declare(text: string, type: CType, options: Partial<Omit<Variable, 'text' | 'type'>> = {}): void {
    this.variables.push({
      text,
      type,
      isConst: false,
      hasAddress: true,
      greatest: undefined,
      level: this.level,
      ...options,
    });
  }
}
