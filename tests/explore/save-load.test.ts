/** Every explorer that can be cut, on random programs, cut at random points. */
import { expect, test } from 'vitest';
import type { ExploreOptions } from '../../src/explore/explorer.ts';
import { TruSt } from '../../src/explore/graphs/trust.ts';
import { DepthFirstSearch } from '../../src/explore/schedules/dfs.ts';
import { type Equivalence, type ModelName, models } from '../../src/models/registry.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
import type { Ending } from '../../src/program/ending.ts';
import type { Program } from '../../src/program/operation.ts';
import { coKey, rfKey } from '../oracle/classes.ts';
import type { ProgramAst } from '../oracle/language.ts';
import { memoryProgram } from '../random/memory.ts';
import { Random } from '../random/prng.ts';
import { minimise, randomProgram, show } from '../random/programs.ts';
import { toHeddle } from '../random/to-heddle.ts';
import { toOperations } from '../random/to-operations.ts';
import { waitingProgram } from '../random/waiting.ts';
import { randomWeakProgram } from '../random/weak.ts';
import { observeGraph, scheduleOf } from './observe.ts';
import { cutsDiffer, type Observed } from './save-load.ts';

const options: ExploreOptions = {
  keepGoing: true,
  races: true,
  livelock: true,
  checkLeaks: false,
  maxExecutions: 1500,
};

function trust(program: Program, model: ModelName, equivalence: Equivalence): Observed {
  const keys: string[] = [];
  const onExecution = (ending: Ending): void => {
    keys.push((equivalence === 'co' ? coKey : rfKey)(observeGraph(explorer, ending)));
  };
  const behaviours = new Behaviours(program);
  const explorer: TruSt = new TruSt(behaviours, models[model].graph[equivalence], { ...options, onExecution });
  return { explorer, keys };
}

function dfs(program: Program): Observed {
  const keys: string[] = [];
  const onExecution = (): void => {
    keys.push(scheduleOf(explorer));
  };
  const explorer: DepthFirstSearch = new DepthFirstSearch(new Behaviours(program), { ...options, onExecution });
  return { explorer, keys };
}

function expectSame(
  seeds: readonly [number, number],
  make: (seed: number) => ProgramAst,
  observe: (ast: ProgramAst) => Observed,
): void {
  const differs = (ast: ProgramAst, seed: number): string | undefined => {
    try {
      return cutsDiffer(() => observe(ast), new Random(seed), 1 + (seed % 4));
    } catch (error) {
      return `thrown ${error instanceof Error ? error.stack : error}`;
    }
  };
  for (let seed = seeds[0]; seed < seeds[0] + seeds[1]; seed++) {
    const ast = make(seed);
    if (differs(ast, seed) === undefined) continue;
    const smallest = minimise(ast, (candidate) => differs(candidate, seed) !== undefined);
    expect.fail(`seed ${seed}:\n${show(smallest)}\n${differs(smallest, seed)}`);
  }
}

const PROGRAMS = Number(process.env['HEDDLE_PROGRAMS'] ?? 40);

for (const model of Object.keys(models) as ModelName[]) {
  for (const equivalence of ['co', 'rf'] as const) {
    test(`trust under ${model}, ${equivalence}`, () => {
      expectSame([1, PROGRAMS], randomWeakProgram, (ast) => trust(toOperations(ast), model, equivalence));
    });
  }
}
for (const [name, make] of Object.entries({ randomProgram, waitingProgram, memoryProgram })) {
  test(`trust on programs of ${name}`, () => {
    expectSame([1, PROGRAMS], make, (ast) => trust(toOperations(ast), 'sc', 'co'));
    expectSame([1, PROGRAMS], make, (ast) => trust(toOperations(ast), 'sc', 'rf'));
  });
  test(`dfs on programs of ${name}`, () => {
    expectSame([1, PROGRAMS], make, (ast) => dfs(toOperations(ast)));
  });
}
test('values that are objects', () => {
  expectSame([1, PROGRAMS], randomProgram, (ast) => trust(toHeddle(ast, { boxed: true }), 'sc', 'co'));
  expectSame([1, PROGRAMS], randomProgram, (ast) => dfs(toHeddle(ast, { boxed: true })));
});
