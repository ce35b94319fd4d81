/**
 * Random programs with what low-level code adds: plain accesses to atomics, objects that are freed (often by whoever is last,
 * sometimes too early or twice), waits that update, and exits. They are random programs, changed here and there.
 */
import type { ProgramAst, Statement } from '../oracle/language.ts';
import { Random } from './prng.ts';
import { randomProgram } from './programs.ts';

export function memoryProgram(seed: number): ProgramAst {
  const random = new Random(seed ^ 0x5bd1e995);
  const program = randomProgram(seed);
  const locations = [...Object.keys(program.atomics), ...Object.keys(program.shared), ...program.mutexes];
  const objects = objectsOf(random, locations);
  const plainness = random.weighted([4, 0], [4, 0.15], [2, 0.5]);
  const change = (body: readonly Statement[]): Statement[] =>
    body.flatMap((statement): Statement[] => {
      if (statement.kind === 'spawn') return [{ ...statement, body: change(statement.body) }];
      if (statement.kind === 'if') {
        return [{ ...statement, whenEqual: change(statement.whenEqual), otherwise: change(statement.otherwise) }];
      }
      return changed(random, statement, plainness);
    });
  const main = change(program.main);
  for (const object of Object.keys(objects)) {
    const where = random.weighted([2, 'first'], [1, 'anywhere'], [1, 'nowhere']);
    if (where === 'first') main.unshift({ kind: 'allocate', object });
    if (where === 'anywhere') insert(random, main, { kind: 'allocate', object });
    // after all joins, more often than not
    if (random.chance(0.6)) main.push({ kind: 'free', object });
    if (random.chance(0.5)) insert(random, main, { kind: 'free', object });
  }
  if (random.chance(0.1)) insert(random, main, { kind: 'exit' });
  return { ...program, objects, main };
}

function objectsOf(random: Random, locations: readonly string[]): Record<string, string[]> {
  const objects: Record<string, string[]> = {};
  for (const object of ['o', 'p'].slice(0, random.weighted([2, 0], [5, 1], [3, 2]))) objects[object] = [];
  for (const location of locations) {
    const [object] = Object.keys(objects).filter(() => random.chance(0.4));
    if (object !== undefined) objects[object]?.push(location);
  }
  return objects;
}

function changed(random: Random, statement: Statement, plainness: number): Statement[] {
  if (statement.kind === 'load' && random.chance(plainness)) return [{ ...statement, kind: 'plainLoad' }];
  if (statement.kind === 'store' && random.chance(plainness)) return [{ ...statement, kind: 'plainStore' }];
  if (statement.kind !== 'awaitUntil' || random.chance(0.3)) return [statement];
  const { location, condition, register } = statement;
  const keep = random.chance(0.3) ? { op: '>=' as const, constant: random.between(0, 2) } : undefined;
  return [{ kind: 'awaitUpdate', location, condition, keep, add: 1, sleeps: random.chance(0.5), register }];
}

/** Puts a statement somewhere: mostly into a thread that main spawns. */
function insert(random: Random, main: Statement[], statement: Statement): void {
  const spawns = [...main.keys()].filter((i) => main[i]?.kind === 'spawn');
  if (spawns.length === 0 || random.chance(0.3)) {
    main.splice(random.between(0, main.length), 0, statement);
    return;
  }
  const at = random.pick(spawns);
  const spawn = main[at] as Statement & { readonly kind: 'spawn' };
  const body = [...spawn.body];
  body.splice(random.between(0, body.length), 0, statement);
  main[at] = { ...spawn, body };
}
