/**
 * What a statement does to the purity of an iteration ([Await], section III): the condition g under which it changes
 * nothing that others or later iterations can see, and whether it may fail, so that no assume may be moved before it.
 *
 * What differs from the paper:
 * - Stores to stack objects are changes too: what outlives an iteration and is known not to is in registers by now.
 * - A fence changes nothing. That holds under weak models as well: an execution without the pure iterations has fewer
 *   synchronising events and the same others, and the axioms forbid no less synchronised execution. The same goes for an
 *   update that writes what it read: whoever reads from it can read from the write before, which it follows at once.
 * - Failing is not only a bad pointer. A plain access may be one of a data race, so an access fails surely not only if
 *   it is atomic and to a global variable that is accessed by nothing but atomic instructions.
 * - A failed trylock changes nothing.
 * - Nor does a write to a variable whose value nobody needs (`unread`). An execution without the iterations that write to it has
 *   fewer writes there, and who read one of them, to update the variable or for its synchronisation alone, reads the one before in
 *   coherence order: with the same values elsewhere, and less that is ordered. The write itself may race, so no assume comes before it.
 * - A plain access may race with something that depends on what its thread does after the loop, but by relaxed accesses, so that
 *   nothing happens before it (`mayBeMissed`): `while (!load(a)) if (x == 7) break; store(s, 1);` and `store(a, 1);
 *   if (load(s)) x = 1;`. The race is lost with the iteration, unless the last one makes the same access. (By the same reasoning a
 *   use after free could be, of an object that the thread does not access again before the other may free it. That is not looked at.)
 */
import { sizeOf } from '../../ir/layout.ts';
import type { Instruction, IrFunction, Module, Type, UpdateOp, Value } from '../../ir/module.ts';
import type { Effect } from '../../library/facts.ts';
import { placeInGlobal } from '../analyses/constants.ts';
import { effectless, hasEffect } from '../analyses/effects.ts';
import { symbolsIn } from '../analyses/escape.ts';
import { factsOfCall } from '../analyses/library-calls.ts';
import { hasRelaxed } from '../analyses/relaxed.ts';
import { type Call, calleeName, intConstant, isConstant } from '../analyses/values.ts';
import { type Condition, comparison, FALSE, holds, isComparable, TRUE } from './conditions.ts';

/** Calls with these effects. */
const neverFails: ReadonlySet<Effect | undefined> = new Set(['none', 'harmless']);

type Update = Extract<Instruction, { op: 'atomicrmw' }>;

/** An update that writes what it read if certain bits are set, or are not. */
export function isMasking({ operation, type }: Update): boolean {
  return (operation === 'or' || operation === 'and') && type.kind === 'int';
}

/** By compare-exchange: the i1 that says whether it exchanged; by masking update: what equals its operand if it changed nothing. */
export type Successes = ReadonlyMap<Instruction, Instruction>;

/** When an update writes the value that it has read. */
function keepsWhen(update: Update, kept: Instruction | undefined): Condition {
  const operand = update.operands[1]!;
  const is = (value: bigint): Condition =>
    operand.type.kind === 'int' ? comparison('eq', operand, intConstant(operand.type, value)) : FALSE;
  if (kept !== undefined) return comparison('eq', kept, operand);
  const rules: Partial<Record<UpdateOp, () => Condition>> = {
    xchg: () => comparison('eq', update, operand),
    add: () => is(0n),
    sub: () => is(0n),
    or: () => is(0n),
    xor: () => is(0n),
    and: () => is(-1n),
    max: () => comparison('sge', update, operand),
    min: () => comparison('sle', update, operand),
    umax: () => comparison('uge', update, operand),
    umin: () => comparison('ule', update, operand),
  };
  return rules[update.operation]?.() ?? FALSE;
}

/** What the statements of one module do. */
export class Statements {
  readonly #m: Module;
  /** The variables that nothing but atomic instructions accesses. */
  readonly #atomic: ReadonlySet<string>;
  readonly #hasRelaxed: boolean;

  constructor(m: Module) {
    this.#m = m;
    this.#atomic = onlyAtomic(m);
    this.#hasRelaxed = hasRelaxed(m);
  }

  /** The condition g under which a statement is pure. */
  pureWhen(statement: Instruction, successes: Successes): Condition {
    switch (statement.op) {
      case 'store':
        return statement.unread === true ? TRUE : FALSE;
      case 'alloca':
      case 'va_arg':
      case 'bound':
        return FALSE;
      case 'atomicrmw':
        if (statement.unread === true) return TRUE;
        return isComparable(statement) ? keepsWhen(statement, successes.get(statement)) : FALSE;
      case 'cmpxchg': {
        const success = successes.get(statement);
        return success === undefined ? FALSE : holds(success, false);
      }
      case 'call':
        return this.#callIsPureWhen(statement);
      case 'assume':
        return holds(statement.operands[0]!);
      default:
        return TRUE;
    }
  }

  #callIsPureWhen(call: Call): Condition {
    switch (factsOfCall(call, this.#m).effect) {
      case 'none':
      case 'harmless':
      case 'reads':
        return TRUE;
      case 'tries':
        return call.type.kind === 'int' ? comparison('ne', call, intConstant(call.type, 0n)) : FALSE;
      default:
        return FALSE;
    }
  }

  /** Why an iteration that comes to the statement is not pure, for reports. */
  whyImpure(statement: Instruction): string {
    return `it ${this.#changeOf(statement, new Set())}`;
  }

  /** `inside`: the functions that are being looked into. */
  #changeOf(statement: Instruction, inside: Set<IrFunction>): string {
    switch (statement.op) {
      case 'store':
        return `writes to ${nameOf(statement.operands[1]!)}`;
      case 'atomicrmw':
      case 'cmpxchg':
        return `updates ${nameOf(statement.operands[0]!)}`;
      case 'alloca':
        return 'makes a stack object';
      case 'call':
        return this.#changeOfCall(statement, inside);
      default:
        return 'does more than read and compute';
    }
  }

  /** "calls push, which writes to head in line 12". */
  #changeOfCall(call: Call, inside: Set<IrFunction>): string {
    const name = calleeName(call);
    if (name === undefined) return 'calls a function through a pointer';
    const f = this.#m.functions.get(name);
    if (f === undefined || f.blocks.length === 0 || inside.has(f)) return `calls ${name}`;
    inside.add(f);
    const changes = f.blocks.flatMap(({ instructions }) =>
      instructions.filter((each) => each.op !== 'alloca' && this.pureWhen(each, new Map()).length === 0),
    );
    // what it does itself says more than that it calls others
    const change = changes.find(({ op }) => op !== 'call') ?? changes[0];
    if (change === undefined) return `calls ${name}`;
    const line = change.position === undefined ? '' : ` in line ${change.position.line}`;
    return `calls ${name}, which ${this.#changeOf(change, inside)}${line}`;
  }

  mayFail(statement: Instruction): boolean {
    switch (statement.op) {
      case 'load':
        return !this.#isSafe(statement.operands[0]!, statement.type);
      case 'atomicrmw':
      case 'cmpxchg':
        return !this.#isSafe(statement.operands[0]!, statement.operands[1]!.type);
      case 'store':
      case 'va_arg':
      case 'defined':
        return true;
      case 'call':
        return !neverFails.has(factsOfCall(statement, this.#m).effect);
      default:
        return effectless.has(statement.op) && hasEffect(statement);
    }
  }

  /** Whether it is an access that may race with what comes of the loop. */
  mayBeMissed(statement: Instruction): boolean {
    if (!this.#hasRelaxed || !this.mayFail(statement)) return false;
    const isPlain = (statement.op === 'load' || statement.op === 'store') && statement.ordering === 'notatomic';
    return isPlain || statement.op === 'call';
  }

  #isSafe(pointer: Value, type: Type): boolean {
    const place = placeInGlobal(pointer);
    const global = place === undefined ? undefined : this.#m.globals.get(place.name);
    if (place === undefined || global?.initializer === undefined || global.isWeak) return false;
    if (place.offset < 0 || place.offset + sizeOf(type) > sizeOf(global.type)) return false;
    return global.isConstant || this.#atomic.has(global.name);
  }
}

/** How the program calls what lies at an address. */
function nameOf(address: Value): string {
  return placeInGlobal(address)?.name ?? 'memory';
}

function onlyAtomic(m: Module): ReadonlySet<string> {
  const atomic = new Set(m.globals.keys());
  for (const { initializer } of m.globals.values()) {
    if (initializer !== undefined) for (const name of symbolsIn(initializer)) atomic.delete(name);
  }
  for (const name of m.aliases.values()) atomic.delete(name);
  for (const f of m.functions.values()) {
    for (const block of f.blocks) {
      for (const instruction of block.instructions) {
        for (const [i, operand] of instruction.operands.entries()) {
          if (!isConstant(operand) || isAtomicAccess(instruction, i)) continue;
          for (const name of symbolsIn(operand)) atomic.delete(name);
        }
      }
    }
  }
  return atomic;
}

/** Whether operand number i is the address of an atomic access. */
function isAtomicAccess(instruction: Instruction, i: number): boolean {
  switch (instruction.op) {
    case 'load':
      return instruction.ordering !== 'notatomic';
    case 'store':
      return instruction.ordering !== 'notatomic' && i === 1;
    case 'atomicrmw':
    case 'cmpxchg':
      return i === 0;
    default:
      return false;
  }
}
