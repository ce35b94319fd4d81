/**
 * Dekker's algorithm (1965), the first lock for two threads that needs nothing but loads and stores.
 *
 * A thread says that it wants to enter, then looks at the other; if both want to, `turn` tells who steps back. The
 * plain variable `balance` stands for the critical section: verified means that no two accesses to it race.
 */
import { atomic, awaitUntil, program, shared, spawn } from 'heddle';

export default program(function* () {
  const wants = [atomic(false), atomic(false)] as const;
  const turn = atomic<0 | 1>(0);
  const balance = shared(100);

  function* withdraw(me: 0 | 1) {
    const other = me === 0 ? 1 : 0;
    yield* wants[me].store(true);
    if (yield* wants[other].load()) {
      if ((yield* turn.load()) === other) {
        yield* wants[me].store(false);
        yield* awaitUntil(turn, (t) => t === me);
        yield* wants[me].store(true);
      }
      yield* awaitUntil(wants[other], (w) => !w);
    }

    yield* balance.store((yield* balance.load()) - 10);

    yield* turn.store(other);
    yield* wants[me].store(false);
  }

  yield* spawn(withdraw, 0);
  yield* spawn(withdraw, 1);
});
