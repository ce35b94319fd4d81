/**
 * Every interleaving, by plain depth-first search: the baseline that shows what reduction buys, and a second opinion on
 * its results. A step is one operation of one thread; every option of a choose is a step of its own.
 */
import { Step } from '../../program/behaviours.ts';
import { nothingExplored, type SavedSearch, type WorkItem } from '../../program/execution.ts';
import { type Divisible, type Estimable, executionsOf, Inestimable, type Sampler } from '../explorer.ts';
import { MOST_STEPS, samplingOptions, Thinning } from '../thinning.ts';
import { ScheduleExplorer } from './schedule-explorer.ts';

/** A step that can come next: the thread, its option; for a sample, the weight of what comes of it. */
type Option = readonly [thread: number, choice: number, weight: number];

/** A point of the schedule. */
interface Branch {
  readonly options: readonly Option[];
  next: number;
}

export class DepthFirstSearch extends ScheduleExplorer implements Divisible, Estimable {
  /** The points of the schedule from the one on that the item begins with. */
  readonly #branches: Branch[] = [];
  /** The parts of the search that come next, the last one first; and the one that is being explored. */
  #items: WorkItem[] = [nothingExplored];
  #item: WorkItem | undefined;
  /** If this is a sample. */
  #thinning: Thinning | undefined;

  progress(): number {
    if (this.isExhausted) return 1;
    let left = 0;
    for (const { share } of this.#items) left += share;
    let weight = this.#item?.share ?? 0;
    for (const { options, next } of this.#branches) {
      weight /= Math.max(1, options.length);
      left += weight * Math.max(0, options.length - next);
    }
    return 1 - left;
  }

  protected begin(): void {}

  // --------------------------------------------------------------------------------------- the search as plain data

  get hasOthers(): boolean {
    if (this.isExhausted) return false;
    if (this.#items.length > (this.#item === undefined ? 1 : 0)) return true;
    return this.#branches.some(({ options, next }) => next < options.length);
  }

  /** All options of all points of the schedule that were not taken. The search goes on from there, as after `load`. */
  save(): SavedSearch {
    const saved = this.savedAs([...this.#items, ...this.#ownItems()]);
    this.goOnWith(saved);
    return saved;
  }

  load(saved: SavedSearch): void {
    this.learnFrom(saved);
    this.goOnWith(saved);
  }

  protected override goOnWith(saved: SavedSearch): void {
    super.goOnWith(saved);
    this.#items = [...saved.items];
    this.#item = undefined;
    this.#branches.length = 0;
  }

  #ownItems(): WorkItem[] {
    const x = this.interleaving;
    const items: WorkItem[] = [];
    const start = x.length - this.#branches.length + 1;
    if (this.hasStopped) this.#takeBackLastStep(items);
    let weight = this.#item?.share ?? 0;
    for (const [i, { options, next }] of this.#branches.entries()) {
      weight /= Math.max(1, options.length);
      const left = options.slice(next).map(([thread, choice]) => ({ thread, choice }));
      if (left.length === 0) continue;
      const open = { kind: 'schedule', steps: left } as const;
      items.push({ execution: x.execution(start + i), open, share: weight * left.length });
    }
    return items;
  }

  /** The search has stopped at the step that was taken last, or, if there was none, where the item begins. */
  #takeBackLastStep(items: WorkItem[]): void {
    this.#branches.pop();
    const branch = this.#branches.at(-1);
    if (branch !== undefined) branch.next--;
    else if (this.#item !== undefined) items.push(this.#item);
  }

  /** Goes on with the next item. Returns false if there is none. */
  #nextItem(): boolean {
    const item = this.#items.pop();
    if (item === undefined) return false;
    this.#item = item;
    const threadOf = this.follow(item.execution);
    if (item.open === undefined) {
      if (this.#thinning !== undefined) this.#thinning.weight = 1;
      this.#branch();
      return true;
    }
    if (item.open.kind !== 'schedule') throw new Error('a saved graph is not a schedule');
    const options = item.open.steps.map(({ thread, choice }) => [threadOf(thread), choice ?? 0, 1] as const);
    this.#branches.push({ options, next: 0 });
    return true;
  }

  newSampler(): Sampler {
    const explorer = this.another();
    return {
      begin: (items, options) => {
        explorer.#thinning = new Thinning(options);
        explorer.goOnWith({ items, hasErrors: false });
      },
      run: (steps) => (explorer.run(steps) ? explorer.#thinning : undefined),
    };
  }

  /** Another explorer of the same, with threads of its own, for samples. */
  protected another(): DepthFirstSearch {
    return new DepthFirstSearch(this.behaviours.another(), samplingOptions);
  }

  // -------------------------------------------------------------------------------------------------------- the search

  /** Takes the next option of the last branch, or goes back behind it. */
  protected step(): void {
    const branch = this.#branches.at(-1);
    if (branch === undefined) {
      this.isExhausted = !this.#nextItem();
      return;
    }
    const option = branch.options[branch.next++];
    if (option === undefined) {
      this.#branches.pop();
      if (this.#branches.length > 0) this.undo();
      return;
    }
    const [t, choice, weight] = option;
    if (this.#thinning !== undefined) this.#thinning.weight = weight;
    this.perform(t, choice);
    this.lookAround(t);
    this.#branch();
  }

  #branch(): void {
    const x = this.interleaving;
    const b = this.behaviours;
    const options: Option[] = [];
    let isOver = true;
    for (let t = 0; t < x.threadCount; t++) {
      if (!x.isEnabled(t)) continue;
      isOver = false;
      if (!this.mayGo(t)) continue;
      const s = x.stateOf(t);
      const count = b.step[s] === Step.CHOOSE ? b.operand[s]! : 1;
      for (let choice = 0; choice < count; choice++) options.push([t, choice, 1]);
    }
    const isEndless = !isOver && this.isTooLong;
    const ended = executionsOf(this.counts);
    if (isOver) this.end();
    else if (isEndless) this.goesOnForEver();
    this.#thinning?.ended(executionsOf(this.counts) - ended);
    if (isOver || isEndless) this.interleaving.tidy();
    this.#branches.push({ options: isEndless ? [] : this.#thinned(options), next: 0 });
  }

  /** Those that a sample goes on with, all in a search; nodes with the same step after as many are a stratum. */
  #thinned(options: readonly Option[]): readonly Option[] {
    const thinning = this.#thinning;
    if (thinning === undefined) return options;
    const rank = this.interleaving.length;
    if (rank > MOST_STEPS) throw new Inestimable();
    const { weight } = thinning;
    const kept: Option[] = [];
    for (const [t, choice] of options) {
      thinning.weight = weight;
      if (options.length === 1 || thinning.keeps(rank, t)) kept.push([t, choice, thinning.weight]);
    }
    return kept;
  }
}
