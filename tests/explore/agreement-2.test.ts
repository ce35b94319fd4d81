/** Half 2 of the 20,000 programs (two files, so that they run side by side). */
import { test } from 'vitest';
import { expectAgreement } from './agreement-on-seeds.ts';

test('TruSt (co, rf) and dfs visit exactly the classes of the oracle on 10,000 random programs', {
  timeout: 900_000,
}, () => {
  expectAgreement(2_000_000, 10_000);
});
