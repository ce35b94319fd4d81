/** Memory orders as numbers of a column, and what they say of an access or a fence. */
import type { MemoryOrder } from './operation.ts';

/** The order of an operation is one of these, with `LOCKED` and `MERGING` added where they apply. */
export const Order = { PLAIN: 0, RELAXED: 1, ACQUIRE: 2, RELEASE: 3, ACQ_REL: 4, SEQ_CST: 5 } as const;

/**
 * A read-modify-write instruction, whether it writes or not, or an operation on a mutex: a full fence of TSO and PSO, unless it is
 * `MERGING`.
 */
export const LOCKED = 8;

/**
 * A store to a part of a location, which is an update only to keep the rest. Its thread learns nothing by its read: whatever the
 * order, that does not acquire, and a fence after it does not either.
 */
export const MERGING = 16;

/** A read that an explorer holds up although what it reads would let its thread go on. */
export const HELD_UP = 32;

export function isMerging(order: number): boolean {
  return (order & MERGING) !== 0;
}

/** Whether a read of this order tells its thread of what happened before the write that it reads from. */
export function learns(order: number): boolean {
  return !isMerging(order) && (order & 7) !== Order.PLAIN;
}

export const numberOfOrder: Readonly<Record<MemoryOrder, number>> = {
  plain: Order.PLAIN,
  relaxed: Order.RELAXED,
  acquire: Order.ACQUIRE,
  release: Order.RELEASE,
  acq_rel: Order.ACQ_REL,
  seq_cst: Order.SEQ_CST,
};

const names = Object.keys(numberOfOrder) as MemoryOrder[];

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

export function nameOfOrder(order: number): MemoryOrder {
  return names[order & 7] as MemoryOrder;
}
