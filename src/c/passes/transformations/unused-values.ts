/**
 * Values that go from function to function and that nobody needs in the end: what a function returns if all its callers ignore it,
 * what is passed for a parameter that is not used. In their place comes zero, so that dead code can go: a loop that only remembers
 * what it has last seen, for a result that is ignored, changes nothing then.
 *
 * Needed is what an instruction with an effect takes, and all that it is computed from; what goes in a circle, through phis or
 * through calls, is not. What is returned to code that is not seen is needed: by main, by a function whose address is taken, and by one
 * that nobody is seen to call.
 */
import type { Instruction, IrFunction, Module, Parameter, Type, Value } from '../../ir/module.ts';
import { sameType } from '../../ir/types.ts';
import { zeroOf } from '../analyses/constants.ts';
import { hasEffect } from '../analyses/effects.ts';
import { entryNames } from '../analyses/entries.ts';
import { symbolsIn } from '../analyses/escape.ts';
import { type Call, calleeName, isConstant, isScalar } from '../analyses/values.ts';

/** The functions that have changed. */
export function dropUnusedValues(m: Module): ReadonlySet<IrFunction> {
  return new Needs(m, new Set()).drop();
}

/**
 * Marks the accesses to global variables that are only written, or read only for their own update. Their values stay, as reports
 * show them, and so do the accesses, which may race.
 */
export function markUnread(m: Module): void {
  const candidates = plainVariables(m);
  if (candidates.size === 0) return;
  const { unread } = new Needs(m, candidates);
  for (const instruction of instructionsIn(m)) {
    const access = accessIn(instruction);
    if (access !== undefined && unread.has(access.name)) access.instruction.unread = true;
  }
}

interface Access {
  readonly instruction: Extract<Instruction, { op: 'load' | 'store' | 'atomicrmw' }>;
  /** Of the variable. */
  readonly name: string;
  readonly type: Type;
  /** Which operand the variable is. */
  readonly pointer: number;
}

/** An access to a global variable, from its beginning. */
function accessIn(instruction: Instruction): Access | undefined {
  if (instruction.op !== 'load' && instruction.op !== 'store' && instruction.op !== 'atomicrmw') return undefined;
  const pointer = instruction.op === 'store' ? 1 : 0;
  const address = instruction.operands[pointer];
  const { type } = instruction.op === 'load' ? instruction : instruction.operands[1 - pointer]!;
  return address?.kind === 'symbol' ? { instruction, name: address.name, type, pointer } : undefined;
}

/** The scalar global variables of which nothing but such accesses is made, of their own type. */
function plainVariables(m: Module): Set<string> {
  const plain = new Set<string>();
  for (const { name, type, initializer, isConstant: isFixed, isThreadLocal, isWeak } of m.globals.values()) {
    if (isScalar(type) && initializer !== undefined && !isFixed && !isThreadLocal && !isWeak) plain.add(name);
  }
  const forbid = (value: Value): void => {
    if (isConstant(value)) for (const name of symbolsIn(value)) plain.delete(name);
  };
  for (const { initializer } of m.globals.values()) if (initializer !== undefined) forbid(initializer);
  for (const name of m.aliases.values()) plain.delete(name);
  for (const instruction of instructionsIn(m)) {
    const access = accessIn(instruction);
    const pointer = access !== undefined && isWhole(access, m) ? access.pointer : -1;
    for (const [i, operand] of instruction.operands.entries()) if (i !== pointer) forbid(operand);
  }
  return plain;
}

function isWhole({ instruction, name, type }: Access, m: Module): boolean {
  const variable = m.globals.get(name);
  const isVolatile = 'volatile' in instruction && instruction.volatile;
  return variable !== undefined && sameType(variable.type, type) && !isVolatile;
}

function instructionsIn(m: Module): Instruction[] {
  return [...m.functions.values()].flatMap(({ blocks }) => blocks.flatMap(({ instructions }) => instructions));
}

class Needs {
  readonly #m: Module;
  readonly #needed = new Set<Value>();
  readonly #work: Value[] = [];
  /** The functions whose results are needed. */
  readonly #results = new Set<IrFunction>();
  readonly #returns = new Map<IrFunction, Instruction[]>();
  /** The calls that are to functions of the program, in whose names they have parameters and results. */
  readonly #callees = new Map<Call, IrFunction>();
  readonly #arguments = new Map<Parameter, Value[]>();
  readonly #callers = new Map<Call, IrFunction>();
  /** The variables of which no value is needed so far, and what is written to them. */
  readonly unread: Set<string>;
  readonly #written = new Map<string, Value[]>();

  /** `candidates`: the variables of which it is to be found out whether somebody needs what is written to them. */
  constructor(m: Module, candidates: ReadonlySet<string>) {
    this.#m = m;
    this.unread = new Set(candidates);
    for (const f of m.functions.values()) {
      for (const { instructions } of f.blocks) for (const instruction of instructions) this.#link(f, instruction);
    }
    const defined = [...m.functions.values()].filter(({ blocks }) => blocks.length > 0);
    for (const name of [...entryNames, ...this.#taken()]) this.#needResult(this.#definition(name));
    const called = new Set(this.#callees.values());
    for (const f of defined) {
      if (!called.has(f)) this.#needResult(f);
      for (const { instructions } of f.blocks) for (const instruction of instructions) this.#begin(instruction);
    }
    for (let value = this.#work.pop(); value !== undefined; value = this.#work.pop()) this.#follow(value);
  }

  drop(): ReadonlySet<IrFunction> {
    const changed = new Set<IrFunction>();
    for (const [f, returns] of this.#returns) {
      if (this.#results.has(f)) continue;
      for (const { operands } of returns) if (dropAt(operands, 0)) changed.add(f);
    }
    for (const [call, callee] of this.#callees) {
      for (const [i, parameter] of callee.parameters.entries()) {
        if (this.#needed.has(parameter) || parameter.byval !== undefined) continue;
        if (dropAt(call.operands, i + 1)) changed.add(this.#callers.get(call) as IrFunction);
      }
    }
    return changed;
  }

  #link(f: IrFunction, instruction: Instruction): void {
    if (instruction.op === 'ret') {
      const returns = this.#returns.get(f) ?? [];
      this.#returns.set(f, [...returns, instruction]);
    }
    if (instruction.op !== 'call') return;
    const callee = this.#calleeOf(instruction);
    if (callee === undefined) return;
    this.#callees.set(instruction, callee);
    this.#callers.set(instruction, f);
    for (const [i, parameter] of callee.parameters.entries()) {
      const values = this.#arguments.get(parameter) ?? [];
      this.#arguments.set(parameter, [...values, instruction.operands[i + 1]!]);
    }
  }

  /** The function that a call is to, if that is seen and is called as what it is. */
  #calleeOf(call: Call): IrFunction | undefined {
    const name = calleeName(call);
    const f = name === undefined ? undefined : this.#definition(name);
    if (f === undefined || f.signature.variadic) return undefined;
    const { signature, operands } = call;
    const fits =
      sameType(signature.returns, f.signature.returns) &&
      operands.length - 1 === f.parameters.length &&
      f.parameters.every(({ type }, i) => sameType(type, operands[i + 1]!.type));
    return fits ? f : undefined;
  }

  #definition(name: string): IrFunction | undefined {
    const f = this.#m.functions.get(this.#m.aliases.get(name) ?? name);
    return f !== undefined && f.blocks.length > 0 ? f : undefined;
  }

  /** The functions that code may call which is not seen to. */
  #taken(): Set<string> {
    const taken = new Set<string>();
    const take = (value: Value): void => {
      if (isConstant(value)) for (const name of symbolsIn(value)) taken.add(name);
    };
    for (const { initializer } of this.#m.globals.values()) if (initializer !== undefined) take(initializer);
    for (const { blocks } of this.#m.functions.values()) {
      for (const { instructions } of blocks) {
        for (const instruction of instructions) {
          const isKnown = instruction.op === 'call' && this.#callees.has(instruction);
          for (const operand of instruction.operands.slice(isKnown ? 1 : 0)) take(operand);
        }
      }
    }
    return taken;
  }

  #begin(instruction: Instruction): void {
    if (instruction.op === 'ret') return;
    if (instruction.op === 'call' && this.#callees.has(instruction)) {
      const { parameters } = this.#callees.get(instruction) as IrFunction;
      for (const [i, { byval }] of parameters.entries())
        if (byval !== undefined) this.#need(instruction.operands[i + 1]);
      return;
    }
    const name = accessIn(instruction)?.name;
    if (name !== undefined && this.unread.has(name)) {
      this.#written.set(name, [...(this.#written.get(name) ?? []), ...instruction.operands]);
    } else if (hasEffect(instruction)) {
      for (const operand of instruction.operands) this.#need(operand);
    }
  }

  #need(value: Value | undefined): void {
    if (value === undefined || isConstant(value) || this.#needed.has(value)) return;
    this.#needed.add(value);
    this.#work.push(value);
  }

  #needResult(f: IrFunction | undefined): void {
    if (f === undefined || this.#results.has(f)) return;
    this.#results.add(f);
    for (const { operands } of this.#returns.get(f) ?? []) this.#need(operands[0]);
  }

  #follow(value: Value): void {
    if (value.kind === 'parameter') {
      for (const argument of this.#arguments.get(value) ?? []) this.#need(argument);
    } else if (value.kind === 'instruction') {
      const name = accessIn(value)?.name;
      if (name !== undefined && this.unread.delete(name))
        for (const written of this.#written.get(name) ?? []) this.#need(written);
      const callee = value.op === 'call' ? this.#callees.get(value) : undefined;
      if (callee !== undefined) this.#needResult(callee);
      else for (const operand of value.operands) this.#need(operand);
    }
  }
}

/** Puts a zero in the place of an operand that is no constant; says whether it was none. */
function dropAt(operands: Value[], i: number): boolean {
  const value = operands[i];
  if (value === undefined || isConstant(value)) return false;
  operands[i] = zeroOf(value.type);
  return true;
}
