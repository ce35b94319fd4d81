import { expect, test } from 'vitest';
import { progressText } from '../../src/cli/progress.ts';
import { numbersOf, PROGRESS_NUMBERS, progressOf, type Shown } from '../../src/cli/progress-numbers.ts';
import { widthOf } from '../../src/cli/terminal.ts';

const early: Shown = { executions: 0, errors: 0, elapsedMs: 50, rounds: 0, estimate: 'early' };
const estimate = { total: 64_123, least: 51_234, most: 83_456, leftMs: 6500 };
const wide = 200;

test('the live line', () => {
  expect(progressText(early, wide)).toBe('0 executions');
  expect(progressText({ ...early, executions: 3, rounds: 4 }, wide)).toBe('at most 4 rounds · 3 executions');
  expect(progressText({ ...early, executions: 12_000, elapsedMs: 1500, estimate }, wide)).toBe(
    '12,000 executions · 8,000/s · 19 % of about 64,000 (51,000–83,000) · 7 s left',
  );
  const long = { total: 1e15, least: 1e14, most: 1e16, leftMs: 1e15 };
  expect(progressText({ ...early, executions: 1e6, errors: 1, elapsedMs: 10_000, estimate: long }, wide)).toBe(
    '1,000,000 executions · 1 error · 100,000/s · less than 1 % of about 10^15 (10^14–10^16) · more than a year left',
  );
  const almost = { total: 12_001, least: 12_000, most: 12_002, leftMs: 1 };
  expect(progressText({ ...early, executions: 12_000, elapsedMs: 60_000, estimate: almost }, wide)).toBe(
    '12,000 executions · 200/s · 99 % of about 12,000 (12,000–12,000) · less than 1 s left',
  );
});

test('where nothing can be said, the live line says so', () => {
  const late = { ...early, executions: 12_000, elapsedMs: 12_000 };
  expect(progressText(late, wide)).toBe('12,000 executions · 1,000/s · how many there are is not known yet');
  expect(progressText({ ...late, estimate: 'algorithm' }, wide)).toContain('no estimate with this algorithm');
  expect(progressText({ ...late, estimate: 'rounds', rounds: 8 }, wide)).toContain('more rounds may follow');
  expect(progressText({ ...late, estimate: 'bounds' }, wide)).toContain('higher bounds may follow');
});

test('in a narrow terminal the live line says less, and what matters most', () => {
  const progress = { ...early, executions: 12_000, elapsedMs: 1500, estimate };
  const at = (width: number): string => progressText(progress, width);
  expect(at(70)).toBe('12,000 executions · 8,000/s · 19 % of about 64,000 · 7 s left');
  expect(at(55)).toBe('12,000 executions · 19 % of about 64,000 · 7 s left');
  expect(at(30)).toBe('12,000 executions · 7 s left');
  expect(at(19)).toBe('7 s left');
  for (let width = 1; width < 100; width++) expect(at(width).length).toBeLessThanOrEqual(width);
});

test('progress goes from one thread to the other as numbers', () => {
  const progress = { ...early, executions: 5, errors: 2, rounds: 3 };
  for (const each of ['early', 'algorithm', 'rounds', 'bounds', estimate] as const) {
    expect(progressOf(Float64Array.from(numbersOf({ ...progress, estimate: each })))).toEqual({
      ...progress,
      estimate: each,
    });
    expect(numbersOf({ ...progress, estimate: each }).length).toBe(PROGRESS_NUMBERS);
  }
});

test('a terminal that does not say how wide it is, or is too narrow to lay out anything', () => {
  expect(widthOf({}, 120)).toBe(120);
  expect(widthOf({ columns: 0 }, 120)).toBe(120);
  expect(widthOf({ columns: 1 }, 120)).toBe(20);
  expect(widthOf({ columns: 20 }, 120)).toBe(20);
  expect(widthOf({ columns: 200 }, 120)).toBe(200);
});
