/** Bounded searches against the oracle: the least number of preemptions of each class, and the classes within a bound. */
import { describe, expect, test } from 'vitest';
import type { Explorer, Finding } from '../../src/explore/explorer.ts';
import type { Slack } from '../../src/explore/graphs/buster.ts';
import { everyGraph, type GraphPolicy } from '../../src/explore/graphs/policy.ts';
import { Counting, Preemptions } from '../../src/explore/graphs/preemptions.ts';
import type { ProgramGraph } from '../../src/explore/graphs/program-graph.ts';
import { TruSt } from '../../src/explore/graphs/trust.ts';
import { BoundedDepthFirstSearch } from '../../src/explore/schedules/bounded-dfs.ts';
import { Interleaving } from '../../src/explore/schedules/interleaving.ts';
import { Kind } from '../../src/graph/graph.ts';
import { models } from '../../src/models/registry.ts';
import { Behaviours, Step } from '../../src/program/behaviours.ts';
import { NONE } from '../../src/program/columns.ts';
import type { Program } from '../../src/program/operation.ts';
import { type ClassInfo, coKey, type Oracle, oracle } from '../oracle/classes.ts';
import { allInterleavings } from '../oracle/interleavings.ts';
import type { ProgramAst, Statement } from '../oracle/language.ts';
import { incrementProgram } from '../random/increments.ts';
import { memoryProgram } from '../random/memory.ts';
import { partsProgram } from '../random/parts.ts';
import { randomProgram, show } from '../random/programs.ts';
import { toOperations } from '../random/to-operations.ts';
import { waitingProgram } from '../random/waiting.ts';
import { wideProgram } from '../random/wide.ts';
import { byTier } from '../tier.ts';
import { buster, constantSlack, options, preemptionsOf, slackAsWritten, type Variant, visit } from './kit/bounded.ts';
import { errorInWords, withoutPath } from './kit/errors.ts';
import { observe, scheduleOf } from './kit/observe.ts';

const BOUNDS = [0, 1, 2, 3];

interface Generator {
  readonly make: (seed: number) => ProgramAst;
  readonly seed: number;
  readonly count: number;
}

const generators: Readonly<Record<string, Generator>> = {
  'random programs': {
    make: randomProgram,
    seed: 91_000_000,
    count: byTier({ quick: 10, normal: 12, long: 600, soak: 4000 }),
  },
  'wide programs': {
    make: wideProgram,
    seed: 92_000_000,
    count: byTier({ quick: 5, normal: 6, long: 300, soak: 1500 }),
  },
  'programs that wait': {
    make: (seed) => waitingProgram(seed),
    seed: 93_000_000,
    count: byTier({ quick: 40, normal: 40, long: 1200, soak: 13_000 }),
  },
  'programs that free objects': {
    make: memoryProgram,
    seed: 94_000_000,
    count: byTier({ quick: 5, normal: 6, long: 300, soak: 1500 }),
  },
};

/** The programs that the oracle can handle, with what it says of them. */
function forEachProgram({ make, seed, count }: Generator, judge: (ast: ProgramAst, seed: number) => boolean): void {
  for (let next = seed, judged = 0; judged < count; next++) if (judge(make(next), next)) judged++;
}

/** The classes of a program: by key, the least number of preemptions. */
function classesOf(ast: ProgramAst, maxInterleavings = 1500): ReadonlyMap<string, number> | undefined {
  const all = oracle(ast, { maxInterleavings });
  if (all === 'too large') return undefined;
  return new Map([...all.coClasses].map(([key, { preemptions }]) => [key, preemptions]));
}

/** What is wrong with a search within each bound; undefined: nothing. */
function wrongWith(ast: ProgramAst, classes: ReadonlyMap<string, number>, variant: Variant = {}): string | undefined {
  const program = toOperations(ast);
  for (const bound of BOUNDS) {
    const { within, explorer } = visit(program, bound, variant);
    const expected = [...classes].filter(([, preemptions]) => preemptions <= bound).map(([key]) => key);
    const seen = new Set(within);
    if (seen.size !== within.length) return `bound ${bound}: a class twice`;
    const lost = expected.filter((key) => !seen.has(key));
    if (lost.length > 0) return `bound ${bound}: ${lost.length} of ${expected.length} lost, such as\n${lost[0]}`;
    if (seen.size > expected.length) return `bound ${bound}: ${seen.size - expected.length} too many`;
    const { overBound, pruned } = explorer.counts;
    if (seen.size + overBound > classes.size) return `bound ${bound}: more visited than there is`;
    if (pruned === 0 && seen.size + overBound < classes.size)
      return `bound ${bound}: less visited, and nothing refused`;
  }
  return undefined;
}

describe.each(Object.entries(generators))('on %s', (_name, generator) => {
  test(`${generator.count}: each class needs what the oracle says, and those within a bound are visited, once`, {
    timeout: 3_600_000,
  }, () => {
    forEachProgram(generator, (ast, seed) => {
      const classes = classesOf(ast);
      if (classes === undefined) return false;
      const counted = preemptionsOf(toOperations(ast));
      for (const [key, preemptions] of counted) {
        expect(preemptions, `seed ${seed}:\n${show(ast)}\n${key}`).toBe(classes.get(key));
      }
      expect(counted.size).toBe(classes.size);
      const wrong = wrongWith(ast, classes);
      if (wrong !== undefined) expect.fail(`seed ${seed}:\n${show(ast)}\n${wrong}`);
      return true;
    });
  });
});

const increments: Generator = {
  make: incrementProgram,
  seed: 95_000_000,
  count: byTier({ quick: 10, normal: 10, long: 120, soak: 500 }),
};

/** All its classes by trust, which is held against the oracle elsewhere: there are too many interleavings. */
const classesByGraphs = (ast: ProgramAst): ReadonlyMap<string, number> => preemptionsOf(toOperations(ast));

test(`${increments.count} programs of increments: those within a bound are visited, once`, {
  timeout: 3_600_000,
}, () => {
  forEachProgram(increments, (ast, seed) => {
    const wrong = wrongWith(ast, classesByGraphs(ast));
    if (wrong !== undefined) expect.fail(`seed ${seed}:\n${show(ast)}\n${wrong}`);
    return true;
  });
});

// ------------------------------------------------------------------------------------------------------------- errors

type Numbers = ReadonlyMap<string, number>;

function leastOf(errors: Iterable<readonly [error: string, preemptions: number]>): Numbers {
  const least = new Map<string, number>();
  for (const [error, preemptions] of errors) {
    least.set(error, Math.min(least.get(error) ?? Number.POSITIVE_INFINITY, preemptions));
  }
  return least;
}

/** By error, in the words of the oracle: the least number of preemptions with which it was found. */
function errorsOf(findings: readonly Finding[]): Numbers {
  return leastOf(findings.map((finding) => [errorInWords(finding), finding.preemptions ?? Number.NaN]));
}

/** The same, of all executions that there are. */
function errorsExpected({ coClasses }: Oracle): Numbers {
  const ofClass = ({ outcome, failures, races, misuses, preemptions }: ClassInfo) => {
    const standstill = outcome === 'deadlock' || outcome === 'livelock' ? [outcome] : [];
    const errors = [...failures.map(withoutPath), ...standstill, ...races, ...misuses];
    return errors.map((error) => [error, preemptions] as const);
  };
  return leastOf([...coClasses.values()].flatMap(ofClass));
}

const within = (errors: Numbers, bound: number): Numbers =>
  new Map([...errors].filter(([, preemptions]) => preemptions <= bound).sort());

describe('errors', () => {
  const count = byTier({ quick: 50, normal: 50, long: 700, soak: 2000 });
  const makers = [randomProgram, (seed: number): ProgramAst => waitingProgram(seed), memoryProgram, partsProgram];

  /** Compares the errors that are found with those of the oracle. Returns how many beyond the bound were told. */
  function compare(ast: ProgramAst, all: Oracle, seed: number): number {
    let beyond = 0;
    const expected = errorsExpected(all);
    for (const bound of BOUNDS) {
      const explorer = buster(toOperations(ast), bound);
      while (!explorer.run(1000));
      const found = errorsOf(explorer.findings);
      expect(within(found, bound), `seed ${seed}, bound ${bound}:\n${show(ast)}`).toEqual(within(expected, bound));
      for (const [error, preemptions] of found) {
        expect(preemptions, error).toBeGreaterThanOrEqual(expected.get(error) ?? Number.POSITIVE_INFINITY);
        if (preemptions > bound) beyond++;
      }
    }
    return beyond;
  }

  test(`of ${count} programs are found with the least number of preemptions, and told from those beyond the bound`, {
    timeout: 3_600_000,
  }, () => {
    let beyond = 0;
    for (let seed = 96_000_000, judged = 0; judged < count; seed++) {
      const ast = (makers[seed % makers.length] as (seed: number) => ProgramAst)(seed);
      const all = oracle(ast, { maxInterleavings: 1500 });
      if (all === 'too large') continue;
      judged++;
      beyond += compare(ast, all, seed);
    }
    expect(beyond).toBeGreaterThan(0);
  });

  test('are not hidden by stores to parts, which order nothing', () => {
    const seed = 7_700_259;
    const ast = partsProgram(seed);
    const all = oracle(ast, { maxInterleavings: 100_000 });
    if (all === 'too large') throw new Error('too large');
    expect(within(errorsExpected(all), 0).size).toBeGreaterThan(0);
    compare(ast, all, seed);
  });

  test('stop the search if they are within the bound, and only then', () => {
    const makers = [randomProgram, memoryProgram];
    let [stopped, exhausted] = [0, 0];
    for (let seed = 96_500_000; seed < 96_500_100; seed++) {
      const ast = (makers[seed % makers.length] as (seed: number) => ProgramAst)(seed);
      const all = oracle(ast, { maxInterleavings: 1500 });
      if (all === 'too large') continue;
      const explorer = buster(toOperations(ast), 0, false, { keepGoing: false });
      while (!explorer.run(1000));
      const isFailing = within(errorsExpected(all), 0).size > 0;
      expect(explorer.isExhausted, `seed ${seed}`).toBe(!isFailing);
      expect(explorer.counts.erroneous, `seed ${seed}`).toBe(isFailing ? 1 : 0);
      if (isFailing) stopped++;
      else exhausted++;
    }
    expect(stopped).toBeGreaterThan(5);
    expect(exhausted).toBeGreaterThan(5);
  });
});

// ------------------------------------------------------------------------------------------------------- rising bounds

test('rising bounds find what each bound finds by itself, whether refused graphs are kept or not', () => {
  const makers = [randomProgram, incrementProgram, (seed: number): ProgramAst => waitingProgram(seed)];
  const programs = byTier({ normal: 3, long: 120, soak: 200 });
  let deepened = 0;
  for (let seed = 97_000_000; seed < 97_000_000 + programs; seed++) {
    const program = toOperations((makers[seed % makers.length] as (seed: number) => ProgramAst)(seed));
    for (const isRaised of [true, false]) {
      const rising = buster(program, 0, isRaised);
      for (const bound of BOUNDS) {
        while (!rising.run(100));
        const fresh = buster(program, bound);
        while (!fresh.run(1000));
        const { boundBlocked: _1, ...counts } = rising.counts;
        const { boundBlocked: _2, ...expected } = fresh.counts;
        expect(counts, `seed ${seed}, bound ${bound}`).toEqual(expected);
        expect(errorsOf(rising.findings), `seed ${seed}, bound ${bound}, ${isRaised}`).toEqual(
          errorsOf(fresh.findings),
        );
        if (rising.counts.pruned === 0) break;
        deepened++;
        rising.deepen();
      }
    }
  }
  expect(deepened).toBeGreaterThan(programs);
});

// ---------------------------------------------------------------------------------------------- without reduction

test('bounded search without reduction visits exactly the interleavings within the bound', () => {
  let refused = 0;
  for (let seed = 98_000_000, judged = 0; judged < byTier({ quick: 20, normal: 30, long: 900, soak: 1500 }); seed++) {
    const ast = seed % 2 === 0 ? randomProgram(seed) : waitingProgram(seed);
    const all = allInterleavings(ast, 500);
    if (all === 'too large') continue;
    judged++;
    for (const bound of BOUNDS) {
      const schedules: string[] = [];
      const explorer: BoundedDepthFirstSearch = new BoundedDepthFirstSearch(
        new Behaviours(toOperations(ast)),
        { ...options, onExecution: () => schedules.push(scheduleOf(explorer)) },
        { preemptions: bound },
      );
      while (!explorer.run(1000));
      const expected = all.filter(({ preemptions }) => preemptions <= bound).map(({ schedule }) => schedule.join(' '));
      expect(schedules.sort(), `seed ${seed}, bound ${bound}`).toEqual(expected.sort());
      if (explorer.counts.pruned === 0) expect(expected.length).toBe(all.length);
      else refused++;
    }
  }
  expect(refused).toBeGreaterThan(20);
});

// -------------------------------------------------------------------------------------------- [BUSTER], figures 1 and 2

const load = (location: string): Statement => ({ kind: 'load', location, register: 0 });
const inc = (location: string): Statement[] => [
  load(location),
  { kind: 'store', location, value: { register: 0, constant: 1 } },
];
const threads = (...bodies: readonly (readonly Statement[])[]): Statement[] => [
  ...bodies.map((body, slot): Statement => ({ kind: 'spawn', slot, body })),
  ...bodies.map((_, slot): Statement => ({ kind: 'join', slot, register: 0 })),
];

/** Figure 1. */
const readsAndWrites: ProgramAst = {
  atomics: { x: 0, y: 0 },
  shared: {},
  mutexes: [],
  main: threads(
    [load('x'), load('y')],
    [1, 2].map((constant): Statement => ({ kind: 'store', location: 'y', value: { constant } })),
  ),
};

/** Figure 2, with so many workers, of which all but the first two do the same. */
function figure2(workers: number): ProgramAst {
  const act: Statement = {
    kind: 'if',
    register: 0,
    equals: 1,
    whenEqual: [{ kind: 'store', location: 'z', value: { constant: 1 } }],
    otherwise: [],
  };
  const others = Array.from({ length: workers - 2 }, () => [...inc('x'), ...inc('y')]);
  const bodies = [[load('x'), load('z')], [...inc('x'), ...inc('y'), load('y'), act], ...others];
  return { atomics: { x: 0, y: 0, z: 0 }, shared: {}, mutexes: [], main: threads(...bodies) };
}

/** The execution of the workers from right to left, each in one go. */
function rightToLeft(ast: ProgramAst): string {
  const behaviours = new Behaviours(toOperations(ast));
  const interleaving = new Interleaving(behaviours);
  const run = (t: number): void => {
    while (interleaving.isEnabled(t)) interleaving.perform(t, 0);
  };
  run(0);
  for (let t = behaviours.threads.length - 1; t >= 0; t--) run(t);
  return coKey(observe({ behaviours, interleaving } as unknown as Explorer, 'complete'));
}

test('figure 1: three classes, two without preemptions, the one that reads 2 among them', () => {
  const classes = classesOf(readsAndWrites) as ReadonlyMap<string, number>;
  expect([...classes.values()].sort()).toEqual([0, 0, 1]);
  expect(wrongWith(readsAndWrites, classes)).toBeUndefined();
});

test('figure 2: classes by number of preemptions', () => {
  const numbers = [...preemptionsOf(toOperations(figure2(3))).values()];
  expect([0, 1, 2, 3, 4, 5].map((p) => numbers.filter((number) => number === p).length)).toEqual([
    6, 25, 42, 33, 12, 2,
  ]);
});

test.each(byTier({ normal: [3, 4], long: [3, 4, 5] }))(
  'figure 2 with %i workers takes slack of as many less two',
  (workers) => {
    const ast = figure2(workers);
    const wanted = rightToLeft(ast);
    const finds = (slack: number): boolean =>
      visit(toOperations(ast), 0, { slack: constantSlack(slack) }).within.includes(wanted);
    expect(finds(workers - 2)).toBe(true);
    expect(finds(workers - 3)).toBe(false);
  },
);

const locked = (...body: readonly Statement[]): Statement[] => [
  { kind: 'lock', mutex: 'm' },
  ...body,
  { kind: 'unlock', mutex: 'm' },
];
const store = (location: string, constant: number): Statement => ({ kind: 'store', location, value: { constant } });

describe('nothing is lost or added', () => {
  test.each<[string, ProgramAst]>([
    [
      'where the read that is revisited is stuck on a lock',
      {
        atomics: { y: 0 },
        shared: {},
        mutexes: ['m'],
        main: threads(locked(), [...locked(), load('y')], locked(store('y', 3))),
      },
    ],
    [
      'where an await revisits an update, which revisits another read at once',
      {
        atomics: { s: 1, x: 0 },
        shared: {},
        mutexes: [],
        main: threads(
          [store('s', 9)],
          [load('x'), load('s'), load('s')],
          [{ kind: 'fetchAdd', location: 's', add: 4, register: 0 }],
          [
            store('x', 9),
            {
              kind: 'awaitUpdate',
              location: 's',
              condition: { op: '>=', constant: 0 },
              add: 2,
              sleeps: false,
              register: 0,
            },
          ],
        ),
      },
    ],
    [
      'where the program ends while a thread waits for a lock',
      {
        atomics: { y: 0 },
        shared: {},
        mutexes: ['m'],
        main: [
          { kind: 'spawn', slot: 0, body: [{ kind: 'lock', mutex: 'm' }, store('y', 2), { kind: 'exit' }] },
          store('y', 1),
          ...locked(),
        ],
      },
    ],
  ])('%s', (_name, ast) => {
    const classes = classesOf(ast, 1_000_000) as ReadonlyMap<string, number>;
    expect(new Map(preemptionsOf(toOperations(ast)))).toEqual(classes);
    expect(wrongWith(ast, classes)).toBeUndefined();
  });
});

// ---------------------------------------------------------------------------------------------------------- deletable

/** By definition: threads with an event, other than a spawn or a join, that is not porf-before a write that has revisited. */
function deletableByDefinition({ g }: ProgramGraph): number {
  const events = Array.from({ length: g.length }, (_, e) => e).filter((e) => g.thread[e] !== NONE && g.has(e));
  const revisiting = events
    .filter((e) => g.kind[e] === Kind.READ && g.stamp[g.rf[e]!]! > g.stamp[e]!)
    .map((r) => g.rf[r]!);
  const isStable = (e: number): boolean => revisiting.some((w) => e === w || g.porfBefore(e, w));
  const worth = events.filter((e) => g.kind[e] !== Kind.SPAWN && g.kind[e] !== Kind.JOIN && !isStable(e));
  return new Set(worth.map((e) => g.thread[e])).size;
}

test.each(Object.entries(generators))('deletable threads as they are defined, %s', (_name, { make, seed }) => {
  let asked = 0;
  const slack: Slack = (deletable, threads) => {
    asked++;
    expect(deletable).toBe(deletableByDefinition(threads));
    return Math.max(0, deletable - 1);
  };
  for (let next = seed; next < seed + 30; next++) visit(toOperations(make(next)), 0, { slack });
  expect(asked).toBeGreaterThan(100);
});

// ------------------------------------------------------------------------------------------------------------ mutants

/** Runs every thread as far as it goes. */
class Greedy extends Preemptions {
  protected override mayDelay(): boolean {
    return false;
  }
}

/** Counts a switch away from a thread before an await, on the way, as at the end. */
class CountsAwaits extends Preemptions {
  override isFreeOnTheWay(): boolean {
    return false;
  }
}

describe('these tests notice', () => {
  /** How many of so many programs show that the variant is wrong. */
  const caught = (make: (seed: number) => ProgramAst, seed: number, count: number, variant: Variant): number => {
    const asts = Array.from({ length: count }, (_, i) => make(seed + i));
    return asts.filter((ast) => wrongWith(ast, classesByGraphs(ast), variant) !== undefined).length;
  };

  test('slack as the paper writes it', () => {
    const wrong = wrongWith(figure2(3), classesByGraphs(figure2(3)), { slack: slackAsWritten });
    expect(wrong).toMatch(/^bound 0: 2 of 6 lost/);
  });

  test('no slack', () => {
    expect(caught(incrementProgram, increments.seed, increments.count, { slack: constantSlack(0) })).toBeGreaterThan(0);
  });

  test('threads that run as far as they go', () => {
    let wrong = 0;
    for (let seed = 91_000_000; seed < 91_000_300; seed++) {
      const program = toOperations(randomProgram(seed));
      const right = preemptionsOf(program);
      for (const [key, preemptions] of preemptionsOf(program, Greedy)) if (preemptions !== right.get(key)) wrong++;
    }
    expect(wrong).toBeGreaterThan(0);
  });

  test('awaits that count on the way', () => {
    const lost = (variant: Variant): number =>
      caught((seed) => waitingProgram(seed), 93_000_000, 400, { slack: constantSlack(0), ...variant });
    expect(lost({ phi: CountsAwaits })).toBeGreaterThan(lost({}));
  });

  test('errors that are judged when a thread fails', () => {
    let wrong = 0;
    for (let seed = 96_000_000; seed < 96_000_300; seed++) {
      const program = toOperations(randomProgram(seed));
      const explorer = buster(program, 1000);
      while (!explorer.run(1000));
      const failures = explorer.findings.filter(({ kind }) => kind === 'assertion');
      const midway = preemptionsMidway(program);
      for (const { message, preemptions } of failures) if (midway.get(message) !== preemptions) wrong++;
    }
    expect(wrong).toBeGreaterThan(0);
  });
});

/** By message of a failure: the least number of preemptions of a graph in which a thread has just failed. */
function preemptionsMidway(program: Program): Map<string, number> {
  const least = new Map<string, number>();
  const makePolicy = (threads: ProgramGraph): GraphPolicy => {
    const phi = new Preemptions(threads);
    const admits = (): boolean => {
      const { behaviours } = threads;
      for (const t of behaviours.threads.keys()) {
        const s = threads.stateOf(t);
        const operation = s >= 0 && behaviours.step[s] === Step.FAIL ? behaviours.operation(s) : undefined;
        if (operation?.kind !== 'fail') continue;
        phi.begin(Counting.PREFIX);
        const { message } = operation.failure;
        least.set(message, Math.min(least.get(message) ?? Number.POSITIVE_INFINITY, phi.least()));
      }
      return true;
    };
    return { ...everyGraph, admits };
  };
  const explorer = new TruSt(new Behaviours(program), models.sc.graph.co, options, makePolicy);
  while (!explorer.run(1000));
  return least;
}
