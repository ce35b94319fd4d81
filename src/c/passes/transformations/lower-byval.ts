/**
 * Parameters that are structs passed by value come as pointers to what the caller has. The function gets its own copy here, as a
 * variable of its own, so that all later passes see nothing but plain pointers.
 */
import { alignOf, sizeOf } from '../../ir/layout.ts';
import type { Block, Instruction, IrFunction, Module, Parameter, Type, Value } from '../../ir/module.ts';
import { i1, i32, pointerType } from '../../ir/types.ts';
import { COPY_BYTES } from '../../library/inserted.ts';
import { newCall } from './insert-call.ts';

export function lowerByval(module: Module): void {
  for (const f of [...module.functions.values()]) {
    if (f.blocks.length === 0) continue;
    for (const parameter of f.parameters)
      if (parameter.byval !== undefined) lower(module, f, parameter, parameter.byval);
  }
}

function lower(module: Module, f: IrFunction, parameter: Parameter, type: Type): void {
  const copy: Instruction = {
    kind: 'instruction',
    op: 'alloca',
    type: pointerType,
    name: `${parameter.name}.copy`,
    position: f.position,
    operands: [],
    allocated: type,
    align: Math.max(4, alignOf(type)),
  };
  for (const block of f.blocks) {
    for (const instruction of block.instructions) {
      instruction.operands = instruction.operands.map((operand): Value => (operand === parameter ? copy : operand));
    }
  }
  const number = (value: number, of: Type): Value => ({ kind: 'int-constant', type: of, value: BigInt(value) });
  const copying = newCall(module, f, COPY_BYTES, [copy, parameter, number(sizeOf(type), i32), number(0, i1)]);
  (f.blocks[0] as Block).instructions.unshift(copy, copying);
}
