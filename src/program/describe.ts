/** Values in words, for messages. */

/** A value as a reader wants to see it: short, on one line. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return `function ${value.name || '(anonymous)'}`;
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : String(value);
  return shorten(showObject(value, 2), 60);
}

function showObject(value: object, depth: number): string {
  if (Array.isArray(value)) {
    return depth === 0 ? '[…]' : `[${value.map((v) => showNested(v, depth - 1)).join(', ')}]`;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  const className = prototype === null || prototype === Object.prototype ? '' : classOf(value);
  const entries = Object.entries(value);
  if (className !== '' && entries.length === 0) return className;
  if (depth === 0) return `${className}{…}`;
  const fields = entries.map(([key, v]) => `${key}: ${showNested(v, depth - 1)}`).join(', ');
  return `${className === '' ? '' : `${className} `}{${fields === '' ? '' : ` ${fields} `}}`;
}

function showNested(value: unknown, depth: number): string {
  if (typeof value === 'object' && value !== null) {
    if ('location' in value && Object.getPrototypeOf(value) !== Object.prototype) return classOf(value).toLowerCase();
    return showObject(value, depth);
  }
  return showValue(value);
}

function classOf(value: object): string {
  return typeof value.constructor === 'function' ? value.constructor.name : 'object';
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
