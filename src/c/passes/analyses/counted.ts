/**
 * Loops that plainly count: in each round a register goes a constant step towards something that the loop does not change, and the
 * loop is left there. Nothing depends on being right about it: a loop that is not counted is searched with growing bounds.
 */
import type { Instruction, IntPredicate, Value } from '../../ir/module.ts';
import { terminatorOf } from '../../ir/module.ts';
import type { Cfg, CfgLoop, Dominators } from './cfg.ts';
import { integerOf, type Phi, phisOf } from './values.ts';

export function isCounted(loop: CfgLoop, cfg: Cfg, dominators: Dominators): boolean {
  if (loop.isIrreducible) return false;
  const latches = loop.latches.map((latch) => cfg.index.get(latch) as number);
  const inside = new Set<Value>([...loop.blocks].flatMap(({ instructions }) => instructions));
  return [...loop.blocks].some((block) => {
    const last = terminatorOf(block);
    if (last.op !== 'br' || last.targets.length !== 2) return false;
    const stays = last.targets.findIndex((target) => loop.blocks.has(target));
    if (stays < 0 || loop.blocks.has(last.targets[1 - stays]!)) return false;
    const isInEachRound = latches.every((latch) => dominators.dominates(cfg.index.get(block) as number, latch));
    return isInEachRound && comesToAnEnd(last.operands[0]!, stays === 0, loop, inside);
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
