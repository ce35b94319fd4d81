/**
 * Which steps depend on each other ([BPOR], definition 2.3): two accesses to one location of which one may write, unless they are
 * updates that commute. Dependence must not change from state to state, so what counts is what an operation may do, not what it
 * does: a compare-exchange that fails is a write. (`OrderedSchedule` goes by what was done, and keeps what algorithms need that
 * look at races when a schedule has ended.)
 *
 * Hot code. By step: the location, what it may do there, and a vector clock of happens-before; by location and thread: the last
 * access, from which a chain leads to the earlier ones of the thread.
 */
import { type Behaviours, Step } from '../../../program/behaviours.ts';
import { ClockRows } from '../../../program/clock-rows.ts';
import { type Column, grown, NONE } from '../../../program/columns.ts';
import { LOCKED } from '../../../program/orders.ts';
import { Effect, effectOfCommuting, effectsConflict } from '../dpor/ordered-schedule.ts';
import type { Interleaving } from '../interleaving.ts';

/** What is kept for a state: its effect, and these. */
const EFFECT = 7;
/** A write that may let a thread go on that waits for the location: any but that of a lock. */
const LETS_THROUGH = 8;
const IS_KNOWN = 16;

export class Dependences {
  readonly #schedule: Interleaving;
  readonly #behaviours: Behaviours;
  readonly #ifaa: boolean;
  #epoch: number;

  // By step.
  #location: Column = new Int32Array(64);
  #effect: Column = new Int32Array(64);
  /** The access of the same thread to the same location before it. */
  #previous: Column = new Int32Array(64);
  readonly #clock = new ClockRows();

  /** By location and thread, in rows of this width: the last access. */
  #last: Column = new Int32Array(0);
  #width = 0;
  #locations = 0;

  /** By state. */
  #traits: Column = new Int32Array(256);

  constructor(schedule: Interleaving, ifaa: boolean) {
    this.#schedule = schedule;
    this.#behaviours = schedule.behaviours;
    this.#ifaa = ifaa;
    this.#epoch = this.#behaviours.epoch;
  }

  /** The schedule has one step more. */
  performed(): void {
    const x = this.#schedule;
    this.#ensure();
    if (this.#epoch !== this.#behaviours.epoch) this.#renumber(x.length - 1);
    const i = x.length - 1;
    const t = x.thread[i]!;
    this.#startClock(i, t);
    this.#add(i, t);
    const location = this.#location[i]!;
    if (location === NONE) return;
    const effect = this.#effect[i]!;
    for (let v = 0; v < this.#width; v++) {
      if (v === t) continue;
      const e = this.#lastOf(location, effect, v);
      if (e !== NONE && !this.happensBefore(e, i)) this.#clock.join(i, e);
    }
  }

  /** The schedule has one step less. */
  undone(): void {
    const i = this.#schedule.length;
    const location = this.#location[i]!;
    if (location !== NONE) this.#last[location * this.#width + this.#schedule.thread[i]!] = this.#previous[i]!;
  }

  /** Returns whether the behaviours have forgotten all they knew since the last step: then locations and states have new numbers. */
  renew(): boolean {
    if (this.#epoch === this.#behaviours.epoch) return false;
    this.#renumber(this.#schedule.length);
    return true;
  }

  /** Whether step i happens before step j, which comes later, or is it. */
  happensBefore(i: number, j: number): boolean {
    const x = this.#schedule;
    return this.#clock.at(j, x.thread[i]!) > x.index[i]!;
  }

  /** The last step of thread v that the operation of state s depends on; NONE: there is none. */
  lastDependent(s: number, v: number): number {
    const effect = this.#traitsOf(s) & EFFECT;
    return effect === Effect.NONE ? NONE : this.#lastOf(this.#behaviours.location[s]!, effect, v);
  }

  /** Whether step i depends on the operation of state s, which is one of another thread. */
  dependsOn(i: number, s: number): boolean {
    const location = this.#location[i]!;
    if (location === NONE || location !== this.#behaviours.location[s]) return false;
    return effectsConflict(this.#effect[i]!, this.#traitsOf(s) & EFFECT);
  }

  /** Whether the operations of two states, of different threads, depend on each other. */
  areDependent(s: number, other: number): boolean {
    const b = this.#behaviours;
    const effect = this.#traitsOf(s) & EFFECT;
    if (effect === Effect.NONE || b.location[s] !== b.location[other]) return false;
    return effectsConflict(effect, this.#traitsOf(other) & EFFECT);
  }

  /** Whether the operation of state s may let a thread go on that waits for a value of its location. */
  letsThrough(s: number): boolean {
    return (this.#traitsOf(s) & LETS_THROUGH) !== 0;
  }

  // ---------------------------------------------------------------------------------------------------------------

  #lastOf(location: number, effect: number, v: number): number {
    if (location >= this.#locations || v >= this.#width) return NONE;
    let e = this.#last[location * this.#width + v]!;
    while (e !== NONE && !effectsConflict(this.#effect[e]!, effect)) e = this.#previous[e]!;
    return e;
  }

  #add(i: number, t: number): void {
    const s = this.#schedule.before[i]!;
    const effect = this.#traitsOf(s) & EFFECT;
    this.#effect[i] = effect;
    if (effect === Effect.NONE) {
      this.#location[i] = NONE;
      return;
    }
    const location = this.#behaviours.location[s]!;
    if (location >= this.#locations) this.#fit(location + 1, this.#width);
    const at = location * this.#width + t;
    this.#location[i] = location;
    this.#previous[i] = this.#last[at]!;
    this.#last[at] = i;
  }

  #startClock(i: number, t: number): void {
    const x = this.#schedule;
    const b = this.#behaviours;
    const clock = this.#clock;
    const before = x.previous[i] === NONE ? x.spawnOf(t) : x.previous[i]!;
    if (before === NONE) clock.clear(i);
    else clock.copy(i, before);
    clock.set(i, t, x.index[i]! + 1);
    const s = x.before[i]!;
    if (b.step[s] === Step.JOIN) clock.join(i, x.lastOf(b.operand[s]!));
  }

  #traitsOf(s: number): number {
    if (s >= this.#traits.length) this.#traits = grown(this.#traits, s + 1);
    const known = this.#traits[s]!;
    if (known !== 0) return known;
    const traits = this.#newTraits(s) | IS_KNOWN;
    this.#traits[s] = traits;
    return traits;
  }

  #newTraits(s: number): number {
    const b = this.#behaviours;
    if (b.step[s] === Step.WRITE) return Effect.WRITE | LETS_THROUGH;
    if (b.step[s] !== Step.READ) return Effect.NONE;
    if ((b.order[s]! & LOCKED) === 0) return Effect.READ;
    const operation = b.operation(s);
    if (operation.kind === 'lock' || operation.kind === 'trylock') return Effect.WRITE;
    if (!this.#ifaa || operation.kind !== 'update' || operation.commutes === undefined) {
      return Effect.WRITE | LETS_THROUGH;
    }
    return effectOfCommuting[operation.commutes] | LETS_THROUGH;
  }

  /** The first `length` steps have their locations by old numbers. */
  #renumber(length: number): void {
    this.#epoch = this.#behaviours.epoch;
    this.#traits.fill(0);
    this.#last.fill(NONE);
    for (let i = 0; i < length; i++) this.#add(i, this.#schedule.thread[i]!);
  }

  #ensure(): void {
    const { length } = this.#schedule;
    if (length > this.#location.length) {
      this.#location = grown(this.#location, length);
      this.#effect = grown(this.#effect, length);
      this.#previous = grown(this.#previous, length);
    }
    const threads = this.#behaviours.threads.length;
    this.#clock.fit(this.#location.length, threads);
    if (threads > this.#width) this.#fit(this.#locations, Math.max(threads, this.#width * 2));
  }

  /** Lays the last accesses out anew. */
  #fit(locations: number, width: number): void {
    const old = this.#last;
    const [oldWidth, oldLocations] = [this.#width, this.#locations];
    this.#locations = Math.max(locations, locations > oldLocations ? oldLocations * 2 : oldLocations, 16);
    this.#width = width;
    this.#last = new Int32Array(this.#locations * width).fill(NONE);
    for (let l = 0; l < oldLocations; l++) {
      for (let v = 0; v < oldWidth; v++) this.#last[l * width + v] = old[l * oldWidth + v]!;
    }
  }
}
