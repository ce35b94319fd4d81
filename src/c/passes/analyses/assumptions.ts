/** What a check takes for granted of what a program uses, in sentences: a proof holds where they do. */
import type { CType } from '../../ir/debug.ts';
import type { Instruction, Module } from '../../ir/module.ts';

const STRONG_CAS = 'a weak compare-exchange fails only if the values differ (--spurious-cas tries more)';
const SIZES = 'long, size_t and pointers have 32 bits';
const VOLATILE = 'volatile accesses are ordinary ones';

/** To be asked before the passes: they leave out what makes no difference. `spuriousCas`: whether weak compare-exchanges may fail. */
export function assumptionsOf(m: Module, spuriousCas: boolean): Set<string> {
  const assumed = new Set<string>();
  const types = new Set<CType | undefined>();
  for (const { debugType } of m.globals.values()) types.add(debugType);
  for (const { blocks, variables } of m.functions.values()) {
    for (const { type } of variables.values()) types.add(type);
    for (const { instructions } of blocks) for (const each of instructions) noteInstruction(each, assumed);
  }
  if (hasLong(types)) assumed.add(SIZES);
  if (spuriousCas) assumed.delete(STRONG_CAS);
  return assumed;
}

function noteInstruction(instruction: Instruction, assumed: Set<string>): void {
  switch (instruction.op) {
    case 'load':
    case 'store':
      if (instruction.volatile) assumed.add(VOLATILE);
      break;
    case 'cmpxchg':
      if (instruction.weak) assumed.add(STRONG_CAS);
      break;
  }
}

/** Whether one of the types, or a part of one, is a `long` (also by another name, such as size_t). */
function hasLong(types: Set<CType | undefined>): boolean {
  // what is found on the way is added, and so looked at
  for (const type of types) {
    switch (type?.kind) {
      case 'base':
        if (type.size === 4 && /\blong\b/.test(type.name)) return true;
        break;
      case 'pointer':
        types.add(type.to());
        break;
      case 'array':
        types.add(type.element());
        break;
      case 'struct':
        for (const member of type.members()) types.add(member.type);
        break;
    }
  }
  return false;
}
