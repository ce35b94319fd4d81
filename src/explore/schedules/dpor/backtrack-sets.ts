/**
 * What the algorithms that keep a set of threads to explore at each point of the schedule have in common (`dpor`, `source`):
 * [DPOR], [Source] with sleep sets. A race adds a thread to the set of the point before its first step; which one is what they
 * differ in. They may come to points where all threads that can go on are asleep: what was explored up to there is redundant.
 */
import { type Behaviours, Step } from '../../../program/behaviours.ts';
import { ScheduleExplorer } from '../schedule-explorer.ts';
import { conflict, LATER, type OrderedOptions, OrderedSchedule } from './ordered-schedule.ts';
import { Races } from './races.ts';
import { type NextStep, Sequence } from './wakeup-tree.ts';

/** A prefix E of the schedule. */
export interface Point {
  readonly enabled: readonly number[];
  /** backtrack(E): threads that are to be explored from here, those that were included. */
  readonly backtrack: number[];
  /** How many of these were explored or are being explored. */
  explored: number;
  /** Sleep: threads whose next step leads to what has been explored, with that step. */
  readonly sleep: NextStep[];
  /** The option that the thread takes which is being explored, if it is at a choose. */
  choice: number;
}

export abstract class BacktrackSets extends ScheduleExplorer {
  readonly schedule: OrderedSchedule;
  readonly #points: Point[] = [];
  readonly #v = new Sequence();
  readonly #races: Races;

  constructor(behaviours: Behaviours, options: OrderedOptions) {
    super(behaviours, options);
    this.schedule = new OrderedSchedule(this.interleaving, options.ifaa);
    this.#races = new Races(this.schedule);
  }

  /** Adds to backtrack(E') of the point before step e what the race that v takes the other way round asks for. */
  protected abstract addBacktrack(point: Point, e: number, v: Sequence): void;

  progress(): number {
    if (this.isExhausted) return 1;
    let part = 0;
    let weight = 1;
    for (const { backtrack, explored } of this.#points) {
      weight /= Math.max(1, backtrack.length);
      part += weight * Math.max(0, explored - 1);
    }
    return part;
  }

  protected begin(): void {
    this.#arrive([]);
  }

  protected step(): void {
    const point = this.#points.at(-1) as Point;
    const t = point.backtrack[point.explored];
    if (t === undefined) {
      if (point.explored === 0) this.#endOfSchedule(point);
      this.#leave();
      return;
    }
    point.explored++;
    if (point.sleep.some((q) => q.thread === t)) return;
    this.#take(point, t);
  }

  #arrive(sleep: NextStep[]): void {
    const x = this.interleaving;
    const enabled: number[] = [];
    for (let t = 0; t < x.threadCount; t++) if (x.isEnabled(t)) enabled.push(t);
    const first = enabled.find((t) => !sleep.some((q) => q.thread === t));
    this.#points.push({ enabled, backtrack: first === undefined ? [] : [first], explored: 0, sleep, choice: 0 });
  }

  #take(point: Point, t: number): void {
    const { schedule } = this;
    schedule.perform(t, point.choice);
    const i = schedule.length - 1;
    const staysAsleep = (q: NextStep): boolean =>
      q.thread !== t && !conflict(q.location, q.effect, schedule.location[i]!, schedule.effect[i]!);
    this.#arrive(point.sleep.filter(staysAsleep));
    this.lookAround(t);
  }

  #endOfSchedule(point: Point): void {
    if (point.enabled.length === 0) this.end();
    else this.counts.redundant++;
    this.#races.forEach(this.#v, (e) => {
      this.addBacktrack(this.#points[e] as Point, e, this.#v);
      return LATER;
    });
    this.interleaving.tidy();
  }

  /** Goes back to the point before; the thread that led here sleeps there from now on. */
  #leave(): void {
    this.#points.pop();
    const point = this.#points.at(-1);
    if (point === undefined) {
      this.isExhausted = true;
      return;
    }
    const { schedule } = this;
    const i = schedule.length - 1;
    const thread = this.interleaving.thread[i]!;
    const done: NextStep = { thread, choice: 0, effect: schedule.effect[i]!, location: schedule.location[i]! };
    schedule.undo();
    const b = this.behaviours;
    const s = this.interleaving.stateOf(thread);
    if (b.step[s] === Step.CHOOSE && point.choice + 1 < b.operand[s]!) {
      point.choice++;
      point.explored--;
      return;
    }
    point.choice = 0;
    point.sleep.push(done);
  }
}
