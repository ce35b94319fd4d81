/**
 * A schedule with its happens-before relation ([Await], section IV-A): e happens before a later e' if both are of one thread, if one
 * spawns or joins the thread of the other, or if they conflict: both access one location, one of them writes, and they are not
 * updates that commute. Two executions with the same relation on the same events are equivalent.
 *
 * (The clocks of `Interleaving` are another relation, by which data races are judged.)
 *
 * Hot code. By step: its effect, a vector clock of happens-before, and the earlier steps that it is in a non-blocking race with
 * (definition 2): found as the step is performed, by walking back over the accesses to its location. The latest come first,
 * so that a step which is not in the clock yet is adjacent to the new one.
 */
import { type Behaviours, Step } from '../../../program/behaviours.ts';
import { ClockRows } from '../../../program/clock-rows.ts';
import { type Column, grown, NONE } from '../../../program/columns.ts';
import type { ExploreOptions } from '../../explorer.ts';
import type { Interleaving } from '../interleaving.ts';

/** Options of the algorithms that go by such a schedule. */
export interface OrderedOptions extends ExploreOptions {
  /** Whether updates that commute and whose results nobody uses are independent. */
  readonly ifaa: boolean;
}

/** What a step does to the location that it accesses. */
export const Effect = {
  NONE: 0,
  READ: 1,
  WRITE: 2,
  /** From here on: updates that commute (`Commuting`), each kind with itself. */
  ADD: 3,
  AND: 4,
  OR: 5,
  XOR: 6,
  /** A write whose order with others of its kind counts only once it is read (`observed-schedule.ts`). */
  BLIND: 7,
} as const;

/** Later than any step. */
export const LATER = 0x7fff_ffff;

export const effectOfCommuting = { add: Effect.ADD, and: Effect.AND, or: Effect.OR, xor: Effect.XOR } as const;

export function conflict(locationA: number, effectA: number, locationB: number, effectB: number): boolean {
  return effectsConflict(effectA, effectB) && locationA === locationB;
}

/** Whether they conflict if they are on one location. */
export function effectsConflict(a: number, b: number): boolean {
  if (a < Effect.WRITE && b < Effect.WRITE) return false;
  if (a === Effect.NONE || b === Effect.NONE) return false;
  return a < Effect.ADD || a !== b;
}

export class OrderedSchedule {
  readonly interleaving: Interleaving;
  protected readonly behaviours: Behaviours;
  readonly #ifaa: boolean;
  effect: Column = new Int32Array(64);
  /** The location that the step accesses, by its key (see location-keys.ts), or NONE: plans outlive the epochs of behaviours. */
  location: Column = new Int32Array(64);
  protected readonly clock = new ClockRows();
  /** Pairs of races: those of step i begin at raceStart[i]. */
  raceStart: Column = new Int32Array(65);
  races: Column = new Int32Array(256);
  /** By pair of `races`: the last step that the plan for it rests on, LATER if it has none: see plans.ts. */
  settledBy: Column = new Int32Array(256);
  /** The steps before this one are those of the last schedule that came to its end. */
  unchanged = 0;

  /** `ifaa`: updates that commute are independent. */
  constructor(interleaving: Interleaving, ifaa: boolean) {
    this.interleaving = interleaving;
    this.behaviours = interleaving.behaviours;
    this.#ifaa = ifaa;
  }

  get length(): number {
    return this.interleaving.length;
  }

  perform(t: number, choice: number): void {
    const x = this.interleaving;
    x.perform(t, choice);
    const i = x.length - 1;
    this.#ensure(i);
    const s = x.before[i]!;
    this.effect[i] = this.#effectOf(s, x.after[i]!);
    this.location[i] = this.effect[i] === Effect.NONE ? NONE : this.behaviours.keyOfAccessed(s);
    this.order(i);
  }

  /** Works out what happens before step i, the last one. */
  protected order(i: number): void {
    this.startClock(i);
    this.raceStart[i + 1] = this.raceStart[i]!;
    if (this.effect[i] !== Effect.NONE)
      this.#orderAccess(i, this.behaviours.mayBlock[this.interleaving.before[i]!] === 1);
  }

  undo(): void {
    this.interleaving.undo();
    if (this.length < this.unchanged) this.unchanged = this.length;
  }

  /** Whether step i happens before step j, which comes later, or is it. */
  happensBefore(i: number, j: number): boolean {
    const x = this.interleaving;
    return this.clock.at(j, x.thread[i]!) > x.index[i]!;
  }

  /** The effect of the operation of state s, if it reads `value` (a number of `Values`; only asked of operations that read). */
  effectWith(s: number, value: number): number {
    return this.behaviours.writes(s, value) ? this.#effectOfWriting(s) : Effect.READ;
  }

  #effectOf(s: number, after: number): number {
    const b = this.behaviours;
    switch (b.step[s]) {
      case Step.WRITE:
        return this.effectOfStore(s);
      case Step.READ:
        if (b.written[after] === NONE) return Effect.READ;
        return this.#effectOfWriting(s);
      default:
        return Effect.NONE;
    }
  }

  /** Of the operation of state s, which writes and does not read. */
  protected effectOfStore(_s: number): number {
    return Effect.WRITE;
  }

  #effectOfWriting(s: number): number {
    if (!this.#ifaa) return Effect.WRITE;
    const operation = this.behaviours.operation(s);
    if (operation.kind !== 'update' || operation.commutes === undefined) return Effect.WRITE;
    return effectOfCommuting[operation.commutes];
  }

  // -------------------------------------------------------------------------------------------------- value of memory

  /** The value, after the first `length` steps, of the location that the operation of state s accesses. */
  valueFor(s: number, length: number): number {
    const x = this.interleaving;
    const location = this.behaviours.location[s]!;
    for (let i = x.lastAccess(location); i !== NONE; i = x.previousAccess[i]!) {
      if (i < length && this.effect[i]! >= Effect.WRITE) return x.valueWritten(i);
    }
    return this.behaviours.initialValue(location);
  }

  /** The value that a location with `value` has after step i: an update that commutes may find another one than it found then. */
  valueAfter(i: number, value: number): number {
    const b = this.behaviours;
    if (this.effect[i]! < Effect.WRITE) return value;
    if (this.effect[i]! < Effect.ADD || this.effect[i] === Effect.BLIND) return this.interleaving.valueWritten(i);
    const operation = b.operation(this.interleaving.before[i]!);
    if (operation.kind !== 'update') throw new Error('not an update');
    return b.values.idOf(operation.apply(b.valueFor(this.interleaving.before[i]!, value)));
  }

  // ---------------------------------------------------------------------------------------------------------- clocks

  protected startClock(i: number): void {
    const x = this.interleaving;
    const clock = this.clock;
    const t = x.thread[i]!;
    const before = x.previous[i] === NONE ? x.spawnOf(t) : x.previous[i]!;
    if (before === NONE) clock.clear(i);
    else clock.copy(i, before);
    clock.set(i, t, x.index[i]! + 1);
    const s = x.before[i]!;
    if (this.behaviours.step[s] === Step.JOIN) clock.join(i, x.lastOf(this.behaviours.operand[s]!));
  }

  /** Orders step i after the earlier steps that it conflicts with. Only a write can let an operation through that may block. */
  #orderAccess(i: number, mayBlock: boolean): void {
    const x = this.interleaving;
    const effect = this.effect[i]!;
    for (let e = x.previousAccess[i]!; e !== NONE; e = x.previousAccess[e]!) {
      const other = this.effect[e]!;
      const conflicts = (effect >= Effect.WRITE || other >= Effect.WRITE) && (effect < Effect.ADD || effect !== other);
      if (conflicts && !this.happensBefore(e, i)) {
        if ((!mayBlock || other === Effect.READ) && x.thread[e] !== x.thread[i]) this.addRace(i, e);
        this.clock.join(i, e);
      }
      if (other === Effect.WRITE) return; // all that comes before happens before it
    }
  }

  protected addRace(i: number, e: number): void {
    const at = this.raceStart[i + 1]!;
    if (at >= this.races.length) {
      this.races = grown(this.races, at + 1);
      this.settledBy = grown(this.settledBy, at + 1);
    }
    this.races[at] = e;
    this.settledBy[at] = LATER;
    this.raceStart[i + 1] = at + 1;
  }

  #ensure(i: number): void {
    if (i >= this.effect.length) {
      this.effect = grown(this.effect, i + 1);
      this.location = grown(this.location, i + 1);
      this.raceStart = grown(this.raceStart, this.effect.length + 1);
    }
    this.clock.fit(this.effect.length, this.behaviours.threads.length);
  }
}
