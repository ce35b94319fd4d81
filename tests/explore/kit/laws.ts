/**
 * The laws that every explorer must obey, whatever its algorithm: the oracle says which classes of executions and which errors a
 * program has, and the table `claims` which of the classes an algorithm has to visit.
 */
import { type Counts, type Explorer, isDivisible } from '../../../src/explore/explorer.ts';
import { type AlgorithmEntry, type AlgorithmName, algorithms } from '../../../src/explore/registry.ts';
import type { Equivalence as Choice, ModelName } from '../../../src/models/registry.ts';
import { Behaviours } from '../../../src/program/behaviours.ts';
import type { Ending } from '../../../src/program/ending.ts';
import type { Program } from '../../../src/program/operation.ts';
import { hasUnusedResults, type ProgramAst } from '../../oracle/language.ts';
import { type Begun, differentWhenCut } from './cuts.ts';
import { errorsExpected, errorsFound } from './errors.ts';
import type { Kind } from './kinds.ts';
import { notReplayed } from './replay.ts';
import { type Equivalence, keys, type Truth } from './truth.ts';

export type Law =
  /** The search ends, and says that it has seen everything. */
  | 'exhaustive'
  /** Every class is visited. */
  | 'complete'
  /** Only executions that the model allows are visited. */
  | 'sound'
  /** No class is visited twice. */
  | 'nothing twice'
  /** The counts are those of the executions visited, each by its end. */
  | 'counted'
  /** What threads return and memory holds at the ends is what it can be. */
  | 'same ends'
  /** The errors and warnings are those that the program has. */
  | 'same errors'
  /** A new run of the program that follows the witness of a finding fails in that way. */
  | 'replayed'
  /** Nothing is explored in vain, if the algorithm promises so. */
  | 'optimal'
  /** A search that is written down and continued elsewhere visits what is left, and nothing else; if the algorithm can do so. */
  | 'divisible';

/** What an algorithm says of itself. */
export interface Claim {
  /** The equivalence of whose classes it visits each once; `chosen`: the one that it was asked for. */
  readonly visits: 'chosen' | 'happens-before' | 'schedules' | 'values';
  readonly isOptimal: boolean;
  /** Whether it takes programs whose values are objects. */
  readonly takesObjects: boolean;
  /** Whether it may visit a class more than once. */
  readonly mayRepeat?: boolean;
  /** Whether its search can be cut in pieces. */
  readonly isDivisible: boolean;
  /** Of how many programs of a sweep it is judged on one, if that is enough: it has sweeps of its own, or is hard to get wrong. */
  readonly perSweep?: number;
}

const byValues: Claim = {
  visits: 'values',
  isOptimal: false,
  takesObjects: false,
  mayRepeat: true, // in other orders
  isDivisible: false,
};

/** The claims of the algorithms of the registry: one without a line here is not tested, which a test notices. */
export const claims: Readonly<Record<AlgorithmName, Claim>> = {
  trust: { visits: 'chosen', isOptimal: false, takesObjects: true, isDivisible: true },
  buster: { visits: 'happens-before', isOptimal: false, takesObjects: true, isDivisible: true, perSweep: 10 },
  bpor: {
    visits: 'happens-before',
    isOptimal: false,
    takesObjects: true,
    mayRepeat: true, // accesses that may write and do not are dependent to it
    isDivisible: false,
    perSweep: 10,
  },
  vc: { ...byValues, perSweep: 2 },
  dc: { ...byValues, perSweep: 10 },
  optimal: { visits: 'happens-before', isOptimal: true, takesObjects: true, isDivisible: false },
  source: { visits: 'happens-before', isOptimal: false, takesObjects: true, isDivisible: false },
  dpor: { visits: 'happens-before', isOptimal: false, takesObjects: true, isDivisible: false },
  dfs: { visits: 'schedules', isOptimal: false, takesObjects: true, isDivisible: true, perSweep: 4 },
};

/** An entry of the registry, or something in the place of one. */
export interface ExplorerUnderTest extends Omit<AlgorithmEntry, 'summary'> {
  readonly name: string;
  readonly claim: Claim;
}

export function underTest(name: AlgorithmName): ExplorerUnderTest {
  const entry: AlgorithmEntry = algorithms[name];
  return { ...entry, name, claim: claims[name] };
}

export const everyExplorer: readonly ExplorerUnderTest[] = (Object.keys(algorithms) as AlgorithmName[]).map(underTest);

/** A program on which explorers are judged. */
export interface Trial {
  readonly ast: ProgramAst;
  readonly program: Program;
  readonly kind: Pick<Kind, 'maxStates' | 'races' | 'hasObjects'>;
  /** Whether findings are replayed, which takes longer than finding them. */
  readonly replays: boolean;
  /** What decides where the search is cut; undefined: it is not. */
  readonly cuts: number | undefined;
}

/** One of the ways in which an algorithm searches. */
export interface Way {
  readonly model: ModelName;
  readonly choice: Choice;
  readonly ifaa: boolean;
  readonly equivalence: Equivalence;
}

/** What was seen of one search. */
interface Seen {
  readonly trial: Trial;
  readonly way: Way;
  readonly truth: Truth;
  readonly explorer: Explorer;
  readonly isOver: boolean;
  readonly keys: readonly string[];
  readonly ends: ReadonlySet<string>;
  readonly endings: readonly Ending[];
  /** The keys of the classes that it has to visit. */
  readonly classes: ReadonlySet<string>;
  readonly claim: Claim;
  /** The same search, from the beginning. */
  begin(): Begun;
}

/** What is wrong, or undefined if nothing is. */
const laws: Readonly<Record<Law, (seen: Seen) => string | undefined>> = {
  exhaustive: ({ isOver, explorer }) =>
    isOver && explorer.isExhausted ? undefined : `after ${SLICES * SLICE} steps it is not done`,
  complete: ({ keys, classes }) => some('missing', difference(classes, new Set(keys))),
  sound: ({ keys, classes }) => some('extra', difference(new Set(keys), classes)),
  'nothing twice': ({ claim, keys }) => (claim.mayRepeat === true ? undefined : some('visited again', repeated(keys))),
  counted: ({ endings, explorer }) => differentCounts(endings, explorer.counts),
  'same ends': ({ ends, truth, way }) => differentSets([...ends], truth.ends(way.equivalence) ?? ends),
  'same errors': ({ explorer, truth, way, trial: { ast, kind } }) =>
    differentSets(
      errorsFound(explorer, ast),
      errorsExpected(truth, kind.races && way.equivalence !== 'values', way.equivalence === 'values'),
    ),
  replayed: ({ explorer, trial: { program, replays }, way: { model, equivalence } }) => {
    // what is weaker than sc cannot be told without coherence: `check` searches for it again
    const isToldLater = equivalence === 'rf' && model !== 'sc';
    return replays && !isToldLater ? notReplayed(program, explorer.findings) : undefined;
  },
  optimal: ({ claim, explorer: { counts } }) =>
    claim.isOptimal && counts.redundant > 0 ? `${counts.redundant} redundant` : undefined,
  divisible: ({ claim, explorer, trial: { cuts }, begin, keys }) => {
    if (isDivisible(explorer) !== claim.isDivisible)
      return `it says that it can${claim.isDivisible ? '' : 'not'} be cut`;
    if (cuts === undefined || !claim.isDivisible) return undefined;
    const different = differentWhenCut(begin, keys, cuts);
    return some('missing', different?.missing ?? []) ?? some('extra or twice', different?.extra ?? []);
  },
};

/** The laws that an explorer breaks on a program of which the oracle tells the truth by model, with what is wrong. */
export function brokenLaws(
  x: ExplorerUnderTest,
  trial: Trial,
  truths: Partial<Record<ModelName, Truth>>,
): Map<Law, string> {
  const broken = new Map<Law, string>();
  for (const way of waysOf(x, trial)) {
    const truth = truths[way.model];
    const classes = truth?.classes(way.equivalence);
    if (truth === undefined || classes === undefined) continue;
    const seen = search(x, trial, way, truth, classes);
    for (const law of Object.keys(laws) as Law[]) {
      const wrong = laws[law](seen);
      if (wrong !== undefined && !broken.has(law)) broken.set(law, `${described(x, way)}: ${wrong}`);
    }
  }
  return broken;
}

function waysOf(x: ExplorerUnderTest, { ast, kind }: Trial): Way[] {
  if (kind.hasObjects && !x.claim.takesObjects) return [];
  return x.models.flatMap((model): Way[] => {
    if (x.claim.visits === 'chosen') {
      return equivalencesOf(x).map((choice) => ({ model, choice, ifaa: false, equivalence: choice }));
    }
    const way = { model, choice: 'co', ifaa: false } as const;
    const { visits } = x.claim;
    if (visits === 'schedules' || visits === 'values') return [{ ...way, equivalence: visits }];
    const plain: Way = { ...way, equivalence: 'co' };
    return 'ifaa' in x.options && hasUnusedResults(ast)
      ? [plain, { ...way, ifaa: true, equivalence: 'commuting' }]
      : [plain];
  });
}

/** Those that it can be asked for. */
export function equivalencesOf({ options }: Pick<AlgorithmEntry, 'options'>): Choice[] {
  const option = options['equivalence'];
  return option?.kind === 'name' ? (Object.keys(option.names) as Choice[]) : [];
}

const described = (x: ExplorerUnderTest, { model, equivalence }: Way): string => `${x.name} ${model} ${equivalence}`;

/** A bound that leaves out nothing. */
const WIDEST = 1000;

const SLICE = 1000;
/** Enough for every program that an oracle can handle. */
const SLICES = 10_000;

function search(x: ExplorerUnderTest, trial: Trial, way: Way, truth: Truth, classes: ReadonlySet<string>): Seen {
  const begin = (): BegunSearch => begun(x, trial, way);
  const { explorer, ...seen } = begin();
  let isOver = false;
  for (let slices = 0; slices < SLICES && !isOver; slices++) isOver = explorer.run(SLICE);
  return { ...seen, trial, way, truth, explorer, isOver, classes, claim: x.claim, begin };
}

interface BegunSearch extends Begun {
  readonly ends: ReadonlySet<string>;
  readonly endings: readonly Ending[];
}

/** A search of a program that goes on after errors, and will see all executions. */
export function begun(
  x: ExplorerUnderTest,
  { program, kind }: Pick<Trial, 'program' | 'kind'>,
  { model, choice, ifaa, equivalence }: Way,
): BegunSearch {
  const visited: string[] = [];
  const ends = new Set<string>();
  const endings: Ending[] = [];
  const options = {
    keepGoing: true,
    races: kind.races,
    livelock: true,
    checkLeaks: false,
    ifaa,
    bound: x.claim.visits === 'schedules' ? undefined : WIDEST,
    iterate: false,
    equivalence: choice,
    ...{ root: '0.0', writersFirst: true, siblings: true, unordered: true },
    maxExecutions: Number.POSITIVE_INFINITY,
    onExecution: (ending: Ending): void => {
      const { key, end } = keys[equivalence](explorer, ending);
      visited.push(key);
      endings.push(ending);
      if (end !== undefined) ends.add(end);
    },
  };
  const behaviours = new Behaviours(program, { maxStates: kind.maxStates });
  const explorer: Explorer = x.make(behaviours, model, options);
  return { explorer, keys: visited, ends, endings };
}

function differentCounts(endings: readonly Ending[], counts: Counts): string | undefined {
  const complete = endings.filter((ending) => ending === 'complete').length;
  const blocked = endings.filter((ending) => ending === 'blocked').length;
  const expected = { complete, blocked, erroneous: endings.length - complete - blocked };
  const isSame = (['complete', 'blocked', 'erroneous'] as const).every((count) => counts[count] === expected[count]);
  return isSame ? undefined : `counts ${JSON.stringify(counts)}, visited ${JSON.stringify(expected)}`;
}

function differentSets(found: readonly string[], expected: ReadonlySet<string>): string | undefined {
  const set = new Set(found);
  return (
    some('missing', difference(expected, set)) ??
    some('extra', difference(set, expected)) ??
    some('twice', repeated(found))
  );
}

const difference = (all: ReadonlySet<string>, others: ReadonlySet<string>): string[] =>
  [...all].filter((each) => !others.has(each));

function repeated(list: readonly string[]): string[] {
  const seen = new Set<string>();
  return list.filter((each) => seen.size === seen.add(each).size);
}

const some = (what: string, list: readonly string[]): string | undefined =>
  list.length === 0 ? undefined : `${list.length} ${what}, such as\n${list[0]}`;
