/**
 * Two threads count to two.
 *
 * `fetchAdd` reads and writes in one step, so no thread can come in between: verified. See counter-broken.ts for what
 * happens without it.
 */
import { assert, atomic, program, spawn } from 'heddle';

export default program(function* () {
  const counter = atomic(0);

  function* increment() {
    yield* counter.fetchAdd(1);
  }

  const first = yield* spawn(increment);
  const second = yield* spawn(increment);
  yield* first.join();
  yield* second.join();
  assert((yield* counter.load()) === 2, 'an increment was lost');
});
