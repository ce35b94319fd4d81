/** Hashes that are the same in every process. */

export const SEED = 0x811c9dc5 | 0;

/** The hash of what has the hash `hash`, followed by `value` (32 bits of it). */
export function mixed(hash: number, value: number): number {
  let h = Math.imul(hash ^ value, 0x9e3779b1);
  h ^= h >>> 15;
  h = Math.imul(h, 0x85ebca6b);
  return h ^ (h >>> 13);
}

export function hashOfText(text: string): number {
  let hash = SEED;
  for (let i = 0; i < text.length; i++) hash = mixed(hash, text.charCodeAt(i));
  return hash;
}
