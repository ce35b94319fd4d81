/** Searches by values on the conformance programs: the verdicts of trust, and never more executions than there are classes. */
import { beforeAll, describe, expect, test } from 'vitest';
import { checkSync } from '../../src/check/check.ts';
import { byTier } from '../tier.ts';
import { isSampled } from './compare.ts';
import { type CompiledCases, compileCases, programOf } from './compiled.ts';
import { bugFolders, bugRows, categories, countRows, nameOf } from './rows.ts';

const most = byTier({ normal: 20, long: 5000 });

describe('programs without errors', () => {
  const rows = categories
    .flatMap((category) => countRows(category))
    .filter((row) => row.mode === 'genmc/sc' && row.complete <= most && isSampled(row));
  let compiled: CompiledCases;
  beforeAll(async () => {
    compiled = await compileCases(rows);
  }, 300_000);

  test.each(rows.map((row) => [nameOf(row), row] as const))('%s', { timeout: 120_000 }, (_name, row) => {
    const { unroll, reductions, complete } = row;
    const program = () => programOf(compiled, row, { unroll, plp: reductions.plp, await: reductions.await });
    for (const algorithm of ['vc', 'dc']) {
      const result = checkSync(program(), { algorithm, model: 'sc', livelock: false });
      expect(result.errors.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([]);
      expect(unroll === undefined ? ['ok'] : ['ok', 'bounded']).toContain(result.verdict);
      expect(result.executions.complete).toBeLessThanOrEqual(complete);
      expect(result.executions.complete > 0).toBe(complete > 0);
    }
  });
});

describe('programs with bugs have those that trust finds, races aside', () => {
  const rows = bugFolders()
    .flatMap((folder) => bugRows(folder))
    .filter((row) => row.model === 'sc' && isSampled(row));
  let compiled: CompiledCases;
  beforeAll(async () => {
    compiled = await compileCases(rows);
  }, 300_000);

  test.each(rows.map((row) => [nameOf(row), row] as const))('%s', { timeout: 120_000 }, (_name, row) => {
    const options = { model: 'sc', keepGoing: true, races: false, checkLeaks: row.checkLeaks, timeout: 60 };
    const errorsOf = (algorithm: string) => {
      const { errors, verdict } = checkSync(programOf(compiled, row), { ...options, algorithm });
      expect(verdict).not.toBe('incomplete');
      return new Set(errors.map(({ kind, location }) => `${kind} ${location?.line}`));
    };
    const [expected, found] = [errorsOf('trust'), errorsOf('vc')];
    for (const error of found) expect(expected).toContain(error);
    // a use after free is told only if an execution has the access after the free
    for (const error of expected) if (!error.startsWith('use-after-free')) expect(found).toContain(error);
  });
});
