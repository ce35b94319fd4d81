/**
 * TruSt makes use of awaits as well. Under sequential consistency its graphs are the classes of optimal, as long as updates that
 * commute are not independent: as many are complete, and as many end with a thread that waits or was stopped.
 */
import { beforeAll, expect, test } from 'vitest';
import { countExecutions, isInTier } from './compare.ts';
import { type CompiledCases, compileCases } from './compiled.ts';
import { all, type CountRow, countRows, nameOf } from './rows.ts';

const rows = ['spin', 'locks']
  .flatMap(countRows)
  .filter((row) => row.mode === 'nidhugg/sc-optimal-await' && isInTier(row));

let compiled: CompiledCases;
beforeAll(async () => {
  compiled = await compileCases(rows);
}, 300_000);

function countsWith(algorithm: CountRow['algorithm'], row: CountRow): object {
  const how = { algorithm, model: 'sc', unroll: row.unroll, reductions: { ...all, ifaa: false } } as const;
  const { complete, blocked } = countExecutions(compiled, row, how);
  return { complete, blocked };
}

for (const row of rows) {
  test(`${nameOf(row)}: trust counts what optimal counts`, () => {
    expect(countsWith('trust', row)).toEqual(countsWith('optimal', row));
  });
}
