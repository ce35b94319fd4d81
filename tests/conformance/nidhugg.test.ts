import { beforeAll, describe, expect, test } from 'vitest';
import { checkSync } from '../../src/check/check.ts';
import { compareCounts, countExecutions } from './compare.ts';
import { type CompiledCases, compileCases, programOf } from './compiled.ts';
import { all, type Case, categories, nameOf } from './rows.ts';

for (const category of categories) compareCounts(category, 'nidhugg');

describe('where Nidhugg departs', () => {
  const trylocks = [
    // As many as cas_trylock.c, which is the same with compare-exchanges: one that fails only reads. Nidhugg has 4, 24 and 192.
    [{ program: 'locks/mutex_trylock.c', defines: ['-DN=2'] }, 4],
    [{ program: 'locks/mutex_trylock.c', defines: ['-DN=3'] }, 21],
    [{ program: 'locks/mutex_trylock.c', defines: ['-DN=4'] }, 148],
  ] as const;
  const unread: Case = { program: 'spin/fig6_partial_unroll.c', defines: ['-DFULL'] };
  const abba: Case = { program: 'locks/mutex_abba.c', defines: [] };
  const algorithms = ['optimal', 'source', 'trust'] as const;

  let compiled: CompiledCases;
  beforeAll(async () => {
    compiled = await compileCases([abba, unread, ...trylocks.map(([it]) => it)]);
  }, 300_000);

  for (const [it, complete] of trylocks) {
    test(`${nameOf(it)}: failing trylocks are in no order, ${complete} executions`, () => {
      const found = algorithms.map((algorithm) =>
        countExecutions(compiled, it, { algorithm, model: 'sc', reductions: all }),
      );
      expect(found.map((counts) => counts.complete)).toEqual([complete, complete, complete]);
    });
  }

  test(`${nameOf(unread)}: a round that writes what nobody reads changes nothing, 1 execution`, () => {
    const { complete } = countExecutions(compiled, unread, { algorithm: 'optimal', model: 'sc', reductions: all });
    expect(complete).toBe(1);
  });

  test(`${nameOf(abba)}: of three executions, the one that is a deadlock is an error`, () => {
    for (const algorithm of algorithms) {
      const { executions, errors } = checkSync(programOf(compiled, abba), { algorithm, model: 'sc', keepGoing: true });
      expect(executions).toMatchObject({ complete: 2, blocked: 0, erroneous: 1 });
      expect(errors.map(({ kind }) => kind)).toEqual(['deadlock']);
    }
  });
});
