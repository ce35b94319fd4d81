/** Types are inferred throughout: what a program reads has the type of what was stored. */
import { expectTypeOf, test } from 'vitest';
import { atomic, awaitUntil, choose, mutex, program, shared, spawn } from '../../src/index.ts';

test('values keep their types through operations, threads and generator functions', () => {
  program(function* () {
    const n = atomic(0);
    expectTypeOf(yield* n.load()).toEqualTypeOf<number>();
    expectTypeOf(yield* n.fetchAdd(1)).toEqualTypeOf<number>();
    expectTypeOf(yield* n.compareExchange(0, 1)).toEqualTypeOf<number>();
    expectTypeOf(yield* awaitUntil(n, (value) => value > 0)).toEqualTypeOf<number>();
    const big = atomic(0n);
    expectTypeOf(yield* big.fetchAdd(1n)).toEqualTypeOf<bigint>();
    const state = atomic<'idle' | 'busy'>('idle' as const);
    expectTypeOf(yield* shared('text').load()).toEqualTypeOf<string>();
    expectTypeOf(yield* state.exchange('busy')).toExtend<string>();
    expectTypeOf(yield* mutex().tryLock()).toEqualTypeOf<boolean>();
    expectTypeOf(yield* choose(3)).toEqualTypeOf<number>();
    const pair = yield* spawn(
      function* (a: number, b: string) {
        yield* n.store(a);
        return { a, b };
      },
      1,
      'x',
    );
    expectTypeOf(yield* pair.join()).toEqualTypeOf<{ a: number; b: string }>();
    function* helper() {
      return (yield* n.load()) > 0;
    }
    expectTypeOf(yield* helper()).toEqualTypeOf<boolean>();
    // @ts-expect-error a number is stored there
    n.store('one');
    // @ts-expect-error a load cannot release
    n.load('release');
    // @ts-expect-error no arithmetic on text
    atomic('a').fetchAdd('b');
  });
});
