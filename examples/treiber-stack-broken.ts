/**
 * Treiber's stack that uses its nodes again: the ABA problem.
 *
 * A thread loads the top node a and its successor b. Before its compare-exchange, another thread pops a, pops b and
 * pushes a again. The compare-exchange finds a on top, as before, succeeds, and makes b the top, which is not in the
 * stack any more: b is popped twice. Heddle reports the `assertion` at the end.
 */
import { type Atomic, assert, atomic, program, spawn } from 'heddle';

interface Node {
  readonly value: string;
  readonly next: Atomic<Node | undefined>;
}

export default program(function* () {
  const top = atomic<Node | undefined>(undefined);
  const a: Node = { value: 'a', next: atomic<Node | undefined>(undefined, 'a.next') };
  const b: Node = { value: 'b', next: atomic<Node | undefined>(undefined, 'b.next') };

  function* push(node: Node) {
    for (;;) {
      const next = yield* top.load();
      yield* node.next.store(next);
      if ((yield* top.compareExchange(next, node)) === next) return;
    }
  }

  function* pop() {
    for (;;) {
      const node = yield* top.load();
      if (node === undefined) return undefined;
      const next = yield* node.next.load();
      if ((yield* top.compareExchange(node, next)) === node) return node;
    }
  }

  /** Takes two nodes off the stack and puts the first of them back. */
  function* borrow() {
    const first = yield* pop();
    const second = yield* pop();
    if (first !== undefined) yield* push(first);
    return second;
  }

  yield* push(b);
  yield* push(a);
  const popper = yield* spawn(pop);
  const borrower = yield* spawn(borrow);

  const seen = [yield* popper.join(), yield* borrower.join()];
  for (let node = yield* pop(); node !== undefined; node = yield* pop()) seen.push(node);
  const values = seen.flatMap((node) => (node === undefined ? [] : [node.value]));
  assert(values.sort().join() === 'a,b', `popped: ${values}`); // <- fails
});
