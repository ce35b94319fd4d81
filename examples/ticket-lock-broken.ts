/**
 * A ticket lock whose tickets are not unique.
 *
 * A thread draws its ticket by a load and a store, so two threads can draw the same number. If one of them is served
 * and gone before the other looks, the other waits for a number that will not come again: Heddle reports a `livelock`.
 * If they are served together, they race: with --keep-going Heddle reports the `race` on `total` as well.
 */
import { assert, atomic, awaitUntil, program, shared, spawn } from 'heddle';

export default program(function* () {
  const next = atomic(0);
  const serving = atomic(0);
  const total = shared(0);

  function* add(amount: number) {
    const ticket = yield* next.load();
    yield* next.store(ticket + 1);
    yield* awaitUntil(serving, (number) => number === ticket); // <- fails
    yield* total.store((yield* total.load()) + amount);
    yield* serving.store(ticket + 1);
  }

  const threads = [yield* spawn(add, 1), yield* spawn(add, 2), yield* spawn(add, 3)];
  for (const thread of threads) yield* thread.join();
  assert((yield* total.load()) === 6, 'an addition was lost');
});
