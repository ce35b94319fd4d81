/** What a check gives: plain data, from which text, JSON, pictures and traces are made elsewhere (`src/report`). */
import type { Counts, SearchBound, Warning } from '../explore/explorer.ts';
import type { AlgorithmValues, MayMiss } from '../explore/registry.ts';
import type { Execution, ExecutionStep, ExecutionThread } from '../program/execution.ts';
import type { Language } from '../program/language.ts';
import type { OpenLoop } from '../program/open-loops.ts';
import type {
  CompilerName,
  FailureKind,
  LoopReport,
  MemoryOrder,
  OperationKind,
  SourcePosition,
} from '../program/operation.ts';
import type { Bound } from './bounds.ts';

/** `ok` is a proof; `bounded`: no error within a bound that the user chose; `incomplete`: the search was cut short. */
export type Verdict = 'ok' | 'bounded' | 'error' | 'incomplete';

/** `rounds`: loops that are not known to end go round more often than was tried; `memory`: there was hardly any left. */
export const stopReasons = ['executions', 'timeout', 'interrupt', 'rounds', 'memory'] as const;
export type StopReason = (typeof stopReasons)[number];

export interface RecordedThread extends ExecutionThread {
  readonly name: string;
}

export interface RecordedStep extends ExecutionStep {
  readonly op: OperationKind;
  /** The name of the location, for accesses. */
  readonly location?: string;
  /** The name of the part of it that is accessed, where that is not all of it: the values are those of the part. */
  readonly accessed?: string;
  /** The name of an update (fetchAdd, exchange); what a compare-exchange would change to what; how much is allocated. */
  readonly detail?: string;
  /** The thread that a spawn starts or a join waits for. */
  readonly target?: number;
  readonly order?: MemoryOrder;
  /** What was read, or the result of a choose or join. */
  readonly read?: unknown;
  /** What was written. */
  readonly written?: unknown;
  /** The same as the program's language writes them, where that is not how JavaScript does. */
  readonly readText?: string;
  readonly writtenText?: string;
  /** What a print printed. */
  readonly text?: string;
  /** What it does in the words of the program, where its kind, location and values say it badly. */
  readonly words?: string;
  /** For the end of a wait that others end: the step since which it could end. */
  readonly wokenBy?: number;
  /** It only makes ready for the next step of its thread. */
  readonly prepares?: true;
  /** The access to several locations that it is part of, in words; it is number `index` of its steps, from 0. */
  readonly part?: { readonly whole: string; readonly index: number };
  /** For a read that is stale: the newest write of the steps before, which it did not see. */
  readonly missed?: number;
  /**
   * For a write: which one it is of those to its location, in coherence order, from 1. Only where that is not the order of the
   * steps.
   */
  readonly coherence?: number;
  /** For a write that comes late: the step before whose write it takes effect, although that step comes first here. */
  readonly takesEffectBefore?: number;
  readonly source?: SourcePosition;
}

/** `waiting`: its next operation cannot go on; `ready`: it could; `cut`: a loop reached its bound; `exited`: it ended the program. */
export const endStates = ['ended', 'failed', 'waiting', 'ready', 'assumed', 'cut', 'exited'] as const;
export type EndState = (typeof endStates)[number];

/** Where a thread stands at the end. */
export interface RecordedEnd {
  readonly thread: number;
  readonly state: EndState;
  /**
   * The operation it is at, in the same form as a step; absent for a thread that ended or failed. If it goes round in a loop
   * instead, its source is the loop.
   */
  readonly next?: RecordedStep;
  /** If it goes round in a loop: the names of what it reads there. */
  readonly reads?: readonly string[];
}

/**
 * One execution. If it is sequentially consistent, its steps come in an order in which they could have happened, one after the
 * other. If not, there is none: then each step comes after those that it depends on, and some reads are stale or some writes late.
 */
export interface RecordedExecution extends Execution {
  readonly threads: readonly RecordedThread[];
  readonly steps: readonly RecordedStep[];
  readonly ends: readonly RecordedEnd[];
  /** How often the order switches away from a thread that could have gone on; undefined if it is not sequentially consistent. */
  readonly preemptions: number | undefined;
  /** The steps after which switches: each comes after a step of a thread that could have gone on. */
  readonly preempting: readonly number[];
}

/** Whether an error found under another model is possible under sequential consistency too. `unknown`: the search was cut short. */
export const scVerdicts = ['possible', 'impossible', 'unknown'] as const;
type ScVerdict = (typeof scVerdicts)[number];

/** A bound that a search with rising bounds has come to the end of, and what it has explored up to then. */
export interface BoundStep {
  readonly name: SearchBound['name'];
  readonly bound: number;
  /** Executions within the bound, redundant ones left out; and beyond, let through by slack. */
  readonly executions: number;
  readonly overBound: number;
  /** What was left out: 0 if this is all there is. */
  readonly pruned: number;
  /** Whether other bounds have cut something. */
  readonly isCut: boolean;
  readonly elapsedMs: number;
}

/** A bound on the rounds of loops that a search has come to the end of, and found no error. */
export interface RoundsStep {
  readonly rounds: number;
  readonly executions: number;
  readonly elapsedMs: number;
}

/** What was explored of loops that are not known to end, if not all. */
export interface RoundsReport {
  /** There is no error in executions in which none of them goes round more often. 0: that is not known of any number. */
  readonly covered: number;
  /** The next bound, if the search was stopped within it. */
  readonly tried?: number;
}

/** How large the program is, as far as a search has seen. */
export interface ProgramSize {
  readonly threads: number;
  /** The most that one thread performs in one execution. */
  readonly operations: number;
}

export interface CheckError {
  readonly kind: FailureKind;
  readonly message: string;
  readonly location: SourcePosition | undefined;
  /** The thread that failed or leaks, those that wait, or the two that clash. */
  readonly threads: readonly number[];
  /**
   * For two accesses that clash (a race, a use after free, a double free): both; the second is not performed yet, so it stands at
   * its thread's end.
   */
  readonly racing: readonly [RecordedStep, RecordedStep] | undefined;
  /** For an execution that is taken not to end: how many of its last steps repeat those before; 0: that is not known. */
  readonly round?: number;
  /** For a search with a bound: the least number of preemptions of the execution; and whether that is beyond the bound. */
  readonly preemptions?: number;
  readonly isBeyondBound?: boolean;
  /** Undefined for an error that was found under sequential consistency, and if nobody asked. */
  readonly underSc?: ScVerdict;
  /** If that is unknown although the search under sequential consistency came to its end: what it left out. */
  readonly scBounds?: readonly Bound[];
  /** One that is sequentially consistent if the error is possible so. */
  readonly execution: RecordedExecution;
}

export interface CheckResult {
  readonly version: string;
  readonly program: string;
  readonly model: string;
  readonly algorithm: string;
  /** The values of the options that only some algorithms have, of this one. */
  readonly algorithmOptions: AlgorithmValues;
  /** Those of them that are not as by default, in words: "equivalence rf". */
  readonly unusualOptions: readonly string[];
  readonly verdict: Verdict;
  readonly executions: Counts;
  readonly errors: readonly CheckError[];
  /** Errors that were asked for and that the algorithm may have missed; left out if there are none. */
  readonly mayMiss?: readonly MayMiss[];
  /** The status other than 0 with which all complete executions have ended the program; left out if there is none. */
  readonly exitStatus?: number;
  /** What is worth knowing and no error. */
  readonly warnings: readonly Warning[];
  /** The bounds that the search had: if one of them cut something, the verdict is at best `bounded`. */
  readonly bounds: readonly Bound[];
  /** For a search with rising bounds: each that it has come to the end of. */
  readonly iterations: readonly BoundStep[];
  /** If the rounds of loops were bounded, though nobody asked for it; left out if that cut nothing. */
  readonly rounds?: RoundsReport;
  /** For the verdict `incomplete`. */
  readonly size?: ProgramSize;
  /** What the front end takes for granted of what the program uses: a proof holds where that does. */
  readonly assumptions: readonly string[];
  /** Who compiled the program, if somebody did. */
  readonly compiler?: CompilerName;
  /** What was found out about the loops of the program. */
  readonly loops: readonly LoopReport[];
  /** Those that went round often, or that a bound has stopped; the most rounds first. */
  readonly openLoops: readonly OpenLoop[];
  /** What the program is written in: hints go by it. */
  readonly language: Language;
  /** Why the search ended early, for the verdict `incomplete`. */
  /** Whether parts of the search were explored apart: then nobody knows what came of a graph in all, and `boundBlocked` is too large. */
  readonly wasCut?: true;
  readonly stoppedBy: StopReason | undefined;
  readonly elapsedMs: number;
  /** Loading and compiling the program. */
  readonly compileMs: number;
}
