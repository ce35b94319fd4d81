/**
 * A ticket lock: every thread draws a number and waits until it is served.
 *
 * `awaitUntil` stands for the loop that waits. Heddle then need not explore how often the loop looks in vain, and can
 * tell a wait that ends from one that never does. Verified: the threads never are in the critical section together.
 */
import { assert, atomic, awaitUntil, program, shared, spawn } from 'heddle';

export default program(function* () {
  const next = atomic(0);
  const serving = atomic(0);
  const total = shared(0);

  function* add(amount: number) {
    const ticket = yield* next.fetchAdd(1);
    yield* awaitUntil(serving, (number) => number === ticket);
    yield* total.store((yield* total.load()) + amount);
    yield* serving.store(ticket + 1);
  }

  const threads = [yield* spawn(add, 1), yield* spawn(add, 2), yield* spawn(add, 3)];
  for (const thread of threads) yield* thread.join();
  assert((yield* total.load()) === 6, 'an addition was lost');
});
