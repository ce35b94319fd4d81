/**
 * A queue with room for one item, two producers and a consumer.
 *
 * A mutex protects the plain variable `slot`. Who finds no room, or no item, waits for `count` to change instead of
 * trying again and again. After the wait it takes the lock and looks once more: another thread may have been faster.
 */
import { assert, atomic, awaitUntil, mutex, program, shared, spawn } from 'heddle';

const CAPACITY = 1;

export default program(function* () {
  const lock = mutex();
  const count = atomic(0);
  const slot = shared('');

  function* put(item: string) {
    for (;;) {
      yield* awaitUntil(count, (n) => n < CAPACITY);
      yield* lock.lock();
      if ((yield* count.load()) < CAPACITY) break;
      yield* lock.unlock();
    }
    yield* slot.store(item);
    yield* count.fetchAdd(1);
    yield* lock.unlock();
  }

  /** There is one consumer only: what it waited for stays true. */
  function* take() {
    yield* awaitUntil(count, (n) => n > 0);
    yield* lock.lock();
    const item = yield* slot.load();
    yield* count.fetchSub(1);
    yield* lock.unlock();
    return item;
  }

  yield* spawn(put, 'tea');
  yield* spawn(put, 'cake');
  const first = yield* take();
  const second = yield* take();
  assert(first !== second, `${first} was taken twice`);
});
