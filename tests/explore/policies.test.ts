/** Policies: what they refuse is left out, what they admit is explored as before. */
import { expect, test } from 'vitest';
import type { ExploreOptions } from '../../src/explore/explorer.ts';
import { everyGraph, type GraphPolicy } from '../../src/explore/graphs/policy.ts';
import { TruSt } from '../../src/explore/graphs/trust.ts';
import { DepthFirstSearch } from '../../src/explore/schedules/dfs.ts';
import { anyStep, type SchedulePolicy } from '../../src/explore/schedules/policy.ts';
import { models } from '../../src/models/registry.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
import type { Ending } from '../../src/program/ending.ts';
import type { Program } from '../../src/program/operation.ts';
import { coKey } from '../oracle/classes.ts';
import { randomProgram } from '../random/programs.ts';
import { toOperations } from '../random/to-operations.ts';
import { observe, scheduleOf } from './kit/observe.ts';

const options: ExploreOptions = {
  keepGoing: true,
  races: true,
  livelock: true,
  checkLeaks: false,
  maxExecutions: 2000,
};

const PROGRAMS = 100;

function forEachProgram(visit: (program: Program) => void): void {
  for (let seed = 1; seed <= PROGRAMS; seed++) visit(toOperations(randomProgram(seed)));
}

function graphsWith(program: Program, policy: Partial<GraphPolicy>) {
  const keys: string[] = [];
  const onExecution = (ending: Ending): void => {
    keys.push(coKey(observe(explorer, ending)));
  };
  const explorer: TruSt = new TruSt(new Behaviours(program), models.sc.graph.co, { ...options, onExecution }, () => ({
    ...everyGraph,
    ...policy,
  }));
  while (!explorer.run(1000));
  return { explorer, keys };
}

test('a policy that judges says which full graphs count, which are over the bound, which do not count', () => {
  let dropped = 0;
  forEachProgram((program) => {
    const all = graphsWith(program, {});
    let ends = 0;
    const judge = (): 'counts' | 'over bound' | 'dropped' =>
      (['counts', 'over bound', 'dropped'] as const)[ends++ % 3]!;
    const { explorer, keys } = graphsWith(program, { judge });
    if (!explorer.isExhausted) return;
    expect(ends).toBe(all.keys.length);
    expect(keys).toEqual(all.keys.filter((_, i) => i % 3 === 0));
    expect(explorer.counts.overBound).toBe(all.keys.filter((_, i) => i % 3 === 1).length);
    dropped += all.keys.length - keys.length;
  });
  expect(dropped).toBeGreaterThan(1000);
});

test('a graph that a policy refuses is left out with all that would come of it, and nothing else is seen twice', () => {
  let refused = 0;
  forEachProgram((program) => {
    const all = new Set(graphsWith(program, {}).keys);
    let asked = 0;
    const { keys, explorer } = graphsWith(program, { admits: () => ++asked % 7 !== 0 });
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.filter((key) => !all.has(key))).toEqual([]);
    if (explorer.isExhausted && keys.length < all.size) refused++;
  });
  expect(refused).toBeGreaterThan(PROGRAMS / 2);
  const nothing = graphsWith(toOperations(randomProgram(1)), { admits: () => false });
  expect(nothing.keys).toEqual([]);
});

test('what a policy keeps for the graph is taken back with it', () => {
  forEachProgram((program) => {
    let length = 0;
    const kept: number[] = [];
    const policy: Partial<GraphPolicy> = {
      admits: () => {
        length = kept.push(length);
        return true;
      },
      mark: () => length,
      undoTo: (mark) => {
        expect(mark).toBeLessThanOrEqual(length);
        length = mark;
        kept.length = mark;
      },
    };
    const { keys } = graphsWith(program, policy);
    expect(keys.length).toBeGreaterThan(0);
  });
});

function schedulesWith(program: Program, policy: SchedulePolicy) {
  const keys: string[] = [];
  const explorer: DepthFirstSearch = new DepthFirstSearch(
    new Behaviours(program),
    { ...options, onExecution: () => keys.push(scheduleOf(explorer)) },
    () => policy,
  );
  while (!explorer.run(1000));
  return { explorer, keys };
}

/** At most so many times another thread goes on than the one before. */
class FewSwitches implements SchedulePolicy {
  readonly #threads: number[] = [];
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  admits(t: number): boolean {
    return switchesOf([...this.#threads, t]) <= this.#most;
  }

  performed(t: number): void {
    this.#threads.push(t);
  }

  undone(t: number): void {
    expect(this.#threads.pop()).toBe(t);
  }
}

function switchesOf(threads: readonly (number | string)[]): number {
  return threads.filter((t, i) => i > 0 && threads[i - 1] !== t).length;
}

test.each([1, 3, 5])('a bound on the switches of schedules, %i: exactly the interleavings within it', (most) => {
  let [within, beyond] = [0, 0];
  forEachProgram((program) => {
    const all = schedulesWith(program, anyStep);
    if (!all.explorer.isExhausted) return;
    const { keys } = schedulesWith(program, new FewSwitches(most));
    const isWithin = (schedule: string): boolean =>
      switchesOf(schedule.split(' ').map((step) => step.replace(/=.*/, ''))) <= most;
    expect(keys).toEqual(all.keys.filter(isWithin));
    within += keys.length;
    beyond += all.keys.length - keys.length;
  });
  expect(within).toBeGreaterThan(most * 10);
  expect(beyond).toBeGreaterThan(1000);
});
