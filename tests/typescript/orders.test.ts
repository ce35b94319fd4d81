/** Memory orders of TypeScript's atomics: what they mean under RC11, and that orders which make no sense are refused. */
import { describe, expect, test } from 'vitest';
import {
  type Atomic,
  atomic,
  awaitUntil,
  checkSync,
  fence,
  InputError,
  type LoadOrder,
  mutex,
  program,
  type StoreOrder,
  shared,
  spawn,
  type ThreadBody,
  type UpdateOrder,
} from '../../src/index.ts';

/** A message behind a flag: the sender gives, and the receiver returns whether it got it. */
function passing(
  give: (flag: Atomic<number>) => ThreadBody<unknown>,
  take: (flag: Atomic<number>) => ThreadBody<boolean>,
) {
  return program(function* () {
    const message = shared(0, 'message');
    const flag = atomic(0, 'flag');
    yield* spawn(function* sender() {
      yield* message.store(42);
      yield* give(flag);
    });
    if (yield* take(flag)) yield* message.load();
  });
}

const kindsOf = (it: ReturnType<typeof passing>, model: string): string[] =>
  checkSync(it, { model }).errors.map(({ kind }) => kind);

const stores = (order?: StoreOrder) =>
  function* (flag: Atomic<number>): ThreadBody<void> {
    yield* flag.store(1, order);
  };

const loads = (order?: LoadOrder) =>
  function* (flag: Atomic<number>): ThreadBody<boolean> {
    return (yield* flag.load(order)) === 1;
  };

const awaits = (order?: LoadOrder) =>
  function* (flag: Atomic<number>): ThreadBody<boolean> {
    return (yield* awaitUntil(flag, (value) => value === 1, order)) === 1;
  };

/** Succeeds on 1 and fails on 0, so that it is the success order that counts; `fails` is the other way round. */
const exchanges = (order?: UpdateOrder, failureOrder?: LoadOrder) =>
  function* (flag: Atomic<number>): ThreadBody<boolean> {
    return (yield* flag.compareExchange(1, 2, order, failureOrder)) === 1;
  };
const fails = (order?: UpdateOrder, failureOrder?: LoadOrder) =>
  function* (flag: Atomic<number>): ThreadBody<boolean> {
    return (yield* flag.compareExchange(0, 0, order, failureOrder)) === 1;
  };

const updates = (order?: UpdateOrder) =>
  function* (flag: Atomic<number>): ThreadBody<boolean> {
    return (yield* flag.fetchAdd(1, order)) === 1;
  };

const fenced = (before: UpdateOrder, after: UpdateOrder) =>
  passing(
    function* (flag) {
      yield* fence(before);
      yield* flag.store(1, 'relaxed');
    },
    function* (flag) {
      const seen = yield* flag.load('relaxed');
      yield* fence(after);
      return seen === 1;
    },
  );

const handsOver: Record<string, ReturnType<typeof passing>> = {
  'without orders': passing(stores(), loads()),
  'a release store and an acquire load': passing(stores('release'), loads('acquire')),
  'an await that acquires': passing(stores('release'), awaits('acquire')),
  'an await without an order': passing(stores('release'), awaits()),
  'a compare-exchange that acquires': passing(stores('release'), exchanges('acquire', 'relaxed')),
  'a compare-exchange that fails, with an acquire for that': passing(stores('release'), fails('relaxed', 'acquire')),
  'a compare-exchange that fails, with the load part of its order': passing(stores('release'), fails('acq_rel')),
  'an update that acquires': passing(stores('release'), updates('acq_rel')),
  'fences around relaxed accesses': fenced('release', 'acquire'),
  'stronger fences': fenced('acq_rel', 'seq_cst'),
};

const losesIt: Record<string, ReturnType<typeof passing>> = {
  'a relaxed store': passing(stores('relaxed'), loads('acquire')),
  'a relaxed load': passing(stores('release'), loads('relaxed')),
  'a relaxed await': passing(stores('release'), awaits('relaxed')),
  'a relaxed compare-exchange': passing(stores('release'), exchanges('relaxed', 'seq_cst')),
  'a compare-exchange that fails relaxed': passing(stores('release'), fails('seq_cst', 'relaxed')),
  'a compare-exchange that only releases': passing(stores('release'), fails('release')),
  'an update that only releases': passing(stores('release'), updates('release')),
  'fences of the wrong kind': fenced('acquire', 'release'),
  'relaxed fences': fenced('relaxed', 'relaxed'),
};

describe('under rc11', () => {
  test.each(Object.entries(handsOver))('%s: the message is there', (_, it) => {
    expect(kindsOf(it, 'rc11')).toEqual([]);
  });

  test.each(Object.entries(losesIt))('%s: a race', (_, it) => {
    expect(kindsOf(it, 'rc11')).toEqual(['race']);
  });
});

test('under sc orders have no effect', () => {
  for (const it of Object.values(losesIt)) expect(kindsOf(it, 'sc')).toEqual([]);
});

test('a mutex hands over, a tryLock that fails does not', () => {
  const trying = (whenFree: boolean) =>
    program(function* () {
      const lock = mutex();
      const data = shared(0);
      yield* spawn(function* worker() {
        yield* data.store(1);
        yield* lock.lock();
        if (whenFree) yield* lock.unlock();
      });
      if (!(yield* lock.tryLock())) {
        if (!whenFree) yield* data.load();
        return;
      }
      yield* lock.unlock();
    });
  expect(checkSync(trying(true), { model: 'rc11' }).verdict).toBe('ok');
  expect(checkSync(trying(false), { model: 'sc' }).verdict).toBe('ok');
  expect(checkSync(trying(false), { model: 'rc11' }).errors.map(({ kind }) => kind)).toEqual(['race']);
});

test.each([
  ['a load', () => atomic(0).load('release' as LoadOrder)],
  ['a store', () => atomic(0).store(1, 'acquire' as StoreOrder)],
  ['an await', () => awaitUntil(atomic(0), () => true, 'acq_rel' as LoadOrder)],
  ['a failed compare-exchange', () => atomic(0).compareExchange(0, 1, 'seq_cst', 'release' as LoadOrder)],
  ['a fence', () => fence('plain' as UpdateOrder)],
])('%s is refused an order that makes no sense', (what, make) => {
  expect(make).toThrow(InputError);
  expect(make).toThrow(`${what} cannot have the memory order`);
});
