/**
 * Makes blocks fewer: one that always goes on to a block which nobody else goes to takes that one in; one that only
 * jumps is left out, and so is a branch with equal targets.
 *
 * Headers of loops are never left out: two nested loops would become one, and `--unroll` counts each on its own.
 * Leaves reachable blocks only; the order of the others stays.
 */
import type { Block, IrFunction, Value } from '../../ir/module.ts';
import { successorsOf, terminatorOf } from '../../ir/module.ts';
import { buildCfg, findLoops, removeUnreachable } from '../analyses/cfg.ts';
import { jumpInstead, phisOf, renameInPhis, replaceAll, resolve, sameValue } from '../analyses/values.ts';

export function mergeBlocks(f: IrFunction): boolean {
  if (f.blocks.length === 0) return false;
  let changedAtAll = removeUnreachable(f);
  for (let changed = true; changed; ) {
    changed = joinEqualTargets(f);
    if (skipForwarding(f)) changed = true;
    if (mergeChains(f)) changed = true;
    if (changed) changedAtAll = true;
  }
  return changedAtAll;
}

function joinEqualTargets(f: IrFunction): boolean {
  let changed = false;
  for (const block of f.blocks) {
    const targets = successorsOf(block);
    if (targets.length < 2 || !targets.every((target) => target === targets[0])) continue;
    jumpInstead(block, targets[0]!);
    changed = true;
  }
  return changed;
}

/** The predecessors of each block, once for each edge. */
function edgesInto(f: IrFunction): Map<Block, Block[]> {
  const predecessors = new Map<Block, Block[]>(f.blocks.map((block) => [block, []]));
  for (const block of f.blocks) for (const successor of successorsOf(block)) predecessors.get(successor)!.push(block);
  return predecessors;
}

function skipForwarding(f: IrFunction): boolean {
  const headers = new Set(findLoops(buildCfg(f)).map((loop) => loop.header));
  const predecessors = edgesInto(f);
  const removed = new Set<Block>();
  for (const block of f.blocks) {
    const last = terminatorOf(block);
    if (block === f.blocks[0] || block.instructions.length !== 1 || last.op !== 'br' || headers.has(block)) continue;
    const [target] = last.targets as [Block];
    if (last.targets.length !== 1 || target === block) continue;
    const from = predecessors.get(block)!;
    if (!mayGoDirectly(block, target, from, predecessors.get(target)!)) continue;
    for (const predecessor of new Set(from)) redirect(predecessor, block, target);
    for (const phi of phisOf(target)) {
      const i = phi.blocks.indexOf(block);
      const value = phi.operands[i]!;
      phi.blocks.splice(i, 1, ...from);
      phi.operands.splice(i, 1, ...from.map(() => value));
    }
    const others = predecessors.get(target)!.filter((predecessor) => predecessor !== block);
    predecessors.set(target, [...others, ...from]);
    removed.add(block);
  }
  f.blocks = f.blocks.filter((block) => !removed.has(block));
  return removed.size > 0;
}

/** A block that reaches the target both ways must bring the same values. */
function mayGoDirectly(block: Block, target: Block, from: readonly Block[], into: readonly Block[]): boolean {
  const both = new Set(from.filter((predecessor) => into.includes(predecessor)));
  if (both.size === 0) return true;
  return phisOf(target).every((phi) => {
    const value = phi.operands[phi.blocks.indexOf(block)]!;
    return phi.operands.every((operand, i) => !both.has(phi.blocks[i]!) || sameValue(operand, value));
  });
}

function redirect(block: Block, from: Block, to: Block): void {
  const last = terminatorOf(block);
  if (last.op !== 'br' && last.op !== 'switch') return;
  last.targets = last.targets.map((target) => (target === from ? to : target));
}

function mergeChains(f: IrFunction): boolean {
  const predecessors = edgesInto(f);
  const replacements = new Map<Value, Value>();
  const merged = new Set<Block>();
  for (const block of f.blocks) {
    if (merged.has(block)) continue;
    for (;;) {
      const targets = successorsOf(block);
      const next = targets[0];
      if (next === undefined || targets.length !== 1 || next === block || next === f.blocks[0]) break;
      if (predecessors.get(next)!.length !== 1) break;
      for (const phi of phisOf(next)) replacements.set(phi, resolve(replacements, phi.operands[0]!));
      block.instructions.pop();
      for (const instruction of next.instructions)
        if (!replacements.has(instruction)) block.instructions.push(instruction);
      renameInPhis(successorsOf(block), next, block);
      for (const successor of new Set(successorsOf(block))) {
        const into = predecessors.get(successor)!;
        for (let i = 0; i < into.length; i++) if (into[i] === next) into[i] = block;
      }
      merged.add(next);
    }
  }
  if (merged.size === 0) return false;
  f.blocks = f.blocks.filter((block) => !merged.has(block));
  replaceAll(f, replacements);
  return true;
}
