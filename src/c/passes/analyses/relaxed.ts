/**
 * Whether a program has atomic accesses that pass on a value without the order that came before it: under ra and rc11, one thread may
 * then depend on what another has done, although nothing happens before.
 */
import type { Instruction, Module, Ordering } from '../../ir/module.ts';
import { calleeName } from './values.ts';

export function hasRelaxed(m: Module): boolean {
  for (const f of m.functions.values()) {
    for (const block of f.blocks) if (block.instructions.some(isRelaxed)) return true;
  }
  return false;
}

const both: ReadonlySet<Ordering> = new Set(['acq_rel', 'seq_cst']);

function isRelaxed(instruction: Instruction): boolean {
  switch (instruction.op) {
    case 'load':
    case 'store': {
      const { op, ordering } = instruction;
      if (ordering === 'notatomic' || both.has(ordering)) return false;
      return ordering !== (op === 'load' ? 'acquire' : 'release');
    }
    case 'atomicrmw':
      return !both.has(instruction.ordering);
    case 'cmpxchg':
      return (
        !both.has(instruction.ordering) ||
        (instruction.failureOrdering !== 'acquire' && !both.has(instruction.failureOrdering))
      );
    case 'call':
      return calleeName(instruction)?.startsWith('__atomic_') === true; // its orders are arguments
    default:
      return false;
  }
}
