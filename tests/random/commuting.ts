/** Random programs in which nobody uses the results of fetchAdds, so that they commute; there are more of them, too. */
import { type ProgramAst, type Statement, UNUSED } from '../oracle/language.ts';
import { Random } from './prng.ts';
import { randomProgram } from './programs.ts';

export function commutingProgram(seed: number): ProgramAst {
  const random = new Random(seed);
  const program = randomProgram(seed);
  return { ...program, main: withAdds(program.main, random) };
}

function withAdds(body: readonly Statement[], random: Random): Statement[] {
  return body.map((statement): Statement => {
    switch (statement.kind) {
      case 'fetchAdd':
        return { ...statement, register: UNUSED };
      case 'load':
      case 'store':
      case 'exchange':
        if (!random.chance(0.3)) return statement;
        return { kind: 'fetchAdd', location: statement.location, add: 1, register: UNUSED };
      case 'if': {
        const { whenEqual, otherwise } = statement;
        return { ...statement, whenEqual: withAdds(whenEqual, random), otherwise: withAdds(otherwise, random) };
      }
      case 'spawn':
        return { ...statement, body: withAdds(statement.body, random) };
      default:
        return statement;
    }
  });
}
