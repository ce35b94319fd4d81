/**
 * Assumes become awaits ([Await], section III and V): a load, exchange, compare-exchange or other update that is followed by
 * an assume on what it read is marked as one that waits. It is then performed only once the assume holds, so that there is
 * no execution in which it came too early, and a wait that never ends can be told from one that was not yet over.
 *
 * Between the access and the assume there may be computation only, and the assume must depend on the access; whatever else
 * it depends on is known when the thread comes to the access. Several assumes after one access are waited for together,
 * but not those of the program together with those of loops: a wait for the program's own assume that never ends is no error.
 *
 * An update that waits does not write while it waits. After a failed assume of a loop that makes no difference, because the
 * iteration is pure: the update has written what it read. After one of the program it does, since others may see what a
 * thread has written that is stopped then; such an update only waits where it would write what it reads (src/c/run/thread.ts).
 *
 * What differs from the paper: any update can wait, not just an exchange, and a compare-exchange can wait for something else
 * than its success.
 */
import type { Instruction, IrFunction, Module, Ordering, Value } from '../../ir/module.ts';
import { i1 } from '../../ir/types.ts';
import { factsOfCall } from '../analyses/library-calls.ts';
import { possiblyUndefined } from '../analyses/undefined.ts';
import { intConstant, isScalar } from '../analyses/values.ts';
import { type Assume, type Awaitable, assumesAfter, demandsSuccess } from '../analyses/waits.ts';

/** Calls of the functions by which a program assumes something become instructions. */
export function lowerAssumes(f: IrFunction, m: Module): boolean {
  let changed = false;
  const maybe = possiblyUndefined(f);
  for (const block of f.blocks) {
    block.instructions = block.instructions.flatMap((instruction): Instruction[] => {
      const condition = assumedBy(instruction, m);
      if (condition === undefined || !isSurelySet(condition, maybe)) return [instruction];
      changed = true;
      return assumeNonZero(condition, instruction.position);
    });
  }
  return changed;
}

function assumedBy(instruction: Instruction, m: Module): Value | undefined {
  if (instruction.op !== 'call' || factsOfCall(instruction, m).role !== 'assumes') return undefined;
  const [, condition, ...others] = instruction.operands;
  return others.length > 0 || condition?.type.kind !== 'int' ? undefined : condition;
}

/** The call would fail if its argument was never set; what a function returns may be nothing. */
function isSurelySet(value: Value, maybe: ReadonlySet<Value>): boolean {
  if (value.kind === 'undef' || value.kind === 'parameter' || maybe.has(value)) return false;
  return value.kind !== 'instruction' || !['call', 'phi', 'select'].includes(value.op);
}

function assumeNonZero(value: Value, position: Instruction['position']): Instruction[] {
  const holds: Instruction = {
    ...{ kind: 'instruction', op: 'icmp', type: i1, name: '', position },
    predicate: 'ne',
    operands: [value, intConstant(value.type, 0n)],
  };
  const assume: Assume = {
    ...{ kind: 'instruction', op: 'assume', type: { kind: 'void' }, name: '', position },
    operands: [holds],
    reason: 'program',
  };
  return [holds, assume];
}

export function makeAwaits(f: IrFunction): boolean {
  let changed = false;
  for (const block of f.blocks) {
    for (const [i, instruction] of block.instructions.entries()) {
      if (!isAwaitable(instruction) || instruction.awaits === true || !canWait(instruction)) continue;
      const assumes = assumesAfter(block, i);
      if (assumes.length === 0 || !keepsOrder(instruction, assumes)) continue;
      instruction.awaits = true;
      changed = true;
    }
  }
  return changed;
}

function isAwaitable(instruction: Instruction): instruction is Awaitable {
  return instruction.op === 'load' || instruction.op === 'atomicrmw' || instruction.op === 'cmpxchg';
}

function canWait(access: Awaitable): boolean {
  return access.op !== 'load' || (isScalar(access.type) && access.partial !== true && access.copies !== true);
}

/** A compare-exchange that waits has one order: fine if it may not fail, or if that is the order of failure too. */
function keepsOrder(access: Awaitable, assumes: readonly Assume[]): boolean {
  if (access.op !== 'cmpxchg' || demandsSuccess(access, assumes)) return true;
  return access.failureOrdering === withoutRelease(access.ordering);
}

function withoutRelease(ordering: Ordering): Ordering {
  if (ordering === 'acq_rel') return 'acquire';
  return ordering === 'release' ? 'monotonic' : ordering;
}
