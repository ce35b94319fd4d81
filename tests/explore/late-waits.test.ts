/** Programs that once went wrong. */
import { expect, test } from 'vitest';
import { checkSync } from '../../src/check/check.ts';
import { assert, assume, atomic, awaitUntil, mutex, program, spawn } from '../../src/typescript/api.ts';

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

/** The thread that waits for the first mutex is in the way of the deadlock of the others, if it is given up too early. */
const nested = program(function* () {
  const a = mutex();
  const b = mutex();
  yield* spawn(function* waits() {
    yield* a.lock();
    yield* a.unlock();
  });
  yield* spawn(function* ab() {
    yield* a.lock();
    yield* b.lock();
    yield* b.unlock();
    yield* a.unlock();
  });
  yield* spawn(function* ba() {
    yield* b.lock();
    yield* a.lock();
    yield* a.unlock();
    yield* b.unlock();
  });
});

/** The same with what a thread reads in its critical section, and nobody guards. */
const unguarded = program(function* () {
  const m = mutex();
  const x = atomic(0);
  const seen = atomic(0);
  yield* spawn(function* waits() {
    yield* m.lock();
    assert((yield* seen.load()) !== 1, 'seen');
    yield* m.unlock();
  });
  yield* spawn(function* looks() {
    yield* m.lock();
    yield* seen.store(yield* x.load());
    yield* m.unlock();
  });
  yield* spawn(function* store() {
    yield* x.store(1);
  });
});

test.each([{}, { equivalence: 'rf' }, { algorithm: 'optimal' }])(
  'who waits is not given up too early: %j',
  (options) => {
    expect(checkSync(nested, options).errors[0]?.kind).toBe('deadlock');
    expect(checkSync(unguarded, options).errors[0]?.kind).toBe('assertion');
  },
);
