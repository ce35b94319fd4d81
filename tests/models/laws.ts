/**
 * The laws of memory models: what TruSt asks of a model ([TruSt], sections 3.1 and 4.1), and what we ask of its implementation. Any
 * model must pass `checkModel`.
 *
 * Graphs come from three sources: walks, which add one event after the other in ways that the model allows; reckless walks,
 * which do not ask it; and executions that TruSt finds, by way of revisits. A graph is consistent, to the laws, if the model lets
 * it be put together.
 */
import { expect } from 'vitest';
import { TruSt } from '../../src/explore/graphs/trust.ts';
import type { Graph } from '../../src/graph/graph.ts';
import type { GraphModel } from '../../src/models/model.ts';
import type { Equivalence } from '../../src/models/registry.ts';
import { Behaviours, Step } from '../../src/program/behaviours.ts';
import type { ModelName } from '../oracle/axioms.ts';
import type { ProgramAst } from '../oracle/language.ts';
import { Random } from '../random/prng.ts';
import { show } from '../random/show.ts';
import { toOperations } from '../random/to-operations.ts';
import { Anything } from './laws/anything.ts';
import { Assembly } from './laws/assembly.ts';
import { axiomsAllow } from './laws/axioms-of.ts';
import { type Drawing, drawingOf, showDrawing, sizeOf, type Way } from './laws/drawing.ts';

export type Law =
  /** Every porf-prefix of a consistent graph is consistent. */
  | 'prefix-closed'
  /**
   * The next event of a thread can always be added maximally: a read that reads the last write, a write that comes last, any
   * other event. Without coherence: it can be added in some way.
   */
  | 'maximally extensible'
  /** If the read of an update can be added, so can its write, unless another update has read the same write. */
  | 'exclusive-write extensible'
  /** Whether a graph is consistent does not depend on the order in which its events are added. */
  | 'independent of insertion order'
  /** What is tried and taken back leaves no trace. */
  | 'undone without a trace'
  /** readCandidates and canRead say the same; with coherence, readCandidates begins with the last write. */
  | 'of one mind'
  /** A new event can be added in just the ways that the axioms allow. */
  | 'exact';

export interface ModelUnderTest {
  readonly equivalence: Equivalence;
  readonly make: (g: Graph) => GraphModel;
  /** The axioms that it should implement, where the oracle has them. */
  readonly axioms?: ModelName;
}

/** Fails with the laws that the model breaks on these programs, with an example for each. */
export function checkModel(model: ModelUnderTest, programs: readonly ProgramAst[]): void {
  const broken = brokenLaws(model, programs);
  if (broken.size > 0) expect.fail([...broken].map(([law, example]) => `not ${law}:\n${example}`).join('\n\n'));
}

/** The laws that a model breaks, with the first example. */
export function brokenLaws(model: ModelUnderTest, programs: readonly ProgramAst[]): ReadonlyMap<Law, string> {
  const broken = new Map<Law, string>();
  for (const [index, program] of programs.entries()) new Examination(model, program, index, broken).run();
  return broken;
}

/** A way to go on, and whether the model allows it. */
interface Move {
  readonly t: number;
  readonly way: Way;
  readonly isAllowed: boolean;
}

type Report = (law: Law, what: string) => void;

const WALKS = 2;
const RECKLESS_WALKS = 4;
const EXECUTIONS = 4;
const PREFIXES = 2;
const ORDERS = 3;

class Examination {
  readonly #model: ModelUnderTest;
  readonly #program: ProgramAst;
  readonly #random: Random;
  readonly #broken: Map<Law, string>;
  readonly #behaviours: Behaviours;

  constructor(model: ModelUnderTest, program: ProgramAst, seed: number, broken: Map<Law, string>) {
    this.#model = model;
    this.#program = program;
    this.#random = new Random(seed);
    this.#broken = broken;
    this.#behaviours = new Behaviours(toOperations(program), { maxStates: 1_000_000 });
  }

  run(): void {
    for (let i = 0; i < WALKS; i++) this.#checkConsistent(this.#walk());
    for (const execution of this.#executions()) this.#checkConsistent(execution);
    for (let i = 0; i < RECKLESS_WALKS; i++) this.#checkAny(this.#recklessWalk());
  }

  #breaks(law: Law, drawing: Drawing, what: string): void {
    if (!this.#broken.has(law)) this.#broken.set(law, `${show(this.#program)}\n${showDrawing(drawing)}\n  ${what}`);
  }

  #assembly(make = this.#model.make): Assembly {
    return new Assembly(this.#behaviours, make, this.#model.equivalence);
  }

  #drawing(assembly: Assembly): Drawing {
    return drawingOf(assembly.g, this.#behaviours);
  }

  #isAllowed({ g }: Assembly): boolean {
    const { axioms, equivalence } = this.#model;
    return axioms === undefined || axiomsAllow(axioms, g, equivalence);
  }

  // -------------------------------------------------------------------------------------------------- the graphs

  /** Adds events of random threads in random ways of those that the model allows, and looks at all ways at every step. */
  #walk(): Drawing {
    const assembly = this.#assembly();
    const shadow = this.#assembly((g) => new Anything(g));
    const path: Move[] = [];
    for (;;) {
      const moves = assembly.available().flatMap((t) => this.#movesOf(assembly, shadow, t));
      this.#checkUndone(assembly, path, moves);
      const allowed = moves.filter(({ isAllowed }) => isAllowed);
      if (allowed.length === 0) return this.#drawing(assembly);
      const move = this.#random.pick(allowed);
      if (assembly.add(move.t, move.way) !== undefined) {
        this.#breaks(
          'undone without a trace',
          this.#drawing(assembly),
          `thread ${move.t} ${shown(move.way)} is refused now`,
        );
        return this.#drawing(assembly);
      }
      path.push(move);
      shadow.add(move.t, move.way);
    }
  }

  /** Adds events whatever the model says, some of them maximally, so that not all is lost. */
  #recklessWalk(): Drawing {
    const assembly = this.#assembly((g) => new Anything(g));
    for (;;) {
      const moves = assembly
        .available()
        .map((t) => ({ t, ways: assembly.ways(t).filter((way) => !assembly.refuses(t, way)) }));
      const open = moves.filter(({ ways }) => ways.length > 0);
      if (open.length === 0) return this.#drawing(assembly);
      const { t, ways } = this.#random.pick(open);
      const maximal = this.#random.chance(0.2) ? assembly.maximalWay(t) : undefined;
      assembly.add(t, maximal ?? this.#random.pick(ways));
    }
  }

  /** Some executions that TruSt finds. */
  #executions(): Drawing[] {
    const found: Drawing[] = [];
    let count = 0;
    const onExecution = () => {
      const place = count < EXECUTIONS ? count : this.#random.between(0, count);
      count += 1;
      if (place < EXECUTIONS) found[place] = drawingOf(explorer.g, this.#behaviours);
    };
    const explorer: TruSt = new TruSt(this.#behaviours, this.#model.make, {
      keepGoing: true,
      races: false,
      livelock: false,
      checkLeaks: false,
      maxExecutions: 1000,
      onExecution,
    });
    while (!explorer.run(1000));
    return found;
  }

  // -------------------------------------------------------------------------------------- laws of a single step

  /** The ways to add the next step of t, after a look at them. */
  #movesOf(assembly: Assembly, shadow: Assembly, t: number): Move[] {
    const report = (law: Law, what: string) => this.#breaks(law, this.#drawing(assembly), `thread ${t} ${what}`);
    const moves = assembly.ways(t).map((way) => ({ t, way, isAllowed: this.#allows(assembly, t, way, report) }));
    this.#checkExtensible(assembly, t, moves, report);
    if (this.#model.axioms === undefined) return moves;
    for (const { way, isAllowed } of moves) {
      if (this.#isAllowedByAxioms(shadow, t, way) === isAllowed) continue;
      report('exact', `${shown(way)} is ${isAllowed ? 'allowed, but not by the axioms' : 'allowed by the axioms'}`);
    }
    return moves;
  }

  #allows(assembly: Assembly, t: number, way: Way, report: Report): boolean {
    const refused = assembly.refuses(t, way);
    if (refused?.isUpdateWrite === true)
      report('exclusive-write extensible', `${shown(way)} is refused by ${refused.by}`);
    if (assembly.contradiction !== undefined) report('of one mind', assembly.contradiction);
    assembly.contradiction = undefined;
    return refused === undefined;
  }

  /** Goes the same way without a look at anything else: a move must be allowed then if it is allowed here. */
  #checkUndone(assembly: Assembly, path: readonly Move[], moves: readonly Move[]): void {
    if (moves.length === 0) return;
    const { t, way, isAllowed } = this.#random.pick(moves);
    const fresh = this.#assembly();
    for (const move of path) fresh.add(move.t, move.way);
    if ((fresh.refuses(t, way) === undefined) === isAllowed) return;
    const what = `thread ${t} ${shown(way)} is ${isAllowed ? 'refused' : 'allowed'} if nothing was tried before`;
    this.#breaks('undone without a trace', this.#drawing(assembly), what);
  }

  #checkExtensible(assembly: Assembly, t: number, moves: readonly Move[], report: Report): void {
    const allowed = moves.filter(({ isAllowed }) => isAllowed);
    const isRead = assembly.step(t) === Step.READ;
    const candidates = isRead ? assembly.candidates(t) : [];
    if (isRead && candidates.length === 0) report('maximally extensible', 'has nothing to read from');
    if (this.#model.equivalence === 'rf') {
      if (!isRead && allowed.length === 0) report('maximally extensible', 'cannot go on');
      return;
    }
    if (isRead && candidates[0] !== assembly.lastWrite(t))
      report('of one mind', 'may read the last write, but not first');
    const maximal = assembly.maximalWay(t);
    if (maximal !== undefined && !allowed.some(({ way }) => shown(way) === shown(maximal))) {
      report('maximally extensible', `cannot go on maximally, ${shown(maximal)}`);
    }
  }

  #isAllowedByAxioms(shadow: Assembly, t: number, way: Way): boolean {
    const before = shadow.mark();
    const isAllowed = shadow.add(t, way) === undefined && this.#isAllowed(shadow);
    shadow.undoTo(before);
    return isAllowed;
  }

  // --------------------------------------------------------------------------------------- laws of a whole graph

  /** A graph that the model has allowed. */
  #checkConsistent(drawing: Drawing): void {
    if (sizeOf(drawing) === 0) return;
    for (let i = 0; i < ORDERS; i++) {
      const refused = this.#refused(drawing);
      if (refused !== undefined) this.#breaks('independent of insertion order', drawing, refused);
    }
    for (let i = 0; i < PREFIXES; i++) this.#checkPrefix(this.#prefixOf(drawing));
  }

  /** Refused in one order and not in another, it is the order that matters; refused in all, it is what is left out. */
  #checkPrefix(prefix: Drawing): void {
    const refusals = Array.from({ length: ORDERS }, () => this.#refused(prefix));
    const refused = refusals.find((each) => each !== undefined);
    if (refused === undefined) return;
    const isAlwaysRefused = refusals.every((each) => each !== undefined);
    this.#breaks(isAlwaysRefused ? 'prefix-closed' : 'independent of insertion order', prefix, refused);
  }

  /** A graph that may not be consistent. */
  #checkAny(drawing: Drawing): void {
    const refusals = Array.from({ length: ORDERS }, () => this.#refused(drawing));
    const refused = refusals.find((each) => each !== undefined);
    const shadow = this.#assembly((g) => new Anything(g));
    this.#rebuild(shadow, drawing);
    if (refusals.some((each) => (each === undefined) !== (refused === undefined))) {
      this.#breaks('independent of insertion order', drawing, `sometimes ${refused}`);
    } else if (this.#model.axioms !== undefined && this.#isAllowed(shadow) !== (refused === undefined)) {
      this.#breaks('exact', drawing, refused ?? 'is allowed, but not by the axioms');
    }
  }

  /** What is left of a graph without a certain event of some thread, and all that depends on it. */
  #prefixOf(drawing: Drawing): Drawing {
    const cut = this.#random.pick([...drawing.steps.keys()].filter((t) => drawing.steps[t]!.length > 0));
    const kept = this.#random.between(0, drawing.steps[cut]!.length - 1);
    const steps = drawing.steps.map((ways, t) => (t === cut ? ways.slice(0, kept) : ways));
    const assembly = this.#assembly((g) => new Anything(g));
    this.#rebuild(assembly, { ...drawing, steps });
    return this.#drawing(assembly);
  }

  /** What is refused of a graph whose events are added in a random order; undefined if nothing is. */
  #refused(drawing: Drawing): string | undefined {
    const assembly = this.#assembly();
    const refused = this.#rebuild(assembly, drawing);
    const isWhole = sizeOf(this.#drawing(assembly)) === sizeOf(drawing);
    if (refused === undefined && !isWhole) throw new Error(`cannot be put together:\n${showDrawing(drawing)}`);
    return refused;
  }

  /** Adds events of a graph as long as there are some that depend only on what is there. */
  #rebuild(assembly: Assembly, drawing: Drawing): string | undefined {
    for (;;) {
      const ready = assembly.available().filter((t) => assembly.wayIn(drawing, t) !== undefined);
      if (ready.length === 0) return undefined;
      const t = this.#random.pick(ready);
      const way = assembly.wayIn(drawing, t) as Way;
      const refused = assembly.add(t, way);
      if (refused !== undefined) return `refused by ${refused.by}: thread ${t} ${shown(way)}`;
    }
  }
}

function shown(way: Way): string {
  return JSON.stringify(way);
}
