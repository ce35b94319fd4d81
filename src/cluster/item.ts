/**
 * A part of a search that a worker takes: plain data. Its name follows from that of the part that it was cut from, and from what it is:
 * also if a server has forgotten that a part was cut, and it is cut in another place, no two parts have one name.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { halvesOf } from '../check/sharing/give.ts';
import { nothingExplored, type WorkItem } from '../program/execution.ts';
import { savedSearchSchema } from '../program/execution-schema.ts';

export interface Item {
  readonly items: readonly WorkItem[];
  readonly hasErrors: boolean;
  /** How often it was cut from another. */
  readonly level: number;
}

const { items, hasErrors } = savedSearchSchema.shape;
const itemSchema = z.strictObject({ items, hasErrors, level: z.int().nonnegative() });

export function readItem(text: string): Item {
  return itemSchema.parse(JSON.parse(text));
}

export const firstItem: Item = { items: [nothingExplored], hasErrors: false, level: 0 };

export function nameOfFirst(generation: number): string {
  return nameOf(`generation ${generation}`);
}

export function nameOfChild(parent: string, index: number, child: Item): string {
  return nameOf(`${parent}/${index} ${JSON.stringify(child)}`);
}

/** However often it was cut, a name is short. */
function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** The part of the whole search that it is: a guess. */
export function shareOf({ items }: Pick<Item, 'items'>): number {
  return items.reduce((sum, { share }) => sum + share, 0);
}

/** What is left of an item, as so many, or as many as there can be. */
export function split({ items, hasErrors, level }: Item, wanted: number): Item[] {
  const all = [...items];
  const whole = new Set<WorkItem>(); // that cannot be halved
  while (all.length < wanted) {
    const largest = all.filter((each) => !whole.has(each)).sort((a, b) => b.share - a.share)[0];
    if (largest === undefined) break;
    const halves = halvesOf(largest);
    if (halves === undefined) whole.add(largest);
    else all.splice(all.indexOf(largest), 1, ...halves);
  }
  const groups = Array.from({ length: Math.min(wanted, all.length) }, (): WorkItem[] => []);
  // the first are the shallowest, and so the largest
  for (const [i, each] of all.entries()) groups[i % groups.length]?.push(each);
  return groups.map((group) => ({ items: group, hasErrors, level: level + 1 }));
}
