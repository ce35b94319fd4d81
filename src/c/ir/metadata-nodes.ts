/** Metadata as written: nodes with named fields, and tuples. Nothing of what they mean. */
import { type Lexer, unescapeText } from './lexer.ts';

/** The kind of metadata that says of a load that it is `partial` (module.ts). */
export const partialMark = 'heddle.partial';
/** Likewise of one that `copies`. */
export const copyMark = 'heddle.copy';

export type MetadataValue =
  | { readonly kind: 'reference'; readonly id: string }
  | { readonly kind: 'number'; readonly value: bigint }
  | { readonly kind: 'string'; readonly value: string }
  /** `DW_TAG_member`, `DIFlagA | DIFlagB`, `null`, `true`. */
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** A node inside a node, a typed constant, and whatever else may stand here: not looked at. */
  | { readonly kind: 'other' };

export interface MetadataNode {
  /** `DILocation`; empty for a tuple. */
  readonly name: string;
  readonly fields: ReadonlyMap<string, MetadataValue>;
  /** The elements of a tuple, and what has no field name in other nodes. */
  readonly elements: readonly MetadataValue[];
}

export function stringField(node: MetadataNode, field: string): string | undefined {
  const value = node.fields.get(field);
  return value?.kind === 'string' ? value.value : undefined;
}

export function numberField(node: MetadataNode, field: string): number | undefined {
  const value = node.fields.get(field);
  const number = value?.kind === 'number' ? Number(value.value) : undefined;
  return Number.isSafeInteger(number) ? number : undefined;
}

export function wordsField(node: MetadataNode, field: string): readonly string[] {
  const value = node.fields.get(field);
  return value?.kind === 'words' ? value.words : [];
}

/** `!{…}` or `!DIName(…)`. */
export function readNode(lexer: Lexer): MetadataNode {
  const { text: name } = lexer.expectKind('metadata', 'a metadata node');
  const fields = new Map<string, MetadataValue>();
  const elements: MetadataValue[] = [];
  if (name === '' && lexer.token.kind === 'string') {
    elements.push({ kind: 'string', value: unescapeText(lexer.next().text) });
    return { name, fields, elements };
  }
  const close = name === '' ? '}' : ')';
  lexer.expect(name === '' ? '{' : '(');
  while (!lexer.accept(close)) {
    if (lexer.token.kind === 'label') fields.set(lexer.next().text, readValue(lexer, close));
    else elements.push(readValue(lexer, close));
    if (!lexer.is(close)) lexer.expect(',');
  }
  return { name, fields, elements };
}

/** One field or element: all up to the comma or bracket that ends it. */
function readValue(lexer: Lexer, close: string): MetadataValue {
  let value: MetadataValue | undefined;
  const words: string[] = [];
  while (!lexer.is(',') && !lexer.is(close)) {
    const { kind, text } = lexer.token;
    if (kind === 'end') lexer.failToken(`‘${close}’`);
    if (kind === 'punctuation' && '([{<'.includes(text)) {
      lexer.skipBalanced();
      value = { kind: 'other' };
      continue;
    }
    lexer.next();
    if (kind === 'word') words.push(text);
    else if (kind === 'metadata' && text !== '') {
      value = /^[0-9]+$/.test(text) ? { kind: 'reference', id: text } : { kind: 'other' };
    } else if (kind === 'string') value = { kind: 'string', value: unescapeText(text) };
    else if (kind === 'integer' && !text.includes('x')) value = { kind: 'number', value: BigInt(text) };
    else if (text !== '|' && text !== '') value = { kind: 'other' };
  }
  if (words.length === 0) return value ?? { kind: 'other' };
  return value === undefined ? { kind: 'words', words } : { kind: 'other' };
}
