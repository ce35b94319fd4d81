/**
 * The bound on loops (`--unroll N`): a thread that enters a loop's header more than N times, counted anew each time it
 * comes to the loop from outside, stops there. Each header gets a counter and a branch to a block with a `bound`
 * instruction. Cycles with several entries are bounded as well; recursion is not.
 *
 * Afterwards no execution of a function can stay inside one of its loops for ever. The loops are still there.
 *
 * Without such a bound, loops that are not known to end (`countRounds`) get a counter as well, and a `bound` that looks at it: how
 * many rounds are too many is known when the program runs (src/program/open-loops.ts).
 */
import type { SourcePosition } from '../../../program/operation.ts';
import type { Block, Instruction, IrFunction } from '../../ir/module.ts';
import { successorsOf, terminatorOf } from '../../ir/module.ts';
import { i1, i32, voidType } from '../../ir/types.ts';
import { buildCfg, type CfgLoop, findDominators, findLoops, removeUnreachable } from '../analyses/cfg.ts';
import { isCounted } from '../analyses/counted.ts';
import {
  type Alloca,
  intConstant,
  makeJump,
  Names,
  type Phi,
  phisOf,
  renameInPhis,
  voidBase,
} from '../analyses/values.ts';
import { promote } from './promote.ts';

/** Where the loops stand in the source, by their headers. */
export type LoopPositions = ReadonlyMap<Block, SourcePosition>;

/**
 * Best asked before blocks are merged: clang puts the position of the loop statement on the jump back to its header.
 */
export function loopPositions(f: IrFunction): LoopPositions {
  const positions = new Map<Block, SourcePosition>();
  for (const loop of findLoops(buildCfg(f))) {
    const position = positionOf(loop);
    if (position !== undefined) positions.set(loop.header, position);
  }
  return positions;
}

/** Where the loop begins; if debug information does not say: the first line of those that the header and the back edges have. */
export function positionOf(loop: CfgLoop): SourcePosition | undefined {
  for (const latch of loop.latches) {
    const last = terminatorOf(latch);
    if (last.op === 'br' && last.loopStart !== undefined) return last.loopStart;
  }
  let first = loop.header.instructions.find(({ op, position }) => op !== 'phi' && position !== undefined)?.position;
  for (const latch of loop.latches) {
    const { position } = terminatorOf(latch);
    if (position === undefined) continue;
    if (first === undefined || (position.file === first.file && position.line < first.line)) first = position;
  }
  return first;
}

export function unroll(f: IrFunction, most: number, positions: LoopPositions = new Map()): boolean {
  removeUnreachable(f);
  const loops = findLoops(buildCfg(f));
  if (loops.length === 0) return false;
  const bounding = new Bounding(f);
  for (const loop of loops) bounding.add(loop, positions.get(loop.header) ?? positionOf(loop), most);
  bounding.finish();
  return true;
}

/** `isOpen`: whether the rounds of a loop are to be counted, by its header. */
export function countRounds(f: IrFunction, isOpen: (header: Block) => boolean, positions: LoopPositions): boolean {
  const cfg = buildCfg(f);
  const loops = findLoops(cfg).filter(({ header }) => isOpen(header));
  if (loops.length === 0) return false;
  const dominators = findDominators(cfg);
  const open = loops.filter((loop) => !isCounted(loop, cfg, dominators));
  const bounding = new Bounding(f);
  for (const loop of open) bounding.count(loop, positions.get(loop.header) ?? positionOf(loop));
  bounding.finish();
  return open.length > 0;
}

class Bounding {
  readonly #f: IrFunction;
  readonly #names: Names;
  /** What is left of a header after its check: there its edges come from now. And the other way round. */
  readonly #rest = new Map<Block, Block>();
  readonly #headers = new Map<Block, Block>();
  /** The blocks put on edges, and where they go on to. */
  readonly #between = new Map<Block, Block>();
  readonly #added: Block[] = [];
  #needsPromotion = false;

  constructor(f: IrFunction) {
    this.#f = f;
    this.#names = new Names(f);
  }

  /** The program says how many rounds the loop may go. */
  count(loop: CfgLoop, position: SourcePosition | undefined): void {
    const { header } = loop;
    const before = phisOf(header).length;
    const { before: first, value, after } = loop.isIrreducible ? this.#countInMemory(loop) : this.#countInPhi(loop);
    const bound: Instruction = { ...voidBase(position), operands: [value], op: 'bound' };
    header.instructions.splice(before, 0, ...first, bound, ...after);
  }

  add(loop: CfgLoop, position: SourcePosition | undefined, most: number): void {
    const before = phisOf(loop.header).length;
    const count = loop.isIrreducible ? this.#countInMemory(loop) : this.#countInPhi(loop);
    const { header } = loop;
    const at = before + count.before.length;
    header.instructions.splice(before, 0, ...count.before);

    const rest: Block = { name: this.#names.fresh(`${header.name}.within`), instructions: [] };
    rest.instructions = [...count.after, ...header.instructions.splice(at)];
    renameInPhis(successorsOf(rest), header, rest);
    this.#rest.set(header, rest);
    this.#headers.set(rest, header);

    const beyond: Block = { name: this.#names.fresh(`${header.name}.beyond`), instructions: [] };
    beyond.instructions.push({ ...voidBase(position), op: 'bound' }, { ...voidBase(position), op: 'unreachable' });
    const isBeyond: Instruction = {
      kind: 'instruction',
      op: 'icmp',
      predicate: 'uge',
      type: i1,
      name: this.#names.fresh('beyond'),
      position,
      operands: [count.value, intConstant(i32, BigInt(most))],
    };
    header.instructions.push(isBeyond, {
      ...voidBase(position),
      operands: [isBeyond],
      op: 'br',
      targets: [beyond, rest],
    });
    this.#f.blocks.splice(this.#f.blocks.indexOf(header) + 1, 0, rest);
    this.#added.push(beyond);
  }

  finish(): void {
    this.#f.blocks.push(...this.#added);
    if (this.#needsPromotion) promote(this.#f);
  }

  #countInPhi(loop: CfgLoop): Count {
    const visits: Phi = {
      kind: 'instruction',
      op: 'phi',
      type: i32,
      name: this.#names.fresh('visits'),
      position: undefined,
      operands: [],
      blocks: [],
    };
    const next = this.#successor(visits);
    // As edges are now: other loops' headers have been divided. The rest of this one is yet to be made, and renamed then.
    for (const block of [...this.#f.blocks, ...this.#added]) {
      for (const successor of successorsOf(block)) {
        if (successor !== loop.header) continue;
        visits.blocks.push(block);
        visits.operands.push(loop.blocks.has(this.#headers.get(block) ?? block) ? next : intConstant(i32, 0n));
      }
    }
    return { before: [visits], value: visits, after: [next] };
  }

  /** The header need not dominate the loop: let promote.ts find where phis go. */
  #countInMemory(loop: CfgLoop): Count {
    this.#needsPromotion = true;
    const variable: Alloca = {
      kind: 'instruction',
      op: 'alloca',
      type: { kind: 'ptr' },
      name: this.#names.fresh('visits'),
      position: undefined,
      operands: [],
      allocated: i32,
      align: 4,
    };
    const entry = this.#f.blocks[0]!;
    entry.instructions.unshift(variable);
    for (const { from, to } of loop.entries) {
      this.#onEdge(this.#rest.get(from) ?? from, to, store(intConstant(i32, 0n), variable));
    }
    const visits: Instruction = {
      kind: 'instruction',
      op: 'load',
      type: i32,
      name: this.#names.fresh('visits'),
      position: undefined,
      operands: [variable],
      ordering: 'notatomic',
      volatile: false,
      align: 4,
    };
    const next = this.#successor(visits);
    return { before: [visits], value: visits, after: [next, store(next, variable)] };
  }

  #successor(visits: Instruction): Instruction {
    return {
      kind: 'instruction',
      op: 'add',
      type: i32,
      name: this.#names.fresh('visits'),
      position: undefined,
      operands: [visits, intConstant(i32, 1n)],
    };
  }

  /**
   * Puts a block with the instruction between two others; one edge of several between the same two at a time. If all have
   * one because they enter an outer loop too, the instruction goes there: it is a store of zero, so twice is fine.
   */
  #onEdge(from: Block, to: Block, instruction: Instruction): void {
    const last = terminatorOf(from);
    if (last.op !== 'br' && last.op !== 'switch') return;
    const target = last.targets.indexOf(to);
    if (target < 0) {
      for (const between of last.targets) {
        if (this.#between.get(between) === to) between.instructions.unshift({ ...instruction });
      }
      return;
    }
    const name = this.#names.fresh(`${to.name}.enter`);
    const between: Block = { name, instructions: [instruction, makeJump(to, last.position)] };
    this.#between.set(between, to);
    last.targets[target] = between;
    for (const phi of phisOf(to)) phi.blocks[phi.blocks.indexOf(from)] = between;
    this.#added.push(between);
  }
}

interface Count {
  /** After the phis of the header. */
  readonly before: Instruction[];
  /** How often the header was visited before. */
  readonly value: Instruction;
  /** Once the header may be entered. */
  readonly after: Instruction[];
}

function store(value: Instruction['operands'][0], variable: Alloca): Instruction {
  return {
    kind: 'instruction',
    op: 'store',
    type: voidType,
    name: '',
    position: undefined,
    operands: [value, variable],
    ordering: 'notatomic',
    volatile: false,
    align: 4,
  };
}
