/** Searches for errors that are known under other circumstances: under another model, or with another equivalence. */
import { algorithms } from '../explore/registry.ts';
import type { Equivalence, ModelName } from '../models/registry.ts';
import { Behaviours, type BehavioursOptions } from '../program/behaviours.ts';
import { InputError } from '../program/input-error.ts';
import type { Program } from '../program/operation.ts';
import { type Bound, boundsOf } from './bounds.ts';
import type { ResolvedOptions } from './options.ts';
import { Pace } from './pace.ts';
import { recordError } from './record.ts';
import type { CheckError } from './result.ts';
import { keyOf } from './sameness.ts';

/** How long to search; by executions, so that the answer is the same each time, if time allows. */
const MOST_EXECUTIONS = 50_000;
const MOST_MS = 2000;
/** So long even if the time that the user gave is over. */
const LEAST_MS = 300;

export interface Circumstances {
  readonly program: Program;
  readonly options: ResolvedOptions;
  /** How much is left of the time that the user gave. */
  readonly leftMs: () => number;
  readonly isInterrupted: () => boolean;
  readonly behaviours: BehavioursOptions | undefined;
}

interface Found {
  /** By key. */
  readonly found: ReadonlyMap<string, CheckError>;
  /** What was left out; undefined if the search did not come to its end. */
  readonly bounds: readonly Bound[] | undefined;
}

/** Goes on until all the errors are found, or everything was explored, or it takes too long. */
export function searchAgain(
  errors: readonly CheckError[],
  model: ModelName,
  equivalence: Equivalence,
  { program, options, leftMs, isInterrupted, behaviours }: Circumstances,
): Found {
  const wanted = new Set(errors.map(keyOf));
  const found = new Map<string, CheckError>();
  if (wanted.size === 0) return { found, bounds: undefined };
  const end = performance.now() + Math.min(MOST_MS, Math.max(LEAST_MS, leftMs()));
  try {
    program.checkedUnder?.(model);
    const threads = new Behaviours(program, { maxDepth: options.maxDepth, ...behaviours });
    const limits = { ...options, equivalence, keepGoing: true, maxExecutions: MOST_EXECUTIONS };
    const explorer = algorithms.trust.make(threads, model, limits);
    const pace = new Pace();
    for (let seen = 0, isOver = false; !isOver && found.size < wanted.size; ) {
      isOver = pace.run((steps) => explorer.run(steps)) || performance.now() > end || isInterrupted();
      for (const finding of explorer.findings.slice(seen)) {
        const error = recordError(program, finding);
        if (wanted.has(keyOf(error)) && !found.has(keyOf(error))) found.set(keyOf(error), error);
      }
      seen = explorer.findings.length;
    }
    return { found, bounds: explorer.isExhausted ? boundsOf(program, explorer) : undefined };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { found, bounds: undefined }; // a part of the program that the first search did not come to cannot be checked
  }
}
