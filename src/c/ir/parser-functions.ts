/** The bodies of functions: blocks, debug records, and what is attached to instructions. */
import type { Lexer } from './lexer.ts';
import { copyMark, type MetadataNode, partialMark } from './metadata-nodes.ts';
import { type Block, type Instruction, type IrFunction, isTerminator } from './module.ts';
import type { ConstantParser } from './parser-constants.ts';
import { parseDeclare } from './parser-declare.ts';
import { parseInstruction } from './parser-instructions.ts';
import { Scope } from './parser-scope.ts';

interface Attachments {
  readonly location: MetadataNode | undefined;
  readonly loop: MetadataNode | undefined;
  readonly isPartial: boolean;
  readonly isCopy: boolean;
}

export class FunctionParser {
  readonly #constants: ConstantParser;
  readonly #lexer: Lexer;
  readonly #function: IrFunction;
  readonly #offsets: Map<Instruction, number>;
  readonly #scope: Scope;
  /** The variables that were declared, by the name of the value that points to them. */
  readonly #declared: { readonly name: string; readonly node: MetadataNode | undefined }[] = [];

  constructor(constants: ConstantParser, fn: IrFunction, offsets: Map<Instruction, number>) {
    this.#constants = constants;
    this.#lexer = constants.lexer;
    this.#function = fn;
    this.#offsets = offsets;
    this.#scope = new Scope(constants);
    for (const parameter of fn.parameters) this.#scope.defineValue(parameter.name, parameter, this.#lexer.token.offset);
  }

  /** From the opening brace to the closing one. */
  parse(): void {
    const lexer: Lexer = this.#lexer;
    const { blocks } = this.#function;
    let block: Block | undefined;
    lexer.expect('{');
    while (!lexer.accept('}')) {
      const { kind, text, offset } = lexer.token;
      if (kind === 'label') {
        if (block !== undefined) lexer.fail(`the block before ${text} has no end`, offset);
        lexer.next();
        block = this.#scope.defineBlock(text, offset);
        blocks.push(block);
      } else if (kind === 'hash') {
        this.#parseRecord();
      } else if (kind === 'word' && text.startsWith('uselistorder')) {
        while (!lexer.is('{') && lexer.token.kind !== 'end') lexer.next();
        lexer.skipBalanced();
      } else {
        if (block === undefined) {
          block = this.#scope.defineBlock(this.#scope.nextNumber(), offset);
          blocks.push(block);
        }
        const instructions = this.#parseInstruction();
        block.instructions.push(...instructions);
        const last = instructions.at(-1);
        if (last !== undefined && isTerminator(last)) block = undefined;
      }
    }
    if (block !== undefined) lexer.fail(`the block ${block.name} has no end`);
    if (blocks.length === 0) lexer.fail(`the function @${this.#function.name} has no blocks`);
    this.#scope.resolve(blocks);
    this.#attachVariables();
  }

  /** Mostly one; none if it is nothing to us. */
  #parseInstruction(): readonly Instruction[] {
    const lexer: Lexer = this.#lexer;
    const { offset } = lexer.token;
    let name: string | undefined;
    if (lexer.token.kind === 'local') {
      name = lexer.next().text;
      lexer.expect('=');
    }
    const parsed = parseInstruction(this.#scope);
    const { location, loop, isPartial, isCopy } = this.#parseAttachments();
    if (parsed.kind === 'declare') {
      this.#declared.push(parsed);
      return [];
    }
    if (parsed.kind === 'nothing') return [];
    const position = this.#constants.metadata.positionOf(location);
    if (parsed.kind === 'sequence') {
      for (const instruction of parsed.instructions) {
        instruction.position = position;
        this.#offsets.set(instruction, offset);
      }
      if (parsed.result !== undefined) this.#scope.defineValue(name ?? this.#scope.nextNumber(), parsed.result, offset);
      return parsed.instructions;
    }
    const { instruction } = parsed;
    instruction.position = position;
    if (instruction.op === 'load' && isPartial) instruction.partial = true;
    if (instruction.op === 'load' && isCopy) instruction.copies = true;
    if (instruction.op === 'br' && loop !== undefined) instruction.loopStart = this.#constants.metadata.loopStart(loop);
    if (instruction.type.kind !== 'void') {
      instruction.name = name ?? this.#scope.nextNumber();
      this.#scope.defineValue(instruction.name, instruction, offset);
    } else if (name !== undefined) {
      lexer.fail(`%${name}: the instruction has no result`, offset);
    }
    this.#offsets.set(instruction, offset);
    return [instruction];
  }

  /** `, !dbg !12, !llvm.loop !13` */
  #parseAttachments(): Attachments {
    const lexer: Lexer = this.#lexer;
    let location: MetadataNode | undefined;
    let loop: MetadataNode | undefined;
    let isPartial = false;
    let isCopy = false;
    while (lexer.accept(',')) {
      const { text: kind } = lexer.expectKind('metadata', 'metadata');
      const node = this.#constants.metadata.readOperand(lexer);
      if (kind === 'dbg') location = node;
      else if (kind === 'llvm.loop') loop = node;
      else if (kind === partialMark) isPartial = true;
      else if (kind === copyMark) isCopy = true;
    }
    return { location, loop, isPartial, isCopy };
  }

  /** `#dbg_declare(ptr %x, !1, !DIExpression(), !2)`; the other records say nothing about objects in memory. */
  #parseRecord(): void {
    const lexer: Lexer = this.#lexer;
    const { text } = lexer.next();
    if (!lexer.is('(')) lexer.failToken('‘(’');
    if (text !== 'dbg_declare') {
      lexer.skipBalanced();
      return;
    }
    lexer.next();
    const declared = parseDeclare(this.#scope);
    lexer.expect(',');
    this.#constants.metadata.readOperand(lexer);
    lexer.expect(')');
    if (declared !== undefined) this.#declared.push(declared);
  }

  #attachVariables(): void {
    for (const { name, node } of this.#declared) {
      const value = this.#scope.value(name);
      const variable = this.#constants.metadata.localVariable(node);
      if (value === undefined || variable === undefined) continue;
      if (value.kind === 'parameter') value.variable ??= variable;
      else if (value.kind === 'instruction' && value.op === 'alloca' && !this.#function.variables.has(value))
        this.#function.variables.set(value, variable);
    }
  }
}
