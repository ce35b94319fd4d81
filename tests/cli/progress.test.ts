import { expect, test } from 'vitest';
import { progressText } from '../../src/cli/progress.ts';
import { widthOf } from '../../src/cli/terminal.ts';

test('the live line', () => {
  expect(progressText(0, 0, 0, 50)).toBe('0 executions');
  expect(progressText(3, 0, 0, 50, 4)).toBe('at most 4 rounds · 3 executions');
  expect(progressText(1, 0, 0.5, 50)).toBe('1 execution · about 2 in all · less than 1 s left');
  expect(progressText(12_000, 0, 0.1875, 1500)).toBe('12,000 executions · 8,000/s · about 64,000 in all · 7 s left');
  expect(progressText(12_000, 1, 0.01, 60_000)).toBe(
    '12,000 executions · 1 error · 200/s · about 1,200,000 in all · 1 h 39 min left',
  );
  expect(progressText(1e6, 0, 1e-9, 10_000)).toBe(
    '1,000,000 executions · 100,000/s · about 10^15 in all · more than a year left',
  );
});

test('a terminal that does not say how wide it is, or is too narrow to lay out anything', () => {
  expect(widthOf({}, 120)).toBe(120);
  expect(widthOf({ columns: 0 }, 120)).toBe(120);
  expect(widthOf({ columns: 1 }, 120)).toBe(20);
  expect(widthOf({ columns: 20 }, 120)).toBe(20);
  expect(widthOf({ columns: 200 }, 120)).toBe(200);
});
