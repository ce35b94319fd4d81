/**
 * Volatile accesses as atomic ones of a memory order, if the user says so: C itself makes nothing atomic of them, but many
 * compilers translate an aligned one as a single access. What is larger than a word or not aligned stays as it is.
 */
import { sizeOf } from '../../ir/layout.ts';
import type { Instruction, IrFunction, Ordering } from '../../ir/module.ts';
import { isScalar, type Load, type Store } from '../analyses/values.ts';

export function orderVolatile(f: IrFunction, ordering: Ordering): boolean {
  if (ordering === 'notatomic') return false;
  let changed = false;
  for (const block of f.blocks) {
    for (const instruction of block.instructions) {
      if (!isPlainVolatile(instruction) || !isOneAccess(instruction)) continue;
      instruction.ordering = ordering;
      changed = true;
    }
  }
  return changed;
}

/** Whether it is a volatile access that makes nothing atomic. */
export function isPlainVolatile(instruction: Instruction): instruction is Load | Store {
  if (instruction.op !== 'load' && instruction.op !== 'store') return false;
  return instruction.volatile && instruction.ordering === 'notatomic';
}

function isOneAccess(access: Load | Store): boolean {
  const type = access.op === 'load' ? access.type : access.operands[0]!.type;
  return isScalar(type) && [1, 2, 4, 8].includes(sizeOf(type)) && access.align >= sizeOf(type);
}
