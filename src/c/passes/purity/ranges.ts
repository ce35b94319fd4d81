/**
 * Sets of values of one integer (or pointer): ranges of unsigned numbers in ascending order that neither overlap nor
 * touch. What a purity condition says of one register and constants is such a set, so that two statements about a
 * register always make one ([Await], section III: simplification of conditions).
 */
import type { IntPredicate } from '../../ir/module.ts';

export type Range = readonly [least: bigint, greatest: bigint];
export type Ranges = readonly Range[];

export function greatestOf(bits: number): bigint {
  return (1n << BigInt(bits)) - 1n;
}

export function isEverything(ranges: Ranges, bits: number): boolean {
  return ranges.length === 1 && ranges[0]![0] === 0n && ranges[0]![1] === greatestOf(bits);
}

export function sameRanges(a: Ranges, b: Ranges): boolean {
  return a.length === b.length && a.every(([least, greatest], i) => least === b[i]![0] && greatest === b[i]![1]);
}

/** Any ranges, put in order. */
function ordered(ranges: readonly Range[]): Ranges {
  const sorted = ranges.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const merged: [bigint, bigint][] = [];
  for (const [least, greatest] of sorted) {
    const last = merged.at(-1);
    if (last === undefined || least > last[1] + 1n) merged.push([least, greatest]);
    else if (greatest > last[1]) last[1] = greatest;
  }
  return merged;
}

export function union(a: Ranges, b: Ranges): Ranges {
  return ordered([...a, ...b]);
}

export function intersection(a: Ranges, b: Ranges): Ranges {
  const common: Range[] = [];
  for (const [least, greatest] of a) {
    for (const [from, to] of b) {
      const start = least > from ? least : from;
      const end = greatest < to ? greatest : to;
      if (start <= end) common.push([start, end]);
    }
  }
  return ordered(common);
}

export function complement(ranges: Ranges, bits: number): Ranges {
  const rest: Range[] = [];
  let next = 0n;
  for (const [least, greatest] of ranges) {
    if (next < least) rest.push([next, least - 1n]);
    next = greatest + 1n;
  }
  if (next <= greatestOf(bits)) rest.push([next, greatestOf(bits)]);
  return rest;
}

export function contains(ranges: Ranges, value: bigint): boolean {
  return ranges.some(([least, greatest]) => least <= value && value <= greatest);
}

/** The numbers from which adding `step` leads into the ranges. */
export function shiftedBack(ranges: Ranges, step: bigint, bits: number): Ranges {
  const shifted: Range[] = [];
  for (const [least, greatest] of ranges) {
    const from = BigInt.asUintN(bits, least - step);
    const to = BigInt.asUintN(bits, greatest - step);
    if (from <= to) shifted.push([from, to]);
    else shifted.push([0n, to], [from, greatestOf(bits)]);
  }
  return ordered(shifted);
}

/** The numbers x with `x predicate bound`. */
export function rangesOf(predicate: IntPredicate, bound: bigint, bits: number): Ranges {
  const value = BigInt.asUintN(bits, bound);
  const greatest = greatestOf(bits);
  switch (predicate) {
    case 'eq':
      return [[value, value]];
    case 'ult':
      return value === 0n ? [] : [[0n, value - 1n]];
    case 'ule':
      return [[0n, value]];
    case 'slt':
    case 'sle': {
      // In the order of signed numbers everything is moved by half of the range.
      const half = 1n << BigInt(bits - 1);
      const moved = BigInt.asUintN(bits, value + half);
      const end = predicate === 'sle' ? moved : moved - 1n;
      return end < 0n ? [] : shiftedBack([[0n, end]], half, bits);
    }
    case 'ne':
      return complement([[value, value]], bits);
    case 'uge':
      return value === 0n ? [[0n, greatest]] : complement(rangesOf('ult', bound, bits), bits);
    case 'ugt':
      return complement(rangesOf('ule', bound, bits), bits);
    case 'sge':
      return complement(rangesOf('slt', bound, bits), bits);
    case 'sgt':
      return complement(rangesOf('sle', bound, bits), bits);
  }
}

/** One comparison with a constant that says the same, if there is one. */
export function asComparison(ranges: Ranges, bits: number): { predicate: IntPredicate; bound: bigint } | undefined {
  const ends = ranges.flat();
  const gaps = complement(ranges, bits).flat();
  for (const predicate of ['eq', 'ne', 'sle', 'sge', 'ule', 'uge'] as const) {
    for (const bound of [...ends, ...gaps]) {
      if (sameRanges(rangesOf(predicate, bound, bits), ranges)) return { predicate, bound };
    }
  }
  return undefined;
}
