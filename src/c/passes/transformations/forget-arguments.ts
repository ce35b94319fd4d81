/**
 * Gives 0 to functions for which it makes no difference what they are given: how long a pause is. So what is computed for them alone,
 * as by a back-off that doubles, is dead.
 */
import type { IrFunction, Module } from '../../ir/module.ts';
import { zeroOf } from '../analyses/constants.ts';
import { factsOfCall } from '../analyses/library-calls.ts';

export function forgetArguments(f: IrFunction, m: Module): boolean {
  let changed = false;
  for (const { instructions } of f.blocks) {
    for (const call of instructions) {
      if (call.op !== 'call' || call.operands.length === 1 || factsOfCall(call, m).ignoresArguments !== true) continue;
      call.operands = call.operands.map((operand, i) => (i === 0 ? operand : zeroOf(operand.type)));
      changed = true;
    }
  }
  return changed;
}
