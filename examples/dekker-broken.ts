/**
 * Dekker's algorithm with its first two steps the wrong way round.
 *
 * A thread looks at the other before it says that it wants to enter. If both look first, both enter: Heddle reports a
 * `race` on `balance`, since nothing orders the accesses of the two threads.
 */
import { atomic, awaitUntil, program, shared, spawn } from 'heddle';

export default program(function* () {
  const wants = [atomic(false), atomic(false)] as const;
  const turn = atomic<0 | 1>(0);
  const balance = shared(100);

  function* withdraw(me: 0 | 1) {
    const other = me === 0 ? 1 : 0;
    const contended = yield* wants[other].load();
    yield* wants[me].store(true);
    if (contended) {
      if ((yield* turn.load()) === other) {
        yield* wants[me].store(false);
        yield* awaitUntil(turn, (t) => t === me);
        yield* wants[me].store(true);
      }
      yield* awaitUntil(wants[other], (w) => !w);
    }

    yield* balance.store((yield* balance.load()) - 10); // <- fails

    yield* turn.store(other);
    yield* wants[me].store(false);
  }

  yield* spawn(withdraw, 0);
  yield* spawn(withdraw, 1);
});
