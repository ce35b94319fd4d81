/**
 * With `--spurious-cas`: a weak compare-exchange becomes a choice between a strong one and a load, after which it has failed for no
 * reason. The way by which it has is marked by a call that counts as a change. So a round of a loop that goes this way is not taken
 * for one that changes nothing: nothing says that the next round will be the same.
 */
import type { Block, Instruction, IrFunction, Module, Value } from '../../ir/module.ts';
import { successorsOf } from '../../ir/module.ts';
import { i1 } from '../../ir/types.ts';
import { spuriousFailure } from '../../library/inserted.ts';
import { intConstant, makeJump, Names, renameInPhis, replaceAll, usersOf, voidBase } from '../analyses/values.ts';
import { newCall } from './insert-call.ts';

type CompareExchange = Extract<Instruction, { op: 'cmpxchg' }>;
type Part = Extract<Instruction, { op: 'extractvalue' }>;

export function failSpuriously(m: Module): void {
  for (const f of [...m.functions.values()]) {
    const names = new Names(f);
    // a block that is divided is followed by the rest of it
    for (let i = 0; i < f.blocks.length; i++) divide(f, f.blocks[i] as Block, m, names);
  }
}

function divide(f: IrFunction, block: Block, m: Module, names: Names): void {
  const at = block.instructions.findIndex((each) => each.op === 'cmpxchg' && each.weak);
  if (at < 0) return;
  const exchange = block.instructions[at] as CompareExchange;
  const { position } = exchange;
  const parts = (usersOf(f).get(exchange) ?? []).filter((user): user is Part => user.op === 'extractvalue');
  const newBlock = (name: string): Block => ({ name: names.fresh(`${block.name}.${name}`), instructions: [] });
  const [tries, fails, rest] = [newBlock('tries'), newBlock('fails'), newBlock('rest')];

  rest.instructions = block.instructions.splice(at).slice(1);
  renameInPhis(successorsOf(rest), block, rest);
  const isFailure = callOf(f, m, spuriousFailure.chosen, names.fresh('spurious'), position);
  block.instructions.push(isFailure, {
    ...voidBase(position),
    op: 'br',
    operands: [isFailure],
    targets: [fails, tries],
  });

  tries.instructions.push({ ...exchange, weak: false });
  const strong = tries.instructions[0] as CompareExchange;
  const { failureOrdering: ordering, align, operands } = exchange;
  const type = (operands[1] as Value).type;
  const loaded: Instruction = {
    ...{ kind: 'instruction', op: 'load', type, name: names.fresh('found'), position },
    ...{ operands: [operands[0] as Value], ordering, volatile: false, align },
  };
  fails.instructions.push({ ...newCall(m, f, spuriousFailure.happened, []), position }, loaded);

  const replacements = new Map<Value, Value>();
  for (const part of parts) {
    const tried: Instruction = { ...part, name: names.fresh(part.name), operands: [strong] };
    tries.instructions.push(tried);
    const isValue = part.indices[0] === 0;
    const phi: Instruction = {
      ...{ kind: 'instruction', op: 'phi', type: part.type, name: names.fresh(part.name), position: part.position },
      ...{ operands: [tried, isValue ? loaded : intConstant(i1, 0n)], blocks: [tries, fails] },
    };
    rest.instructions.unshift(phi);
    replacements.set(part, phi);
  }
  for (const each of [tries, fails]) each.instructions.push(makeJump(rest, position));
  f.blocks.splice(f.blocks.indexOf(block) + 1, 0, tries, fails, rest);
  replaceAll(f, replacements);
}

/** A call that answers with an i1. */
function callOf(
  f: IrFunction,
  m: Module,
  callee: string,
  name: string,
  position: Instruction['position'],
): Instruction {
  const call = newCall(m, f, callee, []) as Extract<Instruction, { op: 'call' }>;
  return { ...call, name, type: i1, signature: { ...call.signature, returns: i1 }, position };
}
