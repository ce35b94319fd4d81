/**
 * Random small concurrent programs: two to four threads that share a few locations. They are put together from
 * fragments of the kind that real programs have (critical sections, flags, compare-and-swap loops, …), some of them
 * wrong on purpose, so that every outcome and every feature comes up often.
 */
import fc from 'fast-check';
import { type Condition, holds, type ProgramAst, type Statement, type Value } from '../oracle/language.ts';
import { Random } from './prng.ts';
import { show } from './show.ts';
import { shrink } from './shrink.ts';

export { show } from './show.ts';
export { minimise, shrink } from './shrink.ts';

/** The same program for the same seed. */
export function randomProgram(seed: number): ProgramAst {
  const random = new Random(seed);
  let program = buildProgram(random);
  while (!isWorthwhile(program) && !random.chance(0.01)) program = buildProgram(random);
  return program;
}

/** Random programs for fast-check, which shrink by leaving statements out and print as pseudo-code. */
export function programs(): fc.Arbitrary<ProgramAst> {
  return new ProgramArbitrary();
}

class ProgramArbitrary extends fc.Arbitrary<ProgramAst> {
  override generate(random: fc.Random): fc.Value<ProgramAst> {
    return asValue(randomProgram(random.nextInt(0, 0x7fffffff)));
  }

  override canShrinkWithoutContext(_value: unknown): _value is ProgramAst {
    return false;
  }

  override shrink(program: ProgramAst): fc.Stream<fc.Value<ProgramAst>> {
    return fc.stream(shrink(program)).map(asValue);
  }
}

function asValue(program: ProgramAst): fc.Value<ProgramAst> {
  const printable = Object.defineProperty({ ...program }, fc.toStringMethod, { value: () => `\n${show(program)}\n` });
  return new fc.Value(printable, undefined);
}

/** What the threads of one program have in common. */
interface World {
  readonly random: Random;
  readonly atomics: readonly string[];
  /** Plain variables and mutexes; a program without any has empty lists. */
  readonly shared: readonly string[];
  readonly mutexes: readonly string[];
  readonly hasAwaits: boolean;
  readonly hasAssumes: boolean;
  readonly hasChoices: boolean;
  readonly hasAsserts: boolean;
  /** What threads wait for; the threads made later often write it. */
  readonly awaited: Awaited[];
  nextAssert: number;
}

/** A location that some thread waits for, and a value that it would go on with. */
interface Awaited {
  readonly location: string;
  readonly value: number;
}

/** One thread as it is made. */
interface Scope {
  nextRegister: number;
  nextSlot: number;
}

function buildProgram(random: Random): ProgramAst {
  const atomics = ['x', 'y', 'z'].slice(0, random.weighted([50, 1], [38, 2], [12, 3]));
  const shared = ['d', 'e'].slice(0, random.weighted([35, 0], [48, 1], [17, 2]));
  const mutexes = ['m', 'n'].slice(0, random.weighted([32, 0], [34, 1], [34, 2]));
  const world: World = {
    random,
    atomics,
    shared,
    mutexes,
    hasAwaits: random.chance(0.33),
    hasAssumes: random.chance(0.3),
    hasChoices: random.chance(0.3),
    hasAsserts: random.chance(0.5),
    awaited: [],
    nextAssert: 0,
  };
  const initial = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, random.chance(0.15) ? 1 : 0]));
  return { atomics: initial(atomics), shared: initial(shared), mutexes, main: mainBody(world) };
}

interface Size {
  /** The fewest and the most steps of a child. */
  readonly child: readonly [number, number];
  /** Of main, not counting spawns and what it does at the end. */
  readonly main: readonly [number, number];
}

/** By the number of children. */
const sizes: Readonly<Record<1 | 2 | 3, Size>> = {
  1: { child: [3, 6], main: [3, 5] },
  2: { child: [2, 3], main: [1, 3] },
  3: { child: [1, 2], main: [0, 1] },
};

function mainBody(world: World): Statement[] {
  const { random } = world;
  const childCount = random.weighted([23, 1], [37, 2], [40, 3]);
  const size = sizes[childCount];
  const childSteps = () => random.between(...size.child);
  const scope: Scope = { nextRegister: 0, nextSlot: 0 };
  const body: Statement[] = [];

  // Whether the last child is spawned by another child, and by which.
  const nests = childCount > 1 && random.chance(0.35);
  const topLevel = nests ? childCount - 1 : childCount;
  const nestingChild = nests ? random.between(0, topLevel - 1) : -1;

  let mainSteps = random.between(...size.main);
  for (let child = 0; child < topLevel; child += 1) {
    if (mainSteps > 0 && random.chance(0.2)) {
      body.push(access(world, scope));
      mainSteps -= 1;
    }
    const isLast = child === topLevel - 1;
    const joinable = child > 0 && random.chance(0.06) ? scope.nextSlot - 1 : undefined;
    const childScope: Scope = { nextRegister: 0, nextSlot: scope.nextSlot };
    const grandchild = child === nestingChild ? childBody(world, { ...childScope }, childSteps()) : undefined;
    const childStatements = childBody(world, childScope, childSteps(), grandchild, joinable);
    const spawn: Statement = { kind: 'spawn', slot: scope.nextSlot, body: childStatements };
    scope.nextSlot += 1;
    if (isLast && random.chance(0.05)) {
      // Spawned only if a value is read; never joined.
      const register = scope.nextRegister++;
      body.push({ kind: 'load', location: hot(random, world.atomics), register });
      body.push({ kind: 'if', register, equals: smallValue(random), whenEqual: [spawn], otherwise: [] });
      scope.nextSlot -= 1;
    } else {
      body.push(spawn);
    }
  }
  body.push(...threadBody(world, scope, mainSteps));
  body.push(...ending(world, scope));
  return body;
}

/** Joins some threads, then looks at the result. */
function ending(world: World, scope: Scope): Statement[] {
  const { random } = world;
  const body: Statement[] = [];
  const results: number[] = [];
  const joinChance = random.weighted([60, 1], [25, 0.5], [15, 0]);
  const slots = Array.from({ length: scope.nextSlot }, (_, slot) => slot);
  if (random.chance(0.2)) slots.reverse();
  for (const slot of slots) {
    if (!random.chance(joinChance)) continue;
    const register = scope.nextRegister++;
    body.push({ kind: 'join', slot, register });
    results.push(register);
  }
  const reads = random.weighted([20, 0], [60, 1], [20, 2]);
  for (let read = 0; read < reads; read += 1) {
    const register = scope.nextRegister++;
    const isPlain = world.shared.length > 0 && random.chance(0.4);
    if (isPlain) body.push({ kind: 'plainLoad', location: random.pick(world.shared), register });
    else body.push({ kind: 'load', location: hot(random, world.atomics), register });
    results.push(register);
  }
  if (results.length === 0) return body;
  if (world.hasAsserts && random.chance(0.7)) body.push(assertOn(world, random.pick(results)));
  if (random.chance(0.5)) body.push({ kind: 'return', register: random.pick(results) });
  return body;
}

function childBody(
  world: World,
  scope: Scope,
  steps: number,
  grandchild?: readonly Statement[] | undefined,
  joinable?: number | undefined,
): Statement[] {
  const { random } = world;
  const body = threadBody(world, scope, steps);
  if (grandchild !== undefined) {
    const at = random.between(0, body.length);
    const slot = scope.nextSlot++;
    body.splice(at, 0, { kind: 'spawn', slot, body: grandchild });
    if (random.chance(0.5)) {
      const register = scope.nextRegister++;
      body.splice(random.between(at + 1, body.length), 0, { kind: 'join', slot, register });
    }
  }
  if (joinable !== undefined) {
    const register = scope.nextRegister++;
    body.splice(random.between(0, body.length), 0, { kind: 'join', slot: joinable, register });
  }
  if (scope.nextRegister > 0 && random.chance(0.5)) {
    body.push({ kind: 'return', register: random.between(0, scope.nextRegister - 1) });
  }
  return body;
}

/** Fragments that together take about `steps` steps. */
function threadBody(world: World, scope: Scope, steps: number): Statement[] {
  const { random } = world;
  const body: Statement[] = [];
  let left = steps;
  const awaited = world.awaited.shift();
  if (awaited !== undefined && left > 0) {
    if (random.chance(0.75)) {
      body.push({ kind: 'store', location: awaited.location, value: { constant: awaited.value } });
      left -= 1;
    } else {
      world.awaited.push(awaited);
    }
  }
  while (left > 0) {
    const part = fragment(world, scope);
    const cost = mostSteps(part);
    // A critical section may go beyond the budget, or small threads would never have one.
    const isTooMuch = cost > left + (random.chance(0.7) ? 3 : 0);
    if (isTooMuch) {
      body.push(access(world, scope));
      left -= 1;
    } else {
      // Fragments may overlap: now and then one starts in the middle of what is there already.
      const at = random.chance(0.08) ? random.between(0, body.length) : body.length;
      body.splice(at, 0, ...part);
      left -= Math.max(cost, 1);
    }
  }
  return body;
}

function fragment(world: World, scope: Scope): Statement[] {
  const { random, mutexes, shared } = world;
  const choices: [number, (world: World, scope: Scope) => Statement[]][] = [
    [10, (...context) => [access(...context)]],
    [4, branch],
    [3, increment],
    [3, storeThenLoad],
    [3, casLoop],
    [1, earlyReturn],
    [2, fenceOrYield],
  ];
  if (shared.length > 0) choices.push([1, publish], [6, (...context) => [plainAccess(...context)]]);
  if (world.hasAsserts) choices.push([3, checkedLoad]);
  if (world.hasChoices) choices.push([11, choice]);
  if (world.hasAssumes) choices.push([6, assumption], [3, spinLock]);
  if (world.hasAwaits) choices.push([14, wait]);
  if (mutexes.length > 0) choices.push([22, section], [7, trySection], [4, sloppySection]);
  if (mutexes.length > 1) choices.push([22, nestedSections]);
  return random.weighted(...choices)(world, scope);
}

// Fragments, in the order of the list above.

function access(world: World, scope: Scope): Statement {
  const { random } = world;
  return world.shared.length > 0 && random.chance(0.4) ? plainAccess(world, scope) : atomicAccess(world, scope);
}

function atomicAccess({ random, atomics }: World, scope: Scope): Statement {
  const location = hot(random, atomics);
  const register = scope.nextRegister;
  const kind = random.weighted([7, 'load'], [9, 'store'], [2, 'exchange'], [4, 'fetchAdd'], [3, 'compareExchange']);
  if (kind === 'store') return { kind, location, value: someValue(random, scope) };
  scope.nextRegister += 1;
  switch (kind) {
    case 'load':
      return { kind, location, register };
    case 'exchange':
      return { kind, location, value: { constant: random.between(1, 2) }, register };
    case 'fetchAdd':
      return { kind, location, add: random.weighted([4, 1], [1, 2]), register };
    case 'compareExchange':
      return { kind, location, expected: smallValue(random), desired: random.between(1, 2), register };
  }
}

function plainAccess({ random, shared }: World, scope: Scope): Statement {
  const location = random.pick(shared);
  if (random.chance(0.5)) return { kind: 'plainStore', location, value: someValue(random, scope) };
  return { kind: 'plainLoad', location, register: scope.nextRegister++ };
}

/** An access on some values of a location, another or none on the other values. */
function branch(world: World, scope: Scope): Statement[] {
  const { random } = world;
  const register = scope.nextRegister++;
  const read: Statement = random.chance(0.7)
    ? { kind: 'load', location: hot(random, world.atomics), register }
    : { kind: 'fetchAdd', location: hot(random, world.atomics), add: 1, register };
  const one = [access(world, scope)];
  const other = random.chance(0.5) ? [access(world, scope)] : [];
  const [whenEqual, otherwise] = random.chance(0.5) ? [one, other] : [other, one];
  return [read, { kind: 'if', register, equals: smallValue(random), whenEqual, otherwise }];
}

/** Not atomic: an update can get lost. */
function increment({ random, atomics }: World, scope: Scope): Statement[] {
  const location = hot(random, atomics);
  const register = scope.nextRegister++;
  return [
    { kind: 'load', location, register },
    { kind: 'store', location, value: { register, constant: 1 } },
  ];
}

function storeThenLoad({ random, atomics }: World, scope: Scope): Statement[] {
  return [
    { kind: 'store', location: hot(random, atomics), value: { constant: random.between(1, 2) } },
    { kind: 'load', location: hot(random, atomics), register: scope.nextRegister++ },
  ];
}

/** A loop around a compare-and-swap, unrolled twice. */
function casLoop({ random, atomics }: World, scope: Scope): Statement[] {
  const location = hot(random, atomics);
  const register = scope.nextRegister++;
  const next = scope.nextRegister++;
  const retry: Statement = { kind: 'compareExchange', location, expected: 1, desired: 2, register: next };
  return [
    { kind: 'compareExchange', location, expected: 0, desired: 1, register },
    { kind: 'if', register, equals: 0, whenEqual: [], otherwise: [retry] },
  ];
}

function earlyReturn({ random, atomics }: World, scope: Scope): Statement[] {
  const register = scope.nextRegister++;
  return [
    { kind: 'load', location: hot(random, atomics), register },
    { kind: 'if', register, equals: smallValue(random), whenEqual: [{ kind: 'return', register }], otherwise: [] },
  ];
}

function fenceOrYield(world: World, scope: Scope): Statement[] {
  return [{ kind: world.random.chance(0.6) ? 'fence' : 'yield' }, access(world, scope)];
}

/** Data, then the flag that says it is there; the other side is in `wait`. */
function publish(world: World, _scope: Scope): Statement[] {
  const { random } = world;
  return [
    { kind: 'plainStore', location: random.pick(world.shared), value: { constant: random.between(1, 2) } },
    { kind: 'store', location: hot(random, world.atomics), value: { constant: 1 } },
  ];
}

function checkedLoad(world: World, scope: Scope): Statement[] {
  const register = scope.nextRegister++;
  return [{ kind: 'load', location: hot(world.random, world.atomics), register }, assertOn(world, register)];
}

function choice(world: World, scope: Scope): Statement[] {
  const { random } = world;
  const register = scope.nextRegister++;
  const choose: Statement = { kind: 'choose', count: random.weighted([4, 2], [1, 3]), register };
  if (random.chance(0.5)) {
    const constant = random.between(0, 1);
    return [choose, { kind: 'store', location: hot(random, world.atomics), value: { register, constant } }];
  }
  const otherwise = random.chance(0.4) ? [access(world, scope)] : [];
  return [choose, { kind: 'if', register, equals: 0, whenEqual: [access(world, scope)], otherwise }];
}

function assumption(world: World, scope: Scope): Statement[] {
  const read = atomicAccess(world, scope);
  const register = Math.max(scope.nextRegister - 1, 0);
  return [read, { kind: 'assume', register, condition: someCondition(world.random) }];
}

/** A lock made of a compare-and-swap, whose waiting is an assume. */
function spinLock(world: World, scope: Scope): Statement[] {
  const location = hot(world.random, world.atomics);
  const register = scope.nextRegister++;
  return [
    { kind: 'compareExchange', location, expected: 0, desired: 1, register },
    { kind: 'assume', register, condition: { op: '==', constant: 0 } },
    access(world, scope),
    { kind: 'store', location, value: { constant: 0 } },
  ];
}

function wait(world: World, scope: Scope): Statement[] {
  const { random } = world;
  const location = hot(random, world.atomics);
  const condition = someCondition(random);
  const value = [1, 2, 0].find((each) => holds(condition, each)) ?? 0;
  world.awaited.push({ location, value });
  const waiting: Statement = { kind: 'awaitUntil', location, condition, register: scope.nextRegister++ };
  return random.chance(0.5) ? [waiting] : [waiting, access(world, scope)];
}

function section(world: World, scope: Scope): Statement[] {
  const mutex = world.random.pick(world.mutexes);
  return [{ kind: 'lock', mutex }, ...guarded(world, scope), { kind: 'unlock', mutex }];
}

function trySection(world: World, scope: Scope): Statement[] {
  const { random } = world;
  const mutex = random.pick(world.mutexes);
  const register = scope.nextRegister++;
  const got: Statement[] = [access(world, scope)];
  if (random.chance(0.9)) got.push({ kind: 'unlock', mutex });
  const missed = random.chance(0.3) ? [access(world, scope)] : [];
  return [
    { kind: 'tryLock', mutex, register },
    { kind: 'if', register, equals: 1, whenEqual: got, otherwise: missed },
  ];
}

/** Forgets to unlock, unlocks what it may not hold, or locks what it holds already. */
function sloppySection(world: World, scope: Scope): Statement[] {
  const { random } = world;
  const mutex = random.pick(world.mutexes);
  const lock: Statement = { kind: 'lock', mutex };
  const inside = access(world, scope);
  return random.weighted<Statement[]>(
    [5, [lock, inside]],
    [3, [inside, { kind: 'unlock', mutex }]],
    [1, [lock, lock]],
    [2, [lock, inside, { kind: 'unlock', mutex: random.pick(world.mutexes) }]],
  );
}

function nestedSections(world: World, scope: Scope): Statement[] {
  const { random } = world;
  const [outer = '', inner = ''] = random.chance(0.5) ? world.mutexes : [...world.mutexes].reverse();
  const inside = random.chance(0.4) ? [access(world, scope)] : [];
  return [
    { kind: 'lock', mutex: outer },
    { kind: 'lock', mutex: inner },
    ...inside,
    { kind: 'unlock', mutex: inner },
    { kind: 'unlock', mutex: outer },
  ];
}

// Parts of fragments.

/** What a critical section does: mostly things to plain variables, if there are any. */
function guarded(world: World, scope: Scope): Statement[] {
  const { random, shared } = world;
  if (shared.length > 0 && random.chance(0.3)) {
    const location = random.pick(shared);
    const register = scope.nextRegister++;
    return [
      { kind: 'plainLoad', location, register },
      { kind: 'plainStore', location, value: { register, constant: 1 } },
    ];
  }
  return [shared.length > 0 && random.chance(0.6) ? plainAccess(world, scope) : access(world, scope)];
}

/** The first location mostly: threads that use different ones have little to do with each other. */
function hot(random: Random, locations: readonly string[]): string {
  return random.pick(random.chance(0.5) ? locations.slice(0, 1) : locations);
}

function assertOn(world: World, register: number): Statement {
  return { kind: 'assert', register, not: world.random.between(0, 3), id: world.nextAssert++ };
}

function someValue(random: Random, scope: Scope): Value {
  if (scope.nextRegister > 0 && random.chance(0.2)) {
    return { register: random.between(0, scope.nextRegister - 1), constant: random.between(0, 1) };
  }
  return { constant: random.weighted([1, 0], [6, 1], [4, 2]) };
}

function smallValue(random: Random): number {
  return random.weighted([6, 0], [4, 1], [1, 2]);
}

function someCondition(random: Random): Condition {
  return random.weighted<Condition>(
    [4, { op: '!=', constant: 0 }],
    [3, { op: '==', constant: 1 }],
    [3, { op: '>=', constant: 1 }],
    [1, { op: '==', constant: 0 }],
    [1, { op: '>=', constant: 2 }],
    [1, { op: '==', constant: 2 }],
  );
}

const localKinds: readonly string[] = ['assert', 'assume', 'return', 'exit'];

/** The steps on the longest path. */
function mostSteps(body: readonly Statement[]): number {
  let steps = 0;
  for (const statement of body) {
    if (statement.kind === 'if') steps += Math.max(mostSteps(statement.whenEqual), mostSteps(statement.otherwise));
    else if (!localKinds.includes(statement.kind)) steps += 1;
  }
  return steps;
}

// Which programs are kept.

const mostOrders = 20_000;
const fewestConflicts = 6;

/** Whether the threads have something to do with each other, and not far too much. */
function isWorthwhile(program: ProgramAst): boolean {
  const threads = threadsOf(program.main);
  return roughOrders(threads) <= mostOrders && countConflicts(threads) >= fewestConflicts;
}

/** The bodies of all threads. Of main, only what comes after the first spawn: nothing runs beside the rest. */
function threadsOf(main: readonly Statement[]): (readonly Statement[])[] {
  const firstSpawn = main.findIndex((statement) => statement.kind === 'spawn');
  return [main.slice(firstSpawn + 1), ...spawnedIn(main)];
}

function spawnedIn(body: readonly Statement[]): (readonly Statement[])[] {
  return body.flatMap((statement) => {
    if (statement.kind === 'spawn') return [statement.body, ...spawnedIn(statement.body)];
    return statement.kind === 'if' ? spawnedIn([...statement.whenEqual, ...statement.otherwise]) : [];
  });
}

/** The interleavings there would be if nothing had to wait. Unlocks do not count, since locks do wait. */
function roughOrders(threads: readonly (readonly Statement[])[]): number {
  let total = 0;
  let orders = 1;
  for (const thread of threads) {
    const steps = mostSteps(thread.filter((statement) => statement.kind !== 'unlock'));
    for (let step = 1; step <= steps; step += 1) {
      total += 1;
      orders *= total / step;
    }
    for (const statement of thread) if (statement.kind === 'choose') orders *= statement.count;
  }
  return orders;
}

/** Pairs of accesses of different threads to one location, at least one of them a write. */
function countConflicts(threads: readonly (readonly Statement[])[]): number {
  const accesses = threads.flatMap((body, thread) => accessesIn(body).map((each) => ({ thread, ...each })));
  let conflicts = 0;
  for (const [index, one] of accesses.entries()) {
    for (const other of accesses.slice(index + 1)) {
      const isSamePlace = one.location === other.location && one.thread !== other.thread;
      if (isSamePlace && (one.writes || other.writes)) conflicts += 1;
    }
  }
  return conflicts;
}

function accessesIn(body: readonly Statement[]): { readonly location: string; readonly writes: boolean }[] {
  return body.flatMap((statement) => {
    const { kind } = statement;
    if (kind === 'if') return accessesIn([...statement.whenEqual, ...statement.otherwise]);
    if (kind === 'lock' || kind === 'tryLock') return [{ location: statement.mutex, writes: true }];
    if (!('location' in statement)) return [];
    const onlyReads = kind === 'load' || kind === 'plainLoad' || kind === 'awaitUntil';
    return [{ location: statement.location, writes: !onlyReads }];
  });
}
