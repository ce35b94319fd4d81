/**
 * A client and a server pass messages through two variables, as code with async and await does through a channel.
 *
 * The client waits for each answer before it asks again, so no request is overwritten before the server has seen it.
 */
import { assert, atomic, awaitUntil, program, spawn } from 'heddle';

const ROUNDS = 2;

export default program(function* () {
  const request = atomic(0);
  const answer = atomic(0);

  function* server() {
    for (let round = 1; round <= ROUNDS; round++) {
      yield* awaitUntil(request, (n) => n === round);
      yield* answer.store(round);
    }
  }

  yield* spawn(server);
  for (let round = 1; round <= ROUNDS; round++) {
    yield* request.store(round);
    const answered = yield* awaitUntil(answer, (n) => n >= round);
    assert(answered === round, 'the answer is that of this round');
  }
});
