/**
 * Constant folding and simple algebra: an instruction whose value is known, or is that of another value, is replaced by
 * it; branches on constants become jumps.
 *
 * Nothing that would fail at run time is folded (division by zero), and nothing is concluded from `undef`: it stands for
 * a variable that was not set, and checks for it must see it. Leaves blocks without predecessors behind (removed at the
 * end) and instructions without uses (for dce.ts).
 */
import type { Block, Constant, Instruction, IrFunction, Module, Value } from '../../ir/module.ts';
import { terminatorOf } from '../../ir/module.ts';
import { i1, sameType } from '../../ir/types.ts';
import { foldBinary, foldCast, foldFloatComparison, foldIntComparison, foldNegation } from '../analyses/arithmetic.ts';
import { buildCfg, removeUnreachable } from '../analyses/cfg.ts';
import { loadConstant } from '../analyses/constants.ts';
import { removeNeedlessChecks } from '../analyses/undefined.ts';
import {
  forgetEdge,
  intConstant,
  integerOf,
  isConstant,
  isUndef,
  jumpInstead,
  type Phi,
  replaceAll,
  resolve,
  sameValue,
} from '../analyses/values.ts';

export function fold(f: IrFunction, m: Module): boolean {
  let changedAtAll = removeUnreachable(f);
  for (let changed = true; changed; ) {
    changed = foldValues(f, m);
    for (const block of f.blocks) if (foldBranch(block)) changed = true;
    if (removeUnreachable(f)) changed = true;
    if (removeNeedlessChecks(f)) changed = true;
    if (changed) changedAtAll = true;
  }
  return changedAtAll;
}

function foldValues(f: IrFunction, m: Module): boolean {
  const replacements = new Map<Value, Value>();
  // In reverse postorder operands are seen before their users, except over back edges.
  for (const block of buildCfg(f).blocks) {
    for (const instruction of block.instructions) {
      const { operands } = instruction;
      for (let i = 0; i < operands.length; i++) operands[i] = resolve(replacements, operands[i]!);
      const value = simplify(instruction, m);
      if (value !== undefined && value !== instruction) replacements.set(instruction, value);
    }
  }
  replaceAll(f, replacements);
  return replacements.size > 0;
}

/** A value that is there already and is always the same as the instruction's. */
function simplify(instruction: Instruction, m: Module): Value | undefined {
  const [a, b, c] = instruction.operands as [Value, Value, Value];
  switch (instruction.op) {
    case 'phi':
      return onlyOperand(instruction);
    case 'select': {
      const condition = integerOf(a);
      if (condition !== undefined) return condition === 0n ? c : b;
      return sameValue(b, c) ? b : undefined;
    }
    case 'icmp': {
      const result = foldIntComparison(instruction.predicate, a, b);
      if (result !== undefined) return truth(result);
      return comparedTruth(instruction.predicate, a, b);
    }
    case 'fcmp': {
      const result = foldFloatComparison(instruction.predicate, a, b);
      return result === undefined ? undefined : truth(result);
    }
    case 'fneg':
      return foldNegation(a);
    case 'load': {
      if (instruction.ordering !== 'notatomic' || instruction.volatile) return undefined;
      const value = loadConstant(m, a, instruction.type);
      return value === undefined || isUndef(value) ? undefined : value;
    }
    case 'getelementptr':
      return foldAddress(instruction);
    case 'extractvalue':
      return partOf(a, instruction.indices);
    case 'trunc':
    case 'zext':
    case 'sext':
    case 'fptrunc':
    case 'fpext':
    case 'fptoui':
    case 'fptosi':
    case 'uitofp':
    case 'sitofp':
    case 'ptrtoint':
    case 'inttoptr':
    case 'bitcast':
      return foldCast(instruction.op, a, instruction.type) ?? castBack(instruction, a);
    case 'add':
    case 'sub':
    case 'mul':
    case 'udiv':
    case 'sdiv':
    case 'urem':
    case 'srem':
    case 'shl':
    case 'lshr':
    case 'ashr':
    case 'and':
    case 'or':
    case 'xor':
      return foldBinary(instruction.op, a, b) ?? unchanged(instruction.op, a, b);
    case 'fadd':
    case 'fsub':
    case 'fmul':
    case 'fdiv':
    case 'frem':
      return foldBinary(instruction.op, a, b);
    default:
      return undefined;
  }
}

/** The one value that a phi can have, whichever way control comes. It dominates all predecessors, so the phi too. */
function onlyOperand(phi: Phi): Value | undefined {
  let only: Value | undefined;
  for (const operand of phi.operands) {
    if (operand === phi) continue;
    if (only !== undefined && !sameValue(only, operand)) return undefined;
    only ??= operand;
  }
  return only;
}

function truth(value: boolean): Constant {
  return intConstant(i1, value ? 1n : 0n);
}

/** `flag != 0` and `(int)flag != 0` are the flag. */
function comparedTruth(predicate: string, a: Value, b: Value): Value | undefined {
  const number = integerOf(b);
  const flag = a.kind === 'instruction' && a.op === 'zext' ? a.operands[0]! : a;
  if (number === undefined || isUndef(flag) || flag.type.kind !== 'int' || flag.type.bits !== 1) return undefined;
  return (predicate === 'ne' && number === 0n) || (predicate === 'eq' && number === 1n) ? flag : undefined;
}

function foldAddress(instruction: Extract<Instruction, { op: 'getelementptr' }>): Value | undefined {
  const [base, ...indices] = instruction.operands as [Value, ...Value[]];
  if (indices.every((index) => integerOf(index) === 0n)) return base;
  if (base.kind !== 'symbol' && base.kind !== 'expression') return undefined;
  const constants = [base, ...indices].filter(isConstant);
  if (constants.length !== instruction.operands.length || constants.some(isUndef)) return undefined;
  const { type, sourceType } = instruction;
  return { kind: 'expression', type, op: 'getelementptr', sourceType, operands: constants };
}

/** A cast that undoes another one, or does nothing. */
function castBack(cast: Instruction, operand: Value): Value | undefined {
  if (isUndef(operand)) return undefined;
  if (cast.op === 'bitcast' && sameType(cast.type, operand.type)) return operand;
  if (operand.kind !== 'instruction') return undefined;
  const origin = operand.operands[0];
  if (origin === undefined || isUndef(origin) || !sameType(origin.type, cast.type)) return undefined;
  switch (cast.op) {
    case 'trunc':
      return operand.op === 'zext' || operand.op === 'sext' ? origin : undefined;
    case 'bitcast':
      return operand.op === 'bitcast' ? origin : undefined;
    case 'inttoptr':
      return operand.op === 'ptrtoint' && isPointerSized(operand) ? origin : undefined;
    case 'ptrtoint':
      return operand.op === 'inttoptr' && isPointerSized(origin) ? origin : undefined;
    default:
      return undefined;
  }
}

function isPointerSized(value: Value): boolean {
  return value.type.kind === 'int' && value.type.bits === 32;
}

/** The operand that an operation leaves as it is, and the constant that the other one makes of anything. */
function unchanged(op: string, a: Value, b: Value): Value | undefined {
  if (isUndef(a) || isUndef(b)) return undefined;
  const [left, right] = [integerOf(a), integerOf(b)];
  const ones = a.type.kind === 'int' && a.type.bits === 1 ? 1n : -1n;
  switch (op) {
    case 'add':
    case 'or':
    case 'xor':
      if (right === 0n) return a;
      return left === 0n ? b : undefined;
    case 'sub':
    case 'shl':
    case 'lshr':
    case 'ashr':
      return right === 0n ? a : undefined;
    case 'mul':
      if (right === 1n || left === 0n) return a;
      return left === 1n || right === 0n ? b : undefined;
    case 'sdiv':
    case 'udiv':
      return right === 1n && a.type.kind === 'int' && a.type.bits > 1 ? a : undefined;
    case 'and':
      if (right === ones || left === 0n) return a;
      return left === ones || right === 0n ? b : undefined;
    default:
      return undefined;
  }
}

function foldBranch(block: Block): boolean {
  const last = terminatorOf(block);
  if (last.op === 'switch') return foldSwitch(block);
  if (last.op !== 'br' || last.targets.length !== 2) return false;
  const [then, otherwise] = last.targets as [Block, Block];
  const condition = integerOf(last.operands[0]);
  if (condition !== undefined) {
    jumpInstead(block, condition === 0n ? otherwise : then);
    return true;
  }
  const negated = negationOf(last.operands[0]!);
  if (negated === undefined) return false;
  last.operands = [negated];
  last.targets = [otherwise, then];
  return true;
}

/** x, if the value is `!x`. */
function negationOf(value: Value): Value | undefined {
  if (value.kind !== 'instruction' || value.op !== 'xor') return undefined;
  return integerOf(value.operands[1]) === 1n ? value.operands[0] : undefined;
}

function foldSwitch(block: Block): boolean {
  const last = terminatorOf(block);
  if (last.op !== 'switch') return false;
  const value = integerOf(last.operands[0]);
  if (value !== undefined) {
    const chosen = last.operands.findIndex((operand, i) => i > 0 && integerOf(operand) === value);
    jumpInstead(block, last.targets[Math.max(chosen, 0)]!);
    return true;
  }
  if (last.targets.length === 1) {
    jumpInstead(block, last.targets[0]!);
    return true;
  }
  // Cases that do what the default does anyway.
  const [usual] = last.targets as [Block];
  let changed = false;
  for (let i = last.targets.length - 1; i > 0; i--) {
    if (last.targets[i] !== usual) continue;
    last.targets.splice(i, 1);
    last.operands.splice(i, 1);
    forgetEdge(block, usual);
    changed = true;
  }
  return changed;
}

/** What was put into an aggregate at one index. */
function partOf(aggregate: Value, indices: readonly number[]): Value | undefined {
  if (indices.length !== 1) return undefined;
  for (let whole = aggregate; whole.kind === 'instruction' && whole.op === 'insertvalue'; ) {
    if (whole.indices[0] === indices[0]) return whole.indices.length === 1 ? whole.operands[1] : undefined;
    whole = whole.operands[0] as Value;
  }
  return undefined;
}
