/** Which instructions do more than compute their result. What may fail at run time does: the failure is a finding. */
import type { Instruction } from '../../ir/module.ts';
import { binaryOps, castOps } from '../../ir/module.ts';
import { factsOfIntrinsic } from './library-calls.ts';
import { integerOf } from './values.ts';

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

/** Whether a shift may be by as many bits as the value has, or more. */
export function mayShiftTooFar({ type, operands: [, amount] }: Instruction): boolean {
  const bits = type.kind === 'int' ? type.bits : 0;
  const isBelow = (value: bigint | undefined): boolean => value !== undefined && value >= 0n && value < bits;
  if (amount?.kind === 'instruction' && amount.op === 'and')
    return !amount.operands.some((mask) => isBelow(integerOf(mask)));
  return !isBelow(integerOf(amount));
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
    case 'shl':
    case 'lshr':
    case 'ashr':
      return mayShiftTooFar(instruction);
    case 'call':
      return factsOfIntrinsic(instruction).effect !== 'none';
    default:
      return !effectless.has(instruction.op);
  }
}
