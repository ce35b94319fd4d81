/**
 * A typed array of at least `length` that starts with the content of `old`; the way every column here grows. In hot code columns start
 * small, so that they grow before it is compiled: the engine takes a field that was never changed for one that never will be, and
 * compiles all code that reads it anew once it is.
 */
export function grown(old: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  const column = new Int32Array(Math.max(length, old.length * 2));
  column.set(old);
  return column;
}

export type Column = Int32Array<ArrayBuffer>;

export const NONE = -1;
