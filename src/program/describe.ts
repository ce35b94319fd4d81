/** Operations in words, for messages: "store of 3 to x (release)". */
import type { Location } from './location.ts';
import type { MemoryOrder, Operation } from './operation.ts';

interface Names {
  numberOf(location: Location): number;
  readonly threads: readonly { readonly name: string; readonly identity: number }[];
}

export function describeOperation(operation: Operation, names: Names): string {
  const place = (l: Location): string => l.name ?? `${l.kind} #${names.numberOf(l)}`;
  switch (operation.kind) {
    case 'load':
      return `a load of ${place(operation.location)}${inOrder(operation.order)}`;
    case 'store':
      return `a store of ${showValue(operation.value)} to ${place(operation.location)}${inOrder(operation.order)}`;
    case 'update':
      return `${operation.name}(${operation.operand === undefined ? '…' : showValue(operation.operand)}) on ${place(operation.location)}${inOrder(operation.order)}`;
    case 'compare-exchange':
      return `a compare-exchange of ${place(operation.location)} from ${showValue(operation.expected)} to ${showValue(operation.desired)}${inOrder(operation.order)}`;
    case 'await-load':
    case 'await-exchange':
    case 'await-compare-exchange':
    case 'await-update':
      return `an await on ${place(operation.location)}`;
    case 'mutex-init':
    case 'lock':
    case 'trylock':
    case 'unlock':
    case 'mutex-destroy':
      return `${operation.kind} of ${place(operation.location)}`;
    case 'fence':
      return `a fence${inOrder(operation.order)}`;
    case 'spawn':
      return `a spawn of ${operation.name === '' ? 'a thread' : operation.name}`;
    case 'join':
      return `a join of ${names.threads.find(({ identity }) => identity === operation.thread)?.name ?? `thread ${operation.thread}`}`;
    case 'choose':
      return `choose(${operation.count})`;
    case 'block':
      return operation.reason === 'bound' ? 'the bound of a loop' : 'a failed assume';
    case 'yield':
      return 'a yield';
    case 'allocate':
      return `an allocation of ${operation.size} bytes`;
    case 'free':
      return `a free of ${place(operation.location)}`;
    case 'print':
      return `printing ${JSON.stringify(operation.text)}`;
    case 'exit':
      return `exit(${operation.status})`;
    case 'end':
      return operation.value === undefined ? 'its end' : `its end with ${showValue(operation.value)}`;
    case 'fail':
      return `the failure "${operation.failure.message}"`;
  }
}

function inOrder(order: MemoryOrder): string {
  return order === 'seq_cst' ? '' : ` (${order})`;
}

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
