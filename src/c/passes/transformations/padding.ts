/**
 * Sets the padding of a local struct that is written or compared atomically as a whole to 0, before it is read for that: nobody
 * has set it, and C leaves open what it is. Only of structs that stay in their function.
 */
import { leaves, sizeOf } from '../../ir/layout.ts';
import type { Instruction, IrFunction, Value } from '../../ir/module.ts';
import { i8, i32, pointerType, voidType } from '../../ir/types.ts';
import { factsOfIntrinsic, isLifetimeMark } from '../analyses/library-calls.ts';
import { type Alloca, intConstant, type Load, Names, scalarBits, usersOf } from '../analyses/values.ts';
import { isSingle } from './promote.ts';

type Users = ReadonlyMap<Value, readonly Instruction[]>;

export function clearPadding(f: IrFunction): boolean {
  const users = usersOf(f);
  let names: Names | undefined;
  let changed = false;
  for (const block of f.blocks) {
    block.instructions = block.instructions.flatMap((instruction): Instruction[] => {
      const [struct] = instruction.operands;
      if (!isWrittenAtomically(instruction, users) || !isLocalStruct(struct, users)) return [instruction];
      const offsets = paddingOf(struct, instruction);
      if (offsets.length === 0) return [instruction];
      names ??= new Names(f);
      changed = true;
      return [...stores(struct, offsets, names, instruction), instruction];
    });
  }
  return changed;
}

function isWrittenAtomically(load: Instruction, users: Users): load is Load {
  if (load.op !== 'load' || load.type.kind !== 'int' || load.ordering !== 'notatomic') return false;
  return (users.get(load) ?? []).some(
    (user) =>
      (user.op === 'store' && user.ordering !== 'notatomic' && user.operands[0] === load) ||
      ((user.op === 'cmpxchg' || user.op === 'atomicrmw') && user.operands[0] !== load),
  );
}

function isLocalStruct(pointer: Value | undefined, users: Users): pointer is Alloca {
  if (pointer?.kind !== 'instruction' || pointer.op !== 'alloca') return false;
  return pointer.allocated.kind === 'struct' && isSingle(pointer) && staysHere(pointer, users);
}

function staysHere(pointer: Value, users: Users): boolean {
  return (users.get(pointer) ?? []).every((user) => {
    switch (user.op) {
      case 'load':
        return true;
      case 'store':
        return user.operands[0] !== pointer;
      case 'getelementptr':
        return staysHere(user, users);
      case 'call':
        return isLifetimeMark(user) || ['copies', 'fills'].includes(factsOfIntrinsic(user).role ?? '');
      default:
        return false;
    }
  });
}

/** The offsets of the bytes that the load reads and that are in no member. */
function paddingOf({ allocated }: Alloca, load: Load): number[] {
  const size = Math.min(sizeOf(allocated), scalarBits(load.type) / 8);
  const isMember = new Uint8Array(size);
  for (const { offset, type } of leaves(allocated)) isMember.fill(1, offset, offset + sizeOf(type));
  return [...isMember.keys()].filter((offset) => isMember[offset] === 0);
}

function stores(struct: Alloca, offsets: readonly number[], names: Names, { position }: Load): Instruction[] {
  return offsets.flatMap((offset): Instruction[] => {
    const address: Instruction = {
      ...{ kind: 'instruction', op: 'getelementptr', type: pointerType, name: names.fresh('padding'), position },
      operands: [struct, intConstant(i32, BigInt(offset))],
      sourceType: i8,
    };
    const store: Instruction = {
      ...{ kind: 'instruction', op: 'store', type: voidType, name: '', position },
      operands: [intConstant(i8, 0n), address],
      ...{ ordering: 'notatomic', volatile: false, align: 1 },
    };
    return [address, store];
  });
}
