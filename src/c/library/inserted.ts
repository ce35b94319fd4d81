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
/** Fails: clang has found an operation that C leaves undefined. */
export const UNDEFINED_OPERATION = 'llvm.heddle.undefined';
