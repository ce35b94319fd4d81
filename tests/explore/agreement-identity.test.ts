/** The same comparison where threads must be run again together: values with an identity, and behaviours that forget. */
import { test } from 'vitest';
import { expectAgreement } from './agreement-on-seeds.ts';

test('explorers agree with the oracle when values are objects', { timeout: 600_000 }, () => {
  expectAgreement(3_000_000, 250, { boxed: true });
});

test('explorers agree with the oracle when the behaviours forget after a few states', { timeout: 600_000 }, () => {
  expectAgreement(4_000_000, 250, { maxStates: 20 });
});
