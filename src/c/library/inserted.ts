/** The names of functions that passes put calls of into programs. */

/** With a size of 32 bits. */
export const COPY_BYTES = 'llvm.memcpy.p0.p0.i32';

/**
 * Functions of the program whose name begins so run as one step towards each other (a convention of verification
 * benchmarks): they begin and end an atomic section.
 */
export const atomicSection = {
  prefix: '__VERIFIER_atomic_',
  begin: '__VERIFIER_atomic_begin',
  end: '__VERIFIER_atomic_end',
} as const;
/** Chooses whether a weak compare-exchange fails for no reason; and says that one has. */
export const spuriousFailure = {
  chosen: 'llvm.heddle.fails.spuriously',
  happened: 'llvm.heddle.failed.spuriously',
} as const;
/** Fails: clang has found an operation that C leaves undefined. */
export const UNDEFINED_OPERATION = 'llvm.heddle.undefined';
