/** Constants in LLVM's textual IR. */
import { type Lexer, unescapeBytes } from './lexer.ts';
import { type BinaryOp, binaryOps, type CastOp, type Constant, castOps, type Type } from './module.ts';
import { TypeParser } from './parser-types.ts';
import { pointerType, sameType, typeText } from './types.ts';

/** `ptrtoaddr` gives the address bits of a pointer: on this target, all of them. */
export const castNames: ReadonlyMap<string, CastOp> = new Map<string, CastOp>([
  ...castOps.map((op) => [op, op] as const),
  ['ptrtoaddr', 'ptrtoint'],
]);

const binaryNames: ReadonlySet<string> = new Set(binaryOps);

/** They allow an optimiser to assume more. What the instruction computes without them is one of the allowed results. */
const flags: ReadonlySet<string> = new Set([
  ...['nuw', 'nsw', 'exact', 'disjoint', 'nneg', 'samesign', 'inbounds', 'nusw', 'inrange'],
  ...['fast', 'nnan', 'ninf', 'nsz', 'arcp', 'contract', 'afn', 'reassoc'],
]);

/** Words that a constant begins with, to tell it from the attributes before it. */
const constantWords: ReadonlySet<string> = new Set([
  ...['true', 'false', 'null', 'none', 'undef', 'poison', 'zeroinitializer', 'getelementptr', 'splat', 'asm'],
  ...['blockaddress', 'dso_local_equivalent', 'no_cfi', 'ptrauth', 'addrspacecast'],
  ...binaryOps,
  ...castNames.keys(),
]);

export class ConstantParser extends TypeParser {
  /** Every use of a global name, to be looked up when all definitions are known. */
  readonly symbols: { readonly name: string; readonly offset: number }[] = [];

  /** Flags; of them only `inrange` has something in brackets. */
  skipFlags(): void {
    while (this.lexer.token.kind === 'word' && flags.has(this.lexer.token.text)) {
      const { text } = this.lexer.token;
      this.lexer.next();
      if (text === 'inrange' && this.lexer.is('(')) this.lexer.skipBalanced();
    }
  }

  /** Attributes of a parameter, argument or result. `byval`'s type is what matters. */
  parseAttributes(): { byval: Type | undefined; elementType: Type | undefined } {
    const lexer: Lexer = this.lexer;
    let byval: Type | undefined;
    let elementType: Type | undefined;
    for (;;) {
      const { kind, text } = lexer.token;
      if (kind === 'string' || kind === 'hash') {
        lexer.next();
        if (lexer.accept('=')) lexer.expectKind('string', 'the value of an attribute');
      } else if (kind === 'word' && !constantWords.has(text) && !this.startsType()) {
        lexer.next();
        if (text === 'inalloca' || text === 'preallocated') this.refuse(`the attribute ${text}`);
        if (text === 'byval' || text === 'elementtype') {
          lexer.expect('(');
          const type = this.parseSized();
          lexer.expect(')');
          if (text === 'byval') byval = type;
          else elementType = type;
        } else if (lexer.is('(')) lexer.skipBalanced();
        else if (lexer.token.kind === 'integer' && (text === 'align' || text === 'cc')) lexer.next();
      } else {
        return { byval, elementType };
      }
    }
  }

  parseTypedConstant(): Constant {
    return this.parseConstant(this.parseFirstClass());
  }

  parseConstant(type: Type): Constant {
    return this.nested(() => this.#parse(type));
  }

  parseInteger(type: Type): Constant {
    const lexer: Lexer = this.lexer;
    const { text, offset } = lexer.expectKind('integer', 'an integer');
    if (type.kind !== 'int') lexer.fail(`an integer is not of type ${typeText(type)}`, offset);
    const isHex = text.includes('x');
    let value = BigInt(isHex ? text.slice(1) : text);
    // `s0x8…` has its sign in the highest bit that is written.
    if (isHex && text[0] === 's') value = BigInt.asIntN((text.length - 3) * 4, value);
    if (BigInt.asIntN(type.bits, value) !== value && BigInt.asUintN(type.bits, value) !== value) {
      lexer.fail(`${text} does not fit into ${typeText(type)}`, offset);
    }
    return { kind: 'int-constant', type, value: normalise(type.bits, value) };
  }

  /** `@name`, in a place where its type is known to be ptr. */
  parseSymbol(): Constant {
    const { text: name, offset } = this.lexer.expectKind('global', 'a global name');
    this.symbols.push({ name, offset });
    return { kind: 'symbol', type: pointerType, name };
  }

  #parse(type: Type): Constant {
    const lexer: Lexer = this.lexer;
    const { kind, text, offset } = lexer.token;
    if (type.kind === 'void' || type.kind === 'function') lexer.fail(`no value is of type ${typeText(type)}`, offset);
    switch (kind) {
      case 'integer':
        return this.parseInteger(type);
      case 'float':
        return this.#parseFloat(type);
      case 'global':
        if (type.kind !== 'ptr') lexer.fail(`@${text} is not of type ${typeText(type)}`, offset);
        return this.parseSymbol();
      case 'bytes':
        return this.#parseBytes(type);
      case 'punctuation':
        if (text === '[' || text === '{' || text === '<') return this.#parseAggregate(type);
        break;
      case 'word':
        return this.#parseWord(type);
    }
    lexer.failToken('a value');
  }

  #parseWord(type: Type): Constant {
    const lexer: Lexer = this.lexer;
    const { text, offset } = lexer.next();
    switch (text) {
      case 'true':
      case 'false':
        if (type.kind !== 'int' || type.bits !== 1) lexer.fail(`${text} is not of type ${typeText(type)}`, offset);
        return { kind: 'int-constant', type, value: text === 'true' ? 1n : 0n };
      case 'null':
        if (type.kind !== 'ptr') lexer.fail(`null is not of type ${typeText(type)}`, offset);
        return { kind: 'null', type };
      case 'undef':
        return { kind: 'undef', type };
      case 'poison':
        return { kind: 'undef', type, isPoison: true };
      case 'zeroinitializer':
        return { kind: 'zero', type };
      case 'dso_local_equivalent':
      case 'no_cfi':
        return this.parseConstant(type);
      case 'asm':
        this.refuse('inline assembly', offset);
        break;
      case 'blockaddress':
        lexer.expect('(');
        // It often stands in an initialiser, which has no position, but names the function.
        this.scope ??= this.positionOfFunction(lexer.expectKind('global', 'a function').text);
        this.refuse('the address of a label (computed goto)', offset);
        break;
      case 'splat':
        this.refuse('a vector constant', offset);
        break;
      case 'addrspacecast':
      case 'ptrauth':
        this.refuse(`the constant expression ${text}`, offset);
    }
    const expression = this.#parseExpression(text, offset);
    if (!sameType(expression.type, type)) {
      lexer.fail(`the expression is of type ${typeText(expression.type)}, not ${typeText(type)}`, offset);
    }
    return expression;
  }

  #parseExpression(name: string, offset: number): Constant {
    const lexer: Lexer = this.lexer;
    const cast = castNames.get(name);
    if (cast === undefined && name !== 'getelementptr' && !binaryNames.has(name)) {
      lexer.moveTo(offset);
      lexer.failToken('a value');
    }
    this.skipFlags();
    lexer.expect('(');
    if (cast !== undefined) {
      const operand = this.parseTypedConstant();
      lexer.expect('to');
      const type = this.parseFirstClass();
      lexer.expect(')');
      return { kind: 'expression', type, op: cast, sourceType: undefined, operands: [operand] };
    }
    const isPointer = name === 'getelementptr';
    const sourceType = isPointer ? this.parseSized() : undefined;
    if (isPointer) lexer.expect(',');
    const operands: Constant[] = [];
    do operands.push(this.parseTypedConstant());
    while (lexer.accept(','));
    lexer.expect(')');
    const [first, second] = operands as [Constant, Constant | undefined];
    if (isPointer) {
      if (first.type.kind !== 'ptr') lexer.fail('getelementptr needs a pointer', offset);
      if (operands.slice(1).some(({ type }) => type.kind !== 'int')) lexer.fail('an index must be an integer', offset);
      return { kind: 'expression', type: pointerType, op: 'getelementptr', sourceType, operands };
    }
    if (operands.length !== 2 || !sameType(first.type, second?.type as Type)) {
      lexer.fail(`${name} needs two operands of one type`, offset);
    }
    return { kind: 'expression', type: first.type, op: name as BinaryOp, sourceType, operands };
  }

  #parseFloat(type: Type): Constant {
    const lexer: Lexer = this.lexer;
    const { text, offset } = lexer.next();
    if (type.kind !== 'float' && type.kind !== 'double') {
      lexer.fail(`a floating-point number is not of type ${typeText(type)}`, offset);
    }
    const value = text.startsWith('0x') ? fromBits(text.slice(2)) : Number(text);
    if (value === undefined) lexer.fail(`${text} is not a double`, offset);
    if (type.kind === 'float' && !Object.is(Math.fround(value), value)) {
      lexer.fail(`${text} is not exactly a float`, offset);
    }
    return { kind: 'float-constant', type, value };
  }

  #parseBytes(type: Type): Constant {
    const { text, offset } = this.lexer.next();
    const bytes = unescapeBytes(text);
    const isBytes = type.kind === 'array' && type.element.kind === 'int' && type.element.bits === 8;
    if (!isBytes || type.count !== bytes.length) {
      this.lexer.fail(`a string of ${bytes.length} bytes is not of type ${typeText(type)}`, offset);
    }
    return { kind: 'bytes', type, bytes };
  }

  #parseAggregate(type: Type): Constant {
    const lexer: Lexer = this.lexer;
    const { text: open, offset } = lexer.next();
    const isPacked = open === '<';
    if (isPacked && !lexer.accept('{')) this.refuse('a vector constant', offset);
    const isArray = open === '[';
    const close = isArray ? ']' : '}';
    const elements: Constant[] = [];
    if (!lexer.accept(close)) {
      do elements.push(this.parseTypedConstant());
      while (lexer.accept(','));
      lexer.expect(close);
    }
    if (isPacked) lexer.expect('>');
    const expected = partTypes(type);
    const fits =
      isArray === (type.kind === 'array') &&
      (type.kind !== 'struct' || type.packed === isPacked) &&
      elements.length === expected?.length &&
      elements.every((element, i) => sameType(element.type, expected.at(i)));
    if (!fits) lexer.fail(`the constant is not of type ${typeText(type)}`, offset);
    return { kind: 'aggregate', type, elements };
  }
}

/** The types of the parts of an aggregate. */
function partTypes(type: Type): { length: number; at(i: number): Type } | undefined {
  if (type.kind === 'array') return { length: type.count, at: () => type.element };
  const fields = type.kind === 'struct' ? type.fields : undefined;
  return fields && { length: fields.length, at: (i) => fields[i] as Type };
}

/** As constants hold it: signed, but i1 is 0 or 1. */
function normalise(bits: number, value: bigint): bigint {
  return bits === 1 ? BigInt.asUintN(1, value) : BigInt.asIntN(bits, value);
}

/** A double from its bits in hexadecimal: floats are written so too. */
function fromBits(hex: string): number | undefined {
  if (!/^[0-9a-fA-F]{1,16}$/.test(hex)) return undefined;
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${hex}`));
  return view.getFloat64(0);
}
