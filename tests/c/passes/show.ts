/**
 * Modules for the tests of the passes: parsed from text, and shown in a short form that expectations are written in. A
 * value without a name is numbered `$0`, `$1`, … in the order of the text.
 */
import type { Instruction, IrFunction, Module, Value } from '../../../src/c/ir/module.ts';
import { parseModule } from '../../../src/c/ir/parser.ts';
import { typeText } from '../../../src/c/ir/types.ts';
import { verifyModule } from '../../../src/c/ir/verifier.ts';
import type { Pass } from '../../../src/c/passes/analyses/values.ts';

export function parse(text: string): Module {
  return parseModule(text, 'test.ll');
}

export function functionOf(m: Module, name = 'f'): IrFunction {
  const f = m.functions.get(name);
  if (f === undefined) throw new Error(`no function ${name}`);
  return f;
}

export function instructionsOf(f: IrFunction): Instruction[] {
  return f.blocks.flatMap((block) => block.instructions);
}

/**
 * Names allocas as the source's variables. Without it, and without debug information, all variables are the compiler's.
 */
export function declare(f: IrFunction, ...names: string[]): void {
  for (const instruction of instructionsOf(f)) {
    if (instruction.op === 'alloca' && names.includes(instruction.name)) {
      f.variables.set(instruction, { name: instruction.name, type: undefined });
    }
  }
}

/** Runs passes on `@f` and shows it; the module must be valid after each. */
export function after(text: string, passes: readonly Pass[], variables: readonly string[] = []): string {
  const m = parse(text);
  const f = functionOf(m);
  declare(f, ...variables);
  for (const pass of passes) {
    pass(f, m);
    verifyModule(m);
  }
  return show(f);
}

/** Where the iterations of loops begin is left out: see `performed` in module.ts. */
export function show(f: IrFunction): string {
  const numbers = new Map<Instruction, string>();
  for (const instruction of instructionsOf(f)) {
    if (instruction.name === '' && instruction.type.kind !== 'void') numbers.set(instruction, `$${numbers.size}`);
  }
  const lines: string[] = [];
  for (const block of f.blocks) {
    lines.push(`${block.name}:`);
    for (const instruction of block.instructions)
      if (instruction.op !== 'performed' && instruction.op !== 'visit')
        lines.push(`  ${showInstruction(instruction, numbers)}`);
  }
  return lines.join('\n');
}

type Numbers = ReadonlyMap<Instruction, string>;

function showInstruction(instruction: Instruction, numbers: Numbers): string {
  const values = instruction.operands.map((operand) => showValue(operand, numbers));
  const result = instruction.type.kind === 'void' ? '' : `${showValue(instruction, numbers)} = `;
  return `${result}${[showOp(instruction), ...showOperands(instruction, values)].join(' ')}`;
}

function showOp(instruction: Instruction): string {
  switch (instruction.op) {
    case 'icmp':
    case 'fcmp':
      return `${instruction.op} ${instruction.predicate}`;
    case 'alloca':
      return `alloca ${typeText(instruction.allocated)}`;
    case 'load':
      return `load${waiting(instruction)}${instruction.partial === true ? ' partial' : ''}${instruction.copies === true ? ' copies' : ''} ${typeText(instruction.type)}`;
    case 'atomicrmw':
      return `atomicrmw${waiting(instruction)} ${instruction.operation}`;
    case 'cmpxchg':
      return `cmpxchg${waiting(instruction)}`;
    case 'assume':
      return `assume ${instruction.reason}`;
    case 'trunc':
    case 'zext':
    case 'sext':
    case 'bitcast':
    case 'inttoptr':
    case 'ptrtoint':
      return `${instruction.op} ${typeText(instruction.type)}`;
    case 'defined':
      return `defined "${instruction.variable}"`;
    case 'bound':
      return instruction.position === undefined ? 'bound' : `bound line ${instruction.position.line}`;
    default:
      return instruction.op;
  }
}

function waiting({ awaits }: { readonly awaits?: boolean }): string {
  return awaits === true ? ' await' : '';
}

function showOperands(instruction: Instruction, values: readonly string[]): string[] {
  switch (instruction.op) {
    case 'assume':
      return [values[0]!];
    case 'phi':
      return instruction.blocks.map((block, i) => `[${values[i]}, ${block.name}]`);
    case 'br':
      return [...values, ...instruction.targets.map((target) => target.name)];
    case 'switch': {
      const cases = instruction.targets.slice(1).map((target, i) => `${values[i + 1]}: ${target.name}`);
      return [values[0]!, instruction.targets[0]!.name, ...cases];
    }
    default:
      return [...values];
  }
}

export function showValue(value: Value, numbers: Numbers = new Map()): string {
  switch (value.kind) {
    case 'instruction':
      return `%${value.name === '' ? (numbers.get(value) ?? '') : value.name}`;
    case 'parameter':
      return `%${value.name}`;
    case 'int-constant':
      return String(value.value);
    case 'float-constant':
      return Number.isInteger(value.value) ? value.value.toFixed(1) : String(value.value);
    case 'symbol':
      return `@${value.name}`;
    case 'expression':
      return `${value.op}(${value.operands.map((operand) => showValue(operand)).join(' ')})`;
    default:
      return value.kind;
  }
}
