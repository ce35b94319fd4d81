/**
 * The equivalence of [Await], section IV-A: executions are the same if happens-before is the same relation on the same steps.
 * Without commuting updates that is the equivalence of `coKey`.
 */
import type { Outcome } from './observed.ts';

export interface HappensBeforeStep {
  /** `PATH:INDEX` */
  readonly id: string;
  readonly label: string;
  readonly choice?: number | undefined;
  readonly writes: boolean;
  readonly commutes: boolean;
}

/** Equal exactly for equivalent executions; the steps come in the order in which they happened. */
export function happensBeforeKey(steps: readonly HappensBeforeStep[], outcome: Outcome): string {
  const before: Set<string>[] = [];
  const lines = steps.map((step, j) => {
    const causes = new Set<string>();
    for (let i = 0; i < j; i++) {
      const earlier = steps[i] as HappensBeforeStep;
      if (!isDirectlyBefore(earlier, step)) continue;
      causes.add(earlier.id);
      for (const id of before[i] as Set<string>) causes.add(id);
    }
    before.push(causes);
    return `${step.id} ${step.label} ${step.choice ?? ''} after ${[...causes].sort().join(' ')}`;
  });
  return [outcome, ...lines.sort()].join('\n');
}

function isDirectlyBefore(a: HappensBeforeStep, b: HappensBeforeStep): boolean {
  const [pathA, pathB] = [pathOf(a), pathOf(b)];
  if (pathA === pathB) return true;
  const [kindA, targetA] = a.label.split(' ');
  const [kindB, targetB] = b.label.split(' ');
  if (kindA === 'spawn' && targetA === pathB) return true;
  if (kindB === 'join' && targetB === pathA) return true;
  if (!isAccess(kindA) || !isAccess(kindB) || targetA !== targetB) return false;
  return (a.writes || b.writes) && !(a.commutes && b.commutes);
}

function isAccess(kind: string | undefined): boolean {
  return !['spawn', 'join', 'fence', 'yield', 'choose', 'block', 'allocate'].includes(kind ?? '');
}

function pathOf({ id }: HappensBeforeStep): string {
  return id.slice(0, id.indexOf(':'));
}
