/**
 * A search of a program with loops that are not known to end. It begins without a bound, as any search, and most end so. But if it
 * goes into ever more rounds of such a loop, it never comes to what is next to try; then such loops are bounded, by 1, 2, 4, …
 * rounds, and all is explored within each bound. A bound that stops no thread is none: what was explored is everything.
 *
 * The search without a bound goes on in between, and does as much as the one with a bound has done. So what it would prove is proved,
 * in about twice the time, however long the loops are.
 *
 * Work is counted in steps of the explorer and of the threads, so that a search does the same each time.
 */
import { type Explorer, executionsOf, type Finding } from '../explore/explorer.ts';
import { EndlessThread } from '../program/input-error.ts';
import type { OpenLoops } from '../program/open-loops.ts';
import type { RoundsStep } from './result.ts';

/** The first look at where a search without a bound has got to; the next ones come after twice as much work each. */
const FIRST_LOOK = 8192;
/** Of the work before a look: if loops go deeper after so much of it, they are taken to go on so. */
const LATE = 0.75;
/** Fewer rounds than these are no reason to begin with bounds. */
const MANY_ROUNDS = 16;
/** A larger bound is not tried unless there is a time limit, and none after so many milliseconds. */
const MOST_ROUNDS = 256;
const MOST_MS = 15_000;
/** Whether to go on is asked each time that an explorer has made so many steps. */
const PORTION = 64;

/** What was found, and with how many rounds at most. */
interface Found {
  readonly most: number | undefined;
  readonly findings: readonly Finding[];
}

export class GrowingRounds {
  /** The search that runs: with a bound, or without. */
  explorer: Explorer;
  /** The bounds that it has come to the end of. */
  readonly steps: RoundsStep[] = [];
  /** Whether it has stopped because there are too many rounds. */
  isStopped = false;
  readonly #loops: OpenLoops | undefined;
  readonly #make: () => Explorer;
  /** Whether to go on to larger bounds after an error. */
  readonly #keepsGoing: boolean;
  /** What was found within the largest bound that was explored and has errors: all that smaller ones have. */
  #found: Found | undefined;
  /** The search without a bound; undefined: it has met a thread that does not end. */
  #free: Explorer | undefined;
  /** What it had found by then. */
  #foundBefore: readonly Finding[] = [];
  /** The bound after which it is its turn; 0: there was none yet. */
  #bound = 0;
  /** Steps of the explorer that runs, in its turn. */
  #steps = 0;
  /** How often it had resumed threads before. */
  #resumed = 0;
  /** After how much work a search without a bound is looked at. */
  #look = FIRST_LOOK;
  /** How deep the loops were at the beginning of its turn, or late before a look; undefined: it is not late yet. */
  #deepest: number | undefined;

  constructor(loops: OpenLoops | undefined, keepsGoing: boolean, make: () => Explorer) {
    loops?.forget();
    this.#keepsGoing = keepsGoing;
    this.#loops = loops;
    this.#make = make;
    this.explorer = this.#begin(undefined);
    this.#free = this.explorer;
  }

  /** Explores for about so many steps; whether that search is over. */
  run(steps: number): boolean {
    const loops = this.#loops;
    if (loops === undefined) return this.explorer.run(steps);
    try {
      for (let left = steps; left > 0; ) {
        const portion = Math.min(left, PORTION - (this.#steps % PORTION));
        left -= portion;
        this.#steps += portion;
        if (this.explorer.run(portion)) return true;
        if (this.explorer === this.#free && this.#steps % PORTION === 0) this.#lookAtFree(loops);
      }
      return false;
    } catch (error) {
      if (!(error instanceof EndlessThread)) throw error;
      this.#goOnAfter(error, loops);
      return this.isStopped;
    }
  }

  /** With bounds, small ones first, and without: what `record` makes of each finding, while the program is as it was found in. */
  record<T>(record: (finding: Finding) => T): T[] {
    const { explorer } = this;
    const loops = this.#loops;
    if (loops === undefined) return explorer.findings.map(record);
    const own: Found = { most: loops.most, findings: explorer.findings };
    const others: Found = { most: undefined, findings: explorer === this.#free ? [] : this.#foundWithout };
    const found = [...(this.#found === undefined ? [] : [this.#found]), own, others];
    const all = found.flatMap(({ most, findings }) => {
      if (findings.length > 0) loops.most = most;
      return findings.map(record);
    });
    loops.most = (found.find(({ findings }) => findings.length > 0) ?? own).most; // as it is for the first
    return all;
  }

  get hasFindings(): boolean {
    return this.explorer.findings.length > 0 || this.#foundWithout.length > 0 || this.#found !== undefined;
  }

  /** Without a bound. */
  get #foundWithout(): readonly Finding[] {
    return this.#free?.findings ?? this.#foundBefore;
  }

  /** The search without a bound; undefined: it has met a thread that does not end. */
  get free(): Explorer | undefined {
    return this.#free;
  }

  /** The largest bound up to which there is no error; 0: none was explored, undefined: none was needed. */
  get covered(): number | undefined {
    return this.#bound === 0 ? undefined : (this.steps.at(-1)?.rounds ?? 0);
  }

  /** The bound that is being explored; undefined: none. */
  get bound(): number | undefined {
    return this.#loops?.most;
  }

  /**
   * The search that runs is exhausted: goes on to the next if its bound has left something out, and it found no error or errors are
   * no reason to stop.
   */
  grow(elapsedMs: number, isLimited: boolean): boolean {
    const { explorer } = this;
    const loops = this.#loops;
    const isAll = explorer === this.#free || !explorer.behaviours.hasBound;
    const { findings } = explorer;
    if (loops === undefined || isAll || (findings.length > 0 && !this.#keepsGoing)) return false;
    if (findings.length > 0) this.#found = { most: this.#bound, findings };
    if (this.#found === undefined)
      this.steps.push({ rounds: this.#bound, executions: executionsOf(explorer.counts), elapsedMs });
    const isEnough = this.#bound >= MOST_ROUNDS || elapsedMs >= MOST_MS;
    this.isStopped = isEnough && !isLimited && this.#isDiving(loops);
    if (this.isStopped) return false;
    if (this.#free === undefined) this.#grow();
    else this.#resume(this.#free, loops);
    return true;
  }

  /** What the explorer that runs has done in its turn. */
  #work(): number {
    const portions = Math.ceil(this.#steps / PORTION);
    return portions * PORTION + this.explorer.behaviours.resumed - this.#resumed;
  }

  /** Goes on with a bound if it is time to. */
  #lookAtFree(loops: OpenLoops): void {
    const work = this.#work();
    if (work >= this.#look * LATE) this.#deepest ??= loops.deepest;
    if (work < this.#look) return;
    const isDiving = loops.deepest >= MANY_ROUNDS && this.#isDiving(loops);
    if (this.#bound > 0 || isDiving) this.#grow();
    else {
      this.#look *= 2;
      this.#deepest = undefined;
    }
  }

  #isDiving({ deepest }: OpenLoops): boolean {
    return this.#free === undefined || deepest > (this.#deepest ?? 0);
  }

  /** A thread did not end, perhaps because a loop of it did not. */
  #goOnAfter(error: EndlessThread, loops: OpenLoops): void {
    if (this.explorer === this.#free) {
      if (loops.deepest < MANY_ROUNDS) throw error;
      this.#foundBefore = this.explorer.findings;
      this.#free = undefined;
      this.#grow();
      return;
    }
    if (this.steps.length === 0 && this.#found === undefined) throw error;
    this.isStopped = true;
  }

  #grow(): void {
    this.#bound = this.#bound === 0 ? 1 : this.#bound * 2;
    this.explorer = this.#begin(this.#bound);
  }

  /** The search without a bound does as much as the one before. */
  #resume(free: Explorer, loops: OpenLoops): void {
    this.#look = this.#work();
    this.#steps = 0;
    this.#resumed = free.behaviours.resumed;
    this.#deepest = loops.deepest;
    loops.most = undefined;
    this.explorer = free;
  }

  #begin(most: number | undefined): Explorer {
    if (this.#loops !== undefined) this.#loops.most = most;
    this.#steps = 0;
    this.#resumed = 0;
    return this.#make();
  }
}
