/**
 * The transformation of partial loop purity elimination ([Await], section III): for each conjunction c of a loop's purity
 * condition an `assume(¬c)`, at the place that place.ts finds.
 *
 * Paths that c does not describe may come to that place without passing the definitions of all its registers. There those
 * have the arbitrary value 0: c is false anyway, because where such a path leaves those of c, a term of c says so. The
 * "took internal back edge" condition is a register of the same kind. Both are made as variables in memory, which
 * promote.ts turns into phis.
 */
import type { SourcePosition } from '../../../program/operation.ts';
import { type Block, type Instruction, type IrFunction, type Type, terminatorOf, type Value } from '../../ir/module.ts';
import { i1, i32, voidType } from '../../ir/types.ts';
import type { Cfg, CfgLoop } from '../analyses/cfg.ts';
import { zeroOf } from '../analyses/constants.ts';
import { type Alloca, intConstant, makeJump, Names, phisOf, scalarBits, voidBase } from '../analyses/values.ts';
import { promote } from '../transformations/promote.ts';
import type { Purity } from './analysis.ts';
import { negatedTerm, type Plain, predicateOf } from './conditions.ts';
import { comparePlaces, internalBackEdges, type Place, type Plan, Planning } from './place.ts';
import { asComparison, type Range, type Ranges } from './ranges.ts';

export type PositionOf = (loop: CfgLoop) => SourcePosition | undefined;

export function insertAssumes(f: IrFunction, cfg: Cfg, purities: readonly Purity[], positionOf: PositionOf): void {
  const planning = new Planning(cfg);
  const wanted = purities.flatMap(({ loop, condition }) =>
    condition.map((conjunction) => ({ loop, conjunction, place: planning.placeFor(loop, conjunction) })),
  );
  // In the order of the text, so that each knows of those before it.
  wanted.sort((a, b) => comparePlaces(a.place, b.place));
  for (const { loop, conjunction, place } of wanted) planning.add(loop, conjunction, place, positionOf(loop));
  new Insertion(f, cfg, planning).run();
}

class Insertion {
  readonly #f: IrFunction;
  readonly #cfg: Cfg;
  readonly #planning: Planning;
  readonly #names: Names;
  /** What goes into each block, after the instructions with these indices. */
  readonly #added = new Map<Block, Map<number, Instruction[]>>();
  /** For each loop, the variable that says whether an internal back edge was taken. */
  readonly #took = new Map<CfgLoop, Alloca>();
  /** For each loop, where registers are kept that do not reach a place. */
  readonly #slots = new Map<CfgLoop, Map<Value, Alloca>>();
  /** For each loop, what says which operations belong to the iteration. */
  readonly #began = new Map<CfgLoop, Instruction>();
  readonly #variables: Alloca[] = [];
  /** The blocks put on edges. */
  readonly #between = new Map<string, Block>();

  constructor(f: IrFunction, cfg: Cfg, planning: Planning) {
    this.#f = f;
    this.#cfg = cfg;
    this.#planning = planning;
    this.#names = new Names(f);
  }

  run(): void {
    for (const plan of this.#planning.plans) this.#insert(plan);
    for (const [block, places] of this.#added) {
      const lastFirst = [...places].sort(([a], [b]) => b - a);
      for (const [index, instructions] of lastFirst) block.instructions.splice(index + 1, 0, ...instructions);
    }
    if (this.#variables.length === 0) return;
    this.#f.blocks[0]!.instructions.unshift(...this.#variables);
    promote(this.#f);
  }

  #insert(plan: Plan): void {
    const instructions: Instruction[] = [];
    let condition: Value | undefined;
    const orElse = (value: Value): void => {
      condition = condition === undefined ? value : add(instructions, this.#instruction('or', i1, [condition, value]));
    };
    for (const term of plan.terms) orElse(this.#compute(negatedTerm(term), plan, instructions));
    if (plan.mindsBackEdges) orElse(add(instructions, load(this.#tookOf(plan.loop))));
    const assume: Instruction = {
      ...voidBase(plan.position),
      operands: [condition ?? intConstant(i1, 0n), this.#beganOf(plan.loop)],
      op: 'assume',
      reason: 'loop',
    };
    this.#at(plan.place).push(...instructions, assume);
  }

  /** Instructions that tell whether the term holds. */
  #compute(term: Plain, plan: Plan, instructions: Instruction[]): Value {
    const register = (value: Value): Value => this.#register(value, plan, instructions);
    if (term.kind === 'compare') {
      return add(instructions, this.#icmp(predicateOf(term), register(term.left), register(term.right)));
    }
    return this.#isIn(register(term.value), term.ranges, instructions);
  }

  #isIn(value: Value, ranges: Ranges, instructions: Instruction[]): Value {
    const bits = scalarBits(value.type);
    if (bits === 1) {
      if (ranges[0]?.[0] === 1n) return value;
      return add(instructions, this.#instruction('xor', i1, [value, intConstant(i1, 1n)]));
    }
    const one = asComparison(ranges, bits);
    if (value.type.kind === 'ptr') {
      if (one?.bound === 0n) return add(instructions, this.#icmp(one.predicate, value, zeroOf(value.type)));
      const number = add(instructions, this.#instruction('ptrtoint', { kind: 'int', bits }, [value]));
      return this.#isIn(number, ranges, instructions);
    }
    if (one !== undefined) {
      return add(instructions, this.#icmp(one.predicate, value, intConstant(value.type, one.bound)));
    }
    const [first, ...others] = ranges.map((range) => this.#isInRange(value, range, instructions));
    return others.reduce((one, other) => add(instructions, this.#instruction('or', i1, [one, other])), first!);
  }

  #isInRange(value: Value, [least, greatest]: Range, instructions: Instruction[]): Value {
    const one = asComparison([[least, greatest]], scalarBits(value.type));
    if (one !== undefined) {
      return add(instructions, this.#icmp(one.predicate, value, intConstant(value.type, one.bound)));
    }
    const offset = add(instructions, this.#instruction('sub', value.type, [value, intConstant(value.type, least)]));
    return add(instructions, this.#icmp('ule', offset, intConstant(value.type, greatest - least)));
  }

  #register(value: Value, plan: Plan, instructions: Instruction[]): Value {
    if (this.#planning.reaches(value, plan.place)) return value;
    return add(instructions, load(this.#slotOf(value, plan.loop)));
  }

  /** Where a register's value is kept in an iteration of the loop, once it has one. */
  #slotOf(value: Value, loop: CfgLoop): Alloca {
    const slots = this.#slots.get(loop) ?? new Map<Value, Alloca>();
    this.#slots.set(loop, slots);
    const known = slots.get(value);
    if (known !== undefined) return known;
    const slot = this.#variable(value.type);
    slots.set(value, slot);
    this.#atHeader(loop, store(zeroOf(value.type), slot));
    this.#afterDefinition(value, store(value, slot));
    return slot;
  }

  #tookOf(loop: CfgLoop): Alloca {
    const known = this.#took.get(loop);
    if (known !== undefined) return known;
    const took = this.#variable(i1);
    this.#took.set(loop, took);
    this.#atHeader(loop, store(intConstant(i1, 0n), took));
    for (const { from, to } of internalBackEdges(this.#cfg, loop)) {
      this.#onEdge(this.#cfg.blocks[from]!, this.#cfg.blocks[to]!, store(intConstant(i1, 1n), took));
    }
    return took;
  }

  #beganOf(loop: CfgLoop): Instruction {
    const known = this.#began.get(loop);
    if (known !== undefined) return known;
    const { position } = loop.header.instructions.at(-1)!;
    const began: Instruction = {
      ...{ kind: 'instruction', op: 'performed', type: i32, position, operands: [] },
      name: this.#names.fresh('began'),
    };
    this.#began.set(loop, began);
    this.#atHeader(loop, began);
    return began;
  }

  #variable(allocated: Type): Alloca {
    const variable: Alloca = {
      ...{ kind: 'instruction', op: 'alloca', type: { kind: 'ptr' }, position: undefined, operands: [] },
      name: this.#names.fresh('kept'),
      allocated,
      align: 1,
    };
    this.#variables.push(variable);
    return variable;
  }

  /** Before any assume there. */
  #atHeader(loop: CfgLoop, instruction: Instruction): void {
    const block = this.#cfg.index.get(loop.header)!;
    this.#at({ block, index: phisOf(loop.header).length - 1 }).unshift(instruction);
  }

  #afterDefinition(value: Value, instruction: Instruction): void {
    const place = this.#planning.placeOf(value);
    if (place !== undefined) this.#at(place).unshift(instruction);
  }

  /** What is to be put in after a place. */
  #at({ block, index }: Place): Instruction[] {
    const target = this.#cfg.blocks[block]!;
    const places = this.#added.get(target) ?? new Map<number, Instruction[]>();
    this.#added.set(target, places);
    const instructions = places.get(index) ?? [];
    places.set(index, instructions);
    return instructions;
  }

  #onEdge(from: Block, to: Block, instruction: Instruction): void {
    const key = `${this.#cfg.index.get(from)} ${this.#cfg.index.get(to)}`;
    const known = this.#between.get(key);
    if (known !== undefined) {
      known.instructions.unshift(instruction);
      return;
    }
    const last = terminatorOf(from);
    if (last.op !== 'br' && last.op !== 'switch') return;
    const name = this.#names.fresh(`${to.name}.again`);
    const between: Block = { name, instructions: [instruction, makeJump(to, last.position)] };
    last.targets = last.targets.map((target) => (target === to ? between : target));
    for (const phi of phisOf(to)) redirectPhi(phi, from, between);
    this.#f.blocks.push(between);
    this.#between.set(key, between);
  }

  #icmp(predicate: ReturnType<typeof predicateOf>, left: Value, right: Value): Instruction {
    return {
      ...{ kind: 'instruction', op: 'icmp', type: i1, position: undefined },
      name: this.#names.fresh('impure'),
      predicate,
      operands: [left, right],
    };
  }

  #instruction(op: 'or' | 'xor' | 'sub' | 'ptrtoint', type: Type, operands: Value[]): Instruction {
    return { kind: 'instruction', op, type, name: this.#names.fresh('impure'), position: undefined, operands };
  }
}

/** All edges from one block become one edge from another. */
function redirectPhi(phi: Instruction & { op: 'phi' }, from: Block, to: Block): void {
  const first = phi.blocks.indexOf(from);
  phi.operands = phi.operands.filter((_, i) => i === first || phi.blocks[i] !== from);
  phi.blocks = phi.blocks.filter((block, i) => i === first || block !== from);
  phi.blocks[phi.blocks.indexOf(from)] = to;
}

function add(instructions: Instruction[], instruction: Instruction): Instruction {
  instructions.push(instruction);
  return instruction;
}

function load(variable: Alloca): Instruction {
  return {
    ...{ kind: 'instruction', op: 'load', type: variable.allocated, name: '', position: undefined },
    operands: [variable],
    ordering: 'notatomic',
    volatile: false,
    align: 1,
  };
}

function store(value: Value, variable: Alloca): Instruction {
  return {
    ...{ kind: 'instruction', op: 'store', type: voidType, name: '', position: undefined },
    operands: [value, variable],
    ordering: 'notatomic',
    volatile: false,
    align: 1,
  };
}
