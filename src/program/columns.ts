/** A typed array of at least `length` that starts with the content of `old`; the way every column here grows. */
export function grown(old: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  const column = new Int32Array(Math.max(length, old.length * 2));
  column.set(old);
  return column;
}

export type Column = Int32Array<ArrayBuffer>;

export const NONE = -1;
