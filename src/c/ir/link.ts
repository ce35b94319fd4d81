/**
 * Makes one module of several, as a linker does: names that are internal to a module stay its own, declarations are
 * resolved by definitions, weak definitions give way. The modules given must not be used afterwards: the result takes
 * over their instructions.
 */
import { InputError } from '../../program/input-error.ts';
import type { SourcePosition } from '../../program/operation.ts';
import { sizeOf } from './layout.ts';
import type { Constant, GlobalVariable, Instruction, IrFunction, Module, Type } from './module.ts';

interface Definition {
  readonly kind: 'function' | 'global' | 'alias';
  /** How much it counts: see `strengthOf`. */
  readonly strength: number;
  readonly module: Module;
  readonly position: SourcePosition | undefined;
}

const declared = 0;
const weak = 1;
const strong = 2;

export function linkModules(modules: readonly Module[]): Module {
  const [first] = modules;
  if (modules.length === 1 && first !== undefined) return first;
  const linker = new Linker();
  separateInternals(modules);
  for (const module of modules) linker.add(module);
  return linker.module;
}

class Linker {
  readonly #definitions = new Map<string, Definition>();
  readonly #weakAliases = new Set<string>();
  readonly #names: string[] = [];
  readonly #functions = new Map<string, IrFunction>();
  readonly #globals = new Map<string, GlobalVariable>();
  readonly #aliases = new Map<string, string>();

  get module(): Module {
    return {
      name: this.#names.join(' '),
      functions: this.#functions,
      globals: this.#globals,
      aliases: this.#aliases,
      weakAliases: this.#weakAliases,
    };
  }

  add(module: Module): void {
    this.#names.push(module.name);
    for (const fn of module.functions.values()) {
      const strength = fn.blocks.length === 0 ? declared : fn.isWeak ? weak : strong;
      const definition: Definition = { kind: 'function', strength, module, position: fn.position };
      if (this.#takes(fn.name, definition)) {
        this.#replace(fn.name, definition);
        this.#functions.set(fn.name, fn);
      } else if (strength === declared) this.#strengthenDeclaration(fn);
    }
    for (const global of module.globals.values()) this.#addGlobal(global, module);
    for (const [name, target] of module.aliases) {
      const isWeak = module.weakAliases?.has(name) === true;
      const definition: Definition = { kind: 'alias', strength: isWeak ? weak : strong, module, position: undefined };
      if (!this.#takes(name, definition)) continue;
      this.#replace(name, definition);
      this.#aliases.set(name, target);
      if (isWeak) this.#weakAliases.add(name);
    }
  }

  #addGlobal(global: GlobalVariable, module: Module): void {
    const { name } = global;
    const other = this.#globals.get(name);
    if (other !== undefined && isList(name)) {
      this.#globals.set(name, concatenate(other, global));
      return;
    }
    const strength = global.initializer === undefined ? declared : global.isWeak ? weak : strong;
    const definition: Definition = { kind: 'global', strength, module, position: global.position };
    if (other !== undefined && other.isThreadLocal !== global.isThreadLocal) {
      throw new InputError(`${name} is thread-local in one file and not in another`, global.position);
    }
    if (this.#takes(name, definition) || (other !== undefined && this.#isLarger(global, strength, other))) {
      this.#replace(name, definition);
      this.#globals.set(name, global);
    } else if (other?.isWeak && other.initializer === undefined && !global.isWeak) {
      this.#globals.set(name, { ...other, isWeak: false });
    }
  }

  /** Of two declarations, or two that are weak (as common ones are), the larger object serves both. */
  #isLarger(global: GlobalVariable, strength: number, other: GlobalVariable): boolean {
    if (strength === strong || strength !== this.#definitions.get(global.name)?.strength) return false;
    return knownSize(global.type) > knownSize(other.type);
  }

  /** A function that must exist for one module must exist. */
  #strengthenDeclaration(fn: IrFunction): void {
    const other = this.#functions.get(fn.name);
    if (other !== undefined && other.blocks.length === 0 && other.isWeak && !fn.isWeak) {
      this.#functions.set(fn.name, { ...other, isWeak: false });
    }
  }

  /** Whether a definition takes the place of what is known by its name, if anything is. */
  #takes(name: string, definition: Definition): boolean {
    const other = this.#definitions.get(name);
    if (other === undefined) return true;
    if (other.kind !== definition.kind && other.kind !== 'alias' && definition.kind !== 'alias') {
      throw new InputError(
        `${name} is a function in one file and a variable in another${also(other)}`,
        definition.position ?? other.position,
      );
    }
    if (definition.strength === strong && other.strength === strong) {
      throw new InputError(
        `${name} is defined in ${other.module.name} and in ${definition.module.name}${also(other)}`,
        definition.position,
      );
    }
    return definition.strength > other.strength;
  }

  #replace(name: string, definition: Definition): void {
    this.#functions.delete(name);
    this.#globals.delete(name);
    this.#aliases.delete(name);
    this.#weakAliases.delete(name);
    this.#definitions.set(name, definition);
  }
}

function also({ position }: Definition): string {
  return position === undefined ? '' : ` (first at ${position.file}:${position.line})`;
}

function knownSize(type: Type): number {
  try {
    return sizeOf(type);
  } catch {
    return 0; // An opaque type: only its address is used.
  }
}

/** Lists of functions that run before and after main: each module adds to them. */
export function isList(name: string): boolean {
  return name === 'llvm.global_ctors' || name === 'llvm.global_dtors';
}

function concatenate(a: GlobalVariable, b: GlobalVariable): GlobalVariable {
  const elements = [a, b].flatMap(({ initializer }) => (initializer?.kind === 'aggregate' ? initializer.elements : []));
  const element = [a.type, b.type].find((type) => type.kind === 'array')?.element;
  if (element === undefined) return a;
  const type: Type = { kind: 'array', count: elements.length, element };
  return { ...a, type, initializer: { kind: 'aggregate', type, elements } };
}

/** Renames internal symbols, so that none of them is also in another module. */
function separateInternals(modules: readonly Module[]): void {
  const used = new Map<string, number>();
  for (const module of modules) {
    for (const name of namesOf(module)) used.set(name, (used.get(name) ?? 0) + 1);
  }
  for (const module of modules) {
    const renamed = new Map<string, string>();
    for (const { name, isInternal } of [...module.functions.values(), ...module.globals.values()]) {
      if (!isInternal || used.get(name) === 1) continue;
      let n = 1;
      while (used.has(`${name}.${n}`)) n++;
      renamed.set(name, `${name}.${n}`);
      used.set(`${name}.${n}`, 1);
    }
    if (renamed.size > 0) rename(module, renamed);
  }
}

function namesOf(module: Module): string[] {
  return [...module.functions.keys(), ...module.globals.keys(), ...module.aliases.keys()];
}

function rename(module: Module, renamed: ReadonlyMap<string, string>): void {
  const { functions, globals, aliases } = module;
  for (const [name, target] of aliases) aliases.set(name, renamed.get(target) ?? target);
  for (const fn of functions.values()) {
    for (const { instructions } of fn.blocks) {
      for (const instruction of instructions) renameOperands(instruction, renamed);
    }
  }
  for (const global of [...globals.values()]) {
    globals.delete(global.name);
    const name = renamed.get(global.name) ?? global.name;
    const initializer = global.initializer && renameIn(global.initializer, renamed);
    globals.set(name, { ...global, name, initializer });
  }
  for (const fn of [...functions.values()]) {
    functions.delete(fn.name);
    const name = renamed.get(fn.name) ?? fn.name;
    functions.set(name, { ...fn, name });
  }
}

function renameOperands(instruction: Instruction, renamed: ReadonlyMap<string, string>): void {
  for (const [i, operand] of instruction.operands.entries()) {
    if (operand.kind !== 'instruction' && operand.kind !== 'parameter') {
      instruction.operands[i] = renameIn(operand, renamed);
    }
  }
}

function renameIn(constant: Constant, renamed: ReadonlyMap<string, string>): Constant {
  switch (constant.kind) {
    case 'symbol': {
      const name = renamed.get(constant.name);
      return name === undefined ? constant : { ...constant, name };
    }
    case 'aggregate':
      return { ...constant, elements: constant.elements.map((element) => renameIn(element, renamed)) };
    case 'expression':
      return { ...constant, operands: constant.operands.map((operand) => renameIn(operand, renamed)) };
    default:
      return constant;
  }
}
