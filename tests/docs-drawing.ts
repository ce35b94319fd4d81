/**
 * Draws a recorded execution for the documentation, as SVG: a column for each thread, a box for each access, time goes down.
 * An arrow leads from a write to the loads that read it, and a dashed one from a load to the write that it did not see:
 * what the load read was there before that write.
 */
import type { CheckError, RecordedStep } from '../src/index.ts';

const COLUMN = 230;
const ROW = 56;
const BOX = { width: 130, height: 34 };
const TOP = 46;
const INK = '#1f2937';
const GREY = '#6b7280';
const GREEN = '#047857';
const RED = '#b91c1c';

interface Box {
  readonly step: RecordedStep;
  /** Its number among the steps; undefined for the access that is not performed any more, because it races. */
  readonly index: number | undefined;
  readonly x: number;
  readonly y: number;
}

/** `variables`: accesses to others are left out. */
export function drawExecution(error: CheckError, variables: readonly string[], title: string): string {
  const boxes = boxesOf(error, variables);
  const threads = [...new Set(boxes.map(({ step }) => step.thread))].sort((a, b) => a - b);
  const nameOf = (t: number): string => error.execution.threads.find(({ id }) => id === t)?.name ?? '';
  const placed = boxes.map((box, row) => ({ ...box, x: COLUMN * (threads.indexOf(box.step.thread) + 0.5), y: row }));
  const at = placed.map((box) => ({ ...box, y: TOP + ROW * (box.y + 0.5) }));
  const [width, height] = [COLUMN * threads.length, TOP + ROW * at.length + 8];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" text-anchor="middle">`,
    `<title>${escaped(title)}</title>`,
    marker('read', GREEN),
    marker('missed', RED),
    `<rect width="${width}" height="${height}" rx="8" fill="#ffffff"/>`,
    ...threads.map((t, i) => lane(nameOf(t), COLUMN * (i + 0.5), height)),
    ...at.flatMap((box) => arrowsOf(box, at)),
    ...raceOf(error, at),
    ...at.map(drawBox),
    '</svg>',
    '',
  ].join('\n');
}

function boxesOf({ execution, racing }: CheckError, variables: readonly string[]): Omit<Box, 'x' | 'y'>[] {
  const isDrawn = ({ location }: RecordedStep): boolean => location !== undefined && variables.includes(location);
  const performed = execution.steps.flatMap((step, index) => (isDrawn(step) ? [{ step, index }] : []));
  return racing === undefined ? performed : [...performed, { step: racing[1], index: undefined }];
}

function lane(name: string, x: number, height: number): string {
  return (
    `<text x="${x}" y="26" font-weight="bold" fill="${INK}">${escaped(name)}</text>` +
    `<line x1="${x}" y1="${TOP}" x2="${x}" y2="${height - 12}" stroke="#d1d5db" stroke-width="2"/>`
  );
}

function marker(id: string, colour: string): string {
  return (
    `<marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">` +
    `<path d="M0 0 L8 4 L0 8 z" fill="${colour}"/></marker>`
  );
}

function drawBox({ step, index, x, y }: Box): string {
  const { width, height } = BOX;
  const isRacing = index === undefined;
  const order = step.order === undefined || step.order === 'plain' ? '' : step.order;
  const text = escaped(wordsFor(step, isRacing));
  const name = `<text x="${x}" y="${order === '' ? y + 5 : y}" fill="${isRacing ? RED : INK}">${text}</text>`;
  const small = order === '' ? '' : `<text x="${x}" y="${y + 13}" font-size="10" fill="${GREY}">${order}</text>`;
  return (
    `<rect x="${x - width / 2}" y="${y - height / 2}" width="${width}" height="${height}" rx="6" fill="#f9fafb" ` +
    `stroke="${isRacing ? RED : INK}"/>${name}${small}`
  );
}

function wordsFor({ op, location, read, written, readText, writtenText }: RecordedStep, isRacing: boolean): string {
  if (isRacing) return `${op} ${location}`;
  return op === 'store' ? `${location} = ${writtenText ?? written}` : `${location} → ${readText ?? read}`;
}

/** From and to a load. One that read the initial value has missed what other threads have written. */
function arrowsOf(box: Box, boxes: readonly Box[]): string[] {
  const { step } = box;
  if (box.index === undefined || step.readsFrom === undefined) return [];
  const writes = boxes.filter((other) => other.step.location === step.location && other.step.op === 'store');
  const source = writes.find(({ index }) => index === step.readsFrom);
  if (source !== undefined) return [arrow(source, box, GREEN, 'read', '')];
  const others = writes.filter(({ step: { thread } }) => thread !== step.thread);
  const firsts = others.filter(({ step: { thread } }, i) => others.findIndex((w) => w.step.thread === thread) === i);
  return firsts.map((missed) => arrow(box, missed, RED, 'missed', ' stroke-dasharray="6 4"'));
}

function arrow(from: Box, to: Box, colour: string, head: string, dashes: string): string {
  const side = Math.sign(to.x - from.x);
  const [x1, x2] = [from.x + (side * BOX.width) / 2, to.x - (side * BOX.width) / 2];
  const bend = side * 40;
  const path = `M${x1} ${from.y} C${x1 + bend} ${from.y} ${x2 - bend} ${to.y} ${x2} ${to.y}`;
  return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="1.5"${dashes} marker-end="url(#${head})"/>`;
}

/** Two accesses that race: nothing leads from the one to the other. */
function raceOf({ racing }: CheckError, boxes: readonly Box[]): string[] {
  const second = boxes.at(-1);
  const first = boxes.find(({ step, index }) => index !== undefined && isSame(step, racing?.[0]));
  if (racing === undefined || first === undefined || second === undefined) return [];
  const side = Math.sign(second.x - first.x);
  const [x1, x2] = [first.x + (side * BOX.width) / 2, second.x - (side * BOX.width) / 2];
  return [
    `<path d="M${x1} ${first.y} L${x2} ${second.y}" fill="none" stroke="${RED}" stroke-width="1.5" stroke-dasharray="2 4"/>`,
    `<text x="${x2 - 26 * side}" y="${second.y + 18}" font-size="12" fill="${RED}">race</text>`,
  ];
}

function isSame(step: RecordedStep, other: RecordedStep | undefined): boolean {
  return step.thread === other?.thread && step.op === other.op && step.location === other.location;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
