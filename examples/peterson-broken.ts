/**
 * Peterson's algorithm with its first two stores the wrong way round.
 *
 * A thread gives the turn away before it says that it wants to enter. Then one thread can enter because the other does
 * not want to yet, and the other because it is its turn: Heddle reports the `assertion` in the critical section.
 */
import { assert, assume, atomic, program, spawn } from 'heddle';

export default program(function* () {
  const wants = [atomic(false), atomic(false)] as const;
  const turn = atomic<0 | 1>(0);
  const inside = atomic(0);

  function* work(me: 0 | 1) {
    const other = me === 0 ? 1 : 0;
    yield* turn.store(other);
    yield* wants[me].store(true);
    const mayEnter = !(yield* wants[other].load()) || (yield* turn.load()) === me;
    yield* assume(mayEnter);

    assert((yield* inside.fetchAdd(1)) === 0, 'both threads are in the critical section'); // <- fails
    yield* inside.fetchSub(1);

    yield* wants[me].store(false);
  }

  yield* spawn(work, 0);
  yield* spawn(work, 1);
});
