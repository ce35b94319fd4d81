/** How bounded partial-order reduction is held against the oracle. */
import { describe, expect, test } from 'vitest';
import { executionsOf } from '../../../src/explore/explorer.ts';
import { Bpor } from '../../../src/explore/schedules/bpor/bpor.ts';
import type { Variant } from '../../../src/explore/schedules/bpor/procedures.ts';
import { Behaviours } from '../../../src/program/behaviours.ts';
import type { Ending } from '../../../src/program/ending.ts';
import { type Bounds, classesWithin } from '../../oracle/bounds.ts';
import { coKey } from '../../oracle/classes.ts';
import { happensBeforeKey } from '../../oracle/happens-before.ts';
import type { Interleaving } from '../../oracle/interleavings.ts';
import type { ProgramAst } from '../../oracle/language.ts';
import { commutingProgram } from '../../random/commuting.ts';
import { memoryProgram } from '../../random/memory.ts';
import { minimise, randomProgram, show } from '../../random/programs.ts';
import { toOperations } from '../../random/to-operations.ts';
import { waitingProgram } from '../../random/waiting.ts';
import { wideProgram } from '../../random/wide.ts';
import { yieldingProgram } from '../../random/yielding.ts';
import { options } from './bounded.ts';
import { keys } from './truth.ts';

/** More interleavings than this are too many for the oracle. */
export const MOST = 1500;

export const BOUNDS = [0, 1, 2, 3];
export const onPreemptions: readonly Bounds[] = BOUNDS.map((preemptions) => ({ preemptions }));
export const onFairness: readonly Bounds[] = BOUNDS.map((fair) => ({ fair }));
export const onBoth: readonly Bounds[] = BOUNDS.flatMap((preemptions) => [0, 1].map((fair) => ({ preemptions, fair })));

export type Maker = (seed: number) => ProgramAst;
const makers: readonly Maker[] = [
  randomProgram,
  (seed) => waitingProgram(seed),
  wideProgram,
  memoryProgram,
  yieldingProgram,
];
export const commuting: Maker = (seed) => (seed % 2 === 0 ? commutingProgram(seed) : waitingProgram(seed));
export const anyProgram: Maker = (seed) => (makers[seed % makers.length] as Maker)(seed);

/** How a search is made. */
export interface How extends Partial<Variant> {
  /** Updates whose results nobody uses are independent. */
  readonly ifaa?: boolean;
}

export function search(
  ast: ProgramAst,
  limits: Bounds,
  { ifaa = false, ...variant }: How = {},
  onExecution = (_: Ending) => {},
) {
  return new Bpor(new Behaviours(toOperations(ast)), { ...options, ifaa, onExecution }, limits, variant);
}

export function visit(ast: ProgramAst, limits: Bounds, how: How = {}) {
  const classes = new Set<string>();
  const explorer: Bpor = search(ast, limits, how, (ending) => {
    classes.add(keys[how.ifaa === true ? 'commuting' : 'co'](explorer, ending).key);
  });
  while (!explorer.run(1000));
  return { classes, counts: explorer.counts, findings: explorer.findings };
}

/** The key of the class, as the oracle gives it. */
function keyOf({ steps, observed }: Interleaving, { ifaa }: How): string {
  return ifaa === true ? happensBeforeKey(steps, observed.outcome) : coKey(observed);
}

type Tally = { executions: number; interleavings: number; programs: number };

/** What is wrong with the searches within these bounds; undefined: nothing; 'too large' if the oracle cannot tell. */
export function wrongWith(
  ast: ProgramAst,
  bounds: readonly Bounds[],
  how: How = {},
  tally?: Tally,
): string | 'too large' | undefined {
  const truth = classesWithin(ast, MOST, bounds, (interleaving) => keyOf(interleaving, how));
  if (truth === 'too large') return truth;
  for (const [i, limits] of bounds.entries()) {
    const { classes: expected, interleavings } = truth[i] as (typeof truth)[number];
    const { classes, counts } = visit(ast, limits, how);
    const lost = [...expected].filter((key) => !classes.has(key));
    const within = JSON.stringify(limits);
    if (lost.length > 0) return `${within}: ${lost.length} of ${expected.size} lost, such as\n${lost[0]}`;
    if (classes.size > expected.size) return `${within}: ${classes.size - expected.size} too many`;
    if (executionsOf(counts) > interleavings) return `${within}: more executions than bounded search`;
    if (tally !== undefined) {
      tally.executions += executionsOf(counts);
      tally.interleavings += interleavings;
    }
  }
  if (tally !== undefined) tally.programs++;
  return undefined;
}

function expectRight(make: Maker, seed: number, count: number, bounds: readonly Bounds[], how: How = {}): Tally {
  const tally = { executions: 0, interleavings: 0, programs: 0 };
  for (let next = seed; tally.programs < count; next++) {
    const ast = make(next);
    const wrong = wrongWith(ast, bounds, how, tally);
    if (wrong === undefined || wrong === 'too large') continue;
    const isWrong = (candidate: ProgramAst): boolean => {
      const found = wrongWith(candidate, bounds, how);
      return found !== undefined && found !== 'too large';
    };
    const smallest = minimise(ast, isWrong);
    expect.fail(`seed ${next}:\n${show(smallest)}\n${wrongWith(smallest, bounds, how)}`);
  }
  return tally;
}

const withoutParts: Readonly<Record<string, Partial<Variant>>> = {
  'the algorithm as the paper proves it': { sleep: 'none', lazy: false, skipsOrdered: false, transitive: false },
  'with dependences that are ordered anyway': { skipsOrdered: false },
  'all at once where a thread cannot go on': { transitive: false },
};

/** All classes within each of the bounds, and no others, on so many programs. */
export function expectAllWithin(name: string, bounds: readonly Bounds[], make: Maker, how: How, count: number): void {
  describe(`bounds ${name}`, () => {
    test(`${count} programs: all classes within them, no others, and never more executions than bounded search`, {
      timeout: 3_600_000,
    }, () => {
      const { executions, interleavings } = expectRight(make, 61_000_000, count, bounds, how);
      expect(executions).toBeLessThan(interleavings / 2);
    });

    test.each(Object.entries(withoutParts))('%s', { timeout: 3_600_000 }, (_name, without) => {
      expectRight(make, 62_000_000, count / 10, bounds, { ...how, ...without });
    });
  });
}
