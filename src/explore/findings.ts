/** The errors found so far, each distinct one once; and how the end of an execution counts. */
import { type Behaviours, Step, type ThreadInfo } from '../program/behaviours.ts';
import { NONE } from '../program/columns.ts';
import type { Counts, ExploreOptions, Finding, Outcome, WitnessStep } from './explorer.ts';

/** One side of a race: a thread, and the state in which it makes the access. */
export interface Access {
  readonly thread: number;
  readonly state: number;
}

export class Findings {
  readonly list: Finding[] = [];
  readonly #seen = new Set<string>();
  readonly #behaviours: Behaviours;
  readonly #options: ExploreOptions;
  /** Whether the search is to end: an error was found, or as many executions as wanted. */
  isOver = false;

  readonly #counts: Counts;

  constructor(behaviours: Behaviours, options: ExploreOptions, counts: Counts) {
    this.#behaviours = behaviours;
    this.#options = options;
    this.#counts = counts;
  }

  /** Counts an execution that ended so, unless enough were counted. A standstill that is an error is found by that. */
  ended(outcome: Outcome, stateOf: (t: number) => number, witness: () => WitnessStep[]): void {
    const counts = this.#counts;
    if (counts.complete + counts.blocked + counts.erroneous >= this.#options.maxExecutions) {
      this.isOver = true;
      return;
    }
    const isBlocked = outcome === 'blocked' || (outcome === 'livelock' && !this.#options.livelock);
    if (outcome === 'complete') counts.complete++;
    else if (isBlocked) counts.blocked++;
    else counts.erroneous++;
    this.#options.onExecution?.(outcome);
    if (!isBlocked && (outcome === 'deadlock' || outcome === 'livelock')) this.#standstill(outcome, stateOf, witness);
  }

  /** Thread t has reached state s: if it failed there, that is an error. */
  reached(t: number, s: number, witness: () => WitnessStep[]): void {
    if (this.#behaviours.step[s] !== Step.FAIL) return;
    const operation = this.#behaviours.operation(s);
    if (operation.kind !== 'fail') return;
    const { kind, message, position } = operation.failure;
    const place = position === undefined ? '' : `${position.file}:${position.line}:${position.column}`;
    const threads = [this.#pathOf(t)];
    this.#addMidway(`${kind} ${message} ${place}`, () => ({ kind, message, position, threads, witness: witness() }));
  }

  /** Access `b`, not performed yet, races with `a`. */
  race(a: Access, b: Access, witness: () => WitnessStep[]): void {
    const { depth, location, locations } = this.#behaviours;
    const place = locations[location[b.state]!]?.name ?? 'a variable';
    const ends = [a, b].map(({ thread, state }) => `${thread}:${depth[state]}`).sort();
    this.#addMidway(`race ${location[b.state]} ${ends.join(' ')}`, () => ({
      kind: 'race',
      message: `two accesses to ${place} that nothing orders, and one of them writes`,
      position: undefined,
      threads: [this.#pathOf(a.thread), this.#pathOf(b.thread)],
      racing: depth[a.state]!,
      witness: witness(),
    }));
  }

  #standstill(kind: 'deadlock' | 'livelock', stateOf: (t: number) => number, witness: () => WitnessStep[]): void {
    const { step, depth, threads } = this.#behaviours;
    const waiting = [...threads.keys()].filter((t) => stateOf(t) !== NONE && step[stateOf(t)] !== Step.END);
    const key = waiting.map((t) => `${t}:${depth[stateOf(t)]}`).join(' ');
    const names = waiting.map((t) => (threads[t] as ThreadInfo).name).join(', ');
    const message =
      kind === 'deadlock'
        ? `nothing can run any more; waiting: ${names}`
        : `a wait that nothing will end; waiting: ${names}`;
    const paths = waiting.map((t) => this.#pathOf(t));
    this.#add(`${kind} ${key}`, () => ({ kind, message, position: undefined, threads: paths, witness: witness() }));
  }

  /** An error before the end of its execution: if the search stops there, nobody else counts that execution. */
  #addMidway(key: string, finding: () => Finding): void {
    if (!this.#options.keepGoing && !this.isOver) this.#counts.erroneous++;
    this.#add(key, finding);
  }

  #add(key: string, finding: () => Finding): void {
    if (!this.#options.keepGoing) this.isOver = true;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.list.push(finding());
  }

  #pathOf(t: number): string {
    return (this.#behaviours.threads[t] as ThreadInfo).path;
  }
}
