/** Workers that look whether a task is free and take it in two steps: both may solve the same one, and count it twice. */
import { type Claims, claimOf, nQueens } from './n-queens.js';

function* takeInTwoSteps(claims: Claims, _worker: 0 | 1, task: number) {
  const claim = claimOf(claims, 0, task);
  if (yield* claim.load()) return false;
  yield* claim.store(true);
  return true;
}

export default nQueens(takeInTwoSteps);
