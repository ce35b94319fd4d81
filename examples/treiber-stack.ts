/**
 * Treiber's lock-free stack (1986), with a new node for every push.
 *
 * A node is an immutable object. Values are compared by identity, so a compare-exchange that finds the node it loaded
 * also finds the stack as it was then: nothing is lost and nothing is popped twice. The loops end, because a
 * compare-exchange fails only if another thread got something done.
 */
import { assert, atomic, program, spawn } from 'heddle';

interface Node {
  readonly value: string;
  readonly next: Node | undefined;
}

export default program(function* () {
  const top = atomic<Node | undefined>(undefined);

  function* push(value: string) {
    for (;;) {
      const next = yield* top.load();
      if ((yield* top.compareExchange(next, { value, next })) === next) return;
    }
  }

  function* pop() {
    for (;;) {
      const node = yield* top.load();
      if (node === undefined) return undefined;
      if ((yield* top.compareExchange(node, node.next)) === node) return node.value;
    }
  }

  /** Takes two values off the stack and puts the first of them back. */
  function* borrow() {
    const first = yield* pop();
    const second = yield* pop();
    if (first !== undefined) yield* push(first);
    return second;
  }

  yield* push('b');
  yield* push('a');
  const popper = yield* spawn(pop);
  const borrower = yield* spawn(borrow);

  const seen = [yield* popper.join(), yield* borrower.join()];
  for (let value = yield* pop(); value !== undefined; value = yield* pop()) seen.push(value);
  const values = seen.filter((value) => value !== undefined);
  assert(values.sort().join() === 'a,b', `popped: ${values}`);
});
