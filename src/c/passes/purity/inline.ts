/**
 * Puts the bodies of functions in the place of calls inside loops, where that may show that iterations of the loop are pure:
 * a loop that calls trylock(), or reads through a function, is as pure as what it calls.
 *
 * Only small functions that do not call themselves, and only where it can help: the loop would be pure on some path if the
 * call were, and the function has a way through that changes nothing. So most calls stay as they are, and reports name the
 * functions that the user wrote.
 */
import type { Block, Instruction, IrFunction, Module, Value } from '../../ir/module.ts';
import { successorsOf, terminatorOf } from '../../ir/module.ts';
import { i1, sameType } from '../../ir/types.ts';
import { buildCfg, type CfgLoop, findLoops } from '../analyses/cfg.ts';
import { type Call, calleeName, makeJump, Names, type Phi, renameInPhis, undef, voidBase } from '../analyses/values.ts';
import type { LoopPositions } from '../transformations/unroll.ts';
import { purityOf } from './analysis.ts';
import { isMasking, type Statements } from './statements.ts';

/** In instructions: of a function that is put into others, and of one that others are put into. */
const mostOfCallee = 120;
const mostOfCaller = 3000;

export class Inliner {
  readonly #m: Module;
  readonly #statements: Statements;
  readonly #positions: Map<IrFunction, LoopPositions>;
  readonly #mayBePure = new Map<IrFunction, boolean>();

  constructor(m: Module, statements: Statements, positions: Map<IrFunction, LoopPositions>) {
    this.#m = m;
    this.#statements = statements;
    this.#positions = positions;
  }

  /** Inlines calls in the loops of a function; says whether there were any. */
  run(f: IrFunction): boolean {
    let changed = false;
    for (let call = this.#next(f); call !== undefined; call = this.#next(f)) {
      this.#inline(f, call, this.#callee(f, call) as IrFunction);
      changed = true;
    }
    return changed;
  }

  #next(f: IrFunction): Call | undefined {
    if (instructionsIn(f) > mostOfCaller) return undefined;
    const cfg = buildCfg(f);
    for (const loop of findLoops(cfg)) {
      const calls = this.#candidates(f, loop);
      if (calls.length === 0 || loop.isIrreducible) continue;
      const hoped = new Set<Instruction>(calls);
      const { condition } = purityOf(loop, {
        cfg,
        statements: this.#statements,
        successes: hopedSuccesses(loop),
        hoped,
      });
      if (condition.length > 0) return calls[0];
    }
    return undefined;
  }

  #candidates(f: IrFunction, loop: CfgLoop): Call[] {
    const calls: Call[] = [];
    for (const block of loop.blocks) {
      for (const instruction of block.instructions) {
        if (instruction.op === 'call' && this.#callee(f, instruction) !== undefined) calls.push(instruction);
      }
    }
    return calls;
  }

  /** The function to put in the place of a call. */
  #callee(caller: IrFunction, call: Call): IrFunction | undefined {
    const callee = this.#definitionOf(call);
    if (callee === undefined || callee === caller) return undefined;
    return this.#isInlinable(callee) && fits(call, callee) ? callee : undefined;
  }

  /** Small, without stack objects, not recursive, and with a way through on which nothing is surely impure. */
  #isInlinable(f: IrFunction): boolean {
    const known = this.#mayBePure.get(f);
    if (known !== undefined) return known;
    this.#mayBePure.set(f, false); // if it comes back to itself
    const isPlain = !f.signature.variadic && !f.isWeak && f.parameters.every(({ byval }) => byval === undefined);
    const isSmall =
      instructionsIn(f) <= mostOfCallee && !instructionsOf(f).some(({ op }) => op === 'alloca' || op === 'bound');
    const result = isPlain && isSmall && !this.#calls(f, f) && this.#hasPureWay(f);
    this.#mayBePure.set(f, result);
    return result;
  }

  #hasPureWay(f: IrFunction): boolean {
    const work = [f.blocks[0]!];
    const seen = new Set(work);
    for (let block = work.pop(); block !== undefined; block = work.pop()) {
      if (!block.instructions.every((instruction) => this.#mayBe(instruction))) continue;
      if (terminatorOf(block).op === 'ret') return true;
      for (const next of successorsOf(block)) {
        if (seen.has(next)) continue;
        seen.add(next);
        work.push(next);
      }
    }
    return false;
  }

  #mayBe(instruction: Instruction): boolean {
    if (instruction.op === 'cmpxchg' || (instruction.op === 'atomicrmw' && isMasking(instruction))) return true;
    // the caller's variable may be one that promotion turns into a value
    if (instruction.op === 'store' && instruction.operands[1]!.kind === 'parameter') return true;
    if (this.#statements.pureWhen(instruction, new Map()).length > 0) return true;
    const callee = instruction.op === 'call' ? this.#definitionOf(instruction) : undefined;
    return callee !== undefined && this.#isInlinable(callee);
  }

  /** The function that a call is to, if it is defined here. */
  #definitionOf(call: Call): IrFunction | undefined {
    const name = calleeName(call);
    const f = name === undefined ? undefined : this.#m.functions.get(this.#m.aliases.get(name) ?? name);
    return f !== undefined && f.blocks.length > 0 ? f : undefined;
  }

  /** Whether a function may call another, directly or not; calls through pointers are of nobody that is inlined. */
  #calls(from: IrFunction, target: IrFunction): boolean {
    const work = [from];
    const seen = new Set<IrFunction>();
    for (let f = work.pop(); f !== undefined; f = work.pop()) {
      for (const instruction of instructionsOf(f)) {
        const callee = instruction.op === 'call' ? this.#definitionOf(instruction) : undefined;
        if (callee === target) return true;
        if (callee === undefined || seen.has(callee)) continue;
        seen.add(callee);
        work.push(callee);
      }
    }
    return false;
  }

  #inline(f: IrFunction, call: Call, callee: IrFunction): void {
    const before = f.blocks.find((block) => block.instructions.includes(call))!;
    const names = new Names(f);
    const body = copyOf(callee, call.operands.slice(1), names);
    const rest: Block = { name: names.fresh(`${before.name}.after`), instructions: [] };
    const index = before.instructions.indexOf(call);
    rest.instructions = before.instructions.splice(index).slice(1);
    renameInPhis(successorsOf(rest), before, rest);
    before.instructions.push(makeJump(body.blocks[0]!, call.position));
    const result = joinReturns(body.blocks, rest, call);
    f.blocks.splice(f.blocks.indexOf(before) + 1, 0, ...body.blocks, rest);
    if (result !== undefined) replaceUses(f, call, result);
    this.#positions.set(f, new Map([...this.#positionsOf(f), ...this.#copiedPositions(callee, body.copies)]));
  }

  #positionsOf(f: IrFunction): LoopPositions {
    return this.#positions.get(f) ?? new Map();
  }

  #copiedPositions(callee: IrFunction, copies: ReadonlyMap<Block, Block>): LoopPositions {
    return new Map(
      [...this.#positionsOf(callee)].flatMap(([header, position]) => {
        const copy = copies.get(header);
        return copy === undefined ? [] : [[copy, position] as const];
      }),
    );
  }
}

/**
 * A compare-exchange in the loop itself may fail: whether it does matters only once the calls are gone. If the loop looks only
 * at the old value, nothing says yet whether it did.
 */
function hopedSuccesses(loop: CfgLoop): ReadonlyMap<Instruction, Instruction> {
  const successes = new Map<Instruction, Instruction>();
  for (const block of loop.blocks) {
    for (const instruction of block.instructions) {
      if (instruction.op === 'cmpxchg' && !successes.has(instruction)) {
        const { position } = instruction;
        const base = { kind: 'instruction', type: i1, name: '', position } as const;
        successes.set(instruction, { ...base, operands: [instruction], op: 'extractvalue', indices: [1] });
      }
      if (instruction.op !== 'extractvalue' || instruction.indices[0] !== 1) continue;
      const [pair] = instruction.operands;
      if (pair?.kind === 'instruction' && pair.op === 'cmpxchg') successes.set(pair, instruction);
    }
  }
  return successes;
}

function fits({ signature, operands }: Call, callee: IrFunction): boolean {
  return (
    sameType(signature.returns, callee.signature.returns) &&
    operands.length - 1 === callee.parameters.length &&
    callee.parameters.every(({ type }, i) => sameType(type, operands[i + 1]!.type))
  );
}

function instructionsIn(f: IrFunction): number {
  return f.blocks.reduce((sum, { instructions }) => sum + instructions.length, 0);
}

function instructionsOf(f: IrFunction): Instruction[] {
  return f.blocks.flatMap(({ instructions }) => instructions);
}

interface Copy {
  readonly blocks: Block[];
  readonly copies: ReadonlyMap<Block, Block>;
}

/** The blocks of a function with the arguments in the place of its parameters. */
function copyOf(f: IrFunction, args: readonly Value[], names: Names): Copy {
  const copies = new Map(
    f.blocks.map((block) => [block, { name: names.fresh(block.name), instructions: [] } as Block]),
  );
  const values = new Map<Value, Value>(f.parameters.map((parameter, i) => [parameter, args[i]!]));
  for (const block of f.blocks) {
    for (const instruction of block.instructions) {
      const name = instruction.name === '' ? '' : names.fresh(instruction.name);
      const copy: Instruction = { ...instruction, name };
      if (copy.op === 'phi') copy.blocks = copy.blocks.map((from) => copies.get(from)!);
      if (copy.op === 'br' || copy.op === 'switch') copy.targets = copy.targets.map((target) => copies.get(target)!);
      values.set(instruction, copy);
      copies.get(block)!.instructions.push(copy);
    }
  }
  for (const { instructions } of copies.values()) {
    for (const copy of instructions) copy.operands = copy.operands.map((operand) => values.get(operand) ?? operand);
  }
  return { blocks: [...copies.values()], copies };
}

/** Returns go on after the call; what they return, if it is anything. */
function joinReturns(blocks: readonly Block[], rest: Block, call: Call): Value | undefined {
  const returning = blocks.filter((block) => terminatorOf(block).op === 'ret');
  const values = returning.map((block) => terminatorOf(block).operands[0]);
  for (const block of returning) {
    block.instructions[block.instructions.length - 1] = makeJump(rest, terminatorOf(block).position);
  }
  if (call.type.kind === 'void') return undefined;
  if (values.length === 0) return undef(call.type);
  if (values.length === 1) return values[0];
  const joined: Phi = { ...voidBase(call.position), type: call.type, op: 'phi', blocks: returning, name: call.name };
  joined.operands = values.map((value) => value!);
  rest.instructions.unshift(joined);
  return joined;
}

function replaceUses(f: IrFunction, from: Value, to: Value): void {
  for (const { operands } of instructionsOf(f)) {
    for (let i = 0; i < operands.length; i++) if (operands[i] === from) operands[i] = to;
  }
}
