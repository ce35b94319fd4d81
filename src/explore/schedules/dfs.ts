/**
 * Every interleaving, by plain depth-first search: the baseline that shows what reduction buys, and a second opinion on
 * its results. A step is one operation of one thread; every option of a choose is a step of its own.
 */
import { Step } from '../../program/behaviours.ts';
import { ScheduleExplorer } from './schedule-explorer.ts';

/** A point of the schedule: the steps that can come next, as pairs of thread and option. */
interface Branch {
  readonly options: readonly (readonly [thread: number, choice: number])[];
  next: number;
}

export class DepthFirstSearch extends ScheduleExplorer {
  readonly #branches: Branch[] = [];

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

  protected begin(): void {
    this.#branch();
  }

  /** Takes the next option of the last branch, or goes back behind it. */
  protected step(): void {
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
    this.lookAround(t);
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
    if (options.length === 0) {
      this.end();
      this.interleaving.tidy();
    }
    this.#branches.push({ options, next: 0 });
  }
}
