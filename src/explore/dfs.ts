/**
 * Every interleaving, by plain depth-first search: the baseline that shows what reduction buys, and a second opinion on
 * its results. A step is one operation of one thread; every option of a choose is a step of its own.
 */
import { type Behaviours, Step } from '../program/behaviours.ts';
import { NONE } from '../program/columns.ts';
import {
  type Counts,
  type ExploreOptions,
  type Explorer,
  executionsOf,
  type Finding,
  isRerun,
  noCounts,
  type Warning,
} from './explorer.ts';
import { Findings } from './findings.ts';
import { Interleaving } from './interleaving.ts';

/** A point of the schedule: the steps that can come next, as pairs of thread and option. */
interface Branch {
  readonly options: readonly (readonly [thread: number, choice: number])[];
  next: number;
}

export class DepthFirstSearch implements Explorer {
  readonly behaviours: Behaviours;
  readonly counts: Counts = noCounts();
  readonly interleaving: Interleaving;
  readonly #options: ExploreOptions;
  readonly #findings: Findings;
  readonly #branches: Branch[] = [];
  #started = false;
  isExhausted = false;

  constructor(behaviours: Behaviours, options: ExploreOptions) {
    this.behaviours = behaviours;
    this.interleaving = new Interleaving(behaviours);
    this.#options = options;
    this.#findings = new Findings(behaviours, options, this.counts);
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

  run(steps: number): boolean {
    if (!this.#started) {
      this.#started = true;
      this.#enter(0);
      this.#branch();
    }
    for (let i = 0; i < steps && !this.isExhausted && !this.#findings.isOver; i++) this.#step();
    return this.isExhausted || this.#findings.isOver;
  }

  progress(): number {
    if (this.isExhausted) return 1;
    let part = 0;
    let weight = 1;
    for (const { options, next } of this.#branches) {
      weight /= Math.max(1, options.length);
      part += weight * Math.max(0, next - 1);
    }
    return part;
  }

  /** Takes the next option of the last branch, or goes back behind it. */
  #step(): void {
    const branch = this.#branches.at(-1);
    if (branch === undefined) {
      this.isExhausted = true;
      return;
    }
    const option = branch.options[branch.next++];
    if (option === undefined) {
      this.#branches.pop();
      if (this.#branches.length > 0) this.interleaving.undo();
      return;
    }
    const [t, choice] = option;
    this.interleaving.perform(t, choice);
    this.#lookAround(t);
    this.#branch();
  }

  #branch(): void {
    const x = this.interleaving;
    const b = this.behaviours;
    const options: [number, number][] = [];
    for (let t = 0; t < x.threadCount; t++) {
      if (!x.isEnabled(t)) continue;
      const s = x.stateOf(t);
      const count = b.step[s] === Step.CHOOSE ? b.operand[s]! : 1;
      for (let choice = 0; choice < count; choice++) options.push([t, choice]);
    }
    if (options.length === 0) this.#end();
    this.#branches.push({ options, next: 0 });
  }

  /** Errors that the last step, of thread t, brought about. */
  #lookAround(t: number): void {
    const x = this.interleaving;
    const last = x.length - 1;
    const i = this.#options.races ? x.racing(last) : NONE;
    if (i !== NONE) this.#findings.clash('race', x.accessOf(i), x.accessOf(last), () => x.witness(last));
    x.forEachMisuse(last, (kind, earlier) => {
      this.#findings.clash(kind, x.accessOf(earlier), x.accessOf(last), () => x.witness(last));
    });
    this.#enter(t);
    const s = x.before[last]!;
    if (this.behaviours.step[s] === Step.SPAWN) this.#enter(this.behaviours.operand[s]!);
  }

  /** Who waits looks at the memory again and again: at what was freed, if it was. */
  #lookAtWaiting(): void {
    const x = this.interleaving;
    for (let t = 0; t < x.threadCount; t++) {
      const free = x.freeOfAwaited(t);
      if (free === NONE) continue;
      const waiting = { thread: t, state: x.stateOf(t) };
      this.#findings.clash('use-after-free', x.accessOf(free), waiting, () => x.witness(x.length));
    }
  }

  #enter(t: number): void {
    const x = this.interleaving;
    this.#findings.reached(t, x.stateOf(t), () => x.witness(x.length));
  }

  #end(): void {
    const x = this.interleaving;
    const outcome = x.outcome();
    if (outcome === undefined) throw new Error('an interleaving ended although a thread can go on');
    this.#lookAtWaiting();
    if (this.#findings.isOver) return;
    this.#findings.ended(
      outcome,
      (t) => x.stateOf(t),
      () => x.witness(x.length),
    );
    if (isRerun(executionsOf(this.counts))) x.rerun();
    x.tidy();
  }
}
