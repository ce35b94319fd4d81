/**
 * Ends of executions that have nothing to choose are counted without events, unless somebody looks at each execution. Both must
 * count the same and find the same errors, also if the search is written down and read again on the way, and with a bound.
 */
import { expect, test } from 'vitest';
import { type Counts, type Explorer, isDivisible } from '../../src/explore/explorer.ts';
import { Buster } from '../../src/explore/graphs/buster.ts';
import { type Equivalence, type ModelName, models } from '../../src/models/registry.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
import { savedSearchSchema } from '../../src/program/execution-schema.ts';
import type { ProgramAst, Statement } from '../oracle/language.ts';
import { notingProgram } from '../random/noting.ts';
import { byTier } from '../tier.ts';
import { type Kind, kinds } from './kit/kinds.ts';
import { underTest } from './kit/laws.ts';

const modelNames = Object.keys(models) as ModelName[];
const PROGRAMS = byTier({ quick: 10, normal: 18, long: 200, soak: 500 });
const BOUNDED = byTier({ quick: 5, normal: 20, long: 80, soak: 2000 });
/** Larger searches are left out. */
const MOST_STEPS = 20_000;

interface Seen {
  readonly counts: Counts;
  readonly errors: readonly string[];
}

const programs = {
  ...kinds,
  'programs that note what they read': { ...kinds['bare operations'], seed: 70_000_000, make: notingProgram },
} satisfies Record<string, Kind>;
type KindName = keyof typeof programs;

interface Search {
  readonly kind: KindName;
  readonly seed: number;
  readonly model: ModelName;
  readonly equivalence: Equivalence;
  readonly bound?: number;
}

function begin({ kind, seed, ...rest }: Search, isWatched: boolean): Explorer {
  return beginWith(programs[kind], seed, rest, isWatched);
}

function beginWith(
  kind: Kind,
  seed: number,
  { model, equivalence, bound }: Omit<Search, 'kind' | 'seed'>,
  isWatched: boolean,
): Explorer {
  const options = {
    keepGoing: true,
    races: kind.races,
    livelock: true,
    checkLeaks: false,
    ifaa: false,
    equivalence,
    maxExecutions: Number.POSITIVE_INFINITY,
    ...(isWatched ? { onExecution: () => {} } : {}),
  };
  const behaviours = new Behaviours(kind.program(kind.make(seed), seed), { maxStates: kind.maxStates });
  if (bound === undefined) return underTest('trust').make(behaviours, model, options);
  return new Buster(behaviours, models.sc.graph.co, options, { bound, isRaised: false });
}

/** `steps`: after so many, each time, the search is written down and read again; undefined: never. */
function seenBy(explorer: Explorer, steps?: number): Seen | undefined {
  for (let done = 0; !explorer.run(steps ?? MOST_STEPS); done += steps ?? MOST_STEPS) {
    if (done >= MOST_STEPS) return undefined;
    if (steps !== undefined && isDivisible(explorer)) {
      explorer.load(savedSearchSchema.parse(JSON.parse(JSON.stringify(explorer.save()))));
    }
  }
  const errors = explorer.findings.map(
    ({ kind, message, threads, preemptions = '' }) => `${kind} ${message} ${threads.join(' ')} ${preemptions}`,
  );
  return { counts: { ...explorer.counts }, errors: errors.sort() };
}

const names: readonly KindName[] = [
  'random programs',
  'bare operations',
  'programs that free objects',
  'programs for weak models',
  'programs that wait',
  'programs that note what they read',
];

for (const kind of names) {
  test(`${kind} give the same with the events of their tails and without`, () => {
    let compared = 0;
    for (let seed = 0; seed < PROGRAMS; seed++) {
      const model = modelNames[seed % modelNames.length] as ModelName;
      const equivalence = seed % 3 === 0 ? 'rf' : 'co';
      const search: Search = { kind, seed, model, equivalence };
      const watched = seenBy(begin(search, true));
      if (watched === undefined) continue;
      compared++;
      expect(seenBy(begin(search, false)), `${kind} ${seed}, ${model}, ${equivalence}`).toEqual(watched);
      const cut = seenBy(begin(search, false), 1 + (seed % 7));
      if (cut !== undefined) expect(cut.counts, `${kind} ${seed}, ${model}, cut`).toEqual(watched.counts);
    }
    expect(compared).toBeGreaterThan(PROGRAMS / 2);
  });
}

const boundedNames: readonly KindName[] = [...names, 'wide programs', 'programs with updates that commute'];

for (const kind of boundedNames) {
  test(`${kind} give the same with a bound, with the events of their tails and without`, () => {
    let compared = 0;
    for (let seed = 0; seed < BOUNDED; seed++) {
      for (const bound of [0, 1, 2, 4]) {
        const search: Search = { kind, seed, model: 'sc', equivalence: 'co', bound };
        const watched = seenBy(begin(search, true));
        if (watched === undefined) continue;
        compared++;
        expect(seenBy(begin(search, false)), `${kind} ${seed}, bound ${bound}`).toEqual(watched);
      }
    }
    expect(compared).toBeGreaterThan(BOUNDED / 2);
  });
}

test('a search with a bound that goes on from the read of an update counts as one in one piece', () => {
  // nothing is known of the graph then, and its end counted as if it needed no preemption
  for (const bound of [0, 1, 2]) {
    const search: Search = { kind: 'bare operations', seed: 1006, model: 'sc', equivalence: 'co', bound };
    const { complete, overBound } = seenBy(begin(search, true))?.counts ?? {};
    for (let steps = 12; steps <= 20; steps++) {
      const cut = seenBy(begin(search, false), steps)?.counts;
      expect(cut, `bound ${bound}, ${steps} steps`).toMatchObject({ complete, overBound });
    }
  }
});

test('who is not joined may still write what a tail reads', () => {
  // a thread that nobody joins ends last, and main reads what it has written: bare operations 143 has two executions more
  for (const model of modelNames) {
    const search: Search = { kind: 'bare operations', seed: 143, model, equivalence: 'co' };
    expect(seenBy(begin(search, false))?.counts.complete, model).toBe(seenBy(begin(search, true))?.counts.complete);
  }
});

test('what the last thread notes of what it has read needs no events', () => {
  const store = (constant: number): readonly Statement[] => [{ kind: 'store', location: 'x', value: { constant } }];
  const reader: readonly Statement[] = [
    { kind: 'load', location: 'x', register: 0 },
    { kind: 'plainStore', location: 'p', value: { register: 0, constant: 0 } },
    { kind: 'plainLoad', location: 'p', register: 1 },
    { kind: 'plainStore', location: 'p', value: { register: 1, constant: 1 } },
  ];
  const bodies = [store(1), store(2), store(3), store(4), store(5), reader];
  const look: readonly Statement[] = [
    { kind: 'plainLoad', location: 'p', register: 0 },
    { kind: 'assert', register: 0, not: 4, id: 1 },
  ];
  const ofAll = (end: readonly Statement[]): ProgramAst => ({
    atomics: { x: 0 },
    shared: { p: 0 },
    mutexes: [],
    main: [
      ...bodies.map((body, slot): Statement => ({ kind: 'spawn', slot, body })),
      ...bodies.map((_, slot): Statement => ({ kind: 'join', slot, register: 1 })),
      ...end,
    ],
  });
  const explore = (ast: ProgramAst): { explorer: Explorer; steps: number } => {
    const explorer = beginWith(
      { ...kinds['bare operations'], make: () => ast },
      0,
      { model: 'sc', equivalence: 'co' },
      false,
    );
    let steps = 0;
    while (!explorer.run(1)) steps++;
    return { explorer, steps };
  };
  const blind = explore(ofAll([]));
  expect(blind.explorer.counts.complete).toBe(720);
  expect(blind.steps).toBeLessThan(720);
  const looking = explore(ofAll(look));
  expect(looking.explorer.counts).toMatchObject({ complete: 600, erroneous: 120 }); // whoever has read 3
  expect(looking.explorer.findings.map(({ kind }) => kind)).toEqual(['assertion']);
});
