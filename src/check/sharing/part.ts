/**
 * What a part of a search has come to, as plain data: how the parts that several workers have explored, or one before it was
 * stopped and one after, become the result of the whole. Parts are disjoint, so counts add up.
 */
import type { z } from 'zod';
import {
  type Bounded,
  type Counts,
  type Explorer,
  type Finding,
  hasBound,
  noCounts,
  type Warning,
} from '../../explore/explorer.ts';
import type { Program } from '../../program/operation.ts';
import type { partSchema } from './part-schema.ts';

type Plain<T> = T extends object ? { readonly [K in keyof T]: Plain<T[K]> } : T;

export interface Part extends Plain<Omit<z.infer<typeof partSchema>, 'findings' | 'warnings'>> {
  readonly findings: readonly Finding[];
  readonly warnings: readonly Warning[];
}

export const noPart: Part = {
  counts: noCounts(),
  cut: 0,
  findings: [],
  warnings: [],
  refused: [],
  isIdle: [],
  assumptions: [],
  limits: [],
};

export function partOf(explorer: Explorer, program: Program): Part {
  const { counts, cutExecutions: cut, findings, warnings, exitStatus } = explorer;
  const status = exitStatus ?? (counts.complete > 0 ? 0 : undefined);
  const bounds = hasBound(explorer) ? (explorer as Bounded).bounds : [];
  return {
    counts: { ...counts },
    cut,
    findings: [...findings],
    warnings: [...warnings],
    ...(status === undefined ? {} : { status }),
    refused: bounds.map(({ refused }) => refused),
    isIdle: bounds.map(({ isIdle = false }) => isIdle),
    assumptions: [...(program.assumptions?.() ?? [])],
    limits: [...(program.limits?.() ?? [])],
  };
}

export function together(parts: readonly Part[]): Part {
  return parts.reduce(sumOf, noPart);
}

function sumOf(a: Part, b: Part): Part {
  const status = a.status === undefined || a.status === b.status ? b.status : b.status === undefined ? a.status : 0;
  return {
    counts: sumOfCounts(a.counts, b.counts),
    cut: a.cut + b.cut,
    findings: different([...a.findings, ...b.findings]),
    warnings: [...new Map([...a.warnings, ...b.warnings].map((each) => [JSON.stringify(each), each])).values()],
    ...(status === undefined ? {} : { status }),
    refused: longer(a.refused, b.refused).map((_, i) => (a.refused[i] ?? 0) + (b.refused[i] ?? 0)),
    isIdle: longer(a.isIdle, b.isIdle).map((_, i) => (a.isIdle[i] ?? true) && (b.isIdle[i] ?? true)),
    assumptions: [...new Set([...a.assumptions, ...b.assumptions])],
    limits: [...new Set([...a.limits, ...b.limits])],
  };
}

export function sumOfCounts(a: Counts, b: Counts): Counts {
  return {
    complete: a.complete + b.complete,
    blocked: a.blocked + b.blocked,
    redundant: a.redundant + b.redundant,
    overBound: a.overBound + b.overBound,
    erroneous: a.erroneous + b.erroneous,
    pruned: a.pruned + b.pruned,
    boundBlocked: a.boundBlocked + b.boundBlocked,
  };
}

/** Each error once, in the execution with the fewest preemptions, where they are counted. */
function different(findings: readonly Finding[]): readonly Finding[] {
  const byKey = new Map<string, Finding>();
  for (const finding of findings) {
    const known = byKey.get(keyOf(finding));
    if (known === undefined || (finding.preemptions ?? 0) < (known.preemptions ?? 0))
      byKey.set(keyOf(finding), finding);
  }
  return [...byKey.values()];
}

/** Alike only for what is the same error: workers number locations in different ways, so by where the threads stand. */
export function keyOf({ kind, message, position, threads, operation, round, witness }: Finding): string {
  const idOf = new Map(witness.threads.map(({ id, path }) => [path, id]));
  const stands = threads.map((path) => witness.steps.filter(({ thread }) => thread === idOf.get(path)).length);
  const isClash = threads.length === 2 && operation !== undefined;
  const accesses = threads.map((path, i) => `${path}:${isClash && i === 0 ? operation : stands[i]}`);
  // who waits has a name that may depend on the order in which a worker has met threads
  const isStandstill = (kind === 'deadlock' || kind === 'livelock') && round === undefined;
  const words = isStandstill ? '' : message;
  return JSON.stringify([kind, words, position, round, isClash ? accesses.sort() : [accesses, operation]]);
}

function longer<T>(a: readonly T[], b: readonly T[]): readonly T[] {
  return a.length >= b.length ? a : b;
}
