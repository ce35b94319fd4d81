/** Small modules for tests. */
import { readFileSync } from 'node:fs';
import type { Instruction, IrFunction, Module, Value } from '../../../src/c/ir/module.ts';
import { parseModule } from '../../../src/c/ir/parser.ts';
import { InputError } from '../../../src/program/input-error.ts';

export const fixtureNames = ['data', 'control', 'atomics'] as const;

/** Made from the C file beside it: clang -S -emit-llvm -O0 -g -Xclang -disable-O0-optnone. */
export function fixtureText(name: (typeof fixtureNames)[number]): string {
  return readFileSync(new URL(`fixtures/${name}.ll`, import.meta.url), 'utf8');
}

export function parse(text: string): Module {
  return parseModule(text, 'test.ll');
}

/** The body of a function without parameters, or with the heading given. */
export function parseBody(body: string, heading = 'define void @f()'): IrFunction {
  return onlyFunction(parse(`${heading} {\n${body}\n}\n`));
}

export function onlyFunction(module: Module): IrFunction {
  const defined = [...module.functions.values()].filter(({ blocks }) => blocks.length > 0);
  if (defined.length !== 1) throw new Error('the module has not one function');
  return defined[0]!;
}

export function instructionsOf(fn: IrFunction): Instruction[] {
  return fn.blocks.flatMap(({ instructions }) => instructions);
}

/** What an InputError says, with its place; fails if there is none. */
export function refusal(text: string): string {
  try {
    parse(text);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { file, line, column } = error.position!;
    return `${file}:${line}:${column}: ${error.message}`;
  }
  throw new Error('the text was accepted');
}

/** A value in one word. */
export function brief(value: Value): string {
  switch (value.kind) {
    case 'instruction':
    case 'parameter':
      return `%${value.name}`;
    case 'int-constant':
    case 'float-constant':
      return String(value.value);
    case 'symbol':
      return `@${value.name}`;
    default:
      return value.kind;
  }
}
