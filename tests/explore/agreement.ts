/** Explorers against the oracle: the same set of classes, nothing twice, the same verdict. */

import type { ExploreOptions, Explorer } from '../../src/explore/explorer.ts';
import { TruSt } from '../../src/explore/graphs/trust.ts';
import { DepthFirstSearch } from '../../src/explore/schedules/dfs.ts';
import { FirstDpor } from '../../src/explore/schedules/dpor/first.ts';
import { OptimalDpor } from '../../src/explore/schedules/dpor/optimal.ts';
import type { OrderedOptions } from '../../src/explore/schedules/dpor/ordered-schedule.ts';
import { SourceDpor } from '../../src/explore/schedules/dpor/source.ts';
import type { ScheduleExplorer } from '../../src/explore/schedules/schedule-explorer.ts';
import { type Equivalence, type ModelName, models } from '../../src/models/registry.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
import type { Ending } from '../../src/program/ending.ts';
import type { Program } from '../../src/program/operation.ts';
import { coKey, finalStateKey, type Oracle, oracle, returnsKey, rfKey } from '../oracle/classes.ts';
import { type HappensBeforeStep, happensBeforeKey } from '../oracle/happens-before.ts';
import { hasUnusedResults, type ProgramAst } from '../oracle/language.ts';
import type { ObservedStep } from '../oracle/observed.ts';
import { failureKey, toHeddle } from '../random/to-heddle.ts';
import { toOperations } from '../random/to-operations.ts';
import { observeGraph, observeInterleaving, scheduleOf } from './observe.ts';

const options: ExploreOptions = {
  keepGoing: true,
  races: true,
  livelock: true,
  checkLeaks: false,
  maxExecutions: Number.POSITIVE_INFINITY,
};

/** What one explorer saw of a program. */
interface Seen {
  readonly keys: readonly string[];
  readonly states: ReadonlySet<string>;
  readonly explorer: Explorer;
}

/** `maxStates`: how many states the behaviours remember before they forget, so that forgetting is tested too. */
export function seenByTruSt(
  program: Program,
  equivalence: Equivalence,
  maxStates = 1_000_000,
  races = true,
  model: ModelName = 'sc',
): Seen {
  const keys: string[] = [];
  const states = new Set<string>();
  const onExecution = (outcome: Ending): void => {
    const observed = observeGraph(explorer, outcome);
    keys.push(equivalence === 'co' ? coKey(observed) : rfKey(observed));
    states.add(equivalence === 'co' ? finalStateKey(observed) : returnsKey(observed));
    const wrong = explorer.g.checkInvariants(explorer.behaviours.threads.length);
    if (wrong !== undefined) throw new Error(`the graph is broken: ${wrong}`);
  };
  const behaviours = new Behaviours(program, { maxStates });
  const explorer: TruSt = new TruSt(behaviours, models[model].graph[equivalence], {
    ...options,
    races,
    onExecution,
  });
  while (!explorer.run(1000));
  return { keys, states, explorer };
}

export function seenByDfs(
  program: Program,
  maxStates = 1_000_000,
  races = true,
  maxExecutions = Number.POSITIVE_INFINITY,
): Seen {
  const keys: string[] = [];
  const onExecution = (): void => {
    keys.push(scheduleOf(explorer));
  };
  const explorer: DepthFirstSearch = new DepthFirstSearch(new Behaviours(program, { maxStates }), {
    ...options,
    races,
    maxExecutions,
    onExecution,
  });
  while (!explorer.run(1000));
  return { keys, states: new Set(), explorer };
}

type PartialOrderReduction = new (behaviours: Behaviours, options: OrderedOptions) => ScheduleExplorer;

const reductions: Readonly<Record<string, PartialOrderReduction>> = {
  optimal: OptimalDpor,
  source: SourceDpor,
  dpor: FirstDpor,
};

/** Its keys are those of `coKey`; with `ifaa`, those of happens-before in which updates with unused results commute. */
function seenByReduction(
  name: string,
  program: Program,
  ifaa: boolean,
  maxStates: number,
  races: boolean,
  interleavings: number,
): Seen {
  const keys: string[] = [];
  const states = new Set<string>();
  const onExecution = (outcome: Ending): void => {
    const observed = observeInterleaving(explorer, outcome);
    keys.push(ifaa ? happensBeforeKey(stepsWithEffects(explorer, observed.steps), outcome) : coKey(observed));
    states.add(finalStateKey(observed));
  };
  const Reduction = reductions[name] as PartialOrderReduction;
  const explorer: ScheduleExplorer = new Reduction(new Behaviours(program, { maxStates }), {
    ...options,
    ifaa,
    races,
    onExecution,
  });
  for (let slices = 0; !explorer.run(1000); slices++) {
    if (slices > interleavings) throw new Error(`${name} goes on although it has seen more than there is`);
  }
  return { keys, states, explorer };
}

function stepsWithEffects(
  { behaviours, interleaving }: ScheduleExplorer,
  steps: readonly ObservedStep[],
): HappensBeforeStep[] {
  return steps.map((step, i) => {
    const operation = behaviours.operation(interleaving.before[i] as number);
    const commutes = operation.kind === 'update' && operation.commutes !== undefined;
    return { ...step, writes: interleaving.writes(i), commutes };
  });
}

/** The classes of the oracle, where updates commute: unions of its co-classes. */
function classesWithCommutingUpdates(truth: Oracle): Set<string> {
  const classes = new Set<string>();
  for (const { example } of truth.coClasses.values()) {
    classes.add(happensBeforeKey(example.steps, example.observed.outcome));
  }
  return classes;
}

/** `boxed`: values are objects, which optimal refuses. */
function reductionsDiffer(
  ast: ProgramAst,
  program: Program,
  truth: Oracle,
  maxStates: number,
  races: boolean,
  boxed: boolean,
): string | undefined {
  const variants = hasUnusedResults(ast) ? [false, true] : [false];
  for (const ifaa of variants) {
    const classes = ifaa ? classesWithCommutingUpdates(truth) : new Set(truth.coClasses.keys());
    for (const name of Object.keys(reductions)) {
      if (boxed && name === 'optimal') continue;
      const who = `${name}${ifaa ? ' with commuting updates' : ''}`;
      const { keys, states, explorer } = seenByReduction(name, program, ifaa, maxStates, races, truth.interleavings);
      const difference =
        compare(`${who}: classes`, keys, classes) ??
        compare(`${who}: final states`, [...states], truth.finalStates) ??
        verdictDiffers(who, explorer, truth, ast, races);
      if (difference !== undefined) return difference;
      if (name === 'optimal' && explorer.counts.redundant > 0) return `${who}: ${explorer.counts.redundant} redundant`;
    }
  }
  return undefined;
}

export interface Comparison {
  readonly boxed?: boolean;
  readonly maxStates?: number;
  /** The program as bare operations, instead of by way of the TypeScript front end. */
  readonly bare?: boolean;
  readonly races?: boolean;
  /** How much the oracle is asked to do. */
  readonly maxInterleavings?: number;
  /** Without dfs and reads-from classes, which others compare. */
  readonly brief?: boolean;
}

/** What differs between the explorers and the oracle; undefined if nothing does; 'too large' if it was not asked. */
export function disagreement(
  ast: ProgramAst,
  {
    boxed = false,
    maxStates = 1_000_000,
    bare = false,
    races = true,
    maxInterleavings = 1500,
    brief = false,
  }: Comparison = {},
): string | 'too large' | undefined {
  const truth = oracle(ast, { maxInterleavings });
  if (truth === 'too large') return 'too large';
  const program = bare ? toOperations(ast) : toHeddle(ast, { boxed });
  return (
    graphsDiffer('co', ast, program, truth, maxStates, races) ??
    (brief ? undefined : graphsDiffer('rf', ast, program, truth, maxStates, races)) ??
    (brief ? undefined : interleavingsDiffer(ast, program, truth, maxStates, races)) ??
    reductionsDiffer(ast, program, truth, maxStates, races, boxed)
  );
}

function graphsDiffer(
  equivalence: Equivalence,
  ast: ProgramAst,
  program: Program,
  truth: Oracle,
  maxStates: number,
  races: boolean,
): string | undefined {
  const who = `trust ${equivalence}`;
  const [classes, ends] = {
    co: [truth.coClasses, truth.finalStates] as const,
    rf: [truth.rfClasses, truth.returnStates] as const,
  }[equivalence];
  const { keys, states, explorer } = seenByTruSt(program, equivalence, maxStates, races);
  return (
    compare(`${who}: classes`, keys, new Set(classes.keys())) ??
    compare(`${who}: ends`, [...states], ends) ??
    verdictDiffers(who, explorer, truth, ast, races)
  );
}

function interleavingsDiffer(
  ast: ProgramAst,
  program: Program,
  truth: Oracle,
  maxStates: number,
  races: boolean,
): string | undefined {
  const { keys, explorer } = seenByDfs(program, maxStates, races);
  return compare('dfs: interleavings', keys, truth.schedules) ?? verdictDiffers('dfs', explorer, truth, ast, races);
}

export function compare(what: string, seen: readonly string[], expected: ReadonlySet<string>): string | undefined {
  const set = new Set(seen);
  const missing = [...expected].filter((key) => !set.has(key));
  const extra = [...set].filter((key) => !expected.has(key));
  if (missing.length === 0 && extra.length === 0 && set.size === seen.length) return undefined;
  const twice = seen.filter((key, i) => seen.indexOf(key) !== i);
  const some = (title: string, keys: readonly string[]): string =>
    keys.length === 0 ? '' : `\n${keys.length} ${title}, such as\n${keys[0]}`;
  return `${what}: ${set.size} seen, ${expected.size} expected${some('missing', missing)}${some('extra', extra)}${some('twice', twice)}`;
}

/** Errors as the oracle names them; a thread's path is left out: one place in the source is one error. */
export function verdictDiffers(
  who: string,
  explorer: Explorer,
  truth: Pick<Oracle, 'failures' | 'outcomes' | 'races' | 'misuses' | 'leaks'>,
  ast: ProgramAst,
  races: boolean,
): string | undefined {
  const withoutPath = (key: string): string => key.replace(/ \S+$/, '');
  const locations = new Set<string>();
  const failures = new Set<string>();
  const stands = new Set<string>();
  const misuses = new Set<string>();
  const objects = Object.keys(ast.objects ?? {});
  const leaks = explorer.warnings.map(({ message }) => `leak ${objects[Number.parseInt(message, 10) - 1]}`);
  for (const finding of explorer.findings) {
    if (finding.kind === 'race') locations.add(`race ${/accesses to (\S+) that/.exec(finding.message)?.[1]}`);
    else if (finding.kind === 'use-after-free')
      misuses.add(`use-after-free ${/access to (\S+) that/.exec(finding.message)?.[1]}`);
    else if (finding.kind === 'double-free') misuses.add(`double-free ${/^(\S+) is freed/.exec(finding.message)?.[1]}`);
    else if (finding.kind === 'deadlock' || finding.kind === 'livelock') stands.add(finding.kind);
    else failures.add(withoutPath(failureKey(finding.kind, finding.message, '0')));
  }
  return (
    compare(`${who}: failures`, [...failures], new Set([...truth.failures].map(withoutPath))) ??
    compare(
      `${who}: standstills`,
      [...stands],
      new Set([...truth.outcomes].filter((o) => o === 'deadlock' || o === 'livelock')),
    ) ??
    compare(`${who}: races`, [...locations], races ? truth.races : new Set()) ??
    compare(`${who}: misuses`, [...misuses], truth.misuses) ??
    compare(`${who}: leaks`, leaks, truth.leaks)
  );
}
