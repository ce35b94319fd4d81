/**
 * A sequence lock: readers take no lock, and read again if a writer came in between.
 *
 * The sequence number is odd while the writer is at work. A reader waits for an even one, reads, and keeps what it has
 * read only if the number is still the same: verified, no reader sees half of an update.
 */
import { assert, atomic, awaitUntil, program, spawn } from 'heddle';

export default program(function* () {
  const sequence = atomic(0);
  const x = atomic(0);
  const y = atomic(0);

  function* write() {
    yield* sequence.fetchAdd(1);
    yield* x.store(1);
    yield* y.store(1);
    yield* sequence.fetchAdd(1);
  }

  function* read() {
    for (;;) {
      const before = yield* awaitUntil(sequence, (n) => n % 2 === 0);
      const point = [yield* x.load(), yield* y.load()] as const;
      if ((yield* sequence.load()) === before) return point;
    }
  }

  yield* spawn(write);
  const [seenX, seenY] = yield* read();
  assert(seenX === seenY, `read x = ${seenX} and y = ${seenY}`);
});
