/**
 * The algorithms, by name: to add one, add its module and a line here, with the options that only it has. Help, `list`,
 * `compare` and tests go by this table.
 */
import { type ModelName, models } from '../models/registry.ts';
import type { Behaviours } from '../program/behaviours.ts';
import { InputError } from '../program/input-error.ts';
import type { FailureKind } from '../program/operation.ts';
import type { ExploreOptions, Explorer } from './explorer.ts';
import { Buster } from './graphs/buster.ts';
import { TruSt } from './graphs/trust.ts';
import {
  type AlgorithmOption,
  type AlgorithmOptions,
  flag,
  oneOf,
  text,
  type ValuesOf,
  wholeNumber,
} from './options.ts';
import { BoundedDepthFirstSearch } from './schedules/bounded-dfs.ts';
import { Bpor } from './schedules/bpor/bpor.ts';
import { DepthFirstSearch } from './schedules/dfs.ts';
import { FirstDpor } from './schedules/dpor/first.ts';
import { OptimalDpor } from './schedules/dpor/optimal.ts';
import { SourceDpor } from './schedules/dpor/source.ts';
import { type Limits, USUAL_MAX_STEPS } from './schedules/schedule-bound.ts';
import { ValueCentric } from './values/value-centric.ts';

/** Errors of a kind may be missed: why, in words that follow the name of the algorithm. */
export interface MayMiss {
  readonly kind: FailureKind;
  readonly why: string;
}

interface Entry<Options extends AlgorithmOptions, MakeOptions> {
  /** One line for help. */
  readonly summary: string;
  readonly models: readonly ModelName[];
  /** Why no others, if that is worth saying. */
  readonly whyModels?: string;
  /** Errors that it may not find although the program has them. */
  readonly mayMiss?: readonly MayMiss[];
  /** Whether its search can be cut in pieces: its explorer is `Divisible`. */
  readonly isDivisible?: boolean;
  /** Those that not every algorithm has. */
  readonly options: Options;
  make(behaviours: Behaviours, model: ModelName, options: MakeOptions): Explorer;
}

/** Any of them: `make` must be given values for `options`, too. */
export type AlgorithmEntry = Entry<AlgorithmOptions, ExploreOptions>;

/** Lets the types of the values that `make` gets follow from the declared options. */
function algorithm<const Options extends AlgorithmOptions>(
  entry: Entry<Options, ExploreOptions & ValuesOf<Options>>,
): typeof entry {
  return entry;
}

const equivalence = oneOf(
  '--equivalence <name>',
  'which executions count as one',
  'Equivalences',
  {
    co: 'executions differ if a read reads from another write or two writes to one location change places',
    rf: 'executions differ only if a read reads from another write: never more of them than with co',
  },
  { isCompared: true },
);

const ifaa = flag('--no-ifaa', 'updates of one variable are never independent');

const observers = flag(
  '--observers',
  'the order of two writes counts only if the later one is read: fewer executions',
  {
    isCompared: true,
  },
);

const bound = wholeNumber('--bound <k>', 'only executions with at most k preemptions (see --bound-type)', {
  least: 0,
  most: 1000,
  byDefault: undefined,
  chooses: true,
});
/** What `buster` and `bpor` search within if nobody says. */
const USUAL_BOUND = 2;
const USUAL_FAIR_BOUND = 1;
const fairBound = wholeNumber(
  '--fair-bound <k>',
  'no thread goes on that has performed over k more yields than one that can go on',
  { least: 0, most: 1000, byDefault: undefined, chooses: true },
);
const maxSteps = wholeNumber(
  '--max-steps <n>',
  `with a fair bound: an execution that goes on after n steps is a livelock (${USUAL_MAX_STEPS} unless given)`,
  { least: 1, byDefault: undefined, chooses: true },
);
const boundType = oneOf(
  '--bound-type <type>',
  'what --bound and --iterate are about',
  'Bounds',
  {
    preemption: 'few switches away from a thread that can go on',
    fair: 'few yields more than those of another thread that can go on, so that loops that yield end',
  },
  { chooses: true },
);
const iterate = flag(
  '--iterate',
  'raise the bound from 0 on, up to --bound if it is given, until there is an error or a proof',
  {
    chooses: true,
  },
);

/** The parts of `bpor` that can be left out, so that what each is worth can be seen; nothing is lost without them. */
const partsOfBpor = {
  sleep: oneOf(
    '--sleep <rule>',
    'which threads sleep where the bound cuts something off',
    'Sleep sets within a bound',
    {
      cost: 'those whose step would not be cheaper if it came later',
      none: 'none: the algorithm that its authors prove has no sleep sets',
    },
  ),
  postpone: flag(
    '--no-postpone',
    'what is asked for because of the bound is explored even if the bound cuts nothing off',
  ),
  ordered: flag('--no-ordered', 'dependences that happens-before orders anyway are looked at, too'),
  transitive: flag(
    '--no-transitive',
    'for a thread that cannot go on, all others are explored, not one that leads to it',
  ),
} as const;

const scheduleBounds = { bound, boundType, fairBound, maxSteps, iterate } as const;

/** The bounds of a search over schedules; `usual`: that on preemptions, if none is given. */
function limitsOf(
  { maxDepth }: Behaviours,
  { bound, boundType, fairBound, maxSteps, iterate }: ValuesOf<typeof scheduleBounds>,
  usual: number | undefined,
): Limits {
  const first = iterate ? 0 : bound;
  const isFair = boundType === 'fair';
  if (isFair && fairBound !== undefined) {
    throw new InputError(
      'with --bound-type fair, --bound and --iterate are about the fair bound: leave out --fair-bound, or, for both bounds, --bound-type.',
    );
  }
  const fair = isFair ? (first ?? USUAL_FAIR_BOUND) : fairBound;
  if (fair === undefined) {
    if (maxSteps === undefined) return { preemptions: first ?? usual };
    throw new InputError('--max-steps is for searches with a fair bound: add --fair-bound 1, or leave it out.');
  }
  if ((maxSteps ?? USUAL_MAX_STEPS) >= maxDepth) {
    throw new InputError(
      `an execution is a livelock after ${maxSteps ?? USUAL_MAX_STEPS} steps (--max-steps), but a thread is taken not to end ` +
        `after ${maxDepth} operations (maxDepth): give fewer steps than that.`,
    );
  }
  return { fair, maxSteps, ...(isFair ? {} : { preemptions: first }) };
}

/** The options of the searches by values: which thread is the root, and the optimisations of appendix D of [VC]. */
const byValues = {
  root: text('--root <path>', 'the thread whose reads are told apart by values', {
    isThread: true,
    byDefault: '0.0',
    pattern: /^0(\.\d+)*$/,
    form: '0 for main, 0.1 for the second thread that it spawns, and so on',
  }),
  writersFirst: flag('--no-writers-first', 'reads are not tried first that their threads write after'),
  siblings: flag('--no-siblings', 'executions that differ in orders alone are explored even if all threads have ended'),
  unordered: flag('--no-unordered', 'writes are ordered even if nobody reads them'),
} as const;
const missedByValues: readonly MayMiss[] = [
  { kind: 'race', why: 'does not look for data races' },
  { kind: 'use-after-free', why: 'finds a use after free only where an execution has the access after the free' },
];
const whyByValues = 'values are read from one memory; weaker models have executions that are no interleavings';

export const algorithms = {
  trust: algorithm({
    summary: 'TruSt: every execution graph exactly once, in memory that does not grow with their number',
    models: ['sc', 'tso', 'pso', 'ra', 'rc11'],
    options: { equivalence },
    isDivisible: true,
    make: (behaviours, model, options) => new TruSt(behaviours, models[model].graph[options.equivalence], options),
  }),
  buster: algorithm({
    summary: `BUSTER: every execution graph with few preemptions exactly once (--bound, ${USUAL_BOUND} unless given)`,
    models: ['sc'],
    whyModels: 'preemptions are counted in interleavings, and weaker models have executions that are none',
    options: { bound, iterate },
    isDivisible: true,
    make: (behaviours, model, options) => {
      const first = options.iterate ? 0 : (options.bound ?? USUAL_BOUND);
      return new Buster(behaviours, models[model].graph.co, options, { bound: first, isRaised: options.iterate });
    },
  }),
  bpor: algorithm({
    summary: `BPOR: partial order reduction within a bound on preemptions (${USUAL_BOUND} unless given), a fair bound, or both`,
    models: ['sc'],
    whyModels: 'preemptions and yields are counted in interleavings, and weaker models have executions that are none',
    options: { ...scheduleBounds, ...partsOfBpor, ifaa },
    make: (behaviours, _model, options) =>
      new Bpor(behaviours, options, limitsOf(behaviours, options, USUAL_BOUND), {
        sleep: options.sleep,
        lazy: options.postpone,
        skipsOrdered: options.ordered,
        transitive: options.transitive,
      }),
  }),
  vc: algorithm({
    summary: 'VC-DPOR: executions that differ in what threads read by value, and few others; no data races',
    models: ['sc'],
    whyModels: whyByValues,
    mayMiss: missedByValues,
    options: byValues,
    make: (behaviours, _model, options) => new ValueCentric(behaviours, options, 'values'),
  }),
  dc: algorithm({
    summary: 'DC-DPOR: the same with every write a value of its own; a baseline',
    models: ['sc'],
    whyModels: whyByValues,
    mayMiss: missedByValues,
    options: byValues,
    make: (behaviours, _model, options) => new ValueCentric(behaviours, options, 'writes'),
  }),
  optimal: algorithm({
    summary: 'Optimal-DPOR with awaits: one interleaving for each class, also where threads wait',
    models: ['sc'],
    options: { ifaa, observers },
    make: (behaviours, _model, options) => new OptimalDpor(behaviours, options),
  }),
  source: algorithm({
    summary: 'Source-DPOR: like optimal, but some interleavings turn out to be redundant on the way',
    models: ['sc'],
    options: { ifaa },
    make: (behaviours, _model, options) => new SourceDpor(behaviours, options),
  }),
  dpor: algorithm({
    summary: 'the first DPOR (Flanagan and Godefroid) with sleep sets: a baseline',
    models: ['sc'],
    options: { ifaa },
    make: (behaviours, _model, options) => new FirstDpor(behaviours, options),
  }),
  dfs: algorithm({
    summary: 'every interleaving, one after the other, without reduction: the baseline',
    models: ['sc'],
    options: scheduleBounds,
    isDivisible: true,
    make: (behaviours, _model, options) => {
      const limits = limitsOf(behaviours, options, undefined);
      const isBounded = limits.preemptions !== undefined || limits.fair !== undefined;
      return isBounded
        ? new BoundedDepthFirstSearch(behaviours, options, limits)
        : new DepthFirstSearch(behaviours, options);
    },
  }),
} satisfies Record<string, AlgorithmEntry>;

export type AlgorithmName = keyof typeof algorithms;

/** Those whose searches can be cut in pieces (`Divisible`). */
export const divisibleAlgorithms: readonly AlgorithmName[] = (
  Object.entries(algorithms) as [AlgorithmName, AlgorithmEntry][]
)
  .filter(([, { isDivisible }]) => isDivisible === true)
  .map(([name]) => name);

type Intersection<Union> = (Union extends unknown ? (_: Union) => void : never) extends (_: infer All) => void
  ? All
  : never;
/** The values of the options of an algorithm: which of them there are depends on the algorithm. */
export type AlgorithmValues = Partial<ValuesOf<Intersection<(typeof algorithms)[AlgorithmName]['options']>>>;

/** An option, and the algorithms that have it. */
export interface DeclaredOption {
  readonly name: keyof AlgorithmValues;
  readonly option: AlgorithmOption;
  readonly algorithms: readonly AlgorithmName[];
}

/** The options of all algorithms, each once. */
export const algorithmOptions: readonly DeclaredOption[] = declaredOptions();

function declaredOptions(): DeclaredOption[] {
  const all = Object.entries(algorithms) as [AlgorithmName, AlgorithmEntry][];
  const declared = new Map(all.flatMap(([, { options }]) => Object.entries(options)));
  return [...declared].map(([name, option]) => ({
    name: name as keyof AlgorithmValues,
    option,
    algorithms: all.filter(([, { options }]) => name in options).map(([algorithm]) => algorithm),
  }));
}
