/** Models without coherence: what they gain, and the cases that random programs hardly ever reach. */
import { describe, expect, test } from 'vitest';
import * as programs from '../../bench/programs.ts';
import { assert, atomic, checkSync, program, spawn } from '../../src/index.ts';
import { type ModelName, models } from '../../src/models/registry.ts';

const names = Object.keys(models) as ModelName[];

describe.each(names)('reads-from classes under %s', (model) => {
  test('writes that nobody reads are one class, instead of 8! executions', () => {
    const { executions } = checkSync(programs.writers(8), { model, equivalence: 'rf' });
    expect(executions).toMatchObject({ complete: 1, redundant: 0 });
  });

  test('of N writers and one reader there are N + 1 classes', () => {
    const writersAndReader = program(function* () {
      const x = atomic(0);
      for (let i = 1; i <= 6; i++) {
        yield* spawn(function* () {
          yield* x.store(i);
        });
      }
      yield* x.load();
    });
    const { executions } = checkSync(writersAndReader, { model, equivalence: 'rf' });
    expect(executions).toMatchObject({ complete: 7, redundant: 0 });
  });

  test('updates read each other, so that their order is all there is', () => {
    const { executions } = checkSync(programs.expMem(4), { model, equivalence: 'rf' });
    expect(executions.complete).toBe(2 * 24);
  });

  /**
   * The store to y is added before the other one, and comes before it in the first order that is thought of. A revisit by u = 1
   * deletes it: then z = 1 need not come before y = 2 any more, nor before the load of z.
   */
  test('an order that a deleted write was in is forgotten', () => {
    const forgotten = program(function* () {
      const [y, z, u] = [atomic(0), atomic(0), atomic(0)];
      const first = yield* spawn(function* () {
        yield* z.store(1);
        const a = yield* u.load();
        if (a === 0) yield* y.store(1);
        return a;
      });
      const second = yield* spawn(function* () {
        yield* y.store(2);
        yield* u.store(1);
        return yield* z.load();
      });
      assert(!((yield* first.join()) === 1 && (yield* second.join()) === 0), 'z = 1 comes late');
    });
    const { errors, executions } = checkSync(forgotten, { model, equivalence: 'rf', keepGoing: true });
    expect(errors.map(({ message }) => message)).toEqual(['z = 1 comes late']);
    // if the first thread reads 0 and the second, too, z and u are store buffering
    expect(executions).toMatchObject({ complete: model === 'ra' ? 3 : 2, redundant: 0 });
  });
});

describe('coherence that only psc decides', () => {
  /**
   * x = 1 before x = 2 is impossible in all executions with these values, but for a reason that depends on how y = 1 and y = 2 are
   * ordered: each of the two orders closes a cycle of its own. So the other order has to be tried. If somebody saw x = 1
   * before x = 2, there is none left.
   */
  const undecided = (sawOneFirst: boolean) =>
    program(function* () {
      const x = atomic(0);
      const y = atomic(0);
      yield* x.load();
      yield* spawn(function* () {
        yield* x.store(1, 'relaxed');
      });
      const second = yield* spawn(function* () {
        yield* x.store(2);
        return yield* y.load();
      });
      const third = yield* spawn(function* () {
        yield* y.store(2);
        return yield* x.load();
      });
      const fourth = yield* spawn(function* () {
        yield* y.store(1);
        return yield* x.load();
      });
      const fifth = yield* spawn(function* () {
        return [yield* x.load(), yield* y.load()].join();
      });
      const sixth = yield* spawn(function* () {
        return [yield* x.load('relaxed'), yield* x.load('relaxed')].join();
      });
      const seen = [yield* second.join(), yield* third.join(), yield* fourth.join(), yield* fifth.join()].join();
      const order = yield* sixth.join();
      assert(!(seen === '1,1,1,2,2' && order === (sawOneFirst ? '1,2' : '0,0')), 'seen');
    });

  test.each(['co', 'rf'] as const)('the order that is left is found (%s)', (equivalence) => {
    expect(checkSync(undecided(false), { model: 'rc11', equivalence }).verdict).toBe('error');
  });

  test.each(['co', 'rf'] as const)('if that is impossible too, there is none (%s)', (equivalence) => {
    expect(checkSync(undecided(true), { model: 'rc11', equivalence }).verdict).toBe('ok');
  });
});
