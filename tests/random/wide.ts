/**
 * Wide programs: four or five threads of one or two operations each on two locations and perhaps a mutex. Short as they
 * are, they have revisits that delete much and waits that end in many ways, which longer threads crowd out.
 */
import type { ProgramAst, Statement } from '../oracle/language.ts';
import { Random } from './prng.ts';

export function wideProgram(seed: number): ProgramAst {
  const random = new Random(seed);
  const hasMutex = random.chance(0.25);
  const children = random.between(3, 5);
  const main: Statement[] = [];
  for (let slot = 0; slot < children; slot++) {
    if (random.chance(0.1)) main.push(...operation(random, hasMutex));
    const body = operation(random, hasMutex);
    if (children < 5 && random.chance(0.35)) body.push(...operation(random, hasMutex));
    main.push({ kind: 'spawn', slot, body });
  }
  main.push(...operation(random, hasMutex));
  if (random.chance(0.3)) main.push({ kind: 'join', slot: random.between(0, children - 1), register: 1 });
  return { atomics: { x: 0, y: 0 }, shared: {}, mutexes: hasMutex ? ['m'] : [], main };
}

function operation(random: Random, hasMutex: boolean): Statement[] {
  const location = random.pick(['x', 'y']);
  const constant = random.between(0, 2);
  const op = random.pick(['==', '!='] as const);
  if (hasMutex && random.chance(0.4)) {
    const section = operation(random, false);
    return random.chance(0.85)
      ? [{ kind: 'lock', mutex: 'm' }, ...section, { kind: 'unlock', mutex: 'm' }]
      : [{ kind: 'lock', mutex: 'm' }];
  }
  return random.weighted<Statement[]>(
    [3, [{ kind: 'store', location, value: { constant } }]],
    [2, [{ kind: 'fetchAdd', location, add: 1, register: 0 }]],
    [1, [{ kind: 'exchange', location, value: { constant }, register: 0 }]],
    [1, [{ kind: 'compareExchange', location, expected: constant, desired: 2, register: 0 }]],
    [2, [{ kind: 'load', location, register: 0 }]],
    [
      1,
      [
        { kind: 'load', location, register: 0 },
        { kind: 'assume', register: 0, condition: { op, constant } },
      ],
    ],
    [3, [{ kind: 'awaitUntil', location, condition: { op, constant }, register: 0 }]],
  );
}
