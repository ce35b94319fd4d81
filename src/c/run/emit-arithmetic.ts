/**
 * Arithmetic of the IR as JavaScript expressions. Results are canonical (see `CValue`), given canonical operands: `A` is
 * `arithmetic`, operands are names or literals.
 */
import type { BinaryOp, CastOp, FloatPredicate, IntPredicate, Type } from '../ir/module.ts';

/** An expression whose lowest bits are right, made canonical. */
function wrapped(bits: number, expression: string): string {
  if (bits === 32) return `(${expression} | 0)`;
  if (bits === 1) return `(${expression} & 1)`;
  if (bits < 32) return `((${expression}) << ${32 - bits} >> ${32 - bits})`;
  return `BigInt.asIntN(${bits}, ${expression})`;
}

/** An integer as an unsigned number. */
function unsigned(bits: number, value: string): string {
  if (bits === 32) return `(${value} >>> 0)`;
  if (bits === 1) return value;
  if (bits < 32) return `(${value} & ${2 ** bits - 1})`;
  return `BigInt.asUintN(${bits}, ${value})`;
}

export function bitsOfType(type: Type): number {
  return type.kind === 'int' ? type.bits : 32;
}

/** `onFault`: what to do if an integer is divided by 0, or shifted by as many bits as it has; undefined if it cannot be. */
export function binaryExpression(op: BinaryOp, type: Type, a: string, b: string, onFault: string | undefined): string {
  if (type.kind === 'float') return `Math.fround(${floatBinary(op, a, b)})`;
  if (type.kind === 'double') return `(${floatBinary(op, a, b)})`;
  const bits = bitsOfType(type);
  const isBig = bits > 32;
  const u = (value: string): string => unsigned(bits, value);
  const checked = (expression: string): string =>
    onFault === undefined ? expression : `(${b} ${isBig ? '=== 0n' : '=== 0'} ? ${onFault} : ${expression})`;
  const shifted = (expression: string): string =>
    onFault === undefined ? expression : `(${u(b)} >= ${bits} ? ${onFault} : ${expression})`;
  switch (op) {
    case 'add':
      return wrapped(bits, `${a} + ${b}`);
    case 'sub':
      return wrapped(bits, `${a} - ${b}`);
    case 'mul':
      return wrapped(bits, isBig ? `${a} * ${b}` : `Math.imul(${a}, ${b})`);
    case 'sdiv':
      return checked(wrapped(bits, `${a} / ${b}`));
    case 'srem':
      return checked(wrapped(bits, `${a} % ${b}`));
    case 'udiv':
      return checked(wrapped(bits, isBig ? `${u(a)} / ${u(b)}` : `(${u(a)} / ${u(b)} >>> 0)`));
    case 'urem':
      return checked(wrapped(bits, `(${u(a)} % ${u(b)})`));
    case 'shl':
      return shifted(wrapped(bits, `${a} << ${b}`));
    case 'ashr':
      return shifted(bits === 1 ? a : `(${a} >> ${b})`);
    case 'lshr':
      return shifted(wrapped(bits, isBig ? `${u(a)} >> ${b}` : `(${u(a)} >>> ${b})`));
    case 'and':
      return `(${a} & ${b})`;
    case 'or':
      return `(${a} | ${b})`;
    case 'xor':
      return `(${a} ^ ${b})`;
    default:
      throw new Error(`${op} on integers`);
  }
}

function floatBinary(op: BinaryOp, a: string, b: string): string {
  switch (op) {
    case 'fadd':
      return `${a} + ${b}`;
    case 'fsub':
      return `${a} - ${b}`;
    case 'fmul':
      return `${a} * ${b}`;
    case 'fdiv':
      return `${a} / ${b}`;
    case 'frem':
      return `${a} % ${b}`;
    default:
      throw new Error(`${op} on floating-point numbers`);
  }
}

export function castExpression(op: CastOp, from: Type, to: Type, value: string): string {
  const fromBits = bitsOfType(from);
  const toBits = bitsOfType(to);
  switch (op) {
    case 'trunc':
      return narrowed(fromBits, toBits, value);
    case 'zext':
      return zeroExtended(fromBits, toBits, value);
    case 'sext':
      if (toBits > 32) return fromBits > 32 ? value : `BigInt(${fromBits === 1 ? `(-${value} | 0)` : value})`;
      return fromBits === 1 ? `(-${value} | 0)` : value;
    case 'ptrtoint':
      return toBits > 32 ? zeroExtended(32, toBits, value) : narrowed(32, toBits, value);
    case 'inttoptr':
      return fromBits > 32 ? narrowed(fromBits, 32, value) : zeroExtended(fromBits, 32, value);
    case 'fptrunc':
      return `Math.fround(${value})`;
    case 'fpext':
      return value;
    case 'fptosi':
      return toBits > 32 ? `A.toBig(${value}, ${toBits})` : `A.toInt(${value}, ${toBits})`;
    case 'fptoui':
      return toBits > 32 ? `A.toUnsignedBig(${value}, ${toBits})` : `A.toUint(${value}, ${toBits})`;
    case 'sitofp':
      return floating(to, fromBits, fromBits === 1 ? `(-${value} | 0)` : value);
    case 'uitofp':
      return floating(to, fromBits, unsigned(fromBits, value));
    case 'bitcast':
      return reinterpreted(from, to, value);
  }
}

function narrowed(fromBits: number, toBits: number, value: string): string {
  if (fromBits <= 32) return fromBits === toBits ? value : wrapped(toBits, value);
  if (toBits > 32) return `BigInt.asIntN(${toBits}, ${value})`;
  return toBits === 1 ? `Number(${value} & 1n)` : `Number(BigInt.asIntN(${toBits}, ${value}))`;
}

function zeroExtended(fromBits: number, toBits: number, value: string): string {
  const u = unsigned(fromBits, value);
  if (toBits > 32) return fromBits > 32 ? u : `BigInt(${u})`;
  return toBits === 32 ? `(${u} | 0)` : wrapped(toBits, u);
}

function floating(to: Type, fromBits: number, value: string): string {
  if (fromBits > 32) return to.kind === 'float' ? `A.floatOfBig(${value})` : `Number(${value})`;
  return to.kind === 'float' ? `Math.fround(${value})` : value;
}

function reinterpreted(from: Type, to: Type, value: string): string {
  if (from.kind === to.kind) return value;
  if (from.kind === 'float') return `A.bitsOfFloat(${value})`;
  if (from.kind === 'double') return `A.bitsOfDouble(${value})`;
  if (to.kind === 'float') return `A.floatOfBits(${value})`;
  if (to.kind === 'double') return `A.doubleOfBits(${value})`;
  return value;
}

const signedOperators: Partial<Record<IntPredicate, string>> = {
  eq: '===',
  ne: '!==',
  sgt: '>',
  sge: '>=',
  slt: '<',
  sle: '<=',
};
const unsignedOperators: Partial<Record<IntPredicate, string>> = { ugt: '>', uge: '>=', ult: '<', ule: '<=' };

/** A JavaScript condition. */
export function intComparison(predicate: IntPredicate, type: Type, a: string, b: string): string {
  const bits = bitsOfType(type);
  const plain = signedOperators[predicate];
  // an i1 that is 1 is -1 as a signed number
  if (plain !== undefined) {
    return bits === 1 && predicate.startsWith('s') ? `-${a} ${plain} -${b}` : `${a} ${plain} ${b}`;
  }
  return `${unsigned(bits, a)} ${unsignedOperators[predicate]} ${unsigned(bits, b)}`;
}

export function floatComparison(predicate: FloatPredicate, a: string, b: string): string {
  switch (predicate) {
    case 'false':
      return 'false';
    case 'true':
      return 'true';
    case 'oeq':
      return `${a} === ${b}`;
    case 'ogt':
      return `${a} > ${b}`;
    case 'oge':
      return `${a} >= ${b}`;
    case 'olt':
      return `${a} < ${b}`;
    case 'ole':
      return `${a} <= ${b}`;
    case 'one':
      return `(${a} < ${b} || ${a} > ${b})`;
    case 'ord':
      return `(${a} === ${a} && ${b} === ${b})`;
    case 'ueq':
      return `!(${a} < ${b} || ${a} > ${b})`;
    case 'ugt':
      return `!(${a} <= ${b})`;
    case 'uge':
      return `!(${a} < ${b})`;
    case 'ult':
      return `!(${a} >= ${b})`;
    case 'ule':
      return `!(${a} > ${b})`;
    case 'une':
      return `${a} !== ${b}`;
    case 'uno':
      return `(${a} !== ${a} || ${b} !== ${b})`;
  }
}

/** The new value of an atomicrmw, from the old value `old` and the operand `x`. */
export function updateExpression(operation: string, type: Type, old: string, x: string): string {
  const integer = (op: BinaryOp): string => binaryExpression(op, type, old, x, undefined);
  const chosen = (predicate: IntPredicate): string => `(${intComparison(predicate, type, old, x)} ? ${old} : ${x})`;
  switch (operation) {
    case 'xchg':
      return x;
    case 'add':
    case 'sub':
    case 'and':
    case 'or':
    case 'xor':
    case 'fadd':
    case 'fsub':
      return integer(operation);
    case 'nand':
      return bitsOfType(type) === 1 ? `(${integer('and')} ^ 1)` : `~${integer('and')}`;
    case 'max':
      return chosen('sgt');
    case 'min':
      return chosen('slt');
    case 'umax':
      return chosen('ugt');
    case 'umin':
      return chosen('ult');
    case 'fmax':
      return `(${old} >= ${x} || ${x} !== ${x} ? ${old} : ${x})`;
    case 'fmin':
      return `(${old} <= ${x} || ${x} !== ${x} ? ${old} : ${x})`;
    default:
      throw new Error(`the atomic operation ${operation} is unknown`);
  }
}
