/** Functions of the program that are to run as one step (`atomicSection`) begin and end an atomic section. */
import type { Block, Module } from '../../ir/module.ts';
import { atomicSection } from '../../library/inserted.ts';
import { newCall } from './insert-call.ts';

export function wrapAtomicFunctions(module: Module): void {
  const { prefix, begin, end } = atomicSection;
  for (const f of [...module.functions.values()]) {
    if (!f.name.startsWith(prefix) || f.name === begin || f.name === end || f.blocks.length === 0) continue;
    (f.blocks[0] as Block).instructions.unshift(newCall(module, f, begin, []));
    for (const block of f.blocks) {
      const last = block.instructions.length - 1;
      if (block.instructions[last]?.op === 'ret') block.instructions.splice(last, 0, newCall(module, f, end, []));
    }
  }
}
