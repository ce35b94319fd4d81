/** Counts that the paper gives, with the reason beside each. */
import { describe, expect, test } from 'vitest';
import * as programs from '../../bench/programs.ts';
import { checkSync } from '../../src/check/check.ts';
import { byTier } from '../tier.ts';

const count = (program: ReturnType<typeof programs.lastzero>, equivalence: 'co' | 'rf' = 'co'): number => {
  const result = checkSync(program, { equivalence });
  expect(result.verdict).toBe('ok');
  expect(result.executions.blocked + result.executions.erroneous).toBe(0);
  return result.executions.complete;
};

describe('TruSt counts execution graphs as the paper does', () => {
  const cases = [
    ['W+W+RR', programs.wwrr(), 4], // two reads of two values each
    ['R+W+W', programs.rww(), 6], // two coherence orders, three values for the read
    ['RR+WW', programs.rrww(), 3], // message passing: flag without data is not possible
    ['lastzero(5)', programs.lastzero(5), 64], // (N + 3) 2^(N - 2)
    ['lastzero(10)', programs.lastzero(10), 3328], // Table 1
    ['exp-mem(7)', programs.expMem(7), 10_080], // 2 N!, Table 1
    ['exp-mem2(2)', programs.expMem2(2), 64], // (N! (N + 2))²
    ['exp-mem2(3)', programs.expMem2(3), 900],
    ['exp-mem2(4)', programs.expMem2(4), 20_736], // Table 1
    ['writers(5)', programs.writers(5), 120], // N! coherence orders
  ] as const;
  const longOnes = [
    ['lastzero(15)', programs.lastzero(15), 147_456], // Table 1
    ['exp-mem(8)', programs.expMem(8), 80_640], // Table 1
    ['exp-mem(9)', programs.expMem(9), 725_760], // Table 1
    ['exp-mem2(5)', programs.expMem2(5), 705_600], // Table 1
  ] as const;
  const isLong = byTier({ normal: false, long: true });
  for (const [name, program, expected] of isLong ? [...cases, ...longOnes] : cases) {
    test(`${name} has ${expected}`, { timeout: 300_000 }, () => expect(count(program)).toBe(expected));
  }
});

describe('TruSt counts reads-from classes', () => {
  const cases = [
    ['R+W+W', programs.rww(), 3], // the writes stay unordered
    ['W+W+RR', programs.wwrr(), 4],
    ['RR+WW', programs.rrww(), 3],
    ['writers(5)', programs.writers(5), 1], // nobody reads: one class instead of 120
    ['writers(8)', programs.writers(8), 1], // instead of 40,320: the exponential gain of section 4.2
    ['lastzero(5)', programs.lastzero(5), 64], // each location has one writer: nothing to gain
    ['exp-mem(5)', programs.expMem(5), 240], // updates read each other: nothing to gain
  ] as const;
  for (const [name, program, expected] of cases) {
    test(`${name} has ${expected}`, () => expect(count(program, 'rf')).toBe(expected));
  }
});

describe('TruSt with locks and awaits', () => {
  const cases = [
    // a class is an order of the critical sections: (n · rounds)! / (rounds!)ⁿ
    ['mutex counter(2, 2)', programs.mutexCounter(2, 2), 6],
    ['mutex counter(3, 1)', programs.mutexCounter(3, 1), 6],
    ['mutex counter(3, 2)', programs.mutexCounter(3, 2), 90],
    ['mutex counter(4, 2)', programs.mutexCounter(4, 2), 2520],
  ] as const;
  for (const [name, program, expected] of cases) {
    test(`${name} has ${expected}, and no redundant graphs (co)`, () => {
      const { executions } = checkSync(program, { equivalence: 'co' });
      expect(executions).toMatchObject({ complete: expected, blocked: 0, erroneous: 0, redundant: 0 });
    });

    test(`${name} has ${expected}, and fewer redundant graphs than that (rf)`, () => {
      const { executions } = checkSync(program, { equivalence: 'rf' });
      expect(executions).toMatchObject({ complete: expected, blocked: 0, erroneous: 0 });
      expect(executions.redundant).toBeLessThan(expected);
    });
  }

  test('tickets(4) has 4! executions', () => {
    expect(checkSync(programs.ticketCounter(4))).toMatchObject({ verdict: 'ok', executions: { complete: 24 } });
  });
});
