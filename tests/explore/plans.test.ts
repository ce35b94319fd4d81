/** What optimal plans does not grow with the number of executions. */
import { describe, expect, test } from 'vitest';
import { lastzero } from '../../bench/programs.ts';
import { checkSync } from '../../src/check/check.ts';
import { makeExplorer } from '../../src/check/make-explorer.ts';
import { resolveOptions } from '../../src/check/options.ts';
import { OptimalDpor } from '../../src/explore/schedules/dpor/optimal.ts';
import type { Program } from '../../src/program/operation.ts';
import { atomic, program, spawn } from '../../src/typescript/api.ts';
import { show } from '../random/programs.ts';
import { byTier } from '../tier.ts';
import { type KindName, kinds } from './kit/kinds.ts';

/** The executions, and the most steps that were planned at any time, if that is asked after every so many steps. */
function search(program: Program, every: number): { complete: number; redundant: number; planned: number } {
  const explorer = makeExplorer(program, resolveOptions({ algorithm: 'optimal' }, program.language));
  if (!(explorer instanceof OptimalDpor)) throw new Error('not optimal');
  let planned = 0;
  while (!explorer.run(every)) planned = Math.max(planned, explorer.plannedSteps);
  const { complete, redundant } = explorer.counts;
  return { complete, redundant, planned };
}

describe('what is planned', () => {
  test('writers in a chain: plans are chains, one for each point at which the chain may be broken', () => {
    const sizes = [4, 8, 12].map((n) => {
      const { complete, redundant, planned } = search(lastzero(n), n ** 2);
      expect({ complete, redundant }).toEqual({ complete: (n + 3) * 2 ** (n - 2), redundant: 0 });
      return planned;
    });
    const [small = 0, , large = 0] = sizes;
    expect(large).toBeLessThan(27 * small); // at most as the cube of the number of writers; the executions are 274 times as many
  });

  test('what other threads do beside a race is not part of the plan', () => {
    // 2 orders in each of the pairs; the reader comes before all of them, and races with the last
    const pairs = (n: number) =>
      program(function* () {
        const last = atomic(0);
        yield* spawn(function* () {
          yield* last.load();
        });
        for (let i = 0; i < n; i++) {
          const x = atomic(0);
          for (let k = 1; k <= 2; k++) {
            yield* spawn(function* () {
              yield* x.store(k);
            });
          }
        }
        yield* spawn(function* () {
          yield* last.store(1);
        });
      });
    const [few, many] = [search(pairs(3), 1), search(pairs(9), 1)];
    expect([few.complete, many.complete]).toEqual([2 ** 4, 2 ** 10]);
    expect(many.redundant).toBe(0);
    expect(many.planned).toBeLessThan(4 * few.planned);
  });
});

/** Also programs that have too many interleavings for the oracle: that is where plans are many and long. */
test.each<KindName>([
  'random programs',
  'bare operations',
  'wide programs',
  'programs with updates that commute',
  'large programs that wait',
  'programs that free objects',
])('each class once, as often as trust: %s', { timeout: 600_000 }, (name) => {
  const kind = kinds[name];
  const count = byTier({ quick: 20, normal: 60, long: 800, soak: 10_000 });
  for (let seed = kind.seed + 300_000; seed < kind.seed + 300_000 + count; seed++) {
    const ast = kind.make(seed);
    const program = kind.program(ast, seed);
    const options = { model: 'sc', keepGoing: true, maxExecutions: 10_000 } as const;
    const trust = checkSync(program, { ...options, algorithm: 'trust' });
    if (trust.stoppedBy !== undefined) continue;
    const optimal = checkSync(program, { ...options, algorithm: 'optimal', ifaa: false });
    const { complete, blocked, redundant } = optimal.executions;
    expect({ complete, blocked, redundant }, `seed ${seed}:\n${show(ast)}`).toEqual({
      complete: trust.executions.complete,
      blocked: trust.executions.blocked,
      redundant: 0,
    });
  }
});
