/** Tests for the rows of a category: our counts and verdicts are those that are expected. */
import { beforeAll, describe, expect, test } from 'vitest';
import { checkSync } from '../../src/check/check.ts';
import type { Counts } from '../../src/explore/explorer.ts';
import { type AlgorithmName, algorithms } from '../../src/explore/registry.ts';
import type { Equivalence, ModelName } from '../../src/models/registry.ts';
import type { Program } from '../../src/program/operation.ts';
import { type Replayed, replayable, replayInFreshProcess } from '../c/fresh-process.ts';
import { byTier } from '../tier.ts';
import { type CompiledCases, compileCases, programOf, textOf } from './compiled.ts';
import { type BugRow, bugRows, type Case, type CountRow, countRows, nameOf, type Reductions } from './rows.ts';

/**
 * `npm run soak tests/conformance` has every row. Without coherence, and under weak models, an execution costs more; with Nidhugg's modes every
 * program is searched three times more.
 */
export function isInTier(row: CountRow): boolean {
  const { complete, model, equivalence, algorithm } = row;
  if (!isSampled(row)) return false;
  const most = { reduced: 60, weak: 500, rf: 500, co: 3_000 };
  const kind = algorithm !== 'trust' ? 'reduced' : model !== 'sc' ? 'weak' : (equivalence ?? 'co');
  return complete <= byTier({ normal: most[kind], long: 100_000, soak: Number.POSITIVE_INFINITY });
}

/** To compile them all takes longer than most of them do: `npm test` has an eighth of the programs. */
export function isSampled({ program }: Case): boolean {
  const letters = [...program].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  return byTier({ normal: letters % 8 === 0, long: true });
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
  readonly observers?: boolean;
}

/** The executions of a program that has no errors. */
export function countExecutions(compiled: CompiledCases, it: Case, how: Counting): Counts {
  const { unroll, reductions } = how;
  return countsOf(programOf(compiled, it, { unroll, plp: reductions.plp, await: reductions.await }), how);
}

export function countsOf(program: Program, how: Counting): Counts {
  const { algorithm, model, equivalence, unroll, reductions, observers } = how;
  const { ifaa } = reductions;
  const options = {
    ...{ algorithm, model, livelock: false },
    ...('ifaa' in algorithms[algorithm].options ? { ifaa } : {}),
    ...(equivalence === undefined ? {} : { equivalence }),
    ...(observers === undefined ? {} : { observers }),
  };
  const result = checkSync(program, options);
  expect(result.errors.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([]);
  expect(unroll === undefined ? ['ok'] : ['ok', 'bounded']).toContain(result.verdict);
  return result.executions;
}

export function compareBugs(folder: string, equivalence: Equivalence): void {
  const rows = bugRows(folder).filter(isSampled);
  if (rows.length === 0) return;
  describe(`bugs of ${folder}`, () => {
    const compiled = compiledBefore(rows);
    const traces: Replayed[] = [];
    for (const row of rows) {
      test(`${nameOf(row)}: ${inWords(row)} (${row.model}, ${equivalence})`, () => {
        traces.push(...expectBug(compiled(), row, equivalence));
      });
    }
    test('all that fail do so again in a fresh process, at the same place', async () => {
      expect(await replayInFreshProcess(traces)).toEqual({});
    });
  });
}

/** The trace, if there is an error. */
function expectBug(compiled: CompiledCases, row: BugRow, equivalence: Equivalence): Replayed[] {
  const { model, checkLeaks } = row;
  const program = programOf(compiled, row);
  const result = checkSync(program, { model, equivalence, checkLeaks });
  const [error] = result.errors;
  if (row.errors.length === 0) {
    expect(error === undefined ? result.verdict : `${error.kind}: ${error.message}`).toBe('ok');
    return [];
  }
  // A race has two places, and each of them may be the later one.
  const places = error?.racing?.map(({ source }) => source) ?? [error?.location];
  const found = places.map((place) => `${error?.kind} in line ${place?.line}`);
  const expected = row.errors.flatMap(({ kind, lines }) => lines.map((line) => `${kind} in line ${line}`));
  expect(
    found.some((each) => expected.includes(each)),
    `found ${found.join(', ')}`,
  ).toBe(true);
  const module = { text: textOf(compiled, row), file: row.program };
  return [replayable(`${nameOf(row)} ${model}`, program, result, [module])];
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
