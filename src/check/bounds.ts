/** What a search left out on purpose. The words for it: `src/report/bounds.ts`. */
import { type Explorer, hasBound, searchBounds } from '../explore/explorer.ts';
import type { Program } from '../program/operation.ts';

/**
 * Those of the search (`searchBounds`); `unroll`: how often a loop may be entered; `rounds`: how often one may go round that is not known
 * to end, and `limit`: what the program itself left out, though nobody asked for them.
 */
export const boundNames = [...searchBounds, 'unroll', 'rounds', 'limit'] as const;
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
  return [
    ...(hasBound(explorer) ? explorer.bounds.map(({ refused: cut, ...bound }) => ({ ...bound, cut })) : []),
    ...loopBound(program, explorer),
    ...[...new Set([...(program.limits?.() ?? []), ...(explorer.saidElsewhere?.limits ?? [])])].map(
      (sentence): Bound => ({ name: 'limit', sentence }),
    ),
  ];
}

function loopBound({ unroll, openLoops }: Program, { cutExecutions: cut }: Explorer): readonly Bound[] {
  if (unroll !== undefined) return [{ name: 'unroll', value: unroll, cut }];
  if (cut === 0) return [];
  return openLoops?.most === undefined ? [{ name: 'unroll', cut }] : [{ name: 'rounds', value: openLoops.most, cut }];
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
