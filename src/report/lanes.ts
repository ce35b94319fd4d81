/**
 * An execution as rows: one column per thread where the width allows, else a list with the thread's name in each row.
 * Laid out once for all rows, so that rows can also be printed one after the other (`replay`).
 */
import type { Style } from './style.ts';

export interface Row {
  /** What stands in the left margin: the number of a step, or a mark. */
  readonly margin: string;
  readonly thread: number;
  /** How many steps it stands for; 0: what can or cannot come next. */
  readonly steps: number;
  readonly label: string;
  /** What follows the label, less loud. */
  readonly note: string;
  /** What follows that, and must not be overlooked. */
  readonly warning?: string;
  readonly source: string;
  readonly isBad: boolean;
}

export interface Lanes {
  readonly header: readonly string[];
  line(row: Row): string;
}

const GAP = '   ';

export function lanesOf(
  threads: readonly { readonly id: number; readonly name: string }[],
  rows: readonly Row[],
  style: Style,
  width: number,
): Lanes {
  const margin = longest(rows, (row) => row.margin, 2);
  const source = longest(rows, (row) => row.source);
  const seen = new Set(rows.map((row) => row.thread));
  const lanes = threads
    .filter(({ id }) => seen.has(id))
    .map(({ id, name }) => ({ id, name, width: laneWidth(id, name, rows) }));
  const total = margin + lanes.reduce((sum, lane) => sum + GAP.length + lane.width, 0) + GAP.length + source;
  return total <= width ? columns(lanes, margin, style) : list(lanes, rows, margin, style);
}

interface Lane {
  readonly id: number;
  readonly name: string;
  readonly width: number;
}

function laneWidth(thread: number, name: string, rows: readonly Row[]): number {
  return longest(rows, (row) => (row.thread === thread ? cellOf(row) : ''), lengthOf(name));
}

function columns(lanes: readonly Lane[], margin: number, style: Style): Lanes {
  const names = lanes.map(({ name, width }) => pad(name, width)).join(GAP);
  return {
    header: [`${' '.repeat(margin)}${GAP}${style('bold', names.trimEnd())}`],
    line: (row) => {
      const cells = lanes.map(({ id, width }) =>
        id === row.thread ? paintCell(row, style) + ' '.repeat(width - lengthOf(cellOf(row))) : ' '.repeat(width),
      );
      return `${paintMargin(row, margin, style)}${GAP}${cells.join(GAP)}${GAP}${style('dim', row.source)}`.trimEnd();
    },
  };
}

function list(lanes: readonly Lane[], rows: readonly Row[], margin: number, style: Style): Lanes {
  const names = new Map(lanes.map(({ id, name }) => [id, name]));
  const nameWidth = Math.max(0, ...lanes.map(({ name }) => lengthOf(name))) + 2;
  const cellWidth = longest(rows, cellOf);
  return {
    header: [],
    line: (row) => {
      const name = style('bold', pad(`[${names.get(row.thread) ?? row.thread}]`, nameWidth));
      const cell = paintCell(row, style) + ' '.repeat(Math.max(0, cellWidth - lengthOf(cellOf(row))));
      return `${paintMargin(row, margin, style)}  ${name} ${cell}  ${style('dim', row.source)}`.trimEnd();
    },
  };
}

function paintMargin(row: Row, width: number, style: Style): string {
  const text = row.margin.padStart(width);
  return row.isBad ? style('red', text) : style('dim', text);
}

function paintCell({ label, note, warning = '', isBad }: Row, style: Style): string {
  return joined(isBad ? style('red', label) : label, style('cyan', note), style('yellow', warning));
}

function cellOf({ label, note, warning = '' }: Row): string {
  return joined(label, note, warning);
}

function joined(label: string, note: string, warning: string): string {
  const text = note === '' ? label : `${label} ${note}`;
  return warning === '' ? text : `${text}, ${warning}`;
}

function longest(rows: readonly Row[], textOf: (row: Row) => string, least = 0): number {
  return rows.reduce((length, row) => Math.max(length, lengthOf(textOf(row))), least);
}

function lengthOf(text: string): number {
  return [...text].length;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - lengthOf(text)));
}
