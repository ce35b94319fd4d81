/** A search that stopped, at an error or after as many executions as wanted, is written down and continued: see `Divisible`. */
import { describe, expect, test } from 'vitest';
import { sumOfCounts } from '../../src/check/sharing/part.ts';
import { type Explorer, executionsOf, isDivisible, noCounts } from '../../src/explore/explorer.ts';
import type { ModelName } from '../../src/models/registry.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
import type { SavedSearch } from '../../src/program/execution.ts';
import { savedSearchSchema } from '../../src/program/execution-schema.ts';
import type { Program } from '../../src/program/operation.ts';
import { Random } from '../random/prng.ts';
import { byTier } from '../tier.ts';
import { type KindName, kinds } from './kit/kinds.ts';
import { type ExplorerUnderTest, equivalencesOf, everyExplorer } from './kit/laws.ts';

const count = byTier({ quick: 5, normal: 30, long: 300 });
/** Larger programs are left out. */
const MOST = 1500;

const names: readonly KindName[] = [
  'random programs',
  'bare operations',
  'programs that free objects',
  'programs for weak models',
  'programs that wait',
];

interface Search {
  readonly x: ExplorerUnderTest;
  readonly program: Program;
  readonly model: ModelName;
  readonly equivalence: string;
}

interface Stop {
  readonly keepGoing: boolean;
  readonly maxExecutions: number;
}

const wholly: Stop = { keepGoing: true, maxExecutions: Number.POSITIVE_INFINITY };

function begin({ x, program, model, equivalence }: Search, stop: Stop, saved?: SavedSearch): Explorer {
  const options = { races: true, livelock: true, checkLeaks: true, ifaa: false, equivalence, ...stop };
  const explorer = x.make(new Behaviours(program), model, options);
  if (saved !== undefined && isDivisible(explorer))
    explorer.load(savedSearchSchema.parse(JSON.parse(JSON.stringify(saved))));
  return explorer;
}

function toTheEnd(explorer: Explorer): Explorer {
  for (let slices = 0; slices < 10 && !explorer.run(MOST * 10); slices++);
  return explorer;
}

function save(explorer: Explorer): SavedSearch {
  if (!isDivisible(explorer)) throw new Error('this search cannot be cut');
  return explorer.save();
}

/** Which of two threads that clash comes first is left out. */
const errorsOf = ({ findings }: Explorer): string[] => findings.map(({ kind, message }) => `${kind} ${message}`);

/** Searches of random programs that can be cut, each in one of its ways, with the whole of it. */
function* searches(
  kind: KindName,
): Generator<{ readonly search: Search; readonly whole: Explorer; readonly seed: number }> {
  const { make, program, seed: first } = kinds[kind];
  for (let seed = first + 900_000, left = count; left > 0; seed++) {
    const ast = make(seed);
    const random = new Random(seed);
    const x = random.pick(explorers);
    const equivalence = random.pick(x.claim.visits === 'chosen' ? equivalencesOf(x) : ['co']);
    const search = { x, program: program(ast, seed), model: random.pick(x.models), equivalence };
    const whole = toTheEnd(begin(search, wholly));
    if (!whole.isExhausted) continue;
    left--;
    yield { search, whole, seed };
  }
}

const explorers = everyExplorer.filter(({ claim }) => claim.isDivisible);

describe.each(names)('%s', (kind) => {
  test('after as many executions as wanted, exactly the others are left', () => {
    for (const { search, whole, seed } of searches(kind)) {
      const maxExecutions = new Random(seed + 1).between(0, executionsOf(whole.counts));
      const first = toTheEnd(begin(search, { ...wholly, maxExecutions }));
      const second = toTheEnd(begin(search, wholly, save(first)));
      expect(sumOfCounts(first.counts, second.counts), `${seed} ${search.x.name}`).toEqual(whole.counts);
      expect(executionsOf(first.counts) - first.counts.redundant).toBeLessThanOrEqual(maxExecutions);
    }
  });

  test('after an error, the execution that failed is left, with all that was not explored', () => {
    let stopped = 0;
    for (const { search, whole, seed } of searches(kind)) {
      const first = toTheEnd(begin(search, { ...wholly, keepGoing: false }));
      const errors = errorsOf(first);
      if (errors.length === 0) continue;
      stopped++;
      expect(first.counts.erroneous).toBe(1);
      const saved = save(first);
      expect(first.counts.erroneous).toBe(0);
      const second = toTheEnd(begin(search, wholly, saved));
      expect(sumOfCounts(first.counts, second.counts), `${seed} ${search.x.name}`).toEqual(whole.counts);
      expect(new Set([...errors, ...errorsOf(second)])).toEqual(new Set(errorsOf(whole)));
      const again = toTheEnd(begin(search, { ...wholly, keepGoing: false }, saved));
      expect(errorsOf(again).length, `${seed} ${search.x.name}`).toBeGreaterThan(0);
      expect(again.counts).toEqual({ ...noCounts(), erroneous: 1 });
      expect(errorsOf(again)).toEqual(errors);
    }
    expect(stopped).toBeGreaterThan(0);
  });
});
