/** Searches by values against the oracle, and the toy programs of the paper. */
import { describe, expect, test } from 'vitest';
import type { ProgramAst, Statement } from '../oracle/language.ts';
import { toOperations } from '../random/to-operations.ts';
import { byTier } from '../tier.ts';
import { anyProgram } from './kit/bpor.ts';
import { expectValues, keyOf, type Parts, plain, searchValues, usual } from './kit/values.ts';

const variants: Readonly<Record<string, Parts>> = {
  'as it is': usual,
  'with main as the root': { ...usual, root: '0' },
  'with the second thread as the root': { ...usual, root: '0.1' },
  'with a thread of a thread as the root': { ...usual, root: '0.0.0' },
  'without optimisations': plain,
  'without optimisations, another root': { ...plain, root: '0.1' },
  'with the first optimisation': { ...plain, writersFirst: true },
  'with the second': { ...plain, siblings: true },
  'with the third': { ...plain, unordered: true },
  'DC-DPOR': { ...usual, observed: 'writes' },
  'DC-DPOR without optimisations': { ...plain, observed: 'writes' },
};

const count = byTier({ quick: 15, normal: 25, long: 400, soak: 4000 });

describe(`on ${count} programs exactly the values of complete executions are found, and all deadlocks and livelocks`, () => {
  test.each(Object.entries(variants))('%s', { timeout: 3_600_000 }, (_name, parts) => {
    expectValues(anyProgram, 72_000_000, count, parts);
  });
});

// ---------------------------------------------------------------------------------------------------- toy programs

const store = (location: string, constant: number): Statement => ({ kind: 'store', location, value: { constant } });
const load = (location: string): Statement => ({ kind: 'load', location, register: 0 });
const repeated = (times: number, statements: (i: number) => Statement[]): Statement[] =>
  Array.from({ length: times }, (_, i) => statements(i)).flat();

function twoThreads(locations: readonly string[], one: readonly Statement[], other: readonly Statement[]): ProgramAst {
  return {
    atomics: Object.fromEntries(locations.map((name) => [name, 0])),
    shared: {},
    mutexes: [],
    main: [
      { kind: 'spawn', slot: 0, body: one },
      { kind: 'spawn', slot: 1, body: other },
    ],
  };
}

function counted(ast: ProgramAst, parts: Parts): { complete: number; nodes: number } {
  const { counts, nodes } = searchValues(toOperations(ast), parts);
  return { complete: counts.complete, nodes };
}

const dc: Parts = { ...usual, observed: 'writes' };

test('figure 1: one execution, two with each write a value of its own', () => {
  const ast = twoThreads(['x'], [store('x', 1)], [store('x', 2), store('x', 1), load('x')]);
  expect(counted(ast, usual).complete).toBe(1);
  expect(counted(ast, dc).complete).toBe(2);
});

const figure3a = (n: number): ProgramAst =>
  twoThreads(
    ['x'],
    repeated(n, () => [store('x', 0)]),
    repeated(n, () => [load('x')]),
  );

/** Each location is written twice. */
const figure3b = (n: number): ProgramAst =>
  twoThreads(
    Array.from({ length: n }, (_, i) => `x${i}`),
    repeated(n, (i) => [store(`x${i}`, 0), store(`x${i}`, 0)]),
    repeated(n, (i) => [load(`x${i}`)]),
  );

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])('figure 3 for n = %i: one execution, and nodes linear in n', (n) => {
  for (const ast of [figure3a(n), figure3b(n)]) expect(counted(ast, usual)).toEqual({ complete: 1, nodes: n + 1 });
  const binomial = (k: number): number => (k === 0 ? 1 : (binomial(k - 1) * (4 * k - 2)) / k);
  if (n > 6) return;
  expect(counted(figure3a(n), dc).complete).toBe(binomial(n));
  expect(counted(figure3b(n), dc).complete).toBe(3 ** n);
});

test('what was considered for a read is not tried again in the branches of others', () => {
  const ast = twoThreads(
    ['x', 'y'],
    [store('x', 1), load('x')],
    [store('y', 1), store('x', 2), load('y'), store('x', 3), load('x')],
  );
  const seen: string[] = [];
  searchValues(toOperations(ast), plain, (x) => seen.push(keyOf(x)));
  expect(seen).toEqual([
    '0.0:1=1 0.1:2=1 0.1:4=1',
    '0.0:1=1 0.1:2=1 0.1:4=3',
    '0.0:1=2 0.1:2=1 0.1:4=3',
    '0.0:1=3 0.1:2=1 0.1:4=3',
  ]);
});
