/**
 * What a search learns about a C program: it travels with traces, and with whatever else is to be run in another process.
 *
 * Processes that search one program at the same time may learn different things. `mergeKnowledge` puts them together; a program
 * that learns something makes all of them start over with that, as `ProgramRefined` does in one process.
 */
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { knowledgeSchema, roundsSchema } from './knowledge-schema.ts';

export type CKnowledge = z.infer<typeof knowledgeSchema>;
export type RoundsKnowledge = z.infer<typeof roundsSchema>;
export type Glimpse = RoundsKnowledge['glimpses'][number];
export type Held = RoundsKnowledge['held'][number];
/** What a thread relies on with a cell: that no other one accesses it, or that none writes it. */
export type Hold = Held['hold'];
export type Access = RoundsKnowledge['accesses'][number];
/** A cell as it is known: atomic ones are never divided. */
export type Piece = CKnowledge['divisions'][number]['cells'][number];
export type Displaced = CKnowledge['displaced'][number];
export type Division = CKnowledge['divisions'][number];

export const noRounds: RoundsKnowledge = {
  ...{ glimpses: [], shared: [], locks: [], noLocks: [] },
  ...{ relied: [], held: [], accesses: [] },
};

/** Of the form of its schema: who takes it from outside has seen to that (`expectKnowledge`, or the schema of traces). */
export function readKnowledge(knowledge: unknown): CKnowledge {
  if (knowledge === undefined) return { divisions: [], split: [], displaced: [] };
  return structuredClone(knowledge) as CKnowledge; // nobody else's
}

export function isNothing({ divisions, split, displaced, rounds, mostRounds }: CKnowledge): boolean {
  const isOfMemory = divisions.length > 0 || split.length > 0 || displaced.length > 0;
  return !isOfMemory && rounds === undefined && mostRounds === undefined;
}

/**
 * All that either of two searches knows. Cells are divided wherever one of them divides them, but for those that are accessed
 * atomically, which are joined. Where both want the same room for different objects, or have put one object into different places, the first is
 * right, and the object of the second will find another place.
 */
export function mergeKnowledge(a: CKnowledge, b: CKnowledge): CKnowledge {
  const split = new Set([...a.split, ...b.split]);
  const rounds = mergeRounds(a.rounds, b.rounds);
  const origins = new Set([...a.divisions, ...b.divisions].map(({ origin }) => origin));
  return {
    // what comes from a call that is split has other origins now
    divisions: [...origins].filter((origin) => !split.has(origin)).map((origin) => mergeDivisions(a, b, origin)),
    split: [...split],
    displaced: [
      ...a.displaced,
      ...b.displaced.filter((object) => !a.displaced.some((other) => excludes(other, object))),
    ],
    ...(rounds === undefined ? {} : { rounds }),
  };
}

/** What one relies on and the other has seen is for `Reliance.learn` to find. */
function mergeRounds(a: RoundsKnowledge | undefined, b: RoundsKnowledge | undefined): RoundsKnowledge | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const isLess = (one: Glimpse, other: Glimpse): boolean =>
    one.mutex === other.mutex && one.thread === other.thread && one.times < other.times;
  const all = union(a.glimpses, b.glimpses);
  return {
    glimpses: all.filter((one) => !all.some((other) => isLess(one, other))),
    shared: union(a.shared, b.shared),
    locks: union(a.locks, b.locks),
    noLocks: union(a.noLocks, b.noLocks),
    relied: union(a.relied, b.relied),
    held: union(a.held, b.held),
    accesses: union(a.accesses, b.accesses),
  };
}

function union<T>(a: readonly T[], b: readonly T[]): T[] {
  return [...a, ...b.filter((one) => !a.some((other) => isDeepStrictEqual(one, other)))];
}

function mergeDivisions(a: CKnowledge, b: CKnowledge, origin: string): Division {
  const both = [a, b].flatMap(({ divisions }) => divisions.find((division) => division.origin === origin) ?? []);
  const cells = mergeCells(both.flatMap((division) => division.cells));
  const isSimple = both.every((division) => division.isSimple === true && hasAll(cells, division.cells));
  return { origin, cells, ...(isSimple ? { isSimple } : {}) };
}

/**
 * Whether what was explored with `a` could have been explored with `merged`, as far as cells are concerned: no cell is divided, none
 * has become part of a larger one, none is one of a call that is split. That more cells are known than before does no harm.
 */
export function areCellsKept(a: CKnowledge, merged: CKnowledge): boolean {
  const cellsOf = (origin: string): readonly Piece[] =>
    merged.divisions.find((division) => division.origin === origin)?.cells ?? [];
  return a.divisions.every(({ origin, cells }) => hasAll(cellsOf(origin), cells));
}

function hasAll(cells: readonly Piece[], some: readonly Piece[]): boolean {
  const sizes = new Map(cells.map(({ offset, size }) => [offset, size]));
  return some.every(({ offset, size }) => sizes.get(offset) === size);
}

/** Whether the two cannot be true at once, or are the same. */
export function excludes(a: Displaced, b: Displaced): boolean {
  return a.object === b.object || (a.address < b.address + b.size && b.address < a.address + a.size);
}

function mergeCells(all: readonly Piece[]): Piece[] {
  const whole = joined(all.filter(({ isAtomic }) => isAtomic));
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

/** Where they overlap, all of them together. */
function joined(atomic: readonly Piece[]): Piece[] {
  const whole: Piece[] = [];
  for (const cell of atomic.toSorted((x, y) => x.offset - y.offset)) {
    const last = whole.at(-1);
    if (last === undefined || !overlap(last, cell)) whole.push(cell);
    else whole[whole.length - 1] = { ...last, size: Math.max(last.size, cell.offset + cell.size - last.offset) };
  }
  return whole;
}

function overlap(a: Piece, b: Piece): boolean {
  return a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}
