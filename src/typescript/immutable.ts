/**
 * Values that threads share must not change: a change behind an explorer's back would go unnoticed. Plain objects and
 * arrays are frozen, with all they hold, as they are stored, so that a change throws where it is made. Instances of
 * classes are left alone: they may have a life of their own (atomics have).
 */
export function immutable<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value) && isPlain(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) immutable(part);
  }
  return value;
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
