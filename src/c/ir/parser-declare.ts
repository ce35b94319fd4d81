/** The place of a source variable, in a debug record or in a call of `llvm.dbg.declare`. */
import type { Lexer } from './lexer.ts';
import type { MetadataNode } from './metadata-nodes.ts';
import type { Scope } from './parser-scope.ts';

/** `ptr %x, !1, !DIExpression()`; undefined if it is not the variable itself that lies there. */
export function parseDeclare(scope: Scope): { name: string; node: MetadataNode | undefined } | undefined {
  const lexer: Lexer = scope.lexer;
  const { metadata } = scope.constants;
  let name: string | undefined;
  lexer.accept('metadata');
  if (lexer.token.kind === 'metadata') {
    metadata.readOperand(lexer);
  } else {
    scope.constants.parseFirstClass();
    if (lexer.token.kind === 'local') name = lexer.next().text;
    else lexer.expectKind('word', 'the address of a variable');
  }
  lexer.expect(',');
  lexer.accept('metadata');
  const node = metadata.readOperand(lexer);
  lexer.expect(',');
  lexer.accept('metadata');
  const expression = metadata.readOperand(lexer);
  return name === undefined || expression?.elements.length !== 0 ? undefined : { name, node };
}
