/** Reads LLVM's textual IR, as clang 22 writes it. Everything that is wrong with the text ends in an InputError. */
import { InputError } from '../../program/input-error.ts';
import { READ_CLOCK } from './assembly.ts';
import { alignOf } from './layout.ts';
import { Lexer, unescapeText } from './lexer.ts';
import { Metadata } from './metadata.ts';
import type { MetadataNode } from './metadata-nodes.ts';
import type { FunctionType, GlobalVariable, Instruction, IrFunction, Module, Parameter, Type } from './module.ts';
import { ConstantParser } from './parser-constants.ts';
import { FunctionParser } from './parser-functions.ts';
import { parseAlignment } from './parser-instructions.ts';
import { Refusal } from './parser-types.ts';
import { REFUSED_ASSEMBLY } from './refused-assembly.ts';
import { i8, voidType } from './types.ts';
import { findProblems } from './verifier.ts';

/** With what each linkage means to us. */
const linkages: Readonly<Record<string, { isInternal: boolean; isWeak: boolean }>> = {
  external: { isInternal: false, isWeak: false },
  internal: { isInternal: true, isWeak: false },
  private: { isInternal: true, isWeak: false },
  weak: { isInternal: false, isWeak: true },
  weak_odr: { isInternal: false, isWeak: true },
  linkonce: { isInternal: false, isWeak: true },
  linkonce_odr: { isInternal: false, isWeak: true },
  common: { isInternal: false, isWeak: true },
  extern_weak: { isInternal: false, isWeak: true },
  available_externally: { isInternal: false, isWeak: true },
  appending: { isInternal: false, isWeak: false },
};

/** The words that begin something at the top level: where the attributes of a declaration end. */
const topLevelWords: ReadonlySet<string> = new Set([
  ...['define', 'declare', 'attributes', 'target', 'source_filename', 'module', 'uselistorder', 'uselistorder_bb'],
]);

export function parseModule(text: string, name: string): Module {
  return new ModuleParser(text, name).parse();
}

class ModuleParser {
  readonly #lexer: Lexer;
  readonly #metadata: Metadata;
  readonly #constants: ConstantParser;
  readonly #module: Module & { readonly weakAliases: Set<string> };
  readonly #aliasOffsets = new Map<string, number>();
  /** Where instructions stand, for what is found out about them later. */
  readonly #offsets = new Map<Instruction, number>();

  constructor(text: string, name: string) {
    this.#lexer = new Lexer(text, name);
    this.#metadata = new Metadata(this.#lexer);
    this.#constants = new ConstantParser(this.#lexer, this.#metadata);
    this.#module = { name, functions: new Map(), globals: new Map(), aliases: new Map(), weakAliases: new Set() };
  }

  parse(): Module {
    while (this.#lexer.token.kind !== 'end') this.#parseEntry();
    this.#declareForAssembly();
    this.#checkSymbols();
    const [problem] = findProblems(this.#module);
    if (problem !== undefined) {
      const offset = problem.instruction && this.#offsets.get(problem.instruction);
      const position = offset === undefined ? undefined : this.#lexer.positionOf(offset);
      throw new InputError(problem.message, position ?? { file: this.#module.name, line: 1, column: 1 });
    }
    return this.#module;
  }

  #parseEntry(): void {
    const lexer: Lexer = this.#lexer;
    const { kind, text } = lexer.token;
    if (kind === 'global') this.#parseGlobal();
    else if (kind === 'local') this.#constants.skipDefinition();
    else if (kind === 'metadata') this.#parseMetadata();
    else if (kind === 'comdat') this.#skipComdat();
    else if (kind === 'summary') this.#skipSummary();
    else if (kind === 'word' && text === 'define') this.#parseDefinition();
    else if (kind === 'word' && text === 'declare') this.#parseDeclaration();
    else if (kind === 'word' && text === 'target') this.#parseTarget();
    else if (kind === 'word' && text === 'source_filename') {
      lexer.next();
      lexer.expect('=');
      lexer.expectKind('string', 'a file name');
    } else if (kind === 'word' && text === 'attributes') {
      lexer.next();
      lexer.expectKind('hash', 'an attribute group');
      lexer.expect('=');
      if (!lexer.is('{')) lexer.failToken('‘{’');
      lexer.skipBalanced();
    } else if (kind === 'word' && text.startsWith('uselistorder')) {
      lexer.next();
      while (!lexer.is('{') && lexer.token.kind !== 'end') lexer.next();
      lexer.skipBalanced();
    } else if (kind === 'word' && text === 'module') this.#constants.refuse('assembly at file level');
    else lexer.failToken('a definition');
  }

  /** `!0 = …` was read before; `!llvm.ident = !{…}` does not matter. */
  #parseMetadata(): void {
    const lexer: Lexer = this.#lexer;
    if (/^[0-9]+$/.test(lexer.token.text)) {
      this.#metadata.readDefinition(lexer);
      return;
    }
    lexer.next();
    lexer.expect('=');
    lexer.expectKind('metadata', 'a metadata tuple');
    if (!lexer.is('{')) lexer.failToken('‘{’');
    lexer.skipBalanced();
  }

  #skipComdat(): void {
    this.#lexer.next();
    this.#lexer.expect('=');
    this.#lexer.expect('comdat');
    this.#lexer.expectKind('word', 'a kind of comdat');
  }

  #skipSummary(): void {
    const lexer: Lexer = this.#lexer;
    lexer.next();
    lexer.expect('=');
    lexer.expectKind('label', 'a kind of summary');
    if (lexer.is('(')) lexer.skipBalanced();
    else lexer.next();
  }

  #parseTarget(): void {
    const lexer: Lexer = this.#lexer;
    lexer.next();
    const { text: what } = lexer.expectKind('word', '‘triple’ or ‘datalayout’');
    lexer.expect('=');
    const { text, offset } = lexer.expectKind('string', 'a string');
    if (what === 'datalayout' && !/^e-.*\bp:32:32/.test(text)) {
      lexer.fail('the file is for another target: it must be compiled with --target=wasm32-wasip1', offset);
    }
  }

  #parseGlobal(): void {
    const lexer: Lexer = this.#lexer;
    const constants = this.#constants;
    const { text: name, offset } = lexer.next();
    lexer.expect('=');
    const { linkage, isThreadLocal } = this.#parseLinkage();
    if (lexer.is('alias') || lexer.is('ifunc')) {
      this.#parseAlias(name, offset, linkage);
      return;
    }
    const isConstant = lexer.is('constant');
    if (!lexer.accept('constant')) lexer.expect('global');
    const isDeclared = linkage === 'external' || linkage === 'extern_weak';
    const type = isDeclared ? this.#parseDeclaredType() : constants.parseSized();
    const initializer = isDeclared ? undefined : constants.parseConstant(type);
    let align: number | undefined;
    let section: string | undefined;
    let debug: MetadataNode | undefined;
    while (lexer.accept(',')) {
      if (lexer.accept('align')) align = parseAlignment(constants);
      else if (lexer.accept('section')) section = unescapeText(lexer.expectKind('string', 'a section').text);
      else if (lexer.token.kind === 'metadata') debug = this.#parseAttachment() ?? debug;
      else this.#skipProperty();
    }
    // They hold a list for the linker of what it must not remove.
    if (section === 'llvm.metadata') return;
    const global: GlobalVariable = {
      name,
      type,
      initializer,
      isConstant,
      isThreadLocal,
      ...linkages[linkage ?? 'external']!,
      align: align ?? (isDeclared ? 1 : alignOf(type)),
      ...this.#metadata.globalVariable(debug),
    };
    this.#checkNew(name, offset);
    this.#module.globals.set(name, global);
  }

  /** As with functions, a type that is not supported matters only where the variable is defined or accessed. */
  #parseDeclaredType(): Type {
    const lexer: Lexer = this.#lexer;
    const { offset } = lexer.token;
    try {
      return this.#constants.parseFirstClass();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      lexer.moveTo(offset);
      if (lexer.token.kind === 'punctuation') lexer.skipBalanced();
      else lexer.next();
      return i8;
    }
  }

  /** Linkage, visibility and the like, up to the word that says what is defined. */
  #parseLinkage(): { linkage: string | undefined; isThreadLocal: boolean } {
    const lexer: Lexer = this.#lexer;
    let linkage: string | undefined;
    let isThreadLocal = false;
    while (!lexer.is('global') && !lexer.is('constant') && !lexer.is('alias') && !lexer.is('ifunc')) {
      const { text } = lexer.expectKind('word', '‘global’ or ‘constant’');
      if (Object.hasOwn(linkages, text)) linkage = text;
      if (text === 'thread_local') isThreadLocal = true;
      if (lexer.is('(')) lexer.skipBalanced();
    }
    return { linkage, isThreadLocal };
  }

  #parseAlias(name: string, offset: number, linkage: string | undefined): void {
    const lexer: Lexer = this.#lexer;
    if (lexer.next().text === 'ifunc') this.#constants.refuse(`an indirect function (ifunc ${name})`, offset);
    this.#constants.parseType();
    lexer.expect(',');
    const target = this.#constants.parseTypedConstant();
    if (target.kind !== 'symbol') this.#constants.refuse('an alias for a part of an object', offset);
    while (lexer.accept(',')) this.#skipProperty();
    this.#checkNew(name, offset);
    this.#module.aliases.set(name, target.name);
    this.#aliasOffsets.set(name, offset);
    if (linkages[linkage ?? 'external']!.isWeak) this.#module.weakAliases.add(name);
  }

  /** After a comma: `partition "…"`, `comdat($c)`, `!type !0`, `no_sanitize_address`. */
  #skipProperty(): void {
    const lexer: Lexer = this.#lexer;
    if (lexer.token.kind === 'metadata') {
      this.#parseAttachment();
      return;
    }
    lexer.expectKind('word', 'a property');
    if (lexer.is('(')) lexer.skipBalanced();
    else if (lexer.token.kind === 'string' || lexer.token.kind === 'integer') lexer.next();
  }

  /** `!dbg !0`; the node if it is a `dbg` one. */
  #parseAttachment(): MetadataNode | undefined {
    const { text: kind } = this.#lexer.next();
    const node = this.#metadata.readOperand(this.#lexer);
    return kind === 'dbg' ? node : undefined;
  }

  #parseDeclaration(): void {
    const lexer: Lexer = this.#lexer;
    const { offset } = lexer.next();
    while (lexer.token.kind === 'metadata') this.#parseAttachment();
    const linkage = this.#parseFunctionPrefix();
    const heading = this.#parseDeclaredHeading();
    this.#skipFunctionSuffix();
    this.#checkNew(heading.name, offset);
    this.#addFunction(heading, linkage);
  }

  /**
   * A declaration may have types that are not supported: that matters only where the function is called. It is then as if
   * it had been declared without parameters.
   */
  #parseDeclaredHeading(): Heading {
    const lexer: Lexer = this.#lexer;
    const { offset } = lexer.token;
    try {
      return this.#parseHeading();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      lexer.moveTo(offset);
      while (lexer.token.kind !== 'global' && lexer.token.kind !== 'end') lexer.next();
      const { text: name } = lexer.expectKind('global', 'a function name');
      if (!lexer.is('(')) lexer.failToken('‘(’');
      lexer.skipBalanced();
      const signature: FunctionType = { kind: 'function', returns: voidType, parameters: [], variadic: true };
      return { name, signature, parameters: [] };
    }
  }

  #parseDefinition(): void {
    const lexer: Lexer = this.#lexer;
    const { offset } = lexer.next();
    const constants = this.#constants;
    const line = lexer.text.slice(offset, lexer.text.indexOf('\n', offset));
    const id = /!dbg !([0-9]+)/.exec(line)?.[1];
    const position = id === undefined ? undefined : this.#metadata.declarationOf(this.#metadata.node(id));
    constants.scope = position;
    const linkage = this.#parseFunctionPrefix();
    const heading = this.#parseHeading();
    const debug = this.#skipFunctionSuffix();
    if (!lexer.is('{')) lexer.failToken('the body of the function');
    this.#checkNew(heading.name, offset);
    const fn = this.#addFunction(heading, linkage, debug);
    new FunctionParser(constants, fn, this.#offsets).parse();
    constants.scope = undefined;
  }

  /** What is called in the place of assembly has been declared nowhere. */
  #declareForAssembly(): void {
    const blocks = [...this.#module.functions.values()].flatMap((fn) => fn.blocks);
    for (const instruction of blocks.flatMap(({ instructions }) => instructions)) {
      const [callee] = instruction.op === 'call' ? instruction.operands : [];
      if (callee?.kind !== 'symbol' || this.#module.functions.has(callee.name)) continue;
      if (callee.name !== READ_CLOCK && !callee.name.startsWith(REFUSED_ASSEMBLY)) continue;
      const signature: FunctionType = { kind: 'function', returns: instruction.type, parameters: [], variadic: false };
      this.#addFunction({ name: callee.name, signature, parameters: [] }, undefined);
    }
  }

  /** Linkage, visibility, calling convention and attributes of the result, up to the result's type. */
  #parseFunctionPrefix(): string | undefined {
    const lexer: Lexer = this.#lexer;
    let linkage: string | undefined;
    while (!this.#constants.startsType()) {
      const { offset } = lexer.token;
      if (Object.hasOwn(linkages, lexer.token.text)) linkage = lexer.next().text;
      else this.#constants.parseAttributes();
      if (lexer.token.offset === offset) lexer.failToken('the type of the result');
    }
    return linkage;
  }

  #parseHeading(): Heading {
    const lexer: Lexer = this.#lexer;
    const start = lexer.token.offset;
    const returns = this.#constants.parseType();
    if (returns.kind === 'function') lexer.fail('a function cannot return a function', start);
    const { text: name } = lexer.expectKind('global', 'a function name');
    const parameters: Parameter[] = [];
    let variadic = false;
    let unnamed = 0;
    lexer.expect('(');
    if (!lexer.accept(')')) {
      do {
        variadic = lexer.accept('...');
        if (variadic) break;
        const type = this.#constants.parseFirstClass();
        const { byval } = this.#constants.parseAttributes();
        const parameterName = lexer.token.kind === 'local' ? lexer.next().text : String(unnamed);
        if (parameterName === String(unnamed)) unnamed++;
        parameters.push({ kind: 'parameter', type, name: parameterName, index: parameters.length, byval });
      } while (lexer.accept(','));
      lexer.expect(')');
    }
    const types = parameters.map(({ type }) => type);
    return { name, signature: { kind: 'function', returns, parameters: types, variadic }, parameters };
  }

  /** All that may follow the parameters; the debug information of the function is what matters. */
  #skipFunctionSuffix(): MetadataNode | undefined {
    const lexer: Lexer = this.#lexer;
    let debug: MetadataNode | undefined;
    for (;;) {
      const { kind, text, offset } = lexer.token;
      if (kind === 'metadata') {
        // In a declaration's place: what begins here may be the metadata of the module.
        if (/^[0-9]*$/.test(text)) return debug;
        lexer.next();
        if (lexer.is('=')) {
          lexer.moveTo(offset);
          return debug;
        }
        const node = this.#metadata.readOperand(lexer);
        if (text === 'dbg') debug = node;
      } else if (kind === 'word' && (text === 'personality' || text === 'prefix' || text === 'prologue')) {
        lexer.next();
        this.#constants.parseTypedConstant();
      } else if (kind === 'word' && !topLevelWords.has(text)) {
        lexer.next();
        if (lexer.is('(')) lexer.skipBalanced();
      } else if (
        kind === 'hash' ||
        kind === 'string' ||
        kind === 'integer' ||
        (kind === 'punctuation' && text === '=')
      ) {
        lexer.next();
      } else {
        return debug;
      }
    }
  }

  #addFunction(
    { name, signature, parameters }: Heading,
    linkage: string | undefined,
    debug?: MetadataNode,
  ): IrFunction {
    const fn: IrFunction = {
      name,
      signature,
      parameters,
      blocks: [],
      position: this.#metadata.declarationOf(debug),
      ...linkages[linkage ?? 'external']!,
      variables: new Map(),
    };
    this.#module.functions.set(name, fn);
    return fn;
  }

  #checkNew(name: string, offset: number): void {
    const { functions, globals, aliases } = this.#module;
    if (functions.has(name) || globals.has(name) || aliases.has(name)) {
      this.#lexer.fail(`@${name} is defined twice`, offset);
    }
  }

  #checkSymbols(): void {
    const { functions, globals, aliases } = this.#module;
    for (const { name, offset } of this.#constants.symbols) {
      if (!functions.has(name) && !globals.has(name) && !aliases.has(name)) {
        this.#lexer.fail(`@${name} is not defined`, offset);
      }
    }
    for (const [name, offset] of this.#aliasOffsets) {
      const seen = new Set<string>();
      for (let at: string | undefined = name; at !== undefined; at = aliases.get(at)) {
        if (seen.has(at)) this.#lexer.fail(`the alias @${name} stands for itself`, offset);
        seen.add(at);
      }
    }
  }
}

interface Heading {
  readonly name: string;
  readonly signature: FunctionType;
  readonly parameters: readonly Parameter[];
}
