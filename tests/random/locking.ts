/**
 * Small programs that lock: two to five threads with critical sections of mutexes, and of locks, semaphores and reader-writer locks that
 * are made of atomics. Sections are nested, left out by a trylock, never left, or left by somebody else; threads look at what others do in
 * theirs, wait, choose, spawn and join there, and store to the words of locks. All of that is what makes it matter who waited for whom.
 */
import type { Condition, ProgramAst, Statement, Value } from '../oracle/language.ts';
import { Random } from './prng.ts';

interface World {
  readonly random: Random;
  readonly mutexes: readonly string[];
  /** How often an operation inside or outside of a section is one that no lock guards. */
  readonly leakiness: number;
  nextRegister: number;
  nextSlot: number;
  nextAssert: number;
}

/** The words of locks that are made of atomics, by kind; `x` and `y` are data. */
const words = ['spin', 'sem', 'rw'] as const;

export function lockingProgram(seed: number): ProgramAst {
  const random = new Random(seed);
  const children = random.weighted([3, 2], [5, 3], [2, 4]);
  const world: World = {
    random,
    mutexes: random.chance(0.35) ? ['m', 'n'] : ['m'],
    leakiness: random.weighted([3, 0], [3, 0.15], [2, 0.5]),
    nextRegister: 0,
    nextSlot: children, // those of main come first
    nextAssert: 0,
  };
  const main: Statement[] = [];
  for (let slot = 0; slot < children; slot++) {
    main.push({ kind: 'spawn', slot, body: threadBody(world, children > 2 ? 1 : 2) });
  }
  if (random.chance(0.3)) main.push(...section(world, 1));
  if (random.chance(0.3)) main.push({ kind: 'join', slot: random.between(0, children - 1), register: register(world) });
  if (random.chance(0.3)) main.push(...operation(world, false));
  return {
    atomics: { x: 0, y: 0, spin: 0, sem: random.between(0, 2), rw: 0 },
    shared: {},
    mutexes: [...world.mutexes],
    main,
  };
}

function register(world: World): number {
  return world.nextRegister++;
}

function threadBody(world: World, most: number): Statement[] {
  const { random } = world;
  const body: Statement[] = [];
  if (random.chance(0.2)) body.push(...operation(world, false));
  for (let i = random.between(1, most); i > 0; i--) body.push(...section(world, 1));
  if (random.chance(0.25)) body.push(...operation(world, false));
  return body;
}

/** A critical section of some lock; `depth`: how many more may be nested in it. */
function section(world: World, depth: number): Statement[] {
  const { random } = world;
  const body: Statement[] = [];
  if (random.chance(0.75)) body.push(...operation(world, true));
  if (depth > 0 && random.chance(0.15)) body.push(...section(world, depth - 1));
  if (random.chance(0.15)) body.push(...operation(world, true));
  const leaves = random.chance(0.92);
  const mutex = random.pick(world.mutexes);
  const word = random.pick(words);
  switch (random.weighted([10, 'mutex'], [3, 'try'], [6, 'word'])) {
    case 'mutex':
      return [{ kind: 'lock', mutex }, ...body, ...(leaves ? [{ kind: 'unlock', mutex } as const] : [])];
    case 'try': {
      const got = register(world);
      const whenEqual: Statement[] = [...body, { kind: 'unlock', mutex }];
      return [
        { kind: 'tryLock', mutex, register: got },
        { kind: 'if', register: got, equals: 1, whenEqual, otherwise: [] },
      ];
    }
    case 'word':
      return sectionOf(world, word, body, leaves);
  }
}

/** One that is made of atomics. */
function sectionOf(world: World, word: (typeof words)[number], body: Statement[], leaves: boolean): Statement[] {
  const { random } = world;
  const wait = (condition: Condition, add: number, set?: number): Statement => ({
    kind: 'awaitUpdate',
    location: word,
    condition,
    add,
    set,
    sleeps: random.chance(0.5),
    register: register(world),
  });
  const put = (constant: number): Statement => ({ kind: 'store', location: word, value: { constant } });
  const plus = (add: number): Statement => ({ kind: 'fetchAdd', location: word, add, register: register(world) });
  const around = (enter: Statement, leave: Statement): Statement[] => [enter, ...body, ...(leaves ? [leave] : [])];
  switch (word) {
    case 'spin':
      return around(wait({ op: '==', constant: 0 }, 0, 1), put(0));
    case 'sem':
      return around(wait({ op: '>=', constant: 1 }, -1), plus(1));
    case 'rw':
      return random.chance(0.5)
        ? around(wait({ op: '>=', constant: 0 }, 1), plus(-1))
        : around(wait({ op: '==', constant: 0 }, 0, -1), put(0));
  }
}

/** `isInside`: in a critical section, where data is what is mostly accessed. */
function operation(world: World, isInside: boolean): Statement[] {
  const { random } = world;
  if (!random.chance(isInside ? world.leakiness : 0.3 + world.leakiness / 2)) return access(world);
  const slot = world.nextSlot;
  const constant = random.between(0, 2);
  const into = register(world);
  return random.weighted<() => Statement[]>(
    [3, () => [{ kind: 'awaitUntil', location: 'y', condition: { op: '!=', constant }, register: into }]],
    [3, () => [{ kind: 'store', location: 'y', value: { constant } }]],
    [2, () => [{ kind: 'load', location: random.pick(words), register: into }]],
    [2, () => [{ kind: 'store', location: random.pick(words), value: { constant: random.between(0, 1) } }]],
    [1, () => [{ kind: 'fetchAdd', location: random.pick(words), add: 1, register: into }]],
    [1, () => [{ kind: 'choose', count: 2, register: into }]],
    [
      1,
      () => {
        world.nextSlot++;
        return [{ kind: 'spawn', slot, body: access(world) }];
      },
    ],
    [
      1,
      () => {
        world.nextSlot++;
        return [
          { kind: 'spawn', slot, body: access(world) },
          { kind: 'join', slot, register: into },
        ];
      },
    ],
  )();
}

/** Of data. */
function access(world: World): Statement[] {
  const { random } = world;
  const location = random.weighted([3, 'x'], [1, 'y']);
  const into = register(world);
  const constant = random.between(0, 2);
  const value: Value = random.chance(0.3) ? { register: into, constant: 1 } : { constant };
  const load: Statement = { kind: 'load', location, register: into };
  return random.weighted<Statement[]>(
    [3, [{ kind: 'fetchAdd', location, add: 1, register: into }]],
    [2, [{ kind: 'store', location, value: { constant } }]],
    [2, [load]],
    [1, [load, { kind: 'store', location: random.pick(['x', 'y']), value }]],
    [1, [load, { kind: 'assume', register: into, condition: { op: '!=', constant } }]],
    [1, [load, { kind: 'assert', register: into, not: 3, id: world.nextAssert++ }]],
  );
}
