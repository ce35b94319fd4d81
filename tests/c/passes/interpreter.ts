/**
 * A slow interpreter for functions of integers and local memory: the reference that optimised functions are compared
 * with. It shares no code with the passes.
 *
 * Undefined values: a load of a source variable that was not set fails if anyone uses it, other than to store it back; a
 * copy of memory copies them along; arithmetic takes them for 0.
 */
import { leaves, sizeOf } from '../../../src/c/ir/layout.ts';
import type { Block, Constant, Instruction, IrFunction, Type, Value } from '../../../src/c/ir/module.ts';

type Pointer = { readonly memory: (number | undefined)[]; readonly offset: number; readonly owner: Instruction };
type Datum = bigint | Pointer | undefined;

export interface Outcome {
  readonly kind: 'returned' | 'division-by-zero' | 'uninitialised' | 'bound';
  readonly value: bigint | undefined;
}

class Stop extends Error {
  readonly outcome: Outcome;
  constructor(kind: Outcome['kind']) {
    super(kind);
    this.outcome = { kind, value: undefined };
  }
}

export function interpret(f: IrFunction, args: readonly bigint[], mostSteps = 1_000_000): Outcome {
  try {
    return { kind: 'returned', value: new Run(f, args, mostSteps).run() ?? 0n };
  } catch (error) {
    if (error instanceof Stop) return error.outcome;
    throw error;
  }
}

class Run {
  readonly #f: IrFunction;
  readonly #args: readonly bigint[];
  readonly #values = new Map<Value, Datum>();
  readonly #users = new Map<Value, Set<Instruction>>();
  #steps: number;

  constructor(f: IrFunction, args: readonly bigint[], mostSteps: number) {
    this.#f = f;
    this.#args = args;
    this.#steps = mostSteps;
    for (const block of f.blocks) {
      for (const instruction of block.instructions) {
        for (const operand of instruction.operands) {
          const users = this.#users.get(operand) ?? new Set();
          this.#users.set(operand, users.add(instruction));
        }
      }
    }
  }

  run(): bigint | undefined {
    let from: Block | undefined;
    let block = this.#f.blocks[0]!;
    for (;;) {
      this.#enter(block, from);
      const last = block.instructions.at(-1)!;
      for (const instruction of block.instructions) {
        if (--this.#steps < 0) throw new Error('the function does not end');
        if (instruction.op !== 'phi' && instruction !== last) this.#values.set(instruction, this.#step(instruction));
      }
      if (last.op === 'ret') return last.operands[0] === undefined ? undefined : this.#integer(last.operands[0]);
      from = block;
      block = this.#next(last);
    }
  }

  #enter(block: Block, from: Block | undefined): void {
    const phis: [Instruction, Datum][] = [];
    for (const phi of block.instructions) {
      if (phi.op !== 'phi') break;
      phis.push([phi, this.#datum(phi.operands[phi.blocks.indexOf(from!)]!)]);
    }
    for (const [phi, value] of phis) this.#values.set(phi, value);
  }

  #next(last: Instruction): Block {
    if (last.op === 'br')
      return last.targets[last.targets.length === 1 || this.#integer(last.operands[0]!) !== 0n ? 0 : 1]!;
    if (last.op !== 'switch') throw new Error(`${last.op} was reached`);
    const value = this.#integer(last.operands[0]!);
    const chosen = last.operands.findIndex((operand, i) => i > 0 && this.#integer(operand) === value);
    return last.targets[Math.max(chosen, 0)]!;
  }

  #datum(value: Value): Datum {
    if (value.kind === 'parameter') return this.#args[value.index];
    if (value.kind !== 'instruction') return constant(value);
    if (!this.#values.has(value)) throw new Error(`%${value.name} is used before it is set`);
    return this.#values.get(value);
  }

  #integer(value: Value): bigint {
    const datum = this.#datum(value) ?? 0n;
    if (typeof datum !== 'bigint') throw new Error('a pointer where a number should be');
    return datum;
  }

  #pointer(value: Value): Pointer {
    const datum = this.#datum(value);
    if (typeof datum !== 'object') throw new Error('a number where a pointer should be');
    return datum;
  }

  #step(instruction: Instruction): Datum {
    const [a, b, c] = instruction.operands as [Value, Value, Value];
    switch (instruction.op) {
      case 'alloca':
        return { memory: new Array(sizeOf(instruction.allocated)).fill(undefined), offset: 0, owner: instruction };
      case 'load':
        return this.#load(instruction, this.#pointer(a));
      case 'store':
        write(this.#pointer(b), this.#datum(a), a.type);
        return undefined;
      case 'getelementptr':
        return this.#address(instruction);
      case 'icmp':
        return compare(instruction.predicate, bitsOf(a.type), this.#integer(a), this.#integer(b)) ? 1n : 0n;
      case 'select':
        return this.#integer(a) !== 0n ? this.#datum(b) : this.#datum(c);
      case 'trunc':
      case 'sext':
      case 'bitcast':
        if (this.#datum(a) === undefined) return undefined;
        return normal(this.#integer(a), instruction.type, instruction.op === 'sext' ? bitsOf(a.type) : undefined);
      case 'zext':
        if (this.#datum(a) === undefined) return undefined;
        return normal(BigInt.asUintN(bitsOf(a.type), this.#integer(a)), instruction.type);
      case 'freeze':
        return this.#datum(a) ?? 0n;
      case 'defined': {
        const value = this.#datum(a);
        if (value === undefined) throw new Stop('uninitialised');
        return value;
      }
      case 'bound':
        if (instruction.operands.length > 0) break; // counts rounds, and the program has no bound
        throw new Stop('bound');
      case 'call':
        this.#call(instruction);
        return undefined;
      default:
        return this.#arithmetic(instruction, this.#integer(a), this.#integer(b));
    }
  }

  #load(load: Instruction & { op: 'load' }, pointer: Pointer): Datum {
    const size = bitsOf(load.type) / 8;
    let value: bigint | undefined = 0n;
    for (let i = 0; i < size; i++) {
      const byte = pointer.memory[pointer.offset + i];
      if (pointer.offset + i >= pointer.memory.length) throw new Error('out of bounds');
      value = byte === undefined || value === undefined ? undefined : value | (BigInt(byte) << BigInt(8 * i));
    }
    if (value !== undefined) return normal(value, load.type);
    if (load.partial === true) return 0n;
    if (load.copies === true) return undefined;
    const users = [...(this.#users.get(load) ?? [])];
    const isRead = users.some((user) => user.op !== 'store' || user.operands[1] !== load.operands[0]);
    if (isRead && this.#f.variables.has(pointer.owner)) throw new Stop('uninitialised');
    return undefined;
  }

  #address(instruction: Instruction & { op: 'getelementptr' }): Pointer {
    const { memory, offset, owner } = this.#pointer(instruction.operands[0]!);
    let at = offset;
    let type: Type = instruction.sourceType;
    for (const [i, operand] of instruction.operands.slice(1).entries()) {
      const index = Number(this.#integer(operand));
      if (i === 0) {
        at += index * sizeOf(type);
      } else if (type.kind === 'array') {
        type = type.element;
        at += index * sizeOf(type);
      } else if (type.kind === 'struct') {
        const before = { ...type, name: undefined, fields: type.fields!.slice(0, index + 1) };
        // The generator has scalars only in its structs.
        at += leaves(before).at(-1)!.offset;
        type = type.fields![index]!;
      }
    }
    return { memory, offset: at, owner };
  }

  #call(call: Instruction): void {
    const [callee, first, second, third] = call.operands as [Value, Value, Value, Value];
    if (callee.kind !== 'symbol') throw new Error('an indirect call');
    const count = Number(this.#integer(third));
    const to = this.#pointer(first);
    if (callee.name.startsWith('llvm.memset')) {
      to.memory.fill(Number(BigInt.asUintN(8, this.#integer(second))), to.offset, to.offset + count);
    } else if (callee.name.startsWith('llvm.memcpy')) {
      const from = this.#pointer(second);
      const bytes = from.memory.slice(from.offset, from.offset + count);
      for (const [i, byte] of bytes.entries()) to.memory[to.offset + i] = byte;
    } else {
      throw new Error(`a call of ${callee.name}`);
    }
  }

  #arithmetic(instruction: Instruction, a: bigint, b: bigint): bigint {
    const bits = bitsOf(instruction.type);
    const [ua, ub] = [BigInt.asUintN(bits, a), BigInt.asUintN(bits, b)];
    const isDivision = ['udiv', 'sdiv', 'urem', 'srem'].includes(instruction.op);
    if (isDivision && ub === 0n) throw new Stop('division-by-zero');
    const results: Record<string, () => bigint> = {
      add: () => a + b,
      sub: () => a - b,
      mul: () => a * b,
      and: () => a & b,
      or: () => a | b,
      xor: () => a ^ b,
      udiv: () => ua / ub,
      urem: () => ua % ub,
      sdiv: () => a / b,
      srem: () => a % b,
      shl: () => a << (ub % BigInt(bits)),
      lshr: () => ua >> (ub % BigInt(bits)),
      ashr: () => BigInt.asIntN(bits, a) >> (ub % BigInt(bits)),
    };
    const result = results[instruction.op];
    if (result === undefined) throw new Error(`${instruction.op} is not interpreted`);
    return normal(result(), instruction.type);
  }
}

function constant(value: Constant): Datum {
  if (value.kind === 'int-constant') return value.value;
  if (value.kind === 'zero') return 0n;
  if (value.kind === 'undef') return undefined;
  throw new Error(`a constant of kind ${value.kind}`);
}

function bitsOf(type: Type): number {
  if (type.kind !== 'int') throw new Error(`a value of type ${type.kind}`);
  return type.bits;
}

function normal(value: bigint, type: Type, signedFrom?: number): bigint {
  const bits = bitsOf(type);
  const wide = signedFrom === undefined ? value : BigInt.asIntN(signedFrom, value);
  return bits === 1 ? BigInt.asUintN(1, wide) : BigInt.asIntN(bits, wide);
}

function write(pointer: Pointer, value: Datum, type: Type): void {
  if (typeof value === 'object') throw new Error('a pointer is stored');
  const size = bitsOf(type) / 8;
  if (pointer.offset + size > pointer.memory.length) throw new Error('out of bounds');
  for (let i = 0; i < size; i++) {
    pointer.memory[pointer.offset + i] =
      value === undefined ? undefined : Number(BigInt.asUintN(8, value >> BigInt(8 * i)));
  }
}

function compare(predicate: string, bits: number, a: bigint, b: bigint): boolean {
  const isUnsigned = predicate.startsWith('u');
  const [x, y] = isUnsigned
    ? [BigInt.asUintN(bits, a), BigInt.asUintN(bits, b)]
    : [BigInt.asIntN(bits, a), BigInt.asIntN(bits, b)];
  switch (predicate.slice(-2)) {
    case 'eq':
      return x === y;
    case 'ne':
      return x !== y;
    case 'gt':
      return x > y;
    case 'ge':
      return x >= y;
    case 'lt':
      return x < y;
    default:
      return x <= y;
  }
}
