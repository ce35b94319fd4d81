/**
 * What a call of malloc makes: C says only how many bytes. Two things tell, both looked up before the passes, which remove them:
 * the debug type of the variable that the result is stored in, and those of the pointers through which the memory is accessed.
 */
import type { SourcePosition } from '../../program/operation.ts';
import type { CType } from '../ir/debug.ts';
import type { Instruction, IrFunction, Module, Value } from '../ir/module.ts';
import { factsOf } from '../library/index.ts';
import { constantOffset } from '../passes/analyses/constants.ts';
import type { Site } from '../runtime.ts';
import { nameInside } from './names.ts';

export interface HeapTypes {
  /** What is made at `site`, as far as that is known there. */
  madeAt(site: Site): CType | undefined;
  /** How memory is accessed at `site`. */
  accessedAt(site: Site): readonly AccessPath[];
}

/** An access through a pointer to `type`. */
export interface AccessPath {
  readonly type: CType;
  /** How far from where the pointer points; undefined: that depends on an index. */
  readonly offset: number | undefined;
}

export function heapTypesOf(module: Module): HeapTypes {
  const made = new Map<string, CType>();
  const accessed = new Map<string, AccessPath[]>();
  for (const f of module.functions.values()) {
    const pathOf = (pointer: Value): AccessPath | undefined => pathTo(pointer, f, module);
    for (const block of f.blocks) {
      for (const instruction of block.instructions) {
        const { position } = instruction;
        const type = instruction.op === 'store' ? typeOfMade(instruction, f, module) : undefined;
        if (type !== undefined) made.set(keyOf(type.position), type.type);
        const paths = position === undefined ? [] : pointersOf(instruction).flatMap((pointer) => pathOf(pointer) ?? []);
        if (position === undefined || paths.length === 0) continue;
        const key = keyOf(position);
        accessed.set(key, [...(accessed.get(key) ?? []), ...paths]);
      }
    }
  }
  const at = <T>({ position }: Site, found: ReadonlyMap<string, T>): T | undefined =>
    position === undefined ? undefined : found.get(keyOf(position));
  return { madeAt: (site) => at(site, made), accessedAt: (site) => at(site, accessed) ?? nowhere };
}

const nowhere: readonly AccessPath[] = [];

/** If a store keeps what malloc gives: where that was called, and the type of what it made. */
function typeOfMade(
  { operands: [value, pointer] }: Instruction,
  f: IrFunction,
  module: Module,
): { readonly position: SourcePosition; readonly type: CType } | undefined {
  if (!isAllocation(value) || value.position === undefined) return undefined;
  const type = pointee(typeOfVariable(pointer as Value, f, module));
  const isBytes = type?.kind === 'base' && type.size === 1; // as likely to be of another type
  return type === undefined || isBytes ? undefined : { position: value.position, type };
}

/** What an instruction accesses, or lets a function access. */
function pointersOf({ op, operands }: Instruction): readonly Value[] {
  if (op === 'load' || op === 'atomicrmw' || op === 'cmpxchg') return operands.slice(0, 1);
  if (op === 'store') return operands.slice(1, 2);
  return op === 'call' ? operands.slice(1) : [];
}

function pathTo(pointer: Value, f: IrFunction, module: Module): AccessPath | undefined {
  if (pointer.kind !== 'instruction') return undefined;
  if (pointer.op === 'load') {
    const type = pointee(typeBehind(pointer.operands[0] as Value, f, module));
    return type === undefined ? undefined : { type, offset: 0 };
  }
  if (pointer.op !== 'getelementptr') return undefined;
  const [base, ...indices] = pointer.operands;
  const path = pathTo(base as Value, f, module);
  const step = constantOffset(pointer.sourceType, indices);
  const isKnown = path?.offset !== undefined && step !== undefined;
  return path && { type: path.type, offset: isKnown ? (path.offset as number) + step : undefined };
}

/** The type of the scalar that lies where `pointer` points. */
function typeBehind(pointer: Value, f: IrFunction, module: Module): CType | undefined {
  const path = placeOf(pointer, f, module);
  if (path === undefined || path.offset === undefined || path.type.kind === 'function') return undefined;
  return nameInside('', path.type, path.offset, POINTER_SIZE, path.type.size).type;
}

const POINTER_SIZE = 4;

/** As `pathTo`, also of a variable or a part of one. */
function placeOf(pointer: Value, f: IrFunction, module: Module): AccessPath | undefined {
  const variable = typeOfVariable(pointer, f, module);
  const path = variable === undefined ? pathTo(pointer, f, module) : { type: variable, offset: 0 };
  if (path !== undefined) return path;
  const isElement = pointer.kind === 'instruction' && pointer.op === 'getelementptr';
  const isConstant = pointer.kind === 'expression' && pointer.op === 'getelementptr';
  if ((!isElement && !isConstant) || pointer.sourceType === undefined) return undefined;
  const [base, ...indices] = pointer.operands as readonly Value[];
  const type = base === undefined ? undefined : typeOfVariable(base, f, module);
  return type && { type, offset: constantOffset(pointer.sourceType, indices) };
}

function keyOf({ file, line, column }: SourcePosition): string {
  return `${file}:${line}:${column}`;
}

function isAllocation(value: Value | undefined): value is Instruction {
  if (value?.kind !== 'instruction' || value.op !== 'call') return false;
  const callee = value.operands[0];
  return callee?.kind === 'symbol' && factsOf(callee.name).role === 'allocates';
}

function typeOfVariable(pointer: Value, f: IrFunction, module: Module): CType | undefined {
  if (pointer.kind === 'symbol') return module.globals.get(pointer.name)?.debugType;
  return pointer.kind === 'instruction' ? f.variables.get(pointer)?.type : undefined;
}

function pointee(type: CType | undefined): CType | undefined {
  const to = type?.kind === 'pointer' ? type.to() : undefined;
  return to?.kind === 'function' ? undefined : to;
}
