/** Which blocks control must pass to reach a block: Cooper, Harvey and Kennedy's iterative computation. */
import { type Block, type IrFunction, successorsOf } from './module.ts';

export interface Dominators {
  /** The reachable blocks, each after those that dominate it. */
  readonly order: readonly Block[];
  isReachable(block: Block): boolean;
  /** Whether every way from the entry to `b` passes `a`; a block dominates itself. Both must be reachable. */
  dominates(a: Block, b: Block): boolean;
  /** The last of the blocks that every way to `block` passes before it; undefined for the entry. */
  immediate(block: Block): Block | undefined;
}

export function dominatorsOf(fn: IrFunction): Dominators {
  const order = reversePostorder(fn);
  const numbers = new Map(order.map((block, i) => [block, i]));
  const predecessors: number[][] = order.map(() => []);
  for (const [i, block] of order.entries()) {
    for (const successor of successorsOf(block)) predecessors[numbers.get(successor) as number]?.push(i);
  }
  // By number; an immediate dominator has a smaller number than its block, save the entry, which is its own.
  const immediate: number[] = order.map((_, i) => (i === 0 ? 0 : -1));
  for (let changed = true; changed; ) {
    changed = false;
    for (let i = 1; i < order.length; i++) {
      let common = -1;
      for (const predecessor of predecessors[i] as number[]) {
        if (immediate[predecessor] === -1) continue;
        common = common === -1 ? predecessor : intersect(immediate, common, predecessor);
      }
      if (immediate[i] !== common) {
        immediate[i] = common;
        changed = true;
      }
    }
  }
  return {
    order,
    isReachable: (block) => numbers.has(block),
    dominates(a, b) {
      const above = numbers.get(a) as number;
      let below = numbers.get(b) as number;
      while (below > above) below = immediate[below] as number;
      return below === above;
    },
    immediate(block) {
      const i = numbers.get(block) as number;
      return i === 0 ? undefined : order[immediate[i] as number];
    },
  };
}

function intersect(immediate: readonly number[], a: number, b: number): number {
  let [one, other] = [a, b];
  while (one !== other) {
    while (one > other) one = immediate[one] as number;
    while (other > one) other = immediate[other] as number;
  }
  return one;
}

/** Without recursion: a function may have very many blocks. */
function reversePostorder(fn: IrFunction): Block[] {
  const [entry] = fn.blocks;
  if (entry === undefined) return [];
  const postorder: Block[] = [];
  const seen = new Set([entry]);
  const stack = [{ block: entry, successors: successorsOf(entry), next: 0 }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const successor = top.successors[top.next++];
    if (successor === undefined) {
      postorder.push(top.block);
      stack.pop();
    } else if (!seen.has(successor)) {
      seen.add(successor);
      stack.push({ block: successor, successors: successorsOf(successor), next: 0 });
    }
  }
  return postorder.reverse();
}
