/** Smaller programs, for reading a failure: each is well formed and has less in it. */
import { isWellFormed, type ProgramAst, type Statement } from '../oracle/language.ts';

/** Programs that are smaller by one cut, the deepest cuts first. */
export function* shrink(program: ProgramAst): Generator<ProgramAst, void, undefined> {
  for (const main of smallerBodies(program.main)) {
    const smaller = { ...program, main };
    if (isWellFormed(smaller)) yield smaller;
  }
  const used = new Set(program.main.flatMap(locationsOf));
  const atomics = Object.fromEntries(Object.entries(program.atomics).filter(([name]) => used.has(name)));
  const shared = Object.fromEntries(Object.entries(program.shared).filter(([name]) => used.has(name)));
  const mutexes = program.mutexes.filter((name) => used.has(name));
  const tidied = { ...program, atomics, shared, mutexes };
  if (countLocations(tidied) < countLocations(program)) yield tidied;
}

/** Cuts as long as the result still fails. */
export function minimise(program: ProgramAst, stillFails: (candidate: ProgramAst) => boolean): ProgramAst {
  for (const smaller of shrink(program)) if (stillFails(smaller)) return minimise(smaller, stillFails);
  return program;
}

function* smallerBodies(body: readonly Statement[]): Generator<readonly Statement[], void, undefined> {
  for (const [index, statement] of body.entries()) {
    const before = body.slice(0, index);
    const after = body.slice(index + 1);
    if (statement.kind === 'spawn') {
      // A spawn goes together with its joins.
      yield [...before, ...withoutJoins(after, statement.slot)];
    }
    for (const replacement of replacements(statement)) yield [...before, ...replacement, ...after];
  }
  for (const pair of lockPairs(body)) yield body.filter((_, index) => !pair.includes(index));
}

/** Fewer or simpler statements in place of one. */
function* replacements(statement: Statement): Generator<readonly Statement[], void, undefined> {
  yield [];
  switch (statement.kind) {
    case 'spawn':
      for (const body of smallerBodies(statement.body)) yield [{ ...statement, body }];
      break;
    case 'if':
      yield statement.whenEqual;
      yield statement.otherwise;
      for (const branch of smallerBodies(statement.whenEqual)) yield [{ ...statement, whenEqual: branch }];
      for (const branch of smallerBodies(statement.otherwise)) yield [{ ...statement, otherwise: branch }];
      break;
    case 'choose':
      if (statement.count > 2) yield [{ ...statement, count: statement.count - 1 }];
      break;
    default:
      yield* withoutOrders(statement);
      break;
  }
}

/** An order that is left out is the strongest one. */
function* withoutOrders(statement: Statement): Generator<readonly Statement[], void, undefined> {
  if ('failureOrder' in statement && statement.failureOrder !== undefined) {
    yield [{ ...statement, failureOrder: undefined }];
  }
  if ('order' in statement && statement.order !== undefined) yield [{ ...statement, order: undefined }];
}

function withoutJoins(body: readonly Statement[], slot: number): Statement[] {
  return body.flatMap((statement): Statement[] => {
    if (statement.kind === 'join' && statement.slot === slot) return [];
    if (statement.kind === 'spawn') return [{ ...statement, body: withoutJoins(statement.body, slot) }];
    if (statement.kind !== 'if') return [statement];
    return [
      {
        ...statement,
        whenEqual: withoutJoins(statement.whenEqual, slot),
        otherwise: withoutJoins(statement.otherwise, slot),
      },
    ];
  });
}

/** The places of each lock and the next unlock of the same mutex. */
function lockPairs(body: readonly Statement[]): (readonly [number, number])[] {
  return body.flatMap((statement, index): (readonly [number, number])[] => {
    if (statement.kind !== 'lock') return [];
    const unlock = body.findIndex((each, at) => at > index && each.kind === 'unlock' && each.mutex === statement.mutex);
    return unlock < 0 ? [] : [[index, unlock]];
  });
}

function locationsOf(statement: Statement): string[] {
  if ('location' in statement) return [statement.location];
  if ('mutex' in statement) return [statement.mutex];
  if (statement.kind === 'spawn') return statement.body.flatMap(locationsOf);
  if (statement.kind === 'if') return [...statement.whenEqual, ...statement.otherwise].flatMap(locationsOf);
  return [];
}

function countLocations(program: ProgramAst): number {
  return Object.keys(program.atomics).length + Object.keys(program.shared).length + program.mutexes.length;
}
