/** Places in memory that are known at compile time, and what constant memory holds there. */
import { fieldOffset, sizeOf } from '../../ir/layout.ts';
import type { Constant, Module, Type, Value } from '../../ir/module.ts';
import { intConstant, integerOf, isScalar, scalarBits, undef } from './values.ts';

/** How far a `getelementptr` with these indices goes, in bytes; undefined if an index is not constant. */
export function constantOffset(sourceType: Type, indices: readonly Value[]): number | undefined {
  let offset = 0;
  let type = sourceType;
  for (const [i, operand] of indices.entries()) {
    const index = integerOf(operand);
    if (index === undefined) return undefined;
    if (i === 0) {
      offset += Number(index) * sizeOf(type);
    } else if (type.kind === 'struct') {
      const field = type.fields?.[Number(index)];
      if (field === undefined) return undefined;
      offset += fieldOffset(type, Number(index));
      type = field;
    } else if (type.kind === 'array') {
      type = type.element;
      offset += Number(index) * sizeOf(type);
    } else {
      return undefined;
    }
  }
  return Number.isSafeInteger(offset) ? offset : undefined;
}

/** The global and the offset that a constant address stands for. */
export function placeInGlobal(address: Value): { readonly name: string; readonly offset: number } | undefined {
  let offset = 0;
  let at = address;
  while (at.kind === 'expression' && (at.op === 'getelementptr' || at.op === 'bitcast')) {
    if (at.op === 'getelementptr') {
      const step = at.sourceType === undefined ? undefined : constantOffset(at.sourceType, at.operands.slice(1));
      if (step === undefined) return undefined;
      offset += step;
    }
    at = at.operands[0]!;
  }
  return at.kind === 'symbol' ? { name: at.name, offset } : undefined;
}

/** What a load of a scalar from constant memory gives; undefined if that is not known, or not wholly inside. */
export function loadConstant(m: Module, address: Value, type: Type): Constant | undefined {
  const place = placeInGlobal(address);
  const global = place === undefined ? undefined : m.globals.get(place.name);
  if (place === undefined || global?.initializer === undefined) return undefined;
  if (!global.isConstant || global.isThreadLocal || global.isWeak) return undefined;
  return constantAt(global.initializer, place.offset, type);
}

/** The scalar of this type at an offset of a constant; undef where that is. */
function constantAt(constant: Constant, offset: number, type: Type): Constant | undefined {
  if (!isScalar(type) || scalarBits(type) % 8 !== 0) return undefined;
  const size = scalarBits(type) / 8;
  let at = constant;
  let rest = offset;
  for (;;) {
    if (rest < 0 || rest + size > sizeOf(at.type)) return undefined;
    if (at.kind === 'zero') return zeroOf(type);
    if (at.kind === 'undef') return undef(type);
    if (at.kind === 'bytes') return fromBytes(at.bytes.subarray(rest, rest + size), type);
    if (at.kind !== 'aggregate') break;
    const part = partAt(at.type, rest);
    const element = part === undefined ? undefined : at.elements[part.index];
    if (part === undefined || element === undefined) return undefined;
    rest -= part.offset;
    at = element;
  }
  if (rest !== 0 || at.type.kind !== type.kind) return undefined;
  if (at.type.kind === 'int' && scalarBits(at.type) !== scalarBits(type)) return undefined;
  return at;
}

/** The element of an aggregate that a byte lies in. */
function partAt(type: Type, offset: number): { readonly index: number; readonly offset: number } | undefined {
  if (type.kind === 'array') {
    const step = sizeOf(type.element);
    return step === 0 ? undefined : { index: Math.floor(offset / step), offset: Math.floor(offset / step) * step };
  }
  if (type.kind !== 'struct' || type.fields === undefined) return undefined;
  for (let index = type.fields.length - 1; index >= 0; index--) {
    const start = fieldOffset(type, index);
    if (start <= offset && offset < start + sizeOf(type.fields[index]!)) return { index, offset: start };
  }
  return undefined;
}

export function zeroOf(type: Type): Constant {
  if (type.kind === 'int') return intConstant(type, 0n);
  if (type.kind === 'ptr') return { kind: 'null', type };
  if (type.kind === 'float' || type.kind === 'double') return { kind: 'float-constant', type, value: 0 };
  return { kind: 'zero', type };
}

/** Little-endian. Floats and pointers only if they are zero. */
export function fromBytes(bytes: Uint8Array, type: Type): Constant | undefined {
  if (type.kind !== 'int') return bytes.every((byte) => byte === 0) ? zeroOf(type) : undefined;
  let value = 0n;
  for (const byte of bytes.toReversed()) value = (value << 8n) | BigInt(byte);
  return intConstant(type, value);
}
