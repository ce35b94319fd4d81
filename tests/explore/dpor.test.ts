/** Optimal-DPOR with awaits and its forerunners: counts of the papers, and programs whose classes can be counted by hand. */
import { describe, expect, test } from 'vitest';
import * as programs from '../../bench/programs.ts';
import { checkSync } from '../../src/check/check.ts';
import type { CheckOptions } from '../../src/check/options.ts';
import type { Program } from '../../src/program/operation.ts';
import { atomic, program, spawn } from '../../src/typescript/api.ts';
import { type ProgramAst, type Statement, UNUSED } from '../oracle/language.ts';
import { toOperations } from '../random/to-operations.ts';

function counts(program: Program, options: CheckOptions) {
  const { complete, blocked, redundant } = checkSync(program, { livelock: false, ...options }).executions;
  return { complete, blocked, redundant };
}

describe('lastzero(10): 3,328 classes', () => {
  test.each([
    ['optimal', 0],
    ['source', 16_867], // TruSt, table 1: Nidhugg explores 20,195 with source sets
  ])('%s, redundant: %i', (algorithm, redundant) => {
    expect(counts(programs.lastzero(10), { algorithm })).toEqual({ complete: 3328, blocked: 0, redundant });
  });
});

const add = (amount: number): Statement => ({ kind: 'fetchAdd', location: 'x', add: amount, register: UNUSED });

function parallel(...threads: Statement[][]): Program {
  const ast: ProgramAst = {
    atomics: { x: 0, y: 0 },
    shared: {},
    mutexes: [],
    main: threads.map((body, slot): Statement => ({ kind: 'spawn', slot, body })),
  };
  return toOperations(ast);
}

const awaits = (constant: number): Statement => ({
  kind: 'awaitUntil',
  location: 'x',
  condition: { op: '==', constant },
  register: 0,
});

describe('optimal', () => {
  const algorithm = 'optimal';

  test('an await needs one execution where an assume needs two (figure 2)', () => {
    const store: Statement = { kind: 'store', location: 'x', value: { constant: 1 } };
    const load: Statement = { kind: 'load', location: 'x', register: 0 };
    const assume: Statement = { kind: 'assume', register: 0, condition: { op: '==', constant: 1 } };
    expect(counts(parallel([load, assume], [store]), { algorithm })).toMatchObject({ complete: 1, blocked: 1 });
    expect(counts(parallel([awaits(1)], [store]), { algorithm })).toMatchObject({ complete: 1, blocked: 0 });
  });

  test('takes objects as values, with which threads are run again and again', () => {
    const objects = program(function* () {
      const x = atomic({});
      yield* spawn(function* () {
        yield* x.store({});
      });
      yield* x.store({});
      yield* x.load();
    });
    // the load is after the store of its thread: it reads that, or the other, which comes before that store or between the two
    for (const each of [algorithm, 'source'] as const) {
      expect(checkSync(objects, { algorithm: each })).toMatchObject({ verdict: 'ok', executions: { complete: 3 } });
    }
  });

  test('n updates whose results nobody uses are one execution, or n!', () => {
    const adders = parallel([add(1)], [add(1)], [add(1)], [add(1)]);
    expect(counts(adders, { algorithm })).toMatchObject({ complete: 1 });
    expect(counts(adders, { algorithm, ifaa: false })).toMatchObject({ complete: 24 });
  });

  test('of independent updates those are found that let an await through (figure 5)', () => {
    // the await goes on after the third update alone, or, if all of them came before, never
    const waiting = parallel([add(1)], [add(1)], [add(3)], [awaits(3)]);
    expect(counts(waiting, { algorithm })).toEqual({ complete: 1, blocked: 1, redundant: 0 });
  });

  test('threads that hand a value on, each waiting for the one before, are one execution (as in figure 1)', () => {
    const next = (from: number): Statement[] => [
      awaits(from),
      { kind: 'store', location: 'x', value: { constant: from + 1 } },
    ];
    expect(counts(parallel(next(0), next(1), next(2), next(3)), { algorithm })).toMatchObject({
      complete: 1,
      blocked: 0,
    });
  });
});
