/** Constants of the IR as bytes and as values. */
import { InputError } from '../../program/input-error.ts';
import { fieldOffset, sizeOf } from '../ir/layout.ts';
import type { Constant, Type } from '../ir/module.ts';
import type { CValue } from '../runtime.ts';
import { encode, spread, storeSize } from './encoding.ts';

type AddressOf = (symbol: string) => number;

/** Writes a constant as it lies in memory; what is undefined in it is 0, as in static memory. */
export function writeConstant(view: DataView, offset: number, constant: Constant, addressOf: AddressOf): void {
  const { type } = constant;
  switch (constant.kind) {
    case 'zero':
    case 'undef':
      return;
    case 'bytes':
      new Uint8Array(view.buffer, view.byteOffset).set(constant.bytes, offset);
      return;
    case 'aggregate':
      for (const [i, element] of constant.elements.entries()) {
        const at = type.kind === 'array' ? i * sizeOf(type.element) : type.kind === 'struct' ? fieldOffset(type, i) : 0;
        writeConstant(view, offset + at, element, addressOf);
      }
      return;
    default: {
      const size = storeSize(type);
      const held = encode(constantValue(constant, addressOf), type);
      const bytes = new Uint8Array(view.buffer, view.byteOffset);
      spread(held, size, bytes, new Uint8Array(offset + size), offset);
    }
  }
}

/** The value of a constant at run time. */
export function constantValue(constant: Constant, addressOf: AddressOf): CValue {
  switch (constant.kind) {
    case 'int-constant':
      return intValue(constant.value, constant.type);
    case 'float-constant':
      return constant.value;
    case 'null':
      return 0;
    case 'undef':
      return isAggregate(constant.type) ? zeroOf(constant.type) : undefined;
    case 'zero':
      return zeroOf(constant.type);
    case 'symbol':
      return addressOf(constant.name);
    case 'aggregate':
      return constant.elements.map((element) => constantValue(element, addressOf));
    case 'bytes':
      return [...constant.bytes].map((byte) => (byte << 24) >> 24);
    case 'expression': {
      const operands = constant.operands.map((operand) => constantValue(operand, addressOf));
      if (constant.op === 'getelementptr')
        return elementAddress(constant.sourceType as Type, constant.operands, operands);
      return fold(
        constant.op,
        operands.map((value) => BigInt(value as number | bigint)),
        constant.type,
      );
    }
  }
}

/** Constant expressions are on addresses: all that clang makes of them is this. */
function fold(op: string, [a = 0n, b = 0n]: readonly bigint[], type: Type): CValue {
  const bits = type.kind === 'int' ? type.bits : 32;
  const result = (value: bigint): CValue => intValue(BigInt.asIntN(bits, value), type);
  switch (op) {
    case 'ptrtoint':
    case 'inttoptr':
      return result(BigInt.asUintN(32, a));
    case 'bitcast':
    case 'trunc':
      return result(a);
    case 'add':
      return result(a + b);
    case 'sub':
      return result(a - b);
    case 'mul':
      return result(a * b);
    case 'xor':
      return result(a ^ b);
    default:
      throw new InputError(`the constant expression ${op} is not supported`);
  }
}

function intValue(value: bigint, type: Type): number | bigint {
  return type.kind === 'int' && type.bits > 32 ? value : Number(value);
}

function isAggregate(type: Type): boolean {
  return type.kind === 'array' || type.kind === 'struct';
}

export function zeroOf(type: Type): CValue {
  switch (type.kind) {
    case 'int':
      return type.bits > 32 ? 0n : 0;
    case 'array':
      return Array.from({ length: type.count }, () => zeroOf(type.element));
    case 'struct':
      return (type.fields ?? []).map(zeroOf);
    default:
      return 0;
  }
}

/** Steps of a getelementptr: the type that each index goes into, and what it adds if the index is a constant. */
export function elementAddress(sourceType: Type, indices: readonly Constant[], values: readonly CValue[]): number {
  let address = values[0] as number;
  let type: Type = sourceType;
  for (let i = 1; i < indices.length; i++) {
    const index = Number(values[i] as number | bigint);
    if (i === 1) address += index * sizeOf(type);
    else if (type.kind === 'struct') {
      address += fieldOffset(type, index);
      type = (type.fields as readonly Type[])[index] as Type;
    } else if (type.kind === 'array') {
      type = type.element;
      address += index * sizeOf(type);
    } else throw new InputError('a getelementptr goes into something that is no array or struct');
  }
  return address | 0;
}
