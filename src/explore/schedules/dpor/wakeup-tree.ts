/**
 * Wakeup trees ([Await], section IV-B and Algorithm 1, lines 34 to 44; from [Source]): the sequences that are still to be explored
 * from a point of the schedule, as an ordered tree of steps.
 */
import { NONE } from '../../../program/columns.ts';
import { conflict, Effect, type OrderedSchedule } from './ordered-schedule.ts';

/** A step that a thread would take: which option of a choose it takes, and what it does to which location, by its key. */
export interface NextStep {
  readonly thread: number;
  readonly choice: number;
  effect: number;
  location: number;
}

/** A step that leads to what has been explored, if it is taken before what it conflicts with. */
export interface Sleeping extends NextStep {
  /** It is a blind write, and another one to its location has been taken meanwhile: if it is read, it is new to take it now. */
  readonly isAfterBlind?: boolean;
  /** So it was taken, since something was planned that reads it. Until that happens it is here, whatever its thread does next. */
  readonly isToBeObserved?: boolean;
}

export interface Wakeup extends NextStep {
  /** Nothing asked for this step: if it is a choose, its other options are to be explored, too. */
  readonly isFree: boolean;
  readonly children: Wakeup[];
}

/** A sequence of steps: `v` of the algorithm. Made to be used again and again. */
export class Sequence {
  length = 0;
  readonly thread: number[] = [];
  readonly choice: number[] = [];
  readonly effect: number[] = [];
  readonly location: number[] = [];
  /** The steps of the schedule that they are; NONE for one that comes earlier than it did. */
  readonly step: number[] = [];
  /** The step of the schedule before the last one in its thread, or the one that spawned that thread; NONE: there is none. */
  before = NONE;
  /** The last one is step `last` of the schedule, brought forward; whether it does the same there. */
  last = NONE;
  isLastSame = false;

  push(step: number, thread: number, choice: number, effect: number, location: number): void {
    const k = this.length++;
    this.step[k] = step;
    this.thread[k] = thread;
    this.choice[k] = choice;
    this.effect[k] = effect;
    this.location[k] = location;
  }

  /** Makes it the same as another one. */
  copy(other: Sequence): void {
    this.length = 0;
    for (let k = 0; k < other.length; k++) {
      const { step, thread, choice, effect, location } = other;
      this.push(
        step[k] as number,
        thread[k] as number,
        choice[k] as number,
        effect[k] as number,
        location[k] as number,
      );
    }
    this.before = other.before;
    this.last = other.last;
    this.isLastSame = other.isLastSame;
  }

  remove(at: number): void {
    this.length--;
    for (let k = at; k < this.length; k++) this.#move(k + 1, k);
  }

  /** Whether the j-th step, taken from the schedule, happens before the k-th, a later one. */
  isBefore(j: number, k: number, schedule: OrderedSchedule): boolean {
    const earlier = this.step[j] as number;
    const later = this.step[k] as number;
    if (later !== NONE) return schedule.happensBefore(earlier, later);
    if (this.before !== NONE && schedule.happensBefore(earlier, this.before)) return true;
    const { location, effect } = this;
    return conflict(location[j] as number, effect[j] as number, location[k] as number, effect[k] as number);
  }

  keep(isKept: (k: number) => boolean): void {
    let length = 0;
    for (let k = 0; k < this.length; k++) if (isKept(k)) this.#move(k, length++);
    this.length = length;
  }

  #move(from: number, to: number): void {
    this.step[to] = this.step[from] as number;
    this.thread[to] = this.thread[from] as number;
    this.choice[to] = this.choice[from] as number;
    this.effect[to] = this.effect[from] as number;
    this.location[to] = this.location[from] as number;
  }
}

export const NOT_INITIAL = -1;

/**
 * Definition 3: whether the thread of p is a weak initial of v, that is, whether p is independent of all that comes before its thread's
 * first step in v, or of all of v. (The options of a choose are different steps.) Returns the place of that step, the length of v
 * if it has none, or NOT_INITIAL.
 */
function placeAsWeakInitial(p: Sleeping, v: Sequence): number {
  let isAfterBlind = p.isAfterBlind === true;
  for (let k = 0; k < v.length; k++) {
    if (v.thread[k] === p.thread) {
      if (v.choice[k] !== p.choice) return NOT_INITIAL;
      return isAfterBlind && isRead(p.location, v, k + 1) ? NOT_INITIAL : k;
    }
    if (conflict(p.location, p.effect, v.location[k] as number, v.effect[k] as number)) return NOT_INITIAL;
    if (areBlind(p.location, p.effect, v.location[k] as number, v.effect[k] as number)) isAfterBlind = true;
  }
  return v.length;
}

/** Whether both are blind writes to one location. */
function areBlind(locationA: number, effectA: number, locationB: number, effectB: number): boolean {
  return effectA === Effect.BLIND && effectB === Effect.BLIND && locationA === locationB;
}

/** Whether what is in a location is read by the steps of v from one on, before it is overwritten. */
function isRead(location: number, v: Sequence, from: number): boolean {
  for (let k = from; k < v.length; k++) {
    if (v.location[k] === location && v.effect[k] !== Effect.NONE) return v.effect[k] !== Effect.BLIND;
  }
  return false;
}

/** Whether what v leads to was explored where q was taken first. */
export function wasExploredBy(q: Sleeping, v: Sequence): boolean {
  return q.isToBeObserved === true ? !isRead(q.location, v, 0) : placeAsWeakInitial(q, v) !== NOT_INITIAL;
}

/** What is left of the sleeping step q after the step p is taken; undefined: it is awake. */
export function asleepAfter(q: Sleeping, p: NextStep): Sleeping | undefined {
  if (q.isToBeObserved !== true && q.thread === p.thread) {
    return q.effect === Effect.BLIND && q.choice === p.choice ? { ...q, isToBeObserved: true } : undefined;
  }
  if (conflict(q.location, q.effect, p.location, p.effect)) return undefined;
  return areBlind(q.location, q.effect, p.location, p.effect) ? { ...q, isAfterBlind: true } : q;
}

/** Procedure insert: adds v, which it uses up, to the tree with these branches, unless what it leads to was planned before. */
export function insertWhole(v: Sequence, branches: Wakeup[]): void {
  let children = branches;
  for (let i = 0; i < children.length; i++) {
    const child = children[i] as Wakeup;
    const place = placeAsWeakInitial(child, v);
    if (place === NOT_INITIAL) continue;
    if (place < v.length) v.remove(place);
    if (v.length === 0 || child.children.length === 0) return;
    children = child.children;
    i = -1;
  }
  append(v, children);
}

/** Adds v after the others, with nothing in common. */
export function append(v: Sequence, branches: Wakeup[]): void {
  let children: Wakeup[] = [];
  for (let k = v.length - 1; k >= 0; k--) {
    children = [
      {
        thread: v.thread[k] as number,
        choice: v.choice[k] as number,
        effect: v.effect[k] as number,
        location: v.location[k] as number,
        isFree: false,
        children,
      },
    ];
  }
  branches.push(...children);
}
