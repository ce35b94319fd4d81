/**
 * Which stack objects and thread-local variables never leave their thread: no other thread can get hold of their
 * address, so accesses to them are nobody else's business. Runs after `optimise`; changes nothing.
 *
 * The address is followed through the function, into the functions that it is passed to, and out of them again where
 * they return it. It escapes where it is stored, becomes a number, or goes to code that may keep it (`Capture` in src/c/library/facts.ts).
 * Summaries of parameters start from "does not escape" and only grow, so the least fixed point is reached.
 */
import type { Constant, Instruction, IrFunction, Module, Parameter, Value } from '../../ir/module.ts';
import { captureOf } from '../../library/facts.ts';
import { factsOf } from '../../library/index.ts';
import { isDefined } from './library-calls.ts';
import { type Call, calleeName, isConstant, usersOf } from './values.ts';

export interface Escape {
  /** Of any alloca of the module. */
  isLocalAlloca(instruction: Instruction): boolean;
  /** Of a thread-local variable that the module defines. */
  isLocalThreadLocal(name: string): boolean;
  /**
   * Whether the address that a parameter holds stays with its thread as far as this function is concerned, and is not
   * returned either. Of a `byval` parameter: whether the callee's copy is local.
   */
  isLocalParameter(parameter: Parameter): boolean;
  /** Whether code that `main` may reach creates threads. */
  readonly hasThreads: boolean;
}

interface Fate {
  escapes: boolean;
  /** Goes back to the caller. */
  returned: boolean;
}

export function analyseEscape(m: Module): Escape {
  const analysis = new Analysis(m);
  analysis.solveParameters();
  const allocas = analysis.localAllocas();
  const threadLocals = analysis.localThreadLocals();
  return {
    isLocalAlloca: (instruction) => allocas.has(instruction),
    isLocalThreadLocal: (name) => threadLocals.has(name),
    isLocalParameter: (parameter) => {
      const fate = analysis.fates.get(parameter);
      return fate !== undefined && !fate.escapes && !fate.returned;
    },
    hasThreads: createsThreads(m),
  };
}

class Analysis {
  readonly #m: Module;
  readonly #users = new Map<IrFunction, ReadonlyMap<Value, readonly Instruction[]>>();
  readonly fates = new Map<Parameter, Fate>();

  constructor(m: Module) {
    this.#m = m;
    for (const f of m.functions.values()) {
      this.#users.set(f, usersOf(f));
      for (const parameter of f.parameters) this.fates.set(parameter, { escapes: false, returned: false });
    }
  }

  solveParameters(): void {
    const callers = this.#callers();
    const work = new Set(this.#defined());
    for (const f of work) {
      // A set gives elements that are added while it is walked.
      work.delete(f);
      let changed = false;
      for (const parameter of f.parameters) {
        if (parameter.type.kind !== 'ptr') continue;
        const fate = this.fates.get(parameter)!;
        if (fate.escapes) continue;
        const found = this.#follow(f, [parameter]);
        if (found.escapes === fate.escapes && found.returned === fate.returned) continue;
        fate.escapes ||= found.escapes;
        fate.returned ||= found.returned;
        changed = true;
      }
      if (changed) for (const caller of callers.get(f) ?? []) work.add(caller);
    }
  }

  localAllocas(): Set<Instruction> {
    const local = new Set<Instruction>();
    for (const f of this.#defined()) {
      for (const block of f.blocks) {
        for (const instruction of block.instructions) {
          if (instruction.op === 'alloca' && !this.#leaves(f, [instruction])) local.add(instruction);
        }
      }
    }
    return local;
  }

  localThreadLocals(): Set<string> {
    const local = new Set<string>();
    for (const global of this.#m.globals.values()) {
      if (global.isThreadLocal && global.initializer !== undefined) local.add(global.name);
    }
    for (const target of this.#m.aliases.values()) local.delete(target);
    if (local.size === 0) return local;
    for (const { initializer } of this.#m.globals.values()) {
      if (initializer !== undefined) for (const name of symbolsIn(initializer)) local.delete(name);
    }
    for (const f of this.#defined()) {
      for (const block of f.blocks) {
        for (const instruction of block.instructions) this.#checkThreadLocals(f, instruction, local);
      }
    }
    return local;
  }

  /** Takes away the thread-locals whose address escapes from this instruction on. */
  #checkThreadLocals(f: IrFunction, instruction: Instruction, local: Set<string>): void {
    for (const [i, operand] of instruction.operands.entries()) {
      if (!isConstant(operand)) continue;
      for (const name of symbolsIn(operand)) {
        if (!local.has(name)) continue;
        const next: Value[] = [];
        const leaves =
          !isAddressIn(operand) ||
          this.#useOf(f, instruction, i, next) !== 'stays' ||
          (next.length > 0 && this.#leaves(f, next));
        if (leaves) local.delete(name);
      }
    }
  }

  #leaves(f: IrFunction, roots: readonly Value[]): boolean {
    const { escapes, returned } = this.#follow(f, roots);
    return escapes || returned;
  }

  /** What becomes of an address in a function. */
  #follow(f: IrFunction, roots: readonly Value[]): Fate {
    const users = this.#users.get(f)!;
    const seen = new Set<Value>(roots);
    const work = [...roots];
    const fate = { escapes: false, returned: false };
    for (let value = work.pop(); value !== undefined; value = work.pop()) {
      for (const user of users.get(value) ?? []) {
        for (const [i, operand] of user.operands.entries()) {
          if (operand !== value) continue;
          const next: Value[] = [];
          const use = this.#useOf(f, user, i, next);
          if (use === 'escapes') return { escapes: true, returned: fate.returned };
          if (use === 'returned') fate.returned = true;
          for (const derived of next) {
            if (seen.has(derived)) continue;
            seen.add(derived);
            work.push(derived);
          }
        }
      }
    }
    return fate;
  }

  /** What an instruction does with an address that is its operand number i; what derives from it is added to `next`. */
  #useOf(f: IrFunction, user: Instruction, i: number, next: Value[]): 'stays' | 'returned' | 'escapes' {
    switch (user.op) {
      case 'getelementptr':
        if (i !== 0) return 'escapes';
        next.push(user);
        return 'stays';
      case 'bitcast':
      case 'phi':
      case 'select':
      case 'freeze':
      case 'defined':
        next.push(user);
        return 'stays';
      case 'load':
      case 'icmp':
      case 'va_arg':
      case 'visit':
        return 'stays';
      case 'store':
        return i === 1 ? 'stays' : 'escapes';
      case 'atomicrmw':
      case 'cmpxchg':
        return i === 0 ? 'stays' : 'escapes';
      case 'ptrtoint':
        return (this.#users.get(f)!.get(user) ?? []).every(isComparison) ? 'stays' : 'escapes';
      case 'ret':
        return 'returned';
      case 'call':
        return this.#argument(user, i, next);
      default:
        return 'escapes';
    }
  }

  #argument(call: Call, i: number, next: Value[]): 'stays' | 'escapes' {
    if (i === 0) return 'escapes';
    const index = i - 1;
    if (call.byval[index] !== undefined) return 'stays';
    const callee = this.#callee(call);
    if (callee === undefined) return 'escapes';
    if (typeof callee === 'string') {
      const capture = captureOf(factsOf(callee), index);
      if (capture === 'returned') next.push(call);
      return capture === 'kept' ? 'escapes' : 'stays';
    }
    const parameter = callee.parameters[index];
    const fate = parameter === undefined ? undefined : this.fates.get(parameter);
    if (parameter === undefined || fate === undefined || fate.escapes || parameter.type.kind !== 'ptr')
      return 'escapes';
    if (fate.returned) next.push(call);
    return 'stays';
  }

  /** A function of the program, the name of one that it does not define, or undefined if nobody knows. */
  #callee(call: Call): IrFunction | string | undefined {
    const name = calleeName(call);
    if (name === undefined) return undefined;
    const target = this.#m.aliases.get(name) ?? name;
    const f = this.#m.functions.get(target);
    return f !== undefined && f.blocks.length > 0 ? f : target;
  }

  #defined(): IrFunction[] {
    return [...this.#m.functions.values()].filter((f) => f.blocks.length > 0);
  }

  #callers(): Map<IrFunction, Set<IrFunction>> {
    const callers = new Map<IrFunction, Set<IrFunction>>();
    for (const f of this.#defined()) {
      for (const block of f.blocks) {
        for (const instruction of block.instructions) {
          if (instruction.op !== 'call') continue;
          const callee = this.#callee(instruction);
          if (callee === undefined || typeof callee === 'string') continue;
          const known = callers.get(callee);
          if (known === undefined) callers.set(callee, new Set([f]));
          else known.add(f);
        }
      }
    }
    return callers;
  }
}

/** Compares numbers made of addresses, or takes their distance: no address can be made of what comes out. */
function isComparison(user: Instruction): boolean {
  if (user.op === 'icmp') return true;
  return (
    user.op === 'sub' && user.operands.every((operand) => operand.kind === 'instruction' && operand.op === 'ptrtoint')
  );
}

/** Whether a constant is a symbol's address or a place from it: nothing that a number can be made of. */
function isAddressIn(constant: Constant): boolean {
  let at = constant;
  while (at.kind === 'expression' && (at.op === 'getelementptr' || at.op === 'bitcast')) {
    for (const index of at.operands.slice(1)) if (symbolsIn(index).length > 0) return false;
    at = at.operands[0]!;
  }
  return at.kind === 'symbol';
}

/** The names of all globals and functions in a constant. */
export function symbolsIn(constant: Constant): string[] {
  const names: string[] = [];
  const work = [constant];
  for (let at = work.pop(); at !== undefined; at = work.pop()) {
    if (at.kind === 'symbol') names.push(at.name);
    else if (at.kind === 'aggregate') for (const element of at.elements) work.push(element);
    else if (at.kind === 'expression') for (const operand of at.operands) work.push(operand);
  }
  return names;
}

/** A function is reached if it is called or its address taken by code that is reached, or if a global holds its address. */
function createsThreads(m: Module): boolean {
  const reached = new Set<string>();
  const work: string[] = [];
  const reach = (name: string) => {
    const target = m.aliases.get(name) ?? name;
    if (reached.has(target)) return;
    reached.add(target);
    work.push(target);
  };
  if (m.functions.has('main') || m.aliases.has('main')) reach('main');
  else for (const name of m.functions.keys()) reach(name);
  for (const { initializer } of m.globals.values()) {
    if (initializer !== undefined) for (const name of symbolsIn(initializer)) reach(name);
  }
  for (let name = work.pop(); name !== undefined; name = work.pop()) {
    const f = m.functions.get(name);
    if (factsOf(name).role === 'starts-thread' && !isDefined(name, m)) return true;
    for (const block of f?.blocks ?? []) {
      for (const { operands } of block.instructions) {
        for (const operand of operands) if (isConstant(operand)) for (const symbol of symbolsIn(operand)) reach(symbol);
      }
    }
  }
  return false;
}
