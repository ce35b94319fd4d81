/** Optimal-DPOR with observers against the oracle. */
import { describe, expect, test } from 'vitest';
import { executionsOf } from '../../src/explore/explorer.ts';
import { ObservedSchedule } from '../../src/explore/schedules/dpor/observed-schedule.ts';
import { OptimalDpor } from '../../src/explore/schedules/dpor/optimal.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
import { oracle } from '../oracle/classes.ts';
import type { ProgramAst, Statement } from '../oracle/language.ts';
import { observersKey } from '../oracle/observers.ts';
import { minimise, show } from '../random/programs.ts';
import { storingProgram } from '../random/storing.ts';
import { toOperations } from '../random/to-operations.ts';
import { byTier } from '../tier.ts';
import { options } from './kit/bounded.ts';
import { anyProgram, type Maker, MOST } from './kit/bpor.ts';
import { differentLists } from './kit/cuts.ts';
import { errorsExpected, errorsFound } from './kit/errors.ts';
import { observe, stepsWithEffects } from './kit/observe.ts';
import { truthByInterleavings } from './kit/truth.ts';

function search(ast: ProgramAst) {
  let keys: ((awaited: ReadonlySet<string>) => string)[] = [];
  const explorer: OptimalDpor = new OptimalDpor(new Behaviours(toOperations(ast)), {
    ...options,
    ifaa: false,
    observers: true,
    onExecution: (ending) => {
      if (executionsOf(explorer.counts) === 1) keys = []; // it has started over
      const steps = stepsWithEffects(explorer, observe(explorer, ending).steps);
      keys.push((awaited) => observersKey(steps, ending, awaited));
    },
  });
  while (!explorer.run(1000));
  const { schedule, behaviours } = explorer;
  if (!(schedule instanceof ObservedSchedule)) throw new Error('the search has no observers');
  const { key } = behaviours.locationTable;
  const awaited = new Set(
    behaviours.locations.flatMap(({ name = '?' }, id) => (schedule.awaited.has(key[id]!) ? [name] : [])),
  );
  return { explorer, awaited, keys: keys.map((key) => key(awaited)) };
}

function wrongWith(ast: ProgramAst, most: number): string | undefined {
  const all = oracle(ast, { maxInterleavings: most });
  const truth = truthByInterleavings(ast, most);
  if (all === 'too large' || truth === 'too large') return undefined;
  const { explorer, awaited, keys } = search(ast);
  const examples = [...all.coClasses.values()].map(({ example }) => example);
  const expected = new Set(examples.map(({ steps, observed }) => observersKey(steps, observed.outcome, awaited)));
  const different = differentLists([...expected], keys);
  if (different !== undefined) return `classes: ${JSON.stringify(different, null, 1)}`;
  if (explorer.counts.redundant > 0) return 'redundant';
  const found = new Set(errorsFound(explorer, ast));
  const errors = errorsExpected(truth.sc as never, true);
  for (const error of errors) if (!found.has(error)) return `not found: ${error}`;
  for (const error of found) if (!errors.has(error)) return `found: ${error}`;
  return undefined;
}

function expectAll(make: Maker, first: number, count: number, most = MOST): void {
  for (let seed = first; seed < first + count; seed++) {
    const ast = make(seed);
    const wrong = wrongWith(ast, most);
    if (wrong === undefined) continue;
    const least = minimise(ast, (smaller) => wrongWith(smaller, most) !== undefined);
    expect.fail(`seed ${seed}: ${wrongWith(least, most)}\n${show(least)}`);
  }
}

const count = byTier({ quick: 30, normal: 60, long: 400, soak: 20_000 });

describe(`on ${count} programs each class is visited once`, () => {
  test('of any kind', () => expectAll(anyProgram, 91_000_000, count));
  test('that store much', () => expectAll(storingProgram, 92_000_000, count));
  test('that store much, of a larger size', () =>
    expectAll((seed) => storingProgram(seed, 8), 93_000_000, count / 10, 60_000));
});

// ------------------------------------------------------------------------------------------------ shapes that were wrong once

const store = (location: string): Statement => ({ kind: 'store', location, value: { constant: 1 } });
const load = (location: string): Statement => ({ kind: 'load', location, register: 0 });

function threads(bodies: readonly (readonly Statement[])[], main: readonly Statement[] = []): ProgramAst {
  const spawns = bodies.map((body, slot): Statement => ({ kind: 'spawn', slot, body }));
  return { atomics: { x: 0, y: 0 }, shared: {}, mutexes: [], main: [...spawns, ...main] };
}

test.each<[string, ProgramAst]>([
  [
    'a write is planned for its reader, and overwritten before',
    threads([[store('x'), store('x')], [load('x')], [store('x')]]),
  ],
  [
    'what is planned for a reader follows from what is planned without',
    threads(
      [[store('x'), load('y')], [store('y'), load('x')], [store('y')]],
      [{ kind: 'join', slot: 1, register: 1 }, load('x')],
    ),
  ],
  [
    'two pairs of writes, each with a reader',
    threads([[store('y'), store('x'), load('y')], [store('x')], [store('y')]], [load('x')]),
  ],
  [
    'a sleeping write is read after another one',
    threads([[load('x')], [store('y'), load('y'), store('x')], [store('x'), store('y')]]),
  ],
])('%s', (_name, ast) => {
  expect(wrongWith(ast, 100_000)).toBeUndefined();
});
