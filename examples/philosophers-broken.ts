/**
 * Three philosophers at a round table who can starve.
 *
 * Everybody takes the left fork first. If all do so at the same time, each waits for the right one, which a neighbour
 * holds: Heddle reports a `deadlock`, and shows which lock each thread waits for and who holds it.
 */
import { mutex, program, spawn } from 'heddle';

export default program(function* () {
  const forks = [mutex(), mutex(), mutex()] as const;

  function* philosopher(left: 0 | 1 | 2, right: 0 | 1 | 2) {
    yield* forks[left].lock();
    yield* forks[right].lock(); // <- fails
    yield* forks[right].unlock();
    yield* forks[left].unlock();
  }

  yield* spawn(philosopher, 0, 1);
  yield* spawn(philosopher, 1, 2);
  yield* spawn(philosopher, 2, 0);
});
