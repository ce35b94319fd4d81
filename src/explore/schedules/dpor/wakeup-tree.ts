/**
 * Wakeup trees ([Await], section IV-B and Algorithm 1, lines 34 to 44; from [Source]): the sequences that are still to be explored
 * from a point of the schedule, as an ordered tree of steps.
 */
import { NONE } from '../../../program/columns.ts';
import { conflict, Effect } from './ordered-schedule.ts';

/** A step that a thread would take: which option of a choose it takes, and what it does to which location. */
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

  push(step: number, thread: number, choice: number, effect: number, location: number): void {
    const k = this.length++;
    this.step[k] = step;
    this.thread[k] = thread;
    this.choice[k] = choice;
    this.effect[k] = effect;
    this.location[k] = location;
  }

  remove(at: number): void {
    this.length--;
    for (let k = at; k < this.length; k++) {
      this.step[k] = this.step[k + 1] as number;
      this.thread[k] = this.thread[k + 1] as number;
      this.choice[k] = this.choice[k + 1] as number;
      this.effect[k] = this.effect[k + 1] as number;
      this.location[k] = this.location[k + 1] as number;
    }
  }
}

const NOT_INITIAL = -1;

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

/**
 * Procedure insert: adds v, which it uses up, to the tree with these branches, unless what it leads to is explored anyway. `isExact`: also
 * where it follows from races that will be found there.
 */
export function insert(v: Sequence, branches: Wakeup[], isExact: boolean): void {
  let children = branches;
  for (let i = 0; i < children.length; i++) {
    const child = children[i] as Wakeup;
    const place = placeAsWeakInitial(child, v);
    if (place === NOT_INITIAL) continue;
    if (place === v.length && !isExact) return;
    if (place < v.length) v.remove(place);
    if (v.length === 0 || child.children.length === 0) return;
    children = child.children;
    i = -1;
  }
  for (let k = 0; k < v.length; k++) {
    const wakeup: Wakeup = {
      thread: v.thread[k] as number,
      choice: v.choice[k] as number,
      effect: v.effect[k] as number,
      location: v.location[k] as number,
      isFree: false,
      children: [],
    };
    children.push(wakeup);
    children = wakeup.children;
  }
}
