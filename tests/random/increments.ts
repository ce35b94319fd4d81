/**
 * Threads that increment shared variables by a load and a store, and may act on what they saw: the programs in which a search
 * over graphs has to go beyond a bound on preemptions to come to executions within it (see the slack of [BUSTER]).
 */
import type { ProgramAst, Statement } from '../oracle/language.ts';
import { Random } from './prng.ts';

export function incrementProgram(seed: number): ProgramAst {
  const random = new Random(seed);
  const names = random.chance(0.5) ? ['x', 'y'] : ['x', 'y', 'z'];
  const children = random.between(3, 4);
  let left = children === 3 ? random.between(4, 5) : random.between(4, 5);
  const main: Statement[] = [];
  for (let slot = 0; slot < children; slot++) {
    const most = Math.min(2, left - (children - slot - 1));
    const count = Math.max(1, random.between(1, Math.max(1, most)));
    left -= count;
    const body = Array.from({ length: count }, () => increment(random, names)).flat();
    if (random.chance(0.15)) body.unshift({ kind: 'load', location: random.pick(names), register: 1 });
    main.push({ kind: 'spawn', slot, body });
    if (random.chance(0.1)) main.push({ kind: 'load', location: random.pick(names), register: 1 });
  }
  if (random.chance(0.2)) main.push(...increment(random, names));
  return { atomics: Object.fromEntries(names.map((name) => [name, 0])), shared: {}, mutexes: [], main };
}

function increment(random: Random, names: readonly string[]): Statement[] {
  const location = random.pick(names);
  const update: Statement[] = [
    { kind: 'load', location, register: 0 },
    { kind: 'store', location, value: { register: 0, constant: 1 } },
  ];
  if (!random.chance(0.3)) return update;
  const other: Statement = { kind: 'store', location: random.pick(names), value: { constant: 1 } };
  const test: Statement = { kind: 'if', register: 0, equals: random.between(0, 1), whenEqual: [other], otherwise: [] };
  return random.chance(0.5) ? [update[0] as Statement, test] : [...update, test];
}
