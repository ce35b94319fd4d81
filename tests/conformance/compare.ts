/** Tests for the rows of a category: our counts and verdicts are those that are expected. */
import { beforeAll, describe, expect, test } from 'vitest';
import { checkSync } from '../../src/check/check.ts';
import type { Counts } from '../../src/explore/explorer.ts';
import type { AlgorithmName } from '../../src/explore/registry.ts';
import type { Equivalence, ModelName } from '../../src/models/registry.ts';
import type { Program } from '../../src/program/operation.ts';
import { byTier } from '../tier.ts';
import { type CompiledCases, compileCases, programOf } from './compiled.ts';
import { type BugRow, bugRows, type Case, type CountRow, countRows, nameOf, type Reductions } from './rows.ts';

/**
 * `npm run soak tests/conformance` has every row. Without coherence, and under weak models, an execution costs more; with Nidhugg's modes every
 * program is searched three times more.
 */
export function isInTier({ complete, model, equivalence, algorithm }: CountRow): boolean {
  const most = { reduced: 300, weak: 5_000, rf: 3_000, co: 20_000 };
  const kind = algorithm !== 'trust' ? 'reduced' : model !== 'sc' ? 'weak' : (equivalence ?? 'co');
  return complete <= byTier({ normal: most[kind], long: 100_000, soak: Number.POSITIVE_INFINITY });
}

export function compareCounts(category: string, tool: 'genmc' | 'nidhugg'): void {
  const rows = countRows(category).filter((row) => row.mode.startsWith(tool) && isInTier(row));
  if (rows.length === 0) return;
  describe(`executions of ${category}`, () => {
    const compiled = compiledBefore(rows);
    for (const row of rows) {
      test(`${nameOf(row)}: ${row.complete} (${row.mode})`, () => expectCount(compiled(), row));
    }
  });
}

function expectCount(compiled: CompiledCases, row: CountRow): void {
  const { complete, blocked, redundant } = countExecutions(compiled, row, row);
  expect(complete).toBe(row.complete);
  if (row.blocked !== undefined) expect(blocked).toBeLessThanOrEqual(row.blocked);
  if (row.algorithm === 'optimal') expect(redundant).toBe(0);
}

export interface Counting {
  readonly algorithm: AlgorithmName;
  readonly model: ModelName;
  readonly equivalence?: Equivalence | undefined;
  readonly unroll?: number | undefined;
  readonly reductions: Reductions;
}

/** The executions of a program that has no errors. */
export function countExecutions(compiled: CompiledCases, it: Case, how: Counting): Counts {
  const { unroll, reductions } = how;
  return countsOf(programOf(compiled, it, { unroll, plp: reductions.plp, await: reductions.await }), how);
}

export function countsOf(program: Program, { algorithm, model, equivalence, unroll, reductions }: Counting): Counts {
  const options = { algorithm, model, livelock: false, ifaa: reductions.ifaa };
  const result = checkSync(program, equivalence === undefined ? options : { ...options, equivalence });
  expect(result.errors.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([]);
  expect(unroll === undefined ? ['ok'] : ['ok', 'bounded']).toContain(result.verdict);
  return result.executions;
}

export function compareBugs(folder: string, equivalence: Equivalence): void {
  const rows = bugRows(folder);
  describe(`bugs of ${folder}`, () => {
    const compiled = compiledBefore(rows);
    for (const row of rows) {
      test(`${nameOf(row)}: ${inWords(row)} (${row.model}, ${equivalence})`, () => {
        expectBug(compiled(), row, equivalence);
      });
    }
  });
}

function expectBug(compiled: CompiledCases, row: BugRow, equivalence: Equivalence): void {
  const { model, checkLeaks } = row;
  const result = checkSync(programOf(compiled, row), { model, equivalence, checkLeaks });
  const [error] = result.errors;
  if (row.errors.length === 0) {
    expect(error === undefined ? result.verdict : `${error.kind}: ${error.message}`).toBe('ok');
    return;
  }
  // A race has two places, and each of them may be the later one.
  const places = error?.racing?.map(({ source }) => source) ?? [error?.location];
  const found = places.map((place) => `${error?.kind} in line ${place?.line}`);
  const expected = row.errors.flatMap(({ kind, lines }) => lines.map((line) => `${kind} in line ${line}`));
  expect(
    found.some((each) => expected.includes(each)),
    `found ${found.join(', ')}`,
  ).toBe(true);
}

function inWords({ errors }: BugRow): string {
  if (errors.length === 0) return 'no error';
  return errors.map(({ kind, lines }) => `${kind} in line ${lines.join(' or ')}`).join(', or ');
}

function compiledBefore(rows: readonly (CountRow | BugRow)[]): () => CompiledCases {
  let compiled: CompiledCases;
  beforeAll(async () => {
    compiled = await compileCases(rows);
  }, 300_000);
  return () => compiled;
}
