import { expect, test } from 'vitest';
import { Cells } from '../../../src/c/run/cells.ts';
import { ProgramRefined } from '../../../src/program/operation.ts';

function newCells() {
  const changes: unknown[] = [];
  return { cells: new Cells(() => changes.push('changed')), changes };
}

const sizes = (cells: Cells, offset: number, size: number) =>
  cells.pieces(offset, size).map((piece) => [piece.offset, piece.size]);

test('bytes that nothing has accessed become one cell', () => {
  const { cells, changes } = newCells();
  expect(cells.isOne(4, 4, true)).toBe(true);
  expect(cells.isOne(4, 4, false)).toBe(true);
  expect(sizes(cells, 0, 12)).toEqual([
    [0, 4],
    [4, 4],
    [8, 4],
  ]);
  expect(changes).toEqual([]);
});

test('a plain access to several cells is told apart from one to a single cell', () => {
  const { cells } = newCells();
  cells.isOne(0, 4, false);
  cells.isOne(4, 4, false);
  expect(cells.isOne(0, 8, false)).toBe(false);
  expect(cells.isOne(0, 4, false)).toBe(true);
});

test('a smaller access divides a cell, and all starts over', () => {
  const { cells, changes } = newCells();
  cells.isOne(0, 8, false);
  expect(() => cells.isOne(2, 1, false)).toThrow(ProgramRefined);
  const parts = [
    { offset: 0, size: 2, isAtomic: false },
    { offset: 2, size: 1, isAtomic: false },
    { offset: 3, size: 5, isAtomic: false },
  ];
  expect(changes).toEqual(['changed']);
  expect(cells.division).toEqual(parts);
  expect(sizes(new Cells(() => undefined, { cells: parts }), 0, 8)).toEqual(sizes(cells, 0, 8));
  expect(sizes(cells, 0, 8)).toEqual([
    [0, 2],
    [2, 1],
    [3, 5],
  ]);
});

test('a cell that is accessed atomically is never divided', () => {
  const { cells, changes } = newCells();
  cells.isOne(4, 4, true);
  expect(cells.isOne(5, 1, false)).toBe(false);
  expect(sizes(cells, 5, 1)).toEqual([[4, 4]]);
  expect(sizes(cells, 0, 6)).toEqual([
    [0, 4],
    [4, 4],
  ]);
  expect(changes).toEqual([]);
  expect(cells.isOne(5, 1, true)).toBe(false);
  expect(cells.around(5)).toMatchObject({ offset: 4, size: 4, isAtomic: true });
});

test('parts become one cell for an atomic access, atomic ones with all that they reach to', () => {
  const { cells, changes } = newCells();
  cells.isOne(0, 2, false);
  cells.isOne(2, 2, false);
  expect(() => cells.isOne(0, 4, true)).toThrow(ProgramRefined);
  expect(cells.isOne(0, 4, true)).toBe(true);
  expect(changes).toEqual(['changed']);
  cells.isOne(4, 4, true);
  expect(() => cells.isOne(2, 4, true)).toThrow(ProgramRefined);
  expect(cells.isOne(0, 8, true)).toBe(true);
  expect(cells.isOne(2, 4, true)).toBe(false);
  expect(changes).toEqual(['changed', 'changed']);
});

test('a large cell is divided into the scalars of its type at once', () => {
  const cells = new Cells(
    () => undefined,
    undefined,
    undefined,
    () => [0, 4, 8, 12, 16],
  );
  cells.isOne(0, 20, false);
  expect(() => cells.isOne(8, 4, false)).toThrow(ProgramRefined);
  expect(cells.isOne(16, 4, true)).toBe(true);
  expect(sizes(cells, 0, 20).length).toBe(5);
});

test('a large cell of unknown type becomes an array after a few divisions', () => {
  const { cells, changes } = newCells();
  cells.isOne(0, 100, false);
  for (let i = 0; i < 100; i++) {
    for (let done = false; !done; ) {
      try {
        done = cells.isOne(i, 1, false);
      } catch (error) {
        if (!(error instanceof ProgramRefined)) throw error;
      }
    }
  }
  expect(changes.length).toBe(4);
});
