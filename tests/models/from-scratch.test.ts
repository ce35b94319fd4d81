/** The models without coherence decide as a search from scratch does, at every step of an exploration. */
import { describe, expect, test } from 'vitest';
import { TruSt } from '../../src/explore/graphs/trust.ts';
import { type ModelName, models } from '../../src/models/registry.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
import type { ProgramAst } from '../oracle/language.ts';
import { branchingProgram } from '../random/branching.ts';
import { commutingProgram } from '../random/commuting.ts';
import { partsProgram } from '../random/parts.ts';
import { randomProgram } from '../random/programs.ts';
import { show } from '../random/show.ts';
import { storingProgram } from '../random/storing.ts';
import { toOperations } from '../random/to-operations.ts';
import { waitingProgram } from '../random/waiting.ts';
import { randomWeakProgram } from '../random/weak.ts';
import { weakenedProgram } from '../random/weaken.ts';
import { wideProgram } from '../random/wide.ts';
import { byTier } from '../tier.ts';
import { type Asked, ComparedWithSearch } from './from-scratch.ts';

const names = Object.keys(models) as ModelName[];

const kinds: Readonly<Record<string, (seed: number) => ProgramAst>> = {
  'that store much': (seed) => storingProgram(seed),
  'that store more': (seed) => storingProgram(seed, 9),
  'whose stores depend on reads': branchingProgram,
  'of any kind': randomProgram,
  'for weak models': randomWeakProgram,
  'with random orders': weakenedProgram,
  'that access parts': partsProgram,
  'that are wide': wideProgram,
  'that wait': waitingProgram,
  'with updates that commute': commutingProgram,
};

function explore(name: ModelName, program: ProgramAst, asked: Asked): void {
  const behaviours = new Behaviours(toOperations(program), { maxStates: 1_000_000 });
  const options = { keepGoing: true, races: false, livelock: false, checkLeaks: false, maxExecutions: 300 };
  const explorer = new TruSt(behaviours, (g) => new ComparedWithSearch(name, g, asked), options);
  while (!explorer.run(1000));
}

describe.each(names)('under %s the witness decides as the search does', (name) => {
  test.each(Object.keys(kinds))('in programs %s', (kind) => {
    const asked: Asked = { read: 0, refused: 0, maximal: 0, notMaximal: 0, otherwise: 0 };
    const most = byTier({ quick: 10, normal: 40, long: 400, soak: 8_000 });
    for (let seed = 0; seed < (kind === 'whose stores depend on reads' ? 5 * most : most); seed++) {
      const program = (kinds[kind] as (seed: number) => ProgramAst)(seed);
      try {
        explore(name, program, asked);
      } catch (error) {
        expect.fail(`seed ${seed}: ${error instanceof Error ? error.message : error}\n${show(program)}`);
      }
    }
    expect(asked.read).toBeGreaterThan(0);
    expect(asked.maximal).toBeGreaterThan(0);
    if (kind === 'that store more') for (const count of Object.values(asked)) expect(count).toBeGreaterThan(0);
  });
});
