/** The oracle against counts worked out by hand, and against the definition of a Mazurkiewicz trace. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { programs } from '../random/programs.ts';
import { waitingProgram } from '../random/waiting.ts';
import { coKey, finalStateKey, type Oracle, oracle, returnsKey, rfKey } from './classes.ts';
import { happensBeforeKey } from './happens-before.ts';
import { allInterleavings, type Interleaving, racesOf, type Step } from './interleavings.ts';
import { isWellFormed, type ProgramAst, type Statement } from './language.ts';

const load = (location: string, register = 0): Statement => ({ kind: 'load', location, register });
const store = (location: string, constant: number): Statement => ({ kind: 'store', location, value: { constant } });
const fetchAdd = (location: string, register = 0): Statement => ({ kind: 'fetchAdd', location, add: 1, register });
const plainLoad = (location: string, register = 0): Statement => ({ kind: 'plainLoad', location, register });
const plainStore = (location: string, constant: number): Statement => ({
  kind: 'plainStore',
  location,
  value: { constant },
});
const exchange = (location: string, constant: number, register = 0): Statement => ({
  kind: 'exchange',
  location,
  value: { constant },
  register,
});
const cas = (location: string, expected: number, desired: number, register = 0): Statement => ({
  kind: 'compareExchange',
  location,
  expected,
  desired,
  register,
});
const lock = (mutex: string): Statement => ({ kind: 'lock', mutex });
const unlock = (mutex: string): Statement => ({ kind: 'unlock', mutex });
const tryLock = (mutex: string, register = 0): Statement => ({ kind: 'tryLock', mutex, register });
const spawn = (slot: number, ...body: Statement[]): Statement => ({ kind: 'spawn', slot, body });
const join = (slot: number, register = 9): Statement => ({ kind: 'join', slot, register });
const choose = (count: number, register = 0): Statement => ({ kind: 'choose', count, register });
const awaitEqual = (location: string, constant: number, register = 0): Statement => ({
  kind: 'awaitUntil',
  location,
  condition: { op: '==', constant },
  register,
});
const assumeEqual = (register: number, constant: number): Statement => ({
  kind: 'assume',
  register,
  condition: { op: '==', constant },
});
const assertNot = (register: number, not: number, id = 0): Statement => ({ kind: 'assert', register, not, id });
const giveBack = (register: number): Statement => ({ kind: 'return', register });
const increment = (location: string): Statement[] => [
  load(location),
  { kind: 'store', location, value: { register: 0, constant: 1 } },
];

/** With the locations x, y (atomic), d (plain), m, n (mutexes). */
function ast(...main: Statement[]): ProgramAst {
  const program: ProgramAst = { atomics: { x: 0, y: 0 }, shared: { d: 0 }, mutexes: ['m', 'n'], main };
  expect(isWellFormed(program)).toBe(true);
  return program;
}

/** Main only spawns: what comes after its last spawn is what the threads would do if they were all there at once. */
function parallel(...threads: Statement[][]): ProgramAst {
  return ast(...threads.map((body, slot) => spawn(slot, ...body)));
}

function run(program: ProgramAst): Oracle {
  const found = oracle(program, { maxInterleavings: 100_000 });
  if (found === 'too large') throw new Error('too large');
  return found;
}

function counts(program: ProgramAst) {
  const { coClasses, rfClasses } = run(program);
  return { co: coClasses.size, rf: rfClasses.size };
}

/** The interleavings in which main has spawned all `count` threads before they start. */
function staticInterleavings(program: ProgramAst, count: number): number {
  const prefix = `${Array.from({ length: count }, () => '0').join(' ')} `;
  return [...run(program).schedules].filter((schedule) => schedule.startsWith(prefix)).length;
}

function outcomeCounts(program: ProgramAst): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { outcome } of run(program).coClasses.values()) found[outcome] = (found[outcome] ?? 0) + 1;
  return found;
}

describe('classes', () => {
  test('W+W+RR: two writers, a reader of both', () => {
    const program = parallel([store('x', 1)], [store('y', 1)], [load('x', 0), load('y', 1)]);
    expect(staticInterleavings(program, 3)).toBe(12);
    expect(counts(program)).toEqual({ co: 4, rf: 4 });
  });

  test('R+W+W: coherence of the writes matters to co alone', () => {
    const program = parallel([load('x')], [store('x', 1)], [store('x', 2)]);
    expect(staticInterleavings(program, 3)).toBe(6);
    expect(counts(program)).toEqual({ co: 6, rf: 3 });
  });

  test('RR+WW: message passing', () => {
    const program = parallel([load('x', 0), load('y', 1)], [store('y', 1), store('x', 1)]);
    expect(staticInterleavings(program, 2)).toBe(6);
    expect(counts(program)).toEqual({ co: 3, rf: 3 });
  });

  test('RR+WW in the same order', () => {
    expect(counts(parallel([load('x', 0), load('y', 1)], [store('x', 1), store('y', 1)]))).toEqual({ co: 4, rf: 4 });
  });

  test('RR+WW on one location', () => {
    expect(counts(parallel([load('x', 0), load('x', 1)], [store('x', 1), store('x', 2)]))).toEqual({ co: 6, rf: 6 });
  });

  test('store buffering', () => {
    const program = parallel([store('x', 1), load('y'), giveBack(0)], [store('y', 1), load('x'), giveBack(0)]);
    expect(counts(program)).toEqual({ co: 3, rf: 3 });
    expect([...run(program).returnStates].sort()).toEqual([
      'complete returns {0=0 0.0=0 0.1=1}',
      'complete returns {0=0 0.0=1 0.1=0}',
      'complete returns {0=0 0.0=1 0.1=1}',
    ]);
  });

  test('three writes', () => {
    expect(counts(parallel([store('x', 1)], [store('x', 2)], [store('x', 3)]))).toEqual({ co: 6, rf: 1 });
  });

  test('two fetchAdds', () => {
    expect(counts(parallel([fetchAdd('x')], [fetchAdd('x')]))).toEqual({ co: 2, rf: 2 });
  });

  test('three fetchAdds', () => {
    expect(counts(parallel([fetchAdd('x')], [fetchAdd('x')], [fetchAdd('x')]))).toEqual({ co: 6, rf: 6 });
  });

  test('two compare-exchanges: the second one only reads', () => {
    const found = run(parallel([cas('x', 0, 1), giveBack(0)], [cas('x', 0, 2), giveBack(0)]));
    expect(found.coClasses.size).toBe(2);
    const coherence = [...found.coClasses.values()].map((info) => info.example.observed.coherence.x);
    expect(coherence.sort()).toEqual([['0.0:0'], ['0.1:0']]);
    expect([...found.finalStates].sort()).toEqual([
      'complete returns {0=0 0.0=0 0.1=1} memory {x=1}',
      'complete returns {0=0 0.0=2 0.1=0} memory {x=2}',
    ]);
  });

  test('three failing compare-exchanges commute', () => {
    expect(counts(parallel([cas('x', 5, 1)], [cas('x', 5, 1)], [load('x')]))).toEqual({ co: 1, rf: 1 });
  });

  test('an exchange and a store', () => {
    const program = parallel([exchange('x', 1), giveBack(0)], [store('x', 2)]);
    expect(counts(program)).toEqual({ co: 2, rf: 2 });
  });

  test('a mutex and two threads', () => {
    const program = parallel([lock('m'), unlock('m')], [lock('m'), unlock('m')]);
    expect(staticInterleavings(program, 2)).toBe(2);
    expect(counts(program)).toEqual({ co: 2, rf: 2 });
  });

  test('a mutex and three threads', () => {
    const section = [lock('m'), unlock('m')];
    expect(counts(parallel(section, section, section))).toEqual({ co: 6, rf: 6 });
  });

  test('tryLock: gets it before or after the section, or not', () => {
    const program = parallel([lock('m'), unlock('m')], [tryLock('m'), giveBack(0)]);
    // After tryLock has the mutex for good, lock blocks: a deadlock.
    expect(outcomeCounts(program)).toEqual({ complete: 2, deadlock: 1 });
    const failing = [...run(program).coClasses.values()].find((info) => info.example.observed.returns['0.1'] === 0);
    expect(failing?.example.observed.steps.find((step) => step.id === '0.1:0')).toMatchObject({
      label: 'trylock m',
      readsFrom: '0.0:0',
    });
    expect(failing?.example.observed.coherence).toEqual({ m: ['0.0:0', '0.0:1'] });
  });

  test('spawn and join are steps, but make no classes', () => {
    const program = ast(spawn(0, store('x', 1)), spawn(1, store('y', 1)), join(0), join(1));
    expect(counts(program)).toEqual({ co: 1, rf: 1 });
    // 0.0's step, then 0.1's step after its spawn, and the two joins after each.
    expect([...run(program).schedules].sort()).toEqual([
      '0 0 0.0 0 0.1 0',
      '0 0 0.0 0.1 0 0',
      '0 0 0.1 0.0 0 0',
      '0 0.0 0 0 0.1 0',
      '0 0.0 0 0.1 0 0',
    ]);
  });

  test('choose', () => {
    const program = ast(choose(3), giveBack(0));
    expect([...run(program).schedules]).toEqual(['0=0', '0=1', '0=2']);
    expect(counts(program)).toEqual({ co: 3, rf: 3 });
    expect(run(program).finalStates).toContain('complete returns {0=2} memory {}');
  });

  test('fence and yield are steps that commute', () => {
    const program = parallel([{ kind: 'fence' }, { kind: 'yield' }], [{ kind: 'fence' }, { kind: 'yield' }]);
    expect(staticInterleavings(program, 2)).toBe(6);
    expect(counts(program)).toEqual({ co: 1, rf: 1 });
  });

  test('branches: what a thread does can depend on what it read', () => {
    const branch: Statement = {
      kind: 'if',
      register: 0,
      equals: 0,
      whenEqual: [store('y', 1)],
      otherwise: [store('y', 2), load('x', 1)],
    };
    const program = parallel([load('x'), branch, giveBack(1)], [store('x', 7)]);
    expect([...run(program).finalStates].sort()).toEqual([
      'complete returns {0=0 0.0=0 0.1=0} memory {x=7 y=1}',
      'complete returns {0=0 0.0=7 0.1=0} memory {x=7 y=2}',
    ]);
  });
});

describe('outcomes', () => {
  test('AB-BA', () => {
    const program = parallel(
      [lock('m'), lock('n'), unlock('n'), unlock('m')],
      [lock('n'), lock('m'), unlock('m'), unlock('n')],
    );
    expect(outcomeCounts(program)).toEqual({ complete: 2, deadlock: 1 });
  });

  test('a thread that locks twice', () => {
    expect(outcomeCounts(ast(lock('m'), lock('m')))).toEqual({ deadlock: 1 });
  });

  test('an await that nothing satisfies', () => {
    const program = ast(spawn(0, awaitEqual('x', 1)), join(0));
    expect(outcomeCounts(program)).toEqual({ livelock: 1 });
    expect([...run(program).schedules]).toEqual(['0']);
  });

  test('an await that is satisfied for a while', () => {
    const program = parallel([awaitEqual('x', 1)], [store('x', 1), store('x', 2)]);
    expect(outcomeCounts(program)).toEqual({ complete: 1, livelock: 1 });
  });

  test('an assume', () => {
    const program = parallel([load('x'), assumeEqual(0, 1), store('y', 1)], [store('x', 1)]);
    expect(outcomeCounts(program)).toEqual({ complete: 1, blocked: 1 });
    const blocked = [...run(program).coClasses.values()].find((info) => info.outcome === 'blocked');
    expect(blocked?.example.observed.steps.map((step) => `${step.id} ${step.label}`)).toContain('0.0:1 block');
  });

  test('waiting for a thread that an assume stopped is blocked, not a deadlock', () => {
    expect(outcomeCounts(ast(spawn(0, assumeEqual(0, 1)), join(0), awaitEqual('x', 1)))).toEqual({ blocked: 1 });
  });

  test('a lost update', () => {
    const program = ast(
      spawn(0, ...increment('x')),
      spawn(1, ...increment('x')),
      join(0),
      join(1),
      load('x'),
      assertNot(0, 1),
    );
    expect(outcomeCounts(program)).toEqual({ complete: 2, failed: 2 });
    expect(run(program).failures).toEqual(new Set(['assertion assert 0 0']));
    const preemptions = [...run(program).coClasses.values()].map((info) => `${info.outcome} ${info.preemptions}`);
    expect(preemptions.sort()).toEqual(['complete 0', 'complete 0', 'failed 1', 'failed 1']);
  });

  test('a failure stops its thread alone, and joins on it block', () => {
    const program = ast(spawn(0, assertNot(0, 0, 4), store('x', 1)), spawn(1, store('y', 2)), join(0), store('y', 3));
    const found = run(program);
    expect(found.failures).toEqual(new Set(['assertion assert 4 0.0']));
    expect([...found.finalStates]).toEqual(['failed returns {0.1=0} memory {y=2}']);
  });

  test('unlocking what is not held', () => {
    const program = ast(lock('m'), spawn(0, unlock('m'), store('x', 1)), unlock('m'), unlock('m'));
    const found = run(program);
    expect(found.failures).toEqual(new Set(['lock-misuse unlock m 0.0', 'lock-misuse unlock m 0']));
    expect([...found.schedules]).toEqual(['0 0 0']);
  });
});

describe('threads', () => {
  test('paths, results and handles of nested threads', () => {
    const program = ast(
      spawn(0, spawn(0, load('x'), giveBack(0)), spawn(1, store('x', 5)), join(0, 1), giveBack(1)),
      spawn(1, join(0, 2), giveBack(2)),
      join(1, 3),
      giveBack(3),
    );
    expect(run(program).finalStates).toEqual(
      new Set([
        'complete returns {0=0 0.0=0 0.0.0=0 0.0.1=0 0.1=0} memory {x=5}',
        'complete returns {0=5 0.0=5 0.0.0=5 0.0.1=0 0.1=5} memory {x=5}',
      ]),
    );
  });

  test('a thread without steps can be joined at once', () => {
    expect([...run(ast(spawn(0), join(0))).schedules]).toEqual(['0 0']);
  });

  test('joins of empty slots and unknown locations are ill-formed', () => {
    const program = ast();
    expect(isWellFormed({ ...program, main: [join(0)] })).toBe(false);
    expect(isWellFormed({ ...program, main: [spawn(0, join(0))] })).toBe(false);
    expect(isWellFormed({ ...program, main: [load('d')] })).toBe(false);
    const maybe: Statement = { kind: 'if', register: 0, equals: 0, whenEqual: [spawn(0)], otherwise: [] };
    expect(isWellFormed({ ...program, main: [maybe, join(0)] })).toBe(false);
  });
});

describe('races', () => {
  const racesIn = (program: ProgramAst) => [...run(program).races];

  test('two stores, a store and a load, two loads', () => {
    expect(racesIn(parallel([plainStore('d', 1)], [plainStore('d', 2)]))).toEqual(['race d']);
    expect(racesIn(parallel([plainLoad('d')], [plainStore('d', 2)]))).toEqual(['race d']);
    expect(racesIn(parallel([plainLoad('d')], [plainLoad('d')]))).toEqual([]);
  });

  test('a mutex orders', () => {
    const section = [lock('m'), plainLoad('d'), plainStore('d', 1), unlock('m')];
    expect(racesIn(parallel(section, section))).toEqual([]);
    expect(racesIn(parallel(section, [lock('n'), plainStore('d', 2), unlock('n')]))).toEqual(['race d']);
  });

  test('spawn and join order', () => {
    const child = spawn(0, plainStore('d', 1));
    expect(racesIn(ast(plainStore('d', 2), child, join(0), plainLoad('d')))).toEqual([]);
    expect(racesIn(ast(child, plainStore('d', 2), join(0)))).toEqual(['race d']);
  });

  test('spawn orders through a thread without steps that a third one joins', () => {
    const program = ast(spawn(1, plainStore('d', 1)), join(1), spawn(0), spawn(2, join(0), plainStore('d', 2)));
    expect(racesIn(program)).toEqual([]);
  });

  test('reads-from of atomics orders', () => {
    const publisher = [plainStore('d', 1), store('x', 1)];
    expect(racesIn(parallel(publisher, [awaitEqual('x', 1), plainLoad('d')]))).toEqual([]);
    expect(racesIn(parallel(publisher, [load('x'), plainLoad('d')]))).toEqual(['race d']);
    expect(racesIn(parallel(publisher, [load('x'), assumeEqual(0, 1), plainLoad('d')]))).toEqual([]);
  });

  test('coherence does not order', () => {
    const program = parallel([plainStore('d', 1), store('x', 1)], [store('x', 2), plainStore('d', 2)]);
    for (const info of run(program).coClasses.values()) expect([...info.races]).toEqual(['race d']);
  });

  test('an update that reads from the store is ordered after it', () => {
    const program = parallel([plainStore('d', 1), store('x', 1)], [exchange('x', 2), plainStore('d', 2)]);
    for (const { example, races } of run(program).coClasses.values()) {
      const update = example.steps.find((step) => step.id === '0.1:0');
      expect(races.size).toBe(update?.readsFrom === 'init' ? 1 : 0);
    }
  });

  test('reads-from of plain variables does not order', () => {
    const program: ProgramAst = {
      atomics: {},
      shared: { d: 0, e: 0 },
      mutexes: [],
      main: [
        spawn(0, plainStore('d', 1), plainStore('e', 1)),
        plainLoad('e', 0),
        { kind: 'if', register: 0, equals: 1, whenEqual: [plainLoad('d', 1)], otherwise: [] },
      ],
    };
    expect(run(program).races).toEqual(new Set(['race d', 'race e']));
  });
});

describe('plain accesses to atomics', () => {
  test('race with atomic ones, and order nothing', () => {
    expect(run(parallel([plainStore('x', 1)], [load('x')])).races).toEqual(new Set(['race x']));
    expect(run(parallel([plainLoad('x')], [fetchAdd('x')])).races).toEqual(new Set(['race x']));
    expect(run(parallel([plainLoad('x')], [load('x')])).races).toEqual(new Set());
    const published = run(parallel([plainStore('d', 1), plainStore('x', 1)], [awaitEqual('x', 1), plainLoad('d')]));
    expect(published.races).toEqual(new Set(['race x', 'race d']));
  });

  test('race with an await from when its thread comes to it', () => {
    const racesWith = (...waiting: Statement[]) => {
      return [...run(parallel([plainStore('x', 1), store('x', 2)], waiting)).races];
    };
    expect(racesWith(awaitEqual('x', 2))).toEqual(['race x']); // although it reads what comes after the plain store
    expect(racesWith(awaitEqual('x', 3))).toEqual(['race x']);
    const published: Statement[] = [plainStore('x', 1), store('y', 1)];
    expect([...run(parallel(published, [awaitEqual('y', 1), awaitEqual('x', 3)])).races]).toEqual([]);
    const reader: Statement[] = [plainLoad('x'), store('x', 1)];
    expect([...run(parallel(reader, [awaitEqual('x', 1), store('x', 2)])).races]).toEqual([]);
  });

  test('a compare-exchange that fails only reads', () => {
    const contender: Statement[] = [
      cas('x', 0, 1),
      { kind: 'if', register: 0, equals: 0, whenEqual: [plainLoad('x')], otherwise: [] },
    ];
    expect(run(parallel(contender, contender)).races).toEqual(new Set());
  });
});

describe('objects', () => {
  const free = (object: string): Statement => ({ kind: 'free', object });
  const allocate = (object: string): Statement => ({ kind: 'allocate', object });
  const withObject = (...main: Statement[]): ProgramAst => ({ ...ast(), objects: { o: ['x', 'm'] }, main });

  test('an access must happen before the free', () => {
    expect(run(withObject(store('x', 1), free('o'))).misuses).toEqual(new Set());
    expect(run(withObject(free('o'), load('x'))).misuses).toEqual(new Set(['use-after-free x']));
    expect(run(withObject(spawn(0, load('x')), free('o'))).misuses).toEqual(new Set(['use-after-free x']));
    expect(run(withObject(spawn(0, load('x')), join(0), free('o'))).misuses).toEqual(new Set());
  });

  test('who waits on it in the end uses it', () => {
    const { misuses, outcomes } = run(withObject(lock('m'), spawn(0, lock('m')), free('o')));
    expect(misuses).toEqual(new Set(['use-after-free m']));
    expect(outcomes).toEqual(new Set(['deadlock']));
  });

  test('two frees, and none', () => {
    expect(run(withObject(spawn(0, free('o')), free('o'))).misuses).toEqual(new Set(['double-free o']));
    expect(run(withObject(allocate('o'))).leaks).toEqual(new Set(['leak o']));
    expect(run(withObject(allocate('o'), free('o'))).leaks).toEqual(new Set());
  });
});

describe('exits and waits that update', () => {
  const awaitUpdate = (sleeps: boolean, keep?: number): Statement => ({
    kind: 'awaitUpdate',
    location: 'x',
    condition: { op: '!=', constant: 0 },
    keep: keep === undefined ? undefined : { op: '==', constant: keep },
    add: 5,
    sleeps,
    register: 0,
  });

  test('after an exit nobody waits in vain, and nobody joins', () => {
    expect(run(ast(spawn(0, { kind: 'exit' }), join(0))).outcomes).toEqual(new Set(['complete']));
    const { interleavings, outcomes } = run(ast(spawn(0, load('x'), load('y')), { kind: 'exit' }));
    expect({ interleavings, outcomes }).toEqual({ interleavings: 1, outcomes: new Set(['complete']) });
  });

  test('a wait for ever is a deadlock if it sleeps', () => {
    expect(run(ast(awaitUpdate(true))).outcomes).toEqual(new Set(['deadlock']));
    expect(run(ast(awaitUpdate(false))).outcomes).toEqual(new Set(['livelock']));
  });

  test('a wait for ever counts as an assume that does not hold if it is one', () => {
    expect(run(ast({ ...awaitUpdate(false), assumed: true } as Statement)).outcomes).toEqual(new Set(['blocked']));
    expect(run(ast({ ...awaitEqual('x', 1), assumed: true } as Statement)).outcomes).toEqual(new Set(['blocked']));
  });

  test('it writes what it is given, unless it keeps', () => {
    const finals = (keep?: number) => {
      return [...run(ast(store('x', 1), { ...awaitUpdate(false, keep), set: 7 } as Statement)).finalStates];
    };
    expect(finals()).toEqual([expect.stringContaining('memory {x=7}')]);
    expect(finals(1)).toEqual([expect.stringContaining('memory {x=1}')]);
  });

  test('it adds, unless it keeps', () => {
    const finals = (keep?: number) => [...run(ast(store('x', 1), awaitUpdate(false, keep))).finalStates];
    expect(finals()).toEqual([expect.stringContaining('memory {x=6}')]);
    expect(finals(1)).toEqual([expect.stringContaining('memory {x=1}')]);
  });
});

describe('preemptions', () => {
  test('a reader and a writer', () => {
    const program = ast(spawn(0, load('x', 0), load('x', 1)), store('x', 1));
    const byReads: Record<string, number> = {};
    for (const { example, preemptions } of run(program).coClasses.values()) {
      const reads = example.steps.filter((step) => step.path === '0.0').map((step) => step.readsFrom);
      byReads[reads.join(' ')] = preemptions;
    }
    expect(byReads).toEqual({ '0:1 0:1': 0, 'init init': 1, 'init 0:1': 2 });
  });

  test('leaving a thread that waits, or has ended, is no preemption', () => {
    const program = ast(spawn(0, store('x', 1)), awaitEqual('x', 1), spawn(1, store('x', 2)), join(1), join(0));
    const [only, ...others] = [...run(program).coClasses.values()];
    expect(others).toEqual([]);
    expect(only).toMatchObject({ outcome: 'complete', preemptions: 0 });
  });
});

test('too large', () => {
  const program = parallel([load('x')], [load('x')], [load('x')]);
  const { interleavings } = run(program);
  expect(oracle(program, { maxInterleavings: interleavings - 1 })).toBe('too large');
  expect(oracle(program, { maxInterleavings: interleavings })).not.toBe('too large');
});

describe('on random programs', { timeout: 60_000 }, () => {
  const most = 400;

  test('co-classes are what swaps of neighbouring independent steps connect', () => {
    fc.assert(
      fc.property(programs(), (program) => {
        const interleavings = allInterleavings(program, most);
        fc.pre(interleavings !== 'too large');
        const keysOf = (some: readonly Interleaving[]) => new Set(some.map(({ observed }) => coKey(observed)));
        const connected = components(interleavings);
        for (const component of connected) expect(keysOf(component).size).toBe(1);
        expect(keysOf(interleavings).size).toBe(connected.length);
      }),
      { numRuns: 200 },
    );
  });

  test('where updates commute, classes are what swaps of those connect as well, and end in one way each', () => {
    for (let seed = 0; seed < 300; seed++) {
      const interleavings = allInterleavings(waitingProgram(seed), most);
      if (interleavings === 'too large') continue;
      const keysOf = (some: readonly Interleaving[]) =>
        new Set(some.map(({ steps, observed }) => happensBeforeKey(steps, observed.outcome)));
      const endsOf = (some: readonly Interleaving[]) => new Set(some.map(({ observed }) => finalStateKey(observed)));
      const connected = components(interleavings, (a, b) => areIndependent(a, b) || doCommute(a, b));
      for (const component of connected) {
        expect(keysOf(component).size, `seed ${seed}`).toBe(1);
        expect(endsOf(component).size, `seed ${seed}`).toBe(1);
      }
      expect(keysOf(interleavings).size, `seed ${seed}`).toBe(connected.length);
    }
  });

  test('equivalent interleavings have the same end, failures and races', () => {
    fc.assert(
      fc.property(programs(), (program) => {
        const interleavings = allInterleavings(program, most);
        fc.pre(interleavings !== 'too large');
        const ends = new Map<string, string>();
        const rfEnds = new Map<string, string>();
        for (const interleaving of interleavings) {
          const { observed, failures } = interleaving;
          const races = [...racesOf(interleaving)].sort().join();
          const rfEnd = `${returnsKey(observed)} ${failures.toSorted().join()} ${races}`;
          const end = `${finalStateKey(observed)} ${rfEnd}`;
          expect(end).toBe(ends.get(coKey(observed)) ?? end);
          expect(rfEnd).toBe(rfEnds.get(rfKey(observed)) ?? rfEnd);
          ends.set(coKey(observed), end);
          rfEnds.set(rfKey(observed), rfEnd);
        }
      }),
      { numRuns: 200 },
    );
  });
});

type Independence = (first: Step, second: Step) => boolean;

/** Interleavings that differ by swaps of neighbouring independent steps. */
function components(interleavings: readonly Interleaving[], independent: Independence = areIndependent) {
  const unvisited = new Map(interleavings.map((each) => [each.schedule.join(' '), each]));
  const found: Interleaving[][] = [];
  for (const start of interleavings) {
    const component: Interleaving[] = [];
    const queue = [start.schedule.join(' ')];
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      const interleaving = unvisited.get(name);
      if (interleaving === undefined) continue;
      unvisited.delete(name);
      component.push(interleaving);
      queue.push(...swaps(interleaving, independent));
    }
    if (component.length > 0) found.push(component);
  }
  return found;
}

function swaps({ schedule, steps }: Interleaving, independent: Independence): string[] {
  return steps.flatMap((second, index) => {
    const first = steps[index - 1];
    if (first === undefined || !independent(first, second)) return [];
    const swapped = [...schedule.slice(0, index - 1), ...schedule.slice(index - 1, index + 1).reverse()];
    return [[...swapped, ...schedule.slice(index + 1)].join(' ')];
  });
}

function areIndependent(first: Step, second: Step): boolean {
  if (first.path === second.path || first.spawns === second.path || second.joins === first.path) return false;
  if (first.spawns !== undefined && first.spawns === second.joins) return false;
  const isSamePlace = first.location !== undefined && first.location === second.location;
  return !(isSamePlace && (first.writes || second.writes));
}

/** Updates of one kind, of two threads, whose results are not used. */
function doCommute(first: Step, second: Step): boolean {
  return first.path !== second.path && first.commutes && second.commutes && first.label === second.label;
}
