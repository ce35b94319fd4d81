/** Which results of instructions may be used after a place in a function, before they are computed anew. */
import type { Block, Instruction, IrFunction } from '../../ir/module.ts';
import { buildCfg } from './cfg.ts';

export class Liveness {
  /** By block that control can reach: what is live at its end. */
  readonly #atEnd = new Map<Block, Set<Instruction>>();
  readonly #predecessors = new Map<Block, readonly Block[]>();
  readonly #blockOf = new Map<Instruction, Block>();

  constructor(f: IrFunction) {
    const { blocks, predecessors } = buildCfg(f);
    for (const [i, block] of blocks.entries()) {
      this.#atEnd.set(block, new Set());
      this.#predecessors.set(
        block,
        predecessors[i]!.map((p) => blocks[p]!),
      );
      for (const instruction of block.instructions) this.#blockOf.set(instruction, block);
    }
    for (const block of blocks) for (const user of block.instructions) this.#use(user, block);
  }

  /** What is live after an instruction that is no phi; undefined: control never comes there. */
  after(instruction: Instruction): ReadonlySet<Instruction> | undefined {
    const block = this.#blockOf.get(instruction);
    if (block === undefined) return undefined;
    const live = new Set(this.#atEnd.get(block));
    for (let i = block.instructions.length - 1; block.instructions[i] !== instruction; i--) {
      const later = block.instructions[i]!;
      live.delete(later);
      if (later.op !== 'phi')
        for (const operand of later.operands) if (operand.kind === 'instruction') live.add(operand);
    }
    return live;
  }

  #use(user: Instruction, block: Block): void {
    for (const [i, operand] of user.operands.entries()) {
      if (operand.kind !== 'instruction') continue;
      if (user.op === 'phi') this.#reach(operand, [user.blocks[i]!]);
      else if (this.#blockOf.get(operand) !== block) this.#reach(operand, this.#predecessors.get(block)!);
    }
  }

  /** The value is live at the end of these blocks, and so on up to where it is computed. */
  #reach(value: Instruction, ends: readonly Block[]): void {
    const work = [...ends];
    for (let block = work.pop(); block !== undefined; block = work.pop()) {
      const live = this.#atEnd.get(block);
      if (live === undefined || live.has(value)) continue;
      live.add(value);
      if (this.#blockOf.get(value) !== block) work.push(...this.#predecessors.get(block)!);
    }
  }
}
