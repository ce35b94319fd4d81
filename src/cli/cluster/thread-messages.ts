/** What the main thread of `heddle worker` and the threads that explore tell each other. */

import type { Task } from '../../cluster/explore-errand.ts';
import type { Outcome } from '../../cluster/explore-item.ts';
import type { Knowledge, Learned } from '../../program/knowledge.ts';
import type { Shared } from '../job.ts';
import type { ProgramSource } from '../source.ts';

export interface ThreadInput {
  readonly pulse: Shared['pulse'];
}

export type ToThread =
  | { readonly type: 'explore'; readonly task: Task }
  /** The answer to `need`. */
  | { readonly type: 'source'; readonly source: ProgramSource }
  | { readonly type: 'learn'; readonly knowledge: Knowledge | undefined };

export type FromThread =
  /** It has to load the program of its task. */
  | { readonly type: 'need' }
  | { readonly type: 'outcome'; readonly outcome: Outcome }
  | { readonly type: 'learned'; readonly learned: Learned; readonly knowledge: Knowledge | undefined }
  | { readonly type: 'thread'; readonly thread: number; readonly name: string };
