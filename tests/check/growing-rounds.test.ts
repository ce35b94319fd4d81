/** Which searches are run, and for how long: on explorers that only pretend. */
import { describe, expect, test } from 'vitest';
import { GrowingRounds } from '../../src/check/growing-rounds.ts';
import { type Explorer, type Finding, noCounts } from '../../src/explore/explorer.ts';
import { EndlessThread } from '../../src/program/input-error.ts';
import type { OpenLoops } from '../../src/program/open-loops.ts';

interface Plan {
  /** How deep the loops are after so many steps without a bound. */
  readonly depth: (steps: number) => number;
  /** After how many steps without a bound all is explored; after how many a thread is taken not to end. */
  readonly all?: number;
  readonly endless?: number;
  /** How many steps a bound takes, and from which on nothing is cut. */
  readonly stepsWithin?: (most: number) => number;
  readonly enough?: number;
  readonly findings?: readonly Finding[];
  readonly findingsWithin?: (most: number) => readonly Finding[];
  readonly keepsGoing?: boolean;
}

/** Runs to the end, and tells what was run: bounds, and `free` for a turn without one. */
function searched(plan: Plan, elapsedMs = 0, isLimited = false) {
  const { depth, all = 1e9, endless = 1e9, stepsWithin = () => 100, enough = 1e9, findings = [] } = plan;
  const { findingsWithin = () => [], keepsGoing = false } = plan;
  const loops = {
    most: undefined as number | undefined,
    deepest: 0,
    heardOf: () => {},
    forget: () => {},
    aside: (body: () => void) => body(),
    longest: () => [],
  };
  const turns: (number | 'free')[] = [];
  const explorer = (most: number | undefined): Explorer => {
    let steps = 0;
    const behaviours = { hasBound: most !== undefined && most < enough, resumed: 0 };
    const fake = {
      behaviours,
      counts: { ...noCounts(), complete: 1 },
      findings: most === undefined ? findings : findingsWithin(most),
      isExhausted: false,
      run(more: number): boolean {
        expect(loops.most).toBe(most);
        if (turns.at(-1) !== (most ?? 'free')) turns.push(most ?? 'free');
        steps += more;
        if (most === undefined) loops.deepest = Math.max(loops.deepest, depth(steps));
        if (most === undefined && steps >= endless) throw new EndlessThread('endless');
        fake.isExhausted = steps >= (most === undefined ? all : stepsWithin(most));
        return fake.isExhausted;
      },
    };
    return fake as unknown as Explorer;
  };
  const growing = new GrowingRounds(loops satisfies OpenLoops, keepsGoing, () => explorer(loops.most));
  for (;;) {
    while (!growing.run(1000));
    if (growing.isStopped || !growing.grow(elapsedMs, isLimited)) return { growing, turns, loops };
  }
}

describe('without need', () => {
  test('nothing is bounded', () => {
    expect(searched({ depth: () => 3, all: 1e6 }).turns).toEqual(['free']);
    expect(searched({ depth: () => 5000, all: 1e6 }).turns).toEqual(['free']); // a long loop, from the beginning on
    expect(searched({ depth: (steps) => Math.min(15, steps), all: 1e6 }).turns).toEqual(['free']);
  });
});

describe('a search that goes deeper and deeper', () => {
  const deeper = (steps: number): number => steps / 100;

  test('takes turns with bounds, and stops at the last', () => {
    const { growing, turns } = searched({ depth: deeper });
    expect(turns).toEqual([
      'free',
      1,
      'free',
      2,
      'free',
      4,
      'free',
      8,
      'free',
      16,
      'free',
      32,
      'free',
      64,
      'free',
      128,
      'free',
      256,
    ]);
    expect(growing).toMatchObject({ isStopped: true, covered: 256 });
  });

  test('is proved by a bound that cuts nothing', () => {
    const { growing, turns } = searched({ depth: deeper, enough: 4 });
    expect(turns).toEqual(['free', 1, 'free', 2, 'free', 4]);
    expect(growing.isStopped).toBe(false);
  });

  test('is proved without a bound, if that comes first', () => {
    const { growing, turns } = searched({ depth: deeper, all: 12_000, stepsWithin: () => 10_000 });
    expect(turns).toEqual(['free', 1, 'free']);
    expect([growing.isStopped, growing.bound]).toEqual([false, undefined]);
  });

  test('stops earlier if it takes too long, unless the user set a limit', () => {
    expect(searched({ depth: deeper }, 20_000).growing).toMatchObject({ isStopped: true, covered: 1 });
    expect(searched({ depth: deeper, enough: 2048 }, 20_000, true).growing).toMatchObject({
      isStopped: false,
      covered: 1024,
    });
  });

  test('goes on if loops are as deep as before: they end', () => {
    const { growing } = searched({ depth: (steps) => Math.min(deeper(steps), 83), enough: 2048 });
    expect(growing).toMatchObject({ isStopped: false, covered: 1024 });
  });
});

describe('a bound with an error', () => {
  const [early, late] = [{ kind: 'assertion' } as Finding, { kind: 'race' } as Finding];
  const plan: Plan = {
    depth: (steps) => steps / 100,
    enough: 16,
    findingsWithin: (most) => (most < 2 ? [] : most < 8 ? [early] : [early, late]),
  };

  test('is the last', () => {
    const { growing, turns, loops } = searched(plan);
    expect(turns).toEqual(['free', 1, 'free', 2]);
    expect(growing).toMatchObject({ hasFindings: true, covered: 1 });
    expect(growing.record((found) => [found, loops.most])).toEqual([[early, 2]]);
  });

  test('is not, if errors are no reason to stop; what was found before is told even if the last bound did not get there', () => {
    const { growing, turns } = searched({ ...plan, keepsGoing: true });
    expect(turns).toEqual(['free', 1, 'free', 2, 'free', 4, 'free', 8, 'free', 16]);
    expect(growing).toMatchObject({ hasFindings: true, covered: 1 });
    const lost = { ...plan, keepsGoing: true, findingsWithin: (most: number) => (most === 4 ? [early] : []) };
    const { growing: other, loops } = searched(lost);
    expect(other.record((found) => [found, loops.most])).toEqual([[early, 4]]);
    expect([other.hasFindings, loops.most]).toEqual([true, 4]);
  });
});

describe('a thread that does not end', () => {
  test('is bounded, and what was found before it is told', () => {
    const finding = { kind: 'assertion' } as Finding;
    const { growing, turns, loops } = searched({ depth: (steps) => steps, endless: 5000, findings: [finding] });
    expect(turns).toEqual(['free', 1, 2, 4, 8, 16, 32, 64, 128, 256]);
    expect(growing.hasFindings).toBe(true);
    expect(growing.record((found) => [found, loops.most])).toEqual([[finding, undefined]]);
  });

  test('is refused if no loop is to blame', () => {
    expect(() => searched({ depth: () => 3, endless: 5000 })).toThrow(EndlessThread);
  });
});
