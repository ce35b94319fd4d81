/** What a search left out on purpose. The words for it: `src/report/bounds.ts`. */
import { type Explorer, hasBound, searchBounds } from '../explore/explorer.ts';
import type { Program } from '../program/operation.ts';

/** Those of the search (`searchBounds`); `unroll`: how often a loop may be entered; `limit`: what the program itself left out, though nobody asked for it. */
export const boundNames = [...searchBounds, 'unroll', 'limit'] as const;
export type BoundName = (typeof boundNames)[number];

export interface Bound {
  readonly name: BoundName;
  /** What was asked for. */
  readonly value?: number;
  /** How many executions it cut short, or ways to go on it refused. Absent: some, and nobody counts them. */
  readonly cut?: number;
  /** Whether nothing in the program is what it is about. */
  readonly isIdle?: boolean;
  /** Of a limit: what was left out. */
  readonly sentence?: string;
}

/** The bounds that a search of the program had, in the order in which they are told. */
export function boundsOf(program: Program, explorer: Explorer): readonly Bound[] {
  const { unroll } = program;
  const { cutExecutions } = explorer;
  const loops: Bound = { name: 'unroll', ...(unroll === undefined ? {} : { value: unroll }), cut: cutExecutions };
  return [
    ...(hasBound(explorer) ? explorer.bounds.map(({ refused: cut, ...bound }) => ({ ...bound, cut })) : []),
    ...(unroll === undefined && cutExecutions === 0 ? [] : [loops]),
    ...(program.limits?.() ?? []).map((sentence): Bound => ({ name: 'limit', sentence })),
  ];
}

/** Whether some bound cut something. */
export function isBounded(bounds: readonly Bound[]): boolean {
  return bounds.some(hasCut);
}

/** Whether it is a bound of the search, which others may not have, and not one of the program. */
export function isOfSearch({ name }: Pick<Bound, 'name'>): boolean {
  return searchBounds.some((each) => each === name);
}

export function hasCut({ cut }: Bound): boolean {
  return cut !== 0;
}
