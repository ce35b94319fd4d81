/**
 * Where a running thread looks whether it has come back to where it was (src/c/run/rounds.ts): at the headers of the loops that
 * analysis.ts found no condition for, or not one for every way round. A `visit` has the phis of the header, which with memory are
 * all of a thread's state there: other registers that are still needed were set before the loop.
 *
 * Left out are loops in which a register counts on and on, because they never come back, and those without anything to wait for.
 */
import type { Block, Instruction, IrFunction, Value } from '../../ir/module.ts';
import { buildCfg, type CfgLoop, findLoops } from '../analyses/cfg.ts';
import { factsOfIntrinsic } from '../analyses/library-calls.ts';
import { integerOf, type Phi, phisOf, voidBase } from '../analyses/values.ts';
import type { PositionOf } from './insert.ts';

/** Marks those of the loops with these headers in which a thread may wait. */
export function markRounds(f: IrFunction, headers: ReadonlySet<Block>, positionOf: PositionOf): void {
  for (const loop of findLoops(buildCfg(f))) {
    const { header } = loop;
    if (!headers.has(header) || loop.isIrreducible || isCounted(loop) || !mayWait(loop)) continue;
    const phis = phisOf(header);
    const visit: Instruction = { ...voidBase(positionOf(loop)), op: 'visit', operands: [...phis] };
    header.instructions.splice(phis.length, 0, visit);
  }
}

/** Whether a register only goes up, or only goes down. */
function isCounted(loop: CfgLoop): boolean {
  return phisOf(loop.header).some((phi) => {
    const steps = phi.operands.flatMap((value, i) => (loop.blocks.has(phi.blocks[i]!) ? [stepOf(phi, value)] : []));
    return steps.every((step) => step > 0n) || steps.every((step) => step < 0n);
  });
}

/** What is added to the phi to get the value; 0 if that is not known. */
function stepOf(phi: Phi, value: Value): bigint {
  if (value.kind !== 'instruction' || value.operands[0] !== phi) return 0n;
  const by = value.operands.length === 2 ? (integerOf(value.operands[1]) ?? 0n) : 0n;
  if (value.op === 'add' || value.op === 'getelementptr') return by;
  return value.op === 'sub' ? -by : 0n;
}

/** Whether anything in it may look at what others change. */
function mayWait(loop: CfgLoop): boolean {
  return [...loop.blocks].some(({ instructions }) =>
    instructions.some((instruction) => {
      const { op } = instruction;
      if (op === 'call') return factsOfIntrinsic(instruction).effect !== 'none';
      return op === 'load' || op === 'atomicrmw' || op === 'cmpxchg';
    }),
  );
}
