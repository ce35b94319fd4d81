/** The comparison under each memory model when explorers have to work in other ways. */
import { test } from 'vitest';
import { expectModelAgreement } from './agreement-models.ts';

test('TruSt agrees with the axioms when the behaviours forget after a few states', { timeout: 600_000 }, () => {
  expectModelAgreement(50_000_000, 200, { maxStates: 20 });
});

test('TruSt agrees with the axioms if nobody looks for races', { timeout: 600_000 }, () => {
  expectModelAgreement(60_000_000, 200, { races: false });
});
