/**
 * What the explorers of interleavings have in common: one schedule that grows and shrinks, errors that a step brings about,
 * and how executions end. What differs is which step is taken next.
 */
import { type Behaviours, Step } from '../../program/behaviours.ts';
import { NONE } from '../../program/columns.ts';
import { endingOf } from '../../program/ending.ts';
import type { Execution, SavedSearch, WorkItem } from '../../program/execution.ts';
import {
  type Counts,
  type ExploreOptions,
  type Explorer,
  executionsOf,
  type Finding,
  isRerun,
  noCounts,
  type Warning,
} from '../explorer.ts';
import { type ClashKind, Findings } from '../findings.ts';
import { brokenOff, learnFrom, searchOf } from '../saved-knowledge.ts';
import { Interleaving } from './interleaving.ts';
import { anyStep, type MakePolicy, type SchedulePolicy } from './policy.ts';
import { roundOf } from './round.ts';

export abstract class ScheduleExplorer implements Explorer {
  readonly behaviours: Behaviours;
  readonly counts: Counts = noCounts();
  readonly interleaving: Interleaving;
  readonly #options: ExploreOptions;
  readonly #findings: Findings;
  readonly #policy: SchedulePolicy;
  /** How many steps of the schedule are told of, if there is an error now. */
  #told = 0;
  #started = false;
  isExhausted = false;
  /** Stays so if an exception ends a run. */
  #isRunning = false;

  constructor(behaviours: Behaviours, options: ExploreOptions, makePolicy: MakePolicy = () => anyStep) {
    this.behaviours = behaviours;
    this.interleaving = new Interleaving(behaviours);
    this.#policy = makePolicy(this.interleaving, this.counts);
    this.#options = options;
    this.#findings = new Findings(behaviours, options, this.counts);
    const policy = this.#policy;
    if (policy.preemptions !== undefined) {
      this.#findings.judgeAll({ isWithin: true, preemptions: () => policy.preemptions?.(this.#told) ?? 0 });
    }
  }

  get findings(): readonly Finding[] {
    return this.#findings.list;
  }

  get warnings(): readonly Warning[] {
    return this.#findings.warnings;
  }

  get cutExecutions(): number {
    return this.#findings.cut;
  }

  get exitStatus(): number | undefined {
    return this.#findings.exitStatus;
  }

  run(steps: number): boolean {
    this.#isRunning = true;
    if (!this.#started) {
      this.#started = true;
      this.#enter(0);
      this.begin();
    }
    for (let i = 0; i < steps && !this.isExhausted && !this.#findings.isOver; i++) this.step();
    this.#isRunning = false;
    return this.isExhausted || this.#findings.isOver;
  }

  abstract progress(): number;

  /** Whether the last step was one that the search stopped at: it is still to be explored. */
  protected get hasStopped(): boolean {
    return this.#findings.isOver;
  }

  /** What is left, if that is these items. */
  protected savedAs(items: readonly WorkItem[]): SavedSearch {
    if (this.#isRunning) throw brokenOff();
    this.#findings.giveBack();
    return searchOf(this.behaviours.program, items, this.#findings.hasErrors);
  }

  /** The program takes in what was known when the search was saved. */
  protected learnFrom(saved: SavedSearch): void {
    const x = this.interleaving;
    while (x.length > 0) this.undo();
    learnFrom(saved, this.behaviours);
    x.startOver([]);
  }

  /** Another part of the search begins. */
  protected goOnWith({ items, hasErrors }: SavedSearch): void {
    this.#findings.goOn(hasErrors);
    this.isExhausted = items.length === 0;
  }

  /** Called once, before the first step. */
  protected abstract begin(): void;

  /** Goes one step forwards or back; sets `isExhausted` where there is nothing left. */
  protected abstract step(): void;

  /** Whether thread t, which is enabled, may take a step: if the policy has nothing against it. */
  protected mayGo(t: number): boolean {
    return this.#policy.admits(t);
  }

  protected perform(t: number, choice: number): void {
    this.interleaving.perform(t, choice);
    this.#policy.performed(t);
  }

  protected undo(): void {
    const x = this.interleaving;
    const t = x.thread[x.length - 1]!;
    x.undo();
    this.#policy.undone(t);
  }

  /** Performs the steps of an execution that was saved, and nothing else. Returns which thread has an `id` of it. */
  protected follow({ threads, steps }: Execution): (id: number) => number {
    const x = this.interleaving;
    while (x.length > 0) this.undo();
    const threadOf = x.startOver(threads);
    for (const { thread, choice } of steps) {
      if (!x.isEnabled(threadOf(thread))) throw new Error('a saved schedule is not one of this program');
      this.perform(threadOf(thread), choice ?? 0);
    }
    return threadOf;
  }

  /** All will be explored again: the counts begin anew. */
  protected startOver(): void {
    this.#findings.startOver();
  }

  /** Errors that the last step, of thread t, brought about. */
  protected lookAround(t: number): void {
    const x = this.interleaving;
    const last = x.length - 1;
    this.#told = last;
    const i = this.#options.races ? x.racing(last) : NONE;
    if (i !== NONE) this.#findings.clash('race', x.accessOf(i), x.accessOf(last), () => x.witness(last));
    x.forEachMisuse(last, (kind, earlier) => {
      this.#findings.clash(kind, x.accessOf(earlier), x.accessOf(last), () => x.witness(last));
    });
    this.#told = x.length;
    this.#enter(t);
    const s = x.before[last]!;
    if (this.behaviours.step[s] === Step.SPAWN) this.#enter(this.behaviours.operand[s]!);
  }

  /** Whether the schedule is so long that it is taken not to end. */
  protected get isTooLong(): boolean {
    const { maxSteps } = this.#policy;
    return maxSteps !== undefined && this.interleaving.length >= maxSteps;
  }

  /** The schedule is so long, and some thread can go on: that is an error. */
  protected goesOnForEver(): void {
    const x = this.interleaving;
    const round = roundOf(x);
    this.#findings.endless(round, x.length, () => x.witness(round.shownIn));
  }

  /** No thread can go on: the execution counts. */
  protected end(): void {
    const x = this.interleaving;
    for (let t = 0; t < x.threadCount; t++) {
      if (x.isEnabled(t)) throw new Error('an interleaving ended although a thread can go on');
    }
    this.#lookAtWaiting();
    if (this.#findings.isOver) return;
    this.#findings.ended(
      endingOf(x),
      (t) => x.stateOf(t),
      () => x.witness(x.length),
    );
    if (isRerun(executionsOf(this.counts))) x.rerun();
  }

  /** Who waits looks at the memory again and again: at what was freed, if it was, and at what others write meanwhile. */
  #lookAtWaiting(): void {
    const x = this.interleaving;
    const b = this.behaviours;
    for (let t = 0; t < x.threadCount; t++) {
      const s = x.stateOf(t);
      if (s === NONE || b.step[s] !== Step.READ) continue;
      const found = (kind: ClashKind, i: number): void => {
        if (i !== NONE) this.#findings.clash(kind, x.accessOf(i), { thread: t, state: s }, () => x.witness(x.length));
      };
      found('use-after-free', x.freeOfAwaited(s));
      if (this.#options.races) found('race', x.racingWithAwait(t, s, x.lastAccess(b.location[s]!), x.lastOf(t)));
    }
  }

  #enter(t: number): void {
    const x = this.interleaving;
    this.#findings.reached(t, x.stateOf(t), () => x.witness(x.length));
  }
}
