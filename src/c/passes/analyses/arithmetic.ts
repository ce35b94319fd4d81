/**
 * Arithmetic on constants, exact: two's complement of any width, IEEE float and double. What has no value (division by
 * zero, a shift that is too far, a float out of the integer's range) or is undef is not computed: undefined.
 */
import type { BinaryOp, CastOp, Constant, FloatPredicate, IntPredicate, Type, Value } from '../../ir/module.ts';
import { intConstant, integerOf, wrap } from './values.ts';

export function foldBinary(op: BinaryOp, left: Value, right: Value): Constant | undefined {
  const { type } = left;
  if (type.kind === 'int') {
    const [a, b] = [integerOf(left), integerOf(right)];
    if (a === undefined || b === undefined) return undefined;
    const value = integerResult(op, type.bits, a, b);
    return value === undefined ? undefined : intConstant(type, value);
  }
  const [a, b] = [floatOf(left), floatOf(right)];
  if (a === undefined || b === undefined) return undefined;
  return floatConstant(type, floatResult(op, a, b));
}

function integerResult(op: BinaryOp, bits: number, a: bigint, b: bigint): bigint | undefined {
  const [ua, ub] = [BigInt.asUintN(bits, a), BigInt.asUintN(bits, b)];
  const [sa, sb] = [BigInt.asIntN(bits, a), BigInt.asIntN(bits, b)];
  switch (op) {
    case 'add':
      return a + b;
    case 'sub':
      return a - b;
    case 'mul':
      return a * b;
    case 'and':
      return a & b;
    case 'or':
      return a | b;
    case 'xor':
      return a ^ b;
    case 'udiv':
      return ub === 0n ? undefined : ua / ub;
    case 'urem':
      return ub === 0n ? undefined : ua % ub;
    case 'sdiv':
      return divides(bits, sa, sb) ? sa / sb : undefined;
    case 'srem':
      return divides(bits, sa, sb) ? sa % sb : undefined;
    case 'shl':
      return ub < bits ? a << ub : undefined;
    case 'lshr':
      return ub < bits ? ua >> ub : undefined;
    case 'ashr':
      return ub < bits ? sa >> ub : undefined;
    default:
      return undefined;
  }
}

/** Neither by zero nor with a quotient that is too large. */
function divides(bits: number, a: bigint, b: bigint): boolean {
  return b !== 0n && !(b === -1n && a === -(1n << BigInt(bits - 1)));
}

function floatResult(op: BinaryOp, a: number, b: number): number | undefined {
  switch (op) {
    case 'fadd':
      return a + b;
    case 'fsub':
      return a - b;
    case 'fmul':
      return a * b;
    case 'fdiv':
      return a / b;
    case 'frem':
      return a % b;
    default:
      return undefined;
  }
}

function floatOf(value: Value | undefined): number | undefined {
  if (value?.kind === 'float-constant') return value.value;
  if (value?.kind === 'zero' && (value.type.kind === 'float' || value.type.kind === 'double')) return 0;
  return undefined;
}

/** Doubles have more than twice the digits of floats, so rounding the double result of one operation is exact. */
function floatConstant(type: Type, value: number | undefined): Constant | undefined {
  // Which NaN it is would depend on the machine.
  if (value === undefined || Number.isNaN(value)) return undefined;
  if (type.kind === 'float') return { kind: 'float-constant', type, value: Math.fround(value) };
  return type.kind === 'double' ? { kind: 'float-constant', type, value } : undefined;
}

export function foldNegation(operand: Value): Constant | undefined {
  const value = floatOf(operand);
  return value === undefined ? undefined : floatConstant(operand.type, -value);
}

export function foldIntComparison(predicate: IntPredicate, left: Value, right: Value): boolean | undefined {
  const { type } = left;
  if (type.kind === 'ptr')
    return isNull(left) && isNull(right) ? ['eq', 'uge', 'ule', 'sge', 'sle'].includes(predicate) : undefined;
  const [a, b] = [integerOf(left), integerOf(right)];
  if (type.kind !== 'int' || a === undefined || b === undefined) return undefined;
  const [ua, ub] = [BigInt.asUintN(type.bits, a), BigInt.asUintN(type.bits, b)];
  const [sa, sb] = [BigInt.asIntN(type.bits, a), BigInt.asIntN(type.bits, b)];
  switch (predicate) {
    case 'eq':
      return ua === ub;
    case 'ne':
      return ua !== ub;
    case 'ugt':
      return ua > ub;
    case 'uge':
      return ua >= ub;
    case 'ult':
      return ua < ub;
    case 'ule':
      return ua <= ub;
    case 'sgt':
      return sa > sb;
    case 'sge':
      return sa >= sb;
    case 'slt':
      return sa < sb;
    case 'sle':
      return sa <= sb;
  }
}

function isNull(value: Value): boolean {
  return value.kind === 'null' || (value.kind === 'zero' && value.type.kind === 'ptr');
}

export function foldFloatComparison(predicate: FloatPredicate, left: Value, right: Value): boolean | undefined {
  if (predicate === 'false' || predicate === 'true') return predicate === 'true';
  const [a, b] = [floatOf(left), floatOf(right)];
  if (a === undefined || b === undefined) return undefined;
  const unordered = Number.isNaN(a) || Number.isNaN(b);
  if (predicate === 'ord' || predicate === 'uno') return unordered === (predicate === 'uno');
  if (unordered) return predicate.startsWith('u');
  switch (predicate.slice(1)) {
    case 'eq':
      return a === b;
    case 'ne':
      return a !== b;
    case 'gt':
      return a > b;
    case 'ge':
      return a >= b;
    case 'lt':
      return a < b;
    default:
      return a <= b;
  }
}

export function foldCast(op: CastOp, operand: Value, to: Type): Constant | undefined {
  const from = operand.type;
  const integer = integerOf(operand);
  if (integer !== undefined && from.kind === 'int') return foldIntCast(op, integer, from.bits, to);
  const float = floatOf(operand);
  if (float !== undefined) return foldFloatCast(op, float, from, to);
  if (op === 'ptrtoint' && isNull(operand)) return intConstant(to, 0n);
  return undefined;
}

function foldIntCast(op: CastOp, value: bigint, bits: number, to: Type): Constant | undefined {
  const unsigned = BigInt.asUintN(bits, value);
  const signed = BigInt.asIntN(bits, value);
  switch (op) {
    case 'trunc':
    case 'zext':
      return intConstant(to, unsigned);
    case 'sext':
      return intConstant(to, signed);
    case 'uitofp':
      return { kind: 'float-constant', type: to, value: nearest(unsigned, to) };
    case 'sitofp':
      return { kind: 'float-constant', type: to, value: nearest(signed, to) };
    case 'inttoptr':
      return unsigned === 0n ? { kind: 'null', type: to } : undefined;
    case 'bitcast':
      return to.kind === 'int' ? intConstant(to, value) : floatConstant(to, floatOfBits(unsigned, to));
    default:
      return undefined;
  }
}

function foldFloatCast(op: CastOp, value: number, from: Type, to: Type): Constant | undefined {
  switch (op) {
    case 'fptrunc':
    case 'fpext':
      return floatConstant(to, value);
    case 'fptosi':
    case 'fptoui': {
      if (to.kind !== 'int' || !Number.isFinite(value)) return undefined;
      const whole = BigInt(Math.trunc(value));
      const kept = op === 'fptosi' ? BigInt.asIntN(to.bits, whole) : BigInt.asUintN(to.bits, whole);
      return kept === whole ? intConstant(to, whole) : undefined;
    }
    case 'bitcast':
      if (to.kind !== 'int') return floatConstant(to, value);
      return Number.isNaN(value) ? undefined : intConstant(to, bitsOf(value, from));
    default:
      return undefined;
  }
}

/** The nearest float or double, ties to even. */
export function nearest(value: bigint, type: Type): number {
  if (type.kind !== 'float') return Number(value);
  // Rounded once only: all bits beyond what a double holds are gathered in one, which decides ties.
  const magnitude = value < 0n ? -value : value;
  const excess = BigInt(Math.max(0, magnitude.toString(2).length - 50));
  let kept = magnitude >> excess;
  if (kept << excess !== magnitude) kept |= 1n;
  const rounded = Math.fround(Number(kept) * 2 ** Number(excess));
  return value < 0n ? -rounded : rounded;
}

const view = new DataView(new ArrayBuffer(8));

function floatOfBits(bits: bigint, type: Type): number | undefined {
  view.setBigUint64(0, bits, true);
  if (type.kind === 'float') return view.getFloat32(0, true);
  return type.kind === 'double' ? view.getFloat64(0, true) : undefined;
}

function bitsOf(value: number, type: Type): bigint {
  if (type.kind === 'float') {
    view.setFloat32(0, value, true);
    return wrap(BigInt(view.getUint32(0, true)), 32);
  }
  view.setFloat64(0, value, true);
  return view.getBigInt64(0, true);
}
