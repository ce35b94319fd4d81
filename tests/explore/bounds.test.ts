/** Bounded search without reduction against the oracle: exactly the interleavings within the bound, whatever it is on. */
import { expect, test } from 'vitest';
import { BoundedDepthFirstSearch } from '../../src/explore/schedules/bounded-dfs.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
import { type Bounds, isWithin, preemptionsOf } from '../oracle/bounds.ts';
import { allInterleavings } from '../oracle/interleavings.ts';
import { toOperations } from '../random/to-operations.ts';
import { yieldingProgram } from '../random/yielding.ts';
import { byTier } from '../tier.ts';
import { options } from './kit/bounded.ts';
import { scheduleOf } from './kit/observe.ts';

const bounds: readonly Bounds[] = [0, 1, 2].flatMap((preemptions) => [
  { preemptions },
  { fair: preemptions },
  ...[0, 1].map((fair) => ({ preemptions, fair })),
]);

test('within each bound: the interleavings that the oracle says, and pruned tells whether there are others', () => {
  let refused = 0;
  for (let seed = 81_000_000, judged = 0; judged < byTier({ quick: 20, normal: 150, long: 1000, soak: 1500 }); seed++) {
    const ast = yieldingProgram(seed);
    const all = allInterleavings(ast, 500);
    if (all === 'too large') continue;
    judged++;
    for (const each of all) expect(preemptionsOf(each)).toBe(each.preemptions);
    for (const limits of bounds) {
      const schedules: string[] = [];
      const explorer: BoundedDepthFirstSearch = new BoundedDepthFirstSearch(
        new Behaviours(toOperations(ast)),
        { ...options, onExecution: () => schedules.push(scheduleOf(explorer)) },
        limits,
      );
      while (!explorer.run(1000));
      const expected = all.filter((each) => isWithin(each, limits)).map(({ schedule }) => schedule.join(' '));
      expect(schedules.sort(), `seed ${seed}, ${JSON.stringify(limits)}`).toEqual(expected.sort());
      expect(expected.length > 0).toBe(true);
      if (explorer.counts.pruned === 0) expect(expected.length).toBe(all.length);
      else refused++;
    }
  }
  expect(refused).toBeGreaterThan(20);
});
