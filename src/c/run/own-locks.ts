/**
 * Locations that the program uses as locks: a flag that is set by an exchange and cleared by a store, a semaphore of one, a read-write
 * lock that one thread reads at a time. As with a mutex (rounds.ts), a round of a loop can be left out in which a thread takes such a lock, looks, and
 * gives it back.
 *
 * What makes a lock: it is *taken* by an update that reads the value `free` and writes another one, and *given back* by a write of `free`,
 * by the thread that took it and has not given it back since. Nobody writes anything else there, unless it is what was read,
 * or main does before it has started a thread. Then in coherence order each taking is followed, but for updates that write what they
 * have read, by the giving back of the same thread: let v be the first in coherence order that is not. What follows v is no taking,
 * because that would have to read `free`, so it is another thread's giving back; that thread took the lock before v, and its taking was
 * not followed by its giving back, either, which contradicts that v is the first.
 *
 * So the two writes of a round R follow the write w of `free` that R's taking read from, and nothing is between them but updates that write
 * what they have read. Who reads from R's giving back can read from w instead, if R is left out. That makes w happen before it, if w
 * releases and it acquires; it did so before, through R, if R's taking acquires and its giving back releases, which is asked for. Who has read the
 * value between has seen R: it is counted as a trylock that has failed (`sees held`), unless nothing comes of it.
 *
 * A location is taken for a lock where a thread, in a loop, has taken and given it back and had no other effect in between, as one does with
 * locks: by a store, if it is not a lock of the library. (A value that is borrowed and put back by an exchange, as in [Await]'s SafeStack,
 * would do, too; but then its executions would not be those of the paper.)
 */
import type { Location } from '../../program/location.ts';
import type { MemoryOrder, Operation } from '../../program/operation.ts';
import { outcomeOf } from '../../program/operation-kinds.ts';
import { isCell } from './objects.ts';
import type { Reliance } from './reliance.ts';

/** What an operation does with a lock; undefined: nothing that others could not see anyway. */
export type LockUse = 'takes' | 'gives back' | 'sees held' | undefined;

interface Circumstances {
  /** No other thread has been started. */
  readonly isAlone: boolean;
  readonly inLoop: boolean;
  /** How many effects the thread has had. */
  readonly effects: number;
}

/** What was read and written; undefined: it is no access, or it does only one of the two. */
interface Change {
  readonly read: unknown;
  readonly written: unknown;
}

const acquiring: ReadonlySet<MemoryOrder> = new Set(['acquire', 'acq_rel', 'seq_cst']);
const releasing: ReadonlySet<MemoryOrder> = new Set(['release', 'acq_rel', 'seq_cst']);

/** The locks of one thread. */
export class OwnLocks {
  readonly #reliance: Reliance;
  /** Those that it has, and whether it took them so that nobody sees more of it than that. */
  readonly #held = new Map<Location, boolean>();
  /** What may turn out to be locks: what they held before the last update, which was the effect of this number. */
  readonly #seeming = new Map<Location, { readonly free: unknown; readonly effects: number }>();

  constructor(reliance: Reliance) {
    this.#reliance = reliance;
  }

  useBy(operation: Operation, answer: unknown, { isAlone, inLoop, effects }: Circumstances): LockUse {
    const change = changeOf(operation, answer);
    if (change === undefined || !('location' in operation)) return undefined;
    const { location } = operation;
    const free = this.#reliance.freeValueOf(location);
    if (free === undefined) {
      const seeming = inLoop ? this.#seeming.get(location) : undefined;
      const isBack = seeming?.effects === effects && isWrite(change) && Object.is(change.written, seeming.free);
      if (isBack && isUsual(operation, location)) this.#reliance.takeForLock(location, seeming.free);
      return undefined;
    }
    if (!isWrite(change)) return Object.is(change.read, free) || this.#held.has(location) ? undefined : 'sees held';
    const order = 'order' in operation ? operation.order : 'plain';
    const isGivenBack = Object.is(change.written, free);
    if (isGivenBack && (this.#held.has(location) || isAlone)) {
      const isQuiet = this.#held.get(location) === true && releasing.has(order) && !isAlone;
      this.#held.delete(location);
      return isQuiet ? 'gives back' : undefined;
    }
    const isTaken = !isGivenBack && operation.kind !== 'store' && Object.is(change.read, free);
    if (isTaken) {
      const isQuiet = acquiring.has(order) && !isAlone;
      this.#held.set(location, isQuiet);
      return isQuiet ? 'takes' : undefined;
    }
    if (isAlone) return undefined;
    return this.#reliance.breakLock(location);
  }

  /** The operation had an effect, which has this number. */
  hadEffect(operation: Operation, answer: unknown, effects: number): void {
    const change = changeOf(operation, answer);
    if (change === undefined || !('location' in operation) || operation.kind === 'store') return;
    if (isWrite(change)) this.#seeming.set(operation.location, { free: change.read, effects });
  }
}

function isUsual({ kind }: Operation, location: Location): boolean {
  return kind === 'store' || !isCell(location);
}

const nothing = Symbol('nothing');

function changeOf(operation: Operation, answer: unknown): Change | undefined {
  switch (operation.kind) {
    case 'load':
    case 'await-load':
      return { read: answer, written: nothing };
    case 'store':
      return { read: nothing, written: operation.value };
    case 'update':
      // nobody is told what was read
      if (operation.commutes !== undefined) return { read: nothing, written: undefined };
      break;
    case 'compare-exchange':
    case 'await-exchange':
    case 'await-update':
    case 'await-compare-exchange':
      break;
    default:
      return undefined;
  }
  const { writes, value } = outcomeOf(operation, answer);
  return { read: answer, written: writes ? value : nothing };
}

/** Whether it writes anything but what it has read. */
function isWrite({ read, written }: Change): boolean {
  return written !== nothing && !Object.is(read, written);
}
