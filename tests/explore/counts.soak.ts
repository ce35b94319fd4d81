/** Counts of the papers that take long. */
import { expect, test } from 'vitest';
import { expMem } from '../../bench/programs.ts';
import { checkSync } from '../../src/check/check.ts';

test('exp-mem(9) has 725,760', () => {
  expect(checkSync(expMem(9), { model: 'sc' }).executions.complete).toBe(725_760); // Table 1
});
