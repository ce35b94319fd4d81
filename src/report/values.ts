/** Values of the program under test as JSON: those that JSON cannot hold become text. */
import { showValue } from '../program/describe.ts';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export function jsonOf(value: unknown): Json {
  return isJson(value, []) ? value : showValue(value);
}

function isJson(value: unknown, outer: readonly object[]): value is Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'object':
      return value === null || isJsonObject(value, outer);
    default:
      return false;
  }
}

function isJsonObject(value: object, outer: readonly object[]): boolean {
  if (outer.includes(value) || 'toJSON' in value) return false;
  const inner = [...outer, value];
  if (Array.isArray(value)) return Array.from(value).every((item) => isJson(item, inner));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((item) => isJson(item, inner));
}
