/**
 * Which values may be `undef`, that is, a local variable that was never set; and the checks that this makes needless.
 *
 * `undef` comes into being as a constant (see promote.ts) or by a load that copies what was never set (see
 * transformations/copies.ts), and spreads through phis, selects and casts. All other
 * instructions count as defined: what they were given was checked where it was read.
 */
import type { Block, Instruction, IrFunction, Value } from '../../ir/module.ts';
import { castOps } from '../../ir/module.ts';
import { buildCfg, findDominators } from './cfg.ts';
import { isUndef, type Load, replaceAll, usersOf } from './values.ts';

const spreading = new Set<string>([...castOps, 'phi', 'select']);

function spreads({ op }: Instruction): boolean {
  return spreading.has(op);
}

function isCopying(value: Value): value is Load {
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
  for (const { instruction, block } of checks) {
    const value = instruction.operands[0]!;
    if (isCopying(value) && instruction.op === 'defined' && surelyFollows(instruction, value, cfg.blocks[block]!)) {
      value.copies = false;
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

/** Whether a thread that performs the load comes to the check: it may stop, or go on for ever, only where something is called or assumed. */
function surelyFollows(check: Instruction, load: Load, { instructions }: Block): boolean {
  const start = instructions.indexOf(load);
  const between = start < 0 ? [] : instructions.slice(start + 1, instructions.indexOf(check));
  return start >= 0 && between.every(({ op }) => op !== 'call' && op !== 'assume');
}

/** Loads, calls and callers may well give a value that was never set. */
function isKnown(value: Value): boolean {
  if (value.kind === 'parameter') return false;
  return value.kind !== 'instruction' || !['load', 'call', 'extractvalue'].includes(value.op);
}
