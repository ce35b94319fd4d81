/** TruSt under each memory model against the axiomatic oracle: the same set of executions, nothing twice, the same verdict. */
import { expect } from 'vitest';
import type { Equivalence, ModelName } from '../../src/models/registry.ts';
import { type AxiomaticTruth, axiomatic } from '../oracle/axiomatic.ts';
import type { ProgramAst, Statement } from '../oracle/language.ts';
import { minimise, show } from '../random/programs.ts';
import { toHeddle } from '../random/to-heddle.ts';
import { toOperations } from '../random/to-operations.ts';
import { randomWeakProgram } from '../random/weak.ts';
import { compare, seenByTruSt, verdictDiffers } from './agreement.ts';

/** How much the oracle is asked to do. */
const limits = { maxSteps: 3000 };

export const allModels: readonly ModelName[] = ['sc', 'tso', 'pso', 'ra', 'rc11'];
export const bothEquivalences: readonly Equivalence[] = ['co', 'rf'];

interface How {
  readonly equivalences?: readonly Equivalence[];
  /** The program by way of the TypeScript front end, if that has all it needs, instead of as bare operations. */
  readonly frontEnd?: boolean;
  /** See `seenByTruSt`. */
  readonly maxStates?: number | undefined;
  readonly races?: boolean;
}

/** What differs between TruSt and the oracle under a model; undefined if nothing does; 'too large' if it was not asked. */
export function modelDisagreement(ast: ProgramAst, model: ModelName, how: How = {}): string | 'too large' | undefined {
  const truth = axiomatic(ast, limits);
  return truth === 'too large' ? truth : differsFrom(truth, ast, model, how);
}

function differsFrom(truths: AxiomaticTruth, ast: ProgramAst, model: ModelName, how: How): string | undefined {
  const { equivalences = bothEquivalences, frontEnd = false, maxStates, races = true } = how;
  const truth = truths[model];
  const program = frontEnd && !isBare(ast) ? toHeddle(ast) : toOperations(ast);
  for (const equivalence of equivalences) {
    const who = `trust ${model} ${equivalence}`;
    const { keys, states, explorer } = seenByTruSt(program, equivalence, maxStates, races, model);
    const differs =
      compare(`${who}: executions`, keys, truth[equivalence]) ??
      compare(`${who}: ends`, [...states], equivalence === 'co' ? truth.finalStates : truth.returnStates) ??
      verdictDiffers(who, explorer, truth, ast, races);
    if (differs !== undefined) return differs;
  }
  return undefined;
}

/** Whether the public front end has no way to say it. */
function isBare(ast: ProgramAst): boolean {
  const isUnknown = (statement: Statement): boolean => {
    if (statement.kind === 'spawn') return statement.body.some(isUnknown);
    if (statement.kind === 'if') return [...statement.whenEqual, ...statement.otherwise].some(isUnknown);
    const isPlain = statement.kind === 'plainLoad' || statement.kind === 'plainStore';
    if (isPlain) return statement.location in ast.atomics;
    return ['awaitUpdate', 'allocate', 'free', 'exit'].includes(statement.kind);
  };
  return ast.main.some(isUnknown);
}

interface Comparison extends How {
  readonly models?: readonly ModelName[];
  /** What makes a program of a seed. Default: randomWeakProgram. */
  readonly make?: (seed: number) => ProgramAst;
}

/** Compares `count` programs that the oracle can handle, from `seed` on; returns the seed after the last. */
export function expectModelAgreement(
  seed: number,
  count: number,
  { models = allModels, make = randomWeakProgram, ...rest }: Comparison = {},
): number {
  let next = seed;
  for (let compared = 0; compared < count; next++) {
    const program = make(next);
    const truth = axiomatic(program, limits);
    if (truth === 'too large') continue;
    compared++;
    const how: How = { frontEnd: next % 4 === 0, ...rest };
    for (const model of models) {
      const differs = caught(() => differsFrom(truth, program, model, how));
      if (differs !== undefined) expect.fail(explained(next, program, model, how, differs));
    }
  }
  return next;
}

/** The seed, the smallest program that differs in the same way, and how it differs. */
function explained(seed: number, program: ProgramAst, model: ModelName, how: How, differs: string): string {
  const kind = differs.slice(0, 20);
  const ask = (candidate: ProgramAst) => caught(() => modelDisagreement(candidate, model, how));
  const smallest = minimise(program, (candidate) => ask(candidate)?.startsWith(kind) === true);
  return `${model}, seed ${seed}:\n${show(smallest)}\n${ask(smallest)}`;
}

function caught(ask: () => string | undefined): string | undefined {
  try {
    return ask();
  } catch (error) {
    return `thrown: ${error instanceof Error ? error.stack : String(error)}`;
  }
}
