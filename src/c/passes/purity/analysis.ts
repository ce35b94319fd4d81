/**
 * The analysis of partial loop purity elimination ([Await], section III): the purity condition of a loop, which is the
 * forward purity condition, FPC, at the beginning of its header. FPCs are propagated backwards over edges, blocks and
 * statements by the rules of the paper; the names here are its names.
 *
 * What differs:
 * - A phi in an FPC is replaced by its operand where the condition passes an edge into the block of the phi. So conditions
 *   are over registers that are defined earlier, and merged paths are told apart (which saves jump threading).
 * - The header is impure along an edge not by the look of a phi, but by the condition that the phi's new value is the one
 *   that it has. If the new value is a phi of the loop itself, it is replaced in the same way on the way back, so that a
 *   variable which only some paths of an iteration set makes only those impure. What is left in the end is a comparison
 *   with a constant or with something from outside of the loop; other computed values are taken to differ.
 * - What may fail is wider than memory that may not be there: see statements.ts.
 */
import type { SourcePosition } from '../../../program/operation.ts';
import {
  type Block,
  type Instruction,
  successorsOf,
  type Terminator,
  terminatorOf,
  type Value,
} from '../../ir/module.ts';
import { type Cfg, type CfgLoop, type Dominators, findDominators } from '../analyses/cfg.ts';
import { phisOf } from '../analyses/values.ts';
import {
  and,
  type Condition,
  comparison,
  FALSE,
  holds,
  isComparable,
  isPlain,
  notBefore,
  or,
  sameCondition,
  single,
  substituted,
  TRUE,
} from './conditions.ts';
import type { Statements, Successes } from './statements.ts';

export interface Purity {
  readonly loop: CfgLoop;
  readonly condition: Condition;
  /** What makes paths back to the header impure; empty if there is no such path. */
  readonly obstacles: readonly Obstacle[];
}

/** Something that makes an iteration impure. */
export interface Obstacle {
  readonly what: string;
  readonly position: SourcePosition | undefined;
}

export interface Surroundings {
  readonly cfg: Cfg;
  readonly statements: Statements;
  readonly successes: Successes;
  /** Statements that are taken to be pure. */
  readonly hoped?: ReadonlySet<Instruction>;
}

/** The purity condition of a loop that is not irreducible. */
export function purityOf(loop: CfgLoop, surroundings: Surroundings): Purity {
  const analysis = new LoopAnalysis(loop, surroundings);
  return { loop, condition: analysis.condition(), obstacles: analysis.obstacles };
}

class LoopAnalysis {
  readonly #loop: CfgLoop;
  readonly #cfg: Cfg;
  readonly #statements: Statements;
  readonly #successes: Successes;
  readonly #hoped: ReadonlySet<Instruction>;
  readonly #inside = new Set<Value>();
  readonly #headerPhis: ReadonlySet<Value>;
  /** FPC(•B) */
  readonly #atBeginning = new Map<Block, Condition>();
  readonly obstacles: Obstacle[] = [];
  #dominators: Dominators | undefined;

  constructor(loop: CfgLoop, { cfg, statements, successes, hoped }: Surroundings) {
    this.#loop = loop;
    this.#cfg = cfg;
    this.#statements = statements;
    this.#successes = successes;
    this.#hoped = hoped ?? new Set();
    this.#headerPhis = new Set<Value>(phisOf(loop.header));
    for (const block of loop.blocks) for (const instruction of block.instructions) this.#inside.add(instruction);
  }

  condition(): Condition {
    const indexOf = (block: Block) => this.#cfg.index.get(block)!;
    // Successors first: only back edges lead to blocks that come earlier in reverse postorder.
    const order = [...this.#loop.blocks].sort((a, b) => indexOf(b) - indexOf(a));
    for (const block of order) this.#atBeginning.set(block, this.#throughBlock(block, this.#atEnd(block)));
    const condition = this.#atBeginning.get(this.#loop.header)!;
    return condition.filter(({ terms }) => terms.every(isPlain));
  }

  /** FPC(B•) */
  #atEnd(block: Block): Condition {
    let condition = FALSE;
    for (const { target, guard } of edgesOf(terminatorOf(block))) {
      condition = or(condition, this.#alongEdge(block, target, guard));
    }
    return condition;
  }

  /** FPC(A, B) of an edge with condition g */
  #alongEdge(from: Block, to: Block, guard: Condition): Condition {
    if (!this.#loop.blocks.has(to)) return FALSE;
    if (to === this.#loop.header) return and(guard, this.#headerIsPureAlong(from));
    if (this.#isBackEdge(from, to)) {
      this.#note('it goes round an inner loop', terminatorOf(from).position);
      return FALSE;
    }
    return and(guard, substituted(this.#atBeginning.get(to)!, valuesAlong(from, to)));
  }

  #isBackEdge(from: Block, to: Block): boolean {
    return this.#cfg.index.get(to)! <= this.#cfg.index.get(from)!;
  }

  #throughBlock(block: Block, atEnd: Condition): Condition {
    let condition = atEnd;
    for (const statement of block.instructions.toReversed()) {
      if (condition.length === 0 || statement.op === 'phi') break;
      if (this.#hoped.has(statement)) continue;
      const after = condition;
      condition = and(condition, this.#statements.pureWhen(statement, this.#successes));
      if (statement.op !== 'assume' && !sameCondition(condition, after)) this.#noteImpure(statement);
      if (this.#statements.mayFail(statement)) condition = notBefore(condition, statement);
      if (condition.length > 0 && this.#isMissed(statement, block)) {
        this.#note('it makes an access that may race with what comes after', statement.position);
        condition = FALSE;
      }
    }
    return condition;
  }

  /** Whether an error of the statement may be lost with the iteration: the one that leaves the loop need not have it. */
  #isMissed(statement: Instruction, block: Block): boolean {
    return this.#statements.mayBeMissed(statement) && !this.#isInLastIteration(statement, block);
  }

  #isInLastIteration(statement: Instruction, block: Block): boolean {
    const at = this.#cfg.index.get(block)!;
    this.#dominators ??= findDominators(this.#cfg);
    for (const other of this.#loop.blocks) {
      const isExit = successorsOf(other).some((successor) => !this.#loop.blocks.has(successor));
      if (isExit && !this.#dominators.dominates(at, this.#cfg.index.get(other)!)) return false;
    }
    return addressesOf(statement).every((address) => this.#isInvariant(address));
  }

  #isInvariant(value: Value): boolean {
    if (!this.#inside.has(value)) return true;
    return (
      value.kind === 'instruction' &&
      value.op === 'getelementptr' &&
      value.operands.every((each) => this.#isInvariant(each))
    );
  }

  /** That no phi of the header changes along the edge. */
  #headerIsPureAlong(from: Block): Condition {
    let condition = TRUE;
    for (const [phi, value] of valuesAlong(from, this.#loop.header)) {
      condition = and(condition, this.#isUnchanged(phi, value));
    }
    return condition;
  }

  /** That a phi of the header keeps its value if it gets this one. */
  #isUnchanged(phi: Value, value: Value): Condition {
    if (value === phi) return TRUE;
    if (this.#isInnerPhi(value)) {
      return single({ kind: 'unchanged', phi, value, given: (other) => this.#isUnchanged(phi, other) });
    }
    this.#note(`${nameOf(phi)} may change`, positionOf(value) ?? positionOf(phi));
    const isComputed = this.#inside.has(value) && !this.#isPhi(value);
    return isComputed || !isComparable(value) ? FALSE : comparison('eq', phi, value);
  }

  #isInnerPhi(value: Value): boolean {
    return this.#isPhi(value) && this.#inside.has(value) && !this.#headerPhis.has(value);
  }

  #isPhi(value: Value): boolean {
    return value.kind === 'instruction' && value.op === 'phi';
  }

  #noteImpure(statement: Instruction): void {
    this.#note(this.#statements.whyImpure(statement), statement.position);
  }

  #note(what: string, position: SourcePosition | undefined): void {
    this.obstacles.push({ what, position });
  }
}

/** What it accesses, and for a call also what else it is given. */
function addressesOf({ op, operands }: Instruction): readonly Value[] {
  if (op === 'call') return operands;
  return operands.slice(op === 'store' ? 1 : 0, op === 'store' ? 2 : 1);
}

/** The values that the phis of a block get along an edge. */
function valuesAlong(from: Block, to: Block): ReadonlyMap<Value, Value> {
  return new Map(phisOf(to).map((phi) => [phi, phi.operands[phi.blocks.indexOf(from)]!]));
}

interface Edge {
  readonly target: Block;
  readonly guard: Condition;
}

/** Where a block leads to, and on which conditions. */
export function edgesOf(last: Terminator): readonly Edge[] {
  if (last.op === 'br') {
    const [condition] = last.operands;
    if (condition === undefined) return [{ target: last.targets[0]!, guard: TRUE }];
    return last.targets.map((target, i) => ({ target, guard: holds(condition, i === 0) }));
  }
  if (last.op !== 'switch') return [];
  const [value, ...cases] = last.operands as [Value, ...Value[]];
  let otherwise = TRUE;
  for (const constant of cases) otherwise = and(otherwise, comparison('ne', value, constant));
  const chosen = cases.map((constant, i) => ({
    target: last.targets[i + 1]!,
    guard: comparison('eq', value, constant),
  }));
  return [...chosen, { target: last.targets[0]!, guard: otherwise }];
}

/** As the source calls it: promote.ts adds a number to names that are taken. */
function nameOf(phi: Value): string {
  const name = phi.kind === 'instruction' ? phi.name.replace(/\.\d+$/, '') : '';
  return name === '' ? 'a variable' : `the variable ${name}`;
}

function positionOf(value: Value): SourcePosition | undefined {
  return value.kind === 'instruction' ? value.position : undefined;
}
