/** Random programs for weak memory models whose locations are accessed as a whole and in parts. */
import type { ProgramAst, Statement } from '../oracle/language.ts';
import { Random } from './prng.ts';
import { randomWeakProgram } from './weak.ts';

/** The same program for the same seed. */
export function partsProgram(seed: number): ProgramAst {
  const random = new Random(Math.imul(seed, 0x85ebca6b) ^ 0x27d4eb2f);
  const program = randomWeakProgram(seed);
  return { ...program, main: program.main.map((statement) => inParts(statement, random)) };
}

function inParts(statement: Statement, random: Random): Statement {
  const all = (body: readonly Statement[]): Statement[] => body.map((each) => inParts(each, random));
  switch (statement.kind) {
    case 'spawn':
      return { ...statement, body: all(statement.body) };
    case 'if':
      return { ...statement, whenEqual: all(statement.whenEqual), otherwise: all(statement.otherwise) };
    case 'load':
    case 'store':
    case 'exchange':
    case 'fetchAdd':
    case 'compareExchange':
    case 'awaitUntil':
    case 'awaitUpdate':
    case 'plainLoad':
    case 'plainStore':
      return { ...statement, part: random.weighted([4, 0], [3, 1], [3, undefined]) };
    default:
      return statement;
  }
}
