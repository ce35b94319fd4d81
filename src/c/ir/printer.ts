/**
 * Modules as text in LLVM's notation, with positions in the source as comments too. `parseModule` reads it back, with its
 * debug information; LLVM's tools read it unless our own instructions (`defined`, `bound`, `performed`, `visit`, `assume`) and awaits are in it.
 */
import { escapeBytes, escapeText } from './lexer.ts';
import { isList } from './link.ts';
import { copyMark, partialMark } from './metadata-nodes.ts';
import {
  type Block,
  type Constant,
  castOps,
  type GlobalVariable,
  type Instruction,
  type IrFunction,
  type LocalVariable,
  type Module,
  type Type,
  type Value,
} from './module.ts';
import { DebugPrinter } from './printer-debug.ts';
import { FunctionNames, quoteName, TypeNames } from './printer-names.ts';
import { structBody, typeText } from './types.ts';

export function printModule(module: Module): string {
  return new ModulePrinter(module).print();
}

class ModulePrinter {
  readonly #module: Module;
  readonly #types: TypeNames;
  readonly #debug = new DebugPrinter();
  readonly #lines: string[] = [];

  constructor(module: Module) {
    this.#module = module;
    this.#types = new TypeNames(module);
  }

  print(): string {
    const { functions, globals, aliases, weakAliases, name } = this.#module;
    this.#lines.push(`; ${name.replaceAll(/[\r\n]/g, ' ')}`);
    this.#lines.push('target datalayout = "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"');
    this.#lines.push('target triple = "wasm32-unknown-wasip1"', '');
    for (const type of this.#types.types) {
      this.#lines.push(`${this.#types.of(type)} = type ${structBody(type, this.#types.of)}`);
    }
    for (const global of globals.values()) this.#printGlobal(global);
    for (const [alias, target] of aliases) {
      const linkage = weakAliases?.has(alias) ? 'weak ' : '';
      this.#lines.push(
        `${quoteName('@', alias)} = ${linkage}alias ${this.#targetType(target)}, ptr ${quoteName('@', target)}`,
      );
    }
    for (const fn of functions.values()) this.#printFunction(fn);
    const debug = this.#debug.lines();
    if (debug.length > 0) this.#lines.push('', ...debug);
    return `${this.#lines.join('\n')}\n`;
  }

  /** The type of what an alias stands for. */
  #targetType(name: string): string {
    const { functions, globals, aliases } = this.#module;
    let target = name;
    for (let i = 0; i < aliases.size && aliases.has(target); i++) target = aliases.get(target) as string;
    const type = functions.get(target)?.signature ?? globals.get(target)?.type;
    return type === undefined ? 'ptr' : this.#type(type);
  }

  #printGlobal(global: GlobalVariable): void {
    const { name, type, initializer, isConstant, isThreadLocal, isInternal, isWeak, align } = global;
    const words: string[] = [];
    if (initializer === undefined) words.push(isWeak ? 'extern_weak' : 'external');
    else if (isList(name)) words.push('appending');
    else if (isInternal || isWeak) words.push(isInternal ? 'internal' : 'weak');
    if (isThreadLocal) words.push('thread_local');
    words.push(isConstant ? 'constant' : 'global', this.#type(type));
    if (initializer !== undefined) words.push(this.#constant(initializer));
    const debug = this.#debug.global(global);
    this.#lines.push(`${quoteName('@', name)} = ${words.join(' ')}, align ${align}${debug}`);
  }

  #printFunction(fn: IrFunction): void {
    const names = new FunctionNames(fn);
    const isDefined = fn.blocks.length > 0;
    const parameters = fn.parameters.map((parameter) => {
      const byval = parameter.byval === undefined ? '' : ` byval(${this.#type(parameter.byval)})`;
      const name = isDefined ? ` ${quoteName('%', names.of(parameter))}` : '';
      return `${this.#type(parameter.type)}${byval}${name}`;
    });
    if (fn.signature.variadic) parameters.push('...');
    const linkage = fn.isInternal ? 'internal ' : fn.isWeak ? (isDefined ? 'weak ' : 'extern_weak ') : '';
    const returns = this.#type(fn.signature.returns);
    const heading = `${linkage}${returns} ${quoteName('@', fn.name)}(${parameters.join(', ')})`;
    this.#lines.push('');
    if (!isDefined) {
      this.#lines.push(`declare ${heading}`);
      return;
    }
    this.#debug.enter(fn);
    this.#lines.push(`define ${heading}${this.#debug.subprogram()} {`);
    for (const [i, block] of fn.blocks.entries()) {
      if (i > 0) this.#lines.push('');
      this.#lines.push(`${quoteName('', names.of(block))}:`);
      for (const parameter of i === 0 ? fn.parameters : []) {
        if (parameter.variable !== undefined) this.#printDeclare(names.of(parameter), parameter.variable);
      }
      for (const instruction of block.instructions) {
        const result = instruction.type.kind === 'void' ? '' : `${quoteName('%', names.of(instruction))} = `;
        const line = `  ${result}${this.#instruction(instruction, names)}`;
        this.#lines.push(line + this.#debug.location(instruction.position, line.length));
        const variable = fn.variables.get(instruction);
        if (variable !== undefined) this.#printDeclare(names.of(instruction), variable);
      }
    }
    this.#lines.push('}');
  }

  #printDeclare(pointer: string, variable: LocalVariable): void {
    this.#lines.push(this.#debug.declare(quoteName('%', pointer), variable));
  }

  #instruction(instruction: Instruction, names: FunctionNames): string {
    const { op, operands, type } = instruction;
    const value = (i: number): string => this.#value(operands[i] as Value, names);
    const typed = (i: number): string => this.#typed(operands[i] as Value, names);
    const target = (block: Block): string => `label ${quoteName('%', names.of(block))}`;
    switch (instruction.op) {
      case 'icmp':
      case 'fcmp':
        return `${op} ${instruction.predicate} ${typed(0)}, ${value(1)}`;
      case 'fneg':
      case 'freeze':
        return `${op} ${typed(0)}`;
      case 'select':
        return `select ${typed(0)}, ${typed(1)}, ${typed(2)}`;
      case 'phi': {
        const edges = instruction.blocks.map((block, i) => `[ ${value(i)}, ${quoteName('%', names.of(block))} ]`);
        return `phi ${this.#type(type)} ${edges.join(', ')}`;
      }
      case 'alloca': {
        const count = operands.length === 0 ? '' : `, ${typed(0)}`;
        return `alloca ${this.#type(instruction.allocated)}${count}, align ${instruction.align}`;
      }
      case 'load':
        return `load ${awaitWord(instruction)}${accessWords(instruction)}${this.#type(type)}, ${typed(0)}${accessEnd(instruction)}`;
      case 'store':
        return `store ${accessWords(instruction)}${typed(0)}, ${typed(1)}${accessEnd(instruction)}`;
      case 'atomicrmw': {
        const { operation, ordering, align } = instruction;
        return `atomicrmw ${awaitWord(instruction)}${operation} ${typed(0)}, ${typed(1)} ${ordering}, align ${align}`;
      }
      case 'cmpxchg': {
        const { weak, ordering, failureOrdering, align } = instruction;
        const values = `${typed(0)}, ${typed(1)}, ${typed(2)}`;
        return `cmpxchg ${awaitWord(instruction)}${weak ? 'weak ' : ''}${values} ${ordering} ${failureOrdering}, align ${align}`;
      }
      case 'fence':
        return `fence ${instruction.isSignal ? 'syncscope("singlethread") ' : ''}${instruction.ordering}`;
      case 'getelementptr': {
        const indices = operands.map((_, i) => typed(i)).join(', ');
        return `getelementptr ${this.#type(instruction.sourceType)}, ${indices}`;
      }
      case 'extractvalue':
        return `extractvalue ${typed(0)}, ${instruction.indices.join(', ')}`;
      case 'insertvalue':
        return `insertvalue ${typed(0)}, ${typed(1)}, ${instruction.indices.join(', ')}`;
      case 'call': {
        const { signature, byval } = instruction;
        const passed = operands.slice(1).map((argument, i) => {
          const copied = byval[i] === undefined ? '' : ` byval(${this.#type(byval[i])})`;
          return `${this.#type(argument.type)}${copied} ${this.#value(argument, names)}`;
        });
        return `call ${this.#type(signature.variadic ? signature : signature.returns)} ${value(0)}(${passed.join(', ')})`;
      }
      case 'va_arg':
        return `va_arg ${typed(0)}, ${this.#type(type)}`;
      case 'defined':
        return `defined ${typed(0)}, "${escapeText(instruction.variable)}"`;
      case 'br': {
        const condition = operands.length === 0 ? '' : `${typed(0)}, `;
        return `br ${condition}${instruction.targets.map(target).join(', ')}`;
      }
      case 'switch': {
        const [otherwise, ...targets] = instruction.targets as [Block, ...Block[]];
        const cases = targets.map((block, i) => `    ${typed(i + 1)}, ${target(block)}\n`).join('');
        return `switch ${typed(0)}, ${target(otherwise)} [\n${cases}  ]`;
      }
      case 'ret':
        return operands.length === 0 ? 'ret void' : `ret ${typed(0)}`;
      case 'assume':
        return `assume ${typed(0)}, ${instruction.reason}${operands.length === 1 ? '' : `, ${typed(1)}`}`;
      case 'visit':
        return `visit [${operands.map((_, i) => typed(i)).join(', ')}]`;
      case 'bound':
        return operands.length === 0 ? op : `${op} ${typed(0)}`;
      case 'performed':
      case 'unreachable':
        return op;
      default:
        return isCast(instruction) ? `${op} ${typed(0)} to ${this.#type(type)}` : `${op} ${typed(0)}, ${value(1)}`;
    }
  }

  #type(type: Type): string {
    return typeText(type, this.#types.of);
  }

  #typed(value: Value, names: FunctionNames): string {
    return `${this.#type(value.type)} ${this.#value(value, names)}`;
  }

  #value(value: Value, names: FunctionNames): string {
    if (value.kind === 'instruction' || value.kind === 'parameter') return quoteName('%', names.of(value));
    return this.#constant(value);
  }

  #constant(constant: Constant): string {
    switch (constant.kind) {
      case 'int-constant': {
        const isBoolean = constant.type.kind === 'int' && constant.type.bits === 1;
        return isBoolean ? String(constant.value !== 0n) : String(constant.value);
      }
      case 'float-constant':
        return floatText(constant.value);
      case 'null':
      case 'undef':
        return constant.kind;
      case 'zero':
        return 'zeroinitializer';
      case 'symbol':
        return quoteName('@', constant.name);
      case 'bytes':
        return `c"${escapeBytes(constant.bytes)}"`;
      case 'aggregate': {
        const elements = constant.elements.map((element) => this.#typedConstant(element)).join(', ');
        if (constant.type.kind === 'array') return `[${elements}]`;
        const inside = `{ ${elements} }`;
        return constant.type.kind === 'struct' && constant.type.packed ? `<${inside}>` : inside;
      }
      case 'expression': {
        const { op, operands, sourceType, type } = constant;
        const values = operands.map((operand) => this.#typedConstant(operand)).join(', ');
        if (op === 'getelementptr') return `getelementptr (${this.#type(sourceType as Type)}, ${values})`;
        return operands.length === 1 ? `${op} (${values} to ${this.#type(type)})` : `${op} (${values})`;
      }
    }
  }

  #typedConstant(constant: Constant): string {
    return `${this.#type(constant.type)} ${this.#constant(constant)}`;
  }
}

function isCast(instruction: Instruction): boolean {
  return (castOps as readonly string[]).includes(instruction.op);
}

function awaitWord({ awaits }: { readonly awaits?: boolean }): string {
  return awaits === true ? 'await ' : '';
}

type Access = Extract<Instruction, { op: 'load' | 'store' }>;

function accessWords({ ordering, volatile }: Access): string {
  return `${ordering === 'notatomic' ? '' : 'atomic '}${volatile ? 'volatile ' : ''}`;
}

function accessEnd(access: Access): string {
  const ordering = access.ordering === 'notatomic' ? '' : ` ${access.ordering}`;
  const { partial = false, copies = false } = access.op === 'load' ? access : {};
  const marks = `${partial ? `, !${partialMark} !{}` : ''}${copies ? `, !${copyMark} !{}` : ''}`;
  return `${ordering}, align ${access.align}${marks}`;
}

/** In decimal where that is exact and finite, else as the bits of the double. */
function floatText(value: number): string {
  if (!Number.isFinite(value)) {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, value);
    return `0x${view.getBigUint64(0).toString(16).toUpperCase().padStart(16, '0')}`;
  }
  const [digits = '', exponent] = value.toExponential().split('e');
  const sign = Object.is(value, -0) ? '-' : '';
  return `${sign}${digits.includes('.') ? digits : `${digits}.0`}e${exponent}`;
}
