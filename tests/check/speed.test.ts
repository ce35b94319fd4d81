import { expect, test } from 'vitest';
import { Speed } from '../../src/check/speed.ts';

/** A search that has so many executions in each millisecond, until then. */
function after(untilMs: number, perMs: (ms: number) => number, startMs = 0): number {
  const speed = new Speed(startMs, 0);
  let executions = 0;
  for (let ms = startMs; ms < untilMs; ms += 25) {
    executions += 25 * perMs(ms);
    speed.note(ms + 25, executions);
  }
  return speed.msEach(untilMs, executions);
}

test('the speed is that of the last half: a slow beginning is forgotten', () => {
  expect(after(4000, () => 10)).toBeCloseTo(0.1, 5);
  expect(after(4000, (ms) => (ms < 1800 ? 1 : 10))).toBeCloseTo(0.1, 5);
  expect(after(4000, (ms) => (ms < 3000 ? 1 : 10))).toBeGreaterThan(0.15);
  expect(after(9000, (ms) => (ms < 6900 ? 1 : 10), 5000)).toBeCloseTo(0.1, 5);
});

test('in a long search it is that of the last ten seconds', () => {
  expect(after(600_000, (ms) => (ms < 589_000 ? 10 : 1))).toBeCloseTo(1, 5);
  expect(after(600_000, (ms) => (ms < 595_000 ? 10 : 1))).toBeLessThan(0.3);
});

test('a search that has just begun, or does not get on, is not infinitely slow', () => {
  expect(new Speed(0, 0).msEach(0, 0)).toBe(0);
  expect(after(1000, () => 0)).toBeGreaterThan(0);
  expect(Number.isFinite(after(1000, () => 0))).toBe(true);
});
