/**
 * Two threads count to two, and sometimes arrive at one.
 *
 * The increment is a load and then a store. If both threads load before one of them stores, an update is lost:
 * Heddle reports the `assertion` at the end, with the order of steps that makes it fail.
 */
import { assert, atomic, program, spawn } from 'heddle';

export default program(function* () {
  const counter = atomic(0);

  function* increment() {
    const old = yield* counter.load();
    yield* counter.store(old + 1);
  }

  const first = yield* spawn(increment);
  const second = yield* spawn(increment);
  yield* first.join();
  yield* second.join();
  assert((yield* counter.load()) === 2, 'an increment was lost'); // <- fails
});
