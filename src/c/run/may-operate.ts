/** Which functions may perform an operation, themselves or in a call: those are compiled to generators. */
import type { Instruction, IrFunction, Module, Type, Value } from '../ir/module.ts';
import { findLibraryFunction } from '../library/index.ts';
import type { Escape } from '../passes/analyses/escape.ts';
import type { Image } from './image.ts';
import { isCallableAs } from './thread.ts';

export function mayOperate(module: Module, escaping: Escape, image: Image): ReadonlySet<string> {
  const operating = new Set<string>();
  const callers = new Map<string, string[]>();
  const todo: string[] = [];
  const mark = (name: string): void => {
    if (operating.has(name)) return;
    operating.add(name);
    todo.push(name);
  };
  for (const f of module.functions.values()) {
    for (const block of f.blocks) {
      for (const instruction of block.instructions) {
        if (operates(instruction, module, escaping, image)) mark(f.name);
        const callee = calledFunction(instruction, module, image);
        if (callee !== undefined) callers.set(callee.name, [...(callers.get(callee.name) ?? []), f.name]);
      }
    }
  }
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) for (const f of callers.get(name) ?? []) mark(f);
  return operating;
}

/** The function that a call is to, if it is defined here. */
export function calledFunction(instruction: Instruction, module: Module, image: Image): IrFunction | undefined {
  const name = calledName(instruction, image);
  const f = name === undefined ? undefined : module.functions.get(name);
  return f !== undefined && f.blocks.length > 0 ? f : undefined;
}

export function calledName(instruction: Instruction, image: Image): string | undefined {
  const callee = instruction.op === 'call' ? instruction.operands[0] : undefined;
  return callee?.kind === 'symbol' ? image.resolve(callee.name) : undefined;
}

/** Whether an instruction may perform an operation, itself or in a call of one of the functions that do. */
export function operatesAt(
  instruction: Instruction,
  module: Module,
  escaping: Escape,
  image: Image,
  operating: ReadonlySet<string>,
): boolean {
  const callee = calledFunction(instruction, module, image);
  return (callee !== undefined && operating.has(callee.name)) || operates(instruction, module, escaping, image);
}

function operates(instruction: Instruction, module: Module, escaping: Escape, image: Image): boolean {
  const { op, operands } = instruction;
  switch (op) {
    case 'load':
      return isAggregate(instruction.type) || !isLocalPointer(operands[0] as Value, escaping, image);
    case 'atomicrmw':
    case 'cmpxchg':
      return !isLocalPointer(operands[0] as Value, escaping, image);
    case 'store':
      return isAggregate((operands[0] as Value).type) || !isLocalPointer(operands[1] as Value, escaping, image);
    case 'fence':
      return !instruction.isSignal;
    case 'va_arg':
      return true;
    case 'alloca':
      return !escaping.isLocalAlloca(instruction);
    case 'call': {
      const callee = calledFunction(instruction, module, image);
      if (callee !== undefined) return !isCallableAs(callee.signature, instruction.signature); // else as its callee does
      const name = calledName(instruction, image);
      return name === undefined || findLibraryFunction(name)?.kind === 'steps';
    }
    default:
      return false;
  }
}

function isAggregate(type: Type): boolean {
  return type.kind === 'struct' || type.kind === 'array';
}

/** Whether a pointer surely points into local memory: nothing but an address below 0 comes of it. */
export function isLocalPointer(pointer: Value, escaping: Escape, image: Image): boolean {
  let at = pointer;
  for (;;) {
    if (at.kind === 'symbol') return (image.addressOf(at.name) ?? 0) < 0;
    if (at.kind === 'expression' && at.op === 'getelementptr') at = at.operands[0] as Value;
    else if (at.kind !== 'instruction') return false;
    else if (at.op === 'alloca') return escaping.isLocalAlloca(at);
    else if (at.op === 'getelementptr' || at.op === 'bitcast') at = at.operands[0] as Value;
    else return false;
  }
}
