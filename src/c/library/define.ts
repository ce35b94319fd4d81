/** What all parts of the library model are written with. */
import type { Type } from '../ir/module.ts';
import type { CallSite, CThread, CValue, Run } from '../runtime.ts';
import type { Facts } from './facts.ts';

type PlainRun<A extends CValue[]> = (thread: CThread, call: CallSite, ...args: A) => CValue;
type StepsRun<A extends CValue[]> = (thread: CThread, call: CallSite, ...args: A) => Run<CValue>;

/**
 * A function of the library, all that is known of it in one place: it gets the arguments as C passes them. Plain ones
 * return the result at once, others perform operations.
 */
export type LibraryFunction =
  | { readonly kind: 'plain'; readonly facts: Facts; readonly run: PlainRun<CValue[]> }
  | { readonly kind: 'steps'; readonly facts: Facts; readonly run: StepsRun<CValue[]> };

/** The functions of a header of the C library, by name. */
export type Library = Readonly<Record<string, LibraryFunction>>;

export const I8: Type = { kind: 'int', bits: 8 };
export const I16: Type = { kind: 'int', bits: 16 };
export const I32: Type = { kind: 'int', bits: 32 };
export const I64: Type = { kind: 'int', bits: 64 };
export const I128: Type = { kind: 'int', bits: 128 };
export const FLOAT: Type = { kind: 'float' };
export const DOUBLE: Type = { kind: 'double' };
export const POINTER: Type = { kind: 'ptr' };
export const POINTER_SIZE = 4;

/** Addresses are read or written through, and forgotten. */
export const uses: Facts = { captures: 'used' };
/** Addresses are kept, or those of objects that threads share. */
export const keeps: Facts = { captures: 'kept' };
/** The first is that of an object that threads share; what comes with it (attributes, a time, a place for a result) is used. */
export const keepsFirst: Facts = { captures: { 0: 'kept', 1: 'used', 2: 'used' } };
/** Locks, if that is possible at once. */
export const tries: Facts = { captures: 'kept', effect: 'tries' };

type Definition<R> = readonly [run: R] | readonly [facts: Facts, run: R];

function withFacts<R>(definition: Definition<R>): readonly [Facts, R] {
  return definition.length === 1 ? [{}, definition[0]] : definition;
}

/**
 * A function that computes. That the arguments have the types of its parameters is the C compiler's word; that there are
 * enough of them, and that each was set, `checked` sees to.
 */
export function plain<A extends CValue[]>(run: PlainRun<A>): LibraryFunction;
export function plain<A extends CValue[]>(facts: Facts, run: PlainRun<A>): LibraryFunction;
export function plain<A extends CValue[]>(...definition: Definition<PlainRun<A>>): LibraryFunction {
  const [facts, run] = withFacts(definition);
  return { kind: 'plain', facts, run: run as PlainRun<CValue[]> };
}

/** A function that performs operations. */
export function steps<A extends CValue[]>(run: StepsRun<A>): LibraryFunction;
export function steps<A extends CValue[]>(facts: Facts, run: StepsRun<A>): LibraryFunction;
export function steps<A extends CValue[]>(...definition: Definition<StepsRun<A>>): LibraryFunction {
  const [facts, run] = withFacts(definition);
  return { kind: 'steps', facts, run: run as StepsRun<CValue[]> };
}

/** One that does nothing and gives `value`. */
export function gives(value: CValue, facts: Facts = {}): LibraryFunction {
  return plain(facts, () => value);
}

/** The same function, but the thread fails if an argument is missing or was never set. */
export function checked(name: string, library: LibraryFunction): LibraryFunction {
  const needed = library.run.length - 2;
  if (needed <= 0) return library;
  const check = (thread: CThread, call: CallSite, args: readonly CValue[]): void => {
    for (let i = 0; i < needed; i++) {
      if (args[i] !== undefined) continue;
      if (i >= args.length) thread.refuse(`${name} is called with ${args.length} arguments; it takes ${needed}`, call);
      thread.fail('uninitialised-read', `argument ${i + 1} of ${name} was never set`, call);
    }
  };
  if (library.kind === 'plain') {
    const { run } = library;
    return plain(library.facts, (thread, call, ...args) => {
      check(thread, call, args);
      return run(thread, call, ...args);
    });
  }
  const { run } = library;
  return steps(library.facts, (thread, call, ...args) => {
    check(thread, call, args);
    return run(thread, call, ...args);
  });
}

/** An integer as a value of `bits` bits. */
export function integer(value: bigint, bits: number): number | bigint {
  if (bits === 1) return Number(value & 1n);
  const signed = BigInt.asIntN(bits, value);
  return bits <= 32 ? Number(signed) : signed;
}

/** The value of an integer or pointer, signed. */
export function signed(value: CValue): bigint {
  return BigInt(value as number | bigint);
}

export function unsigned(value: CValue, bits: number): bigint {
  return BigInt.asUintN(bits, BigInt(value as number | bigint));
}

/** A size_t as a number from 0 on. */
export function sizeOfArgument(value: number | bigint): number {
  return typeof value === 'bigint' ? Number(BigInt.asUintN(64, value)) : value >>> 0;
}

const decoder = new TextDecoder();

export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** One character for each byte: for text that is only looked at byte by byte. */
export function latin1(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

export function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
