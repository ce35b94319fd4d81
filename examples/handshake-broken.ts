/**
 * A client and a server that can wait for each other for ever.
 *
 * The client sends all its requests and only then waits for the answers. If the second request comes before the server
 * has looked, the first is overwritten, and the server waits for a value that nobody will write any more: Heddle
 * reports a `livelock`, and shows where both of them wait.
 */
import { atomic, awaitUntil, program, spawn } from 'heddle';

const ROUNDS = 2;

export default program(function* () {
  const request = atomic(0);
  const answer = atomic(0);

  function* server() {
    for (let round = 1; round <= ROUNDS; round++) {
      yield* awaitUntil(request, (n) => n === round); // <- fails
      yield* answer.store(round);
    }
  }

  yield* spawn(server);
  for (let round = 1; round <= ROUNDS; round++) yield* request.store(round);
  yield* awaitUntil(answer, (n) => n === ROUNDS); // <- fails
});
