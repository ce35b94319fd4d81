/**
 * Functions of the program whose name begins with __VERIFIER_atomic_ run as one step towards each other (a convention of
 * verification benchmarks): they begin and end an atomic section.
 */
import type { Block, Module } from '../../ir/module.ts';
import { newCall } from './insert-call.ts';

const PREFIX = '__VERIFIER_atomic_';
const BEGIN = `${PREFIX}begin`;
const END = `${PREFIX}end`;

export function wrapAtomicFunctions(module: Module): void {
  for (const f of [...module.functions.values()]) {
    if (!f.name.startsWith(PREFIX) || f.name === BEGIN || f.name === END || f.blocks.length === 0) continue;
    (f.blocks[0] as Block).instructions.unshift(newCall(module, f, BEGIN, []));
    for (const block of f.blocks) {
      const last = block.instructions.length - 1;
      if (block.instructions[last]?.op === 'ret') block.instructions.splice(last, 0, newCall(module, f, END, []));
    }
  }
}
