/** Low-level programs against the oracle: lifetimes, plain accesses to atomics, waits that update, exits. */
import { test } from 'vitest';
import { memoryProgram } from '../random/memory.ts';
import { expectAgreement } from './agreement-on-seeds.ts';

test('explorers agree with the oracle on bare operations', { timeout: 600_000 }, () => {
  expectAgreement(6_000_000, 300, { bare: true });
});

test('explorers agree with the oracle on programs that free objects and mix plain and atomic accesses', {
  timeout: 600_000,
}, () => {
  expectAgreement(7_000_000, 400, { make: memoryProgram, bare: true });
});

test('misuses of objects are the same if nobody looks for races', { timeout: 600_000 }, () => {
  expectAgreement(8_000_000, 300, { make: memoryProgram, bare: true, races: false });
});

test('the same when the behaviours forget after a few states', { timeout: 600_000 }, () => {
  expectAgreement(9_000_000, 200, { make: memoryProgram, bare: true, maxStates: 20 });
});
