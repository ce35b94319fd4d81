/**
 * Values that threads share must not change: a change behind an explorer's back would go unnoticed. Plain objects and
 * arrays are frozen, with all they hold, as they are stored, so that a change throws where it is made. Containers that
 * cannot be frozen are refused. Instances of classes are left alone: they may have a life of their own (atomics have).
 */
import { refusal } from './refusal.ts';

export function immutable<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const todo: unknown[] = [value];
  while (todo.length > 0) {
    const part = todo.pop();
    if (typeof part !== 'object' || part === null || Object.isFrozen(part)) continue;
    refuseContainer(part);
    if (!isPlain(part)) continue;
    Object.freeze(part);
    for (const inner of Object.values(part)) todo.push(inner);
  }
  return value;
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function refuseContainer(value: object): void {
  const isChangeable =
    value instanceof Map ||
    value instanceof Set ||
    value instanceof Date ||
    value instanceof ArrayBuffer ||
    value instanceof SharedArrayBuffer ||
    ArrayBuffer.isView(value);
  if (!isChangeable) return;
  throw refusal(
    `a ${value.constructor.name} cannot be the value of a variable, for it can be changed behind Heddle's back. ` +
      'Store plain objects and arrays, and new ones instead of changed ones.',
  );
}
