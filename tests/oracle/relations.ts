/**
 * Sets of events and relations between them, as bits, with the operators of the papers on memory models. Events are numbered from
 * 0; a set is a mask, a relation has a mask for each event: those that it is related to.
 */

/** As many events as there are bits that JavaScript engines keep in small integers. */
export const mostEvents = 30;

export type EventSet = number;
export type Relation = readonly EventSet[];

export function setOf<T>(items: readonly T[], isMember: (item: T) => boolean): EventSet {
  let set = 0;
  for (let i = 0; i < items.length; i++) if (isMember(items[i] as T)) set |= 1 << i;
  return set;
}

export function has(set: EventSet, event: number): boolean {
  return (set & (1 << event)) !== 0;
}

export function relationOf(count: number, isRelated: (a: number, b: number) => boolean): Relation {
  const rows: number[] = [];
  for (let a = 0; a < count; a++) {
    let row = 0;
    for (let b = 0; b < count; b++) if (isRelated(a, b)) row |= 1 << b;
    rows.push(row);
  }
  return rows;
}

/** [A]; r; [B]: the pairs of r from A to B. */
export function between(from: EventSet, r: Relation, to: EventSet): Relation {
  return r.map((row, a) => (has(from, a) ? row & to : 0));
}

/** r less A × B. */
export function lessPairs(r: Relation, from: EventSet, to: EventSet): Relation {
  return r.map((row, a) => (has(from, a) ? row & ~to : row));
}

export function union(first: Relation, ...others: readonly Relation[]): Relation {
  const rows = [...first];
  for (const other of others) for (let a = 0; a < rows.length; a++) rows[a] = rows[a]! | other[a]!;
  return rows;
}

export function intersection(r: Relation, s: Relation): Relation {
  return r.map((row, a) => row & s[a]!);
}

export function difference(r: Relation, s: Relation): Relation {
  return r.map((row, a) => row & ~s[a]!);
}

/** r1; r2; … */
export function sequence(first: Relation, ...others: readonly Relation[]): Relation {
  return others.reduce(compose, first);
}

function compose(r: Relation, s: Relation): Relation {
  return r.map((row) => {
    let image = 0;
    for (let rest = row; rest !== 0; rest &= rest - 1) image |= s[lowest(rest)]!;
    return image;
  });
}

function lowest(set: EventSet): number {
  return 31 - Math.clz32(set & -set);
}

export function inverse(r: Relation): Relation {
  return relationOf(r.length, (a, b) => has(r[b]!, a));
}

/** r? */
export function optional(r: Relation): Relation {
  return r.map((row, a) => row | (1 << a));
}

/** r+ */
export function closure(r: Relation): Relation {
  const rows = [...r];
  for (let via = 0; via < rows.length; via++) {
    for (let a = 0; a < rows.length; a++) if (has(rows[a]!, via)) rows[a] = rows[a]! | rows[via]!;
  }
  return rows;
}

export function isIrreflexive(r: Relation): boolean {
  for (let a = 0; a < r.length; a++) if (has(r[a]!, a)) return false;
  return true;
}

export function isAcyclic(r: Relation): boolean {
  return isIrreflexive(closure(r));
}
