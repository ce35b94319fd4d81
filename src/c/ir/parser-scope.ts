/** The names of one function while it is read: values and blocks may be used before they are defined. */
import type { Lexer } from './lexer.ts';
import type { Block, Type, Value } from './module.ts';
import type { ConstantParser } from './parser-constants.ts';
import { sameType, typeText } from './types.ts';

interface ForwardUse {
  readonly name: string;
  readonly type: Type;
  readonly offset: number;
}

export class Scope {
  readonly constants: ConstantParser;
  readonly lexer: Lexer;
  readonly #values = new Map<string, Value>();
  readonly #blocks = new Map<string, Block>();
  /** Blocks that were named as targets and have not begun yet. */
  readonly #missingBlocks = new Map<string, number>();
  /** What stands in the place of a value that is defined further down. */
  readonly #forward = new Map<Value, ForwardUse>();
  /** The number that the next value or block without a name gets. */
  #next = 0;

  constructor(constants: ConstantParser) {
    this.constants = constants;
    this.lexer = constants.lexer;
  }

  /** A name for a value or block that has none. */
  nextNumber(): string {
    return String(this.#next);
  }

  defineValue(name: string, value: Value, offset: number): void {
    if (this.#values.has(name)) this.lexer.fail(`%${name} is defined twice`, offset);
    this.#values.set(name, value);
    this.#count(name);
  }

  defineBlock(name: string, offset: number): Block {
    const block = this.#blocks.get(name) ?? { name, instructions: [] };
    if (this.#blocks.has(name) && !this.#missingBlocks.delete(name)) {
      this.lexer.fail(`the block ${name} is defined twice`, offset);
    }
    this.#blocks.set(name, block);
    this.#count(name);
    return block;
  }

  value(name: string): Value | undefined {
    return this.#values.get(name);
  }

  parseTypedValue(): Value {
    return this.parseValue(this.constants.parseFirstClass());
  }

  parsePointer(): Value {
    const { offset } = this.lexer.token;
    const value = this.parseTypedValue();
    if (value.type.kind !== 'ptr') this.lexer.fail('expected a pointer', offset);
    return value;
  }

  parseValue(type: Type): Value {
    const lexer: Lexer = this.lexer;
    if (lexer.token.kind !== 'local') return this.constants.parseConstant(type);
    const { text: name, offset } = lexer.next();
    const value = this.#values.get(name);
    if (value === undefined) {
      const placeholder: Value = { kind: 'undef', type };
      this.#forward.set(placeholder, { name, type, offset });
      return placeholder;
    }
    this.#checkType(value, type, name, offset);
    return value;
  }

  /** `label %name` */
  parseTarget(): Block {
    this.lexer.expect('label');
    return this.parseBlock();
  }

  parseBlock(): Block {
    const { text: name, offset } = this.lexer.expectKind('local', 'a block');
    let block = this.#blocks.get(name);
    if (block === undefined) {
      block = { name, instructions: [] };
      this.#blocks.set(name, block);
      this.#missingBlocks.set(name, offset);
    }
    return block;
  }

  /** A comma that does not begin the attachments of the instruction. */
  acceptComma(): boolean {
    const lexer: Lexer = this.lexer;
    const { offset } = lexer.token;
    if (!lexer.accept(',')) return false;
    if (lexer.token.kind !== 'metadata') return true;
    lexer.moveTo(offset);
    return false;
  }

  /** At the end of the function: puts values in the place of those that were used before they were defined. */
  resolve(blocks: readonly Block[]): void {
    for (const [name, offset] of this.#missingBlocks) this.lexer.fail(`the block %${name} is not defined`, offset);
    if (this.#forward.size === 0) return;
    const resolved = new Map<Value, Value>();
    for (const [placeholder, { name, type, offset }] of this.#forward) {
      const value = this.#values.get(name);
      if (value === undefined) this.lexer.fail(`%${name} is not defined`, offset);
      this.#checkType(value, type, name, offset);
      resolved.set(placeholder, value);
    }
    for (const { instructions } of blocks) {
      for (const instruction of instructions) {
        for (const [i, operand] of instruction.operands.entries()) {
          const value = resolved.get(operand);
          if (value !== undefined) instruction.operands[i] = value;
        }
      }
    }
  }

  #count(name: string): void {
    if (/^[0-9]{1,9}$/.test(name)) this.#next = Math.max(this.#next, Number(name) + 1);
  }

  #checkType(value: Value, type: Type, name: string, offset: number): void {
    if (sameType(value.type, type)) return;
    this.lexer.fail(`%${name} is of type ${typeText(value.type)}, not ${typeText(type)}`, offset);
  }
}
