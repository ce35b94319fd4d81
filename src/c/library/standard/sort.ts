/** qsort and bsearch: the program's function compares elements where they lie. */
import type { CallSite, CThread, Run } from '../../runtime.ts';
import { keeps, type Library, sizeOfArgument, steps } from '../define.ts';

type Compare = (a: number, b: number) => Run<number>;

/** The indices 0 to count - 1 in the order of their elements, by merging; equal ones stay in order. */
function* sortedIndices(count: number, compare: Compare): Run<number[]> {
  let runs = Array.from({ length: count }, (_, i) => [i]);
  while (runs.length > 1) {
    const merged: number[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const right = runs[i + 1];
      merged.push(right === undefined ? runs[i]! : yield* merge(runs[i]!, right, compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge(left: readonly number[], right: readonly number[], compare: Compare): Run<number[]> {
  const merged: number[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length && r < right.length) {
    merged.push((yield* compare(left[l]!, right[r]!)) <= 0 ? left[l++]! : right[r++]!);
  }
  return [...merged, ...left.slice(l), ...right.slice(r)];
}

/** Moves elements so that place i has what was at order[i]; one spare element is enough for each cycle. */
function* permute(thread: CThread, base: number, size: number, order: readonly number[], call: CallSite): Run<void> {
  if (order.every((from, to) => from === to)) return;
  const spare = yield* thread.allocate(size, false, call);
  const done = new Set<number>();
  for (const start of order.keys()) {
    if (done.has(start) || order[start] === start) continue;
    yield* thread.copy(spare, base + start * size, size, call);
    let to = start;
    for (;;) {
      done.add(to);
      const from = order[to]!;
      const isLast = from === start;
      yield* thread.copy(base + to * size, isLast ? spare : base + from * size, size, call);
      if (isLast) break;
      to = from;
    }
  }
  yield* thread.free(spare, call);
}

/** `context`: what the comparison gets besides two elements. */
function* sortWith(
  thread: CThread,
  base: number,
  count: number,
  size: number,
  callee: number,
  context: readonly number[],
  call: CallSite,
): Run<undefined> {
  const step = sizeOfArgument(size);
  const compare: Compare = function* (a, b) {
    return (yield* thread.call(callee, [base + a * step, base + b * step, ...context], call)) as number;
  };
  yield* permute(thread, base, step, yield* sortedIndices(sizeOfArgument(count), compare), call);
  return undefined;
}

export const sort: Library = {
  qsort: steps(keeps, (thread, call, base: number, count: number, size: number, callee: number) =>
    sortWith(thread, base, count, size, callee, [], call),
  ),
  qsort_r: steps(keeps, (thread, call, base: number, count: number, size: number, callee: number, context: number) =>
    sortWith(thread, base, count, size, callee, [context], call),
  ),
  bsearch: steps(
    keeps,
    function* (thread, call, key: number, base: number, count: number, size: number, callee: number) {
      const step = sizeOfArgument(size);
      let low = 0;
      let high = sizeOfArgument(count);
      while (low < high) {
        const middle = (low + high) >> 1;
        const at = base + middle * step;
        const order = (yield* thread.call(callee, [key, at], call)) as number;
        if (order === 0) return at;
        if (order < 0) high = middle;
        else low = middle + 1;
      }
      return 0;
    },
  ),
};
