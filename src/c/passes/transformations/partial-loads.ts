/**
 * Marks the loads that write a bit-field: load, `and` with a constant, `or` with the field's bits, store to the same
 * place. The bits that they keep may be uninitialised, and reading them is no error of the program.
 *
 * Runs first, because folding may take the `and` or the `or` away. Leaves everything as it was but the marks.
 */
import type { Instruction, IrFunction, Value } from '../../ir/module.ts';
import { integerOf, type Load, usersOf } from '../analyses/values.ts';

export function markPartialLoads(f: IrFunction): boolean {
  const users = usersOf(f);
  let changed = false;
  for (const block of f.blocks) {
    for (const instruction of block.instructions) {
      if (instruction.op !== 'load' || instruction.partial === true || instruction.ordering !== 'notatomic') continue;
      if (!isPartial(instruction, users)) continue;
      instruction.partial = true;
      changed = true;
    }
  }
  return changed;
}

function isPartial(load: Load, users: ReadonlyMap<Value, readonly Instruction[]>): boolean {
  if (isScalarVariable(load.operands[0] as Value)) return false; // x = (x & 1) | 2 is written by hand
  const clear = onlyUser(load, users);
  if (clear?.op !== 'and' || !clear.operands.some((operand) => integerOf(operand) !== undefined)) return false;
  const set = onlyUser(clear, users);
  if (set?.op !== 'or') return false;
  // The new value may be the value of the assignment as well, so others may use it.
  return (users.get(set) ?? []).some(
    (user) => user.op === 'store' && user.operands[0] === set && user.operands[1] === load.operands[0],
  );
}

/** Bit-fields are members of structs. */
function isScalarVariable(pointer: Value): boolean {
  if (pointer.kind !== 'instruction' || pointer.op !== 'alloca') return false;
  return pointer.allocated.kind !== 'struct' && pointer.allocated.kind !== 'array';
}

function onlyUser(value: Value, users: ReadonlyMap<Value, readonly Instruction[]>): Instruction | undefined {
  const list = users.get(value) ?? [];
  return list.length === 1 ? list[0] : undefined;
}
