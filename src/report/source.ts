/** Source positions for readers: short file names, and the line itself. */
import { readFileSync } from 'node:fs';
import type { SourcePosition } from '../program/operation.ts';
import { shortFile } from '../program/paths.ts';
import type { Style } from './style.ts';

/** file:line:column */
export function showPosition({ file, line, column }: SourcePosition, cwd: string): string {
  return `${shortFile(file, cwd)}:${line}:${column}`;
}

/** file:line */
export function showLine({ file, line }: SourcePosition, cwd: string): string {
  return `${shortFile(file, cwd)}:${line}`;
}

/** The source line with a caret under the column; nothing if the file cannot be read. */
export function snippet(position: SourcePosition, style: Style): string[] {
  const line = lineAt(position);
  if (line === undefined || line.trim() === '') return [];
  const number = String(position.line);
  const before = line.slice(0, Math.max(0, position.column - 1));
  return [
    `${style('dim', `${number} │`)} ${line.trimEnd()}`,
    `${style('dim', `${' '.repeat(number.length)} │`)} ${before.replace(/[^\t]/g, ' ')}${style('red', '^')}`,
  ];
}

function lineAt({ file, line }: SourcePosition): string | undefined {
  try {
    return readFileSync(file, 'utf8').split('\n')[line - 1];
  } catch {
    return undefined;
  }
}
