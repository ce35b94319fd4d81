/** Awaits next to updates, that commute or not: the smallest programs that tell a reduction which gets one thing wrong. */
import { expect, test } from 'vitest';
import type { Condition, ProgramAst, Statement } from '../oracle/language.ts';
import { UNUSED } from '../oracle/language.ts';
import { kinds } from './kit/kinds.ts';
import { truthByInterleavings } from './kit/truth.ts';
import { disagreement } from './kit.ts';

const add = (amount: number): Statement => ({ kind: 'fetchAdd', location: 'x', add: amount, register: UNUSED });
const or = (amount: number): Statement => ({ ...add(amount), bits: 'or' }) as Statement;
const fetchAdd = (amount: number): Statement => ({ kind: 'fetchAdd', location: 'x', add: amount, register: 1 });
const load: Statement = { kind: 'load', location: 'x', register: 0 };
const store = (constant: number): Statement => ({ kind: 'store', location: 'x', value: { constant } });

function until(op: Condition['op'], constant: number): Statement {
  return { kind: 'awaitUntil', location: 'x', condition: { op, constant }, register: 2 };
}

function untilThenSet(op: Condition['op'], constant: number, set: number): Statement {
  return { kind: 'awaitUpdate', location: 'x', condition: { op, constant }, add: 0, set, sleeps: false, register: 2 };
}

function parallel(threads: readonly (readonly Statement[])[], ...rest: Statement[]): ProgramAst {
  const spawns = threads.map((body, slot): Statement => ({ kind: 'spawn', slot, body }));
  return { atomics: { x: 0 }, shared: {}, mutexes: [], main: [...spawns, ...rest] };
}

const programs: Readonly<Record<string, ProgramAst>> = {
  'one set of updates lets the await through (figure 5)': parallel([[add(1)], [add(1)], [add(3)], [until('==', 3)]]),
  'several sets of updates do': parallel([[add(1)], [add(1)], [add(1)], [untilThenSet('==', 1, 3)]]),
  'any set but that of all does': parallel([[add(1)], [add(-1)], [add(2)], [until('!=', 2)]]),
  'an update after which the thread comes to the await cannot be left out': parallel([
    [add(1)],
    [add(1), until('!=', 1)],
  ]),
  'updates beyond the one that the await depends on can': parallel([[add(-1)], [add(1), until('>=', 0)]]),
  'what depends on an update that is left out goes with it': parallel(
    [[add(1)], [untilThenSet('==', 0, 2)], [add(1)]],
    { kind: 'join', slot: 2, register: 3 },
  ),
  'steps that come after the await can be needed before it': parallel(
    [
      [add(3), untilThenSet('>=', 2, 1)],
      [{ kind: 'yield' }, until('==', 0)],
    ],
    add(1),
  ),
  'an await that writes races with an earlier read': parallel([[add(2)], [load], [untilThenSet('>=', 1, 1)]]),
  'updates that commute do not commute with one whose result is used': parallel([
    [add(1)],
    [fetchAdd(1)],
    [add(1)],
    [until('==', 2)],
  ]),
  'updates of two kinds do not commute': parallel([[add(1)], [or(1)], [add(1)], [until('>=', 2)]]),
  'a store among the updates': parallel([[add(1)], [store(0), add(1)], [add(1)], [until('==', 2)]]),
  'a store that does not come after the update that keeps the await waiting, but what ends it does': parallel([
    [fetchAdd(1), untilThenSet('==', 1, 0)],
    [store(0)],
    [fetchAdd(1), untilThenSet('!=', 2, 1)],
  ]),
  'such a store does not let it go on': parallel(
    [[fetchAdd(-1)], [store(1)], [untilThenSet('!=', 4, 0)]],
    untilThenSet('>=', 0, 2),
  ),
  'two awaits, one of which lets the other through': parallel([
    [add(1), until('==', 2), add(1)],
    [add(1)],
    [until('==', 3)],
  ]),
};

const kind = { ...kinds['bare operations'], truths: (ast: ProgramAst) => truthByInterleavings(ast, 10_000) };

test.each(Object.keys(programs))('%s', (name) => {
  expect(disagreement(programs[name] as ProgramAst, kind)).toBe(undefined);
});
