/** Half 1 of the 17,000 small programs that wait (two files, so that they run side by side). */
import { test } from 'vitest';
import { expectAgreementOnWaiting } from './agreement-on-seeds.ts';

test('reductions visit exactly the classes of the oracle on 8,500 small programs that wait', {
  timeout: 900_000,
}, () => {
  expectAgreementOnWaiting(70_000_000, 8_500);
});
