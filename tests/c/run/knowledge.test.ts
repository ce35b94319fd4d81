import { expect, test } from 'vitest';
import {
  areCellsKept,
  type CKnowledge,
  mergeKnowledge,
  noRounds,
  type RoundsKnowledge,
  readKnowledge,
} from '../../../src/c/run/knowledge.ts';
import { expectKnowledge } from '../../../src/c/run/knowledge-schema.ts';
import { Reliance } from '../../../src/c/run/reliance.ts';

const nothing: CKnowledge = { divisions: [], split: [], displaced: [] };

function divided(...cells: [offset: number, size: number, isAtomic?: boolean][]): CKnowledge {
  const pieces = cells.map(([offset, size, isAtomic = false]) => ({ offset, size, isAtomic }));
  return { ...nothing, divisions: [{ origin: 'x', cells: pieces }] };
}

test('cells are divided wherever one of the two divides them', () => {
  const halves = divided([0, 4], [4, 4]);
  expect(mergeKnowledge(halves, divided([0, 8]))).toEqual(halves);
  expect(mergeKnowledge(divided([0, 8]), divided([2, 4], [12, 4]))).toEqual(divided([0, 2], [2, 4], [6, 2], [12, 4]));
});

test('but not those that are accessed atomically', () => {
  const whole = divided([0, 8, true]);
  expect(mergeKnowledge(whole, divided([0, 4], [4, 4], [8, 4]))).toEqual(divided([0, 8, true], [8, 4]));
  expect(mergeKnowledge(divided([0, 4]), whole)).toEqual(whole);
});

test('and those are joined where they overlap', () => {
  const bytes = divided([0, 1, true], [1, 1, true], [4, 4, true]);
  for (const [a, b] of [
    [bytes, divided([0, 4, true])],
    [divided([0, 4, true]), bytes],
  ] as const)
    expect(mergeKnowledge(a, b)).toEqual(divided([0, 4, true], [4, 4, true]));
  expect(mergeKnowledge(divided([0, 8, true]), divided([4, 8, true], [12, 2]))).toEqual(
    divided([0, 12, true], [12, 2]),
  );
});

test('merging with nothing, or with itself, changes nothing', () => {
  const displaced = [{ object: 'a', address: 64, size: 4 }];
  const known = { ...divided([0, 8, true], [8, 4]), split: ['heap node'], displaced };
  for (const other of [nothing, known]) {
    expect(mergeKnowledge(known, other)).toEqual(known);
    expect(mergeKnowledge(other, known)).toEqual(known);
  }
});

test('of two objects in one place, and of two places of one object, the first stays', () => {
  const at = (object: string, address: number): CKnowledge => ({
    ...nothing,
    displaced: [{ object, address, size: 64 }],
  });
  expect(mergeKnowledge(at('a', 64), at('b', 64))).toEqual(at('a', 64));
  expect(mergeKnowledge(at('a', 64), at('a', 128))).toEqual(at('a', 64));
  expect(mergeKnowledge(at('a', 64), at('b', 128)).displaced).toHaveLength(2);
});

test('what is damaged is refused', () => {
  expect(readKnowledge(undefined)).toEqual(nothing);
  expect(() => expectKnowledge({ ...nothing, split: [7] })).toThrow('what is known of the program is damaged: split.0');
});

test('what was explored holds if no cell of it is divided, joined, or one of a call that is split', () => {
  const isKept = (a: CKnowledge, b: CKnowledge): boolean => areCellsKept(a, mergeKnowledge(a, b));
  const simple = (...cells: Parameters<typeof divided>): CKnowledge => {
    const { divisions, ...rest } = divided(...cells);
    return { ...rest, divisions: divisions.map((division) => ({ ...division, isSimple: true as const })) };
  };
  expect(isKept(simple([0, 4]), simple([4, 4]))).toBe(true);
  expect(isKept(simple([0, 4]), simple([0, 4, true]))).toBe(true);
  expect(isKept(simple([0, 8]), simple([0, 4]))).toBe(false);
  expect(isKept(simple([0, 4]), simple([0, 8]))).toBe(true);
  expect(isKept(simple([0, 4]), simple([0, 8, true]))).toBe(false);
  expect(isKept(simple([0, 4]), { ...nothing, split: ['x'] })).toBe(false);
  expect(isKept(nothing, { ...nothing, split: ['x'] })).toBe(true);
});

test('cells that each access names itself stay so unless they are divided', () => {
  const [whole, half, both] = [divided([0, 8]), divided([0, 4]), divided([0, 4], [4, 4])].map(({ divisions }) => ({
    ...nothing,
    divisions: divisions.map((division) => ({ ...division, isSimple: true as const })),
  })) as [CKnowledge, CKnowledge, CKnowledge];
  expect(mergeKnowledge(half, both)).toEqual(both);
  expect(mergeKnowledge(whole, half)).toEqual(divided([0, 4], [4, 4]));
  expect(mergeKnowledge(half, divided([4, 4]))).toEqual(divided([0, 4], [4, 4]));
});

const glimpsed = { ...noRounds, glimpses: [{ mutex: 64, thread: 3, times: 2 }] };
const relied = { ...noRounds, relied: [64] };
const owned = { ...noRounds, held: [{ cell: 32, thread: 2, hold: 'owns' as const }] };
const read = { cell: 32, thread: 3, running: [], hasSpawned: false, writes: false };
const byMain = { ...read, thread: 1, running: [3], hasSpawned: true };

test('what is known of rounds is put together', () => {
  const more = { ...noRounds, glimpses: [{ mutex: 64, thread: 3, times: 3 }] };
  expect(mergeKnowledge({ ...nothing, rounds: glimpsed }, { ...nothing, rounds: more }).rounds).toEqual(more);
  expect(mergeKnowledge({ ...nothing, rounds: relied }, nothing).rounds).toEqual(relied);
});

test.each([
  ['rounds that were left out though another process saw the mutex held', relied, glimpsed, 'void'],
  ['the other way round', glimpsed, relied, 'void'],
  ['what was seen of a mutex that no round took', noRounds, glimpsed, 'new'],
  ['what was known before', glimpsed, glimpsed, 'known'],
  ['a cell that another thread accesses', owned, { ...noRounds, accesses: [read] }, 'void'],
  ['the other way round, too', { ...noRounds, accesses: [read] }, owned, 'void'],
  [
    'a cell that two threads take for their own',
    owned,
    { ...noRounds, held: [{ ...owned.held[0]!, thread: 3 }] },
    'void',
  ],
  ['a cell that main accesses while others run', owned, { ...noRounds, accesses: [byMain] }, 'new'],
  [
    'a cell that main accesses while its owner runs',
    owned,
    { ...noRounds, accesses: [{ ...byMain, running: [2] }] },
    'void',
  ],
  ['a cell that is known to be shared', owned, { ...noRounds, shared: [{ cell: 32, hold: 'owns' as const }] }, 'void'],
  [
    'a cell that others only read, and one alone writes',
    { ...noRounds, held: [{ ...owned.held[0]!, hold: 'writes alone' as const }] },
    { ...noRounds, accesses: [read] },
    'new',
  ],
] as const)('learning of rounds: %s', (_, own, other, expected) => {
  const program = new Reliance(own as RoundsKnowledge);
  expect(program.learn(other as RoundsKnowledge)).toBe(expected);
  expect(program.learn(program.knowledge('search') ?? noRounds)).toBe('known');
});
