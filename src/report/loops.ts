/** Loops that go round often, in words. */

import { listOf } from '../program/list-of.ts';
import type { OpenLoop } from '../program/open-loops.ts';
import type { LoopReport } from '../program/operation.ts';
import { showPosition } from './source.ts';
import { counted } from './words.ts';

type Loop = Pick<LoopReport, 'position' | 'functionName'>;

export function isSameLoop(a: Loop, b: Loop): boolean {
  const { position: p, functionName } = a;
  const { position: q } = b;
  if (p === undefined || q === undefined) return p === q && functionName === b.functionName;
  return p.file === q.file && p.line === q.line && p.column === q.column;
}

const MOST_NAMED = 3;

/** "the loop at a.c:5:3": those that go round more often than so. */
export function loopsBeyond(covered: number, loops: readonly OpenLoop[], cwd: string): string {
  const places = [...new Set(loops.filter(({ rounds }) => rounds > covered).map((loop) => placeOf(loop, cwd)))];
  if (places.length === 0) return 'each loop';
  const named = places.slice(0, MOST_NAMED);
  const more = places.length - named.length;
  return `the ${places.length === 1 ? 'loop' : 'loops'} at ${listOf(more > 0 ? [...named, `${more} more places`] : named)}`;
}

/** "  a.c:5:3, 128 rounds: it writes to memory (line 6)", a line for each. */
export function reasonsOf(open: readonly OpenLoop[], loops: readonly LoopReport[], cwd: string): readonly string[] {
  const lines = open.map((loop) => {
    const why = loops.find((report) => isSameLoop(report, loop))?.why ?? '';
    const rounds = loop.rounds === 0 ? '' : `, ${counted(loop.rounds, 'round')}`;
    return `  ${placeOf(loop, cwd)}${rounds}${why === '' ? '' : `: ${why}`}`;
  });
  return [...new Set(lines)];
}

function placeOf({ position, functionName }: Loop, cwd: string): string {
  return position === undefined ? functionName : showPosition(position, cwd);
}
