/**
 * OPTIMAL-DPOR-AWAIT ([Await], Algorithm 1): every equivalence class of executions exactly once, also where threads wait for
 * values (awaits, locks) and where updates commute.
 *
 * What differs from the paper:
 * - Explore is a loop over a stack of nodes, one per step of the schedule.
 * - A step that removes e from before e' may make e' do something else (a compare-exchange now fails): its effect is worked out anew.
 * - The options of a choose are different steps of one thread, which conflict with nothing. Where nothing planned says which one
 *   to take, all are explored.
 * - What is planned names threads by number and locations by key, so that it outlives what the behaviours know: they forget that where
 *   it has become too much, and memory is that of the plans. A plan is compared with what sleeps at the point of the schedule that
 *   it begins at, or is planned there, after the same steps: locations with the same key are the same there (location-keys.ts).
 * - Of a sequence only that part is planned that wakes all that sleeps, and short plans come first (`plans.ts`).
 * - With observers [Observers] the order of two writes counts only if the later one is read (`observed-schedule.ts`). That paper is not
 *   followed in detail: the wakeup trees of [Await] are kept, and what is planned because of a read holds that read. A sleeping write is
 *   not woken by another write; it is planned after one only together with a read of it, and until that read is taken, nothing is
 *   planned without it (`Sleeping`). Plans are put into the tree whole, for which [Await] sees no need.
 * - A join waits for one thing that cannot come later than it does: it is in no race.
 */
import type { Behaviours } from '../../../program/behaviours.ts';
import { Step } from '../../../program/behaviours.ts';
import { NONE } from '../../../program/columns.ts';
import { ScheduleExplorer } from '../schedule-explorer.ts';
import { ObservedSchedule } from './observed-schedule.ts';
import { Effect, LATER, type OrderedOptions, OrderedSchedule } from './ordered-schedule.ts';
import { Plans } from './plans.ts';
import { Races } from './races.ts';
import { asleepAfter, insertWhole, Sequence, type Sleeping, type Wakeup, wasExploredBy } from './wakeup-tree.ts';

export interface OptimalOptions extends OrderedOptions {
  /** Whether the order of two writes counts only if the later one is read [Observers]. */
  readonly observers: boolean;
}

/** A prefix E of the schedule. */
interface Node {
  /** sleep(E): threads whose next step leads to what has been explored, with that step. */
  readonly sleep: Sleeping[];
  /** wut(E): the first branch is the one that is being explored. */
  branches: Wakeup[];
  /** How many branches were explored, for `progress`. */
  explored: number;
}

export class OptimalDpor extends ScheduleExplorer {
  readonly schedule: OrderedSchedule;
  /** The schedule, if it is one with observers. */
  readonly #observed: ObservedSchedule | undefined;
  readonly #nodes: Node[] = [];
  readonly #v = new Sequence();
  readonly #races: Races;
  readonly #plans: Plans;

  constructor(behaviours: Behaviours, options: OptimalOptions) {
    super(behaviours, options);
    const { ifaa, observers } = options;
    this.#observed = observers ? new ObservedSchedule(this.interleaving, ifaa) : undefined;
    this.schedule = this.#observed ?? new OrderedSchedule(this.interleaving, ifaa);
    this.#races = new Races(this.schedule, this.#observed);
    this.#plans = new Plans(this.schedule);
  }

  progress(): number {
    if (this.isExhausted) return 1;
    let part = 0;
    let weight = 1;
    for (const { branches, explored } of this.#nodes) {
      weight /= Math.max(1, branches.length + explored);
      part += weight * explored;
    }
    return part;
  }

  protected begin(): void {
    this.#observed?.isNewlyAwaited(0);
    this.#nodes.push({ sleep: [], branches: [], explored: 0 });
  }

  /** How many steps are planned: what memory depends on. */
  get plannedSteps(): number {
    return stepsIn(this.#nodes[0]?.branches ?? []); // the other nodes have the branches of the one that is explored
  }

  // ----------------------------------------------------------------------------------------------- procedure Explore

  protected step(): void {
    const node = this.#nodes.at(-1) as Node;
    if (node.branches.length === 0 && !this.#choose(node)) {
      this.end();
      this.#observed?.settle();
      this.#races.forEach(this.#v, (e) => this.#plan(e));
      this.interleaving.tidy();
      this.#backtrack();
      return;
    }
    this.#take(node, node.branches[0] as Wakeup);
  }

  /** Lines 24 to 26: where nothing is planned, any thread will do. False if none can go on. */
  #choose(node: Node): boolean {
    const x = this.interleaving;
    for (let t = 0; t < x.threadCount; t++) {
      if (!x.isEnabled(t)) continue;
      node.branches.push({ thread: t, choice: 0, effect: Effect.NONE, location: NONE, isFree: true, children: [] });
      return true;
    }
    return false;
  }

  /** Lines 28 to 31. */
  #take(node: Node, branch: Wakeup): void {
    const { schedule } = this;
    if (!this.interleaving.isEnabled(branch.thread)) throw new Error('a wakeup sequence leads to a thread that waits');
    schedule.perform(branch.thread, branch.choice);
    if (this.#observed !== undefined && this.#isNewlyAwaited(this.#observed)) {
      this.#searchAgain();
      return;
    }
    const i = schedule.length - 1;
    branch.effect = schedule.effect[i]!;
    branch.location = schedule.location[i]!;
    const sleep: Sleeping[] = [];
    for (const q of node.sleep) {
      const asleep = asleepAfter(q, branch);
      if (asleep !== undefined) sleep.push(asleep);
    }
    this.#nodes.push({ sleep, branches: branch.children, explored: 0 });
    this.lookAround(branch.thread);
  }

  /** Whether the last step has led to an operation that waits for a location which nobody was known to wait for. */
  #isNewlyAwaited(schedule: ObservedSchedule): boolean {
    const { interleaving: x, behaviours: b } = this;
    const last = x.length - 1;
    const s = x.before[last]!;
    const isByChild = b.step[s] === Step.SPAWN && schedule.isNewlyAwaited(b.operand[s]!);
    return schedule.isNewlyAwaited(x.thread[last]!) || isByChild;
  }

  #searchAgain(): void {
    while (this.interleaving.length > 0) this.schedule.undo();
    this.#nodes.length = 0;
    this.startOver();
    this.begin();
  }

  /** Lines 32 and 33, up to a node with a branch left. */
  #backtrack(): void {
    const nodes = this.#nodes;
    const { schedule } = this;
    nodes.pop();
    for (let node = nodes.at(-1); node !== undefined; node = nodes.at(-1)) {
      schedule.undo();
      const done = node.branches.shift() as Wakeup;
      node.explored++;
      node.sleep.push(done);
      if (done.isFree) this.#addNextOption(node, done);
      if (node.branches.length > 0) return;
      nodes.pop();
    }
    this.isExhausted = true;
  }

  /** After an option of a choose that nothing asked for, the next one. */
  #addNextOption(node: Node, { thread, choice }: Wakeup): void {
    const b = this.behaviours;
    const s = this.interleaving.stateOf(thread);
    if (b.step[s] !== Step.CHOOSE || choice + 1 === b.operand[s]!) return;
    node.branches.unshift({
      thread,
      choice: choice + 1,
      effect: Effect.NONE,
      location: NONE,
      isFree: true,
      children: [],
    });
  }

  /** Lines 6 and 21: plans the sequence v before step e, unless what it leads to was explored. */
  #plan(e: number): number {
    const node = this.#nodes[e] as Node;
    if (this.#observed === undefined) return this.#plans.plan(this.#v, node.sleep, node.branches);
    for (const q of node.sleep) if (wasExploredBy(q, this.#v)) return LATER;
    insertWhole(this.#v, node.branches);
    return LATER;
  }
}

function stepsIn(branches: readonly Wakeup[]): number {
  return branches.reduce((steps, { children }) => steps + 1 + stepsIn(children), 0);
}
