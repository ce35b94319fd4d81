/** What the main thread and the worker that searches tell each other. */
import type { MessagePort } from 'node:worker_threads';
import type { CheckOptions } from '../check/options.ts';
import type { SearchState } from '../check/saved-state.ts';
import type { SourcePosition } from '../program/operation.ts';
import type { CheckReport } from '../report/schema.ts';
import type { TextOptions } from '../report/text.ts';
import { PROGRESS_NUMBERS } from './progress-numbers.ts';
import type { ProgramSource } from './source.ts';

export interface JobRequest {
  readonly source: ProgramSource;
  readonly options: CheckOptions;
  readonly text: TextOptions;
  /** Where the trace will be written: the paths in it depend on that. */
  readonly traceFile: string | undefined;
  readonly workers: Workers;
  /** Where checkpoints are written. */
  readonly checkpoint: string | undefined;
  /** What a search that was stopped had come to. */
  readonly before: SearchState | undefined;
  /** What has stopped that search, if it is not to go on. */
  readonly stoppedBy?: 'timeout' | 'interrupt' | undefined;
}

/** How many threads explore, and for how long one of them does so alone. */
export interface Workers {
  readonly count: number;
  readonly aloneMs: number;
}

export const oneWorker: Workers = { count: 1, aloneMs: 0 };

/** Memory that both threads see. */
export interface Shared {
  /** 1: stop the search. */
  readonly interrupt: Int32Array<SharedArrayBuffer>;
  /** See `BehavioursOptions.pulse`. */
  readonly pulse: Int32Array<SharedArrayBuffer>;
  /** Of `Progress`: see progress-numbers.ts. */
  readonly progress: Float64Array<SharedArrayBuffer>;
}

export function newShared(): Shared {
  return {
    interrupt: new Int32Array(new SharedArrayBuffer(4)),
    pulse: new Int32Array(new SharedArrayBuffer(12)),
    progress: new Float64Array(new SharedArrayBuffer(8 * PROGRESS_NUMBERS)),
  };
}

export interface WorkerInput {
  readonly request: JobRequest;
  readonly shared: Shared;
  /** Whether somebody sees how the search gets on. */
  readonly isWatched: boolean;
}

export interface PeerInput {
  readonly request: JobRequest;
  readonly shared: Shared;
}

/** What the main thread tells the leader: that there is another thread that explores. */
export interface LeaderMessage {
  readonly peer: MessagePort;
}

/** A result, rendered where the values of the program are: not all of them can leave the worker. */
export interface JobResult {
  readonly report: CheckReport;
  readonly text: string;
  /** The first error's execution; undefined if there is none. */
  readonly trace: string | undefined;
  readonly dot: string | undefined;
}

export type WorkerMessage =
  | { readonly type: 'thread'; readonly thread: number; readonly name: string }
  /** Something worth telling before the search is over. */
  | { readonly type: 'line'; readonly text: string }
  /** The same, for standard error. */
  | { readonly type: 'warning'; readonly text: string }
  /** The search is long: the other threads are to begin. */
  | { readonly type: 'more workers' }
  | { readonly type: 'result'; readonly result: JobResult }
  | { readonly type: 'input-error'; readonly message: string; readonly position: SourcePosition | undefined }
  /** The machine has no room for a typed array, whose memory is not limited by Node. */
  | { readonly type: 'out of memory' }
  | { readonly type: 'internal-error'; readonly stack: string };
