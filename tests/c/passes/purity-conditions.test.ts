import { describe, expect, test } from 'vitest';
import type { Instruction, Value } from '../../../src/c/ir/module.ts';
import {
  and,
  type Condition,
  FALSE,
  holds,
  or,
  predicateOf,
  type Term,
  TRUE,
} from '../../../src/c/passes/purity/conditions.ts';
import { asComparison, complement, contains, rangesOf } from '../../../src/c/passes/purity/ranges.ts';
import { Random } from '../../random/prng.ts';
import { functionOf, instructionsOf, parse } from './show.ts';

const bits = 3;
const numbers = Array.from({ length: 1 << bits }, (_, i) => BigInt(i));
const predicates = ['eq', 'ne', 'ugt', 'uge', 'ult', 'ule', 'sgt', 'sge', 'slt', 'sle'] as const;

function compares(predicate: string, a: bigint, b: bigint): boolean {
  const read = (value: bigint) => (predicate.startsWith('s') ? BigInt.asIntN(bits, value) : value);
  const [left, right] = [read(a), read(b)];
  switch (predicate.slice(-2)) {
    case 'eq':
      return left === right;
    case 'ne':
      return left !== right;
    case 'lt':
      return left < right;
    case 'le':
      return left <= right;
    case 'gt':
      return left > right;
    default:
      return left >= right;
  }
}

describe('ranges', () => {
  test('are what comparisons with a constant say', () => {
    for (const predicate of predicates) {
      for (const bound of numbers) {
        const ranges = rangesOf(predicate, bound, bits);
        for (const value of numbers) expect(contains(ranges, value)).toBe(compares(predicate, value, bound));
        const rest = complement(ranges, bits);
        for (const value of numbers) expect(contains(rest, value)).toBe(!compares(predicate, value, bound));
      }
    }
  });

  test('become comparisons again', () => {
    for (const predicate of predicates) {
      for (const bound of numbers) {
        const ranges = rangesOf(predicate, bound, bits);
        if (ranges.length === 0 || complement(ranges, bits).length === 0) continue;
        const same = asComparison(ranges, bits)!;
        expect(rangesOf(same.predicate, same.bound, bits)).toEqual(ranges);
      }
    }
  });
});

/** The conditions of the instructions of a function with these lines, by name. */
function conditionsOf(lines: string): (name: string, truth?: boolean) => Condition {
  const f = functionOf(parse(`define void @f(i${bits} %a, i${bits} %b, i1 %p) {\nentry:\n${lines}\n  ret void\n}`));
  const found = new Map(instructionsOf(f).map((instruction) => [instruction.name, instruction]));
  return (name, truth = true) => holds(found.get(name)!, truth);
}

function show(condition: Condition): string {
  if (condition.length === 0) return 'False';
  return condition.map(({ terms }) => (terms.length === 0 ? 'True' : terms.map(showTerm).join(' ∧ '))).join(' ∨ ');
}

const nameOf = (value: Value): string => ('name' in value ? (value.name as string) : value.kind);

function showTerm(term: Term): string {
  if (term.kind === 'in') return `${nameOf(term.value)} in ${term.ranges.map(([a, b]) => `${a}..${b}`).join(',')}`;
  return term.kind === 'compare' ? `${nameOf(term.left)} ${predicateOf(term)} ${nameOf(term.right)}` : 'unchanged';
}

describe('conditions are simplified', () => {
  const of = conditionsOf(`  %is3 = icmp eq i3 %a, 3
  %small = icmp ult i3 %a, 4
  %less = icmp slt i3 %a, %b
  %more = icmp sgt i3 %a, %b
  %same = icmp eq i3 %b, %a
  %below = icmp ult i3 %b, %a
  %next = add i3 %a, 1
  %wraps = icmp ult i3 %next, 2
  %wide = zext i3 %a to i8
  %wide3 = icmp eq i8 %wide, 3
  %wide9 = icmp eq i8 %wide, 9
  %not = xor i1 %small, true
  %both = and i1 %small, %p`);

  test.each([
    ['a term and its negation are never both', and(of('is3'), of('is3', false)), 'False'],
    ['one of them always holds', or(of('is3'), of('is3', false)), 'True'],
    ['a term that another implies goes', and(of('small'), of('is3')), 'a in 3..3'],
    ['a ∧ p ∨ a ∧ ¬p', or(and(of('less'), of('is3')), and(of('less'), of('is3', false))), 'a slt b'],
    ['what implies the rest goes', or(of('is3'), of('small')), 'a in 0..3'],
    ['≤ and ≥ are =', and(of('less', false), of('more', false)), 'a eq b'],
    ['< and > are ≠', or(of('less'), of('more')), 'a ne b'],
    ['the order of operands does not matter', and(of('less'), of('same')), 'False'],
    ['= decides a comparison of unsigned numbers too', and(of('below'), of('same')), 'False'],
    ['sums are seen through', of('wraps'), 'a in 0..0,7..7'],
    ['and zero extension', of('wide3'), 'a in 3..3'],
    ['which bounds the value', of('wide9'), 'False'],
    ['negation', of('not'), 'a in 4..7'],
    ['and', of('both'), 'a in 0..3 ∧ p in 1..1'],
    ['not and', of('both', false), 'a in 4..7 ∨ p in 0..0'],
    ['False is neutral', or(FALSE, of('is3')), 'a in 3..3'],
    ['True is neutral', and(TRUE, of('is3')), 'a in 3..3'],
  ])('%s', (_, condition, text) => {
    expect(show(condition)).toBe(text);
  });
});

test('500 random conditions are true where the instructions are', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const random = new Random(seed);
    const { text, last } = randomLogic(random);
    const f = functionOf(parse(`define void @f(i${bits} %a, i${bits} %b, i1 %p) {\nentry:\n${text}  ret void\n}`));
    const result = instructionsOf(f).find(({ name }) => name === last)!;
    for (const truth of [true, false]) {
      const condition = holds(result, truth);
      for (let i = 0; i < 40; i++) {
        const inputs = new Map<string, bigint>([
          ['a', random.pick(numbers)],
          ['b', random.pick(numbers)],
          ['p', BigInt(random.between(0, 1))],
        ]);
        const expected = (evaluated(result, inputs) === 1n) === truth;
        const message = `seed ${seed}, ${[...inputs.values()]}: ${show(condition)}\n${text}`;
        expect(isTrue(condition, inputs), message).toBe(expected);
      }
    }
  }
});

function randomLogic(random: Random): { readonly text: string; readonly last: string } {
  let text = '';
  const truths = ['%p'];
  for (let i = 0; i < 6; i++) {
    const operand = () => random.pick(['%a', '%b', String(random.between(0, 7) - 4)]);
    const truth = () => random.pick(truths);
    const line = random.weighted(
      [4, `icmp ${random.pick(predicates)} i${bits} %${random.pick(['a', 'b'])}, ${operand()}`],
      [2, `and i1 ${truth()}, ${truth()}`],
      [2, `or i1 ${truth()}, ${truth()}`],
      [1, `xor i1 ${truth()}, true`],
      [1, `select i1 ${truth()}, i1 ${truth()}, i1 ${truth()}`],
    );
    text += `  %v${i} = ${line}\n`;
    truths.push(`%v${i}`);
  }
  return { text, last: 'v5' };
}

function evaluated(value: Value, inputs: ReadonlyMap<string, bigint>): bigint {
  if (value.kind === 'int-constant')
    return BigInt.asUintN(value.type.kind === 'int' ? value.type.bits : 0, value.value);
  if (value.kind === 'parameter') return inputs.get(value.name)!;
  const instruction = value as Instruction;
  const [a, b, c] = instruction.operands.map((operand) => evaluated(operand, inputs)) as [bigint, bigint, bigint];
  switch (instruction.op) {
    case 'icmp':
      return compares(instruction.predicate, a, b) ? 1n : 0n;
    case 'and':
      return a & b;
    case 'or':
      return a | b;
    case 'xor':
      return a ^ b;
    default:
      return a === 1n ? b : c;
  }
}

function isTrue(condition: Condition, inputs: ReadonlyMap<string, bigint>): boolean {
  return condition.some(({ terms }) => terms.every((term) => termIsTrue(term, inputs)));
}

function termIsTrue(term: Term, inputs: ReadonlyMap<string, bigint>): boolean {
  if (term.kind === 'in') return contains(term.ranges, evaluated(term.value, inputs));
  if (term.kind === 'unchanged') throw new Error('a term that is for loops only');
  return compares(predicateOf(term), evaluated(term.left, inputs), evaluated(term.right, inputs));
}
