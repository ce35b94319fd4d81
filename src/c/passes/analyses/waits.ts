/** What an access that waits waits for: the assumes after it ([Await], section V; transformations/awaits.ts decides which do). */
import type { Block, Instruction, Value } from '../../ir/module.ts';
import { effectless, hasEffect } from './effects.ts';

export type Assume = Extract<Instruction, { op: 'assume' }>;
/** What may wait for the value that it reads. */
export type Awaitable = Extract<Instruction, { op: 'load' | 'atomicrmw' | 'cmpxchg' }>;

/** The assumes that an access at a place of a block waits for, if it does. */
export function assumesAfter(block: Block, index: number): readonly Assume[] {
  const access = block.instructions[index]!;
  const depending = new Set<Value>([access]);
  const assumes: Assume[] = [];
  for (const instruction of block.instructions.slice(index + 1)) {
    const depends = instruction.operands.some((operand) => depending.has(operand));
    if (instruction.op === 'assume') {
      if (!depends || !goTogether(assumes[0], instruction)) break;
      assumes.push(instruction);
    } else if (isComputation(instruction)) {
      if (depends) depending.add(instruction);
    } else {
      break;
    }
  }
  return assumes;
}

function goTogether(first: Assume | undefined, other: Assume): boolean {
  return first === undefined || (first.reason === 'program') === (other.reason === 'program');
}

function isComputation(instruction: Instruction): boolean {
  return effectless.has(instruction.op) && instruction.op !== 'alloca' && !hasEffect(instruction);
}

/** Whether what is waited for is that the compare-exchange exchanges, and nothing else. */
export function demandsSuccess(access: Awaitable, assumes: readonly Assume[]): boolean {
  return assumes.every(({ operands: [condition] }) => isSuccessOf(access, condition!));
}

function isSuccessOf(access: Awaitable, value: Value): boolean {
  return (
    value.kind === 'instruction' &&
    value.op === 'extractvalue' &&
    value.operands[0] === access &&
    value.indices.length === 1 &&
    value.indices[0] === 1
  );
}
