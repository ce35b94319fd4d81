/** Memory orders as numbers of a column, and what they say of an access or a fence. */
import type { MemoryOrder, Operation } from './operation.ts';

/** The order of an operation is one of these, with `LOCKED` added where that applies. */
export const Order = { PLAIN: 0, RELAXED: 1, ACQUIRE: 2, RELEASE: 3, ACQ_REL: 4, SEQ_CST: 5 } as const;

/** A read-modify-write instruction, whether it writes or not, or an operation on a mutex: a full fence of TSO and PSO. */
export const LOCKED = 8;

const numbers: Readonly<Record<MemoryOrder, number>> = {
  plain: Order.PLAIN,
  relaxed: Order.RELAXED,
  acquire: Order.ACQUIRE,
  release: Order.RELEASE,
  acq_rel: Order.ACQ_REL,
  seq_cst: Order.SEQ_CST,
};

export function strengthOf(order: number): number {
  return order & 7;
}

export function acquires(order: number): boolean {
  const strength = order & 7;
  return strength === Order.ACQUIRE || strength >= Order.ACQ_REL;
}

export function releases(order: number): boolean {
  return (order & 7) >= Order.RELEASE;
}

/** The order of an operation; of one that reads and may write: if it writes. Operations without one have PLAIN. */
export function orderOf(operation: Operation): number {
  switch (operation.kind) {
    case 'load':
    case 'store':
    case 'await-load':
    case 'fence':
      return numbers[operation.order];
    case 'update':
    case 'compare-exchange':
    case 'await-exchange':
    case 'await-compare-exchange':
    case 'await-update':
      return numbers[operation.order] | LOCKED;
    case 'lock':
    case 'trylock':
      return Order.ACQUIRE | LOCKED;
    case 'unlock':
    case 'mutex-init':
    case 'mutex-destroy':
      return Order.RELEASE | LOCKED;
    default:
      return Order.PLAIN;
  }
}

/** The order of an operation that reads and may write, if it does not write. */
export function orderIfKept(operation: Operation): number {
  switch (operation.kind) {
    case 'compare-exchange':
      return numbers[operation.failureOrder] | LOCKED;
    case 'trylock':
      return Order.RELAXED | LOCKED;
    default:
      return orderOf(operation);
  }
}
