/** Curves over counts, with a vertical axis that is logarithmic, or linear where a slope is to be seen, as SVG that can be read on a light and on a dark page. */

export interface Series {
  /** Also its class in the style sheet. */
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Panel {
  readonly title: string;
  /** Of the vertical axis. */
  readonly unit: 'executions' | 'seconds' | 'speed-up' | 'µs per execution';
  /** What the horizontal axis counts. */
  readonly xTitle: string;
  readonly series: readonly Series[];
}

const PANEL = { width: 236, height: 170, left: 62, top: 46, gapX: 54, gapY: 30, bottom: 42, right: 16, legend: 26 };

const style = `
    .page { fill: #ffffff; }
    text { font: 12px system-ui, sans-serif; fill: #24292f; }
    .title { font-weight: 600; }
    .tick { font-size: 11px; fill: #57606a; }
    .grid { stroke: #d0d7de; stroke-width: 1; }
    .frame { fill: none; stroke: #8c959f; stroke-width: 1; }
    .curve { fill: none; stroke-width: 2; stroke-linejoin: round; }
    .trust .curve { stroke-dasharray: 6 4; }
    .dfs .curve { stroke: #bc4c00; } .dfs .mark { fill: #bc4c00; }
    .buster .curve { stroke: #0969da; } .buster .mark { fill: #0969da; }
    .bpor .curve { stroke: #1a7f37; } .bpor .mark { fill: #1a7f37; }
    .proved .curve { stroke: #8250df; } .proved .mark { fill: #8250df; }
    .dpor .mark { fill: #57606a; }
    .trust .curve { stroke: #57606a; } .trust .mark { fill: none; }
    .linear .curve { stroke: #57606a; stroke-dasharray: 6 4; } .linear .mark { fill: none; }
    .simulated .curve { stroke: #0969da; } .simulated .mark { fill: #0969da; }
    .measured .curve { stroke: #bc4c00; } .measured .mark { fill: #bc4c00; }
    .sc .curve { stroke: #0969da; } .sc .mark { fill: #0969da; }
    .rc11 .curve { stroke: #bc4c00; } .rc11 .mark { fill: #bc4c00; }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117; }
      text { fill: #e6edf3; }
      .tick { fill: #9198a1; }
      .grid { stroke: #30363d; }
      .frame { stroke: #6e7681; }
      .dfs .curve { stroke: #ffa657; } .dfs .mark { fill: #ffa657; }
      .buster .curve { stroke: #58a6ff; } .buster .mark { fill: #58a6ff; }
      .bpor .curve { stroke: #3fb950; } .bpor .mark { fill: #3fb950; }
      .proved .curve { stroke: #bc8cff; } .proved .mark { fill: #bc8cff; }
      .dpor .mark { fill: #9198a1; }
      .trust .curve { stroke: #9198a1; }
      .linear .curve { stroke: #9198a1; }
      .simulated .curve { stroke: #58a6ff; } .simulated .mark { fill: #58a6ff; }
      .measured .curve { stroke: #ffa657; } .measured .mark { fill: #ffa657; }
      .sc .curve { stroke: #58a6ff; } .sc .mark { fill: #58a6ff; }
      .rc11 .curve { stroke: #ffa657; } .rc11 .mark { fill: #ffa657; }
    }
  `;

/** One column for each program: its panels one below the other. `command` draws it again. */
export function plot(title: string, command: string, columns: readonly (readonly Panel[])[]): string {
  const rows = Math.max(...columns.map(({ length }) => length));
  const width = PANEL.left + columns.length * (PANEL.width + PANEL.gapX) - PANEL.gapX + PANEL.right;
  // where the rows count different things, each has its own title below
  const gapY = columns.some((panels) => new Set(panels.map(({ xTitle }) => xTitle)).size > 1) ? 58 : PANEL.gapY;
  const height = PANEL.top + PANEL.legend + rows * (PANEL.height + gapY) - gapY + PANEL.bottom;
  const names = [...new Set(columns.flat().flatMap(({ series }) => series.map(({ name }) => name)))].sort();
  const body = columns.flatMap((panels, column) =>
    panels.map((panel, row) => {
      const x = PANEL.left + column * (PANEL.width + PANEL.gapX);
      const y = PANEL.top + PANEL.legend + row * (PANEL.height + gapY);
      const isLast = panels[row + 1]?.xTitle !== panel.xTitle;
      const texts = [
        row === 0 ? text(PANEL.width / 2, -10, panel.title, 'title', 'middle') : '',
        column === 0 ? rotated(-48, PANEL.height / 2, panel.unit === 'seconds' ? 'time' : panel.unit) : '',
        isLast ? text(PANEL.width / 2, PANEL.height + 34, panel.xTitle, '', 'middle') : '',
      ];
      return `<g transform="translate(${x} ${y})">\n${[...drawPanel(panel), ...texts].filter((part) => part !== '').join('\n')}\n</g>`;
    }),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<!-- drawn by ${command} -->`,
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    `<rect class="page" width="${width}" height="${height}" rx="6"/>`,
    ...legend(names),
    ...body,
    '</svg>',
    '',
  ].join('\n');
}

function legend(names: readonly string[]): string[] {
  return names.map((name, i) => {
    const x = PANEL.left + i * 110;
    const dot = `<circle class="mark" cx="14" cy="0" r="3"/>`;
    return `<g class="${name}" transform="translate(${x} 20)"><path class="curve" d="M0 0H28"/>${dot}${text(36, 4, name, '', 'start')}</g>`;
  });
}

function drawPanel({ unit, series }: Panel): string[] {
  const all = series.flatMap(({ points }) => points);
  const most = Math.max(...all.map(([x]) => x));
  const values = all.map(([, y]) => y);
  const { part, ticks } = isLinear(unit) ? linear(values, unit) : logarithmic(values, unit);
  const atX = (x: number): number => 10 + ((PANEL.width - 20) * x) / most;
  const atY = (y: number): number => PANEL.height * (1 - part(y));
  const lines: string[] = [];
  for (const [i, [value, label]] of ticks.entries()) {
    const y = round(atY(value));
    if (i > 0 && i < ticks.length - 1) lines.push(`<path class="grid" d="M0 ${y}H${PANEL.width}"/>`);
    lines.push(text(-6, y + 4, label, 'tick', 'end'));
  }
  const every = stepOf(most);
  for (let x = 0; x <= most; x += every) lines.push(text(atX(x), PANEL.height + 16, count(x), 'tick', 'middle'));
  lines.push(`<rect class="frame" width="${PANEL.width}" height="${PANEL.height}"/>`);
  for (const { name, points } of series) {
    const places = points.map(([x, y]) => [round(atX(x)), round(atY(y))] as const);
    const path = `<path class="curve" d="M${places.map((place) => place.join(' ')).join('L')}"/>`;
    const marks = places.map(([x, y]) => `<circle class="mark" cx="${x}" cy="${y}" r="3"/>`);
    lines.push(`<g class="${name}">${path}${name === 'trust' ? '' : marks.join('')}</g>`);
  }
  return lines;
}

/** Where values stand on an axis, from 0 to 1; and its ticks, the first and the last of them at its ends. */
interface Scale {
  part(value: number): number;
  readonly ticks: readonly (readonly [value: number, label: string])[];
}

type LinearUnit = 'speed-up' | 'µs per execution';

function isLinear(unit: Panel['unit']): unit is LinearUnit {
  return unit === 'speed-up' || unit === 'µs per execution';
}

function linear(values: readonly number[], unit: LinearUnit): Scale {
  const most = Math.ceil(Math.max(...values));
  const every = stepOf(most);
  const count = Math.ceil(most / every);
  return {
    part: (value) => value / (count * every),
    ticks: Array.from(
      { length: count + 1 },
      (_, i) => [i * every, unit === 'speed-up' ? `×${i * every}` : `${i * every}`] as const,
    ),
  };
}

function logarithmic(values: readonly number[], unit: 'executions' | 'seconds'): Scale {
  const [low, high] = decades(values);
  return {
    part: (value) => (Math.log10(value) - low) / (high - low),
    ticks: Array.from({ length: high - low + 1 }, (_, i) => [10 ** (low + i), tick(low + i, unit)] as const),
  };
}

/** 1, 2 or 5 times a power of ten: so that there are at most ten ticks. */
function stepOf(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most / 10)));
  return power * ([1, 2, 5, 10].find((each) => most / (each * power) <= 9) as number);
}

function count(x: number): string {
  return x < 10_000 ? String(x) : `${x / 1000}k`;
}

/** The powers of ten that all values lie between. */
function decades(values: readonly number[]): [number, number] {
  const low = Math.floor(Math.log10(Math.min(...values)));
  return [low, Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))))];
}

function tick(power: number, unit: 'executions' | 'seconds'): string {
  if (unit === 'executions')
    return power < 3 ? `${10 ** power}` : power < 6 ? `${10 ** (power - 3)}k` : `${10 ** (power - 6)}M`;
  return power >= 0 ? `${10 ** power} s` : power >= -3 ? `${10 ** (power + 3)} ms` : `${10 ** (power + 6)} µs`;
}

function text(x: number, y: number, words: string, name: string, anchor: string): string {
  const attribute = name === '' ? '' : ` class="${name}"`;
  return `<text${attribute} x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${escaped(words)}</text>`;
}

function rotated(x: number, y: number, words: string): string {
  return `<text transform="translate(${x} ${y}) rotate(-90)" text-anchor="middle">${escaped(words)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
