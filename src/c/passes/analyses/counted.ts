/**
 * Loops that plainly count: in each round a register goes a constant step towards something that the loop does not change, and the
 * loop is left there. Nothing depends on being right about `isCounted`: a loop that is not counted is searched with growing bounds.
 * `endsSurely` is for those who leave a loop out, and has to be right.
 */
import type { Instruction, IntPredicate, Value } from '../../ir/module.ts';
import { binaryOps, castOps, terminatorOf } from '../../ir/module.ts';
import type { Cfg, CfgLoop, Dominators } from './cfg.ts';
import { hasEffect } from './effects.ts';
import { integerOf, type Phi, phisOf } from './values.ts';

export function isCounted(loop: CfgLoop, cfg: Cfg, dominators: Dominators): boolean {
  return isLeftIfNot(comesToAnEnd, loop, cfg, dominators);
}

/**
 * Whether the loop has an end, however its rounds go, as long as each of them has one: what the loop is left by is compared in each
 * round, and comes to the limit because it cannot step over it. Between limit and largest number there must be room for
 * a step, which there is for steps by one; otherwise the limit must be a constant.
 */
export function endsSurely(loop: CfgLoop, cfg: Cfg, dominators: Dominators): boolean {
  return isLeftIfNot(cannotGoOn, loop, cfg, dominators);
}

/** `ends`: whether what is true as long as the loop goes on becomes wrong. */
function isLeftIfNot(ends: typeof comesToAnEnd, loop: CfgLoop, cfg: Cfg, dominators: Dominators): boolean {
  if (loop.isIrreducible) return false;
  const latches = loop.latches.map((latch) => cfg.index.get(latch) as number);
  const inside = new Set<Value>([...loop.blocks].flatMap(({ instructions }) => instructions));
  return [...loop.blocks].some((block) => {
    const last = terminatorOf(block);
    if (last.op !== 'br' || last.targets.length !== 2) return false;
    const stays = last.targets.findIndex((target) => loop.blocks.has(target));
    if (stays < 0 || loop.blocks.has(last.targets[1 - stays]!)) return false;
    const isInEachRound = latches.every((latch) => dominators.dominates(cfg.index.get(block) as number, latch));
    return isInEachRound && ends(last.operands[0]!, stays === 0, loop, inside);
  });
}

/** Whether the condition, which must be `truth` for the loop to go on, is a comparison of what counts with what stays. */
function comesToAnEnd(condition: Value, truth: boolean, loop: CfgLoop, inside: ReadonlySet<Value>): boolean {
  const comparison = unwrapped(condition);
  if (comparison.kind !== 'instruction' || comparison.op !== 'icmp') return false;
  const [left, right] = comparison.operands as [Value, Value];
  const goesOn = truth ? comparison.predicate : negated[comparison.predicate];
  const [step, otherStep] = [stepOf(left, loop), stepOf(right, loop)];
  if (step !== undefined && stays(right, inside)) return isTowards(goesOn, step);
  if (otherStep !== undefined && stays(left, inside)) return isTowards(mirrored(goesOn), otherStep);
  return false;
}

function cannotGoOn(condition: Value, truth: boolean, loop: CfgLoop, inside: ReadonlySet<Value>): boolean {
  if (condition.kind !== 'instruction' || condition.op !== 'icmp' || !inside.has(condition)) return false;
  const [left, right] = condition.operands as [Value, Value];
  const goesOn = truth ? condition.predicate : negated[condition.predicate];
  const isEnd = (counter: Value, limit: Value, predicate: IntPredicate): boolean => {
    const step = exactStepOf(counter, loop);
    return step !== undefined && isInvariant(limit, inside) && cannotStepOver(predicate, step, limit);
  };
  return isEnd(left, right, goesOn) || isEnd(right, left, mirrored(goesOn));
}

/** By how much a phi of the header, or what it is next in every case, grows from one round to the next. */
function exactStepOf(counter: Value, loop: CfgLoop): bigint | undefined {
  for (const phi of phisOf(loop.header)) {
    const nexts = phi.operands.filter((_, i) => loop.blocks.has(phi.blocks[i]!));
    if (counter !== phi && !nexts.every((next) => next === counter)) continue;
    const steps = nexts.map((next) => {
      if (next.kind !== 'instruction' || next.operands[0] !== phi || next.type.kind !== 'int') return undefined;
      const by = integerOf(next.operands[1]);
      return next.op === 'add' ? by : next.op === 'sub' ? negative(by) : undefined;
    });
    if (steps.every((step) => step === steps[0])) return steps[0];
  }
  return undefined;
}

/** Whether the value is the same in all rounds. */
function isInvariant(value: Value, inside: ReadonlySet<Value>): boolean {
  if (!inside.has(value)) return true;
  if (value.kind !== 'instruction' || hasEffect(value)) return false;
  if (!isComputation.has(value.op)) return false;
  return value.operands.every((operand) => isInvariant(operand, inside));
}

const isComputation: ReadonlySet<string> = new Set([...binaryOps, ...castOps, 'icmp', 'select']);

/** Whether adding `step` again and again, modulo what the type can hold, makes `value predicate limit` wrong at some time. */
function cannotStepOver(predicate: IntPredicate, step: bigint, limit: Value): boolean {
  if (limit.type.kind !== 'int' || step === 0n) return false;
  const { bits } = limit.type;
  if (bits === 1) return false;
  if (predicate === 'eq') return true;
  if (predicate === 'ne') return step % 2n !== 0n; // it comes by all numbers
  const isUp = predicate.includes('l');
  if (isUp !== step > 0n) return false;
  const isStrict = predicate.endsWith('t');
  if (isStrict && (step === 1n || step === -1n)) return true;
  const constant = integerOf(limit);
  if (constant === undefined) return false;
  const isSigned = predicate.startsWith('s');
  const from = isSigned ? constant : BigInt.asUintN(bits, constant);
  const last = from + step + (isStrict ? (isUp ? -1n : 1n) : 0n);
  const wrapped = isSigned ? BigInt.asIntN(bits, last) : BigInt.asUintN(bits, last);
  return wrapped === last;
}

/** Whether each round will find the same, as far as one can see: also in a variable that is not atomic. */
function stays(value: Value, inside: ReadonlySet<Value>): boolean {
  const limit = unwrapped(value);
  if (!inside.has(limit)) return true;
  const isLoad = limit.kind === 'instruction' && limit.op === 'load';
  return isLoad && limit.ordering === 'notatomic' && !limit.volatile && !inside.has(limit.operands[0]!);
}

/** Whether going on by `step` ends what goes on as long as `value predicate limit`. */
function isTowards(predicate: IntPredicate, step: bigint): boolean {
  if (predicate === 'ne') return step === 1n || step === -1n;
  if (predicate === 'eq') return true;
  return /[lg]/.exec(predicate)?.[0] === (step > 0n ? 'l' : 'g');
}

/** By how much the value grows in each round, which is never zero: a phi of the header, or what it is next. */
function stepOf(value: Value, loop: CfgLoop): bigint | undefined {
  const counter = unwrapped(value);
  for (const phi of phisOf(loop.header)) {
    const step = stepOfPhi(phi, loop);
    if (step === undefined || step === 0n) continue;
    if (counter === phi || stepFrom(counter, phi) !== undefined) return step;
  }
  return undefined;
}

function stepOfPhi(phi: Phi, loop: CfgLoop): bigint | undefined {
  const steps = phi.operands.filter((_, i) => loop.blocks.has(phi.blocks[i]!)).map((value) => stepFrom(value, phi));
  const [first] = steps;
  return steps.every((step) => step === first) ? first : undefined;
}

/** What is added to the phi. */
function stepFrom(value: Value, phi: Phi): bigint | undefined {
  if (value.kind !== 'instruction' || unwrapped(value.operands[0] ?? value) !== phi) return undefined;
  const last = value.operands.at(-1);
  if (value.op === 'add') return integerOf(last);
  if (value.op === 'sub') return negative(integerOf(last));
  if (value.op === 'getelementptr' && value.operands.length === 2) return integerOf(last);
  return undefined;
}

function negative(number: bigint | undefined): bigint | undefined {
  return number === undefined ? undefined : -number;
}

/** Without conversions. */
function unwrapped(value: Value): Value {
  let at = value;
  while (at.kind === 'instruction' && conversions.has(at.op)) at = at.operands[0]!;
  return at;
}

const conversions: ReadonlySet<Instruction['op']> = new Set(['zext', 'sext', 'defined', 'ptrtoint', 'freeze']);

const negated: Readonly<Record<IntPredicate, IntPredicate>> = {
  eq: 'ne',
  ne: 'eq',
  slt: 'sge',
  sle: 'sgt',
  sgt: 'sle',
  sge: 'slt',
  ult: 'uge',
  ule: 'ugt',
  ugt: 'ule',
  uge: 'ult',
};

function mirrored(predicate: IntPredicate): IntPredicate {
  return predicate.replace(/[lg]/, (letter) => (letter === 'l' ? 'g' : 'l')) as IntPredicate;
}
