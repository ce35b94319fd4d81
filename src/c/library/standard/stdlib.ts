/** Memory, chance, integer arithmetic and what else is in <stdlib.h>. Memory never runs out. */

import type { Type } from '../../ir/module.ts';
import type { CallSite, CThread, Run } from '../../runtime.ts';
import {
  gives,
  I32,
  I64,
  integer,
  keeps,
  type Library,
  type LibraryFunction,
  POINTER,
  POINTER_SIZE,
  plain,
  signed,
  sizeOfArgument,
  steps,
} from '../define.ts';
import type { Facts } from '../facts.ts';
import { EINVAL, ENOMEM, setErrno } from './errno.ts';
import { anyInteger } from './nondet.ts';

const NULL = 0;
/** PTRDIFF_MAX: nothing can be larger. */
const MOST_BYTES = 0x7fffffff;

function* allocate(thread: CThread, size: number, isZeroed: boolean, call: CallSite, align?: number): Run<number> {
  if (size <= MOST_BYTES) return yield* thread.allocate(size, isZeroed, call, align);
  yield* setErrno(thread, ENOMEM, call);
  return NULL;
}

/** Always somewhere else, so that pointers into the old place are noticed. */
function* reallocate(thread: CThread, pointer: number, size: number, call: CallSite): Run<number> {
  if (pointer === NULL) return yield* allocate(thread, size, false, call);
  const before = thread.sizeOfAllocation(pointer, call);
  const target = yield* allocate(thread, size, false, call);
  if (target === NULL) return NULL;
  yield* thread.copy(target, pointer, Math.min(before, size), call);
  yield* thread.free(pointer, call);
  return target;
}

const isPowerOfTwo = (n: number): boolean => n > 0 && (n & (n - 1)) === 0;

const aligned = steps({ role: 'allocates' }, function* (thread, call, align: number, size: number) {
  const boundary = sizeOfArgument(align);
  if (isPowerOfTwo(boundary)) return yield* allocate(thread, sizeOfArgument(size), false, call, boundary);
  return thread.fail('undefined-behaviour', `memory aligned to ${boundary} bytes, which is no power of two`, call);
});

/** Chance has no state that others could notice: see `srand`. */
const chance: Facts = { effect: 'harmless', isIdle: true };

/** From 0 to RAND_MAX. */
function random(name: string): LibraryFunction {
  return steps(chance, (thread, call) => anyInteger(thread, name, 32, 0n, 0x7fffffffn, call));
}

/** div and its kin return a struct, through a pointer. */
function division(type: Type, bits: number): LibraryFunction {
  return steps(keeps, function* (thread, call, result: number, n: number | bigint, d: number | bigint) {
    if (signed(d) === 0n) thread.fail('division-by-zero', 'a division by zero', call);
    yield* thread.store(result, type, integer(signed(n) / signed(d), bits), call);
    yield* thread.store(result + bits / 8, type, integer(signed(n) % signed(d), bits), call);
    return undefined;
  });
}

function absolute(bits: number): LibraryFunction {
  return plain({ effect: 'harmless' }, (_thread, _call, n: number | bigint) =>
    integer(n < 0 ? -signed(n) : signed(n), bits),
  );
}

export const stdlib: Library = {
  malloc: steps({ role: 'allocates' }, (thread, call, size: number) =>
    allocate(thread, sizeOfArgument(size), false, call),
  ),
  calloc: steps({ role: 'allocates' }, (thread, call, count: number, size: number) =>
    allocate(thread, sizeOfArgument(count) * sizeOfArgument(size), true, call),
  ),
  realloc: steps({ captures: 'kept', role: 'allocates' }, (thread, call, pointer: number, size: number) =>
    reallocate(thread, pointer, sizeOfArgument(size), call),
  ),
  reallocarray: steps(
    { captures: 'kept', role: 'allocates' },
    (thread, call, pointer: number, count: number, size: number) =>
      reallocate(thread, pointer, sizeOfArgument(count) * sizeOfArgument(size), call),
  ),
  aligned_alloc: aligned,
  memalign: aligned,
  posix_memalign: steps(keeps, function* (thread, call, result: number, align: number, size: number) {
    const boundary = sizeOfArgument(align);
    if (!isPowerOfTwo(boundary) || boundary % POINTER_SIZE !== 0) return EINVAL;
    const bytes = sizeOfArgument(size);
    if (bytes > MOST_BYTES) return ENOMEM;
    yield* thread.store(result, POINTER, yield* thread.allocate(bytes, false, call, boundary), call);
    return 0;
  }),
  free: steps(keeps, function* (thread, call, pointer: number) {
    yield* thread.free(pointer, call);
    return undefined;
  }),
  malloc_usable_size: plain(keeps, (thread, call, pointer: number) =>
    pointer === NULL ? 0 : thread.sizeOfAllocation(pointer, call),
  ),

  rand: random('rand'),
  random: random('random'),
  lrand48: random('lrand48'),
  rand_r: steps(keeps, (thread, call, _seed: number) => anyInteger(thread, 'rand_r', 32, 0n, 0x7fffffffn, call)),
  arc4random: steps(chance, (thread, call) => anyInteger(thread, 'arc4random', 32, 0n, 0xffffffffn, call)),
  // whatever the seed, the same values are tried
  srand: gives(undefined),
  srandom: gives(undefined),
  srand48: gives(undefined),

  abs: absolute(32),
  labs: absolute(32),
  llabs: absolute(64),
  imaxabs: absolute(64),
  div: division(I32, 32),
  ldiv: division(I32, 32),
  lldiv: division(I64, 64),
  imaxdiv: division(I64, 64),

  getenv: gives(NULL, keeps),
  secure_getenv: gives(NULL, keeps),
};
