/**
 * Save and load: a search is cut at some point, what is left of it is written down as text, and an explorer that knows nothing else
 * goes on. What the two have explored together is exactly what one would have explored.
 */
import { type Divisible, type Explorer, isDivisible } from '../../src/explore/explorer.ts';
import { savedSearchSchema } from '../../src/program/execution.ts';
import type { Random } from '../random/prng.ts';

/** An explorer, and the keys of the executions that it has seen. */
export interface Observed<E extends Explorer = Explorer> {
  readonly explorer: E;
  readonly keys: readonly string[];
}

/** What differs between a search in one piece and one that is cut `cuts` times; undefined: nothing, or it takes too long. */
export function cutsDiffer(make: () => Observed, random: Random, cuts: number): string | undefined {
  const whole = make();
  let steps = 0;
  while (!whole.explorer.run(1)) steps++;
  if (!whole.explorer.isExhausted) return undefined;
  const keys: string[] = [];
  let at = make();
  for (let i = 0; i < cuts; i++) {
    at.explorer.run(1 + random.between(0, Math.max(1, Math.ceil((2 * steps) / cuts))));
    const text = JSON.stringify(divisible(at.explorer).save());
    keys.push(...at.keys);
    at = make();
    divisible(at.explorer).load(savedSearchSchema.parse(JSON.parse(text)));
  }
  while (!at.explorer.run(1000));
  keys.push(...at.keys);
  const [a, b] = [[...whole.keys].sort(), [...keys].sort()];
  if (a.join('\n') === b.join('\n')) return undefined;
  const missing = a.filter((key) => !b.includes(key));
  const extra = b.filter((key, k) => !a.includes(key) || b.indexOf(key) !== k);
  return `${a.length} executions in one piece, ${b.length} in ${cuts + 1}; missing ${missing.length}, extra or twice ${extra.length}\n${missing[0] ?? extra[0]}`;
}

function divisible<E extends Explorer>(explorer: E): E & Divisible {
  if (!isDivisible(explorer)) throw new Error('this explorer cannot be cut');
  return explorer;
}
