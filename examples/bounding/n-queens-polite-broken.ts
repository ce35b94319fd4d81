/**
 * Workers that say that they want a task and step back if the other does, too. If both do, nobody solves it, and both yield for
 * ever: a `livelock`, which a fair bound finds.
 */
import { type Claims, claimOf, nQueens } from './n-queens.js';

function* takeUnlessWanted(claims: Claims, worker: 0 | 1, task: number) {
  yield* claimOf(claims, worker, task).store(true);
  return !(yield* claimOf(claims, 1 - worker, task).load());
}

export default nQueens(takeUnlessWanted);
