/**
 * Races of awaits with plain writes. A thread that waits looks at the location from when it comes to the await, so that what it
 * reads in the end orders nothing that comes before. Random programs have such races in other executions too, these have not.
 */
import { describe, expect, test } from 'vitest';
import { litmusProgram } from '../models/litmus/program.ts';
import { axiomatic } from '../oracle/axiomatic.ts';
import { modelNames } from '../oracle/axioms.ts';
import type { Statement } from '../oracle/language.ts';
import { kinds } from './kit/kinds.ts';
import { disagreement } from './kit.ts';

const racy = {
  'a wait for the store after a plain one': ['x = 1 na; x = 2 rel', 'await x == 2 acq'],
  'the same, the waiting thread first': ['await x == 2 acq', 'x = 1 na; x = 2 rel'],
  'a wait that nothing ends': ['x = 1 na', 'await x == 2 acq'],
  'a wait that nothing ends, the waiting thread first': ['await x == 2 acq', 'x = 1 na'],
  'an acquire of something else': ['x = 1 na; y = 1 rel; x = 2 rel', 'a = y acq; await x == 2 acq'],
  'a wait by way of a third thread': ['x = 1 na; y = 1 rel', 'await y == 1 acq; x = 2 rel', 'await x == 2 acq'],
};

const raceFreeAlways = {
  'a plain store that comes before the waiting thread': ['x = 1 na; spawn t { await x == 2 acq }; x = 2 rel'],
  'a plain store that another await orders': ['x = 1 na; y = 1 rel; x = 2 rel', 'await y == 1 acq; await x == 2 acq'],
  'a plain store after the await': ['x = 1 rel; await y == 1 acq; x = 3 na', 'await x == 1 acq; y = 1 rel'],
  'a plain store before a wait that nothing ends': ['x = 1 na; y = 1 rel', 'await y == 1 acq; await x == 2 acq'],
};

/** If an await only reads while it waits. */
const racyIfWritten = {
  'a plain load': ['a = x na; x = 1 rel', 'await x == 1 acq'],
  'a plain load, the waiting thread first': ['await x == 1 acq', 'a = x na; x = 1 rel'],
  'a plain load and a wait that nothing ends': ['a = x na; x = 2 rel', 'await x == 1 acq'],
};
const raceFree = { ...raceFreeAlways, ...racyIfWritten };

/** The same program, but each await adds 1 as well. */
function withUpdates(statements: readonly Statement[]): Statement[] {
  return statements.map((statement) => {
    if (statement.kind === 'spawn') return { ...statement, body: withUpdates(statement.body) };
    if (statement.kind !== 'awaitUntil') return statement;
    return { ...statement, kind: 'awaitUpdate', order: 'acq_rel', add: 1, sleeps: false };
  });
}

/** And writes what it reads while it waits. */
function withRewrites(statements: readonly Statement[]): Statement[] {
  return withUpdates(statements).map((statement) => {
    if (statement.kind === 'spawn') return { ...statement, body: withRewrites(statement.body) };
    return statement.kind === 'awaitUpdate' ? { ...statement, rewrites: true } : statement;
  });
}

const asWritten = (statements: readonly Statement[]): readonly Statement[] => statements;

describe.each([
  ['race', racy, 'loads', asWritten],
  ['no race', raceFree, 'loads', asWritten],
  ['race', racy, 'updates', withUpdates],
  ['no race', raceFree, 'updates', withUpdates],
  ['race', { ...racy, ...racyIfWritten }, 'updates that write before', withRewrites],
  ['no race', raceFreeAlways, 'updates that write before', withRewrites],
] as const)('%s', (verdict, programs, awaits, rewritten) => {
  test.each(Object.entries(programs))(`%s, awaits that are ${awaits}`, (_, threads) => {
    const program = litmusProgram(threads);
    const ast = { ...program, main: rewritten(program.main) };
    const truth = axiomatic(ast, { maxSteps: 20_000 });
    if (truth === 'too large') throw new Error('too large');
    for (const model of modelNames) {
      expect([...truth[model].races], model).toEqual(verdict === 'race' ? ['race x'] : []);
    }
    expect(disagreement(ast, kinds['bare operations'])).toBe(undefined);
    expect(disagreement(ast, kinds['programs for weak models'])).toBe(undefined);
  });
});
