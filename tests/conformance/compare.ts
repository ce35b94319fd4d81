/** Tests for the rows of a category: our counts and verdicts are those that are expected. */
import { beforeAll, describe, expect, test } from 'vitest';
import { checkSync } from '../../src/check/check.ts';
import type { Equivalence } from '../../src/models/registry.ts';
import { type CompiledCases, compileCases, programOf } from './compiled.ts';
import { type BugRow, bugRows, type CountRow, countRows, nameOf } from './rows.ts';

/** The others are left to `npm run conformance`. Without coherence, and under weak models, an execution costs more. */
export function isQuick({ complete, model, equivalence }: CountRow): boolean {
  if (model !== 'sc') return complete <= 5_000;
  return complete <= (equivalence === 'rf' ? 3_000 : 20_000);
}

export function compareCounts(category: string, wanted: (row: CountRow) => boolean): void {
  const rows = countRows(category).filter(wanted);
  if (rows.length === 0) return;
  describe(`executions of ${category}`, () => {
    const compiled = compiledBefore(rows);
    for (const row of rows) {
      const { model, equivalence } = row;
      test(`${nameOf(row)}: ${row.complete} (${model}, ${equivalence})`, () => {
        const program = programOf(compiled(), row, { unroll: row.unroll });
        const result = checkSync(program, { model, equivalence, livelock: false });
        expect(result.errors.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([]);
        expect(row.unroll === undefined ? ['ok'] : ['ok', 'bounded']).toContain(result.verdict);
        expect(result.executions.complete).toBe(row.complete);
      });
    }
  });
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
