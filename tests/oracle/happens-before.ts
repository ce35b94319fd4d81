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
  /** With others of its kind that do. */
  readonly commutes: boolean;
}

/** Equal exactly for equivalent executions; the steps come in the order in which they happened. */
export function happensBeforeKey(steps: readonly HappensBeforeStep[], outcome: Outcome): string {
  const before: Set<string>[] = [];
  const all = steps.map(partsOf);
  const lines = steps.map((step, j) => {
    const causes = new Set<string>();
    for (let i = 0; i < j; i++) {
      if (!isDirectlyBefore(all[i] as Parts, all[j] as Parts)) continue;
      causes.add((steps[i] as HappensBeforeStep).id);
      for (const id of before[i] as Set<string>) causes.add(id);
    }
    before.push(causes);
    return `${step.id} ${step.label} ${step.choice ?? ''} after ${[...causes].sort().join(' ')}`;
  });
  return [outcome, ...lines.sort()].join('\n');
}

export interface Parts {
  readonly path: string;
  readonly kind: string;
  readonly target: string | undefined;
  readonly writes: boolean;
  readonly commutes: boolean;
}

export function partsOf({ id, label, writes, commutes }: HappensBeforeStep): Parts {
  const [kind = '', target] = label.split(' ');
  return { path: id.slice(0, id.indexOf(':')), kind, target, writes, commutes };
}

export function isDirectlyBefore(a: Parts, b: Parts): boolean {
  if (a.path === b.path) return true;
  if (a.kind === 'spawn' && a.target === b.path) return true;
  if (b.kind === 'join' && b.target === a.path) return true;
  if (a.target !== b.target || !isAccess(a.kind) || !isAccess(b.kind)) return false;
  return (a.writes || b.writes) && !(a.commutes && b.commutes && a.kind === b.kind);
}

function isAccess(kind: string): boolean {
  return !['spawn', 'join', 'fence', 'yield', 'choose', 'block', 'allocate'].includes(kind);
}
