/** What is known of the functions of the library that a program calls. The program may define one of the same name. */
import type { Instruction, Module } from '../../ir/module.ts';
import type { Facts } from '../../library/facts.ts';
import { factsOf } from '../../library/index.ts';
import { type Call, calleeName } from './values.ts';

const nothing: Facts = {};

/** Of a call of another function, or through a pointer: nothing. */
export function factsOfCall(call: Call, m: Module): Facts {
  const name = calleeName(call);
  return name === undefined || isDefined(name, m) ? nothing : factsOf(name);
}

/** Whether the program has a function of that name, under this name or another. */
export function isDefined(name: string, m: Module): boolean {
  return m.aliases.has(name) || (m.functions.get(name)?.blocks.length ?? 0) > 0;
}

/** Of an intrinsic only, whose name no program can define. */
export function factsOfIntrinsic(call: Call): Facts {
  const name = calleeName(call);
  return name?.startsWith('llvm.') === true ? factsOf(name) : nothing;
}

/** The marks of an object's beginning or end of life: no code follows from them. */
export function isLifetimeMark(instruction: Instruction): boolean {
  return instruction.op === 'call' && factsOfIntrinsic(instruction).role === 'marks-lifetime';
}
