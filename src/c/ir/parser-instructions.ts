/** Instructions in LLVM's textual IR. */
import { translateAssembly } from './assembly.ts';
import { alignOf } from './layout.ts';
import { type Lexer, unescapeText } from './lexer.ts';
import type { MetadataNode } from './metadata-nodes.ts';
import {
  assumeReasons,
  type BinaryOp,
  type Block,
  binaryOps,
  type CastOp,
  type FloatPredicate,
  type FunctionType,
  floatPredicates,
  type Instruction,
  type IntPredicate,
  intPredicates,
  type Ordering,
  type Type,
  type UpdateOp,
  updateOps,
  type Value,
} from './module.ts';
import { castNames } from './parser-constants.ts';
import { parseDeclare } from './parser-declare.ts';
import type { Scope } from './parser-scope.ts';
import { REFUSED_ASSEMBLY } from './refused-assembly.ts';
import { i1, i32, partType, pointerType, typeText, voidType } from './types.ts';

export type Parsed =
  | { readonly kind: 'instruction'; readonly instruction: Instruction }
  /** A call that only tells a debugger where a variable lies. */
  | { readonly kind: 'declare'; readonly name: string; readonly node: MetadataNode | undefined }
  /** Several in the place of one; the result of the last line of the text is `result`. */
  | { readonly kind: 'sequence'; readonly instructions: readonly Instruction[]; readonly result: Value | undefined }
  | { readonly kind: 'nothing' };

type Parser = (scope: Scope, op: string, offset: number) => Instruction | Parsed;

const orderings: ReadonlySet<string> = new Set(['unordered', 'monotonic', 'acquire', 'release', 'acq_rel', 'seq_cst']);

const refused: Readonly<Record<string, string>> = {
  indirectbr: 'a computed goto (indirectbr)',
  callbr: 'asm goto (callbr)',
  invoke: 'exception handling (invoke)',
  landingpad: 'exception handling (landingpad)',
  resume: 'exception handling (resume)',
  catchswitch: 'exception handling (catchswitch)',
  catchpad: 'exception handling (catchpad)',
  catchret: 'exception handling (catchret)',
  cleanuppad: 'exception handling (cleanuppad)',
  cleanupret: 'exception handling (cleanupret)',
  extractelement: 'a vector operation (extractelement)',
  insertelement: 'a vector operation (insertelement)',
  shufflevector: 'a vector operation (shufflevector)',
  addrspacecast: 'a cast between address spaces (addrspacecast)',
};

/** One instruction without its name and attachments. */
export function parseInstruction(scope: Scope): Parsed {
  const lexer: Lexer = scope.lexer;
  const { kind, text, offset } = lexer.token;
  if (kind !== 'word') lexer.failToken('an instruction');
  if (Object.hasOwn(refused, text)) scope.constants.refuse(refused[text] as string, offset);
  const parser = parsers.get(text);
  if (parser === undefined) lexer.failToken('an instruction');
  lexer.next();
  const parsed = parser(scope, text, offset);
  return parsed.kind === 'instruction' && 'op' in parsed
    ? { kind: 'instruction', instruction: parsed }
    : (parsed as Parsed);
}

/** What all instructions have; the name and the place come later. */
function base(type: Type, operands: Value[]) {
  return { kind: 'instruction', type, name: '', position: undefined, operands } as const;
}

const parsers: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  ...binaryOps.map((op): [string, Parser] => [op, parseBinary]),
  ...[...castNames.keys()].map((op): [string, Parser] => [op, parseCast]),
  ['fneg', parseUnary],
  ['freeze', parseUnary],
  ['icmp', parseIntCompare],
  ['fcmp', parseFloatCompare],
  ['select', parseSelect],
  ['phi', parsePhi],
  ['alloca', parseAlloca],
  ['load', parseLoad],
  ['store', parseStore],
  ['atomicrmw', parseUpdate],
  ['cmpxchg', parseExchange],
  ['fence', parseFence],
  ['getelementptr', parseElementPointer],
  ['extractvalue', parseExtract],
  ['insertvalue', parseInsert],
  ['call', parseCall],
  ['tail', parseCall],
  ['musttail', parseCall],
  ['notail', parseCall],
  ['va_arg', parseVariadic],
  ['br', parseBranch],
  ['switch', parseSwitch],
  ['ret', parseReturn],
  ['unreachable', () => ({ ...base(voidType, []), op: 'unreachable' })],
  ['defined', parseDefined],
  ['assume', parseAssume],
  ['bound', parseBound],
  ['performed', () => ({ ...base(i32, []), op: 'performed' })],
  ['visit', parseVisit],
]);

function parseBinary(scope: Scope, op: string): Instruction {
  scope.constants.skipFlags();
  const left = scope.parseTypedValue();
  scope.lexer.expect(',');
  const right = scope.parseValue(left.type);
  return { ...base(left.type, [left, right]), op: op as BinaryOp };
}

function parseCast(scope: Scope, op: string): Instruction {
  scope.constants.skipFlags();
  const value = scope.parseTypedValue();
  scope.lexer.expect('to');
  return { ...base(scope.constants.parseFirstClass(), [value]), op: castNames.get(op) as CastOp };
}

function parseUnary(scope: Scope, op: string): Instruction {
  scope.constants.skipFlags();
  const value = scope.parseTypedValue();
  return { ...base(value.type, [value]), op: op as 'fneg' | 'freeze' };
}

function parseIntCompare(scope: Scope): Instruction {
  scope.constants.skipFlags();
  const predicate = parseWordOf<IntPredicate>(scope, intPredicates, 'a comparison of integers');
  return { ...base(i1, parsePair(scope)), op: 'icmp', predicate };
}

function parseFloatCompare(scope: Scope): Instruction {
  scope.constants.skipFlags();
  const predicate = parseWordOf<FloatPredicate>(scope, floatPredicates, 'a comparison of floating-point numbers');
  return { ...base(i1, parsePair(scope)), op: 'fcmp', predicate };
}

function parsePair(scope: Scope): [Value, Value] {
  const left = scope.parseTypedValue();
  scope.lexer.expect(',');
  return [left, scope.parseValue(left.type)];
}

function parseWordOf<T extends string>(scope: Scope, words: readonly T[], what: string): T {
  const { kind, text } = scope.lexer.token;
  if (kind !== 'word' || !words.includes(text as T)) scope.lexer.failToken(what);
  return scope.lexer.next().text as T;
}

function parseSelect(scope: Scope): Instruction {
  scope.constants.skipFlags();
  const condition = scope.parseTypedValue();
  scope.lexer.expect(',');
  const then = scope.parseTypedValue();
  scope.lexer.expect(',');
  const otherwise = scope.parseTypedValue();
  return { ...base(then.type, [condition, then, otherwise]), op: 'select' };
}

function parsePhi(scope: Scope): Instruction {
  const lexer: Lexer = scope.lexer;
  scope.constants.skipFlags();
  const type = scope.constants.parseFirstClass();
  const operands: Value[] = [];
  const blocks: Block[] = [];
  do {
    lexer.expect('[');
    operands.push(scope.parseValue(type));
    lexer.expect(',');
    blocks.push(scope.parseBlock());
    lexer.expect(']');
  } while (scope.acceptComma());
  return { ...base(type, operands), op: 'phi', blocks };
}

function parseAlloca(scope: Scope): Instruction {
  const lexer: Lexer = scope.lexer;
  if (lexer.is('inalloca')) scope.constants.refuse('the attribute inalloca');
  const allocated = scope.constants.parseSized();
  let align = alignOf(allocated);
  const operands: Value[] = [];
  while (scope.acceptComma()) {
    if (lexer.accept('align')) align = parseAlignment(scope);
    else if (lexer.accept('addrspace')) lexer.skipBalanced();
    else if (operands.length === 0) operands.push(scope.parseTypedValue());
    else lexer.failToken('‘align’');
  }
  return { ...base(pointerType, operands), op: 'alloca', allocated, align };
}

function parseLoad(scope: Scope): Instruction {
  const lexer: Lexer = scope.lexer;
  const waiting = parseAwait(scope);
  const isAtomic = lexer.accept('atomic');
  const volatile = lexer.accept('volatile');
  const type = scope.constants.parseSized();
  lexer.expect(',');
  const pointer = scope.parsePointer();
  const ordering = isAtomic ? parseAccessOrdering(scope) : 'notatomic';
  const align = parseAlign(scope) ?? alignOf(type);
  return { ...base(type, [pointer]), ...waiting, op: 'load', ordering, volatile, align };
}

function parseStore(scope: Scope): Instruction {
  const lexer: Lexer = scope.lexer;
  const isAtomic = lexer.accept('atomic');
  const volatile = lexer.accept('volatile');
  const value = scope.parseValue(scope.constants.parseSized());
  lexer.expect(',');
  const pointer = scope.parsePointer();
  const ordering = isAtomic ? parseAccessOrdering(scope) : 'notatomic';
  const align = parseAlign(scope) ?? alignOf(value.type);
  return { ...base(voidType, [value, pointer]), op: 'store', ordering, volatile, align };
}

function parseUpdate(scope: Scope): Instruction {
  const lexer: Lexer = scope.lexer;
  const waiting = parseAwait(scope);
  lexer.accept('volatile');
  const { kind, text, offset } = lexer.token;
  if (kind === 'word' && !updateOps.includes(text as UpdateOp)) scope.constants.refuse(`atomicrmw ${text}`, offset);
  const operation = lexer.expectKind('word', 'an operation').text as UpdateOp;
  const pointer = scope.parsePointer();
  lexer.expect(',');
  const operand = scope.parseValue(scope.constants.parseSized());
  const ordering = parseAccessOrdering(scope);
  const align = parseAlign(scope) ?? alignOf(operand.type);
  return { ...base(operand.type, [pointer, operand]), ...waiting, op: 'atomicrmw', operation, ordering, align };
}

function parseExchange(scope: Scope): Instruction {
  const lexer: Lexer = scope.lexer;
  const waiting = parseAwait(scope);
  const weak = lexer.accept('weak');
  lexer.accept('volatile');
  const pointer = scope.parsePointer();
  lexer.expect(',');
  const expected = scope.parseValue(scope.constants.parseSized());
  lexer.expect(',');
  const desired = scope.parseTypedValue();
  const isSingle = parseSyncScope(scope);
  const [ordering, failureOrdering] = [parseOrdering(scope), parseOrdering(scope)].map(
    (each): Ordering => (isSingle ? 'monotonic' : each),
  ) as [Ordering, Ordering];
  const align = parseAlign(scope) ?? alignOf(expected.type);
  const type: Type = { kind: 'struct', name: undefined, packed: false, fields: [expected.type, i1] };
  const exchange = { ordering, failureOrdering, weak, align };
  return { ...base(type, [pointer, expected, desired]), ...waiting, op: 'cmpxchg', ...exchange };
}

function parseFence(scope: Scope): Instruction {
  const isSignal = parseSyncScope(scope);
  return { ...base(voidType, []), op: 'fence', ordering: parseOrdering(scope), isSignal };
}

/** The order of an access. One that its own thread alone is to take for more than relaxed is relaxed to the others. */
function parseAccessOrdering(scope: Scope): Ordering {
  const isSingle = parseSyncScope(scope);
  const ordering = parseOrdering(scope);
  return isSingle && ordering !== 'unordered' ? 'monotonic' : ordering;
}

/** `syncscope("singlethread")`; whether it is that one, others are all threads. */
function parseSyncScope(scope: Scope): boolean {
  const lexer: Lexer = scope.lexer;
  if (!lexer.accept('syncscope')) return false;
  lexer.expect('(');
  const { text } = lexer.expectKind('string', 'the name of a scope');
  lexer.expect(')');
  return text === 'singlethread';
}

function parseOrdering(scope: Scope): Ordering {
  const lexer: Lexer = scope.lexer;
  const { kind, text } = lexer.token;
  if (kind !== 'word' || !orderings.has(text)) lexer.failToken('a memory order');
  return lexer.next().text as Ordering;
}

/** `, align 4` */
function parseAlign(scope: Scope): number | undefined {
  if (!scope.acceptComma()) return undefined;
  scope.lexer.expect('align');
  return parseAlignment(scope);
}

export function parseAlignment(scope: { readonly lexer: Scope['lexer'] }): number {
  const lexer: Lexer = scope.lexer;
  const { offset } = lexer.token;
  const align = lexer.expectCount('an alignment');
  if (align < 1 || !Number.isInteger(Math.log2(align))) lexer.fail('an alignment is a power of two', offset);
  return align;
}

function parseElementPointer(scope: Scope): Instruction {
  const lexer: Lexer = scope.lexer;
  scope.constants.skipFlags();
  const sourceType = scope.constants.parseSized();
  lexer.expect(',');
  const operands = [scope.parsePointer()];
  while (scope.acceptComma()) operands.push(scope.parseTypedValue());
  return { ...base(pointerType, operands), op: 'getelementptr', sourceType };
}

function parseExtract(scope: Scope, _op: string, offset: number): Instruction {
  const aggregate = scope.parseTypedValue();
  const { indices, type } = parseIndices(scope, aggregate.type, offset);
  return { ...base(type, [aggregate]), op: 'extractvalue', indices };
}

function parseInsert(scope: Scope, _op: string, offset: number): Instruction {
  const aggregate = scope.parseTypedValue();
  scope.lexer.expect(',');
  const element = scope.parseTypedValue();
  const { indices } = parseIndices(scope, aggregate.type, offset);
  return { ...base(aggregate.type, [aggregate, element]), op: 'insertvalue', indices };
}

/** `, 0, 1`, and the type of the part that they lead to. */
function parseIndices(scope: Scope, aggregate: Type, offset: number): { indices: number[]; type: Type } {
  const lexer: Lexer = scope.lexer;
  const indices: number[] = [];
  let type: Type = aggregate;
  while (scope.acceptComma()) {
    const index = lexer.expectCount('an index');
    const part = partType(type, [index]);
    if (part === undefined) lexer.fail(`the type ${typeText(type)} has no part ${index}`, offset);
    indices.push(index);
    type = part;
  }
  if (indices.length === 0) lexer.failToken('an index');
  return { indices, type };
}

function parseVariadic(scope: Scope): Instruction {
  const list = scope.parsePointer();
  scope.lexer.expect(',');
  return { ...base(scope.constants.parseSized(), [list]), op: 'va_arg' };
}

function parseBranch(scope: Scope): Instruction {
  const lexer: Lexer = scope.lexer;
  if (lexer.is('label')) return { ...base(voidType, []), op: 'br', targets: [scope.parseTarget()] };
  const condition = scope.parseTypedValue();
  lexer.expect(',');
  const then = scope.parseTarget();
  lexer.expect(',');
  return { ...base(voidType, [condition]), op: 'br', targets: [then, scope.parseTarget()] };
}

function parseSwitch(scope: Scope): Instruction {
  const lexer: Lexer = scope.lexer;
  const value = scope.parseTypedValue();
  lexer.expect(',');
  const targets = [scope.parseTarget()];
  const operands = [value];
  lexer.expect('[');
  while (!lexer.accept(']')) {
    operands.push(scope.constants.parseTypedConstant());
    lexer.expect(',');
    targets.push(scope.parseTarget());
  }
  return { ...base(voidType, operands), op: 'switch', targets };
}

function parseReturn(scope: Scope): Instruction {
  if (scope.lexer.accept('void')) return { ...base(voidType, []), op: 'ret' };
  return { ...base(voidType, [scope.parseTypedValue()]), op: 'ret' };
}

/** `defined i32 %x, "name"`: not LLVM's, but ours. */
function parseDefined(scope: Scope): Instruction {
  const value = scope.parseTypedValue();
  scope.lexer.expect(',');
  const { text } = scope.lexer.expectKind('string', 'the name of a variable');
  return { ...base(value.type, [value]), op: 'defined', variable: unescapeText(text) };
}

/** `visit [i32 %a, ptr %b]`: not LLVM's, but ours. */
function parseVisit(scope: Scope): Instruction {
  const values: Value[] = [];
  scope.lexer.expect('[');
  while (!scope.lexer.accept(']')) {
    if (values.length > 0) scope.lexer.expect(',');
    values.push(scope.parseTypedValue());
  }
  return { ...base(voidType, values), op: 'visit' };
}

/** `assume i1 %c, program` or `assume i1 %c, loop, i32 %began`: not LLVM's, but ours. */
function parseAssume(scope: Scope): Instruction {
  const condition = scope.parseTypedValue();
  const lexer: Lexer = scope.lexer;
  lexer.expect(',');
  const { text, offset } = lexer.expectKind('word', 'whose assume it is');
  const reason = assumeReasons.find((known) => known === text);
  if (reason === undefined) lexer.fail(`an assume is of ${assumeReasons.join(', ')}`, offset);
  if (reason === 'program') return { ...base(voidType, [condition]), op: 'assume', reason };
  lexer.expect(',');
  return { ...base(voidType, [condition, scope.parseTypedValue()]), op: 'assume', reason };
}

/** How many rounds there were may follow. */
function parseBound(scope: Scope): Instruction {
  const rounds = scope.lexer.accept('i32') ? [scope.parseValue(i32)] : [];
  return { ...base(voidType, rounds), op: 'bound' };
}

/** `await`, before the other words of an access: not LLVM's, but ours. */
function parseAwait(scope: Scope): { readonly awaits?: boolean } {
  return scope.lexer.accept('await') ? { awaits: true } : {};
}

function parseCall(scope: Scope, op: string): Instruction | Parsed {
  const { lexer, constants } = scope;
  if (op !== 'call') lexer.expect('call');
  constants.skipFlags();
  constants.parseAttributes();
  const type = constants.parseType();
  if (lexer.is('asm')) return parseAssembly(scope, type);
  const name = lexer.token.kind === 'global' ? lexer.token.text : '';
  const callee = scope.parseValue(pointerType);
  if (name.startsWith('llvm.dbg.')) return parseDebugCall(scope, name);
  const { operands, byval } = parseArguments(scope);
  skipCallSuffix(scope);
  const signature: FunctionType =
    type.kind === 'function'
      ? type
      : { kind: 'function', returns: type, parameters: operands.map((argument) => argument.type), variadic: false };
  return { ...base(signature.returns, [callee, ...operands]), op: 'call', signature, byval };
}

interface Arguments {
  readonly operands: Value[];
  readonly byval: (Type | undefined)[];
  readonly elementTypes: (Type | undefined)[];
}

function parseArguments(scope: Scope): Arguments {
  const { lexer, constants } = scope;
  const all: Arguments = { operands: [], byval: [], elementTypes: [] };
  lexer.expect('(');
  if (lexer.accept(')')) return all;
  do {
    const type = constants.parseFirstClass();
    const { byval, elementType } = constants.parseAttributes();
    all.byval.push(byval);
    all.elementTypes.push(elementType);
    all.operands.push(scope.parseValue(type));
  } while (lexer.accept(','));
  lexer.expect(')');
  return all;
}

/** Attributes and operand bundles. */
function skipCallSuffix({ lexer }: Scope): void {
  for (;;) {
    const { kind, text } = lexer.token;
    const isInstruction = parsers.has(text) || Object.hasOwn(refused, text) || text.startsWith('uselistorder');
    if (kind === 'word' && !isInstruction) {
      lexer.next();
      if (lexer.is('(')) lexer.skipBalanced();
    } else if (kind === 'hash' && !text.startsWith('dbg_')) lexer.next();
    else if (kind === 'string' || lexer.is('=')) lexer.next();
    else if (lexer.is('[')) lexer.skipBalanced();
    else return;
  }
}

function parseAssembly(scope: Scope, type: Type): Instruction | Parsed {
  const lexer: Lexer = scope.lexer;
  lexer.expect('asm');
  while (lexer.token.kind === 'word') lexer.next();
  const template = unescapeText(lexer.expectKind('string', 'assembly').text);
  lexer.expect(',');
  const constraints = unescapeText(lexer.expectKind('string', 'constraints').text);
  const { operands, elementTypes } = parseArguments(scope);
  skipCallSuffix(scope);
  const translated = translateAssembly({ template, constraints, type, operands, elementTypes });
  return 'problem' in translated ? refusedAssembly(translated.problem, type) : { kind: 'sequence', ...translated };
}

/** What is not known is refused where an execution gets there: its text is in the name of what is called. */
function refusedAssembly(problem: string, type: Type): Instruction {
  const callee: Value = { kind: 'symbol', type: pointerType, name: `${REFUSED_ASSEMBLY}${problem}` };
  const signature: FunctionType = { kind: 'function', returns: type, parameters: [], variadic: false };
  return { ...base(type, [callee]), op: 'call', signature, byval: [] };
}

/** The debug records of older versions: calls of `llvm.dbg.declare` and its like. */
function parseDebugCall(scope: Scope, name: string): Parsed {
  const lexer: Lexer = scope.lexer;
  if (!lexer.is('(')) lexer.failToken('‘(’');
  if (name !== 'llvm.dbg.declare') {
    lexer.skipBalanced();
    skipCallSuffix(scope);
    return { kind: 'nothing' };
  }
  lexer.next();
  const declared = parseDeclare(scope);
  lexer.expect(')');
  skipCallSuffix(scope);
  return declared === undefined ? { kind: 'nothing' } : { kind: 'declare', ...declared };
}
