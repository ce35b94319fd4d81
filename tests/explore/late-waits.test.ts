/** Programs that once went wrong. */
import { expect, test } from 'vitest';
import { checkSync } from '../../src/check/check.ts';
import { assume, atomic, awaitUntil, program, spawn } from '../../src/typescript/api.ts';

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
