import { expect, test } from 'vitest';
import { areCellsKept, type CKnowledge, mergeKnowledge, readKnowledge } from '../../../src/c/run/knowledge.ts';

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
  expect(() => readKnowledge({ ...nothing, split: [7] })).toThrow('what is known of the program is damaged: split.0');
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
