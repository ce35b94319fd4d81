/**
 * Bounded partial-order reduction ([BPOR], Algorithm 2, with Algorithms 3 and 4): at least one schedule of every class of
 * schedules that has one within a bound, and none beyond it.
 *
 * What differs from the paper:
 * - Explore is a loop over a stack of points. At each prefix only those dependences are looked for that the last step has brought
 *   about (lines 4 to 7): its own with what others do next, and those of its thread's new next operation. All others were there
 *   at an earlier prefix, with the same S_i, and asked for the same.
 * - Dependences that happens-before orders anyway ask for nothing (the first optimisation of section 5). A request for a thread that
 *   cannot go on asks for one that leads to it (the second); the others are asked for because of the bound.
 * - What is asked for only because of the bound is explored only if the bound has refused something in what was explored from
 *   that point. If it has not, partial-order reduction without a bound has seen all there is.
 * - Sleep sets. What section 5.4 says loses classes. Here a thread whose exploration the bound did not cut sleeps as it would
 *   without a bound; else only as long as its step would not have been cheaper here than where it was explored
 *   (`Procedures.staysAsleep`). A request for a thread that is asleep asks for all: the races that it would show here were
 *   found where other threads slept.
 * - All options of a choose are explored where its thread is taken; it sleeps when all are done.
 */
import { type Behaviours, Step } from '../../../program/behaviours.ts';
import { NONE } from '../../../program/columns.ts';
import { nothingExplored } from '../../../program/execution.ts';
import type { Bounded, SearchBound } from '../../explorer.ts';
import type { OrderedOptions } from '../dpor/ordered-schedule.ts';
import { type Limits, ScheduleBound } from '../schedule-bound.ts';
import { ScheduleExplorer } from '../schedule-explorer.ts';
import { CombinedProcedures } from './combined.ts';
import { Dependences } from './dependences.ts';
import { FairProcedures } from './fair.ts';
import { Mark, Points } from './points.ts';
import { PreemptionProcedures } from './preemption.ts';
import { type Procedures, type Search, usualVariant, type Variant } from './procedures.ts';

export class Bpor extends ScheduleExplorer implements Bounded {
  readonly #bound: ScheduleBound;
  readonly #points: Points;
  readonly #dependences: Dependences;
  readonly #search: Search;
  #procedures: Procedures;
  readonly #variant: Variant;

  constructor(behaviours: Behaviours, options: OrderedOptions, limits: Limits, variant: Partial<Variant> = {}) {
    let bound: ScheduleBound | undefined;
    super(behaviours, options, (schedule, counts) => {
      bound = new ScheduleBound(schedule, counts, limits);
      return bound;
    });
    this.#bound = bound as unknown as ScheduleBound;
    this.#variant = { ...usualVariant, ...variant };
    this.#points = new Points();
    this.#dependences = new Dependences(this.interleaving, options.ifaa);
    this.#search = {
      schedule: this.interleaving,
      points: this.#points,
      dependences: this.#dependences,
      bound: this.#bound,
      variant: this.#variant,
    };
    this.#procedures = proceduresFor(this.#search);
  }

  get keepsRefused(): boolean {
    return false;
  }

  get bounds(): readonly SearchBound[] {
    return this.#bound.list;
  }

  get bound(): number {
    return this.#bound.value;
  }

  /** Nothing is kept, not even what the procedures have learned: a bound gives the same counts whatever came before it. */
  deepen(): void {
    this.#bound.raise();
    this.#procedures = proceduresFor(this.#search);
    this.startOver();
    this.goOnWith({ items: [nothingExplored], hasErrors: this.findings.length > 0 });
    this.begin();
  }

  progress(): number {
    if (this.isExhausted) return 1;
    let part = 0;
    let weight = 1;
    for (let d = 0; d <= this.interleaving.length; d++) {
      const wanted = this.#points.count(d, Mark.WANTED);
      const done = this.#points.count(d, Mark.DONE);
      weight /= Math.max(1, wanted, done + 1);
      part += weight * done;
    }
    return part;
  }

  // ----------------------------------------------------------------------------------------------- procedure Explore

  protected begin(): void {
    this.#arrive(0);
  }

  /** Lines 10 to 13. */
  protected step(): void {
    const points = this.#points;
    const d = this.interleaving.length;
    const t = this.isTooLong ? NONE : points.choice[d]! > 0 ? points.current[d]! : this.#next(d);
    if (t === NONE) {
      if (points.taken[d] === 0) this.#endOfSchedule(d);
      this.#leave();
    } else if (points.choice[d] === 0 && !this.mayGo(t)) {
      points.set(d, t, Mark.DONE);
      points.isCut[d] = 1;
    } else {
      this.#take(d, t);
    }
  }

  /** u ∈ backtrack(s) \ visited. */
  #next(d: number): number {
    const points = this.#points;
    const { lazy } = this.#variant;
    const t = points.next(d, lazy ? Mark.WANTED : Mark.WANTED | Mark.LATER);
    return t === NONE && lazy && points.isCut[d] === 1 ? points.next(d, Mark.LATER) : t;
  }

  #take(d: number, t: number): void {
    const points = this.#points;
    points.current[d] = t;
    points.taken[d] = points.taken[d]! + 1;
    this.perform(t, points.choice[d]!);
    this.#dependences.performed();
    points.blockStart[d] = d > 0 && this.interleaving.thread[d - 1] === t ? points.blockStart[d - 1]! : d;
    this.#arrive(d + 1);
    this.lookAround(t);
  }

  #arrive(d: number): void {
    const x = this.interleaving;
    const points = this.#points;
    points.arrive(d, x.threadCount);
    for (let t = 0; t < x.threadCount; t++) if (x.isEnabled(t)) points.set(d, t, Mark.ENABLED);
    this.#procedures.arrive(d);
    if (d > 0) {
      if (this.#variant.sleep !== 'none') this.#fallAsleep(d);
      this.#addBacktrackPoints(d - 1);
    }
    this.#initialize(d);
  }

  /** Line 8. */
  #initialize(d: number): void {
    const points = this.#points;
    let first = this.#procedures.initialize(d);
    if (first === NONE) return;
    if (points.has(d, first, Mark.ASLEEP)) {
      first = points.awake(d);
      if (first === NONE) return;
      if (this.#variant.sleepersAskForAll) points.addAll(d, Mark.LATER);
    }
    points.set(d, first, Mark.WANTED);
    this.#procedures.added(d, first);
  }

  // ------------------------------------------------------------------------------------------------ lines 4 to 7

  /** What depends on what, since step i, the last one. */
  #addBacktrackPoints(i: number): void {
    const x = this.interleaving;
    const b = this.behaviours;
    const t = x.thread[i]!;
    const s = x.before[i]!;
    const child = b.step[s] === Step.SPAWN ? b.operand[s]! : NONE;
    this.#lookBack(t);
    if (child !== NONE) this.#lookBack(child);
    const hasEnded = this.#variant.joins && b.step[x.stateOf(t)] === Step.END;
    for (let u = 0; u < x.threadCount; u++) {
      const next = x.stateOf(u);
      if (u === t || u === child || next === NONE) continue;
      if (this.#dependences.dependsOn(i, next)) this.#procedures.backtrack(i, u, Mark.WANTED);
      else if (hasEnded && b.step[next] === Step.JOIN && b.operand[next] === t) {
        this.#procedures.backtrack(i, u, Mark.LATER);
      }
    }
  }

  /** Thread u has a new next operation: for each other thread, the last step that it depends on. */
  #lookBack(u: number): void {
    const x = this.interleaving;
    const b = this.behaviours;
    const s = x.stateOf(u);
    if (b.step[s] === Step.JOIN) {
      const target = b.operand[s]!;
      if (!this.#variant.joins || target === NONE || x.stateOf(target) === NONE) return;
      const end = x.lastOf(target);
      if (b.step[x.stateOf(target)] !== Step.END || this.#isOrdered(end, u)) return;
      this.#procedures.backtrack(end, u, Mark.LATER);
      return;
    }
    if (b.step[s]! > Step.WRITE) return;
    for (let v = 0; v < x.threadCount; v++) {
      if (v === u) continue;
      const i = this.#dependences.lastDependent(s, v);
      if (i === NONE || this.#isOrdered(i, u)) continue;
      this.#procedures.backtrack(i, u, Mark.WANTED);
    }
  }

  /** Whether step i happens before the next operation of thread u, so that no other order of the two need be asked for. */
  #isOrdered(i: number, u: number): boolean {
    const before = this.interleaving.lastOf(u);
    return this.#variant.skipsOrdered && before !== NONE && this.#dependences.happensBefore(i, before);
  }

  // ------------------------------------------------------------------------------------------------------ sleep sets

  /** Who was explored at the point before, or slept there, and sleeps on after the last step. */
  #fallAsleep(d: number): void {
    const x = this.interleaving;
    const points = this.#points;
    const t = x.thread[d - 1]!;
    for (let q = 0; q < x.threadCount; q++) {
      if (q === t || !points.has(d - 1, q, Mark.ASLEEP | Mark.EXPLORED)) continue;
      if (this.#dependences.dependsOn(d - 1, x.stateOf(q))) continue;
      if (!points.has(d - 1, q, Mark.CUT)) points.set(d, q, Mark.ASLEEP);
      else if (this.#staysAsleep(q, d)) {
        points.set(d, q, Mark.ASLEEP | Mark.CUT);
        points.isCut[d] = 1;
      }
    }
  }

  #staysAsleep(q: number, d: number): boolean {
    switch (this.#variant.sleep) {
      case 'as written':
        return this.#points.has(d - 1, q, Mark.ASLEEP | Mark.WANTED);
      case 'beside':
        return this.#points.has(d - 1, this.interleaving.thread[d - 1]!, Mark.WANTED);
      default:
        return this.#procedures.staysAsleep(q, d);
    }
  }

  // ------------------------------------------------------------------------------------------------------------ back

  #endOfSchedule(d: number): void {
    if (this.#points.count(d, Mark.ENABLED) === 0) this.end();
    else if (this.isTooLong) {
      this.goesOnForEver();
      this.#points.isCut[d] = 1;
    } else this.counts.redundant++;
    this.interleaving.tidy();
    this.#dependences.renew();
  }

  /** Goes back to the point before; what led here was explored there, if it was its last option. */
  #leave(): void {
    const x = this.interleaving;
    const points = this.#points;
    const d = x.length - 1;
    if (d < 0) {
      this.isExhausted = true;
      return;
    }
    const t = x.thread[d]!;
    if (points.isCut[d + 1] === 1) {
      points.isCut[d] = 1;
      points.set(d, t, Mark.CUT);
    }
    if (points.has(d + 1, t, Mark.ENABLED)) points.set(d, t, Mark.GOES_ON);
    this.undo();
    this.#dependences.undone();
    const b = this.behaviours;
    const s = x.stateOf(t);
    if (b.step[s] === Step.CHOOSE && points.choice[d]! + 1 < b.operand[s]!) {
      points.choice[d] = points.choice[d]! + 1;
      return;
    }
    points.choice[d] = 0;
    points.set(d, t, Mark.DONE | Mark.EXPLORED);
  }
}

function proceduresFor(search: Search): Procedures {
  const { preemption, fair } = search.bound;
  if (fair === undefined) {
    if (preemption === undefined) throw new Error('a bounded search needs a bound');
    return new PreemptionProcedures(search, preemption);
  }
  return preemption === undefined ? new FairProcedures(search, fair) : new CombinedProcedures(search, preemption, fair);
}
