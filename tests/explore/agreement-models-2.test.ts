/** Quarter 2 of the 12,000 programs for each memory model (four files, so that they run side by side). */
import { test } from 'vitest';
import { weakenedProgram } from '../random/weaken.ts';
import { expectModelAgreement } from './agreement-models.ts';

test('TruSt (co, rf) visits exactly the executions that the axioms of each model allow, on 3,000 random programs', {
  timeout: 900_000,
}, () => {
  expectModelAgreement(20_000_000, 3_000);
});

test('the same on other random programs, with random orders', { timeout: 600_000 }, () => {
  expectModelAgreement(25_000_000, 150, { make: weakenedProgram });
});
