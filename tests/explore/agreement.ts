/** Explorers against the oracle: the same set of classes, nothing twice, the same verdict. */
import { DepthFirstSearch } from '../../src/explore/dfs.ts';
import { FirstDpor } from '../../src/explore/dpor.ts';
import type { ExploreOptions, Explorer, Outcome } from '../../src/explore/explorer.ts';
import { OptimalDpor } from '../../src/explore/optimal.ts';
import type { ScheduleExplorer } from '../../src/explore/schedule-explorer.ts';
import { SourceDpor } from '../../src/explore/source.ts';
import { TruSt } from '../../src/explore/trust.ts';
import { type Equivalence, type ModelName, models } from '../../src/models/registry.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
import type { Program } from '../../src/program/operation.ts';
import { coKey, finalStateKey, type Oracle, oracle, returnsKey, rfKey } from '../oracle/classes.ts';
import { happensBeforeKey } from '../oracle/happens-before.ts';
import { areResultsOfAddsUnused, type ProgramAst } from '../oracle/language.ts';
import type { ObservedStep } from '../oracle/observed.ts';
import { failureKey, toHeddle } from '../random/to-heddle.ts';
import { toOperations } from '../random/to-operations.ts';
import { observeGraph, observeInterleaving, scheduleOf } from './observe.ts';

const options: ExploreOptions = {
  keepGoing: true,
  races: true,
  livelock: true,
  checkLeaks: false,
  ifaa: false,
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
  const onExecution = (outcome: Outcome): void => {
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

export function seenByDfs(program: Program, maxStates = 1_000_000, races = true): Seen {
  const keys: string[] = [];
  const onExecution = (): void => {
    keys.push(scheduleOf(explorer));
  };
  const explorer: DepthFirstSearch = new DepthFirstSearch(new Behaviours(program, { maxStates }), {
    ...options,
    races,
    onExecution,
  });
  while (!explorer.run(1000));
  return { keys, states: new Set(), explorer };
}

type PartialOrderReduction = new (behaviours: Behaviours, options: ExploreOptions) => ScheduleExplorer;

const reductions: Readonly<Record<string, PartialOrderReduction>> = {
  optimal: OptimalDpor,
  source: SourceDpor,
  dpor: FirstDpor,
};

/** Its keys are those of `coKey`; with `ifaa`, those of happens-before in which adds commute. */
function seenByReduction(name: string, program: Program, ifaa: boolean, maxStates: number, races: boolean): Seen {
  const keys: string[] = [];
  const states = new Set<string>();
  const onExecution = (outcome: Outcome): void => {
    const observed = observeInterleaving(explorer, outcome);
    const writes = (i: number): boolean => explorer.interleaving.writes(i);
    const steps = observed.steps.map((step, i) => ({ ...step, writes: writes(i), commutes: isAdd(step) }));
    keys.push(ifaa ? happensBeforeKey(steps, outcome) : coKey(observed));
    states.add(finalStateKey(observed));
  };
  const Reduction = reductions[name] as PartialOrderReduction;
  const explorer: ScheduleExplorer = new Reduction(new Behaviours(program, { maxStates }), {
    ...options,
    ifaa,
    races,
    onExecution,
  });
  while (!explorer.run(1000));
  return { keys, states, explorer };
}

const isAdd = ({ label }: ObservedStep): boolean => label.startsWith('fetchAdd ');

/** The classes of the oracle, where adds commute: unions of its co-classes. */
function classesWithCommutingAdds(truth: Oracle): Set<string> {
  const classes = new Set<string>();
  for (const { example } of truth.coClasses.values()) {
    const steps = example.steps.map((step) => ({ ...step, commutes: isAdd(step) }));
    classes.add(happensBeforeKey(steps, example.observed.outcome));
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
  const variants = areResultsOfAddsUnused(ast) ? [false, true] : [false];
  for (const ifaa of variants) {
    const classes = ifaa ? classesWithCommutingAdds(truth) : new Set(truth.coClasses.keys());
    for (const name of Object.keys(reductions)) {
      if (boxed && name === 'optimal') continue;
      const who = `${name}${ifaa ? ' with commuting adds' : ''}`;
      const { keys, states, explorer } = seenByReduction(name, program, ifaa, maxStates, races);
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
}

/** What differs between the explorers and the oracle; undefined if nothing does; 'too large' if it was not asked. */
export function disagreement(
  ast: ProgramAst,
  { boxed = false, maxStates = 1_000_000, bare = false, races = true }: Comparison = {},
): string | 'too large' | undefined {
  const truth = oracle(ast, { maxInterleavings: 1500 });
  if (truth === 'too large') return 'too large';
  const program = bare ? toOperations(ast) : toHeddle(ast, { boxed });
  const co = seenByTruSt(program, 'co', maxStates, races);
  const rf = seenByTruSt(program, 'rf', maxStates, races);
  const dfs = seenByDfs(program, maxStates, races);
  return (
    compare('trust co: classes', co.keys, new Set(truth.coClasses.keys())) ??
    compare('trust rf: classes', rf.keys, new Set(truth.rfClasses.keys())) ??
    compare('dfs: interleavings', dfs.keys, truth.schedules) ??
    compare('trust co: final states', [...co.states], truth.finalStates) ??
    compare('trust rf: return values', [...rf.states], truth.returnStates) ??
    verdictDiffers('trust co', co.explorer, truth, ast, races) ??
    verdictDiffers('trust rf', rf.explorer, truth, ast, races) ??
    verdictDiffers('dfs', dfs.explorer, truth, ast, races) ??
    reductionsDiffer(ast, program, truth, maxStates, races, boxed)
  );
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
