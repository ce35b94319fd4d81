/**
 * [BPOR], Algorithm 3, AddBacktrackPoint, with the second optimisation of section 5: a thread that cannot go on at a point is led to by
 * others, and for partial-order reduction without a bound it is enough to explore one that does.
 */
import { NONE } from '../../../program/columns.ts';
import { Mark } from './points.ts';
import type { Search } from './procedures.ts';

/**
 * Adds u to backtrack(s) of point d if it can go on there, or else one that leads to it and, for the sake of the bound, all others; if
 * there is none, all. Returns the thread that was asked for; NONE: all.
 */
export function addBacktrackPoint(search: Search, d: number, u: number, mark: number): number {
  const { points, variant } = search;
  const isEnabled = points.has(d, u, Mark.ENABLED);
  if (isEnabled && !isPassedOver(search, d, u)) {
    points.set(d, u, mark);
    return u;
  }
  const leader = variant.transitive && !isEnabled && mark === Mark.WANTED ? leaderTo(search, d, u) : NONE;
  if (leader !== NONE) points.set(d, leader, mark);
  points.addAll(d, leader === NONE ? mark : Mark.LATER);
  return leader;
}

/** A thread that can go on at point d, with a later step that happens before the next one of u; NONE: there is none. */
function leaderTo(search: Search, d: number, u: number): number {
  const { points, schedule, dependences } = search;
  const before = schedule.lastOf(u);
  let found = NONE;
  for (let k = d + 1; k <= before; k++) {
    const t = schedule.thread[k]!;
    if (!points.has(d, t, Mark.ENABLED) || isPassedOver(search, d, t) || !dependences.happensBefore(k, before))
      continue;
    if (points.has(d, t, Mark.WANTED)) return t;
    if (found === NONE) found = t;
  }
  return found;
}

/** Asleep: the races that it would show from here were found where other threads slept. */
function isPassedOver({ points, variant }: Search, d: number, t: number): boolean {
  return variant.sleepersAskForAll && points.has(d, t, Mark.ASLEEP);
}
