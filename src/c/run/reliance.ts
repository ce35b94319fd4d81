/**
 * What leaving out rounds of loops relies on (rounds.ts), and whether that is so. A thread does not know what others do. So a round in
 * which it takes a mutex and gives it back is left out at first, as if nobody could see it. If then, in whatever execution, a trylock
 * of another thread fails and something comes of that, the program has learned that this mutex is seen while it is held, how often
 * and by whom, and the search starts over: from then on so many such rounds count.
 *
 * In the same way a thread may take a cell for its own until another one accesses it that may run at the same time, think that
 * it alone writes a cell until another one does, and that nobody writes one that it reads. The main thread may access a cell before it has started the owner and after it has joined it: what it reads then is what the cell had before
 * and after a round that was left out.
 *
 * And a location may be taken for a lock (own-locks.ts), until a thread does with it what one does not do with a lock. As all that
 * threads do there has to be looked at, the search starts over as soon as one is taken for that.
 */
import { isChildOfMain, MAIN } from '../../program/identity.ts';
import type { KnowledgeScope, Learned } from '../../program/knowledge.ts';
import type { Location } from '../../program/location.ts';
import { ProgramRefined, type SourcePosition } from '../../program/operation.ts';
import { type Access, type Glimpse, type Held, type Hold, noRounds, type RoundsKnowledge } from './knowledge.ts';
import { addressOf, type Cell } from './objects.ts';

/** If a mutex is seen so often, the rounds in which it is taken all count: the more there are, the more may see it. */
const MANY_GLIMPSES = 6;

export type { Hold } from './knowledge.ts';
/** A thread that accesses a cell, and the threads that it has started. */
export type Accessor = Omit<Access, 'cell'>;

export class Reliance {
  /** By the address of the mutex, then by thread: how often one has found it busy in an execution, at most, and something came of it. */
  readonly #glimpses = new Map<number, Map<number, number>>();
  /** The mutexes that were taken and given back in rounds that were left out. */
  readonly #relied = new Set<number>();
  /** Of which cells, by address, a thread relies on what, and what is known to be wrong; and who accesses each. */
  readonly #held: Record<Hold, Map<number, Set<number>>> = {
    owns: new Map(),
    'writes alone': new Map(),
    reads: new Map(),
  };
  readonly #shared: Record<Hold, Set<number>> = { owns: new Set(), 'writes alone': new Set(), reads: new Set() };
  readonly #accesses = new Map<number, Accessor[]>();
  /** By address: what a location holds that is taken for a lock, if nobody has the lock. */
  readonly #locks = new Map<number, number>();
  /** The locations that are none. */
  readonly #noLocks = new Set<number>();
  /** Where the loops are whose rounds were left out. */
  readonly #left = new Set<string>();

  /** Whether threads may depend on one another although nothing orders them: relaxed accesses, under a model that has such. */
  isLoose = true;

  constructor(known: RoundsKnowledge) {
    this.#takeIn(known);
  }

  // ----------------------------------------------------------------------------------------------------- mutexes

  /** How often others may see the mutex held in rounds of a thread, in one execution. */
  glimpsesOf(mutex: Location, thread: number): number {
    let sum = 0;
    for (const [other, times] of this.#glimpses.get(addressOf(mutex)) ?? []) if (other !== thread) sum += times;
    return sum >= MANY_GLIMPSES ? Number.POSITIVE_INFINITY : sum;
  }

  /** Rounds are left out in which the mutex was taken and given back. */
  rely(mutex: Location): void {
    this.#relied.add(addressOf(mutex));
  }

  /** A thread has found the mutex busy for the n-th time, and does not just try again. */
  glimpse(mutex: Location, thread: number, n: number): void {
    const address = addressOf(mutex);
    const times = Math.min(n, MANY_GLIMPSES);
    if (this.#note({ mutex: address, thread, times }) && this.#relied.has(address)) this.#refine();
  }

  // ------------------------------------------------------------------------------------------------------- locks

  /** What the location holds if it is a lock that nobody has; undefined: it is not taken for a lock. */
  freeValueOf(location: Location): number | undefined {
    return this.#locks.get(addressOf(location));
  }

  /** The location seems to be a lock. */
  takeForLock(location: Location, free: unknown): void {
    const address = addressOf(location);
    if (address < 0 || this.#noLocks.has(address) || !Number.isSafeInteger(free)) return;
    this.#locks.set(address, free as number);
    this.#refine();
  }

  /** It is none. */
  breakLock(location: Location): never {
    this.#noLocks.add(addressOf(location));
    this.#locks.delete(addressOf(location));
    return this.#refine();
  }

  // ------------------------------------------------------------------------------------------------------- cells

  /** Whether the thread can rely on that. */
  mayHold({ address }: Cell, thread: number, hold: Hold): boolean {
    const accesses = this.#accesses.get(address) ?? [];
    if (this.#isHeldElsewhere(address, thread, hold) || accesses.some((by) => disturbs(by, thread, hold)))
      this.#shared[hold].add(address);
    return !this.#shared[hold].has(address);
  }

  /** Rounds of the thread are left out which rely on that. */
  hold({ address }: Pick<Cell, 'address'>, thread: number, hold: Hold): void {
    const holders = this.#held[hold].get(address);
    if (holders === undefined) this.#held[hold].set(address, new Set([thread]));
    else holders.add(thread);
  }

  /** Several may read. */
  #isHeldElsewhere(address: number, thread: number, hold: Hold): boolean {
    if (hold === 'reads') return false;
    for (const holder of this.#held[hold].get(address) ?? []) if (holder !== thread) return true;
    return false;
  }

  access({ address }: Cell, by: Accessor): void {
    this.#noteAccess(address, by);
    const wrong = holds.filter((hold) => {
      for (const holder of this.#held[hold].get(address) ?? []) if (disturbs(by, holder, hold)) return true;
      return false;
    });
    for (const hold of wrong) this.#shared[hold].add(address);
    if (wrong.length > 0) this.#refine();
  }

  // ----------------------------------------------------------------------------------------------------- reports

  leaveOut(position: SourcePosition | undefined): void {
    if (position !== undefined) this.#left.add(placeOf(position));
  }

  /** Whether rounds of the loop were left out. */
  hasLeftOut(position: SourcePosition | undefined): boolean {
    return position !== undefined && this.#left.has(placeOf(position));
  }

  // --------------------------------------------------------------------------------------------------- knowledge

  /** undefined: nothing. */
  knowledge(scope: KnowledgeScope): RoundsKnowledge | undefined {
    const isAll = scope === 'search';
    const known: RoundsKnowledge = {
      glimpses: this.#allGlimpses(),
      shared: holds.flatMap((hold) => [...this.#shared[hold]].map((cell) => ({ cell, hold }))),
      locks: [...this.#locks].map(([location, free]) => ({ location, free })),
      noLocks: [...this.#noLocks],
      relied: isAll ? [...this.#relied] : [],
      held: isAll ? this.#allHeld() : [],
      accesses: isAll ? this.#allAccesses() : [],
    };
    return Object.values(known).every(({ length }) => length === 0) ? undefined : known;
  }

  /** Takes in what another process knows: see `Program.learn`. Void is what relied on less than is known now. */
  learn(other: RoundsKnowledge): Learned {
    const theirs = new Reliance(other);
    const before = this.#size();
    const more = this.#allGlimpses().filter((glimpse) => theirs.#note(glimpse));
    const fewer = other.glimpses.filter((glimpse) => this.#note(glimpse));
    const isOtherwise =
      other.locks.some(({ location, free }) => !this.#noLocks.has(location) && this.#locks.get(location) !== free) ||
      other.noLocks.some((location) => this.#locks.has(location));
    const heldElsewhere = other.held.filter(({ cell, thread, hold }) => this.#isHeldElsewhere(cell, thread, hold));
    this.#takeIn(other);
    const wrong = this.#allHeld().filter(
      ({ cell, thread, hold }) =>
        this.#shared[hold].has(cell) || (this.#accesses.get(cell) ?? []).some((by) => disturbs(by, thread, hold)),
    );
    for (const { cell, hold } of [...wrong, ...heldElsewhere]) this.#shared[hold].add(cell);
    const isVoid =
      isOtherwise ||
      wrong.length + heldElsewhere.length > 0 ||
      [...fewer, ...more].some(({ mutex }) => this.#relied.has(mutex));
    if (isVoid) this.#forget();
    return isVoid ? 'void' : this.#size() > before ? 'new' : 'known';
  }

  #size(): number {
    const { glimpses, shared, locks, noLocks, relied, held, accesses } = this.knowledge('search') ?? noRounds;
    const times = glimpses.reduce((sum, glimpse) => sum + glimpse.times, 0);
    return times + shared.length + locks.length + 2 * noLocks.length + relied.length + held.length + accesses.length;
  }

  #takeIn({ glimpses, shared, locks, noLocks, relied, held, accesses }: RoundsKnowledge): void {
    for (const location of noLocks) this.#noLocks.add(location);
    for (const { location, free } of locks) {
      const known = this.#locks.get(location);
      if (known !== undefined && known !== free) this.#noLocks.add(location);
      this.#locks.set(location, free);
    }
    for (const location of this.#noLocks) this.#locks.delete(location);
    for (const glimpse of glimpses) this.#note(glimpse);
    for (const { cell, hold } of shared) this.#shared[hold].add(cell);
    for (const address of relied) this.#relied.add(address);
    for (const { cell, thread, hold } of held) this.hold({ address: cell }, thread, hold);
    for (const { cell, ...by } of accesses) this.#noteAccess(cell, by);
  }

  #allGlimpses(): Glimpse[] {
    return [...this.#glimpses].flatMap(([mutex, threads]) =>
      [...threads].map(([thread, times]) => ({ mutex, thread, times })),
    );
  }

  #allHeld(): Held[] {
    return holds.flatMap((hold) =>
      [...this.#held[hold]].flatMap(([cell, threads]) => [...threads].map((thread) => ({ cell, thread, hold }))),
    );
  }

  #allAccesses(): Access[] {
    return [...this.#accesses].flatMap(([cell, all]) => all.map((by) => ({ cell, ...by })));
  }

  /** Whether that is more than was known. */
  #note({ mutex, thread, times }: Glimpse): boolean {
    const threads = this.#glimpses.get(mutex) ?? new Map<number, number>();
    if ((threads.get(thread) ?? 0) >= times) return false;
    this.#glimpses.set(mutex, threads.set(thread, times));
    return true;
  }

  #noteAccess(address: number, by: Accessor): void {
    const known = this.#accesses.get(address);
    if (known === undefined) this.#accesses.set(address, [by]);
    else if (!known.some((other) => isSameAccessor(other, by))) known.push(by);
  }

  #refine(): never {
    this.#forget();
    throw new ProgramRefined();
  }

  /** All that was left out is void. */
  #forget(): void {
    this.#relied.clear();
    for (const hold of holds) this.#held[hold].clear();
    this.#left.clear();
  }
}

const holds: readonly Hold[] = ['owns', 'writes alone', 'reads'];

function disturbs(by: Accessor, thread: number, hold: Hold): boolean {
  return (hold === 'owns' || by.writes) && meets(by, thread);
}

/** Whether the access may come while another thread runs. */
function meets({ thread, running, hasSpawned }: Accessor, other: number): boolean {
  if (thread === other) return false;
  if (thread !== MAIN) return true;
  return isChildOfMain(other) ? running.includes(other) : hasSpawned;
}

function isSameAccessor(a: Accessor, b: Accessor): boolean {
  return (
    a.thread === b.thread &&
    a.hasSpawned === b.hasSpawned &&
    a.writes === b.writes &&
    a.running.length === b.running.length &&
    a.running.every((thread, i) => thread === b.running[i])
  );
}

function placeOf({ file, line, column }: SourcePosition): string {
  return `${line}:${column}:${file}`;
}
