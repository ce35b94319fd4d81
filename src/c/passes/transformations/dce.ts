/**
 * Removes what nobody needs: unreachable blocks, and instructions without effect whose result only goes to others of the
 * kind, so that cycles of phis that only feed themselves go too.
 *
 * What may fail at run time stays, because the failure is a finding: loads, `defined`, divisions and shifts
 * whose second operand is not known to be harmless.
 */
import type { Instruction, IrFunction, Value } from '../../ir/module.ts';
import { removeUnreachable } from '../analyses/cfg.ts';
import { hasEffect } from '../analyses/effects.ts';
import { isLifetimeMark } from '../analyses/library-calls.ts';

export function removeDeadCode(f: IrFunction): boolean {
  let changed = removeUnreachable(f);
  const live = new Set<Value>();
  const work: Instruction[] = [];
  const use = (value: Value) => {
    if (value.kind !== 'instruction' || live.has(value)) return;
    live.add(value);
    work.push(value);
  };
  const marks: Instruction[] = [];
  for (const block of f.blocks) {
    for (const instruction of block.instructions) {
      if (isLifetimeMark(instruction)) marks.push(instruction);
      else if (hasEffect(instruction)) use(instruction);
    }
  }
  for (let instruction = work.pop(); instruction !== undefined; instruction = work.pop()) {
    for (const operand of instruction.operands) use(operand);
  }
  // The marks of an object that is still there stay with it.
  for (const mark of marks) {
    if (mark.operands.every((operand) => operand.kind !== 'instruction' || live.has(operand))) live.add(mark);
  }
  for (const block of f.blocks) {
    const kept = block.instructions.filter((instruction) => live.has(instruction));
    if (kept.length === block.instructions.length) continue;
    for (const instruction of block.instructions) if (!live.has(instruction)) f.variables.delete(instruction);
    block.instructions = kept;
    changed = true;
  }
  return changed;
}
