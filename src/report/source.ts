/** Source positions for readers: short file names, and the line itself. */
import { readFileSync } from 'node:fs';
import type { Language } from '../program/language.ts';
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
export function snippet(position: SourcePosition, columns: Language['columns'], style: Style): string[] {
  const line = lineAt(position);
  if (line === undefined || line.trim() === '') return [];
  const number = String(position.line);
  const count = Math.max(0, position.column - 1);
  const before = columns === 'units' ? line.slice(0, count) : Buffer.from(line).subarray(0, count).toString();
  return [
    `${style('dim', `${number} │`)} ${line.trimEnd()}`,
    `${style('dim', `${' '.repeat(number.length)} │`)} ${blank(before)}${style('red', '^')}`,
  ];
}

/** As wide as the text: tabs stay, what has two columns on a terminal (as in Chinese) gets two. */
function blank(text: string): string {
  return text.replace(WIDE, '  ').replace(/[^\t ]/gu, ' ');
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/gu;

function lineAt({ file, line }: SourcePosition): string | undefined {
  try {
    return readFileSync(file, 'utf8').split('\n')[line - 1];
  } catch {
    return undefined;
  }
}
