/**
 * The passes in their order. After `optimise`, local variables whose address nobody takes are SSA values, constants are
 * folded, and no unreachable or dead code is left; with `unroll`, every loop is bounded.
 */
import type { LoopReport } from '../../program/operation.ts';
import type { IrFunction, Module, Ordering } from '../ir/module.ts';
import { type CfgLoop, removeUnreachable } from './analyses/cfg.ts';
import type { Pass } from './analyses/values.ts';
import { eliminatePureIterations } from './purity/index.ts';
import { Inliner } from './purity/inline.ts';
import { Statements } from './purity/statements.ts';
import { lowerAssumes, makeAwaits } from './transformations/awaits.ts';
import { markCopies } from './transformations/copies.ts';
import { removeDeadCode } from './transformations/dce.ts';
import { removeDeadBranches } from './transformations/dead-branches.ts';
import { fold } from './transformations/fold.ts';
import { forgetArguments } from './transformations/forget-arguments.ts';
import { mergeBlocks } from './transformations/merge-blocks.ts';
import { clearPadding } from './transformations/padding.ts';
import { markPartialLoads } from './transformations/partial-loads.ts';
import { trapPoison } from './transformations/poison.ts';
import { promote } from './transformations/promote.ts';
import { rotate } from './transformations/rotate.ts';
import { splitAggregates } from './transformations/sroa.ts';
import { countRounds, type LoopPositions, loopPositions, positionOf, unroll } from './transformations/unroll.ts';
import { dropUnusedValues, markUnread } from './transformations/unused-values.ts';
import { orderVolatile } from './transformations/volatile.ts';

export interface OptimiseOptions {
  /** How often a loop's header may be entered each time the loop is reached. */
  readonly unroll?: number | undefined;
  /** Without `unroll`: count the rounds of loops that are not known to end, so that they can be bounded as the program runs. */
  readonly countRounds?: boolean | undefined;
  /** Stop pure iterations of loops (partial loop purity elimination). */
  readonly plp?: boolean | undefined;
  /** For `plp`: writes to variables that nobody reads change nothing. */
  readonly unread?: boolean | undefined;
  /** Accesses whose result is assumed to be something wait for it. */
  readonly await?: boolean | undefined;
  /** What a volatile access is. Default: not atomic. */
  readonly volatile?: Ordering | undefined;
  /** What was never set may be copied. */
  readonly copiesUnset?: boolean | undefined;
}

/** Splitting leaves scalars for promotion. */
function promoteAll(f: IrFunction, m: Module): boolean {
  splitAggregates(f, m);
  return promote(f);
}

/** Each pass alone, by name, in the order in which they run. */
export const passes: Readonly<Record<string, Pass>> = {
  poison: trapPoison,
  'partial-loads': markPartialLoads,
  unreachable: removeUnreachable,
  'forget-arguments': forgetArguments,
  promote: promoteAll,
  fold,
  dce: removeDeadCode,
  'dead-branches': removeDeadBranches,
  'merge-blocks': mergeBlocks,
  rotate,
};

/** Folding gives new constant indices, and with them new scalars; real code needs two or three rounds. */
const mostRounds = 8;

const repeated: readonly Pass[] = [promoteAll, fold, removeDeadCode, removeDeadBranches, mergeBlocks];

/** What became of the loops, if pure iterations are to be stopped. */
export function optimise(m: Module, options: OptimiseOptions = {}): LoopReport[] {
  const defined = [...m.functions.values()].filter((f) => f.blocks.length > 0);
  const positions = new Map(defined.map((f) => [f, simplify(f, m, options)]));
  dropAcrossFunctions(defined, m);
  if (options.unread === true) markUnread(m);
  const statements = new Statements(m);
  for (const f of defined) prepareLoops(f, m, options);
  if (options.plp === true) inlineInLoops(defined, m, statements, positions);
  return defined.flatMap((f) => boundLoops(f, m, options, statements, positions.get(f)!));
}

/** Where the loops of the function stand in the source. */
function simplify(f: IrFunction, m: Module, { copiesUnset, volatile }: OptimiseOptions): LoopPositions {
  trapPoison(f, m);
  markPartialLoads(f);
  clearPadding(f);
  markCopies(f, copiesUnset === true);
  orderVolatile(f, volatile ?? 'notatomic');
  removeUnreachable(f);
  forgetArguments(f, m);
  const positions = loopPositions(f);
  repeat(f, m);
  return positions;
}

function repeat(f: IrFunction, m: Module): void {
  for (let round = 0, changed = true; changed && round < mostRounds; round++) {
    changed = false;
    for (const pass of repeated) if (pass(f, m)) changed = true;
  }
}

/** What turns out to be needless in one function may make more so in others. */
function dropAcrossFunctions(defined: readonly IrFunction[], m: Module): void {
  for (let round = 0, changed = true; changed && round < mostRounds; round++) {
    const unused = dropUnusedValues(m);
    const simpler = defined.filter((f) => removeDeadBranches(f, m) || unused.has(f));
    for (const f of simpler) repeat(f, m);
    changed = simpler.length > 0;
  }
}

/** The program's assumes as instructions, and loops without computation that is written twice. */
function prepareLoops(f: IrFunction, m: Module, { plp, await: waits }: OptimiseOptions): void {
  let changed = (plp === true || waits === true) && lowerAssumes(f, m);
  if (plp === true && rotate(f)) changed = true;
  if (changed) repeat(f, m);
}

function inlineInLoops(
  defined: readonly IrFunction[],
  m: Module,
  statements: Statements,
  positions: Map<IrFunction, LoopPositions>,
): void {
  const inliner = new Inliner(m, statements, positions);
  for (const f of defined) {
    if (!inliner.run(f)) continue;
    repeat(f, m);
    if (rotate(f)) repeat(f, m);
  }
}

function boundLoops(
  f: IrFunction,
  m: Module,
  { plp, await: waits, unroll: most, countRounds: counts }: OptimiseOptions,
  statements: Statements,
  positions: LoopPositions,
): LoopReport[] {
  const position = (loop: CfgLoop) => positions.get(loop.header) ?? positionOf(loop);
  const judged = plp === true ? eliminatePureIterations(f, m, statements, position) : [];
  if (waits === true) makeAwaits(f);
  if (most !== undefined && unroll(f, most, positions)) mergeBlocks(f);
  if (most === undefined && counts === true) {
    const pure = new Set(judged.filter(({ report }) => report.outcome === 'pure').map(({ header }) => header));
    countRounds(f, (header) => !pure.has(header), positions);
  }
  return judged.map(({ report }) => report);
}

/** Runs one pass by its name on all functions. */
export function runPass(m: Module, name: string): void {
  const pass = passes[name];
  if (pass === undefined) throw new Error(`there is no pass ${name}`);
  for (const f of m.functions.values()) if (f.blocks.length > 0) pass(f, m);
}
