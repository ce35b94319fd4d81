/**
 * The address space of a C program: 32 bits, as i32 numbers. What threads may share lies at 0 and above; what lies below 0 is
 * *local*: an access to it is no operation.
 *
 *   0 .. 0xFFFF              nothing: null pointers and small offsets from them
 *   GLOBALS                  global variables
 *   FUNCTIONS                functions, FUNCTION_STEP apart
 *   OBJECTS                  stack and heap objects, in zones (see zones.ts)
 *   LARGE_OBJECTS            those that do not fit there
 *   CONSTANTS (negative)     constant data, the same in all threads
 *   PRIVATE (negative)       stack objects and thread-locals that never leave their thread; each thread has its own
 */
export const NULL_END = 0x10000;
export const GLOBALS = 0x00010000;
export const FUNCTIONS = 0x10000000;
export const FUNCTION_STEP = 16;
export const OBJECTS = 0x18000000;
/** The sizes of slots and of the zone of each, as powers of 2. */
export const SMALLEST_SLOT = 6;
export const LARGEST_SLOT = 20;
export const ZONE_BITS = 26;
export const LARGE_OBJECTS = OBJECTS + (LARGEST_SLOT - SMALLEST_SLOT + 1) * (1 << ZONE_BITS);
export const END = 0x7fffffff;
export const CONSTANTS = 0x80000000 | 0;
export const PRIVATE = 0xc0000000 | 0;

/** A stack has so many bytes, as usual: calls and variables that surely need more overflow. */
export const STACK = 0x00800000;
/** Room for the variables of a stack, with what is left between them. */
export const PRIVATE_LIMIT = 0x04000000;

export function aligned(address: number, align: number): number {
  return Math.ceil(address / align) * align;
}

/** Room left after an object, so that a pointer that runs over its end does not land in the next one. */
export function gapAfter(size: number): number {
  return Math.min(4096, Math.max(32, size));
}
