/**
 * A queue with room for one item, in which one item can be put on top of the other.
 *
 * A producer waits until there is room, then takes the lock, and does not look again. Two producers can find the same
 * room, and the second overwrites the item of the first: Heddle reports the `assertion` of the consumer, which takes
 * the same item twice.
 */
import { assert, atomic, awaitUntil, mutex, program, shared, spawn } from 'heddle';

const CAPACITY = 1;

export default program(function* () {
  const lock = mutex();
  const count = atomic(0);
  const slot = shared('');

  function* put(item: string) {
    yield* awaitUntil(count, (n) => n < CAPACITY);
    yield* lock.lock();
    yield* slot.store(item);
    yield* count.fetchAdd(1);
    yield* lock.unlock();
  }

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
  assert(first !== second, `${first} was taken twice`); // <- fails
});
