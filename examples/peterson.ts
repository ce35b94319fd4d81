/**
 * Peterson's algorithm (1981), a shorter lock for two threads.
 *
 * A thread must wait while the other wants to enter and it is the other's turn: a condition on two variables, for which
 * `awaitUntil` will not do. `assume` leaves out the executions in which it does not hold at once; those count as
 * blocked. What is left is every way to get through, and that is enough to see that no two threads get in.
 */
import { assert, assume, atomic, program, spawn } from 'heddle';

export default program(function* () {
  const wants = [atomic(false), atomic(false)] as const;
  const turn = atomic<0 | 1>(0);
  const inside = atomic(0);

  function* work(me: 0 | 1) {
    const other = me === 0 ? 1 : 0;
    yield* wants[me].store(true);
    yield* turn.store(other);
    const mayEnter = !(yield* wants[other].load()) || (yield* turn.load()) === me;
    yield* assume(mayEnter);

    assert((yield* inside.fetchAdd(1)) === 0, 'both threads are in the critical section');
    yield* inside.fetchSub(1);

    yield* wants[me].store(false);
  }

  yield* spawn(work, 0);
  yield* spawn(work, 1);
});
