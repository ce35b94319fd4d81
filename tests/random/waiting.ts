/**
 * Small programs that wait: three to six threads of one to three operations each, most of them awaits and updates whose results
 * nobody uses, on one or two locations. What an await waits for is often a sum that some of the updates make, so that it goes on
 * after some sets of them and not after others ([Await], figure 5).
 */
import { type Condition, type ProgramAst, type Statement, UNUSED } from '../oracle/language.ts';
import { Random } from './prng.ts';

interface Size {
  /** The operations that the threads which main spawns may have together. */
  readonly operations: number;
  /** The interleavings that there may be if no thread waits. As they do, the oracle tries far fewer. */
  readonly orders: number;
}

const sizes: Readonly<Record<'small' | 'large', Size>> = {
  small: { operations: 6, orders: 2000 },
  large: { operations: 8, orders: 100_000 },
};

interface World {
  readonly random: Random;
  readonly locations: readonly string[];
  readonly hasMutex: boolean;
  /** Of all updates that are made, how many have a result that is used. */
  readonly usedness: number;
  nextRegister: number;
  nextAssert: number;
}

/** The same program for the same seed. */
export function waitingProgram(seed: number, size: keyof typeof sizes = 'small'): ProgramAst {
  const random = new Random(seed);
  const { operations, orders } = sizes[size];
  let program = buildProgram(random, operations);
  while (ordersOf(program.main) > orders) program = buildProgram(random, operations);
  return program;
}

function buildProgram(random: Random, operations: number): ProgramAst {
  const locations = random.chance(0.4) ? ['x', 'y'] : ['x'];
  const hasMutex = random.chance(0.3);
  const usedness = random.weighted([6, 0], [3, 0.2], [1, 0.6]);
  const world: World = { random, locations, hasMutex, usedness, nextRegister: 0, nextAssert: 0 };
  const atomics = Object.fromEntries(locations.map((name) => [name, random.chance(0.1) ? 1 : 0]));
  return { atomics, shared: {}, mutexes: hasMutex ? ['m'] : [], main: mainBody(world, operations) };
}

function mainBody(world: World, operations: number): Statement[] {
  const { random } = world;
  const children = random.weighted([15, 2], [40, 3], [35, 4], [10, 5]);
  const lengths = sharesOf(random, operations, children);
  const bodies = lengths.map((length) => threadBody(world, length));
  // Now and then one thread spawns the last one.
  const nested = children > 2 && random.chance(0.1) ? bodies.pop() : undefined;
  if (nested !== undefined) {
    const body = random.pick(bodies);
    body.splice(random.between(0, body.length), 0, { kind: 'spawn', slot: bodies.length, body: nested });
  }
  const main: Statement[] = bodies.map((body, slot) => ({ kind: 'spawn', slot, body }));
  if (random.chance(0.15)) main.splice(random.between(0, main.length), 0, ...operation(world));
  const joined = [...bodies.keys()].filter(() => random.chance(0.2));
  for (const slot of joined) main.push({ kind: 'join', slot, register: world.nextRegister++ });
  if (random.chance(joined.length > 0 ? 0.7 : 0.3)) main.push(...operation(world));
  return main;
}

/** `total` in so many parts, none of them empty. */
function sharesOf(random: Random, total: number, parts: number): number[] {
  const shares = Array.from({ length: parts }, () => 1);
  for (let left = random.between(0, total - parts); left > 0; left--) {
    const i = random.between(0, parts - 1);
    shares[i] = (shares[i] as number) + 1;
  }
  return shares;
}

function threadBody(world: World, length: number): Statement[] {
  const body: Statement[] = [];
  for (let i = 0; i < length; i++) body.push(...operation(world));
  return body;
}

function operation(world: World, mayLock = world.hasMutex): Statement[] {
  const { random } = world;
  if (mayLock && random.chance(0.35)) return section(world);
  const location = random.pick(random.chance(0.6) ? world.locations.slice(0, 1) : world.locations);
  const register = world.nextRegister++;
  switch (random.weighted([40, 'add'], [28, 'await'], [10, 'await-update'], [12, 'write'], [10, 'read'])) {
    case 'add':
      return [update(world, location, register)];
    case 'await':
      return [{ kind: 'awaitUntil', location, condition: condition(random), assumed: random.chance(0.1), register }];
    case 'await-update':
      return [awaitUpdate(random, location, register)];
    case 'write':
      return [write(random, location, register)];
    case 'read':
      return read(world, location, register);
  }
}

function update({ random, usedness }: World, location: string, register: number): Statement {
  const into = random.chance(usedness) ? register : UNUSED;
  const add = random.weighted([6, 1], [3, 2], [2, -1], [1, 3]);
  const bits = random.weighted([12, undefined], [1, 'or' as const], [1, 'xor' as const], [0.5, 'and' as const]);
  return { kind: 'fetchAdd', location, add, bits, register: into };
}

function awaitUpdate(random: Random, location: string, register: number): Statement {
  const keep = random.chance(0.2) ? { op: '>=' as const, constant: random.between(0, 2) } : undefined;
  const set = random.chance(0.5) ? random.between(0, 2) : undefined;
  const [sleeps, assumed] = random.weighted([7, [false, false]], [2, [true, false]], [1, [false, true]]);
  const add = random.weighted([3, 1], [1, -1], [1, 2]);
  return { kind: 'awaitUpdate', location, condition: condition(random), keep, add, set, sleeps, assumed, register };
}

function write(random: Random, location: string, register: number): Statement {
  const constant = random.between(0, 2);
  return random.weighted<Statement>(
    [4, { kind: 'store', location, value: { constant } }],
    [1, { kind: 'exchange', location, value: { constant }, register }],
    [3, { kind: 'compareExchange', location, expected: constant, desired: random.between(0, 3), register }],
  );
}

/** A read that something depends on. */
function read(world: World, location: string, register: number): Statement[] {
  const { random } = world;
  const load: Statement = { kind: 'load', location, register };
  const equals = random.between(0, 2);
  const value = { register, constant: random.between(0, 1) };
  const id = world.nextAssert++;
  const branch = [update(world, random.pick(world.locations), register)];
  return random.weighted<Statement[]>(
    [3, [load]],
    [2, [load, { kind: 'assume', register, condition: condition(random) }]],
    [2, [load, { kind: 'store', location: random.pick(world.locations), value }]],
    [2, [load, { kind: 'if', register, equals, whenEqual: branch, otherwise: [] }]],
    [1, [load, { kind: 'assert', register, not: equals, id }]],
  );
}

function section(world: World): Statement[] {
  const { random } = world;
  const unlock: Statement = { kind: 'unlock', mutex: 'm' };
  const inside = operation(world, false).slice(0, 1);
  const register = world.nextRegister++;
  const got = [...inside, unlock];
  return random.weighted<Statement[]>(
    [6, [{ kind: 'lock', mutex: 'm' }, ...inside, unlock]],
    [1, [{ kind: 'lock', mutex: 'm' }, ...inside]],
    [
      5,
      [
        { kind: 'tryLock', mutex: 'm', register },
        { kind: 'if', register, equals: 1, whenEqual: random.chance(0.8) ? got : inside, otherwise: [] },
      ],
    ],
  );
}

function condition(random: Random): Condition {
  const op = random.weighted([5, '=='] as const, [2, '!='] as const, [3, '>='] as const);
  return { op, constant: random.weighted([2, 0], [4, 1], [4, 2], [3, 3], [1, 4]) };
}

/**
 * The interleavings that there would be if no thread ever waited: each step comes after one other, the one before it in its thread
 * or its spawn, so they are the orders of a tree, n! / ∏ (size of the subtree of each step).
 */
function ordersOf(main: readonly Statement[]): number {
  let orders = 1;
  let steps = 0;
  /** The size of the subtree of the first step. */
  const visit = (body: readonly Statement[]): number => {
    let size = 0;
    for (const statement of body.toReversed()) {
      if (statement.kind === 'assume' || statement.kind === 'assert') continue;
      const branch = statement.kind === 'if' ? statement.whenEqual : [statement];
      for (const step of branch.toReversed()) {
        size += 1 + (step.kind === 'spawn' ? visit(step.body) : 0);
        steps += 1;
        orders *= steps / size;
      }
    }
    return size;
  };
  visit(main);
  return orders;
}
