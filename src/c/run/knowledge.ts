/**
 * What a search learns about a C program: it travels with traces, and with whatever else is to be run in another process.
 *
 * Processes that search one program at the same time may learn different things. `mergeKnowledge` puts them together; a program
 * that learns something makes all of them start over with that, as `ProgramRefined` does in one process.
 */
import { z } from 'zod';
import { InputError } from '../../program/input-error.ts';

const count = z.int().nonnegative();

const pieceSchema = z.strictObject({ offset: count, size: count, isAtomic: z.boolean() });

export const knowledgeSchema = z.strictObject({
  /** How objects are divided into cells, where some access is not to exactly one cell: see cells.ts. */
  divisions: z.array(z.strictObject({ origin: z.string(), cells: z.array(pieceSchema) })),
  /** The calls of malloc whose objects have origins of their own: see `Objects.heapOrigin`. */
  split: z.array(z.string()),
  /** The objects that do not lie where they would lie in an empty memory: see zones.ts. */
  displaced: z.array(z.strictObject({ object: z.string(), address: count, size: count })),
});

export type CKnowledge = z.infer<typeof knowledgeSchema>;
/** A cell as it is known: atomic ones are never divided. */
export type Piece = CKnowledge['divisions'][number]['cells'][number];
export type Displaced = CKnowledge['displaced'][number];

export function readKnowledge(knowledge: unknown): CKnowledge {
  if (knowledge === undefined) return { divisions: [], split: [], displaced: [] };
  const { success, data, error } = knowledgeSchema.safeParse(knowledge);
  if (success) return data;
  const [issue] = error.issues;
  throw new InputError(`what is known of the program is damaged: ${issue?.path.join('.')}: ${issue?.message}`);
}

/**
 * All that either of two searches knows. Cells are divided wherever one of them divides them, but for those that are accessed
 * atomically. Where both want the same room for different objects, or have put one object into different places, the first is
 * right, and the object of the second will find another place.
 */
export function mergeKnowledge(a: CKnowledge, b: CKnowledge): CKnowledge {
  const origins = [...new Set([...a.divisions, ...b.divisions].map(({ origin }) => origin))];
  const cellsIn = ({ divisions }: CKnowledge, wanted: string): Piece[] =>
    divisions.find(({ origin }) => origin === wanted)?.cells ?? [];
  return {
    divisions: origins.map((origin) => ({ origin, cells: mergeCells(cellsIn(a, origin), cellsIn(b, origin)) })),
    split: [...new Set([...a.split, ...b.split])],
    displaced: [
      ...a.displaced,
      ...b.displaced.filter((object) => !a.displaced.some((other) => excludes(other, object))),
    ],
  };
}

function excludes(a: Displaced, b: Displaced): boolean {
  return a.object === b.object || (a.address < b.address + b.size && b.address < a.address + a.size);
}

function mergeCells(a: readonly Piece[], b: readonly Piece[]): Piece[] {
  const all = [...a, ...b];
  const whole: Piece[] = [];
  for (const cell of all) if (cell.isAtomic && !whole.some((other) => overlap(other, cell))) whole.push(cell);
  const cuts = [...new Set(all.flatMap(({ offset, size }) => [offset, offset + size]))].sort((x, y) => x - y);
  const parts = cuts.slice(1).map((end, i): Piece => {
    const offset = cuts[i] as number;
    return { offset, size: end - offset, isAtomic: false };
  });
  const divided = parts.filter(
    (part) => all.some((cell) => overlap(cell, part)) && !whole.some((cell) => overlap(cell, part)),
  );
  return [...whole, ...divided].sort((x, y) => x.offset - y.offset);
}

function overlap(a: Piece, b: Piece): boolean {
  return a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}
