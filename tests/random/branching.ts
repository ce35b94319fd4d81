/** Threads whose stores depend on what they have read: what a revisit deletes does not always come back. */
import type { ProgramAst, Statement } from '../oracle/language.ts';
import { Random } from './prng.ts';

export function branchingProgram(seed: number): ProgramAst {
  const random = new Random(Math.imul(seed, 0x85ebca6b) ^ 0x27d4eb2f);
  const names = random.chance(0.5) ? ['x', 'y', 'z'] : ['x', 'y'];
  const children = random.between(2, 3);
  const main: Statement[] = [];
  for (let slot = 0; slot < children; slot++) {
    const length = random.between(2, children === 2 ? 4 : 3);
    const body = Array.from({ length }, () => step(random, names)).flat();
    main.push({ kind: 'spawn', slot, body });
  }
  if (random.chance(0.3)) main.push(...step(random, names));
  return { atomics: Object.fromEntries(names.map((name) => [name, 0])), shared: {}, mutexes: [], main };
}

function step(random: Random, names: readonly string[]): Statement[] {
  const load: Statement = { kind: 'load', location: random.pick(names), register: 0 };
  if (random.chance(0.35)) return [store(random, names)];
  if (random.chance(0.35)) return [load];
  const kept = random.chance(0.8) ? [store(random, names)] : [load];
  const equals = random.between(0, 1);
  const others = random.chance(0.2) ? [store(random, names)] : [];
  return [load, { kind: 'if', register: 0, equals, whenEqual: kept, otherwise: others }];
}

function store(random: Random, names: readonly string[]): Statement {
  return { kind: 'store', location: random.pick(names), value: { constant: random.between(1, 2) } };
}
