/**
 * What holds of every module, after parsing and between passes: blocks end with their only terminator, phis come first
 * and have a value for each predecessor, definitions dominate uses, and the types of operands fit.
 */
import { dominatorsOf } from './dominators.ts';
import {
  type Block,
  type Constant,
  type Instruction,
  type IrFunction,
  isTerminator,
  type Module,
  type Value,
} from './module.ts';
import { sameType, typeText } from './types.ts';
import { problemOfConstant, problemOfInstruction } from './verifier-types.ts';

export interface Problem {
  readonly message: string;
  readonly instruction: Instruction | undefined;
}

/** A module that breaks the rules is a mistake of ours: the passes must keep them. */
export function verifyModule(module: Module): void {
  const problems = findProblems(module);
  if (problems.length === 0) return;
  throw new Error(
    `the module ${module.name} is not valid:\n${problems.map(({ message }) => `  ${message}`).join('\n')}`,
  );
}

export function findProblems(module: Module): Problem[] {
  const problems: Problem[] = [];
  const report = (message: string, instruction?: Instruction): void => {
    problems.push({ message, instruction });
  };
  const checkConstant = (constant: Constant, where: string, instruction?: Instruction): void => {
    const problem = problemOfConstant(constant, (name) => isDefined(module, name));
    if (problem !== undefined) report(`${where}: ${problem}`, instruction);
  };
  for (const [name, global] of module.globals) {
    if (name !== global.name) report(`@${global.name} is listed as @${name}`);
    if (global.initializer === undefined) continue;
    if (!sameType(global.initializer.type, global.type)) report(`@${name}: the initialiser is of another type`);
    checkConstant(global.initializer, `@${name}`);
  }
  for (const [name, target] of module.aliases) {
    if (!isDefined(module, target)) report(`@${name} stands for @${target}, which is not defined`);
  }
  // An instruction must be at one place only, in all of the module.
  const seen = new Set<Instruction>();
  for (const [name, fn] of module.functions) {
    if (name !== fn.name) report(`@${fn.name} is listed as @${name}`);
    new FunctionVerifier(fn, seen, report, checkConstant).verify();
  }
  return problems;
}

function isDefined(module: Module, name: string): boolean {
  return module.functions.has(name) || module.globals.has(name) || module.aliases.has(name);
}

class FunctionVerifier {
  readonly #function: IrFunction;
  readonly #seen: Set<Instruction>;
  readonly #report: (message: string, instruction?: Instruction) => void;
  readonly #checkConstant: (constant: Constant, where: string, instruction: Instruction) => void;
  /** Where each instruction stands. */
  readonly #places = new Map<Instruction, { readonly block: Block; readonly index: number }>();

  constructor(
    fn: IrFunction,
    seen: Set<Instruction>,
    report: (message: string, instruction?: Instruction) => void,
    checkConstant: (constant: Constant, where: string, instruction: Instruction) => void,
  ) {
    this.#function = fn;
    this.#seen = seen;
    this.#checkConstant = checkConstant;
    this.#report = (message, instruction) => report(`@${fn.name}: ${message}`, instruction);
  }

  verify(): void {
    this.#checkParameters();
    if (!this.#checkBlocks()) return;
    this.#checkTypes();
    this.#checkPhis();
    this.#checkDominance();
  }

  #checkParameters(): void {
    const { parameters, signature } = this.#function;
    const fit =
      parameters.length === signature.parameters.length &&
      parameters.every(({ type, index }, i) => index === i && sameType(type, signature.parameters[i]!));
    if (!fit) this.#report('its parameters are not those of its signature');
  }

  /** The shape of the graph of blocks; unless it is right the rest cannot be looked at. */
  #checkBlocks(): boolean {
    const blocks = new Set(this.#function.blocks);
    let isRight = true;
    const report = (message: string, instruction?: Instruction): void => {
      this.#report(message, instruction);
      isRight = false;
    };
    if (blocks.size !== this.#function.blocks.length) report('a block is in the list of blocks twice');
    for (const block of blocks) {
      const { instructions, name } = block;
      const last = instructions.at(-1);
      if (last === undefined || !isTerminator(last)) report(`block ${name} does not end with a terminator`, last);
      for (const [index, instruction] of instructions.entries()) {
        if (instruction !== last && isTerminator(instruction)) {
          report(`block ${name} has a terminator before its end`, instruction);
        }
        if (this.#seen.has(instruction)) report(`${show(instruction)} is in the module twice`, instruction);
        this.#seen.add(instruction);
        this.#places.set(instruction, { block, index });
      }
      const targets = last?.op === 'br' || last?.op === 'switch' ? last.targets : [];
      for (const target of targets) {
        if (!blocks.has(target)) report(`block ${name} goes to ${target.name}, which is not in the function`, last);
        if (target === this.#function.blocks[0]) report('the entry has a predecessor', last);
      }
    }
    return isRight;
  }

  #checkTypes(): void {
    for (const instruction of this.#places.keys()) {
      const problem = problemOfInstruction(instruction, this.#function.signature.returns);
      if (problem !== undefined) this.#report(`${show(instruction)}: ${problem}`, instruction);
      for (const operand of instruction.operands) {
        if (operand.kind === 'parameter') {
          if (this.#function.parameters[operand.index] !== operand) {
            this.#report(`${show(instruction)} uses a parameter of another function`, instruction);
          }
        } else if (operand.kind !== 'instruction') {
          this.#checkConstant(operand, `@${this.#function.name}: ${show(instruction)}`, instruction);
        }
      }
    }
  }

  #checkPhis(): void {
    const predecessors = new Map<Block, Set<Block>>(this.#function.blocks.map((block) => [block, new Set()]));
    for (const block of this.#function.blocks) {
      const last = block.instructions.at(-1);
      if (last?.op !== 'br' && last?.op !== 'switch') continue;
      for (const target of last.targets) predecessors.get(target)?.add(block);
    }
    for (const block of this.#function.blocks) {
      const expected = predecessors.get(block) as Set<Block>;
      let arePhis = true;
      for (const instruction of block.instructions) {
        if (instruction.op !== 'phi') {
          arePhis = false;
          continue;
        }
        if (!arePhis) this.#report(`${show(instruction)} is a phi after other instructions`, instruction);
        this.#checkPhi(instruction, expected);
      }
    }
  }

  #checkPhi(phi: Instruction & { op: 'phi' }, predecessors: ReadonlySet<Block>): void {
    const values = new Map<Block, Value>();
    for (const [i, block] of phi.blocks.entries()) {
      const value = phi.operands[i];
      if (value === undefined) continue;
      // A switch may lead to a block by several cases; LLVM then lists it as often.
      const other = values.get(block);
      if (other !== undefined && !sameValue(other, value)) {
        this.#report(`${show(phi)} has two values for ${block.name}`, phi);
      }
      values.set(block, value);
    }
    for (const block of values.keys()) {
      if (!predecessors.has(block)) this.#report(`${show(phi)} has a value for ${block.name}, no predecessor`, phi);
    }
    for (const block of predecessors) {
      if (!values.has(block)) this.#report(`${show(phi)} has no value for its predecessor ${block.name}`, phi);
    }
  }

  #checkDominance(): void {
    const dominators = dominatorsOf(this.#function);
    for (const [user, place] of this.#places) {
      for (const [i, operand] of user.operands.entries()) {
        if (operand.kind !== 'instruction') continue;
        const definition = this.#places.get(operand);
        if (definition === undefined) {
          this.#report(`${show(user)} uses ${show(operand)}, which is not in the function`, user);
          continue;
        }
        // A phi uses its operand at the end of the block that control comes from.
        const from = user.op === 'phi' ? (user.blocks[i] as Block) : place.block;
        if (!dominators.isReachable(from) || !dominators.isReachable(place.block)) continue;
        const isDefined =
          from === definition.block
            ? user.op === 'phi' || definition.index < place.index
            : dominators.isReachable(definition.block) && dominators.dominates(definition.block, from);
        if (!isDefined) this.#report(`${show(user)} uses ${show(operand)} where it is not defined`, user);
      }
    }
  }
}

function sameValue(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || !sameType(a.type, b.type)) return false;
  if (a.kind === 'int-constant' && b.kind === 'int-constant') return a.value === b.value;
  if (a.kind === 'float-constant' && b.kind === 'float-constant') return Object.is(a.value, b.value);
  if (a.kind === 'symbol' && b.kind === 'symbol') return a.name === b.name;
  if (a.kind === 'expression' && b.kind === 'expression') {
    return a.op === b.op && a.operands.every((operand, i) => sameValue(operand, b.operands[i]!));
  }
  return a.kind === 'null' || a.kind === 'zero' || a.kind === 'undef';
}

function show(instruction: Instruction): string {
  const { name, op, type } = instruction;
  if (name !== '') return `%${name} (${op})`;
  return type.kind === 'void' ? op : `${op} of type ${typeText(type)}`;
}
