/**
 * Debug information: where instructions come from, and the variables and types of the source. What is missing or makes
 * no sense gives no position or no type; only text that cannot be read as metadata is an error.
 */
import type { SourcePosition } from '../../program/operation.ts';
import type { CType } from './debug.ts';
import { DebugTypes } from './debug-types.ts';
import type { Lexer } from './lexer.ts';
import { type MetadataNode, numberField, readNode, stringField } from './metadata-nodes.ts';
import type { LocalVariable } from './module.ts';

/** Scopes and qualifiers are followed that far; real chains are a few dozen long. */
const longestChain = 1000;

export class Metadata {
  readonly #nodes = new Map<string, MetadataNode>();
  /** Where the text goes on after the definition that starts at an offset. */
  readonly #ends = new Map<number, number>();
  readonly #types: DebugTypes;

  /** Reads all definitions of a module. Each begins a line; the lexer is left anywhere. */
  constructor(lexer: Lexer) {
    for (const { index } of lexer.text.matchAll(/^![0-9]+ *=/gm)) {
      lexer.moveTo(index);
      this.readDefinition(lexer);
    }
    this.#types = new DebugTypes(this);
  }

  /** `!12 = …`, at the lexer; skipped if it was read before. */
  readDefinition(lexer: Lexer): void {
    const { offset } = lexer.token;
    const end = this.#ends.get(offset);
    if (end !== undefined) {
      lexer.moveTo(end);
      return;
    }
    const id = lexer.next().text;
    lexer.expect('=');
    lexer.accept('distinct');
    const node = readNode(lexer);
    if (this.#nodes.has(id)) lexer.fail(`!${id} is defined twice`, offset);
    this.#nodes.set(id, node);
    this.#ends.set(offset, lexer.token.offset);
  }

  /** `!12` or `!DILocation(…)`, as attached to an instruction. */
  readOperand(lexer: Lexer): MetadataNode | undefined {
    if (/^[0-9]+$/.test(lexer.token.text)) return this.#nodes.get(lexer.next().text);
    return readNode(lexer);
  }

  node(id: string): MetadataNode | undefined {
    return this.#nodes.get(id);
  }

  /** The node that a field refers to. */
  follow(node: MetadataNode, field: string): MetadataNode | undefined {
    const value = node.fields.get(field);
    return value?.kind === 'reference' ? this.#nodes.get(value.id) : undefined;
  }

  tuple(node: MetadataNode, field: string): readonly MetadataNode[] {
    return this.#elements(this.follow(node, field));
  }

  /** Where the loop begins whose back edge has this `!llvm.loop`. */
  loopStart(node: MetadataNode | undefined): SourcePosition | undefined {
    return this.positionOf(this.#elements(node).find(({ name }) => name === 'DILocation'));
  }

  #elements(node: MetadataNode | undefined): readonly MetadataNode[] {
    return (node?.elements ?? []).flatMap((element) => {
      const found = element.kind === 'reference' ? this.#nodes.get(element.id) : undefined;
      return found === undefined ? [] : [found];
    });
  }

  /** The place of a location, function, variable: anything with a line and a file, or a scope that has one. */
  positionOf(node: MetadataNode | undefined): SourcePosition | undefined {
    const line = node && numberField(node, 'line');
    if (node === undefined || line === undefined || line < 1) return undefined;
    let scope: MetadataNode | undefined = node;
    for (let i = 0; scope !== undefined && i < longestChain; i++) {
      const file = this.follow(scope, 'file');
      const name = file && stringField(file, 'filename');
      if (name !== undefined && name !== '') {
        return { file: name, line, column: Math.max(1, numberField(node, 'column') ?? 1) };
      }
      scope = this.follow(scope, 'scope');
    }
    return undefined;
  }

  /** Where a function or variable is declared: debug information has the line alone. */
  declarationOf(node: MetadataNode | undefined): SourcePosition | undefined {
    const position = this.positionOf(node);
    return position && { ...position, column: 1 };
  }

  /** What a DILocalVariable says. */
  localVariable(node: MetadataNode | undefined): LocalVariable | undefined {
    const name = node && stringField(node, 'name');
    return node === undefined || name === undefined ? undefined : { name, type: this.#types.ofField(node, 'type') };
  }

  /** What a DIGlobalVariableExpression, or the variable itself, says. */
  globalVariable(node: MetadataNode | undefined): {
    sourceName: string | undefined;
    debugType: CType | undefined;
    position: SourcePosition | undefined;
  } {
    const variable = node?.name === 'DIGlobalVariableExpression' ? this.follow(node, 'var') : node;
    if (variable?.name !== 'DIGlobalVariable') {
      return { sourceName: undefined, debugType: undefined, position: undefined };
    }
    return {
      sourceName: stringField(variable, 'name'),
      debugType: this.#types.ofField(variable, 'type'),
      position: this.declarationOf(variable),
    };
  }
}
