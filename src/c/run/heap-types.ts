/**
 * What a call of malloc makes: C says only how many bytes. The debug type of the variable that the result is stored in tells
 * what it points to. Looked up before the passes, which remove those stores.
 */
import type { SourcePosition } from '../../program/operation.ts';
import type { CType } from '../ir/debug.ts';
import type { Instruction, IrFunction, Module, Value } from '../ir/module.ts';
import { factsOf } from '../library/index.ts';
import type { Site } from '../runtime.ts';

export type HeapTypes = (site: Site) => CType | undefined;

export function heapTypesOf(module: Module): HeapTypes {
  const types = new Map<string, CType>();
  for (const f of module.functions.values()) {
    for (const block of f.blocks) {
      for (const store of block.instructions) {
        if (store.op !== 'store' || !isAllocation(store.operands[0])) continue;
        const type = pointee(typeOfVariable(store.operands[1] as Value, f, module));
        if (type !== undefined && store.operands[0].position !== undefined)
          types.set(keyOf(store.operands[0].position), type);
      }
    }
  }
  return (site) => (site.position === undefined ? undefined : types.get(keyOf(site.position)));
}

function keyOf({ file, line, column }: SourcePosition): string {
  return `${file}:${line}:${column}`;
}

function isAllocation(value: Value | undefined): value is Instruction {
  if (value?.kind !== 'instruction' || value.op !== 'call') return false;
  const callee = value.operands[0];
  return callee?.kind === 'symbol' && factsOf(callee.name).role === 'allocates';
}

function typeOfVariable(pointer: Value, f: IrFunction, module: Module): CType | undefined {
  if (pointer.kind === 'symbol') return module.globals.get(pointer.name)?.debugType;
  return pointer.kind === 'instruction' ? f.variables.get(pointer)?.type : undefined;
}

function pointee(type: CType | undefined): CType | undefined {
  const to = type?.kind === 'pointer' ? type.to() : undefined;
  return to === undefined || to.kind === 'function' || (to.kind === 'base' && to.size === 1) ? undefined : to;
}
