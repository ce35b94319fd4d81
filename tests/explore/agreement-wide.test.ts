/** Wide programs against the oracle, and those that once went wrong. */
import { expect, test } from 'vitest';
import { checkSync } from '../../src/check/check.ts';
import { assume, atomic, awaitUntil, program, spawn } from '../../src/typescript/api.ts';
import { wideProgram } from '../random/wide.ts';
import { expectAgreement } from './agreement-on-seeds.ts';

test('explorers agree with the oracle on wide programs', { timeout: 600_000 }, () => {
  expectAgreement(5_000_000, 400, { make: wideProgram });
});

/** A rule that put off graphs in which a woken read sleeps on lost the only way to this livelock. */
const pulse = program(function* () {
  const x = atomic(0);
  const y = atomic(0);
  yield* spawn(function* reader() {
    yield* assume((yield* x.load()) === 2);
  });
  yield* spawn(function* add() {
    yield* y.fetchAdd(1);
  });
  yield* spawn(function* storeX() {
    yield* x.store(2);
  });
  yield* spawn(function* storeY() {
    yield* y.store(2);
  });
  yield* awaitUntil(y, (v) => v !== 2);
});

test.each([{}, { equivalence: 'rf' }, { algorithm: 'dfs' }])('a wait that comes too late is found: %j', (options) => {
  expect(checkSync(pulse, options).errors[0]?.kind).toBe('livelock');
});
