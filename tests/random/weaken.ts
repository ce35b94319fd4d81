/** Programs of the other generators with random memory orders and a fence here and there. */
import type { LoadOrder, ProgramAst, Statement, StoreOrder, UpdateOrder } from '../oracle/language.ts';
import { memoryProgram } from './memory.ts';
import { Random } from './prng.ts';
import { randomProgram } from './programs.ts';
import { wideProgram } from './wide.ts';

/** The same program for the same seed. */
export function weakenedProgram(seed: number): ProgramAst {
  const random = new Random(seed ^ 0x3c6ef372);
  const program = random.pick([randomProgram, memoryProgram, wideProgram])(seed);
  return { ...program, main: weakened(random, program.main) };
}

function weakened(random: Random, body: readonly Statement[]): Statement[] {
  return body.flatMap((statement): Statement[] => {
    if (statement.kind === 'spawn') return [{ ...statement, body: weakened(random, statement.body) }];
    if (statement.kind === 'if') {
      const { whenEqual, otherwise } = statement;
      return [{ ...statement, whenEqual: weakened(random, whenEqual), otherwise: weakened(random, otherwise) }];
    }
    const fence: Statement[] = random.chance(0.05) ? [{ kind: 'fence', order: updateOrder(random) }] : [];
    return [withOrder(random, statement), ...fence];
  });
}

function withOrder(random: Random, statement: Statement): Statement {
  switch (statement.kind) {
    case 'load':
    case 'awaitUntil':
      return { ...statement, order: loadOrder(random) };
    case 'store':
      return { ...statement, order: storeOrder(random) };
    case 'compareExchange':
      return { ...statement, order: updateOrder(random), failureOrder: loadOrder(random) };
    case 'exchange':
    case 'fetchAdd':
    case 'awaitUpdate':
    case 'fence':
      return { ...statement, order: updateOrder(random) };
    default:
      return statement;
  }
}

function loadOrder(random: Random): LoadOrder {
  return random.pick(['relaxed', 'relaxed', 'acquire', 'seq_cst']);
}

function storeOrder(random: Random): StoreOrder {
  return random.pick(['relaxed', 'relaxed', 'release', 'seq_cst']);
}

function updateOrder(random: Random): UpdateOrder {
  return random.pick(['relaxed', 'acquire', 'release', 'acq_rel', 'seq_cst']);
}
