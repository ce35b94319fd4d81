/**
 * Which values may be `undef`, that is, a local variable that was never set; and the checks that this makes needless.
 *
 * `undef` comes into being as a constant (see promote.ts) or by a load that copies what was never set (see
 * transformations/copies.ts), and spreads through phis, selects and casts. All other
 * instructions count as defined: what they were given was checked where it was read.
 */
import type { Block, Instruction, IrFunction, Value } from '../../ir/module.ts';
import { castOps, successorsOf } from '../../ir/module.ts';
import { buildCfg, findDominators } from './cfg.ts';
import { isUndef, type Load, phisOf, replaceAll, usersOf } from './values.ts';

const spreading = new Set<string>([...castOps, 'phi', 'select']);

/** Whether its result is undef where one of its operands is. */
export function spreads({ op }: Instruction): boolean {
  return spreading.has(op);
}

const casts: ReadonlySet<string> = new Set(castOps);

function isCast({ op }: Instruction): boolean {
  return casts.has(op);
}

/** Whether it is a load that only copies. */
export function isCopying(value: Value): value is Load {
  return value.kind === 'instruction' && value.op === 'load' && value.copies === true;
}

export function possiblyUndefined(f: IrFunction): Set<Value> {
  const users = usersOf(f);
  const found = new Set<Value>();
  const work: Instruction[] = [];
  const add = (instruction: Instruction) => {
    if (found.has(instruction)) return;
    found.add(instruction);
    work.push(instruction);
  };
  for (const block of f.blocks) {
    for (const instruction of block.instructions) {
      if (isCopying(instruction) || (spreads(instruction) && instruction.operands.some(isUndef))) add(instruction);
    }
  }
  for (let value = work.pop(); value !== undefined; value = work.pop()) {
    for (const user of users.get(value) ?? []) if (spreads(user)) add(user);
  }
  return found;
}

/** The variables that a value is undef because of; undefined: memory, or a variable of the compiler's making. */
export function sourcesOfUndef(value: Value): ReadonlySet<string | undefined> {
  const values = new Set<Value>([value]);
  const sources = new Set<string | undefined>();
  for (const at of values) {
    if (at.kind === 'undef') sources.add(at.variable);
    else if (isCopying(at)) sources.add(undefined);
    else if (at.kind === 'instruction' && spreads(at)) {
      for (const operand of at.op === 'select' ? at.operands.slice(1) : at.operands) values.add(operand);
    }
  }
  return sources;
}

/**
 * Removes `defined` and `freeze` where the value cannot be undef (freezes that the source's compiler made go with them:
 * they mean nothing else), and `defined` where the same value was checked before on every way there. A load whose value is
 * checked soon after in any case does so itself.
 */
export function removeNeedlessChecks(f: IrFunction): boolean {
  const checks: { instruction: Instruction; block: number; place: number }[] = [];
  const cfg = buildCfg(f);
  for (const [block, { instructions }] of cfg.blocks.entries()) {
    for (const [place, instruction] of instructions.entries()) {
      if (instruction.op === 'defined' || instruction.op === 'freeze') checks.push({ instruction, block, place });
    }
  }
  if (checks.length === 0) return false;
  for (const block of cfg.blocks) {
    for (const instruction of block.instructions) {
      if (isCopying(instruction) && isSurelyChecked(instruction, block)) instruction.copies = false;
    }
  }
  const maybe = possiblyUndefined(f);
  const dominators = findDominators(cfg);
  const replacements = new Map<Value, Value>();
  const kept = new Map<Value, typeof checks>();
  // In reverse postorder, so that what dominates comes first.
  for (const check of checks) {
    const value = check.instruction.operands[0]!;
    if (!isUndef(value) && !maybe.has(value)) {
      if (check.instruction.op === 'defined' || isKnown(value)) replacements.set(check.instruction, value);
      continue;
    }
    if (check.instruction.op !== 'defined') continue;
    // Each undef is a constant of its own and stands for another variable.
    if (isUndef(value)) continue;
    const earlier = kept.get(value) ?? [];
    const before = earlier.find((other) =>
      other.block === check.block ? other.place < check.place : dominators.dominates(other.block, check.block),
    );
    if (before !== undefined) replacements.set(check.instruction, before.instruction);
    else kept.set(value, [...earlier, check]);
  }
  replaceAll(f, replacements);
  return replacements.size > 0;
}

/**
 * Whether a thread that performs the load comes to a check of what it read, wherever it goes: it may stop, or go on for ever, only
 * where something is called or assumed.
 */
function isSurelyChecked(load: Load, start: Block): boolean {
  const values = new Set<Value>([load]);
  const seen = new Set<Block>([start]);
  let instructions = start.instructions.slice(start.instructions.indexOf(load) + 1);
  for (let block = start; ; ) {
    for (const instruction of instructions) {
      const { op, operands } = instruction;
      if (op === 'defined' && values.has(operands[0]!)) return true;
      if (op === 'call' || op === 'assume') return false;
      if (isCast(instruction) && values.has(operands[0]!)) values.add(instruction);
    }
    const [next, ...others] = successorsOf(block);
    if (next === undefined || others.length > 0 || seen.has(next)) return false;
    for (const phi of phisOf(next)) if (values.has(phi.operands[phi.blocks.indexOf(block)]!)) values.add(phi);
    seen.add(next);
    block = next;
    instructions = next.instructions;
  }
}

/** Loads, calls and callers may well give a value that was never set. */
function isKnown(value: Value): boolean {
  if (value.kind === 'parameter') return false;
  return value.kind !== 'instruction' || !['load', 'call', 'extractvalue'].includes(value.op);
}
