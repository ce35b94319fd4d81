/** Explores one part of a search, for a while: in the thread that has the program. */

import { makeExplorer, type WatchedBehaviours } from '../check/make-explorer.ts';
import { Memory } from '../check/memory.ts';
import type { ResolvedOptions } from '../check/options.ts';
import { Pace } from '../check/pace.ts';
import { Patience } from '../check/patience.ts';
import { recordError } from '../check/record.ts';
import type { PeerFailure } from '../check/sharing/messages.ts';
import { type Part, partOf } from '../check/sharing/part.ts';
import { failureOf } from '../check/sharing/peer.ts';
import { type Divisible, type Explorer, executionsOf, isDivisible } from '../explore/explorer.ts';
import { InputError } from '../program/input-error.ts';
import type { Knowledge } from '../program/knowledge.ts';
import { type Program, ProgramRefined } from '../program/operation.ts';
import type { Item } from './item.ts';

/** What came of it. Plain data. */
export type Outcome =
  | {
      readonly kind: 'explored';
      readonly part: Part;
      /** Nothing, if there are no items in it. */
      readonly left: Pick<Item, 'items' | 'hasErrors'>;
      /** What the program knows by now. */
      readonly knowledge: Knowledge | undefined;
      readonly deepest: number;
      /** It has stopped at an error. */
      readonly isOver: boolean;
    }
  /** The program has learned something that makes all void. */
  | { readonly kind: 'refined'; readonly knowledge: Knowledge | undefined }
  | { readonly kind: 'failed'; readonly failure: PeerFailure };

/** An execution that takes so long is cut in the middle, which is costly if it is that long. */
const LONGEST_MS = 30_000;

/** What decides when it is cut: for tests, which cut after few steps. */
export interface Cutting {
  readonly pace: Pick<Pace, 'run'>;
  readonly memory: Pick<Memory, 'isShort'>;
}

/** `knowledge`: all that is known of the program elsewhere. */
export function exploreItem(
  program: Program,
  options: ResolvedOptions,
  { items, hasErrors, level }: Item,
  knowledge: Knowledge | undefined,
  limitMs: number,
  behaviours: WatchedBehaviours = {},
  { pace = new Pace(), memory = new Memory() }: Partial<Cutting> = {},
): Outcome {
  try {
    const explorer = makeExplorer(program, options, behaviours);
    if (!isDivisible(explorer)) throw new Error(`the search of ${options.algorithm} cannot be cut`);
    explorer.load({ items, hasErrors, ...(knowledge === undefined ? {} : { knowledge }) });
    const isOver = runFor(explorer, options, limitMs, { pace, memory });
    const left = isOver || explorer.isExhausted ? { items: [], hasErrors: false } : explorer.save();
    const part = partOf(explorer, program);
    for (const finding of part.findings) recordError(program, finding); // which may teach the program something, too
    const learned = program.knowledge?.('search');
    return { kind: 'explored', part, left, knowledge: learned, deepest: program.openLoops?.deepest ?? 0, isOver };
  } catch (error) {
    if (error instanceof ProgramRefined) return { kind: 'refined', knowledge: program.knowledge?.('search') };
    const failed = { kind: 'failed', failure: failureOf(error) } as const;
    if (!(error instanceof InputError) || error.position !== undefined || behaviours.recording === true) return failed;
    // as in `check`: a search does not record positions, and the same one with recording throws it with one
    const item = { items, hasErrors, level };
    const again = exploreItem(
      program,
      options,
      item,
      knowledge,
      10 * limitMs,
      { ...behaviours, recording: true },
      { pace, memory },
    );
    return again.kind === 'explored' ? failed : again;
  }
}

/** Whether it has stopped at an error. */
function runFor(
  explorer: Explorer & Divisible,
  { maxDepth }: ResolvedOptions,
  limitMs: number,
  { pace, memory }: Cutting,
): boolean {
  const start = performance.now();
  const patience = new Patience();
  for (;;) {
    const isDone = pace.run((steps) => explorer.run(steps));
    if (explorer.isExhausted) return false;
    if (isDone) return true;
    const elapsedMs = performance.now() - start;
    const executions = executionsOf(explorer.counts);
    const { behaviours } = explorer;
    if (maxDepth === undefined && patience.isOver(executions, behaviours.longestRun, elapsedMs))
      throw behaviours.endless();
    const isLong = elapsedMs >= limitMs || memory.isShort(behaviours);
    if (isLong && (executions > 0 || elapsedMs >= LONGEST_MS)) return false;
  }
}
