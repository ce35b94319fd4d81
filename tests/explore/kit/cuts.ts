/**
 * A search that is cut: at some point what is left of it is written down as text, and an explorer that knows nothing else goes on.
 * Together they visit what one would have visited.
 */
import { type Explorer, isDivisible } from '../../../src/explore/explorer.ts';
import type { SavedSearch } from '../../../src/program/execution.ts';
import { savedSearchSchema } from '../../../src/program/execution-schema.ts';
import { Random } from '../../random/prng.ts';

/** A search that has not begun, and the keys of the executions that it will visit, as they come. */
export interface Begun {
  readonly explorer: Explorer;
  readonly keys: readonly string[];
}

/** What differs if a search that visits `expected` in one piece is cut up to three times; undefined: nothing. */
export function differentWhenCut(
  begin: () => Begun,
  expected: readonly string[],
  seed: number,
): { readonly missing: string[]; readonly extra: string[] } | undefined {
  const random = new Random(seed);
  const visited: string[] = [];
  let search = begin();
  for (let cuts = random.between(1, 3); cuts > 0; cuts--) {
    const saved = cutAfter(search, random.between(0, expected.length), random.between(1, 12));
    visited.push(...search.keys);
    search = begin();
    load(search.explorer, JSON.parse(JSON.stringify(saved)));
  }
  while (!search.explorer.run(1000));
  visited.push(...search.keys);
  return differentLists(expected, visited);
}

/** Goes on for so many executions and steps, and then says what is left. */
export function cutAfter({ explorer, keys }: Begun, executions: number, steps: number): SavedSearch {
  if (!isDivisible(explorer)) throw new Error('this search cannot be cut');
  while (keys.length < executions && !explorer.run(1));
  explorer.run(steps);
  return explorer.save();
}

/** `saved`: as it comes out of JSON. */
export function load(explorer: Explorer, saved: unknown): void {
  if (!isDivisible(explorer)) throw new Error('this search cannot be cut');
  explorer.load(savedSearchSchema.parse(saved));
}

export function differentLists(expected: readonly string[], visited: readonly string[]) {
  const left = new Map<string, number>();
  for (const key of expected) left.set(key, (left.get(key) ?? 0) + 1);
  const extra = visited.filter((key) => {
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
  const missing = [...left].filter(([, count]) => count > 0).map(([key]) => key);
  return missing.length === 0 && extra.length === 0 ? undefined : { missing, extra };
}
