/**
 * Marks the loads that only copy: what they read is stored elsewhere, by way of phis, selects and casts perhaps (a `_Bool` is cast
 * each time), and nothing else is done with it. To copy what was never set is no error; to use the copy is one, and found there: in memory by the load that
 * reads it, in a local variable by a `defined` (promote.ts).
 *
 * What the compiler keeps in variables of its own making is not checked when it is read, so a store to one of these is a copy
 * only if all that is read from there is copied, too. (Hence what a function returns is no copy: it comes by way of `%retval`.)
 *
 * An atomic access takes a struct for an integer of its size, which the compiler loads from the struct, or stores to it: that is
 * a copy of the struct, whatever is said of copies of single values.
 *
 * Runs before promotion, while every read of a variable is a load. Leaves everything as it was but the marks.
 */
import { leaves, sizeOf } from '../../ir/layout.ts';
import type { Instruction, IrFunction, Type, Value } from '../../ir/module.ts';
import { placeInGlobal } from '../analyses/constants.ts';
import { spreads } from '../analyses/undefined.ts';
import { isScalar, type Load, usersOf } from '../analyses/values.ts';

type Users = ReadonlyMap<Value, readonly Instruction[]>;

/** `ofValues`: what is no struct may be copied as well. */
export function markCopies(f: IrFunction, ofValues: boolean): boolean {
  const users = usersOf(f);
  let changed = false;
  for (const block of f.blocks) {
    for (const instruction of block.instructions) {
      if (instruction.op !== 'load' || instruction.copies === true || instruction.partial === true) continue;
      if (!isScalar(instruction.type)) continue;
      if (!isOfStruct(instruction, users) && (!ofValues || isSynchronising(instruction))) continue;
      if (!isOnlyCopied(instruction, f, users)) continue;
      instruction.copies = true;
      changed = true;
    }
  }
  return changed;
}

/**
 * An atomic load of a single value is there for the value. And a variable that threads wait for was set before the program began, so
 * that a check would only stand in the way of waiting.
 */
function isSynchronising(load: Load): boolean {
  return load.ordering !== 'notatomic' || (load.volatile && placeInGlobal(load.operands[0]!) !== undefined);
}

/** Whether it loads all of a struct of several members, as far as can be seen from where it is loaded or stored. */
function isOfStruct(load: Load, users: Users): boolean {
  const places = (users.get(load) ?? []).map(({ op, operands }) => (op === 'store' ? operands[1] : undefined));
  return [load.operands[0], ...places].some(
    (place) => place?.kind === 'instruction' && place.op === 'alloca' && isOfSeveral(place.allocated, load.type),
  );
}

function isOfSeveral(type: Type, loaded: Type): boolean {
  return type.kind === 'struct' && sizeOf(type) === sizeOf(loaded) && leaves(type).length > 1;
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
