/**
 * Objects on the heap that nobody has freed when an execution has come to its end.
 *
 * What a thread has allocated and freed depends on its state alone, so it is worked out once for each state (more exactly:
 * for the last state before it that allocates or frees). At the end of an execution the threads' accounts are compared.
 */
import { type Behaviours, Step } from '../program/behaviours.ts';
import { NONE } from '../program/columns.ts';
import { Trait } from '../program/location-table.ts';

/** What one thread has done to the heap, up to a state. */
interface Account {
  /** By lifetime: the state that allocated the object; only those that the thread has not freed itself. */
  readonly owned: ReadonlyMap<number, number>;
  /** Lifetimes of objects of other threads that it has freed. */
  readonly freed: ReadonlySet<number>;
}

const none: readonly number[] = [];

export class Leaks {
  readonly #behaviours: Behaviours;
  #epoch = 0;
  readonly #accounts = new Map<number, Account>();

  constructor(behaviours: Behaviours) {
    this.#behaviours = behaviours;
  }

  /** The states that allocated what was not freed, threads standing at `stateOf`. */
  at(stateOf: (t: number) => number): readonly number[] {
    const b = this.#behaviours;
    if (!b.locationTable.hasHeap) return none;
    if (this.#epoch !== b.epoch) this.#accounts.clear();
    this.#epoch = b.epoch;
    const accounts: Account[] = [];
    let owned = 0;
    for (let t = 0; t < b.threads.length; t++) {
      const s = stateOf(t);
      if (s === NONE || b.memoryBefore[s] === NONE) continue;
      const account = this.#accountAt(b.memoryBefore[s]!);
      accounts.push(account);
      owned += account.owned.size;
    }
    return owned === 0 ? none : leftOver(accounts);
  }

  /** The account after the operation of `last`. */
  #accountAt(last: number): Account {
    const known = this.#accounts.get(last);
    if (known !== undefined) return known;
    const account = this.#accountOf(last);
    this.#accounts.set(last, account);
    return account;
  }

  #accountOf(last: number): Account {
    const b = this.#behaviours;
    const path: number[] = [];
    for (let s = last; s !== NONE; s = b.memoryBefore[s]!) path.push(s);
    const owned = new Map<number, number>();
    const freed = new Set<number>();
    for (const s of path.reverse()) {
      if (b.step[s] === Step.LOCAL) owned.set(b.operand[s]!, s);
      else if (!owned.delete(b.location[s]!) && (b.locationTable.traits[b.location[s]!]! & Trait.HEAP) !== 0) {
        freed.add(b.location[s]!);
      }
    }
    return { owned, freed };
  }
}

function leftOver(accounts: readonly Account[]): number[] {
  const left: number[] = [];
  for (const { owned } of accounts) {
    for (const [lifetime, state] of owned) {
      if (!accounts.some(({ freed }) => freed.has(lifetime))) left.push(state);
    }
  }
  return left;
}
