/** What is recorded of an execution: names of variables, and the order of steps. */
import { expect, test } from 'vitest';
import { assert, atomic, checkSync, mutex, program, shared, spawn } from '../../src/index.ts';
import { resultOf } from './reports.ts';

test('variables are named as the source has them', () => {
  const { errors } = checkSync(
    program(function* () {
      const plain = atomic(0);
      const { left, right } = { left: atomic(0), right: atomic(0) };
      const list = Array.from({ length: 2 }, () => atomic(0));
      const pair = [atomic(0), atomic(0)] as const;
      const [a, b] = [mutex('given'), shared(0)];
      let later: typeof plain = plain;
      for (const x of [plain, left, right, ...list, ...pair]) yield* x.load();
      yield* a.lock();
      yield* b.load();
      later = atomic(0);
      yield* later.load();
      assert(false);
    }),
  );
  expect(errors[0]?.execution.steps.map((step) => step.location)).toEqual([
    'plain',
    'left',
    'right',
    'list[0]',
    'list[1]',
    'pair[0]',
    'pair[1]',
    'given',
    'shared',
    'later',
  ]);
});

test('a variable keeps its name when another one of that name is made later', () => {
  const { errors } = checkSync(
    program(function* () {
      for (let i = 0; i < 2; i++) {
        const node = atomic(i);
        yield* node.load();
      }
      assert(false);
    }),
  );
  expect(errors[0]?.execution.steps.map((step) => step.location)).toEqual(['node[0]', 'node[1]']);
});

test('steps that the error does not depend on are left out, and threads run on as long as they can', () => {
  const { errors } = checkSync(
    program(function* () {
      const x = atomic(0);
      const y = atomic(0);
      yield* spawn(function* unrelated() {
        yield* y.store(1);
      });
      yield* spawn(function* writer() {
        yield* x.store(1);
        yield* x.store(2);
      });
      assert((yield* x.load()) !== 2, 'saw 2');
    }),
  );
  const [error] = errors;
  expect(error?.execution.steps.map(({ thread, op }) => `${thread} ${op}`)).toEqual([
    '0 spawn',
    '0 spawn',
    '2 store',
    '2 store',
    '0 load',
  ]);
  expect(error?.execution.preemptions).toBe(1);
});

test('threads of one name are numbered in messages', async () => {
  const { errors } = await resultOf('counter');
  expect(errors[0]?.execution.threads.map(({ name }) => name)).toEqual(['main', 'increment 1', 'increment 2']);
});

test('a long execution is recorded in reasonable time', () => {
  const start = performance.now();
  const { errors } = checkSync(
    program(function* () {
      const x = atomic(0);
      const writer = yield* spawn(function* writer() {
        for (let i = 0; i < 2000; i++) yield* x.store(yield* x.load());
      });
      yield* writer.join();
      assert(false);
    }),
  );
  expect(errors[0]?.execution.steps.length).toBe(4002);
  expect(performance.now() - start).toBeLessThan(20_000);
});
