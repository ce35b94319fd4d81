/**
 * What clang has folded to `poison`: an operation on constants that C leaves undefined, such as a shift by too many bits. To come to an
 * instruction that uses it is an error. (Aggregates begin as poison and are filled by and by: those are nothing of the kind.)
 */
import type { Instruction, IrFunction, Module, Value } from '../../ir/module.ts';
import { UNDEFINED_OPERATION } from '../../library/inserted.ts';
import { newCall } from './insert-call.ts';

export function trapPoison(f: IrFunction, m: Module): boolean {
  let changed = false;
  for (const block of f.blocks) {
    if (!block.instructions.some(usesPoison)) continue;
    const replaced = block.instructions.flatMap((instruction) =>
      usesPoison(instruction)
        ? [{ ...newCall(m, f, UNDEFINED_OPERATION, []), position: instruction.position }, instruction]
        : [instruction],
    );
    block.instructions.splice(0, block.instructions.length, ...replaced);
    changed = true;
  }
  return changed;
}

function usesPoison({ op, operands }: Instruction): boolean {
  if (op === 'insertvalue' || op === 'phi' || op === 'freeze') return false;
  return operands.some(isPoison);
}

function isPoison(value: Value): boolean {
  return (
    value.kind === 'undef' && value.isPoison === true && value.type.kind !== 'struct' && value.type.kind !== 'array'
  );
}
