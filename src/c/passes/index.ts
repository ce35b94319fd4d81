/**
 * The passes in their order. After `optimise`, local variables whose address nobody takes are SSA values, constants are
 * folded, and no unreachable or dead code is left; with `unroll`, every loop is bounded.
 */
import type { IrFunction, Module } from '../ir/module.ts';
import { removeUnreachable } from './cfg.ts';
import { removeDeadCode } from './dce.ts';
import { fold } from './fold.ts';
import { mergeBlocks } from './merge-blocks.ts';
import { markPartialLoads } from './partial-loads.ts';
import { promote } from './promote.ts';
import { splitAggregates } from './sroa.ts';
import { loopPositions, unroll } from './unroll.ts';
import type { Pass } from './values.ts';

export { analyseEscape, type Escape } from './escape.ts';

export interface OptimiseOptions {
  /** How often a loop's header may be entered each time the loop is reached. */
  readonly unroll?: number | undefined;
}

/** Splitting and promotion belong together: promotion must know which loads only copy parts of structs. */
function promoteAll(f: IrFunction, m: Module): boolean {
  return promote(f, splitAggregates(f, m));
}

/** Each pass alone, by the name under which `--emit-ir` knows it, in the order in which they run. */
export const passes: Readonly<Record<string, Pass>> = {
  'partial-loads': markPartialLoads,
  unreachable: removeUnreachable,
  promote: promoteAll,
  fold,
  dce: removeDeadCode,
  'merge-blocks': mergeBlocks,
};

/** Folding gives new constant indices, and with them new scalars; real code needs two or three rounds. */
const mostRounds = 8;

const repeated: readonly Pass[] = [promoteAll, fold, removeDeadCode, mergeBlocks];

export function optimise(m: Module, options: OptimiseOptions = {}): void {
  for (const f of m.functions.values()) if (f.blocks.length > 0) optimiseFunction(f, m, options);
}

function optimiseFunction(f: IrFunction, m: Module, options: OptimiseOptions): void {
  markPartialLoads(f);
  removeUnreachable(f);
  const positions = loopPositions(f);
  for (let round = 0, changed = true; changed && round < mostRounds; round++) {
    changed = false;
    for (const pass of repeated) if (pass(f, m)) changed = true;
  }
  if (options.unroll !== undefined && unroll(f, options.unroll, positions)) mergeBlocks(f);
}

/** Runs one pass by its name on all functions. */
export function runPass(m: Module, name: string): void {
  const pass = passes[name];
  if (pass === undefined) throw new Error(`there is no pass ${name}`);
  for (const f of m.functions.values()) if (f.blocks.length > 0) pass(f, m);
}
