/**
 * A sequence lock whose reader forgets to look at the sequence number again.
 *
 * The writer can start after the reader has waited for an even number, so the reader sees a new x with an old y, or the
 * other way round: Heddle reports the `assertion`.
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
    yield* awaitUntil(sequence, (n) => n % 2 === 0);
    return [yield* x.load(), yield* y.load()] as const;
  }

  yield* spawn(write);
  const [seenX, seenY] = yield* read();
  assert(seenX === seenY, `read x = ${seenX} and y = ${seenY}`); // <- fails
});
