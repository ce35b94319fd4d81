/** The data layout of wasm32: how large types are and where their parts lie. */
import type { StructType, Type } from './module.ts';

interface StructLayout {
  readonly size: number;
  readonly align: number;
  readonly offsets: readonly number[];
}

/** Once a struct's fields are known they do not change. */
const structs = new WeakMap<StructType, StructLayout>();

/** In bytes, with the padding that makes it a multiple of its alignment: the distance between elements of an array. */
export function sizeOf(type: Type): number {
  switch (type.kind) {
    case 'int':
      return roundUp(Math.ceil(type.bits / 8), alignOf(type));
    case 'float':
    case 'ptr':
      return 4;
    case 'double':
      return 8;
    case 'array':
      return type.count * sizeOf(type.element);
    case 'struct':
      return layoutOf(type).size;
    case 'void':
    case 'function':
      throw new Error(`a ${type.kind} type has no size`);
  }
}

export function alignOf(type: Type): number {
  switch (type.kind) {
    case 'int':
      // That of the next width that the target knows, of 128 for all that are wider.
      return type.bits > 64 ? 16 : type.bits > 32 ? 8 : type.bits > 16 ? 4 : type.bits > 8 ? 2 : 1;
    case 'float':
    case 'ptr':
      return 4;
    case 'double':
      return 8;
    case 'array':
      return alignOf(type.element);
    case 'struct':
      return layoutOf(type).align;
    case 'void':
    case 'function':
      throw new Error(`a ${type.kind} type has no alignment`);
  }
}

export function fieldOffset(type: StructType, index: number): number {
  const offset = layoutOf(type).offsets[index];
  if (offset === undefined) throw new Error(`the struct has no field ${index}`);
  return offset;
}

/** A part of a type that is no aggregate: a number or a pointer. */
export interface Leaf {
  readonly offset: number;
  readonly type: Type;
}

/** The scalar parts of a type in the order of their offsets. */
export function leaves(type: Type): Leaf[] {
  const found: Leaf[] = [];
  addLeaves(type, 0, found);
  return found;
}

function addLeaves(type: Type, offset: number, found: Leaf[]): void {
  if (type.kind === 'array') {
    const step = sizeOf(type.element);
    for (let i = 0; i < type.count; i++) addLeaves(type.element, offset + i * step, found);
  } else if (type.kind === 'struct') {
    const { offsets } = layoutOf(type);
    for (const [i, field] of (type.fields ?? []).entries()) addLeaves(field, offset + (offsets[i] as number), found);
  } else {
    found.push({ offset, type });
  }
}

function layoutOf(type: StructType): StructLayout {
  const known = structs.get(type);
  if (known !== undefined) return known;
  if (type.fields === undefined) throw new Error(`the type ${type.name ?? ''} is opaque`);
  let size = 0;
  let align = 1;
  const offsets: number[] = [];
  for (const field of type.fields) {
    const fieldAlign = type.packed ? 1 : alignOf(field);
    size = roundUp(size, fieldAlign);
    align = Math.max(align, fieldAlign);
    offsets.push(size);
    size += sizeOf(field);
  }
  const layout = { size: roundUp(size, align), align, offsets };
  structs.set(type, layout);
  return layout;
}

function roundUp(size: number, align: number): number {
  return Math.ceil(size / align) * align;
}
