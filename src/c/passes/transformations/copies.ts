/**
 * Marks the loads that only copy: what they read is stored elsewhere, by way of phis, selects and casts perhaps (a `_Bool` is cast
 * each time), and nothing else is done with it. To copy what was never set is no error; to use the copy is one, and found there: in memory by the load that
 * reads it, in a local variable by a `defined` (promote.ts).
 *
 * What the compiler keeps in variables of its own making is not checked when it is read, so a store to one of these is a copy
 * only if all that is read from there is copied, too. (Hence what a function returns is no copy: it comes by way of `%retval`.)
 *
 * Runs before promotion, while every read of a variable is a load. Leaves everything as it was but the marks.
 */
import type { Instruction, IrFunction, Value } from '../../ir/module.ts';
import { placeInGlobal } from '../analyses/constants.ts';
import { spreads } from '../analyses/undefined.ts';
import { isScalar, type Load, usersOf } from '../analyses/values.ts';

type Users = ReadonlyMap<Value, readonly Instruction[]>;

export function markCopies(f: IrFunction): boolean {
  const users = usersOf(f);
  let changed = false;
  for (const block of f.blocks) {
    for (const instruction of block.instructions) {
      if (instruction.op !== 'load' || instruction.copies === true || instruction.partial === true) continue;
      if (!isScalar(instruction.type) || isSynchronising(instruction) || !isOnlyCopied(instruction, f, users)) continue;
      instruction.copies = true;
      changed = true;
    }
  }
  return changed;
}

/** A variable that threads wait for was set before the program began, so that a check would only stand in the way of waiting. */
function isSynchronising(load: Load): boolean {
  return (load.ordering !== 'notatomic' || load.volatile) && placeInGlobal(load.operands[0]!) !== undefined;
}

function isOnlyCopied(load: Instruction, f: IrFunction, users: Users): boolean {
  const values = new Set<Value>([load]);
  for (const value of values) {
    for (const user of users.get(value) ?? []) {
      if (spreads(user) && (user.op !== 'select' || user.operands[0] !== value)) {
        values.add(user);
      } else if (user.op === 'store' && user.operands[1] !== value) {
        const temporary = temporaryOf(user.operands[1]!, f);
        if (temporary !== undefined) for (const read of readsOf(temporary, users)) values.add(read);
      } else {
        return false;
      }
    }
  }
  return true;
}

/** The variable of the compiler's making that a pointer points into. */
function temporaryOf(pointer: Value, f: IrFunction): Instruction | undefined {
  if (pointer.kind !== 'instruction') return undefined;
  if (isStep(pointer)) return temporaryOf(pointer.operands[0]!, f);
  if (pointer.op !== 'alloca') return undefined;
  return (f.variables.get(pointer)?.name ?? '') === '' ? pointer : undefined;
}

/** Once its address is known elsewhere, it stays in memory. */
function readsOf(pointer: Value, users: Users): Instruction[] {
  return (users.get(pointer) ?? []).flatMap((user) => {
    if (isStep(user)) return readsOf(user, users);
    return user.op === 'load' ? [user] : [];
  });
}

function isStep({ op }: Instruction): boolean {
  return op === 'getelementptr' || op === 'bitcast';
}
