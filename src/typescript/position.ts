/** Source positions from stack traces: the innermost frame that is neither ours nor Node's. */
import { fileURLToPath } from 'node:url';
import type { SourcePosition } from '../program/operation.ts';

const ownFolder = fileURLToPath(new URL('..', import.meta.url));
const frame = /^\s*at (?:.* \()?(?:async )?(.+?):(\d+):(\d+)\)?$/;

export function positionOfStack(stack: unknown): SourcePosition | undefined {
  if (typeof stack !== 'string') return undefined; // a program may throw what it likes
  for (const line of stack.split('\n')) {
    const match = frame.exec(line);
    if (match === null) continue;
    const [, where = '', row = '0', column = '0'] = match;
    if (where.startsWith('node:') || where === 'native') continue;
    const file = where.startsWith('file:') ? fileURLToPath(where.replace(/\?.*$/, '')) : where.replace(/\?.*$/, '');
    if (file.startsWith(ownFolder) || file.includes('/node_modules/')) continue;
    return { file, line: Number(row), column: Number(column) };
  }
  return undefined;
}

export function currentPosition(): SourcePosition | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 10; // ours are a few, and the user's comes right after
  const position = positionOfStack(new Error().stack);
  Error.stackTraceLimit = stackTraceLimit;
  return position;
}
