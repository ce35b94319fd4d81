/**
 * How many ways are there to put four queens on a board of 4 × 4? Two workers share the work: a task is a place of the queen in the
 * first row, the other half of them being mirror images. Who finds no task that is free yields and looks again, until all are
 * done: a loop with no bound, that a fair bound ends.
 *
 * How a worker takes a task decides: in one step (here), in two (n-queens-broken.ts), or giving way to the other
 * (n-queens-polite-broken.ts).
 */
import { type Atomic, assert, atomic, program, spawn, type ThreadBody, yieldNow } from 'heddle';

const SIZE = 4;
const TASKS = [0, 1];

/** By worker and task: whether it was taken, or is wanted. */
export type Claims = readonly (readonly Atomic<boolean>[])[];
type Take = (claims: Claims, worker: 0 | 1, task: number) => ThreadBody<boolean>;

function solutionsFrom(queens: readonly number[]): number {
  if (queens.length === SIZE) return 1;
  const isSafe = (column: number): boolean =>
    queens.every((other, row) => other !== column && Math.abs(other - column) !== queens.length - row);
  return [0, 1, 2, 3].filter(isSafe).reduce((sum, column) => sum + solutionsFrom([...queens, column]), 0);
}

export const claimOf = (claims: Claims, worker: number, task: number) => claims[worker]?.[task] as Atomic<boolean>;

function* take(claims: Claims, _worker: 0 | 1, task: number) {
  return !(yield* claimOf(claims, 0, task).exchange(true));
}

export const nQueens = (takeTask: Take) =>
  program(function* () {
    const claims: Claims = [0, 1].map(() => TASKS.map(() => atomic(false)));
    const tasksLeft = atomic(TASKS.length);
    const solutions = atomic(0);

    function* work(worker: 0 | 1) {
      const open = [...TASKS];
      while ((yield* tasksLeft.load()) > 0) {
        const task = open.shift();
        if (task === undefined) {
          yield* yieldNow();
        } else if (yield* takeTask(claims, worker, task)) {
          yield* solutions.fetchAdd(2 * solutionsFrom([task]));
          yield* tasksLeft.fetchSub(1);
        }
      }
    }

    const left = yield* spawn(work, 0);
    const right = yield* spawn(work, 1);
    yield* left.join();
    yield* right.join();
    const found = yield* solutions.load();
    assert(found === 2, `found ${found} solutions`); // <- fails
  });

export default nQueens(take);
