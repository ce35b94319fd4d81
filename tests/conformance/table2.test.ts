/**
 * The locks and structures of [TruSt], table 2, as programs of our own, under every model. The paper has ttaslock(3) = 162 and
 * ttaslock(4) = 20760; what there is of the others depends on how they are written. All orders are as weak as the algorithm
 * allows, and still only the mutex after musl, which looks at the number of waiters with relaxed loads, has executions under
 * the weak models that SC has not: after it has released, a thread may see an old number.
 */
import { beforeAll, expect, test } from 'vitest';
import { checkSync } from '../../src/check/check.ts';
import { type CompiledCases, compileCases, programOf } from './compiled.ts';
import { models } from './rows.ts';

const table = [
  //  program                       macros                    sc, tso, pso, ra, rc11
  ['locks/ttas.c', ['-DN=3'], [162, 162, 162, 162, 162]],
  ['datastructures/seqlock.c', ['-DW=2', '-DR=1'], [74, 74, 74, 74, 74]],
  ['datastructures/mpmc_ring.c', ['-DP=2', '-DC=2'], [118, 118, 118, 118, 118]],
  ['locks/mutex_counter.c', ['-DN=3', '-DROUNDS=2'], [90, 90, 90, 90, 90]],
  ['locks/mutex_musl.c', ['-DN=3', '-DTRIES=2'], [864, 864, 864, 912, 912]],
] as const;

let compiled: CompiledCases;
beforeAll(async () => {
  compiled = await compileCases(table.map(([program, defines]) => ({ program, defines })));
}, 300_000);

for (const [program, defines, counts] of table) {
  test(`${program} ${defines.join(' ')} has ${counts.join(', ')} executions under ${models.join(', ')}`, () => {
    const found = models.map((model) => {
      const result = checkSync(programOf(compiled, { program, defines }), { model, livelock: false });
      expect(result.verdict).toBe('ok');
      return result.executions.complete;
    });
    expect(found).toEqual(counts);
  });
}
