/** Half 1 of the 3,000 programs (two files, so that they run side by side). */
import { test } from 'vitest';
import { expectAgreement } from './agreement-on-seeds.ts';

test('all explorers visit exactly the classes of the oracle on 1,500 random programs', {
  timeout: 900_000,
}, () => {
  expectAgreement(1_000_000, 1_500);
});
