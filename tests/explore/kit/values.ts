/** Value-centric searches, and how they are held against the oracle. */
import { expect } from 'vitest';
import type { Observed } from '../../../src/explore/values/annotated-order.ts';
import { ValueCentric, type ValueCentricOptions } from '../../../src/explore/values/value-centric.ts';
import { Behaviours, Step } from '../../../src/program/behaviours.ts';
import type { Ending } from '../../../src/program/ending.ts';
import type { Program } from '../../../src/program/operation.ts';
import { oracle } from '../../oracle/classes.ts';
import type { ProgramAst } from '../../oracle/language.ts';
import { minimise, show } from '../../random/programs.ts';
import { toOperations } from '../../random/to-operations.ts';
import { options } from './bounded.ts';

export interface Parts extends Pick<ValueCentricOptions, 'root' | 'writersFirst' | 'siblings' | 'unordered'> {
  readonly observed: Observed;
}

export const usual: Parts = {
  root: '0.0',
  writersFirst: true,
  siblings: true,
  unordered: true,
  observed: 'values',
};
/** Without the optimisations. */
export const plain: Parts = { ...usual, writersFirst: false, siblings: false, unordered: false };

/** Runs a search to its end; `onComplete` is told of each execution in which all threads end. */
export function searchValues(
  program: Program,
  { observed, ...parts }: Parts,
  onComplete = (_: ValueCentric) => {},
): ValueCentric {
  const onExecution = (ending: Ending): void => {
    explorer.realisation.witness(); // which throws if the order has none
    if (ending === 'complete') onComplete(explorer);
  };
  const explorer: ValueCentric = new ValueCentric(
    new Behaviours(program),
    { ...options, ...parts, onExecution },
    observed,
  );
  while (!explorer.run(1000));
  return explorer;
}

/** As `valuesKey` of the oracle. */
export function keyOf({ order: p, behaviours: b }: ValueCentric): string {
  const parts: string[] = [];
  for (let e = 0; e < p.length; e++) {
    const id = `${b.threads[p.thread[e] as number]?.path}:${p.index[e]}`;
    if (p.reads(e)) parts.push(`${id}=${b.values.valueOf(p.valueRead[e] as number)}`);
    else if (b.step[p.before[e] as number] === Step.CHOOSE) parts.push(`${id}=${p.choice[e]}`);
  }
  return parts.sort().join(' ');
}

/**
 * What tells executions apart by the definition of the equivalence ([VC], section 3): the values, on which side the root's reads read, the
 * causal order of reads, and the order of conflicting events of leaves.
 */
export function classOf(x: ValueCentric): string {
  const { order: p, behaviours: b } = x;
  const { steps } = x.realisation.witness();
  const counts = new Map<number, number>();
  const names = steps.map(({ thread }) => {
    const index = counts.get(thread) ?? 0;
    counts.set(thread, index + 1);
    return `${b.threads[thread]?.path}:${index}`;
  });
  const events = new Map<string, number>();
  for (let e = 0; e < p.length; e++) events.set(`${b.threads[p.thread[e] as number]?.path}:${p.index[e]}`, e);
  const event = names.map((name) => events.get(name) as number);
  const spawnedBy = (e: number): number => {
    const state = p.before[e] as number;
    return b.step[state] === Step.SPAWN ? (b.operand[state] as number) : -1;
  };
  const before: Set<number>[] = [];
  const parts = [keyOf(x)];
  for (const [i, { thread, readsFrom }] of steps.entries()) {
    const e = event[i] as number;
    const own = new Set<number>();
    const join = (j: number): void => {
      own.add(j);
      for (const k of before[j] ?? []) own.add(k);
    };
    // thread order, with spawns and joins
    const lastOf = (t: number): number =>
      steps.findLastIndex((step, j) => j < i && (step.thread === t || spawnedBy(event[j] as number) === t));
    const state = p.before[e] as number;
    for (const t of b.step[state] === Step.JOIN ? [thread, b.operand[state] as number] : [thread]) {
      if (lastOf(t) >= 0) join(lastOf(t));
    }
    if (readsFrom !== undefined && readsFrom >= 0) join(readsFrom);
    before.push(own);
    if (p.reads(e)) {
      for (const j of own) if (p.reads(event[j] as number)) parts.push(`${names[j]}->${names[i]}`);
      const isLocal = readsFrom !== undefined && readsFrom >= 0 && steps[readsFrom]?.thread === p.root;
      if (p.isOfRoot(e)) parts.push(`${names[i]} ${isLocal ? 'local' : 'remote'}`);
    }
    for (let j = 0; j < i; j++) {
      const f = event[j] as number;
      if (p.isOfRoot(e) || p.isOfRoot(f) || p.location[e] !== p.location[f] || (p.location[e] as number) < 0) continue;
      if (p.writes(e) || p.writes(f)) parts.push(`${names[j]}<${names[i]}`);
    }
  }
  return parts.sort().join(' ');
}

/** What is wrong with the search; undefined: nothing; 'too large' if the oracle cannot tell. */
export function wrongWith(ast: ProgramAst, parts: Parts): string | undefined {
  const truth = oracle(ast, { maxInterleavings: 1500 });
  if (truth === 'too large') return truth;
  const found: string[] = [];
  const classes = new Set<string>();
  const isDefinite = !parts.siblings && !parts.unordered && parts.observed === 'values';
  const explorer = searchValues(toOperations(ast), parts, (x) => {
    found.push(keyOf(x));
    if (isDefinite) classes.add(classOf(x));
  });
  const vectors = new Set(found);
  const lost = [...truth.valueVectors].filter((key) => !vectors.has(key));
  if (lost.length > 0) return `${lost.length} of ${truth.valueVectors.size} lost, such as ${lost[0]}`;
  const extra = [...vectors].filter((key) => !truth.valueVectors.has(key));
  if (extra.length > 0) return `there is no ${extra[0]}`;
  const complete = [...truth.coClasses.values()].filter(({ outcome }) => outcome === 'complete').length;
  if (found.length > complete) return `more executions, ${found.length}, than classes, ${complete}`;
  if (isDefinite && classes.size < found.length) return `equivalent ones: ${found.length - classes.size}`;
  for (const outcome of ['deadlock', 'livelock'] as const) {
    const isFound = explorer.findings.some(({ kind }) => kind === outcome);
    if (isFound !== truth.outcomes.has(outcome)) return `${outcome}: ${isFound}`;
  }
  return undefined;
}

/** On so many programs that the oracle can handle. */
export function expectValues(make: (seed: number) => ProgramAst, seed: number, count: number, parts: Parts): void {
  for (let next = seed, judged = 0; judged < count; next++) {
    const ast = make(next);
    const wrong = wrongWith(ast, parts);
    if (wrong === 'too large') continue;
    judged++;
    if (wrong === undefined) continue;
    const isWrong = (candidate: ProgramAst): boolean => {
      const found = wrongWith(candidate, parts);
      return found !== undefined && found !== 'too large';
    };
    const smallest = minimise(ast, isWrong);
    expect.fail(`seed ${next}:\n${show(smallest)}\n${wrongWith(smallest, parts)}`);
  }
}
