/** Types: the common ones, equality, and how they are written. */
import type { StructType, Type } from './module.ts';

export const voidType: Type = { kind: 'void' };
export const pointerType: Type = { kind: 'ptr' };
export const floatType: Type = { kind: 'float' };
export const doubleType: Type = { kind: 'double' };
export const i1: Type = { kind: 'int', bits: 1 };
export const i8: Type = { kind: 'int', bits: 8 };
export const i32: Type = { kind: 'int', bits: 32 };
export const i64: Type = { kind: 'int', bits: 64 };

/**
 * Types are compared by their structure; the name of a struct says nothing, because linked modules have types of one
 * name that differ and equal ones with two names. That ends: pointers have no pointee, so no type contains itself.
 */
export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  switch (a.kind) {
    case 'int':
      return b.kind === 'int' && a.bits === b.bits;
    case 'array':
      return b.kind === 'array' && a.count === b.count && sameType(a.element, b.element);
    case 'struct':
      if (b.kind !== 'struct' || a.fields === undefined || b.fields === undefined) return false;
      return a.packed === b.packed && sameTypes(a.fields, b.fields);
    case 'function':
      return (
        b.kind === 'function' &&
        a.variadic === b.variadic &&
        sameType(a.returns, b.returns) &&
        sameTypes(a.parameters, b.parameters)
      );
    default:
      return a.kind === b.kind;
  }
}

function sameTypes(a: readonly Type[], b: readonly Type[]): boolean {
  return a.length === b.length && a.every((type, i) => sameType(type, b[i] as Type));
}

/** The type of the part that the indices lead to; undefined if they lead nowhere. */
export function partType(type: Type, indices: readonly number[]): Type | undefined {
  let part: Type | undefined = type;
  for (const index of indices) {
    if (part?.kind === 'struct') part = part.fields?.[index];
    else part = part?.kind === 'array' && index < part.count ? part.element : undefined;
  }
  return part;
}

/** As LLVM writes it. `nameOf` names the structs that have a name. */
export function typeText(type: Type, nameOf: (type: StructType) => string = (type) => `%${type.name}`): string {
  switch (type.kind) {
    case 'int':
      return `i${type.bits}`;
    case 'array':
      return `[${type.count} x ${typeText(type.element, nameOf)}]`;
    case 'struct':
      return type.name === undefined ? structBody(type, nameOf) : nameOf(type);
    case 'function': {
      const parameters = type.parameters.map((parameter) => typeText(parameter, nameOf));
      if (type.variadic) parameters.push('...');
      return `${typeText(type.returns, nameOf)} (${parameters.join(', ')})`;
    }
    default:
      return type.kind;
  }
}

export function structBody(type: StructType, nameOf: (type: StructType) => string): string {
  if (type.fields === undefined) return 'opaque';
  const fields = type.fields.map((field) => typeText(field, nameOf)).join(', ');
  const inside = fields === '' ? '{}' : `{ ${fields} }`;
  return type.packed ? `<${inside}>` : inside;
}
