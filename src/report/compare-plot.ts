/**
 * The runs of `heddle compare` as a picture: how many executions each explored and how long it took, as bars over logarithmic axes. SVG
 * that can be read on a light and on a dark page.
 */
import { executionsOf } from '../explore/explorer.ts';
import { isWhole } from './compare.ts';
import type { CheckReport } from './schema.ts';
import { showCount, showTime } from './words.ts';

const ROW = 24;
const BAR = 14;
const PANEL = { width: 260, gap: 84, top: 64, bottom: 44 };
/** About that of a letter. */
const LETTER = 7;

const style = `
    .page { fill: #ffffff; }
    text { font: 12px system-ui, sans-serif; fill: #24292f; }
    .title { font-weight: 600; }
    .tick, .value { font-size: 11px; fill: #57606a; }
    .grid { stroke: #d0d7de; }
    .bar { fill: #0969da; }
    .cut { fill: #8c959f; }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117; }
      text { fill: #e6edf3; }
      .tick, .value { fill: #9198a1; }
      .grid { stroke: #30363d; }
      .bar { fill: #58a6ff; }
      .cut { fill: #6e7681; }
    }
  `;

/** What a panel shows of each run, and how numbers of it are written. */
interface Measure {
  readonly title: string;
  /** Not below `least`: the axis begins there. */
  readonly of: (run: CheckReport) => number;
  readonly least: number;
  readonly show: (value: number) => string;
}

const measures: readonly Measure[] = [
  { title: 'executions', of: ({ executions }) => executionsOf(executions), least: 1, show: showCount },
  { title: 'time', of: ({ elapsedMs }) => elapsedMs, least: 1, show: showTime },
];

/** `nameOf`: what stands before its bars. */
export function comparePlot(title: string, runs: readonly CheckReport[], nameOf: (run: CheckReport) => string): string {
  const names = runs.map(nameOf);
  const left = 28 + LETTER * Math.max(...names.map(({ length }) => length));
  const width = Math.max(left + measures.length * (PANEL.width + PANEL.gap), 28 + LETTER * title.length);
  const height = PANEL.top + runs.length * ROW + PANEL.bottom;
  const labels = names.map((name, i) => text(left - 10, PANEL.top + i * ROW + 16, name, '', 'end'));
  const panels = measures.map((measure, i) => {
    const drawn = drawPanel(measure, runs);
    return `<g transform="translate(${left + i * (PANEL.width + PANEL.gap)} ${PANEL.top})">\n${drawn.join('\n')}\n</g>`;
  });
  const isAnyCut = !runs.every(isWhole);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    `<rect class="page" width="${width}" height="${height}" rx="6"/>`,
    text(16, 24, title, 'title', 'start'),
    ...labels,
    ...panels,
    isAnyCut ? text(left, height - 10, 'Grey: the run was cut short, or ended at an error.', 'tick', 'start') : '',
    '</svg>',
    '',
  ]
    .filter((line, i, lines) => line !== '' || i === lines.length - 1)
    .join('\n');
}

function drawPanel({ title, of, least, show }: Measure, runs: readonly CheckReport[]): string[] {
  const values = runs.map((run) => Math.max(least, of(run)));
  const decades = Math.max(1, Math.ceil(Math.log10(Math.max(...values) / least)));
  const x = (value: number): number => (PANEL.width * Math.log10(value / least)) / decades;
  const bottom = runs.length * ROW;
  const every = Math.ceil(decades / 3);
  const ticks = Array.from({ length: decades + 1 }, (_, i) => i).flatMap((i) => {
    const at = round(x(least * 10 ** i));
    const line = `<line class="grid" x1="${at}" y1="0" x2="${at}" y2="${bottom}"/>`;
    return i % every === 0 ? [line, text(at, bottom + 16, show(least * 10 ** i), 'tick', 'middle')] : [line];
  });
  const bars = values.flatMap((value, i) => {
    const end = round(Math.max(2, x(value)));
    const y = i * ROW + (ROW - BAR) / 2;
    const kind = isWhole(runs[i] as CheckReport) ? 'bar' : 'cut';
    return [
      `<rect class="${kind}" x="0" y="${y}" width="${end}" height="${BAR}" rx="2"/>`,
      text(end + 5, y + 11, show(of(runs[i] as CheckReport)), 'value', 'start'),
    ];
  });
  return [text(0, -10, title, 'title', 'start'), ...ticks, ...bars];
}

function text(x: number, y: number, words: string, kind: string, anchor: 'start' | 'middle' | 'end'): string {
  const className = kind === '' ? '' : ` class="${kind}"`;
  return `<text x="${round(x)}" y="${y}"${className} text-anchor="${anchor}">${escaped(words)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
