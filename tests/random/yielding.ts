/**
 * Programs in which threads yield: those of the other generators, with yields in between. Some threads yield more often than
 * others, which is what a fair bound is about.
 */
import type { ProgramAst, Statement } from '../oracle/language.ts';
import { Random } from './prng.ts';
import { randomProgram } from './programs.ts';
import { waitingProgram } from './waiting.ts';
import { wideProgram } from './wide.ts';

const makers: readonly ((seed: number) => ProgramAst)[] = [randomProgram, waitingProgram, wideProgram];

export function yieldingProgram(seed: number): ProgramAst {
  const random = new Random(seed);
  const program = random.pick(makers)(seed);
  return { ...program, main: withYields(program.main, random) };
}

function withYields(body: readonly Statement[], random: Random): Statement[] {
  const often = random.weighted([5, 0], [3, 0.25], [2, 0.5]);
  const yields = (): Statement[] => (random.chance(often) ? [{ kind: 'yield' }] : []);
  const statements = body.flatMap((statement): Statement[] => {
    switch (statement.kind) {
      case 'spawn':
        return [...yields(), { ...statement, body: withYields(statement.body, random) }];
      case 'if': {
        const { whenEqual, otherwise } = statement;
        return [{ ...statement, whenEqual: withYields(whenEqual, random), otherwise: withYields(otherwise, random) }];
      }
      default:
        return [...yields(), statement];
    }
  });
  return [...statements, ...yields()];
}
