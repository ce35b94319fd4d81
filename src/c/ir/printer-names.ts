/** Names for what is printed: of types, and of the values and blocks of a function. */
import { escapeText } from './lexer.ts';
import type { Constant, Instruction, IrFunction, Module, Parameter, StructType, Type, Value } from './module.ts';
import { sameType } from './types.ts';

/** With its sigil, in quotes where it must. */
export function quoteName(sigil: string, name: string): string {
  return /^(?:[-a-zA-Z$._][-a-zA-Z$._0-9]*|[0-9]+)$/.test(name) ? sigil + name : `${sigil}"${escapeText(name)}"`;
}

/** Numbers name in order what has no name of its own, as LLVM demands; a name that is taken gets a number added. */
class Names<T> {
  readonly #names = new Map<T, string>();
  readonly #used = new Set<string>();
  #next = 0;

  add(thing: T, wanted: string): void {
    let name = /^[0-9]*$/.test(wanted) ? String(this.#next++) : wanted;
    for (let n = 1; this.#used.has(name); n++) name = `${wanted}.${n}`;
    this.#used.add(name);
    this.#names.set(thing, name);
  }

  /** The name of another thing, which it is equal to. */
  alias(thing: T, other: T): void {
    this.#names.set(thing, this.get(other));
  }

  has(thing: T): boolean {
    return this.#names.has(thing);
  }

  get(thing: T): string {
    return this.#names.get(thing) ?? '<not in the function>';
  }
}

export class FunctionNames {
  readonly #names = new Names<unknown>();

  constructor(fn: IrFunction) {
    for (const parameter of fn.parameters) this.#names.add(parameter, parameter.name);
    for (const block of fn.blocks) {
      this.#names.add(block, block.name);
      for (const instruction of block.instructions) {
        if (instruction.type.kind !== 'void') this.#names.add(instruction, instruction.name);
      }
    }
  }

  of(thing: Parameter | Instruction | object): string {
    return this.#names.get(thing);
  }
}

/** The named types that a module uses, each once, parts before the types that contain them. */
export class TypeNames {
  readonly #names = new Names<StructType>();
  readonly #byName = new Map<string, StructType[]>();
  readonly types: StructType[] = [];

  constructor(module: Module) {
    for (const global of module.globals.values()) {
      this.#visit(global.type);
      if (global.initializer !== undefined) this.#visitConstant(global.initializer);
    }
    for (const fn of module.functions.values()) {
      this.#visit(fn.signature);
      for (const { byval } of fn.parameters) if (byval !== undefined) this.#visit(byval);
      for (const { instructions } of fn.blocks)
        for (const instruction of instructions) this.#visitInstruction(instruction);
    }
  }

  readonly of = (type: StructType): string => quoteName('%', this.#names.get(type));

  #visitInstruction(instruction: Instruction): void {
    this.#visit(instruction.type);
    for (const operand of instruction.operands) this.#visitValue(operand);
    if (instruction.op === 'alloca') this.#visit(instruction.allocated);
    else if (instruction.op === 'getelementptr') this.#visit(instruction.sourceType);
    else if (instruction.op === 'call') {
      this.#visit(instruction.signature);
      for (const byval of instruction.byval) if (byval !== undefined) this.#visit(byval);
    }
  }

  #visitValue(value: Value): void {
    if (value.kind !== 'instruction' && value.kind !== 'parameter') this.#visitConstant(value);
  }

  #visitConstant(constant: Constant): void {
    this.#visit(constant.type);
    if (constant.kind === 'aggregate') for (const element of constant.elements) this.#visitConstant(element);
    if (constant.kind === 'expression') {
      if (constant.sourceType !== undefined) this.#visit(constant.sourceType);
      for (const operand of constant.operands) this.#visitConstant(operand);
    }
  }

  #visit(type: Type): void {
    if (type.kind === 'array') this.#visit(type.element);
    else if (type.kind === 'function') {
      this.#visit(type.returns);
      for (const parameter of type.parameters) this.#visit(parameter);
    } else if (type.kind === 'struct' && !this.#names.has(type)) {
      for (const field of type.fields ?? []) this.#visit(field);
      if (type.name !== undefined) this.#add(type, type.name);
    }
  }

  /** Linked modules have equal types of one name, and different ones. */
  #add(type: StructType, name: string): void {
    const known = this.#byName.get(name) ?? [];
    const equal = known.find((other) => sameType(type, other));
    if (equal !== undefined) {
      this.#names.alias(type, equal);
      return;
    }
    this.#names.add(type, name);
    this.#byName.set(name, [...known, type]);
    this.types.push(type);
  }
}
