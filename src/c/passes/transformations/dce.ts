/**
 * Removes what nobody needs: unreachable blocks, and instructions without effect whose result only goes to others of the
 * kind, so that cycles of phis that only feed themselves go too.
 *
 * What may fail at run time stays, because the failure is a finding: loads, `defined`, divisions whose divisor is not a
 * harmless constant.
 */
import type { Instruction, IrFunction, Value } from '../../ir/module.ts';
import { binaryOps, castOps } from '../../ir/module.ts';
import { removeUnreachable } from '../analyses/cfg.ts';
import { calleeName, integerOf, isLifetimeMark } from '../analyses/values.ts';

/** Instructions that only compute; those among them that may fail are found by `hasEffect`. */
export const effectless: ReadonlySet<string> = new Set<string>([
  ...binaryOps,
  ...castOps,
  'fneg',
  'freeze',
  'icmp',
  'fcmp',
  'select',
  'phi',
  'alloca',
  'getelementptr',
  'extractvalue',
  'insertvalue',
  'performed',
]);

const pureIntrinsic =
  /^llvm\.(threadlocal\.address|expect|[su](max|min)|abs|ctpop|ctlz|cttz|bswap|bitreverse|fsh[lr]|fabs|copysign|(s|u)(add|sub|mul)\.(with\.overflow|sat)|is\.constant|objectsize|stacksave|is\.fpclass|ptrmask)(\.|$)/;

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

/** Whether it does or may do more than compute its result. */
export function hasEffect(instruction: Instruction): boolean {
  switch (instruction.op) {
    case 'udiv':
    case 'urem':
    case 'sdiv':
    case 'srem': {
      const divisor = integerOf(instruction.operands[1]);
      // The least number divided by -1 is too large.
      return divisor === undefined || divisor === 0n || (divisor === -1n && instruction.op.startsWith('s'));
    }
    case 'call':
      return !pureIntrinsic.test(calleeName(instruction) ?? '');
    default:
      return !effectless.has(instruction.op);
  }
}
