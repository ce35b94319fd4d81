/**
 * LLVM's intermediate representation as data: modules, functions, blocks, instructions in SSA form. The names are
 * LLVM's. An operand is a constant, a parameter, or the instruction whose result it is.
 *
 * Instructions are plain objects that passes change in place. What holds between passes is written in `verifier.ts`.
 */
import type { SourcePosition } from '../../program/operation.ts';
import type { CType } from './debug.ts';

export type Type =
  | { readonly kind: 'void' }
  | { readonly kind: 'int'; readonly bits: number }
  | { readonly kind: 'float' }
  | { readonly kind: 'double' }
  | { readonly kind: 'ptr' }
  | { readonly kind: 'array'; readonly count: number; readonly element: Type }
  | StructType
  | FunctionType;

export interface StructType {
  readonly kind: 'struct';
  /** `%struct.node`; undefined for a literal type. */
  readonly name: string | undefined;
  readonly packed: boolean;
  /** Filled in after the type is made, because named types may be recursive; undefined for an opaque type. */
  fields: readonly Type[] | undefined;
}

export interface FunctionType {
  readonly kind: 'function';
  readonly returns: Type;
  readonly parameters: readonly Type[];
  readonly variadic: boolean;
}

export type Constant =
  /** Two's complement, signed, of `type.bits` bits; i1 is 0n or 1n. */
  | { readonly kind: 'int-constant'; readonly type: Type; readonly value: bigint }
  /** Exact: of a float it is the float's value. */
  | { readonly kind: 'float-constant'; readonly type: Type; readonly value: number }
  | { readonly kind: 'null'; readonly type: Type }
  | { readonly kind: 'zero'; readonly type: Type }
  /**
   * As a local variable's value: it was never set (see passes/transformations/promote.ts). `isPoison`: clang has found an operation on
   * constants that C leaves undefined.
   */
  | { readonly kind: 'undef'; readonly type: Type; readonly isPoison?: boolean; readonly variable?: string }
  | { readonly kind: 'aggregate'; readonly type: Type; readonly elements: readonly Constant[] }
  | { readonly kind: 'bytes'; readonly type: Type; readonly bytes: Uint8Array }
  /** The address of a global variable or function. */
  | { readonly kind: 'symbol'; readonly type: Type; readonly name: string }
  | {
      readonly kind: 'expression';
      readonly type: Type;
      readonly op: 'getelementptr' | BinaryOp | CastOp;
      readonly sourceType: Type | undefined;
      readonly operands: readonly Constant[];
    };

export interface Parameter {
  readonly kind: 'parameter';
  readonly type: Type;
  readonly name: string;
  readonly index: number;
  /** The pointee of a `byval` parameter: the callee gets a copy. */
  readonly byval: Type | undefined;
  /** The source's variable that lies where a `byval` parameter points to. */
  variable?: LocalVariable;
}

export type Value = Constant | Parameter | Instruction;

export const binaryOps = [
  'add',
  'sub',
  'mul',
  'udiv',
  'sdiv',
  'urem',
  'srem',
  'shl',
  'lshr',
  'ashr',
  'and',
  'or',
  'xor',
  'fadd',
  'fsub',
  'fmul',
  'fdiv',
  'frem',
] as const;
export type BinaryOp = (typeof binaryOps)[number];

export const castOps = [
  'trunc',
  'zext',
  'sext',
  'fptrunc',
  'fpext',
  'fptoui',
  'fptosi',
  'uitofp',
  'sitofp',
  'ptrtoint',
  'inttoptr',
  'bitcast',
] as const;
export type CastOp = (typeof castOps)[number];

export const intPredicates = ['eq', 'ne', 'ugt', 'uge', 'ult', 'ule', 'sgt', 'sge', 'slt', 'sle'] as const;
export type IntPredicate = (typeof intPredicates)[number];

export const floatPredicates = [
  'false',
  'oeq',
  'ogt',
  'oge',
  'olt',
  'ole',
  'one',
  'ord',
  'ueq',
  'ugt',
  'uge',
  'ult',
  'ule',
  'une',
  'uno',
  'true',
] as const;
export type FloatPredicate = (typeof floatPredicates)[number];

export const updateOps = [
  'xchg',
  'add',
  'sub',
  'and',
  'nand',
  'or',
  'xor',
  'max',
  'min',
  'umax',
  'umin',
  'fadd',
  'fsub',
  'fmax',
  'fmin',
] as const;
export type UpdateOp = (typeof updateOps)[number];

/**
 * Whose an assume is. `program`: the source says so. `loop`: passes/purity has put it in, because an iteration of a loop that
 * gets there with the condition false is pure.
 */
export const assumeReasons = ['program', 'loop'] as const;
type AssumeReason = (typeof assumeReasons)[number];

/** LLVM's orders; `notatomic` is a plain access. */
export type Ordering = 'notatomic' | 'unordered' | 'monotonic' | 'acquire' | 'release' | 'acq_rel' | 'seq_cst';

interface Base {
  readonly kind: 'instruction';
  /** Of the result; void if there is none. */
  readonly type: Type;
  /** Without the `%`; empty for an instruction whose result has no name (it has no result, or was made by a pass). */
  name: string;
  /** From its debug location. */
  position: SourcePosition | undefined;
  /** All values that it uses; which is which, its `op` says. */
  operands: Value[];
}

/** An access that may wait. */
interface Awaiting extends Base {
  /**
   * Put in by passes/transformations/awaits.ts: the access is performed once the assumes hold that follow it with nothing but
   * computation in between.
   */
  awaits?: boolean;
}

export type Instruction =
  /** [left, right] */
  | (Base & { op: BinaryOp })
  /** [value] */
  | (Base & { op: CastOp })
  | (Base & { op: 'fneg' | 'freeze' })
  /** [left, right] */
  | (Base & { op: 'icmp'; predicate: IntPredicate })
  | (Base & { op: 'fcmp'; predicate: FloatPredicate })
  /** [condition, then, else] */
  | (Base & { op: 'select' })
  /** operands[i] if control came from blocks[i] */
  | (Base & { op: 'phi'; blocks: Block[] })
  /** [count] or []. The result is a stack object of `count` times `allocated`. */
  | (Base & { op: 'alloca'; allocated: Type; align: number })
  /** [pointer] */
  | (Awaiting & {
      op: 'load';
      ordering: Ordering;
      volatile: boolean;
      align: number;
      /** Reads bits of which the rest is replaced and written back (a bit-field): they may be uninitialised. */
      partial?: boolean;
      /** What it reads is only stored elsewhere: it may be uninitialised, and whoever uses the copy finds out. */
      copies?: boolean;
      /** A branch depended on what it reads, and is gone since it decided nothing: what is uninitialised must be found all the same. */
      decided?: boolean;
      unread?: boolean;
    })
  /**
   * [value, pointer]. `unread`, of all accesses to a variable: what it holds goes nowhere but into the variable itself (set by
   * passes/transformations/unused-values.ts).
   */
  | (Base & { op: 'store'; ordering: Ordering; volatile: boolean; align: number; unread?: boolean })
  /** [pointer, operand]; the result is the old value. */
  | (Awaiting & { op: 'atomicrmw'; operation: UpdateOp; ordering: Ordering; align: number; unread?: boolean })
  /** [pointer, expected, desired]; the result is { the old value, i1 whether it was exchanged }. */
  | (Awaiting & { op: 'cmpxchg'; ordering: Ordering; failureOrdering: Ordering; weak: boolean; align: number })
  /** `isSignal`: towards signal handlers of the same thread only, so that other threads notice nothing. */
  | (Base & { op: 'fence'; ordering: Ordering; isSignal: boolean })
  /** [pointer, ...indices] */
  | (Base & { op: 'getelementptr'; sourceType: Type })
  /** [aggregate] */
  | (Base & { op: 'extractvalue'; indices: number[] })
  /** [aggregate, element] */
  | (Base & { op: 'insertvalue'; indices: number[] })
  /** [callee, ...arguments] */
  | (Base & { op: 'call'; signature: FunctionType; byval: (Type | undefined)[] })
  /** [va_list]: the next variadic argument, of the result's type. */
  | (Base & { op: 'va_arg' })
  /**
   * [value]: the value of a local variable that may not have been set, or be a copy of what was not. Put in by passes/transformations/promote.ts: fails
   * with `uninitialised-read` if it is undef, else it is the value.
   */
  | (Base & { op: 'defined'; variable: string })
  /**
   * Put in by passes/transformations/unroll.ts: the thread stops here, as the loop at its position was entered too often. [rounds]: it
   * stops if these are more than the loops of the program may go.
   */
  | (Base & { op: 'bound' })
  /**
   * Put in by passes/purity/insert.ts, at the header of a loop: how many operations the thread has performed so far. It tells
   * which ones belong to an iteration.
   */
  | (Base & { op: 'performed' })
  /**
   * Put in by passes/purity/rounds.ts, at the header of a loop, of which it has the phis: the thread stops here if it has been here
   * before in the same state and has changed nothing since.
   */
  | (Base & { op: 'visit' })
  /** [condition] or, for a loop, [condition, performed when the iteration began]: the thread stops here unless it holds. */
  | (Base & { op: 'assume'; reason: AssumeReason })
  | Terminator;

export type Terminator =
  /** [] or [condition]; targets: [target] or [then, else]. `loopStart`: where the loop begins, if this ends a round of it. */
  | (Base & { op: 'br'; targets: Block[]; loopStart?: SourcePosition | undefined })
  /** [value, ...cases]; targets: [default, ...cases] */
  | (Base & { op: 'switch'; targets: Block[] })
  /** [value] or [] */
  | (Base & { op: 'ret' })
  | (Base & { op: 'unreachable' });

export interface Block {
  name: string;
  /** Phis first; the last one is a terminator. */
  instructions: Instruction[];
}

/** A variable of the source, and where it is kept. */
export interface LocalVariable {
  readonly name: string;
  readonly type: CType | undefined;
}

export interface IrFunction {
  readonly name: string;
  readonly signature: FunctionType;
  readonly parameters: readonly Parameter[];
  /** The first one is the entry; empty for a declaration. */
  blocks: Block[];
  /** Where it is defined. */
  readonly position: SourcePosition | undefined;
  readonly isInternal: boolean;
  /** Declared weak: another definition replaces it. */
  readonly isWeak: boolean;
  /** The source's variables, by the alloca that holds them. */
  readonly variables: Map<Instruction, LocalVariable>;
}

export interface GlobalVariable {
  readonly name: string;
  readonly type: Type;
  /** undefined: declared here, defined elsewhere. */
  readonly initializer: Constant | undefined;
  readonly isConstant: boolean;
  readonly isThreadLocal: boolean;
  readonly isInternal: boolean;
  readonly isWeak: boolean;
  readonly align: number;
  /** From debug information: its name in the source, type and place. */
  readonly sourceName: string | undefined;
  readonly debugType: CType | undefined;
  readonly position: SourcePosition | undefined;
}

export interface Module {
  /** As given: for messages. */
  readonly name: string;
  readonly functions: Map<string, IrFunction>;
  readonly globals: Map<string, GlobalVariable>;
  /** Another name for a function or variable. */
  readonly aliases: Map<string, string>;
  /** Those of the aliases that another definition replaces. */
  readonly weakAliases?: ReadonlySet<string>;
}

export function isTerminator(instruction: Instruction): instruction is Terminator {
  const { op } = instruction;
  return op === 'br' || op === 'switch' || op === 'ret' || op === 'unreachable';
}

export function terminatorOf(block: Block): Terminator {
  const last = block.instructions.at(-1);
  if (last === undefined || !isTerminator(last)) throw new Error(`block ${block.name} has no terminator`);
  return last;
}

/** The blocks that control can go to from here. */
export function successorsOf(block: Block): readonly Block[] {
  const last = terminatorOf(block);
  return last.op === 'br' || last.op === 'switch' ? last.targets : [];
}
