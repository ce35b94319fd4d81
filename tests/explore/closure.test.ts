/** Closure and realisation of annotated partial orders against brute force: all linearisations of small ones. */
import { expect, test } from 'vitest';
import { AnnotatedOrder, INITIAL_WRITE } from '../../src/explore/values/annotated-order.ts';
import { Candidates } from '../../src/explore/values/candidates.ts';
import { Closure } from '../../src/explore/values/closure.ts';
import { Realisation } from '../../src/explore/values/realise.ts';
import { Behaviours, Step } from '../../src/program/behaviours.ts';
import type { ProgramAst, Statement } from '../oracle/language.ts';
import { Random } from '../random/prng.ts';
import { toOperations } from '../random/to-operations.ts';
import { byTier } from '../tier.ts';

/** Threads without branches, so that any values can be read. */
function straightProgram(random: Random): ProgramAst {
  const locations = ['x', 'y'];
  const statement = (): Statement => {
    const location = random.pick(locations);
    const value = { constant: random.between(0, 1) };
    return random.pick<Statement>([
      { kind: 'load', location, register: 0 },
      { kind: 'load', location, register: 0 },
      { kind: 'store', location, value },
      { kind: 'store', location, value },
      { kind: 'exchange', location, value, register: 0 },
    ]);
  };
  const threads = 2 + random.between(0, 1);
  const most = threads === 2 ? 4 : 3;
  const main = Array.from({ length: threads }, (_, slot): Statement => {
    return { kind: 'spawn', slot, body: Array.from({ length: 1 + random.between(0, most - 1) }, statement) };
  });
  return { atomics: { x: 0, y: 0 }, shared: {}, mutexes: [], main };
}

/** Adds events at random, each read with some value that was written. */
function grow(p: AnnotatedOrder, random: Random): void {
  const candidates = new Candidates();
  for (let tries = 0; tries < 60; tries++) {
    const t = random.between(0, p.threadCount - 1);
    if (p.canExtend(t)) {
      p.extend(t, 0);
      continue;
    }
    const s = p.stateOf(t);
    if (s < 0 || p.behaviours.step[s] !== Step.READ) continue;
    candidates.find(p, t);
    if (candidates.count === 0) continue;
    const i = random.between(0, candidates.count - 1);
    const e = p.addRead(
      t,
      candidates.value[i] as number,
      candidates.source[i] as number,
      candidates.side[i] as 0 | 1 | 2,
    );
    p.goOn(e);
  }
}

/** Orders conflicting events of leaves at random. */
function orderLeaves(p: AnnotatedOrder, random: Random): void {
  for (let a = 0; a < p.length; a++) {
    for (let b = 0; b < a; b++) {
      if ((p.location[a] as number) < 0 || p.location[a] !== p.location[b] || p.isOfRoot(a) || p.isOfRoot(b)) continue;
      if (!p.writes(a) && !p.writes(b)) continue;
      if (p.isBefore(a, b) || p.isBefore(b, a)) continue;
      if (random.between(0, 1) === 0) p.order(a, b);
      else p.order(b, a);
    }
  }
}

const relation = (p: AnnotatedOrder): boolean[][] =>
  Array.from({ length: p.length }, (_, a) => Array.from({ length: p.length }, (_, b) => p.isBefore(a, b)));

/** All linearisations of the order in which every read reads a good write. */
function realisations(p: AnnotatedOrder, before: readonly (readonly boolean[])[]): number[][] {
  const found: number[][] = [];
  const trace: number[] = [];
  const isDone = new Array<boolean>(p.length).fill(false);
  const memory = new Map<number, number>();
  const search = (): void => {
    if (trace.length === p.length) {
      found.push([...trace]);
      return;
    }
    for (let e = 0; e < p.length; e++) {
      if (isDone[e] || before.some((row, a) => row[e] && !isDone[a])) continue;
      const location = p.location[e] as number;
      const old = memory.get(location);
      if (p.reads(e) && !p.isGood(e, old ?? INITIAL_WRITE)) continue;
      if (p.writes(e)) memory.set(location, e);
      isDone[e] = true;
      trace.push(e);
      search();
      trace.pop();
      isDone[e] = false;
      if (old === undefined) memory.delete(location);
      else memory.set(location, old);
    }
  };
  search();
  return found;
}

test.each([true, false])('on random orders, those of the leaves complete: %s', { timeout: 600_000 }, (isComplete) => {
  let [closed, refused, added] = [0, 0, 0];
  for (let seed = 0; seed < byTier({ quick: 1000, normal: 1500, long: 20_000 }); seed++) {
    const random = new Random(isComplete ? seed : seed + 1_000_000);
    const p = new AnnotatedOrder(new Behaviours(toOperations(straightProgram(random))), '0.0', 'values');
    const closure = new Closure(p);
    grow(p, random);
    if (isComplete) orderLeaves(p, random);
    const before = relation(p);
    const possible = realisations(p, before);
    const isClosed = closure.close();
    if (isComplete) expect(isClosed, `seed ${seed}`).toBe(possible.length > 0);
    else if (possible.length > 0) expect(isClosed, `seed ${seed}`).toBe(true);
    if (!isClosed) {
      refused++;
      continue;
    }
    closed++;
    if (isComplete) new Realisation(p).realise(); // throws if that is no execution
    for (let a = 0; a < p.length; a++) {
      for (let b = 0; b < p.length; b++) {
        if (!p.isBefore(a, b) || before[a]?.[b] === true) continue;
        added++;
        const isNecessary = possible.every((trace) => trace.indexOf(a) < trace.indexOf(b));
        expect(isNecessary, `seed ${seed}: ${a} before ${b}`).toBe(true);
      }
    }
  }
  for (const count of [closed, refused, added]) expect(count).toBeGreaterThan(50);
});
