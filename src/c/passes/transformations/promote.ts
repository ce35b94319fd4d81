/**
 * Turns local variables in memory into SSA values (mem2reg): allocas of the entry block of scalar type that are only
 * loaded and stored as a whole. Nobody else can see such an object, so volatile and atomic accesses are promoted too.
 * Phis are placed at the iterated dominance frontiers of the stores, where the variable is live.
 *
 * A variable that was not set has the value `undef`. A read of a source variable that may see it becomes a `defined`
 * instruction, which fails at run time if it does. There is none
 * - for variables of the compiler's making (`%retval`): it only reads back what it put there, and copies are no reads;
 * - for a value that nobody uses (`(void)x`) or that only goes back to where it was (`int x = x`);
 * - for a read that only copies (`copies`, from copies.ts and sroa.ts): undef is copied along;
 * - for a read that writes a bit-field (`partial`): the unset bits are frozen to 0.
 *
 * Afterwards: no promotable alloca is left; phis have an operand for each edge; `f.variables` has none of the removed
 * allocas; every `defined` has a value that may be undef.
 */
import type { Block, CastOp, Instruction, IrFunction, LocalVariable, Type, Value } from '../../ir/module.ts';
import { sameType } from '../../ir/types.ts';
import { buildCfg, type Cfg, dominanceFrontiers, findDominators, removeUnreachable } from '../analyses/cfg.ts';
import { isLifetimeMark } from '../analyses/library-calls.ts';
import { removeNeedlessChecks } from '../analyses/undefined.ts';
import {
  type Alloca,
  integerOf,
  isScalar,
  type Load,
  Names,
  type Phi,
  replaceAll,
  resolve,
  scalarBits,
  undef,
  usersOf,
} from '../analyses/values.ts';

type Users = ReadonlyMap<Value, readonly Instruction[]>;

export function promote(f: IrFunction): boolean {
  if (f.blocks.length === 0) return false;
  removeUnreachable(f);
  const users = usersOf(f);
  const allocas: Alloca[] = [];
  for (const instruction of f.blocks[0]!.instructions) {
    if (instruction.op === 'alloca' && isPromotable(instruction, users)) allocas.push(instruction);
  }
  if (allocas.length === 0) return false;
  new Promotion(f, allocas, users).run();
  removeNeedlessChecks(f);
  return true;
}

function isPromotable(alloca: Alloca, users: Users): boolean {
  const { allocated } = alloca;
  if (!isScalar(allocated) || !isSingle(alloca)) return false;
  return (users.get(alloca) ?? []).every((user) => {
    if (user.op === 'load') return canConvert(allocated, user.type);
    if (user.op === 'store') return user.operands[0] !== alloca && canConvert(user.operands[0]!.type, allocated);
    return isLifetimeMark(user);
  });
}

export function isSingle(alloca: Alloca): boolean {
  return alloca.operands.length === 0 || integerOf(alloca.operands[0]) === 1n;
}

/** Whether a value of one type can be read as the other: the same bits. */
export function canConvert(from: Type, to: Type): boolean {
  if (sameType(from, to)) return true;
  return isScalar(from) && isScalar(to) && scalarBits(from) === scalarBits(to);
}

/** The casts from one type to another of the same size. */
function castsBetween(from: Type, to: Type): { op: CastOp; type: Type }[] {
  if (sameType(from, to)) return [];
  if (from.kind === 'ptr' || to.kind === 'ptr') {
    const int: Type = { kind: 'int', bits: 32 };
    const first: { op: CastOp; type: Type }[] =
      from.kind === 'ptr' ? [{ op: 'ptrtoint', type: int }] : from.kind === 'int' ? [] : [{ op: 'bitcast', type: int }];
    const last: { op: CastOp; type: Type }[] =
      to.kind === 'ptr' ? [{ op: 'inttoptr', type: to }] : to.kind === 'int' ? [] : [{ op: 'bitcast', type: to }];
    return [...first, ...last];
  }
  return [{ op: 'bitcast', type: to }];
}

class Promotion {
  readonly #f: IrFunction;
  readonly #allocas: readonly Alloca[];
  readonly #users: Users;
  readonly #cfg: Cfg;
  readonly #immediate: readonly number[];
  readonly #frontiers: readonly (readonly number[])[];
  readonly #names: Names;
  /** The variables' numbers. */
  readonly #number = new Map<Value, number>();
  /** The new phis of each block, by variable. */
  readonly #phis: Map<number, Phi>[];
  /** The variables' values at the end of each block. */
  readonly #outgoing: Value[][] = [];
  readonly #replacements = new Map<Value, Value>();

  constructor(f: IrFunction, allocas: readonly Alloca[], users: Users) {
    this.#f = f;
    this.#allocas = allocas;
    this.#users = users;
    this.#cfg = buildCfg(f);
    const dominators = findDominators(this.#cfg);
    this.#immediate = dominators.immediate;
    this.#frontiers = dominanceFrontiers(this.#cfg, dominators);
    this.#names = new Names(f);
    for (const [i, alloca] of allocas.entries()) {
      this.#number.set(alloca, i);
      this.#names.release(alloca.name);
    }
    this.#phis = this.#cfg.blocks.map(() => new Map());
  }

  run(): void {
    for (const [variable] of this.#allocas.entries()) this.#placePhis(variable);
    // A block's immediate dominator comes before it in reverse postorder.
    for (const [i, block] of this.#cfg.blocks.entries()) this.#rename(i, block);
    for (const [i, phis] of this.#phis.entries()) {
      for (const [variable, phi] of phis) {
        for (const from of this.#cfg.predecessors[i]!) {
          phi.blocks.push(this.#cfg.blocks[from]!);
          phi.operands.push(this.#outgoing[from]![variable]!);
        }
      }
    }
    replaceAll(this.#f, this.#replacements);
    for (const alloca of this.#allocas) this.#f.variables.delete(alloca);
  }

  #placePhis(variable: number): void {
    const alloca = this.#allocas[variable]!;
    const source = this.#f.variables.get(alloca);
    const { defining, liveIn } = this.#liveness(alloca);
    const work = [...defining];
    for (let block = work.pop(); block !== undefined; block = work.pop()) {
      for (const join of this.#frontiers[block]!) {
        if (!liveIn.has(join) || this.#phis[join]!.has(variable)) continue;
        const name = this.#names.fresh(source?.name ?? alloca.name);
        const phi: Phi = {
          kind: 'instruction',
          op: 'phi',
          type: alloca.allocated,
          name,
          position: undefined,
          operands: [],
          blocks: [],
        };
        this.#phis[join]!.set(variable, phi);
        work.push(join);
      }
    }
  }

  /** The blocks that set a variable, and those at whose beginning its value matters. */
  #liveness(alloca: Alloca): { defining: Set<number>; liveIn: Set<number> } {
    const accesses = new Set(this.#users.get(alloca));
    const defining = new Set<number>();
    const liveIn = new Set<number>();
    for (const block of this.#blocksOf(accesses)) {
      for (const instruction of this.#cfg.blocks[block]!.instructions) {
        if (!accesses.has(instruction)) continue;
        if (instruction.op !== 'load') defining.add(block);
        else if (!defining.has(block)) liveIn.add(block);
      }
    }
    const work = [...liveIn];
    for (let block = work.pop(); block !== undefined; block = work.pop()) {
      for (const predecessor of this.#cfg.predecessors[block]!) {
        if (defining.has(predecessor) || liveIn.has(predecessor)) continue;
        liveIn.add(predecessor);
        work.push(predecessor);
      }
    }
    return { defining, liveIn };
  }

  #place: Map<Instruction, number> | undefined;

  #blocksOf(instructions: ReadonlySet<Instruction>): Set<number> {
    if (this.#place === undefined) {
      this.#place = new Map();
      for (const [i, block] of this.#cfg.blocks.entries()) {
        for (const instruction of block.instructions) this.#place.set(instruction, i);
      }
    }
    const blocks = new Set<number>();
    for (const instruction of instructions) blocks.add(this.#place.get(instruction)!);
    return blocks;
  }

  #rename(index: number, block: Block): void {
    const values: Value[] =
      index === 0 ? this.#allocas.map((alloca) => this.#unset(alloca)) : [...this.#outgoing[this.#immediate[index]!]!];
    const instructions: Instruction[] = [];
    for (const [variable, phi] of this.#phis[index]!) {
      values[variable] = phi;
      instructions.push(phi);
    }
    for (const instruction of block.instructions) {
      const variable = this.#variableOf(instruction);
      if (variable === undefined) {
        instructions.push(instruction);
        continue;
      }
      const alloca = this.#allocas[variable]!;
      if (instruction.op === 'load') {
        this.#replacements.set(instruction, this.#read(instruction, alloca, values[variable]!, instructions));
      } else if (instruction.op === 'store') {
        const value = resolve(this.#replacements, instruction.operands[0]!);
        values[variable] = convert(value, alloca.allocated, instruction.position, '', instructions);
      } else if (instruction.op === 'call') {
        values[variable] = this.#unset(alloca);
      }
    }
    block.instructions = instructions;
    this.#outgoing[index] = values;
  }

  #unset(alloca: Alloca): Value {
    return undef(alloca.allocated, this.#f.variables.get(alloca)?.name);
  }

  /** The variable that an instruction makes, reads, sets or marks. */
  #variableOf(instruction: Instruction): number | undefined {
    if (instruction.op === 'alloca') return this.#number.get(instruction);
    if (instruction.op === 'load') return this.#number.get(instruction.operands[0]!);
    if (instruction.op === 'store') return this.#number.get(instruction.operands[1]!);
    if (!isLifetimeMark(instruction)) return undefined;
    const marked = instruction.operands.find((operand) => this.#number.has(operand));
    return marked === undefined ? undefined : this.#number.get(marked);
  }

  #read(load: Load, alloca: Alloca, value: Value, instructions: Instruction[]): Value {
    const source = this.#f.variables.get(alloca);
    let checked = value;
    const base = { kind: 'instruction', type: value.type, name: load.name, position: load.position } as const;
    if (load.partial === true) {
      checked = { ...base, op: 'freeze', operands: [value] };
      instructions.push(checked);
    } else if (source !== undefined && this.#isRead(load, source)) {
      checked = { ...base, op: 'defined', operands: [value], variable: source.name };
      instructions.push(checked);
    }
    return convert(checked, load.type, load.position, checked === value ? load.name : '', instructions);
  }

  #isRead(load: Load, source: LocalVariable): boolean {
    if (source.name === '' || load.copies === true) return false;
    const users = this.#users.get(load) ?? [];
    return load.decided === true || users.some((user) => user.op !== 'store' || user.operands[1] !== load.operands[0]);
  }
}

function convert(
  value: Value,
  to: Type,
  position: Instruction['position'],
  name: string,
  instructions: Instruction[],
): Value {
  if (value.kind === 'undef') return sameType(value.type, to) ? value : undef(to, value.variable);
  let converted = value;
  for (const { op, type } of castsBetween(value.type, to)) {
    const cast: Instruction = { kind: 'instruction', op, type, name: '', position, operands: [converted] };
    instructions.push(cast);
    converted = cast;
  }
  if (converted !== value && converted.kind === 'instruction') converted.name = name;
  return converted;
}
