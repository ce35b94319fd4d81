/**
 * Removes branches that decide nothing, and with them loops that do nothing but pass the time. dce.ts takes every branch for needed;
 * here one is needed only if something that is needed depends on it (Cytron et al., "Efficiently computing static single assignment
 * form and the control dependence graph", section 7.1, "aggressive" dead code elimination). So a delay loop goes, `if (delay < 64) delay *= 2` after it
 * goes, and a back-off costs no more executions than none.
 *
 * Needed are instructions with an effect, what they use, and the branches that the block of something needed is control dependent on; of a phi also those of
 * the blocks that it has values from. A loop that is not known to end is needed: to go round in it for ever is an effect. For this the
 * jumps back to its header count as one (analyses/counted.ts, `endsSurely`). What the rest of a function does stays the same, as the
 * loops that are left out surely end.
 *
 * A branch that is not needed becomes a jump to the next block that is reached either way, its immediate postdominator. No phi that is needed
 * can be there: then the blocks in between would be, and the branch. A call of a function of the program that does nothing, or of the library
 * (`isIdle`), is no effect.
 *
 * A pause is not needed for itself, so that `if (++spins == 100) { spins = 0; sched_yield(); }` does not need to count. But as pauses tell where
 * a thread lets others go first (`--fair-bound`), a branch that goes leaves one of those that were on its ways in its place.
 */
import type { Block, Instruction, IrFunction, Module, Value } from '../../ir/module.ts';
import { isTerminator, successorsOf, terminatorOf } from '../../ir/module.ts';
import {
  buildCfg,
  type Cfg,
  type CfgLoop,
  dominanceFrontiers,
  findDominators,
  findLoops,
  removeUnreachable,
} from '../analyses/cfg.ts';
import { endsSurely } from '../analyses/counted.ts';
import { hasEffect } from '../analyses/effects.ts';
import { factsOfCall } from '../analyses/library-calls.ts';
import { type Call, calleeName, forgetEdge, isConstant, jumpInstead, makeJump } from '../analyses/values.ts';

export function removeDeadBranches(f: IrFunction, m: Module): boolean {
  if (f.blocks.length === 0) return false;
  let changed = removeUnreachable(f);
  const needs = new Needs(f, m);
  const dead = f.blocks.filter((block) => successorsOf(block).length > 1 && !needs.has(terminatorOf(block)));
  const targets = dead.map((block) => needs.nextAfter(block));
  const pauses = dead.map((block, i) => pauseBetween(block, targets[i]!, m));
  // All that is not needed goes, so that no phi is left that would need a value for a new edge.
  for (const block of f.blocks) {
    const isKept = (each: Instruction): boolean => isTerminator(each) || needs.has(each) || isPause(each, m);
    const kept = block.instructions.filter(isKept);
    if (kept.length === block.instructions.length) continue;
    for (const instruction of block.instructions) if (!isKept(instruction)) f.variables.delete(instruction);
    block.instructions = kept;
    changed = true;
  }
  for (const [i, block] of dead.entries()) {
    goTo(block, targets[i]!);
    const pause = pauses[i];
    if (pause !== undefined) block.instructions.splice(-1, 0, { ...pause, name: '', operands: [...pause.operands] });
  }
  if (dead.length > 0) removeUnreachable(f);
  return changed || dead.length > 0;
}

/** If the block leads there already, and nowhere else, there may be phis, and one of the edges stays. */
function goTo(block: Block, target: Block): void {
  if (successorsOf(block).includes(target)) {
    jumpInstead(block, target);
    return;
  }
  const { position } = terminatorOf(block);
  for (const successor of successorsOf(block)) forgetEdge(block, successor);
  block.instructions[block.instructions.length - 1] = makeJump(target, position);
}

class Needs {
  readonly #cfg: Cfg;
  readonly #reverse: Reverse;
  readonly #blockOf = new Map<Instruction, Block>();
  readonly #needed = new Set<Value>();
  readonly #blocks = new Set<Block>();
  readonly #work: Instruction[] = [];

  constructor(f: IrFunction, m: Module) {
    this.#cfg = buildCfg(f);
    const loops = findLoops(this.#cfg);
    this.#reverse = reversed(this.#cfg, loops);
    for (const block of f.blocks) {
      for (const instruction of block.instructions) this.#blockOf.set(instruction, block);
    }
    for (const block of f.blocks) {
      for (const instruction of block.instructions) if (isNeeded(instruction, m)) this.#need(instruction);
    }
    const dominators = loops.length === 0 ? undefined : findDominators(this.#cfg);
    for (const loop of loops) {
      if (endsSurely(loop, this.#cfg, dominators!)) continue;
      for (const latch of loop.latches) this.#need(terminatorOf(latch));
    }
    for (let next = this.#work.pop(); next !== undefined; next = this.#work.pop()) this.#follow(next);
  }

  has(instruction: Instruction): boolean {
    return this.#needed.has(instruction);
  }

  /** The immediate postdominator. */
  nextAfter(block: Block): Block {
    return this.#reverse.nextAfter(this.#cfg.index.get(block)!);
  }

  #need(value: Value): void {
    if (value.kind !== 'instruction' || this.#needed.has(value)) return;
    this.#needed.add(value);
    this.#work.push(value);
  }

  #follow(instruction: Instruction): void {
    for (const operand of instruction.operands) this.#need(operand);
    this.#needBlock(this.#blockOf.get(instruction)!);
    if (instruction.op === 'phi') for (const from of instruction.blocks) this.#needBlock(from);
  }

  #needBlock(block: Block): void {
    if (this.#blocks.has(block)) return;
    this.#blocks.add(block);
    for (const branch of this.#reverse.controlling(this.#cfg.index.get(block)!)) {
      this.#need(terminatorOf(this.#cfg.blocks[branch]!));
    }
  }
}

/** What is needed for itself. */
function isNeeded(instruction: Instruction, m: Module): boolean {
  if (instruction.op === 'br' || instruction.op === 'switch') return false;
  return hasEffect(instruction) && !isPause(instruction, m) && !isIdle(instruction, m, new Set());
}

/** Whether it only lets others go first. What it is given has been forgotten (forget-arguments.ts). */
function isPause(instruction: Instruction, m: Module): instruction is Call {
  if (instruction.op !== 'call' || !instruction.operands.every(isConstant)) return false;
  return factsOfCall(instruction, m).ignoresArguments === true;
}

/** One of the pauses on the ways from a block to another that all of them lead to; undefined: there is none. */
function pauseBetween(from: Block, to: Block, m: Module): Call | undefined {
  const seen = new Set<Block>([from, to]);
  const work = [...successorsOf(from)];
  for (let block = work.pop(); block !== undefined; block = work.pop()) {
    if (seen.has(block)) continue;
    seen.add(block);
    const pause = block.instructions.find((each) => isPause(each, m));
    if (pause !== undefined) return pause as Call;
    work.push(...successorsOf(block));
  }
  return undefined;
}

/** Whether nothing comes of it but a result. `inside`: the functions that are being looked into; what calls itself may have no end. */
function isIdle(instruction: Instruction, m: Module, inside: Set<string>): boolean {
  if (instruction.op === 'fence') return instruction.isSignal;
  if (instruction.op !== 'call') return false;
  return factsOfCall(instruction, m).isIdle === true || isIdleFunction(instruction, m, inside);
}

/** Whether the function of the program that is called does nothing but compute a result, without a loop. */
function isIdleFunction(call: Call, m: Module, inside: Set<string>): boolean {
  const name = calleeName(call);
  const f = name === undefined ? undefined : m.functions.get(m.aliases.get(name) ?? name);
  if (f === undefined || f.blocks.length === 0 || inside.has(f.name) || f.isWeak) return false;
  if (call.operands.length - 1 !== f.parameters.length || f.signature.variadic) return false;
  inside.add(f.name);
  const isStill = f.blocks.every(({ instructions }) =>
    instructions.every((each) => {
      if (each.op === 'br' || each.op === 'switch' || each.op === 'ret') return true;
      return !hasEffect(each) || isIdle(each, m, inside);
    }),
  );
  inside.delete(f.name);
  return isStill && findLoops(buildCfg(f)).length === 0;
}

/** The control flow graph backwards, from an exit that is put behind all ends of the function. */
interface Reverse {
  /** The blocks whose branches the block is control dependent on. */
  controlling(block: number): number[];
  nextAfter(block: number): Block;
}

function reversed(cfg: Cfg, loops: readonly CfgLoop[]): Reverse {
  const exit = cfg.blocks.length;
  const successors: number[][] = cfg.successors.map((targets) => (targets.length === 0 ? [exit] : [...targets]));
  // What never comes to an end, comes to one where it goes round.
  const ending = reaching(exit, successors);
  for (const { header, latches } of loops) {
    if (ending.has(cfg.index.get(header)!)) continue;
    for (const latch of latches) successors[cfg.index.get(latch)!]!.push(exit);
  }
  successors.push([]);
  const order = [...reaching(exit, successors)].reverse();
  const number = new Map(order.map((block, i) => [block, i]));
  const predecessors = order.map((block) => successors[block]!.map((to) => number.get(to)!));
  const dominators = findDominators({ predecessors });
  const frontiers = dominanceFrontiers({ predecessors }, dominators);
  return {
    controlling: (block) => frontiers[number.get(block)!]!.map((i) => order[i]!),
    nextAfter: (block) => cfg.blocks[order[dominators.immediate[number.get(block)!]!]!]!,
  };
}

/** The blocks from which control can come to one, in postorder of a walk backwards from it. */
function reaching(to: number, successors: readonly (readonly number[])[]): Set<number> {
  const predecessors = new Map<number, number[]>();
  for (const [from, targets] of successors.entries()) {
    for (const target of targets) {
      const list = predecessors.get(target);
      if (list === undefined) predecessors.set(target, [from]);
      else list.push(from);
    }
  }
  const seen = new Set([to]);
  const postorder = new Set<number>();
  const walk = [{ block: to, next: 0 }];
  while (walk.length > 0) {
    const top = walk.at(-1)!;
    const from = predecessors.get(top.block)?.[top.next++];
    if (from === undefined) {
      postorder.add(top.block);
      walk.pop();
    } else if (!seen.has(from)) {
      seen.add(from);
      walk.push({ block: from, next: 0 });
    }
  }
  return postorder;
}
