/**
 * Procedure insert of [Await] (lines 34 to 44), but what is added to a wakeup tree is only a part w of the sequence v: as much of it as
 * wakes all that sleeps where it begins, or will sleep when its turn comes, and what happens before that, in the order of v.
 *
 * Why this is enough. w can be taken where v can, and v continues it. Nothing sleeps after w, so all that continues w is explored, v
 * included. And nothing of that is explored elsewhere: w has woken each step q that was explored before by taking something that conflicts
 * with q while q was still to come. (v wakes all of them, else it has a weak initial among them and is not planned.) For the same
 * reason nothing is added if the tree has a sequence that v continues and after which nothing sleeps.
 *
 * Why it matters. Plans for one point of the schedule often differ only in what does not matter there, and there can be exponentially
 * many. What makes them long is what wakes earlier branches of the tree. So short ones come first: if a new one is shorter than those
 * that wait, the tree is made anew from all of them in the order of their lengths. A sequence that does not wake the branches that
 * come before it then cannot be placed, as no more is known of what it was a part of; then the tree stays as it is.
 *
 * When a schedule has come to its end, most of its races were those of the one before, and what is planned for them is settled by steps that
 * are the same: that v continues w, or something else that is planned or was explored, follows from the steps of that, as those that come
 * later than all of them in the schedule do not conflict with them. (Nor with the step that is brought forward, if it does the same
 * as it did, since they would depend on e by that.) Such a race is not looked at again.
 *
 * (With observers plans are inserted whole: there it also matters what is read later.)
 */
import { NONE } from '../../../program/columns.ts';
import { conflict, effectsConflict, LATER, type OrderedSchedule } from './ordered-schedule.ts';
import { append, type NextStep, NOT_INITIAL, Sequence, type Wakeup } from './wakeup-tree.ts';

/** Trees with more steps are not made anew. */
const MOST_STEPS = 1000;

export class Plans {
  readonly #schedule: OrderedSchedule;
  readonly #rest = new Sequence();
  /** The branches that were looked at: passed, or taken since what is planned begins with them. */
  readonly #trail: Wakeup[] = [];
  readonly #taken: Wakeup[] = [];
  /** Trees are not made anew as often as that has failed: programs are such that it can be done or that it cannot. */
  #failures = 0;
  #toSkip = 0;

  constructor(schedule: OrderedSchedule) {
    this.#schedule = schedule;
  }

  /**
   * Plans v, which it uses up, where these sleep: steps of the schedule and one that comes earlier than there. The first of the branches is
   * being explored, and conflicts with that one. Gives the last step on which it rests that v is explored.
   */
  plan(v: Sequence, sleep: readonly NextStep[], branches: Wakeup[]): number {
    for (const q of sleep) {
      const place = placeOf(q, v);
      if (place !== NOT_INITIAL) return restsOn(v, place);
    }
    return this.#insert(v, sleep, branches);
  }

  #insert(v: Sequence, sleep: readonly NextStep[], branches: Wakeup[]): number {
    if (branches.length === 1) {
      this.#shorten(v, [...sleep, branches[0] as Wakeup]);
      append(v, branches);
      return restsOnAll(v);
    }
    const rest = this.#rest;
    const trail = this.#trail;
    const taken = this.#taken;
    rest.copy(v);
    trail.length = 0;
    taken.length = 0;
    let basis = NONE;
    let children = branches;
    for (let i = 1; i < children.length; i++) {
      const child = children[i] as Wakeup;
      const place = placeOf(child, rest);
      trail.push(child);
      if (place === NOT_INITIAL) continue;
      basis = Math.max(basis, restsOn(rest, place));
      if (place === rest.length || child.children.length === 0) return basis;
      rest.remove(place);
      taken.push(child);
      children = child.children;
      i = -1;
    }
    const explored = [...sleep, branches[0] as Wakeup];
    const asleep = this.#asleepAfterTrail(explored);
    if (asleep.length === 0) return basis;
    this.#shorten(rest, asleep);
    if (this.#toSkip-- <= 0) {
      this.#shorten(v, explored);
      if (v.length < taken.length + rest.length && this.#insertShort(v, branches)) return restsOnAll(v);
    }
    append(rest, children);
    return Math.max(basis, restsOnAll(rest));
  }

  /** Of what was explored, and the branches that were passed, what sleeps at the end; nothing if at some point nothing sleeps. */
  #asleepAfterTrail(explored: readonly NextStep[]): readonly NextStep[] {
    let asleep = [...explored];
    let i = 0;
    for (const child of this.#trail) {
      if (child !== this.#taken[i]) {
        asleep.push(child);
        continue;
      }
      i++;
      asleep = asleep.filter((q) => !wakes(child.thread, child.location, child.effect, q));
      if (asleep.length === 0) break;
    }
    return asleep;
  }

  #insertShort(v: Sequence, branches: Wakeup[]): boolean {
    const isInserted = insertShort(v, branches);
    this.#failures = isInserted ? 0 : this.#failures + 1;
    this.#toSkip = this.#failures;
    return isInserted;
  }

  /** Leaves of v what wakes those that sleep, and what happens before that. */
  #shorten(v: Sequence, asleep: readonly NextStep[]): void {
    const isNeeded = new Uint8Array(v.length);
    for (const q of asleep) {
      let k = 0;
      while (k < v.length && !wakes(v.thread[k] as number, v.location[k] as number, v.effect[k] as number, q)) k++;
      if (k === v.length) throw new Error('a plan does not wake what sleeps where it begins');
      isNeeded[k] = 1;
    }
    for (let k = v.length - 1; k >= 0; k--) {
      if (isNeeded[k] === 0) continue;
      for (let j = 0; j < k; j++) if (isNeeded[j] === 0 && v.isBefore(j, k, this.#schedule)) isNeeded[j] = 1;
    }
    v.keep((k) => isNeeded[k] === 1);
  }
}

/** `placeAsWeakInitial`, of which this is the part that matters without observers. Hot code. */
function placeOf(p: NextStep, v: Sequence): number {
  const { thread, location, effect } = v;
  for (let k = 0; k < v.length; k++) {
    if (thread[k] === p.thread) return v.choice[k] === p.choice ? k : NOT_INITIAL;
    if (location[k] === p.location && effectsConflict(p.effect, effect[k] as number)) return NOT_INITIAL;
  }
  return v.length;
}

/** The last step on which it rests that a step which comes first can be the k-th of v. */
function restsOn(v: Sequence, k: number): number {
  const step = k < v.length ? (v.step[k] as number) : LATER;
  return step === NONE ? (v.isLastSame ? v.last : LATER) : step;
}

/** On which it rests that v consists of these steps. */
function restsOnAll(v: Sequence): number {
  let last = NONE;
  for (let k = 0; k < v.length; k++) last = Math.max(last, restsOn(v, k));
  return last;
}

/** Whether q no longer sleeps after a step of the thread. */
function wakes(thread: number, location: number, effect: number, q: NextStep): boolean {
  return thread === q.thread || conflict(location, effect, q.location, q.effect);
}

/** Adds v to the tree of all branches but the first, and makes that anew, short sequences first. False if that cannot be done. */
function insertShort(v: Sequence, branches: Wakeup[]): boolean {
  const all = sequencesOf(branches.slice(1));
  if (all === undefined) return false;
  all.push(v);
  all.sort((a, b) => a.length - b.length);
  const tree: Wakeup[] = [];
  if (!all.every((sequence) => isPlaced(sequence, tree))) return false;
  branches.splice(1, branches.length, ...tree);
  return true;
}

/** Adds a sequence to a tree, unless it continues another one. False if it does not wake one that comes before. */
function isPlaced(v: Sequence, tree: Wakeup[]): boolean {
  const u = new Sequence();
  u.copy(v);
  let children = tree;
  for (let i = 0; i < children.length; i++) {
    const child = children[i] as Wakeup;
    const place = placeOf(child, u);
    if (place === NOT_INITIAL) continue;
    if (place === u.length) return false;
    u.remove(place);
    if (child.children.length === 0) return true;
    children = child.children;
    i = -1;
  }
  append(u, children);
  return true;
}

/** The sequences of a tree; undefined if they are too many. */
function sequencesOf(tree: readonly Wakeup[]): Sequence[] | undefined {
  const sequences: Sequence[] = [];
  const path: Wakeup[] = [];
  let steps = 0;
  const visit = (wakeup: Wakeup): void => {
    path.push(wakeup);
    if (wakeup.children.length === 0) {
      const sequence = new Sequence();
      for (const { thread, choice, effect, location } of path) sequence.push(NONE, thread, choice, effect, location);
      sequences.push(sequence);
      steps += path.length;
    }
    for (const child of wakeup.children) if (steps <= MOST_STEPS) visit(child);
    path.pop();
  };
  for (const wakeup of tree) visit(wakeup);
  return steps > MOST_STEPS ? undefined : sequences;
}
