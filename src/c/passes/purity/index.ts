/**
 * Partial loop purity elimination, PLP ([Await], section III): iterations of loops that change nothing are stopped by
 * assumes. analysis.ts computes the purity conditions of all loops, insert.ts puts in the assumes; what
 * differs from the paper stands there.
 *
 * What holds afterwards ([Await], Theorem 1): each local state of a thread that could be reached before and that is not
 * on the way to the end of a pure iteration can be reached still, and no execution completes a pure iteration.
 */
import type { LoopReport, SourcePosition } from '../../../program/operation.ts';
import type { Block, Instruction, IrFunction, Module } from '../../ir/module.ts';
import { i1 } from '../../ir/types.ts';
import { buildCfg, type CfgLoop, findLoops } from '../analyses/cfg.ts';
import { replaceAll } from '../analyses/values.ts';
import { removeDeadCode } from '../transformations/dce.ts';
import { fold } from '../transformations/fold.ts';
import { type Obstacle, type Purity, purityOf } from './analysis.ts';
import { insertAssumes, type PositionOf } from './insert.ts';
import { markRounds } from './rounds.ts';
import { isMasking, type Statements, type Successes } from './statements.ts';

/** A loop, and what became of it. */
export interface JudgedLoop {
  readonly header: Block;
  readonly report: LoopReport;
}

export function eliminatePureIterations(
  f: IrFunction,
  m: Module,
  statements: Statements,
  positionOf: PositionOf,
): JudgedLoop[] {
  if (findLoops(buildCfg(f)).length === 0) return [];
  const successes = nameSuccesses(f);
  const cfg = buildCfg(f);
  const loops = findLoops(cfg);
  const purities = loops.map(
    (loop): Purity => (loop.isIrreducible ? irreducible(loop) : purityOf(loop, { cfg, statements, successes })),
  );
  const judged = purities.map((purity) => ({
    header: purity.loop.header,
    report: reportOf(f, purity, positionOf(purity.loop)),
  }));
  if (purities.some(({ condition }) => condition.length > 0)) {
    insertAssumes(f, cfg, purities, positionOf);
    fold(f, m);
  }
  removeDeadCode(f);
  const others = judged.filter(({ report }) => report.outcome !== 'pure').map(({ header }) => header);
  markRounds(f, new Set(others), positionOf);
  return judged;
}

function irreducible(loop: CfgLoop): Purity {
  const { position } = loop.header.instructions.at(-1)!;
  return { loop, condition: [], obstacles: [{ what: 'control enters it at several places', position }] };
}

/**
 * Gives each compare-exchange one register that says whether it exchanged, and each update by `or` and `and` one that equals its
 * operand if it has written what it read.
 */
function nameSuccesses(f: IrFunction): Successes {
  const successes = new Map<Instruction, Instruction>();
  const others = new Map<Instruction, Instruction>();
  for (const block of f.blocks) {
    block.instructions = block.instructions.flatMap((instruction): Instruction[] => {
      if (instruction.op === 'atomicrmw' && isMasking(instruction)) {
        const kept = keptBy(instruction);
        successes.set(instruction, kept);
        return [instruction, kept];
      }
      if (instruction.op !== 'cmpxchg') return [instruction];
      const success: Instruction = {
        ...{ kind: 'instruction', op: 'extractvalue', type: i1, name: '', position: instruction.position },
        operands: [instruction],
        indices: [1],
      };
      successes.set(instruction, success);
      return [instruction, success];
    });
  }
  for (const block of f.blocks) {
    for (const instruction of block.instructions) {
      if (instruction.op !== 'extractvalue' || instruction.indices.length !== 1 || instruction.indices[0] !== 1)
        continue;
      const success = successes.get(instruction.operands[0] as Instruction);
      if (success !== undefined && success !== instruction) others.set(instruction, success);
    }
  }
  replaceAll(f, others);
  for (const [other, success] of others) if (success.name === '') success.name = other.name;
  return successes;
}

/** Writing `x | c` changes nothing if `x & c` is c, and writing `x & c` changes nothing if `x | c` is c. */
function keptBy(update: Extract<Instruction, { op: 'atomicrmw' }>): Instruction {
  return {
    ...{ kind: 'instruction', op: update.operation === 'or' ? 'and' : 'or', name: '', position: update.position },
    type: update.type,
    operands: [update, update.operands[1]!],
  };
}

function reportOf(f: IrFunction, purity: Purity, position: SourcePosition | undefined): LoopReport {
  const { condition, obstacles } = purity;
  const outcome = condition.length === 0 ? 'not pure' : obstacles.length === 0 ? 'pure' : 'partly pure';
  return { position, functionName: f.name, outcome, why: explain(obstacles, outcome, position?.file) };
}

function explain(obstacles: readonly Obstacle[], outcome: LoopReport['outcome'], file: string | undefined): string {
  const sentences = obstacles.map(({ what, position }) => {
    if (position === undefined) return what;
    return position.file === file ? `${what} (line ${position.line})` : `${what} (${position.file}:${position.line})`;
  });
  if (sentences.length === 0) return outcome === 'not pure' ? 'no condition was found under which it is pure' : '';
  return [...new Set(sentences)].sort().join('; ');
}
