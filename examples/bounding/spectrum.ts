/**
 * Many threads and one lock, as in a parallel Fourier transform: each computes its share of the energy of a signal and adds it to
 * what all have. There is no bug; such programs are hard for bounds on preemptions, because every lock and unlock may be a place
 * to switch.
 */
import { assert, mutex, program, shared, spawn } from 'heddle';

const SIGNAL = [3, -1, 4, 1, -5, 9, 2, -6];
const THREADS = 4;

export default program(function* () {
  const lock = mutex();
  const energy = shared(0);

  function* transform(first: number) {
    const own = SIGNAL.filter((_, i) => i % THREADS === first);
    const share = own.reduce((sum, value) => sum + value * value, 0);
    yield* lock.lock();
    yield* energy.store((yield* energy.load()) + share);
    yield* lock.unlock();
  }

  const threads = [];
  for (let i = 0; i < THREADS; i++) threads.push(yield* spawn(transform, i));
  for (const thread of threads) yield* thread.join();
  assert((yield* energy.load()) === 173, 'all shares are in the sum');
});
