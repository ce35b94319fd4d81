/** What the two oracles say of a program, in one form, and the classes in which executions are compared. */
import type { Explorer } from '../../../src/explore/explorer.ts';
import type { ModelName } from '../../../src/models/registry.ts';
import type { Ending } from '../../../src/program/ending.ts';
import { axiomatic, type ModelTruth } from '../../oracle/axiomatic.ts';
import { coKey, finalStateKey, type Oracle, oracle, returnsKey, rfKey } from '../../oracle/classes.ts';
import { happensBeforeKey } from '../../oracle/happens-before.ts';
import type { ProgramAst } from '../../oracle/language.ts';
import { observe, scheduleOf, stepsWithEffects, valuesOf } from './observe.ts';

/**
 * An equivalence on executions; `commuting`: happens-before, where updates whose results nobody uses commute; `values`: what was read in
 * complete executions, while others count by how they end.
 */
export type Equivalence = 'schedules' | 'commuting' | 'co' | 'rf' | 'values';

/** How the execution that an explorer has before it is told from others, and how it ends. */
export const keys: Readonly<Record<Equivalence, (x: Explorer, ending: Ending) => { key: string; end?: string }>> = {
  schedules: (x) => ({ key: scheduleOf(x) }),
  commuting: (x, ending) => {
    const observed = observe(x, ending);
    return { key: happensBeforeKey(stepsWithEffects(x, observed.steps), ending), end: finalStateKey(observed) };
  },
  co: (x, ending) => {
    const observed = observe(x, ending);
    return { key: coKey(observed), end: finalStateKey(observed) };
  },
  rf: (x, ending) => {
    const observed = observe(x, ending);
    return { key: rfKey(observed), end: returnsKey(observed) };
  },
  values: (x, ending) => ({ key: ending === 'complete' ? valuesOf(x) : ending }),
};

/** What a program does under a model. */
export interface Truth extends Pick<Oracle, 'outcomes' | 'failures' | 'races' | 'misuses' | 'leaks'> {
  /** Undefined if this oracle does not know. */
  readonly misusesInOrder?: ReadonlySet<string>;
  /** The keys of the classes; undefined if this oracle does not know them. */
  classes(equivalence: Equivalence): ReadonlySet<string> | undefined;
  /** How executions end; undefined if they are not told apart by that. */
  ends(equivalence: Equivalence): ReadonlySet<string> | undefined;
}

/** By model: those that the oracle knows. */
export type Truths = Partial<Readonly<Record<ModelName, Truth>>>;

/** By all interleavings. */
export function truthByInterleavings(ast: ProgramAst, maxInterleavings: number): Truths | 'too large' {
  const all = oracle(ast, { maxInterleavings });
  if (all === 'too large') return all;
  const classes = {
    schedules: () => all.schedules,
    commuting: () => commutingClasses(all),
    co: () => new Set(all.coClasses.keys()),
    rf: () => new Set(all.rfClasses.keys()),
    values: () => new Set([...all.valueVectors, ...[...all.outcomes].filter((outcome) => outcome !== 'complete')]),
  };
  return {
    sc: { ...all, classes: (equivalence) => classes[equivalence](), ends: (equivalence) => ends(all, equivalence) },
  };
}

/** By the axioms of each model. */
export function truthByAxioms(ast: ProgramAst, maxSteps: number): Truths | 'too large' {
  const all = axiomatic(ast, { maxSteps });
  if (all === 'too large') return all;
  return Object.fromEntries(Object.entries(all).map(([model, truth]) => [model, ofModel(truth)]));
}

function ofModel(truth: ModelTruth): Truth {
  return {
    ...truth,
    classes: (equivalence) => (equivalence === 'co' || equivalence === 'rf' ? truth[equivalence] : undefined),
    ends: (equivalence) => ends(truth, equivalence),
  };
}

function ends(
  { finalStates, returnStates }: Pick<Oracle, 'finalStates' | 'returnStates'>,
  equivalence: Equivalence,
): ReadonlySet<string> | undefined {
  if (equivalence === 'schedules') return undefined; // there are too many to look at each
  if (equivalence === 'values') return undefined; // what is returned follows from the values
  return equivalence === 'rf' ? returnStates : finalStates;
}

/** Unions of co-classes. */
function commutingClasses(all: Oracle): Set<string> {
  const examples = [...all.coClasses.values()].map(({ example }) => example);
  return new Set(examples.map(({ steps, observed }) => happensBeforeKey(steps, observed.outcome)));
}
