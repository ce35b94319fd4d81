/** Program and options → result. The search runs in slices, between which limits are looked at and progress is told. */
import {
  type Explorer,
  executionsOf,
  type Finding,
  hasBound,
  isDivisible,
  isEstimable,
  raiseTo,
  type SearchBound,
} from '../explore/explorer.ts';
import { wordOf } from '../explore/options.ts';
import { type AlgorithmEntry, algorithmOptions, algorithms } from '../explore/registry.ts';
import { InputError } from '../program/input-error.ts';
import { bareLanguage } from '../program/language.ts';
import { type Program, ProgramRefined } from '../program/operation.ts';
import { version } from '../version.ts';
import { unusualOptions } from './algorithm-options.ts';
import { type Bound, boundsOf, isBounded } from './bounds.ts';
import { type Estimate, Estimator, type NoEstimate } from './estimate.ts';
import { GrowingRounds } from './growing-rounds.ts';
import type { Heap } from './heap.ts';
import { makeExplorer, type WatchedBehaviours } from './make-explorer.ts';
import { Memory } from './memory.ts';
import { type CheckOptions, type ResolvedOptions, resolveOptions } from './options.ts';
import { Pace } from './pace.ts';
import { Patience } from './patience.ts';
import { recordError } from './record.ts';
import type { BoundStep, CheckError, CheckResult, Verdict } from './result.ts';
import { distinct } from './sameness.ts';
import type { SearchState } from './saved-state.ts';
import type { Circumstances } from './search-again.ts';
import { type Peers, SharedSearch, shareOut } from './sharing/shared-search.ts';
import { startingOver } from './starting-over.ts';
import { judgeUnderSc, withCoherence } from './under-sc.ts';

export interface Progress {
  readonly executions: number;
  /** Errors found so far. */
  readonly errors: number;
  /** The explored part of the search, from 0 to 1: a guess that takes all options of a choice to be alike. See `estimate`. */
  readonly part: number;
  /** How many executions there are in all, and how long they will take; or why that is not known. */
  readonly estimate: Estimate | NoEstimate;
  readonly elapsedMs: number;
  /** How often loops that are not known to end may go round; 0: as often as they like. */
  readonly rounds: number;
}

/** What a caller may want to do while a check runs. */
export interface Watcher {
  readonly onProgress?: (progress: Progress) => void;
  /** Whether there is an estimate of what is left (`Progress.estimate`): it takes some hundredths of the time. */
  readonly isEstimated?: boolean;
  /** A search with rising bounds has come to the end of one of them, and found no error within it. */
  readonly onBound?: (step: BoundStep) => void;
  /** Asked between slices: whether to stop (verdict incomplete). */
  readonly isInterrupted?: () => boolean;
  /** How long loading and compiling took. */
  readonly compileMs?: number;
  readonly behaviours?: WatchedBehaviours;
  /** Other workers, now or later, if the search can be cut (`Divisible`); also if there are none, for its state to be told. */
  readonly peers?: Peers;
  /** What a search that was stopped had come to: this one goes on from there. */
  readonly before?: SearchState;
  /**
   * What has stopped that search, if only its result is to be told: it is incomplete, also if `before` is not all that was left of
   * it, and comes to its end here.
   */
  readonly stoppedBy?: 'timeout' | 'interrupt';
  /** Asked between slices: whether to be told how far the search is. */
  readonly isStateDue?: () => boolean;
  /** The search goes on when this has returned. Also called when a limit or an interrupt has stopped it. */
  readonly onState?: (state: SearchState) => void;
  /** For tests: what is asked whether memory runs short, in the place of the heap of this thread. */
  readonly heap?: Heap;
}

/** Checks a program to the end. */
export function checkSync(program: Program, options: CheckOptions = {}, watcher: Watcher = {}): CheckResult {
  const resolved = resolveOptions(options, program?.language);
  try {
    return searchSync(program, resolved, watcher);
  } catch (error) {
    if (lacksPosition(error)) searchSync(program, resolved, recording(watcher));
    throw error;
  }
}

function searchSync(program: Program, options: ResolvedOptions, watcher: Watcher): CheckResult {
  const search = new Search(program, options, watcher);
  for (;;) {
    while (!search.runSlice());
    const result = search.result();
    if (result !== undefined) return result;
  }
}

/** Like `checkSync`, but lets other work of this process go on in between. */
export async function check(program: Program, options: CheckOptions = {}, watcher: Watcher = {}): Promise<CheckResult> {
  const resolved = resolveOptions(options, program?.language);
  try {
    return await search(program, resolved, watcher);
  } catch (error) {
    if (lacksPosition(error)) await search(program, resolved, recording(watcher));
    throw error;
  }
}

async function search(program: Program, options: ResolvedOptions, watcher: Watcher): Promise<CheckResult> {
  const search = new Search(program, options, watcher);
  for (;;) {
    while (!search.runSlice()) {
      await search.rest();
      if (watcher.isStateDue?.() === true) await search.tellState();
      if (search.isCutDue) await search.cut();
    }
    const result = (await search.settle()) ? search.result() : undefined;
    if (result !== undefined) return result;
  }
}

/** How long to wait for other workers before limits are looked at. */
const REST_MS = 50;

/** A search does not record positions. Where a refusal lacks one, the same search with recording throws it with one. */
function lacksPosition(error: unknown): boolean {
  return error instanceof InputError && error.position === undefined;
}

/** By one worker, from the beginning. */
function recording({ peers: _peers, before: _before, onState: _onState, ...watcher }: Watcher): Watcher {
  return { ...watcher, behaviours: { ...watcher.behaviours, recording: true } };
}

class Search {
  readonly #program: Program;
  readonly #options: ResolvedOptions;
  readonly #watcher: Watcher;
  #growing: GrowingRounds;
  readonly #start = performance.now();
  #stoppedBy: CheckResult['stoppedBy'];
  #iterations: BoundStep[] = [];
  /** What was explored before, until the search starts over. */
  #before: SearchState | undefined;
  readonly #beforeMs: number;
  readonly #pace = new Pace();
  readonly #patience = new Patience();
  readonly #memory: Memory;
  #estimator: Estimator | undefined;

  constructor(program: Program, options: ResolvedOptions, watcher: Watcher) {
    if (typeof program?.start !== 'function') {
      throw new InputError(`this is not a program to check: make one with program(function* () { … }).`);
    }
    this.#program = program;
    this.#options = options;
    this.#watcher = watcher;
    this.#memory = new Memory(watcher.heap);
    this.#before = watcher.before;
    this.#beforeMs = watcher.before?.elapsedMs ?? 0;
    this.#growing = this.#begin();
  }

  get #explorer(): Explorer {
    return this.#growing.explorer;
  }

  #begin(): GrowingRounds {
    const { unroll, openLoops } = this.#program;
    const loops = unroll === undefined ? openLoops : undefined;
    return startingOver(() => new GrowingRounds(loops, this.#options.keepGoing, () => this.#newExplorer()));
  }

  #newExplorer(): Explorer {
    this.#iterations = [];
    const own = makeExplorer(this.#program, this.#options, this.#watcher.behaviours);
    const { peers } = this.#watcher;
    const isWithoutRounds = this.#program.openLoops?.most === undefined;
    if (peers === undefined || !isWithoutRounds || !isDivisible(own)) return own;
    const before = this.#before;
    this.#before = undefined; // what the program learns makes it void
    if (before === undefined) return shareOut(own, this.#program, peers);
    this.#iterations = [...before.iterations];
    if (hasBound(own)) raiseTo(own, before.bound ?? 0);
    return shareOut(own, this.#program, peers, before);
  }

  /** Waits until there is something to do: for other work of this process, or for other workers. */
  async rest(): Promise<void> {
    const resting = this.#explorer.rest?.();
    if (resting === undefined) return new Promise((resolve) => setImmediate(resolve));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, REST_MS);
    });
    await Promise.race([resting, timeout]);
    clearTimeout(timer);
  }

  /** Says how far the search is, and goes on. */
  async tellState(): Promise<void> {
    const shared = this.#shared();
    if (shared === undefined) return;
    await this.#startingOver(async () => {
      this.#watcher.onState?.(await this.#stateOf(shared));
      shared.goOn();
    });
  }

  /** The search has stopped. All workers stand still, and what they came to is known; false: it has to start over. */
  async settle(): Promise<boolean> {
    const shared = this.#shared();
    if (shared === undefined || this.#stoppedBy === undefined || this.#stoppedBy === 'rounds') return true;
    return this.#startingOver(async () => this.#watcher.onState?.(await this.#stateOf(shared)));
  }

  /** Whether the program has not learned anything. */
  async #startingOver(action: () => Promise<void>): Promise<boolean> {
    try {
      await action();
      return true;
    } catch (error) {
      if (!(error instanceof ProgramRefined)) throw error;
      this.#stoppedBy = undefined;
      this.#growing = this.#begin();
      return false;
    }
  }

  /** The search without bounds on rounds, if it can be cut. */
  #shared(): SharedSearch | undefined {
    const { free } = this.#growing;
    return free instanceof SharedSearch ? free : undefined;
  }

  async #stateOf(shared: SharedSearch): Promise<SearchState> {
    const { part, saved } = await shared.settle();
    const bound = hasBound(shared) ? { bound: shared.bound } : {};
    return { part, saved, iterations: [...this.#iterations], elapsedMs: this.#elapsedMs(), ...bound };
  }

  /** Since the search began, perhaps in another process. */
  #elapsedMs(): number {
    return this.#beforeMs + performance.now() - this.#start;
  }

  /** Explores for about `steps` steps; from the beginning again if the program has learned something on the way. */
  #run(steps: number): boolean {
    try {
      return this.#growing.run(steps);
    } catch (error) {
      if (!(error instanceof ProgramRefined)) throw error;
      this.#growing = this.#begin();
      return false;
    }
  }

  /** Searches on for a while; returns whether the search is over. */
  runSlice(): boolean {
    const isOver = this.#pace.run((steps) => this.#run(steps));
    const elapsedMs = performance.now() - this.#start;
    const executions = executionsOf(this.#explorer.counts);
    const part = this.#explorer.progress();
    const { bound: rounds = 0 } = this.#growing;
    const estimate = isOver ? 'early' : this.#estimate(elapsedMs);
    const errors = this.#explorer.findings.length;
    this.#watcher.onProgress?.({ executions, errors, part, estimate, elapsedMs, rounds });
    this.#stoppedBy = this.#watcher.stoppedBy;
    if (this.#stoppedBy !== undefined) return true;
    if (this.#explorer.isExhausted && this.#goesOn(elapsedMs)) return false;
    if (this.#growing.isStopped) this.#stoppedBy = 'rounds';
    if (this.#explorer.isExhausted || this.#growing.isStopped) return true;
    if (isOver) {
      const wasError = this.#hasErrorWithin() && !this.#options.keepGoing;
      if (!wasError) this.#stoppedBy = 'executions';
      return true;
    }
    if (elapsedMs >= this.#options.timeoutMs) this.#stoppedBy = 'timeout';
    else if (this.#watcher.isInterrupted?.() === true) this.#stoppedBy = 'interrupt';
    else if (this.#isMemoryShort()) this.#stoppedBy = 'memory';
    else this.#expectEnds(executions, elapsedMs);
    return this.#stoppedBy !== undefined;
  }

  /** Here, or in another worker. */
  #isMemoryShort(): boolean {
    return this.#memory.isShort(this.#explorer.behaviours) || this.#shared()?.isMemoryShort === true;
  }

  /** How much is left, if anybody wants to know and somebody can. */
  #estimate(elapsedMs: number): Estimate | NoEstimate {
    if (this.#watcher.isEstimated !== true) return 'early';
    if (this.#growing.covered !== undefined) return 'rounds';
    if (this.#options.algorithmOptions.iterate === true) return 'bounds';
    const estimator = this.#estimatorOf(this.#explorer, elapsedMs);
    try {
      estimator.work(elapsedMs, this.#shared()?.workers);
      if (this.isCutDue && this.#shared() === undefined) this.#cutAlone(estimator);
    } catch (error) {
      if (!(error instanceof ProgramRefined)) throw error;
      this.#growing = this.#begin();
      return 'early';
    }
    return estimator.estimate(elapsedMs);
  }

  #estimatorOf(explorer: Explorer, elapsedMs: number): Estimator {
    if (this.#estimator?.explorer !== explorer) {
      const sampled = explorer instanceof SharedSearch ? explorer.led : explorer;
      this.#estimator = new Estimator(explorer, isEstimable(sampled) ? sampled : undefined, elapsedMs);
    }
    return this.#estimator as Estimator;
  }

  /** Whether the search is to be cut for samples. One with a bound is not: it would not know what came of all that it refused. */
  get isCutDue(): boolean {
    return (
      this.#estimator?.isCutDue === true && !hasBound(this.#explorer) && this.#estimator.explorer === this.#explorer
    );
  }

  #cutAlone(estimator: Estimator): void {
    const { explorer } = estimator;
    if (isDivisible(explorer)) estimator.cutInto(explorer.save().items, executionsOf(explorer.counts));
  }

  /** Cuts the search for samples: all workers stand still for a moment. */
  async cut(): Promise<void> {
    const shared = this.#shared();
    const estimator = this.#estimator;
    if (shared === undefined || estimator === undefined) return;
    await this.#startingOver(async () => {
      const { part, saved } = await shared.settle();
      estimator.cutInto(saved.items, executionsOf(part.counts));
      shared.goOn();
    });
  }

  /** Who has said how long to search, or how far, is taken at their word; and loops that are bounded anyway do not go on for ever. */
  #expectEnds(executions: number, elapsedMs: number): void {
    const { timeoutMs, maxDepth } = this.#options;
    const isLimited = timeoutMs < Number.POSITIVE_INFINITY || maxDepth !== undefined;
    if (isLimited || this.#growing.covered !== undefined) return;
    const { behaviours } = this.#explorer;
    if (this.#patience.isOver(executions, behaviours.longestRun, elapsedMs)) throw behaviours.endless();
  }

  /** Whether there is a larger bound to go on with. */
  #goesOn(elapsedMs: number): boolean {
    const isLimited = this.#options.timeoutMs < Number.POSITIVE_INFINITY;
    return this.#deepen(elapsedMs) || this.#growing.grow(elapsedMs, isLimited);
  }

  /** Whether an error was found that is not beyond a bound on preemptions. */
  #hasErrorWithin(): boolean {
    const explorer = this.#explorer;
    const bound = hasBound(explorer) ? explorer.bound : Number.POSITIVE_INFINITY;
    return explorer.findings.some(({ preemptions = 0 }) => preemptions <= bound);
  }

  /** Goes on to the next bound, if bounds rise and this one has left something out. */
  #deepen(elapsedMs: number): boolean {
    const { iterate = false, bound: most = Number.POSITIVE_INFINITY } = this.#options.algorithmOptions;
    const explorer = this.#explorer;
    if (!iterate || !hasBound(explorer)) return false;
    const { bounds, counts } = explorer;
    const { name, value: bound, refused: pruned } = bounds[0] as SearchBound;
    const { overBound, redundant } = counts;
    const executions = executionsOf(counts) - overBound - redundant;
    const isCut = isBounded(this.#bounds().filter((each) => each.name !== name));
    const step = { name, bound, executions, overBound, pruned, isCut, elapsedMs };
    this.#iterations.push(step);
    // with bounds on rounds as well, the same bounds come again and again
    if (!this.#hasErrorWithin() && this.#growing.bound === undefined) this.#watcher.onBound?.(step);
    if (pruned === 0 || bound >= most) return false;
    explorer.deepen();
    return true;
  }

  /** Undefined: the program has learned something only as its errors were recorded, and they have to be searched for again. */
  result(): CheckResult | undefined {
    try {
      return this.#result();
    } catch (error) {
      if (!(error instanceof ProgramRefined)) throw error;
      this.#growing = this.#begin();
      return undefined;
    }
  }

  #result(): CheckResult {
    if (this.#explorer.isExhausted && this.#stoppedBy === undefined) this.#expectThreads();
    const elapsedMs = this.#elapsedMs();
    const explored = { bounds: this.#bounds(), ...this.#rounds() };
    const { counts, warnings, exitStatus } = this.#explorer;
    const { model, algorithm, algorithmOptions } = this.#options;
    const { compiler } = this.#program;
    return {
      version,
      program: this.#program.name,
      model,
      algorithm,
      algorithmOptions,
      unusualOptions: unusualOptions(algorithmOptions),
      verdict: this.#verdict(),
      executions: counts,
      ...(this.#shared()?.wasCut === true ? { wasCut: true } : {}),
      errors: this.#judged(distinct(this.#growing.record((finding) => this.#record(finding)))),
      ...this.#missed(),
      warnings,
      ...(exitStatus === undefined ? {} : { exitStatus }),
      ...explored,
      iterations: this.#iterations,
      ...this.#size(),
      assumptions: this.#assumptions(),
      ...(compiler === undefined ? {} : { compiler }),
      loops: this.#program.loops?.() ?? [],
      openLoops: this.#program.openLoops?.longest() ?? [],
      language: this.#program.language ?? bareLanguage,
      stoppedBy: this.#stoppedBy,
      elapsedMs,
      compileMs: this.#watcher.compileMs ?? 0,
    };
  }

  #assumptions(): readonly string[] {
    const own = this.#program.assumptions?.() ?? [];
    return [...new Set([...own, ...(this.#explorer.saidElsewhere?.assumptions ?? [])])];
  }

  /** Threads that options name must have been met. */
  #expectThreads(): void {
    const { algorithmOptions: values } = this.#options;
    for (const { name, option } of algorithmOptions) {
      const path = values[name];
      if (option.kind !== 'text' || !option.isThread || path === undefined || path === option.byDefault) continue;
      if (this.#explorer.behaviours.threads.some((thread) => thread.path === path)) continue;
      throw new InputError(`no execution has a thread ${path}, which ${wordOf(option)} names.`);
    }
  }

  /** What the algorithm may have missed of what was asked for. */
  #missed(): Pick<CheckResult, 'mayMiss'> {
    const { mayMiss = [] }: AlgorithmEntry = algorithms[this.#options.algorithm];
    const asked = mayMiss.filter(({ kind }) => this.#options.races || kind !== 'race');
    return asked.length === 0 ? {} : { mayMiss: asked };
  }

  #record(finding: Finding): CheckError {
    const error = recordError(this.#program, finding);
    const explorer = this.#explorer;
    const { iterate = false } = this.#options.algorithmOptions;
    // rising bounds that leave out nothing any more have no end that could be exceeded
    const isWithoutEnd = iterate && explorer.counts.pruned === 0;
    const isBeyondBound = hasBound(explorer) && !isWithoutEnd && (finding.preemptions ?? 0) > explorer.bound;
    return isBeyondBound ? { ...error, isBeyondBound } : error;
  }

  /** The errors, told as well as can be, and whether they are possible under sequential consistency. */
  #judged(errors: readonly CheckError[]): readonly CheckError[] {
    const options = this.#options;
    if (options.model === 'sc') return errors;
    const circumstances: Circumstances = {
      program: this.#program,
      options,
      leftMs: () => options.timeoutMs - (performance.now() - this.#start),
      isInterrupted: () => this.#watcher.isInterrupted?.() === true,
      behaviours: this.#watcher.behaviours,
    };
    return withCoherence(options.underSc ? judgeUnderSc(errors, circumstances) : errors, circumstances);
  }

  #rounds(): Pick<CheckResult, 'rounds'> {
    const { covered, bound } = this.#growing;
    if (covered === undefined || this.#verdict() === 'ok') return {};
    const tried = bound === undefined || bound === covered ? {} : { tried: bound };
    return { rounds: { covered, ...tried } };
  }

  #size(): Pick<CheckResult, 'size'> {
    if (this.#verdict() !== 'incomplete') return {};
    const { threads, mostOperations } = this.#explorer.behaviours;
    return { size: { threads: threads.length, operations: mostOperations } };
  }

  #verdict(): Verdict {
    if (this.#growing.hasFindings) return 'error';
    if (this.#stoppedBy !== undefined) return 'incomplete';
    if (this.#explorer.isExhausted && executionsOf(this.#explorer.counts) === 0) {
      throw new Error('the search ended without a single execution');
    }
    if (!this.#explorer.isExhausted) return 'incomplete';
    return isBounded(this.#bounds()) ? 'bounded' : 'ok';
  }

  #bounds(): readonly Bound[] {
    return boundsOf(this.#program, this.#explorer);
  }
}
