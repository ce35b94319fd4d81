/** Objects in shared variables, where several threads have them from elsewhere: shapes that a way to remember objects got wrong once. */
import { expect, test } from 'vitest';
import { checkSync } from '../../src/check/check.ts';
import { atomic, choose, program, spawn } from '../../src/typescript/api.ts';

const algorithms = ['trust', 'optimal', 'dfs'] as const;

test.each(algorithms)(
  'an object that another thread has stored cannot be changed, in any execution: %s',
  (algorithm) => {
    const changes = program(function* () {
      const o = { n: 0 };
      const x = atomic<{ n: number } | undefined>(undefined);
      const g = atomic(0);
      const storing = yield* spawn(function* stores() {
        yield* x.store(o);
      });
      yield* spawn(function* counts() {
        for (let i = 1; i <= 3; i++) yield* g.store(i);
      });
      const k = yield* g.load();
      const l = yield* g.load();
      yield* storing.join();
      if (k === 2 && l === 3) o.n = 1;
      yield* g.load();
    });
    const { errors } = checkSync(changes, { algorithm });
    expect(errors.map(({ kind }) => kind)).toEqual(['exception']);
    expect(errors[0]?.message).toMatch(/read only property 'n'/);
  },
);

test.each(algorithms)(
  'an object of the module is what a variable of the module holds first, and a thread stores it: %s',
  (algorithm) => {
    const own = Object.freeze({});
    const first = atomic<object>(own);
    const stores = program(function* () {
      const y = atomic<object | undefined>(undefined);
      if ((yield* choose(2)) === 0) yield* y.store(own);
      else yield* first.load();
    });
    const { verdict, executions } = checkSync(stores, { algorithm });
    expect([verdict, executions.complete]).toEqual(['ok', 2]);
  },
);

test.each(algorithms)('a function that updates may make an atomic: %s', (algorithm) => {
  interface Node {
    readonly v: number;
    readonly next: unknown;
  }
  const pushes = program(function* () {
    const x = atomic<Node | undefined>(undefined);
    function* push(v: number) {
      yield* x.update((old) => ({ v, next: atomic(old) }));
    }
    yield* spawn(push, 1);
    yield* spawn(push, 2);
  });
  const { verdict, executions } = checkSync(pushes, { algorithm });
  expect([verdict, executions.complete]).toEqual(['ok', algorithm === 'dfs' ? 3 : 2]); // the first may come before the second spawn
});
