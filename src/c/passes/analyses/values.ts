/**
 * What the passes share: constants, equality of types and values, who uses what, replacing values, fresh names, edges.
 */
import type { Block, Constant, Instruction, IrFunction, Module, Type, Value } from '../../ir/module.ts';
import { successorsOf, terminatorOf } from '../../ir/module.ts';
import { sameType, voidType } from '../../ir/types.ts';

/** A pass changes a function in place and says whether it changed anything. */
export type Pass = (f: IrFunction, m: Module) => boolean;

export type Phi = Extract<Instruction, { op: 'phi' }>;
export type Load = Extract<Instruction, { op: 'load' }>;
export type Store = Extract<Instruction, { op: 'store' }>;
export type Alloca = Extract<Instruction, { op: 'alloca' }>;
export type Call = Extract<Instruction, { op: 'call' }>;

/** As constants hold it: signed, but i1 is 0 or 1. */
export function wrap(value: bigint, bits: number): bigint {
  return bits === 1 ? BigInt.asUintN(1, value) : BigInt.asIntN(bits, value);
}

export function intConstant(type: Type, value: bigint): Constant {
  if (type.kind !== 'int') throw new Error(`an integer constant of type ${type.kind}`);
  return { kind: 'int-constant', type, value: wrap(value, type.bits) };
}

/** `variable`: whose value it is before it was set. */
export function undef(type: Type, variable?: string): Constant {
  return variable === undefined ? { kind: 'undef', type } : { kind: 'undef', type, variable };
}

export function isUndef(value: Value): boolean {
  return value.kind === 'undef';
}

export function isConstant(value: Value): value is Constant {
  return value.kind !== 'instruction' && value.kind !== 'parameter';
}

/** The integer that a constant stands for, if it is plainly one. */
export function integerOf(value: Value | undefined): bigint | undefined {
  if (value?.kind === 'int-constant') return value.value;
  if (value?.kind === 'zero' && value.type.kind === 'int') return 0n;
  return undefined;
}

export function isScalar(type: Type): boolean {
  return type.kind === 'int' || type.kind === 'float' || type.kind === 'double' || type.kind === 'ptr';
}

/** In bits; of scalars only. */
export function scalarBits(type: Type): number {
  switch (type.kind) {
    case 'int':
      return type.bits;
    case 'float':
    case 'ptr':
      return 32;
    case 'double':
      return 64;
    default:
      throw new Error(`${type.kind} is not scalar`);
  }
}

/** Surely the same value: the same object, or equal constants. */
export function sameValue(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (!isConstant(a) || !isConstant(b) || !sameType(a.type, b.type)) return false;
  switch (a.kind) {
    case 'int-constant':
      return b.kind === 'int-constant' ? a.value === b.value : b.kind === 'zero' && a.value === 0n;
    case 'float-constant':
      return b.kind === 'float-constant' && Object.is(a.value, b.value);
    case 'null':
      return b.kind === 'null' || b.kind === 'zero';
    case 'zero':
      return b.kind === 'zero' || b.kind === 'null' || (b.kind === 'int-constant' && b.value === 0n);
    case 'undef':
      return b.kind === 'undef';
    case 'symbol':
      return b.kind === 'symbol' && a.name === b.name;
    case 'expression':
      return (
        b.kind === 'expression' &&
        a.op === b.op &&
        (a.sourceType === undefined) === (b.sourceType === undefined) &&
        (a.sourceType === undefined || sameType(a.sourceType, b.sourceType!)) &&
        a.operands.length === b.operands.length &&
        a.operands.every((operand, i) => sameValue(operand, b.operands[i]!))
      );
    default:
      return false;
  }
}

/** The name of the function that a call calls, if it does so directly; aliases are not followed. */
export function calleeName(call: Call): string | undefined {
  const callee = call.operands[0];
  return callee?.kind === 'symbol' ? callee.name : undefined;
}

/** The instructions that use each value; one that uses it twice is listed twice. Constants are left out. */
export function usersOf(f: IrFunction): Map<Value, Instruction[]> {
  const users = new Map<Value, Instruction[]>();
  for (const block of f.blocks) {
    for (const user of block.instructions) {
      for (const operand of user.operands) {
        if (isConstant(operand)) continue;
        const list = users.get(operand);
        if (list === undefined) users.set(operand, [user]);
        else list.push(user);
      }
    }
  }
  return users;
}

/** What stands for a value in the end: a replacement may have been replaced itself. */
export function resolve(replacements: ReadonlyMap<Value, Value>, value: Value): Value {
  let at = value;
  for (let next = replacements.get(at); next !== undefined; next = replacements.get(at)) at = next;
  return at;
}

/** Puts the replacements in place of all uses, and removes the instructions that were replaced. */
export function replaceAll(f: IrFunction, replacements: ReadonlyMap<Value, Value>): void {
  if (replacements.size === 0) return;
  for (const block of f.blocks) {
    block.instructions = block.instructions.filter((instruction) => !replacements.has(instruction));
    for (const { operands } of block.instructions) {
      for (let i = 0; i < operands.length; i++) operands[i] = resolve(replacements, operands[i]!);
    }
  }
}

/** Names that a function does not use yet; `%` and labels share one space, as in LLVM. */
export class Names {
  readonly #used = new Set<string>();

  constructor(f: IrFunction) {
    for (const parameter of f.parameters) this.#used.add(parameter.name);
    for (const block of f.blocks) {
      this.#used.add(block.name);
      for (const { name } of block.instructions) this.#used.add(name);
    }
  }

  /** What had the name goes away. */
  release(name: string): void {
    this.#used.delete(name);
  }

  fresh(base: string): string {
    let name = base;
    for (let i = 1; name === '' || this.#used.has(name); i++) name = `${base}.${i}`;
    this.#used.add(name);
    return name;
  }
}

export function phisOf(block: Block): Phi[] {
  const phis: Phi[] = [];
  for (const instruction of block.instructions) {
    if (instruction.op !== 'phi') break;
    phis.push(instruction);
  }
  return phis;
}

/**
 * Phis have an operand for each edge. Control no longer goes from one block to the other (once, if there are several
 * such edges): the phis forget it.
 */
export function forgetEdge(from: Block, to: Block): void {
  for (const phi of phisOf(to)) {
    const i = phi.blocks.indexOf(from);
    if (i < 0) continue;
    phi.blocks.splice(i, 1);
    phi.operands.splice(i, 1);
  }
}

/** Control that came to the successors from one block now comes from another. */
export function renameInPhis(successors: Iterable<Block>, from: Block, to: Block): void {
  for (const successor of new Set(successors)) {
    for (const phi of phisOf(successor)) {
      for (let i = 0; i < phi.blocks.length; i++) if (phi.blocks[i] === from) phi.blocks[i] = to;
    }
  }
}

/** What instructions without operands and result have in common. */
export function voidBase(position: Instruction['position']) {
  return { kind: 'instruction', type: voidType, name: '', position, operands: [] as Value[] } as const;
}

export function makeJump(target: Block, position: Instruction['position']): Instruction {
  return { ...voidBase(position), op: 'br', targets: [target] };
}

/** Ends a block with a jump to one of its successors; the edges to the others go away. */
export function jumpInstead(block: Block, target: Block): void {
  const { position } = terminatorOf(block);
  let isKept = false;
  for (const successor of successorsOf(block)) {
    if (successor === target && !isKept) isKept = true;
    else forgetEdge(block, successor);
  }
  block.instructions[block.instructions.length - 1] = makeJump(target, position);
}
