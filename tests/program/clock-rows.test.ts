import { expect, test } from 'vitest';
import { ClockRows } from '../../src/program/clock-rows.ts';

/** Rows 0 to 2, with entries that tell them apart. */
function threeRows(): ClockRows {
  const rows = new ClockRows();
  rows.fit(3, 2);
  for (const [row, entries] of [
    [1, 5],
    [4, 2],
    [3, 3],
  ].entries()) {
    for (const [entry, count] of entries.entries()) rows.set(row, entry, count);
  }
  return rows;
}

function entriesOf(rows: ClockRows, row: number, width = 2): number[] {
  return Array.from({ length: width }, (_, entry) => rows.at(row, entry));
}

test('rows are joined, copied and cleared, one or several', () => {
  const rows = threeRows();
  rows.join(0, 1);
  expect(entriesOf(rows, 0)).toEqual([4, 5]);
  expect(entriesOf(rows, 1)).toEqual([4, 2]);
  rows.copy(1, 0);
  expect(entriesOf(rows, 1)).toEqual([4, 5]);
  rows.clear(0, 2);
  expect([0, 1, 2].map((row) => entriesOf(rows, row))).toEqual([
    [0, 0],
    [0, 0],
    [3, 3],
  ]);
});

test('a row that becomes wider keeps its entries, and the new ones are 0', () => {
  const rows = threeRows();
  rows.fit(100, 5);
  expect(entriesOf(rows, 1, 5)).toEqual([4, 2, 0, 0, 0]);
  expect(entriesOf(rows, 99, 5)).toEqual([0, 0, 0, 0, 0]);
  rows.fit(1, 1);
  expect(entriesOf(rows, 2, 5)).toEqual([3, 3, 0, 0, 0]);
});

test('what is saved is undone, in rows that have become wider since, too', () => {
  const rows = threeRows();
  const mark = rows.mark();
  expect(rows.joinSaved(0, 1)).toBe(true);
  expect(rows.joinSaved(0, 1)).toBe(false);
  rows.fit(3, 4);
  expect(rows.joinSaved(2, 0)).toBe(true);
  expect(entriesOf(rows, 2, 4)).toEqual([4, 5, 0, 0]);
  rows.undoTo(mark);
  expect([0, 2].map((row) => entriesOf(rows, row, 4))).toEqual([
    [1, 5, 0, 0],
    [3, 3, 0, 0],
  ]);
});

test('a row that was kept and is again as it was needs no undoing', () => {
  const rows = threeRows();
  const before = rows.mark();
  rows.save(1);
  rows.dropSame();
  expect(rows.mark()).toBe(before);
  rows.save(1);
  rows.set(1, 0, 7);
  rows.dropSame();
  expect(rows.mark()).toBeGreaterThan(before);
  rows.undoTo(before);
  expect(entriesOf(rows, 1)).toEqual([4, 2]);
});
