/**
 * What is computed in the same way before a loop and at the end of each iteration moves to the beginning of the loop:
 *
 *     a = x;  while (a == 0)  a = x;        becomes        do  a = x;  while (a == 0);
 *
 * The blocks from which control comes to the header all end alike, so the common end can stand in the header. It is what
 * [Await] (section VI) mentions as loop rotation and merging of bisimilar nodes: the variable `a` was one that iterations
 * change, and is none afterwards.
 */
import type { Block, Instruction, IrFunction, Value } from '../../ir/module.ts';
import { terminatorOf } from '../../ir/module.ts';
import { sameType } from '../../ir/types.ts';
import { buildCfg, type Cfg, type CfgLoop, findLoops } from '../analyses/cfg.ts';
import { type Phi, phisOf, sameValue, usersOf } from '../analyses/values.ts';

type Users = ReadonlyMap<Value, readonly Instruction[]>;

/** More than this is not one expression that is written twice. */
const longestEnd = 16;

export function rotate(f: IrFunction): boolean {
  let changed = false;
  const cfg = buildCfg(f);
  for (const loop of findLoops(cfg)) if (!loop.isIrreducible && rotateLoop(f, cfg, loop)) changed = true;
  return changed;
}

function rotateLoop(f: IrFunction, cfg: Cfg, loop: CfgLoop): boolean {
  const before = cfg.predecessors[cfg.index.get(loop.header)!]!.map((index) => cfg.blocks[index]!);
  const isPlain = before.every((block) => block !== loop.header && terminatorOf(block).op === 'br' && isJump(block));
  if (!isPlain || new Set(before).size !== before.length || before.length < 2) return false;
  const users = usersOf(f);
  const least = Math.min(longestEnd, ...before.map(({ instructions }) => instructions.length - 1));
  for (let length = least; length > 0; length--) {
    const ends = before.map(({ instructions }) => instructions.slice(-1 - length, -1));
    const phis = commonPhis(loop.header, before, ends, users);
    if (phis === undefined) continue;
    move(f, loop.header, before, ends, phis);
    return true;
  }
  return false;
}

function isJump(block: Block): boolean {
  return terminatorOf(block).operands.length === 0;
}

/**
 * If the ends are alike and their results go nowhere else than to phis of the header that choose between them: for each
 * place of an end those phis.
 */
function commonPhis(
  header: Block,
  before: readonly Block[],
  ends: readonly (readonly Instruction[])[],
  users: Users,
): readonly Phi[][] | undefined {
  const phis = phisOf(header);
  const [first] = ends as [readonly Instruction[]];
  const chosen: Phi[][] = [];
  for (const [place, instruction] of first.entries()) {
    const alike = ends.map((end) => end[place]!);
    if (!isMovable(instruction) || !alike.every((other) => isAlike(instruction, other))) return undefined;
    for (const [k] of instruction.operands.entries()) {
      if (!operandsAgree(k, place, before, ends, phis)) return undefined;
    }
    const choosing = phis.filter((phi) => before.every((block, i) => valueFrom(phi, block) === alike[i]));
    const isElsewhere = alike.some((one, i) =>
      (users.get(one) ?? []).some((user) => !ends[i]!.includes(user) && !choosing.includes(user as Phi)),
    );
    if (isElsewhere) return undefined;
    chosen.push(choosing);
  }
  return chosen;
}

function isMovable({ op }: Instruction): boolean {
  return !['phi', 'alloca', 'call', 'bound', 'performed', 'visit', 'assume'].includes(op);
}

/** The same instruction but for its operands. */
function isAlike(a: Instruction, b: Instruction): boolean {
  if (a.op !== b.op || a.operands.length !== b.operands.length || !sameType(a.type, b.type)) return false;
  const about = ({ kind, name, position, operands, ...rest }: Instruction): string => JSON.stringify(rest);
  return about(a) === about(b);
}

/** Whether operand number k has one value in the header: the same everywhere, one that moves too, or a phi's. */
function operandsAgree(
  k: number,
  place: number,
  before: readonly Block[],
  ends: readonly (readonly Instruction[])[],
  phis: readonly Phi[],
): boolean {
  const operands = ends.map((end) => end[place]!.operands[k]!);
  const [first] = operands as [Value];
  if (operands.every((operand) => sameValue(operand, first)) && !ends[0]!.includes(first as Instruction)) return true;
  const at = ends[0]!.indexOf(first as Instruction);
  if (at >= 0) return operands.every((operand, i) => ends[i]!.indexOf(operand as Instruction) === at);
  return phis.some((phi) => before.every((block, i) => sameValue(valueFrom(phi, block), operands[i]!)));
}

function valueFrom(phi: Phi, block: Block): Value {
  return phi.operands[phi.blocks.indexOf(block)]!;
}

function move(
  f: IrFunction,
  header: Block,
  before: readonly Block[],
  ends: readonly (readonly Instruction[])[],
  chosen: readonly Phi[][],
): void {
  const phis = phisOf(header);
  const [first] = ends as [readonly Instruction[]];
  const replaced = new Map<Value, Value>();
  for (const [place, instruction] of first.entries()) {
    instruction.operands = instruction.operands.map((operand, k) => {
      if (first.includes(operand as Instruction)) return operand;
      const operands = ends.map((end) => end[place]!.operands[k]!);
      if (operands.every((other) => sameValue(other, operand))) return operand;
      return phis.find((phi) => before.every((block, i) => sameValue(valueFrom(phi, block), operands[i]!)))!;
    });
    for (const phi of chosen[place]!) replaced.set(phi, instruction);
  }
  for (const block of before) block.instructions.splice(-1 - first.length, first.length);
  const kept = phis.filter((phi) => !replaced.has(phi));
  header.instructions.splice(0, phis.length, ...kept, ...first);
  for (const { instructions } of f.blocks) {
    for (const { operands } of instructions) {
      for (let i = 0; i < operands.length; i++) operands[i] = replaced.get(operands[i]!) ?? operands[i]!;
    }
  }
}
