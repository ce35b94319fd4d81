/**
 * In which order to tell the steps of an execution. Causes come first, always. Beyond that a step should come *in time*: after
 * the writes that come before it in coherence order and after the reads of these, as if there were one memory that the
 * steps happen to one after the other. If the execution is sequentially consistent, all steps can. If not, some write has to be
 * told early; what should have come before it then comes late (a stale read, a write that takes effect in the past), and
 * an order is the better the fewer of those it has. Among the best, one with few switches between threads is taken.
 */

/** A write to a location (-1: its initial value) and the reads that see it; an update is in both places. */
export interface Version {
  readonly write: number;
  readonly reads: number[];
}

/** An order under construction. */
interface Partial {
  /** By thread: how many of its steps were told. */
  readonly taken: number[];
  /** The steps that come late, told or not. */
  readonly late: ReadonlySet<number>;
  /** What was told, move by move. */
  readonly before: Partial | undefined;
  readonly told: number[];
  readonly length: number;
}

/** Executions longer than this, and searches that try more orders than that, get the first order that comes to mind. */
const LONGEST = 300;
const MOST_TRIED = 3000;

export class Orders {
  readonly #queues: readonly (readonly number[])[];
  readonly #causes: readonly (readonly number[])[];
  /** By step: its thread, and its number there. */
  readonly #placeOf = new Map<number, readonly [number, number]>();
  /** By write: where it stands in coherence order. */
  readonly #versionOf = new Map<number, { readonly versions: readonly Version[]; readonly index: number }>();
  readonly #length: number;

  /** `queues`: the steps of each thread; `locations`: the versions of each, in coherence order, from the initial one. */
  constructor(
    queues: readonly (readonly number[])[],
    causes: readonly (readonly number[])[],
    locations: readonly (readonly Version[])[],
  ) {
    this.#queues = queues;
    this.#causes = causes;
    this.#length = queues.reduce((sum, queue) => sum + queue.length, 0);
    for (const [q, queue] of queues.entries()) for (const [n, i] of queue.entries()) this.#placeOf.set(i, [q, n]);
    for (const versions of locations) {
      for (const [index, { write }] of versions.entries()) this.#versionOf.set(write, { versions, index });
    }
  }

  /**
   * The order with the fewest late steps and then the fewest moves, where each move lets one thread run as far as it can: a step
   * that is in time never hurts. If that takes too long, the first order.
   */
  best(): readonly number[] {
    const start: Partial = {
      taken: this.#queues.map(() => 0),
      late: new Set(),
      before: undefined,
      told: [],
      length: 0,
    };
    if (this.#length > LONGEST) return this.#first(start);
    const seen = new Set<string>();
    /** By the number of late steps: orders under construction, those with fewer moves first. */
    const levels: Partial[][] = [[start]];
    for (let level = 0, tried = 0; level < levels.length; level++) {
      for (const partial of levels[level] ?? []) {
        if (partial.length === this.#length) return orderOf(partial);
        const key = partial.taken.join();
        if (seen.has(key)) continue;
        seen.add(key);
        if (++tried > MOST_TRIED) return this.#first(start);
        for (const longer of this.#moves(partial)) {
          levels[longer.late.size] ??= [];
          levels[longer.late.size]?.push(longer);
        }
      }
    }
    throw circle();
  }

  /** By greed. */
  #first(start: Partial): readonly number[] {
    let partial = start;
    while (partial.length < this.#length) {
      const { length } = partial;
      for (const q of this.#queues.keys()) if (this.#isNextInTime(q, partial)) partial = this.#move(partial, q);
      if (partial.length > length) continue;
      const [least] = this.#moves(partial).sort((a, b) => a.late.size - b.late.size);
      if (least === undefined) throw circle();
      partial = least;
    }
    return orderOf(partial);
  }

  /** Each thread that can go on in time does; if none can, each that can go on at all does so with a step that is told early. */
  #moves(partial: Partial): Partial[] {
    const threads = [...this.#queues.keys()];
    const inTime = threads.filter((q) => this.#isNextInTime(q, partial));
    const early = (): number[] => threads.filter((q) => this.#hasCauses(this.#next(q, partial), partial));
    return (inTime.length > 0 ? inTime : early()).map((q) => this.#move(partial, q));
  }

  /** Thread q performs its next step, and goes on as far as it can in time. */
  #move(before: Partial, q: number): Partial {
    const queue = this.#queues[q] as readonly number[];
    const taken = [...before.taken];
    const from = taken[q] as number;
    const late = this.#lateAfter(queue[from] as number, before);
    const partial = { taken, late, before, told: [] as number[], length: before.length };
    do {
      partial.told.push(queue[taken[q] as number] as number);
      partial.length++;
      taken[q] = (taken[q] as number) + 1;
    } while (this.#isNextInTime(q, partial));
    return partial;
  }

  /** What comes late once step i is told: if it is in time, no more than before. */
  #lateAfter(i: number, partial: Partial): ReadonlySet<number> {
    if (this.#isInTime(i, partial)) return partial.late;
    const { versions, index } = this.#versionOf.get(i) as { versions: readonly Version[]; index: number };
    const older = versions.slice(0, index).flatMap(({ write, reads }) => [write, ...reads]);
    return new Set([...partial.late, ...older.filter((x) => x >= 0 && x !== i && !this.#isTold(x, partial))]);
  }

  #next(q: number, { taken }: Partial): number | undefined {
    return this.#queues[q]?.[taken[q] as number];
  }

  #isNextInTime(q: number, partial: Partial): boolean {
    const i = this.#next(q, partial);
    return this.#hasCauses(i, partial) && this.#isInTime(i as number, partial);
  }

  #hasCauses(i: number | undefined, partial: Partial): boolean {
    return i !== undefined && (this.#causes[i] as readonly number[]).every((cause) => this.#isTold(cause, partial));
  }

  /** Whether nothing that is not late already must come late once i is told: it is enough to look at the version before. */
  #isInTime(i: number, partial: Partial): boolean {
    const place = this.#versionOf.get(i);
    const before = place?.versions[place.index - 1];
    if (before === undefined) return true;
    const isDone = (x: number): boolean => x < 0 || x === i || partial.late.has(x) || this.#isTold(x, partial);
    return isDone(before.write) && before.reads.every(isDone);
  }

  #isTold(i: number, { taken }: Partial): boolean {
    const place = this.#placeOf.get(i);
    return place !== undefined && place[1] < (taken[place[0]] as number);
  }
}

function orderOf(partial: Partial): number[] {
  const moves: number[][] = [];
  for (let p: Partial | undefined = partial; p !== undefined; p = p.before) moves.push(p.told);
  return moves.reverse().flat();
}

function circle(): Error {
  return new Error('the steps of an execution depend on each other in a circle');
}
