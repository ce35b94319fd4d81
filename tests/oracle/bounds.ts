/**
 * The bounds of [BPOR], section 2.5, as defined there, on interleavings that have been made. A thread that the fair bound holds
 * back counts as not enabled for the preemption bound, if there are both.
 */
import { coKey } from './classes.ts';
import { forEachInterleaving, type Interleaving } from './interleavings.ts';
import type { ProgramAst } from './language.ts';

/** What is not given has no bound. */
export interface Bounds {
  readonly preemptions?: number | undefined;
  readonly fair?: number | undefined;
}

type Schedule = Pick<Interleaving, 'steps' | 'enabled'>;

/** Y(S, u), where S is the first `length` steps. */
function yieldsOf({ steps }: Schedule, length: number, path: string): number {
  return steps.slice(0, length).filter((step) => step.path === path && step.label === 'yield').length;
}

/** What a step of the thread after the first `length` steps costs: how many more yields it has performed than some enabled thread. */
function unfairnessAt(schedule: Schedule, length: number, path: string): number {
  const others = schedule.enabled[length] ?? [];
  return Math.max(...others.map((u) => yieldsOf(schedule, length, path) - yieldsOf(schedule, length, u)));
}

/** Definition 2.6. */
export function unfairnessOf(schedule: Schedule): number {
  return Math.max(0, ...schedule.steps.map(({ path }, i) => (i === 0 ? 0 : unfairnessAt(schedule, i, path))));
}

/** Definition 2.5; `fair`: the fair bound that holds threads back. */
export function preemptionsOf(schedule: Schedule, fair = Number.POSITIVE_INFINITY): number {
  const { steps, enabled } = schedule;
  return steps.filter(({ path }, i) => {
    const last = steps[i - 1]?.path;
    if (last === undefined || last === path || enabled[i]?.includes(last) !== true) return false;
    return unfairnessAt(schedule, i, last) <= fair;
  }).length;
}

export function isWithin(schedule: Schedule, { preemptions, fair }: Bounds): boolean {
  if (fair !== undefined && unfairnessOf(schedule) > fair) return false;
  return preemptions === undefined || preemptionsOf(schedule, fair) <= preemptions;
}

/** For each of the bounds: the keys of the classes with an interleaving within it, and how many such interleavings there are. */
export function classesWithin(
  program: ProgramAst,
  limit: number,
  bounds: readonly Bounds[],
  keyOf: (interleaving: Interleaving) => string = ({ observed }) => coKey(observed),
): readonly { readonly classes: ReadonlySet<string>; readonly interleavings: number }[] | 'too large' {
  const found = bounds.map((each) => ({ bounds: each, classes: new Set<string>(), interleavings: 0 }));
  const extent = forEachInterleaving(program, limit, (interleaving) => {
    const key = keyOf(interleaving);
    for (const each of found) {
      if (!isWithin(interleaving, each.bounds)) continue;
      each.classes.add(key);
      each.interleavings += 1;
    }
  });
  return extent === 'all' ? found : extent;
}
