/**
 * Conditions in disjunctive normal form over registers: forward purity conditions, FPCs ([Await], section III,
 * Definition 1). A term speaks of one register and constants, or compares two registers. Simplified are
 * - two terms about the same register or registers: they become one (their intersection);
 * - conjunctions that differ in one term only, which becomes the union: `a ∧ p ∨ a ∧ ¬p` is `a`;
 * - a conjunction that implies another one: it goes.
 *
 * What differs from the paper: a condition that grows too large is not given up as False; it loses the conjunctions
 * beyond `mostConjunctions`, and those of more than `mostTerms` terms. Either is an under-approximation.
 */
import type { Instruction, IntPredicate, Value } from '../../ir/module.ts';
import { integerOf, isConstant, isUndef, sameValue, scalarBits } from '../analyses/values.ts';
import {
  complement,
  contains,
  greatestOf,
  intersection,
  isEverything,
  type Ranges,
  rangesOf,
  sameRanges,
  shiftedBack,
  union,
} from './ranges.ts';

/** The register's value is in the ranges. Of an i1: it is true, or it is false. */
interface Membership {
  readonly kind: 'in';
  readonly value: Value;
  readonly ranges: Ranges;
}

/** How two registers may compare, as signed or as unsigned numbers: any of LESS, EQUAL and GREATER. */
interface Comparison {
  readonly kind: 'compare';
  readonly left: Value;
  readonly right: Value;
  readonly isSigned: boolean;
  readonly outcomes: number;
}

/**
 * A phi of a header would keep its value if it got `value`, which is a phi too. Once that is replaced, `given` says what
 * the condition is. So none of these is in the condition at the beginning of the header.
 */
interface Unchanged {
  readonly kind: 'unchanged';
  readonly phi: Value;
  readonly value: Value;
  readonly given: (value: Value) => Condition;
}

export type Term = Membership | Comparison | Unchanged;

const LESS = 1;
const EQUAL = 2;
const GREATER = 4;
const ANY = LESS | EQUAL | GREATER;

/** All terms hold. */
export interface Conjunction {
  readonly terms: readonly Term[];
  /** Its earliest insertion point: an instruction on the way that may fail. Undefined: none may. */
  readonly after: Instruction | undefined;
}

/** One of the conjunctions holds. */
export type Condition = readonly Conjunction[];

export const FALSE: Condition = [];
export const TRUE: Condition = [{ terms: [], after: undefined }];

const mostConjunctions = 32;
const mostTerms = 16;

// ------------------------------------------------------------------------------------------------------ conditions

export function or(a: Condition, b: Condition): Condition {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  return simplified([...a, ...b]);
}

export function and(a: Condition, b: Condition): Condition {
  if (b === TRUE) return a;
  if (a === TRUE) return b;
  const both: Conjunction[] = [];
  for (const one of a) {
    for (const other of b) {
      const terms = conjoined(one.terms, other.terms);
      if (terms !== undefined && terms.length <= mostTerms) both.push({ terms, after: one.after ?? other.after });
    }
  }
  return simplified(both);
}

/** Whether they say the same, as far as that can be seen. */
export function sameCondition(a: Condition, b: Condition): boolean {
  const isIn = (one: Conjunction, all: Condition) => all.some((other) => covers(one, other) && covers(other, one));
  return a.length === b.length && a.every((conjunction) => isIn(conjunction, b));
}

/** What holds after an instruction that may fail must not be asked for before it. */
export function notBefore(condition: Condition, instruction: Instruction): Condition {
  return condition.map((conjunction) =>
    conjunction.after === undefined ? { terms: conjunction.terms, after: instruction } : conjunction,
  );
}

/** The condition with other values in the place of some, as control comes to a block along one edge. */
export function substituted(condition: Condition, values: ReadonlyMap<Value, Value>): Condition {
  if (values.size === 0) return condition;
  let result: Condition = FALSE;
  for (const { terms, after } of condition) {
    let conjunction: Condition = [{ terms: [], after }];
    for (const term of terms) conjunction = and(conjunction, substitutedTerm(term, values));
    result = or(result, conjunction);
  }
  return result;
}

function substitutedTerm(term: Term, values: ReadonlyMap<Value, Value>): Condition {
  if (term.kind === 'in') {
    const value = values.get(term.value);
    return value === undefined ? single(term) : member(value, term.ranges);
  }
  if (term.kind === 'unchanged') {
    const value = values.get(term.value);
    return value === undefined ? single(term) : term.given(value);
  }
  const left = values.get(term.left);
  const right = values.get(term.right);
  if (left === undefined && right === undefined) return single(term);
  return compare(left ?? term.left, right ?? term.right, term.isSigned, term.outcomes);
}

export function single(term: Term): Condition {
  return [{ terms: [term], after: undefined }];
}

function simplified(conjunctions: readonly Conjunction[]): Condition {
  const kept: Conjunction[] = [];
  for (const conjunction of conjunctions) insert(kept, conjunction);
  return kept.length > mostConjunctions ? kept.slice(0, mostConjunctions) : kept;
}

/** Adds a conjunction to simplified ones; what it makes needless or can be united with goes. */
function insert(kept: Conjunction[], conjunction: Conjunction): void {
  let added = conjunction;
  for (let i = 0; i < kept.length; i++) {
    const other = kept[i]!;
    if (covers(other, added)) return;
    const united = covers(added, other) ? added : unitedOf(added, other);
    if (united === undefined) continue;
    kept.splice(i, 1);
    added = united;
    i = -1;
  }
  kept.push(added);
}

/** Whether `general` holds wherever `special` does, and may be asked for as early. */
function covers(general: Conjunction, special: Conjunction): boolean {
  if (general.after !== undefined && general.after !== special.after) return false;
  return general.terms.every((term) => special.terms.some((other) => impliesTerm(other, term)));
}

/** If they differ in what they say of one subject only: what holds if one of them does. */
function unitedOf(a: Conjunction, b: Conjunction): Conjunction | undefined {
  if (a.after !== b.after || a.terms.length !== b.terms.length) return undefined;
  let differing: readonly [number, Term] | undefined;
  for (const [i, term] of a.terms.entries()) {
    const other = b.terms.find((candidate) => isSameSubject(candidate, term));
    if (other === undefined) return undefined;
    if (sameTerm(term, other)) continue;
    if (differing !== undefined) return undefined;
    differing = [i, other];
  }
  if (differing === undefined) return a;
  const [i, other] = differing;
  const either = unitedTerm(a.terms[i]!, other);
  if (either === undefined) return undefined;
  return { terms: a.terms.flatMap((term, j) => (j === i ? either : term)), after: a.after };
}

// ----------------------------------------------------------------------------------------------------------- terms

/** All terms of both, those about the same subject united; undefined if they contradict each other. */
function conjoined(a: readonly Term[], b: readonly Term[]): readonly Term[] | undefined {
  let terms = a;
  for (const term of b) {
    const next = withTerm(terms, term);
    if (next === undefined) return undefined;
    terms = next;
  }
  return terms;
}

function withTerm(terms: readonly Term[], added: Term): readonly Term[] | undefined {
  for (const [i, term] of terms.entries()) {
    const both = intersectedTerm(term, added);
    if (both === 'unrelated') continue;
    if (both === 'never') return undefined;
    return terms.toSpliced(i, 1, both);
  }
  return [...terms, added];
}

function intersectedTerm(a: Term, b: Term): Term | 'never' | 'unrelated' {
  if (a.kind === 'unchanged') return impliesTerm(a, b) ? a : 'unrelated';
  if (a.kind === 'in' && b.kind === 'in') {
    if (a.value !== b.value) return 'unrelated';
    const ranges = intersection(a.ranges, b.ranges);
    return ranges.length === 0 ? 'never' : { ...a, ranges };
  }
  if (a.kind !== 'compare' || b.kind !== 'compare') return 'unrelated';
  const other = aligned(b, a);
  if (other === undefined) return 'unrelated';
  const outcomes = a.outcomes & other.outcomes;
  return outcomes === 0 ? 'never' : { ...a, isSigned: other.isSigned, outcomes };
}

/** The union of two terms about the same subject: none, if that is always true; undefined if it is no term. */
function unitedTerm(a: Term, b: Term): readonly Term[] | undefined {
  if (a.kind === 'in' && b.kind === 'in') {
    const ranges = union(a.ranges, b.ranges);
    return isEverything(ranges, scalarBits(a.value.type)) ? [] : [{ ...a, ranges }];
  }
  if (a.kind !== 'compare' || b.kind !== 'compare') return undefined;
  const other = aligned(b, a);
  if (other === undefined) return undefined;
  const outcomes = a.outcomes | other.outcomes;
  return outcomes === ANY ? [] : [{ ...a, isSigned: other.isSigned, outcomes }];
}

/** Comparison `a` of the registers of `b`, written in their order and with a signedness that fits both. */
function aligned(a: Comparison, b: Comparison): Comparison | undefined {
  const turned = sameValue(a.left, b.left) && sameValue(a.right, b.right) ? a : mirrored(a);
  if (!sameValue(turned.left, b.left) || !sameValue(turned.right, b.right)) return undefined;
  if (turned.isSigned === b.isSigned || isEquality(b)) return turned;
  return isEquality(turned) ? { ...turned, isSigned: b.isSigned } : undefined;
}

/** Whether it makes no difference if the numbers are signed. */
function isEquality({ outcomes }: Comparison): boolean {
  return outcomes === EQUAL || outcomes === (LESS | GREATER);
}

function mirrored({ left, right, outcomes, ...rest }: Comparison): Comparison {
  const turned = (outcomes & EQUAL) | (outcomes & LESS ? GREATER : 0) | (outcomes & GREATER ? LESS : 0);
  return { ...rest, left: right, right: left, outcomes: turned };
}

function isSameSubject(a: Term, b: Term): boolean {
  if (a.kind === 'in') return b.kind === 'in' && a.value === b.value;
  if (a.kind === 'unchanged') return impliesTerm(a, b);
  return b.kind === 'compare' && aligned(b, a) !== undefined;
}

function sameTerm(a: Term, b: Term): boolean {
  return impliesTerm(a, b) && impliesTerm(b, a);
}

/** Whether the one term alone shows that the other one holds. */
export function impliesTerm(a: Term, b: Term): boolean {
  if (a.kind === 'in' && b.kind === 'in') {
    return a.value === b.value && sameRanges(intersection(a.ranges, b.ranges), a.ranges);
  }
  if (a.kind === 'unchanged') return b.kind === 'unchanged' && a.phi === b.phi && a.value === b.value;
  if (a.kind !== 'compare' || b.kind !== 'compare') return false;
  const other = aligned(b, a);
  return other !== undefined && (a.outcomes & ~other.outcomes) === 0;
}

/** Whether both terms cannot hold. */
export function excludesTerm(a: Term, b: Term): boolean {
  return intersectedTerm(a, b) === 'never';
}

export type Plain = Membership | Comparison;

export function isPlain(term: Term): term is Plain {
  return term.kind !== 'unchanged';
}

export function negatedTerm(term: Plain): Plain {
  if (term.kind === 'in') return { ...term, ranges: complement(term.ranges, scalarBits(term.value.type)) };
  return { ...term, outcomes: ANY & ~term.outcomes };
}

export function registersOf(term: Plain): readonly Value[] {
  return term.kind === 'in' ? [term.value] : [term.left, term.right];
}

export function predicateOf({ outcomes, isSigned }: Pick<Comparison, 'outcomes' | 'isSigned'>): IntPredicate {
  const sign = isSigned ? 's' : 'u';
  switch (outcomes) {
    case EQUAL:
      return 'eq';
    case LESS | GREATER:
      return 'ne';
    case LESS:
      return `${sign}lt`;
    case LESS | EQUAL:
      return `${sign}le`;
    case GREATER:
      return `${sign}gt`;
    default:
      return `${sign}ge`;
  }
}

// ----------------------------------------------------------------------------------- from instructions to conditions

const outcomesOf: Readonly<Record<string, number>> = {
  eq: EQUAL,
  ne: LESS | GREATER,
  lt: LESS,
  le: LESS | EQUAL,
  gt: GREATER,
  ge: GREATER | EQUAL,
};

/** That the i1 has the given truth, as a condition over the registers that it is computed from. */
export function holds(value: Value, truth = true): Condition {
  if (value.kind === 'instruction') {
    const [a, b, c] = value.operands as [Value, Value, Value];
    switch (value.op) {
      case 'icmp':
        return comparison(value.predicate, a, b, truth);
      case 'xor':
        if (integerOf(b) === 1n) return holds(a, !truth);
        break;
      case 'and':
        return truth ? and(holds(a), holds(b)) : or(holds(a, false), holds(b, false));
      case 'or':
        return truth ? or(holds(a), holds(b)) : and(holds(a, false), holds(b, false));
      case 'select':
        return or(and(holds(a), holds(b, truth)), and(holds(a, false), holds(c, truth)));
      default:
    }
  }
  return member(value, truth ? [[1n, 1n]] : [[0n, 0n]]);
}

export function comparison(predicate: IntPredicate, left: Value, right: Value, truth = true): Condition {
  const outcomes = outcomesOf[predicate.slice(-2)] ?? 0;
  return compare(left, right, predicate.startsWith('s'), truth ? outcomes : ANY & ~outcomes);
}

function compare(left: Value, right: Value, isSigned: boolean, outcomes: number): Condition {
  if (isUndef(left) || isUndef(right)) return FALSE;
  if (left === right) return outcomes & EQUAL ? TRUE : FALSE;
  const term: Comparison = { kind: 'compare', left, right, isSigned, outcomes };
  const bound = numberOf(right);
  if (bound !== undefined) return member(left, rangesOf(predicateOf(term), bound, scalarBits(left.type)));
  if (numberOf(left) !== undefined) return compare(right, left, isSigned, mirrored(term).outcomes);
  return single(term);
}

/** That the value is in the ranges, of the register that it is made of where that is clear. */
function member(value: Value, ranges: Ranges): Condition {
  if (isUndef(value)) return FALSE;
  const bits = scalarBits(value.type);
  const number = numberOf(value);
  if (number !== undefined) return contains(ranges, BigInt.asUintN(bits, number)) ? TRUE : FALSE;
  if (ranges.length === 0) return FALSE;
  if (isEverything(ranges, bits)) return TRUE;
  if (value.kind === 'instruction') {
    const [a, b] = value.operands as [Value, Value];
    const step = integerOf(b);
    if (value.op === 'zext') return member(a, intersection(ranges, [[0n, greatestOf(scalarBits(a.type))]]));
    if (value.op === 'add' && step !== undefined) return member(a, shiftedBack(ranges, step, bits));
    if (value.op === 'sub' && step !== undefined) return member(a, shiftedBack(ranges, -step, bits));
    if (value.op === 'defined') return member(a, ranges);
    if ((value.op === 'ptrtoint' || value.op === 'inttoptr') && scalarBits(a.type) === bits) return member(a, ranges);
    // Neither none nor all of 0 and 1.
    if (bits === 1 && isLogical(value)) return holds(value, contains(ranges, 1n));
  }
  return single({ kind: 'in', value, ranges });
}

function isLogical(value: Instruction): boolean {
  if (value.op === 'xor') return integerOf(value.operands[1]) === 1n;
  return value.op === 'icmp' || value.op === 'and' || value.op === 'or' || value.op === 'select';
}

/** The number that a constant is; of a pointer only null is one. */
function numberOf(value: Value): bigint | undefined {
  if (!isConstant(value)) return undefined;
  if (value.kind === 'null' || (value.kind === 'zero' && value.type.kind === 'ptr')) return 0n;
  return integerOf(value);
}

/** Whether a condition can be written about values of this type. */
export function isComparable(value: Value): boolean {
  return value.type.kind === 'int' || value.type.kind === 'ptr';
}
