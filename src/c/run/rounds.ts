/**
 * Rounds of loops that return to where they were. What [Await] proves pure before the program runs (src/c/passes/purity) asks that
 * each single round changes nothing. Here a running thread looks, at the headers of the other loops, whether it is in a state in which
 * it has been there before: after one round, or after as many as a counter takes to come back or to reach its limit. If nothing
 * that it has performed in between has an effect on others, it stops, as `CThreadRun.spin` does.
 *
 * Why that is sound. Let R be the operations between two such visits of thread t, in an execution E in which t goes on after R. Then
 * E without R is an execution, too: t is in the same state before R and after it, so that all that it does after R it can do instead of
 * R; and the others miss nothing of R. In detail:
 *
 * - Loads, compare-exchanges and trylocks that fail, and fences give nothing to others. An update that writes what it has read follows
 *   the write that it has read from at once, so who reads from it can as well read from that (passes/purity/statements.ts).
 * - A mutex that is taken and given back in R: its values in coherence order are … free (u), held, free (both of R) … Who locks it next
 *   reads from R's unlock and can read from u instead. R has written nothing else, so there was nothing to be seen but its
 *   having been there. What is lost is the synchronisation from t to the next one to lock. No model forbids an execution for having
 *   less of that; a race that comes up without it is a genuine one, because t need not have gone round.
 * - A trylock that fails because of R cannot be moved to another write. If that thread only tries again, its round can be taken out
 *   together with R. If it does anything else, R has to stay; but not more such rounds have to than there are such trylocks in an
 *   execution. Others tell how many these are (reliance.ts): so often t goes on although it is back where it was.
 *
 * - The same holds of a location that the program itself uses as a lock (own-locks.ts).
 *
 * - A store to a cell that no other thread accesses while t may be running, if the cell has in the end what it had before R: it is as if
 *   it was a variable of t. That no other does is for others to tell, too (reliance.ts). If others only read the cell, and all that R
 *   has stored there is what t had stored there before, with the same memory order, who reads from R can read from that instead:
 *   nothing comes between the two in coherence order.
 *
 * - A plain access in R may race with something that depends on what t does after R, but by relaxed accesses, so that R does not
 *   happen before it (passes/purity/statements.ts, `mayBeMissed`). Where that can be, because others write to that cell (reliance.ts),
 *   one R is kept: the others can be taken out of an execution with such a race, and the first R stays in it.
 *
 * Such rounds can be taken out one after the other, those of several threads that only fail because of each other together. So each
 * state that can be reached can be reached without a completed R; the execution in which t stops after R is there for the end of it
 * (a livelock, if what R has read stays as it is) and for what may be wrong in R itself. A mutex that is *given back and taken
 * again* in R is no part of this, because others may have had it in between: such rounds are compared where the thread has just
 * given it back (`#released`).
 *
 * The state of a thread: the phis of the header, private memory, cells of its own, and what the library keeps for it. Whether an object was made
 * is part of it, too, because the addresses of the next ones depend on that.
 */

import { MAIN } from '../../program/identity.ts';
import type { Location } from '../../program/location.ts';
import {
  type MemoryOrder,
  MUTEX_BUSY,
  type Operation,
  type Slice,
  type SourcePosition,
  type SpinLoop,
} from '../../program/operation.ts';
import { kindOf } from '../../program/operation-kinds.ts';
import { type CValue, LOOKED_AT } from '../runtime.ts';
import { addressOf, type Cell, isCell } from './objects.ts';
import { OwnLocks } from './own-locks.ts';
import { isSameSnapshot, type PrivateMemory, type Snapshot } from './private-memory.ts';
import type { Accessor, Hold, Reliance } from './reliance.ts';

/** After so many visits without an effect the first ones are forgotten: a loop that is not back by then goes somewhere. */
const MOST_VISITS = 4096;
/** Visits that are alike but for the cells that the thread has stored to: so many are looked at. */
const MOST_ALIKE = 16;
/** Operations since a visit whose answers are kept. */
const MOST_ANSWERS = 256;

/** Accesses to cells since an effect that are kept: beyond that, a store is an effect. */
const MOST_TOUCHED = 4096;

/** What is to be known of a thread. */
export interface Observed {
  readonly self: number;
  readonly performed: number;
  readonly made: number;
  readonly memory: PrivateMemory;
  readonly notes: ReadonlyMap<string, unknown>;
}

/** A thread at the header of a loop, or just after it gave back a mutex. */
interface Visit {
  readonly values: readonly CValue[];
  readonly memory: Snapshot;
  readonly made: number;
  readonly notes: string;
  /** What was performed between the header and here has been answered so. */
  readonly answers: readonly unknown[];
  /** The mutexes that it holds, and since when. */
  readonly held: string;
  /** The last time, and how often it has been in this state. */
  performed: number;
  times: number;
}

/** One stay in a loop: from its entry to its exit. */
export class Stay {
  readonly position: SourcePosition | undefined;
  /** Since the last effect, of which this is the number; by a hash. */
  #effects = -1;
  #count = 0;
  readonly #visits = new Map<number, Visit[]>();
  /** The last one at the header. */
  header: Visit | undefined;

  constructor(position: SourcePosition | undefined) {
    this.position = position;
  }

  /**
   * An earlier visit in the same state, as far as visits tell, and of which `isSameElse` holds; there is none after an effect. Then
   * this one is kept.
   */
  returnsTo(visit: Visit, effects: number, isSameElse: (since: number) => boolean): Visit | undefined {
    if (effects !== this.#effects || this.#count >= MOST_VISITS) {
      this.#visits.clear();
      this.#count = 0;
      this.#effects = effects;
    }
    const hash = hashOf(visit);
    const alike = this.#visits.get(hash);
    const last = alike === undefined ? 0 : alike.length - 1;
    for (let i = last; i >= 0 && i > last - MOST_ALIKE; i--) {
      const earlier = alike?.[i];
      if (earlier !== undefined && isSame(earlier, visit) && isSameElse(earlier.performed)) return earlier;
    }
    if (alike === undefined) this.#visits.set(hash, [visit]);
    else alike.push(visit);
    this.#count++;
    return undefined;
  }
}

/** A mutex was taken, when the thread had performed `at` operations; it had last read when it had performed `readAt`. */
interface Taken {
  readonly mutex: Location;
  readonly at: number;
  readonly readAt: number;
}

/** A cell was loaded or stored to, as the operation number `at`; `stores`: with which memory order, if it was stored to. */
interface Touch {
  readonly value: unknown;
  readonly stores: MemoryOrder | undefined;
  readonly isPlain: boolean;
  readonly at: number;
}

export class Rounds {
  readonly #thread: Observed;
  readonly #reliance: Reliance;
  /** How often it did what others may see. */
  #effects = 0;
  /** The mutexes that were taken since. */
  #taken: Taken[] = [];
  #readAt = 0;
  /** When it last made a plain access that is not among the following. */
  #plainAt = -1;
  /** The cells that were accessed since, once there was a loop. */
  readonly #touched = new Map<Cell, Touch[]>();
  #touchCount = 0;
  /** How it accesses cells now, with the threads that it has started and not joined. */
  #reading: Accessor;
  #writing: Accessor;
  readonly #held = new Map<Location, number>();
  readonly #locks: OwnLocks;
  /** The loop whose header it came to last, and what it was told since. */
  #stay: Stay | undefined;
  #answers: unknown[] = [];
  /** A trylock that failed, of which nothing has come so far. */
  #busy: Location | undefined;
  /** How often something has come of one. */
  readonly #glimpses = new Map<Location, number>();

  constructor(thread: Observed, reliance: Reliance) {
    this.#thread = thread;
    this.#reliance = reliance;
    this.#reading = { thread: thread.self, running: [], hasSpawned: false, writes: false };
    this.#writing = { ...this.#reading, writes: true };
    this.#locks = new OwnLocks(reliance);
  }

  /** At the header: the loop, if the rounds that end here have changed nothing. */
  visit(stay: Stay, values: readonly CValue[]): SpinLoop | undefined {
    const { performed, made, notes } = this.#thread;
    const memory = this.#thread.memory.snapshot();
    this.#stay = memory === undefined ? undefined : stay;
    if (memory === undefined) return undefined;
    this.#answers = [];
    stay.header = { values, memory, made, notes: textOf(notes), answers: [], held: this.#holds(), performed, times: 1 };
    return this.#roundsTo(stay.header, stay);
  }

  /** An operation was answered: the loop, if the rounds that end with it have changed nothing. */
  performed(operation: Operation, answer: unknown): SpinLoop | undefined {
    if (this.#answers.length <= MOST_ANSWERS) this.#answers.push(answer);
    const use = this.#locks.useBy(operation, answer, {
      isAlone: this.#thread.self === MAIN && !this.#reading.hasSpawned,
      inLoop: this.#stay !== undefined,
      effects: this.#effects,
    });
    switch (use) {
      case 'takes':
        this.#readAt = this.#thread.performed; // it may as well have found the lock held
        this.#take((operation as Accessing).location);
        return undefined;
      case 'gives back':
        return this.#held.delete((operation as Accessing).location) ? this.#released() : undefined;
      case 'sees held':
        this.#busy = (operation as Accessing).location;
    }
    switch (operation.kind) {
      case 'load':
      case 'await-load':
        this.#readAt = this.#thread.performed;
        this.#touch(operation.location, valueOfCell(operation, answer), operation.order, false);
        return undefined;
      case 'store':
        if (this.#touch(operation.location, operation.value, operation.order, true)) return undefined;
        break;
      case 'spawn':
        this.#runs([...this.#reading.running, answer as number]);
        break;
      case 'join':
        this.#runs(this.#reading.running.filter((thread) => thread !== operation.thread));
        break;
      case 'fence':
      case 'yield':
      case 'choose':
      case 'print': // what is shown of an execution, and no thread can see it
        return undefined;
      case 'lock':
        this.#take(operation.location);
        return undefined;
      case 'trylock':
        if (answer !== MUTEX_BUSY) this.#take(operation.location);
        else this.#busy = operation.location;
        this.#readAt = this.#thread.performed;
        return undefined;
      case 'unlock':
        if (this.#held.delete(operation.location)) return this.#released();
        break;
      case 'update':
      case 'compare-exchange':
      case 'await-exchange':
      case 'await-update':
      case 'await-compare-exchange':
        this.#readAt = this.#thread.performed;
        if (keeps(operation, answer)) return undefined;
        break;
    }
    this.#effect();
    this.#locks.hadEffect(operation, answer, this.#effects);
    return undefined;
  }

  /** The next operation is known: what it accesses, and whether anything comes of a trylock that failed. */
  asks(operation: Operation): void {
    if ('location' in operation) this.#accesses(operation.location, !readsOnly.has(operation.kind));
    if (this.#busy !== undefined && !this.#isInVain(operation)) {
      const times = (this.#glimpses.get(this.#busy) ?? 0) + 1;
      this.#glimpses.set(this.#busy, times);
      this.#reliance.glimpse(this.#busy, this.#thread.self, times);
      this.#busy = undefined;
    }
  }

  /**
   * Whether a thread may do this after a trylock that has failed, and nobody is told that it did: as long as all can still be taken out
   * with its round. A mutex that it gives back must be one that it has taken in the same round.
   */
  #isInVain(operation: Operation): boolean {
    switch (operation.kind) {
      case 'yield':
      case 'fence':
        return true;
      case 'block':
        return operation.reason === 'loop';
      case 'unlock': {
        const header = this.#stay?.header;
        return header !== undefined && (this.#held.get(operation.location) ?? -1) > header.performed;
      }
      default:
        return false;
    }
  }

  #accesses(location: Location, writes: boolean): void {
    if (!isCell(location)) return;
    const era = writes ? this.#writing : this.#reading;
    if (location.era === era) return;
    location.era = era;
    this.#reliance.access(location, era);
  }

  #runs(running: number[]): void {
    this.#reading = { ...this.#reading, running, hasSpawned: true };
    this.#writing = { ...this.#reading, writes: true };
  }

  /** Whether it may be a cell of its own. */
  #touch(cell: Location, value: unknown, order: MemoryOrder, isStore: boolean): boolean {
    if (!isCell(cell) || this.#stay === undefined || this.#touchCount > MOST_TOUCHED) {
      if (order === 'plain') this.#plainAt = this.#thread.performed;
      return false;
    }
    const touch: Touch = {
      value,
      stores: isStore ? order : undefined,
      isPlain: order === 'plain',
      at: this.#thread.performed,
    };
    const touches = this.#touched.get(cell);
    if (touches === undefined) this.#touched.set(cell, [touch]);
    else touches.push(touch);
    this.#touchCount++;
    return true;
  }

  /** Whether what was stored since then has left all cells as they were, and that is nobody else's concern. */
  #keepsCells(since: number): boolean {
    for (const [cell, touches] of this.#touched) {
      if (!isStoredSince(touches, since)) continue;
      const hold = holdOf(touches, since);
      if (hold === undefined || !this.#reliance.mayHold(cell, this.#thread.self, hold)) return false;
    }
    return true;
  }

  #holdCells(since: number): void {
    for (const [cell, touches] of this.#touched) {
      if (isStoredSince(touches, since)) this.#reliance.hold(cell, this.#thread.self, holdOf(touches, since)!);
    }
    if (!this.#reliance.isLoose) return;
    for (const [cell, hold] of this.#plainSince(since)) {
      if (this.#reliance.mayHold(cell, this.#thread.self, hold)) this.#reliance.hold(cell, this.#thread.self, hold);
    }
  }

  #take(mutex: Location): void {
    const at = this.#thread.performed;
    this.#held.set(mutex, at);
    this.#taken.push({ mutex, at, readAt: this.#readAt });
  }

  #effect(): void {
    this.#effects++;
    if (this.#taken.length > 0) this.#taken = [];
    if (this.#touchCount > 0) this.#touched.clear();
    this.#touchCount = 0;
  }

  /**
   * A mutex was given back. The state here is that at the header and what the thread was told since; if it has been here with
   * the same, it has taken and given back in between what it has taken.
   */
  #released(): SpinLoop | undefined {
    const stay = this.#stay;
    if (stay?.header === undefined || this.#answers.length > MOST_ANSWERS) return undefined;
    const { performed } = this.#thread;
    return this.#roundsTo(
      { ...stay.header, answers: [...this.#answers], held: this.#holds(), performed, times: 1 },
      stay,
    );
  }

  #roundsTo(visit: Visit, stay: Stay): SpinLoop | undefined {
    const earlier = stay.returnsTo(visit, this.#effects, (since) => this.#keepsCells(since));
    if (earlier === undefined) return undefined;
    const { position } = stay;
    const since = earlier.performed;
    if (this.#areLeftOut(since, earlier.times)) {
      this.#reliance.leaveOut(position);
      return { position, since: () => since };
    }
    earlier.performed = visit.performed;
    earlier.times++;
    return undefined;
  }

  /**
   * Whether rounds like those since then are left out, after so many. Under weak models somebody may have seen what the thread did
   * after R and then, by a trylock, that it held a mutex in R. It can as well have seen it hold the mutex in what came instead of R,
   * if that took it, too: that is certain of what is taken before anything else was read.
   */
  #areLeftOut(since: number, times: number): boolean {
    const taken = this.#taken.filter(({ at }) => at > since);
    const mutexes = new Set(taken.map(({ mutex }) => mutex));
    let glimpses = 0;
    for (const mutex of mutexes) {
      const times = this.#reliance.glimpsesOf(mutex, this.#thread.self);
      if (times > 0 && taken.find((one) => one.mutex === mutex)!.readAt > since) return false;
      glimpses += times;
    }
    if (times <= glimpses + (this.#mayRace(since) ? 1 : 0)) return false;
    for (const mutex of mutexes) this.#reliance.rely(mutex);
    this.#holdCells(since);
    return true;
  }

  /** Whether a plain access since then may race with what comes of the loop. */
  #mayRace(since: number): boolean {
    if (!this.#reliance.isLoose) return false;
    if (this.#plainAt > since) return true;
    for (const [cell, hold] of this.#plainSince(since)) {
      if (!this.#reliance.mayHold(cell, this.#thread.self, hold)) return true;
    }
    return false;
  }

  /** The cells with plain accesses since then, and what must be true of each for none of these to race. */
  *#plainSince(since: number): Generator<readonly [Cell, Hold]> {
    for (const [cell, touches] of this.#touched) {
      if (!touches.some(({ at, isPlain }) => isPlain && at > since)) continue;
      yield [cell, isStoredSince(touches, since) ? 'owns' : 'reads'];
    }
  }

  #holds(): string {
    let text = '';
    for (const [mutex, at] of this.#held) text += `${addressOf(mutex)}@${at} `;
    return text;
  }
}

/** What a part has does not say what the cell has: that may be like nothing that it had. */
function valueOfCell({ slice }: { readonly slice?: Slice | undefined }, answer: unknown): unknown {
  return slice === undefined ? answer : Symbol('not known');
}

const readsOnly: ReadonlySet<Operation['kind']> = new Set(['load', 'await-load']);

function isStoredSince(touches: readonly Touch[], since: number): boolean {
  for (let i = touches.length - 1; i >= 0 && touches[i]!.at > since; i--) {
    if (touches[i]!.stores !== undefined) return true;
  }
  return false;
}

/**
 * What has to be true of a cell that was stored to since then; undefined: it does not have what it had. What it had is known if the
 * thread had stored or loaded it before, or has loaded it first, because nobody else writes it.
 */
function holdOf(touches: readonly Touch[], since: number): Hold | undefined {
  let last = touches.length - 1;
  while (last >= 0 && touches[last]!.at > since) last--;
  const before = touches[Math.max(last, 0)]!;
  const isKnown = last >= 0 || before.stores === undefined;
  if (!isKnown || !Object.is(before.value, touches.at(-1)!.value)) return undefined;
  const isRepeated = touches
    .slice(last + 1)
    .every(({ stores, value }) => stores === undefined || (stores === before.stores && Object.is(value, before.value)));
  return isRepeated ? 'writes alone' : 'owns';
}

type Accessing = Extract<Operation, { location: Location }>;
type Updating = Extract<
  Operation,
  { kind: 'update' | 'compare-exchange' | 'await-exchange' | 'await-update' | 'await-compare-exchange' }
>;

/** Whether it has written nothing but what it has read. */
function keeps(operation: Updating, old: unknown): boolean {
  if (operation.kind === 'update' && operation.commutes !== undefined) return false; // nobody is told what was read
  const { writes, value } = kindOf(operation).outcome(operation, old); // of a part, if it is to one
  return !writes || Object.is(value, old);
}

function isSame(a: Visit, b: Visit): boolean {
  return (
    a.made === b.made &&
    a.held === b.held &&
    a.notes === b.notes &&
    areSame(a.values, b.values) &&
    areSame(a.answers, b.answers) &&
    isSameSnapshot(a.memory, b.memory)
  );
}

function areSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, i) => Object.is(value, b[i]));
}

function hashOf({ values, answers }: Visit): number {
  let hash = answers.length;
  for (const value of values) hash = (Math.imul(hash, 31) + Number(value)) | 0;
  return hash;
}

/** Notes that say nothing are as good as none. */
function textOf(notes: ReadonlyMap<string, unknown>): string {
  let text = '';
  for (const [name, note] of notes) {
    const isSaying = name !== LOOKED_AT && !(isMany(note) && note.size === 0);
    if (isSaying) text += `${name} ${JSON.stringify(note, (_, part) => (isMany(part) ? [...part] : part))};`;
  }
  return text;
}

function isMany(part: unknown): part is Map<unknown, unknown> | Set<unknown> {
  return part instanceof Map || part instanceof Set;
}
