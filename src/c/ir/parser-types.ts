/** Types in LLVM's textual IR, and what all parts of the parser share. */
import { InputError } from '../../program/input-error.ts';
import type { SourcePosition } from '../../program/operation.ts';
import { sizeOf } from './layout.ts';
import type { Lexer } from './lexer.ts';
import type { Metadata } from './metadata.ts';
import type { FunctionType, StructType, Type } from './module.ts';
import { doubleType, floatType, pointerType, voidType } from './types.ts';

/** Types and constants nest that deep at most; deeper ones would overflow the stack sooner or later. */
const deepestNesting = 200;

/** Objects must fit into half of the address space: the other half is for local objects. */
const largestSize = 2 ** 31 - 1;

const unsupportedTypes: Readonly<Record<string, string>> = {
  half: 'the type half (_Float16)',
  bfloat: 'the type bfloat (__bf16)',
  fp128: 'the type long double',
  x86_fp80: 'the type long double (x86_fp80)',
  ppc_fp128: 'the type long double (ppc_fp128)',
  x86_mmx: 'the type x86_mmx',
  x86_amx: 'the type x86_amx',
  token: 'the type token',
  metadata: 'a metadata operand',
  target: 'a target type',
};

const otherTypes: ReadonlySet<string> = new Set(['void', 'float', 'double', 'ptr']);

interface NamedType {
  readonly type: StructType;
  readonly offset: number;
  /** Where the text goes on after the definition; undefined if only the name was met so far. */
  end: number | undefined;
  /** What it contains that is not supported. That matters only where the type is used. */
  unsupported: string | undefined;
  /** Known once all definitions were read. */
  inside: Inside | undefined;
}

/** What a type is made of. */
interface Inside {
  readonly height: number;
  readonly unsupported: string | undefined;
  readonly isOpaque: boolean;
}

const scalar: Inside = { height: 0, unsupported: undefined, isOpaque: false };

export class TypeParser {
  readonly lexer: Lexer;
  readonly metadata: Metadata;
  /** The function that is being read, to say where something is that has no position of its own. */
  scope: SourcePosition | undefined;
  readonly #named = new Map<string, NamedType>();
  #depth = 0;
  #isDefiningType = false;

  /** Reads all definitions of named types; the lexer is set back to the start. */
  constructor(lexer: Lexer, metadata: Metadata) {
    this.lexer = lexer;
    this.metadata = metadata;
    for (const { 0: match, index } of lexer.text.matchAll(/^[ \t]*%(?:"[^"\n]*"|[-\w.$]+) = type\b/gm)) {
      lexer.moveTo(index + match.indexOf('%'));
      this.#readDefinition();
    }
    for (const [name, named] of this.#named) {
      if (named.end === undefined) lexer.fail(`the type %${name} is not defined`, named.offset);
      this.#inspect(named.type, 0, named.offset);
    }
    lexer.moveTo(0);
  }

  /** Whether a type begins at the lexer. */
  startsType(): boolean {
    const { kind, text } = this.lexer.token;
    if (kind === 'local') return true;
    if (kind === 'punctuation') return text === '[' || text === '{' || text === '<';
    return kind === 'word' && (otherTypes.has(text) || Object.hasOwn(unsupportedTypes, text) || /^i[0-9]+$/.test(text));
  }

  /** A type that values have, or void, or that of a function. */
  parseType(): Type {
    const lexer: Lexer = this.lexer;
    const { offset } = lexer.token;
    return this.nested(() => {
      const type = this.#parsePlain();
      if (lexer.is('*')) lexer.fail('a pointer with a type: the text is from an LLVM before version 15', offset);
      return lexer.is('(') ? this.#functionType(type) : type;
    });
  }

  /** A type that objects in memory and values can have. */
  parseFirstClass(): Type {
    const { offset } = this.lexer.token;
    const type = this.parseType();
    if (type.kind === 'void' || type.kind === 'function')
      this.lexer.fail(`a ${type.kind} type cannot stand here`, offset);
    return type;
  }

  /** One that has a known size. */
  parseSized(): Type {
    const { offset } = this.lexer.token;
    const type = this.parseFirstClass();
    if (this.#inspect(type, 0, offset).isOpaque) this.lexer.fail('an opaque type has no size', offset);
    if (sizeOf(type) > largestSize) this.refuse('an object of 2 GiB or more', offset);
    return type;
  }

  /** `%name = type …`, which was read before. */
  skipDefinition(): void {
    const { text, offset } = this.lexer.token;
    const named = this.#named.get(text);
    if (named?.end === undefined || named.offset !== offset) this.lexer.failToken('a definition');
    this.lexer.moveTo(named.end);
  }

  /** `inner` reads something that may nest. */
  nested<T>(inner: () => T): T {
    if (++this.#depth > deepestNesting) this.lexer.fail('nested too deeply');
    try {
      return inner();
    } finally {
      this.#depth--;
    }
  }

  /**
   * Refuses what stands at an offset, with its place in the C source: that of the debug location of its line, else that
   * of the variable it declares, else that of the function.
   */
  refuse(what: string, offset: number = this.lexer.token.offset): never {
    if (this.#isDefiningType) throw new UnsupportedType(what);
    throw new Refusal(`${what} is not supported`, this.#sourceOf(offset) ?? this.lexer.positionOf(offset));
  }

  /** Where a function is defined that may not have been read yet. */
  positionOfFunction(name: string): SourcePosition | undefined {
    const { text } = this.lexer;
    for (const { index } of text.matchAll(/^define /gm)) {
      const line = text.slice(index, text.indexOf('\n', index));
      if (line.includes(` @${name}(`) || line.includes(` @"${name}"(`)) {
        return this.#positionOf(/!dbg !([0-9]+)/.exec(line)?.[1]);
      }
    }
    return undefined;
  }

  #sourceOf(offset: number): SourcePosition | undefined {
    const { text } = this.lexer;
    const start = text.lastIndexOf('\n', offset - 1) + 1;
    // An instruction's targets may stand on lines of their own, far to the right.
    const line = /.*(?:\n {8}.*)*/y;
    line.lastIndex = start;
    const instruction = line.exec(text)?.[0] ?? '';
    const own = this.#positionOf(/!dbg !([0-9]+)/.exec(instruction)?.[1]);
    if (own !== undefined) return own;
    const name = /^ *(%[-\w.$]+) = alloca /.exec(instruction)?.[1];
    const body = name === undefined ? '' : text.slice(start, text.indexOf('\n}', start));
    const declared = body.indexOf(`#dbg_declare(ptr ${name},`);
    const record = declared === -1 ? '' : body.slice(declared, body.indexOf('\n', declared));
    return this.#positionOf(/!([0-9]+)\)$/.exec(record)?.[1]) ?? this.scope;
  }

  #positionOf(id: string | undefined): SourcePosition | undefined {
    const node = id === undefined ? undefined : this.metadata.node(id);
    const variable = node?.name === 'DIGlobalVariableExpression' ? this.metadata.follow(node, 'var') : node;
    return this.metadata.positionOf(variable);
  }

  #parsePlain(): Type {
    const lexer: Lexer = this.lexer;
    const token = lexer.next();
    const { kind, text, offset } = token;
    if (kind === 'local') return this.#useNamed(text, offset);
    if (kind === 'punctuation') {
      if (text === '[') return this.#arrayType();
      if (text === '{') return this.#structType(false);
      if (text === '<' && lexer.accept('{')) {
        const type = this.#structType(true);
        lexer.expect('>');
        return type;
      }
      if (text === '<') this.refuse(lexer.is('vscale') ? 'a scalable vector type' : 'a vector type', offset);
    }
    if (kind === 'word') {
      if (/^i[0-9]+$/.test(text)) return this.#intType(Number(text.slice(1)), offset);
      switch (text) {
        case 'void':
          return voidType;
        case 'float':
          return floatType;
        case 'double':
          return doubleType;
        case 'ptr':
          if (lexer.accept('addrspace')) lexer.skipBalanced();
          return pointerType;
      }
      if (Object.hasOwn(unsupportedTypes, text)) this.refuse(unsupportedTypes[text] as string, offset);
    }
    lexer.moveTo(offset);
    lexer.failToken('a type');
  }

  #intType(bits: number, offset: number): Type {
    if (bits < 1 || bits > 2 ** 23) this.lexer.fail('no integer type has that many bits', offset);
    return { kind: 'int', bits };
  }

  #arrayType(): Type {
    const lexer: Lexer = this.lexer;
    const { offset } = lexer.token;
    const count = lexer.expectCount('the number of elements');
    if (count > 2 ** 32) this.refuse('an object of 2 GiB or more', offset);
    lexer.expect('x');
    const element = this.parseFirstClass();
    lexer.expect(']');
    return { kind: 'array', count, element };
  }

  /** After the opening brace. */
  #structType(packed: boolean): StructType {
    const fields: Type[] = [];
    if (!this.lexer.accept('}')) {
      do fields.push(this.parseFirstClass());
      while (this.lexer.accept(','));
      this.lexer.expect('}');
    }
    return { kind: 'struct', name: undefined, packed, fields };
  }

  #functionType(returns: Type): FunctionType {
    const lexer: Lexer = this.lexer;
    lexer.expect('(');
    const parameters: Type[] = [];
    let variadic = false;
    if (!lexer.accept(')')) {
      do {
        variadic = lexer.accept('...');
        if (!variadic) parameters.push(this.parseFirstClass());
      } while (!variadic && lexer.accept(','));
      lexer.expect(')');
    }
    return { kind: 'function', returns, parameters, variadic };
  }

  #readDefinition(): void {
    const lexer: Lexer = this.lexer;
    const { text: name, offset } = lexer.next();
    lexer.expect('=');
    lexer.expect('type');
    const found = this.#named.get(name);
    if (found?.end !== undefined) lexer.fail(`the type %${name} is defined twice`, offset);
    const type = found?.type ?? { kind: 'struct', name, packed: false, fields: undefined };
    const named: NamedType = { type, offset, end: undefined, unsupported: undefined, inside: undefined };
    this.#named.set(name, named);
    this.#isDefiningType = true;
    try {
      if (!lexer.accept('opaque')) {
        const body = this.parseType();
        if (body.kind !== 'struct' || body.name !== undefined) lexer.fail('expected a struct type', offset);
        type.fields = body.fields;
        // A type is made where it is named first; whether it is packed is known only now.
        (type as { packed: boolean }).packed = body.packed;
      }
    } catch (error) {
      if (!(error instanceof UnsupportedType)) throw error;
      named.unsupported = error.what;
      const end = lexer.text.indexOf('\n', offset);
      lexer.moveTo(end === -1 ? lexer.text.length : end);
    } finally {
      this.#isDefiningType = false;
    }
    named.end = lexer.token.offset;
  }

  #useNamed(name: string, offset: number): StructType {
    let named = this.#named.get(name);
    if (this.#isDefiningType) {
      if (named === undefined) {
        const type: StructType = { kind: 'struct', name, packed: false, fields: undefined };
        named = { type, offset, end: undefined, unsupported: undefined, inside: undefined };
        this.#named.set(name, named);
      }
    } else {
      if (named === undefined) this.lexer.fail(`the type %${name} is not defined`, offset);
      const reason = named.inside?.unsupported;
      if (reason !== undefined) this.refuse(`${reason} (in %${name})`, offset);
    }
    return named.type;
  }

  /** Looks into a type, into each named one once. One that contains itself is too deep. */
  #inspect(type: Type, depth: number, offset: number): Inside {
    if (depth > deepestNesting) this.lexer.fail('a type contains itself or is nested too deeply', offset);
    if (type.kind === 'array') {
      const inside = this.#inspect(type.element, depth + 1, offset);
      return { ...inside, height: inside.height + 1 };
    }
    if (type.kind !== 'struct') return scalar;
    const named = type.name === undefined ? undefined : this.#named.get(type.name);
    let inside = named?.inside;
    if (inside === undefined) {
      let { unsupported } = named ?? scalar;
      let height = 1;
      let isOpaque = type.fields === undefined;
      for (const field of type.fields ?? []) {
        const part = this.#inspect(field, depth + 1, offset);
        height = Math.max(height, part.height + 1);
        unsupported ??= part.unsupported;
        isOpaque ||= part.isOpaque;
      }
      inside = { height, unsupported, isOpaque };
      if (named !== undefined) named.inside = inside;
    }
    if (depth + inside.height > deepestNesting) this.lexer.fail('types are nested too deeply', offset);
    return inside;
  }
}

/** The text is right, but has something that we cannot check. */
export class Refusal extends InputError {}

/** Inside the definition of a named type: it is refused where the type is used. */
class UnsupportedType extends Error {
  readonly what: string;
  constructor(what: string) {
    super(what);
    this.what = what;
  }
}
