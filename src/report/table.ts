/** Columns of text. */
import type { Style } from './style.ts';

export function tableOf(
  header: readonly string[],
  isNumeric: readonly boolean[],
  rows: readonly (readonly string[])[],
  style: Style,
): string {
  const widths = header.map((title, i) => Math.max(title.length, ...rows.map((row) => (row[i] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (isNumeric[i] === true ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  return [style('bold', line(header)), ...rows.map(line)].join('\n');
}
