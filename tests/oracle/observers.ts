/**
 * The equivalence of Optimal-DPOR with observers [Observers]: happens-before, where the order of two writes counts only if the later one
 * is read. Executions are the same if that is the same relation on the same steps.
 *
 * Only stores, which read nothing, are left unordered, and none of a location that somebody waits for: what is in it last decides
 * whether they go on.
 */
import type { HappensBeforeStep } from './happens-before.ts';
import { isDirectlyBefore, type Parts, partsOf } from './happens-before.ts';
import type { Outcome } from './observed.ts';

export interface ReadingStep extends HappensBeforeStep {
  /** The step that wrote what it read, if it reads. */
  readonly readsFrom?: string | undefined;
}

/** Equal exactly for equivalent executions; the steps come in the order in which they happened. `awaited`: locations. */
export function observersKey(steps: readonly ReadingStep[], outcome: Outcome, awaited: ReadonlySet<string>): string {
  const all = steps.map((step) => partsOf({ ...step, commutes: false }));
  const observed = new Set(steps.map(({ readsFrom }) => readsFrom));
  const isOpen = ({ kind, target }: Parts): boolean => kind === 'store' && !awaited.has(target ?? '');
  const isOrdered = (i: number, j: number): boolean => {
    const [a, b] = [all[i] as Parts, all[j] as Parts];
    if (!isDirectlyBefore(a, b)) return false;
    if (a.path === b.path || !isOpen(a) || !isOpen(b)) return true;
    return observed.has((steps[j] as ReadingStep).id);
  };
  const before: Set<string>[] = [];
  const lines = steps.map((step, j) => {
    const causes = new Set<string>();
    for (let i = 0; i < j; i++) {
      if (!isOrdered(i, j)) continue;
      causes.add((steps[i] as ReadingStep).id);
      for (const id of before[i] as Set<string>) causes.add(id);
    }
    before.push(causes);
    return `${step.id} ${step.label} ${step.choice ?? ''} after ${[...causes].sort().join(' ')}`;
  });
  return [outcome, ...lines.sort()].join('\n');
}
