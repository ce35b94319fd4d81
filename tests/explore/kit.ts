/**
 * The kit for explorers: `checkExplorer('optimal')` tests an algorithm of the registry by the laws (kit/laws.ts) on random
 * programs of every kind (kit/kinds.ts); `sweep` goes on to thousands of programs of one kind, with all algorithms at a time, as
 * asking the oracle is what takes longest.
 */
import { describe, expect, test } from 'vitest';
import type { AlgorithmName } from '../../src/explore/registry.ts';
import type { ProgramAst } from '../oracle/language.ts';
import { minimise, show } from '../random/programs.ts';
import { byTier } from '../tier.ts';
import { type Kind, type KindName, kinds } from './kit/kinds.ts';
import { brokenLaws, type ExplorerUnderTest, everyExplorer, underTest } from './kit/laws.ts';

/** From where on the seeds of a kind are those of `checkExplorer`. */
const OWN_PROGRAMS = 500_000;

/** Of how many programs of a sweep one has its findings replayed, and its search cut. */
const PER_REPLAY = 10;
const PER_CUT = 4;

/** Tests of one algorithm on some programs of each kind. */
export function checkExplorer(name: AlgorithmName): void {
  const count = byTier({ quick: 5, normal: 8, long: 30 });
  describe(`${name} obeys the laws of explorers`, () => {
    for (const kind of Object.keys(kinds) as KindName[]) {
      test(`on ${count} ${kind}`, { timeout: 600_000 }, () => {
        expectLawful(kinds[kind].seed + OWN_PROGRAMS, count, kinds[kind], { explorers: [underTest(name)] });
      });
    }
  });
}

/** A test of all algorithms on `count` programs of a kind, from the kind's first seed plus `offset` on. */
export function sweep(kind: KindName, count: number, offset = 0): void {
  test(`all explorers obey the laws on ${count.toLocaleString('en')} ${kind}`, { timeout: 3_600_000 }, () => {
    expectLawful(kinds[kind].seed + offset, count, kinds[kind], {
      perReplay: PER_REPLAY,
      perCut: PER_CUT,
      isSweep: true,
    });
  });
}

interface Judging {
  readonly explorers?: readonly ExplorerUnderTest[];
  readonly perReplay?: number;
  readonly perCut?: number;
  /** Whether those that say so are judged on fewer programs. */
  readonly isSweep?: boolean;
}

/** Judges `count` programs that the oracle can handle, from `seed` on; returns the seed after the last. */
export function expectLawful(
  seed: number,
  count: number,
  kind: Kind,
  { explorers = everyExplorer, perReplay = 1, perCut = 1, isSweep = false }: Judging = {},
): number {
  let next = seed;
  for (let judged = 0; judged < count; next++) {
    const ast = kind.make(next);
    const effort = { replays: next % perReplay === 0, isCut: next % perCut === 0 };
    const judgedNow = explorers.filter(({ claim: { perSweep = 1 } }) => !isSweep || next % perSweep === 0);
    const wrong = disagreement(ast, kind, judgedNow, next, effort);
    if (wrong === 'too large') continue;
    judged++;
    if (wrong !== undefined) expect.fail(explained(ast, kind, explorers, next, wrong));
  }
  return next;
}

/** The first law that is broken, and how; undefined if none is; 'too large' if the oracle cannot tell. */
export function disagreement(
  ast: ProgramAst,
  kind: Kind,
  explorers: readonly ExplorerUnderTest[] = everyExplorer,
  seed = 1,
  { replays, isCut } = { replays: true, isCut: true },
): string | 'too large' | undefined {
  try {
    const truths = kind.truths(ast);
    if (truths === 'too large') return truths;
    const trial = { ast, kind, replays, cuts: isCut ? seed : undefined, program: kind.program(ast, seed) };
    for (const x of explorers) {
      for (const [law, wrong] of brokenLaws(x, trial, truths)) return `${x.name} is not ${law}: ${wrong}`;
    }
    return undefined;
  } catch (error) {
    return `thrown: ${error instanceof Error ? error.stack : String(error)}`;
  }
}

/** The seed, the smallest program on which the same law is broken, and how. */
function explained(
  ast: ProgramAst,
  kind: Kind,
  explorers: readonly ExplorerUnderTest[],
  seed: number,
  wrong: string,
): string {
  const [law = ''] = wrong.split(':');
  const ask = (candidate: ProgramAst): string | undefined => disagreement(candidate, kind, explorers, seed);
  const smallest = minimise(ast, (candidate) => ask(candidate)?.startsWith(law) === true);
  return `seed ${seed}:\n${show(smallest)}\n${ask(smallest)}`;
}
