/** Threads that mostly store, to few locations, and now and then look at what is there: most orders of their writes nobody sees. */
import type { ProgramAst, Statement } from '../oracle/language.ts';
import { Random } from './prng.ts';

/** `size`: about how many accesses it has. */
export function storingProgram(seed: number, size = 6): ProgramAst {
  const random = new Random(seed);
  const names = random.chance(0.6) ? ['x'] : ['x', 'y'];
  const children = random.between(2, 4);
  const main: Statement[] = [];
  let left = children === 2 ? size + 1 : size;
  for (let slot = 0; slot < children; slot++) {
    const most = Math.max(1, Math.min(4, left - (children - slot - 1)));
    const body = Array.from({ length: random.between(1, most) }, () => access(random, names));
    left -= body.length;
    main.push({ kind: 'spawn', slot, body });
  }
  for (let slot = 0; slot < children; slot++) if (random.chance(0.5)) main.push({ kind: 'join', slot, register: 1 });
  if (random.chance(0.6)) main.push({ kind: 'load', location: random.pick(names), register: 0 });
  return { atomics: Object.fromEntries(names.map((name) => [name, 0])), shared: {}, mutexes: [], main };
}

function access(random: Random, names: readonly string[]): Statement {
  const location = random.pick(names);
  const store: Statement = { kind: 'store', location, value: { constant: random.between(1, 3) } };
  const load: Statement = { kind: 'load', location, register: 0 };
  const then: Statement = {
    kind: 'if',
    register: 0,
    equals: random.between(0, 2),
    whenEqual: [{ kind: 'store', location: random.pick(names), value: { constant: 4 } }],
    otherwise: [],
  };
  return random.weighted<Statement>([6, store], [3, load], [1, then]);
}
