/**
 * Where the assumes of partial loop purity elimination go ([Await], section III): each at the earliest point that is after the
 * definitions of all registers in its conjunction and after the conjunction's earliest insertion point.
 *
 * The definitions all lie on the paths that the conjunction describes, so the last of them in reverse postorder comes last
 * on each such path.
 *
 * What differs from the paper: terms that branches or earlier assumes on all ways to that point make certain are left out.
 */
import type { SourcePosition } from '../../../program/operation.ts';
import { terminatorOf, type Value } from '../../ir/module.ts';
import { type Cfg, type CfgLoop, type Dominators, findDominators } from '../analyses/cfg.ts';
import { phisOf } from '../analyses/values.ts';
import { edgesOf } from './analysis.ts';
import {
  type Conjunction,
  excludesTerm,
  impliesTerm,
  isPlain,
  negatedTerm,
  type Plain,
  registersOf,
} from './conditions.ts';

/** Where an instruction stands: in reverse postorder, then in its block. All phis are at the same point. */
export interface Place {
  readonly block: number;
  readonly index: number;
}

/** An assume that is to be put in. */
export interface Plan {
  readonly loop: CfgLoop;
  readonly position: SourcePosition | undefined;
  readonly place: Place;
  /** Not all of these hold. */
  readonly terms: readonly Plain[];
  readonly mindsBackEdges: boolean;
}

export class Planning {
  readonly #cfg: Cfg;
  readonly #dominators: Dominators;
  readonly #places = new Map<Value, Place>();
  readonly plans: Plan[] = [];

  constructor(cfg: Cfg) {
    this.#cfg = cfg;
    this.#dominators = findDominators(cfg);
    for (const [block, { instructions }] of cfg.blocks.entries()) {
      const phis = phisOf(cfg.blocks[block]!).length;
      for (const [index, instruction] of instructions.entries()) {
        this.#places.set(instruction, { block, index: Math.max(index, phis - 1) });
      }
    }
  }

  /** After all definitions that lie in the loop, and the instruction that the conjunction must not come before. */
  placeFor(loop: CfgLoop, { terms, after }: Conjunction): Place {
    const header = this.#cfg.index.get(loop.header)!;
    let last: Place = { block: header, index: phisOf(loop.header).length - 1 };
    const points: Value[] = terms.filter(isPlain).flatMap(registersOf);
    if (after !== undefined) points.push(after);
    for (const point of points) {
      const place = this.#places.get(point);
      if (place === undefined || !loop.blocks.has(this.#cfg.blocks[place.block]!)) continue;
      if (comparePlaces(last, place) < 0) last = place;
    }
    return last;
  }

  add(loop: CfgLoop, conjunction: Conjunction, place: Place, position: SourcePosition | undefined): void {
    const facts = this.#factsAt(place);
    const all = conjunction.terms.filter(isPlain);
    if (all.some((term) => facts.some((fact) => excludesTerm(fact, term)))) return;
    const terms = all.filter((term) => !facts.some((fact) => impliesTerm(fact, term)));
    const mindsBackEdges = this.#mayHaveTakenBackEdge(loop, place);
    this.plans.push({ loop, position, place, terms, mindsBackEdges });
  }

  /** Where a register is defined; undefined if not by an instruction. */
  placeOf(register: Value): Place | undefined {
    return this.#places.get(register);
  }

  /** Whether a definition is on all ways to the place. */
  reaches(register: Value, { block, index }: Place): boolean {
    const definition = this.#places.get(register);
    if (definition === undefined) return true;
    if (definition.block === block) return definition.index <= index;
    return this.#dominators.dominates(definition.block, block);
  }

  /** What branches and assumes make certain on all ways there. */
  #factsAt(place: Place): readonly Plain[] {
    const facts: Plain[] = [];
    for (let block = place.block; block !== 0; block = this.#dominators.immediate[block]!) {
      const [only, ...others] = this.#cfg.predecessors[block]!;
      if (only === undefined || others.length > 0) continue;
      const target = this.#cfg.blocks[block]!;
      const edge = edgesOf(terminatorOf(this.#cfg.blocks[only]!)).find((candidate) => candidate.target === target);
      if (edge?.guard.length === 1) facts.push(...edge.guard[0]!.terms.filter(isPlain));
    }
    for (const plan of this.plans) {
      const [only, ...others] = plan.terms;
      if (only === undefined || others.length > 0 || plan.mindsBackEdges) continue;
      const isBefore = plan.place.block === place.block || this.#dominators.dominates(plan.place.block, place.block);
      if (isBefore && registersOf(only).every((register) => this.reaches(register, plan.place))) {
        facts.push(negatedTerm(only));
      }
    }
    return facts;
  }

  /** Whether control can come to the place in an iteration after it has taken an internal back edge. */
  #mayHaveTakenBackEdge(loop: CfgLoop, place: Place): boolean {
    const work = internalBackEdges(this.#cfg, loop).map(({ to }) => to);
    const seen = new Set(work);
    for (let block = work.pop(); block !== undefined; block = work.pop()) {
      for (const next of this.#cfg.successors[block]!) {
        const target = this.#cfg.blocks[next]!;
        if (seen.has(next) || target === loop.header || !loop.blocks.has(target)) continue;
        seen.add(next);
        work.push(next);
      }
    }
    return seen.has(place.block);
  }
}

/** The edges back that lead not to the header: of inner loops, and of cycles with several ways in. */
export function internalBackEdges(cfg: Cfg, loop: CfgLoop): { readonly from: number; readonly to: number }[] {
  const edges: { from: number; to: number }[] = [];
  for (const block of loop.blocks) {
    const from = cfg.index.get(block)!;
    for (const to of cfg.successors[from]!) {
      const target = cfg.blocks[to]!;
      if (to <= from && target !== loop.header && loop.blocks.has(target)) edges.push({ from, to });
    }
  }
  return edges;
}

export function comparePlaces(a: Place, b: Place): number {
  return a.block - b.block || a.index - b.index;
}
