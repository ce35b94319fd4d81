/**
 * The atomic functions that a compiler calls where it has no instruction: for objects whose size or alignment is only known
 * to the library. Sizes up to 16 bytes.
 */
import type { Commuting, MemoryOrder } from '../../../program/operation.ts';
import type { Type } from '../../ir/module.ts';
import type { CallSite, CThread, CValue, Run } from '../../runtime.ts';
import {
  gives,
  I8,
  I16,
  I32,
  I64,
  I128,
  integer,
  keeps,
  type Library,
  type LibraryFunction,
  plain,
  signed,
  steps,
  uses,
} from '../define.ts';

const types: Readonly<Record<number, Type>> = { 1: I8, 2: I16, 4: I32, 8: I64, 16: I128 };

/** By the numbers of __ATOMIC_RELAXED and so on; consume is acquire. */
const orders: readonly MemoryOrder[] = ['relaxed', 'acquire', 'acquire', 'release', 'acq_rel', 'seq_cst'];

const SEQ_CST = 5;

const orderOf = (number: number): MemoryOrder => orders[number] ?? 'seq_cst';

function typeOf(thread: CThread, size: number, call: CallSite): Type {
  return types[size] ?? thread.refuse(`an atomic object of ${size} bytes: more than 16, or no power of two`, call);
}

type Combine = (old: bigint, operand: bigint) => bigint;

/** Of numbers of as many bits as the object has: what is left of the result commutes as the operation does. */
const combinations: Readonly<Record<string, { readonly combine: Combine; readonly commutes?: Commuting }>> = {
  add: { combine: (old, operand) => old + operand, commutes: 'add' },
  sub: { combine: (old, operand) => old - operand, commutes: 'add' },
  and: { combine: (old, operand) => old & operand, commutes: 'and' },
  or: { combine: (old, operand) => old | operand, commutes: 'or' },
  xor: { combine: (old, operand) => old ^ operand, commutes: 'xor' },
  nand: { combine: (old, operand) => ~(old & operand) },
};

/** The functions for one size; the value is passed as it is. */
function sized(size: number): Library {
  const type = types[size]!;
  const bits = size * 8;
  const functions: Record<string, LibraryFunction> = {
    [`__atomic_load_${size}`]: steps(
      { captures: 'kept', effect: 'reads' },
      (thread, call, pointer: number, order: number) => thread.load(pointer, type, call, orderOf(order)),
    ),
    [`__atomic_store_${size}`]: steps(keeps, function* (thread, call, pointer: number, value: CValue, order: number) {
      yield* thread.store(pointer, type, value, call, orderOf(order));
      return undefined;
    }),
    [`__atomic_exchange_${size}`]: steps(keeps, (thread, call, pointer: number, value: CValue, order: number) =>
      thread.update(pointer, type, 'xchg', value, () => value, orderOf(order), call),
    ),
    [`__atomic_compare_exchange_${size}`]: steps(
      keeps,
      function* (thread, call, pointer: number, expected: number, desired: CValue, ...rest: number[]) {
        // with or without the `weak` argument: gcc's form has it, the one that is linked against has not
        const [order, failureOrder] = rest.slice(-2) as [number, number];
        const wanted = yield* thread.load(expected, type, call);
        const done = yield* thread.compareExchange(
          pointer,
          type,
          wanted,
          desired,
          orderOf(order),
          orderOf(failureOrder),
          false,
          call,
        );
        if (!done.exchanged) yield* thread.store(expected, type, done.old, call);
        return done.exchanged ? 1 : 0;
      },
    ),
  };
  for (const [name, { combine, commutes }] of Object.entries(combinations)) {
    const after = (old: CValue, operand: CValue): CValue => integer(combine(signed(old), signed(operand)), bits);
    const update = (thread: CThread, pointer: number, operand: CValue, order: MemoryOrder, call: CallSite) =>
      thread.update(pointer, type, name, operand, after, order, call, call.isResultUsed ? undefined : commutes);
    functions[`__atomic_fetch_${name}_${size}`] = steps(
      keeps,
      (thread, call, pointer: number, operand: CValue, order: number) =>
        update(thread, pointer, operand, orderOf(order), call),
    );
    functions[`__atomic_${name}_fetch_${size}`] = steps(
      keeps,
      function* (thread, call, pointer: number, operand: CValue, order: number) {
        return after(yield* update(thread, pointer, operand, orderOf(order), call), operand);
      },
    );
  }
  return functions;
}

export const atomic: Library = {
  ...sized(1),
  ...sized(2),
  ...sized(4),
  ...sized(8),
  ...sized(16),

  // on an object of one thread these are plain accesses
  __atomic_load: steps(uses, function* (thread, call, size: number, pointer: number, result: number, order: number) {
    const type = typeOf(thread, size, call);
    yield* thread.store(result, type, yield* thread.load(pointer, type, call, orderOf(order)), call);
    return undefined;
  }),
  __atomic_store: steps(uses, function* (thread, call, size: number, pointer: number, source: number, order: number) {
    const type = typeOf(thread, size, call);
    yield* thread.store(pointer, type, yield* thread.load(source, type, call), call, orderOf(order));
    return undefined;
  }),
  __atomic_exchange: steps(
    uses,
    function* (thread, call, size: number, pointer: number, source: number, result: number, order: number) {
      const type = typeOf(thread, size, call);
      const value = yield* thread.load(source, type, call);
      const old = yield* thread.update(pointer, type, 'xchg', value, () => value, orderOf(order), call);
      yield* thread.store(result, type, old, call);
      return undefined;
    },
  ),
  __atomic_compare_exchange: steps(
    uses,
    function* (
      thread,
      call,
      size: number,
      pointer: number,
      expected: number,
      desired: number,
      order: number,
      failureOrder: number,
    ) {
      const type = typeOf(thread, size, call);
      const wanted = yield* thread.load(expected, type, call);
      const value = yield* thread.load(desired, type, call);
      const done = yield* thread.compareExchange(
        pointer,
        type,
        wanted,
        value,
        orderOf(order),
        orderOf(failureOrder),
        false,
        call,
      );
      if (!done.exchanged) yield* thread.store(expected, type, done.old, call);
      return done.exchanged ? 1 : 0;
    },
  ),
  __atomic_is_lock_free: plain(uses, (_thread, _call, size: number, _pointer: number) =>
    types[size] === undefined ? 0 : 1,
  ),
  atomic_thread_fence: fence(),
  atomic_signal_fence: plain({ effect: 'harmless' }, (_thread, _call, _order: number) => undefined),
  ...flags(),
  ...fencesOfX86(),
};

/** Macros in most headers; calls where a program writes (atomic_thread_fence)(…). */
function fence(): LibraryFunction {
  return steps({ effect: 'harmless' }, function* (_thread, call, order: number) {
    if (orderOf(order) !== 'relaxed') yield { kind: 'fence', order: orderOf(order), position: call.position };
    return undefined;
  });
}

/**
 * The fences of x86. There all stores are in order, and all loads: what lfence and sfence add is that the compiler keeps
 * them so, as fences that acquire and release do.
 */
function fencesOfX86(): Library {
  const fences = { mfence: 'seq_cst', lfence: 'acquire', sfence: 'release' } as const;
  const functions: Record<string, LibraryFunction> = {};
  for (const prefix of ['_mm_', '__builtin_ia32_']) {
    functions[`${prefix}pause`] = gives(undefined, { effect: 'harmless', isIdle: true });
    for (const [name, order] of Object.entries(fences)) {
      functions[prefix + name] = steps({ effect: 'harmless' }, function* (_thread, call) {
        yield { kind: 'fence', order, position: call.position };
        return undefined;
      });
    }
  }
  return functions;
}

function flags(): Library {
  const testAndSet = function* (thread: CThread, call: CallSite, flag: number, order: number): Run<number> {
    return (yield* thread.update(flag, I8, 'xchg', 1, () => 1, orderOf(order), call)) === 0 ? 0 : 1;
  };
  const clear = function* (thread: CThread, call: CallSite, flag: number, order: number): Run<undefined> {
    yield* thread.store(flag, I8, 0, call, orderOf(order));
    return undefined;
  };
  return {
    atomic_flag_test_and_set: steps(keeps, (thread, call, flag: number) => testAndSet(thread, call, flag, SEQ_CST)),
    atomic_flag_test_and_set_explicit: steps(keeps, testAndSet),
    atomic_flag_clear: steps(keeps, (thread, call, flag: number) => clear(thread, call, flag, SEQ_CST)),
    atomic_flag_clear_explicit: steps(keeps, clear),
  };
}
