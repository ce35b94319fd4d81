/**
 * Three philosophers at a round table, a fork between each two; to eat, one needs both forks next to one.
 *
 * Everybody takes the fork with the lower number first, so a circle of philosophers who wait for each other cannot
 * close: verified, no deadlock.
 */
import { mutex, program, spawn } from 'heddle';

export default program(function* () {
  const forks = [mutex(), mutex(), mutex()] as const;

  function* philosopher(left: 0 | 1 | 2, right: 0 | 1 | 2) {
    const first = forks[left < right ? left : right];
    const second = forks[left < right ? right : left];
    yield* first.lock();
    yield* second.lock();
    yield* second.unlock();
    yield* first.unlock();
  }

  yield* spawn(philosopher, 0, 1);
  yield* spawn(philosopher, 1, 2);
  yield* spawn(philosopher, 2, 0);
});
