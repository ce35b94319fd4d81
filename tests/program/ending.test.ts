/** How an execution ended: by how its threads stand, without an explorer. */
import { describe, expect, test } from 'vitest';
import { Behaviours } from '../../src/program/behaviours.ts';
import { NONE } from '../../src/program/columns.ts';
import { type Ending, endingOf, type ThreadsAtEnd } from '../../src/program/ending.ts';
import type { Operation } from '../../src/program/operation.ts';
import { type Body, bare, cell, load, mutexAt, spawn } from './bare.ts';

const x = cell('x');

const ends: Body = function* () {};
const stopsAt = (operation: Operation): Body =>
  function* () {
    yield operation;
  };
const fails = stopsAt({ kind: 'fail', failure: { kind: 'assertion', message: 'no', position: undefined } });
const exits = stopsAt({ kind: 'exit', status: 0 });
const assumes = stopsAt({ kind: 'block' });
const isCut = stopsAt({ kind: 'block', reason: 'bound' });
const awaits = (more: object = {}): Body =>
  stopsAt({ kind: 'await-load', location: x, order: 'seq_cst', until: () => false, ...more });
const spins = awaits();
const awaitsAssumed = awaits({ assumed: true });
const waitsOnCondition = awaits({ sleeps: true });
const locks = stopsAt({ kind: 'lock', location: mutexAt('m', 1) });
const joins = stopsAt({ kind: 'join', thread: 0 });
/** Goes round in a loop; its rounds begin after so many operations. */
const goesRound = (since: number, before: readonly Operation[]): Body =>
  function* () {
    yield* before;
    yield { kind: 'block', reason: 'loop', loop: { position: undefined, since: () => since } };
  };

interface Memory {
  /** Whether what is read in a round stays as it is: told of each step, or of all together. */
  readonly keeps?: boolean;
  readonly settles?: boolean;
}

/** A thread for each body stands where it can go no further; steps are states, whose answer was 0. */
function ending(bodies: readonly Body[], { keeps = true, settles = true }: Memory = {}): Ending {
  const b = new Behaviours(
    bare(function* () {
      for (const body of bodies) yield spawn('', body);
    }),
  );
  const states: number[] = [];
  const steps: number[][] = [[]];
  const advance = (s: number, t: number): number => {
    steps[t]?.push(s);
    return ['load', 'choose'].includes(b.operation(s).kind) ? b.advance(s, b.values.idOf(0)) : b.advanceOnly(s);
  };
  states[0] = b.main();
  for (const t of bodies.keys()) {
    let s = b.spawned(states[0] as number);
    steps.push([]);
    while (['load', 'choose', 'yield'].includes(b.operation(s).kind)) s = advance(s, t + 1);
    states[t + 1] = s;
    states[0] = advance(states[0] as number, 0);
  }
  const previous = (own: readonly number[], step: number): number => own[own.indexOf(step) - 1] ?? NONE;
  const threads: ThreadsAtEnd = {
    behaviours: b,
    threadCount: states.length + 1,
    stateOf: (t) => states[t] ?? NONE,
    valueAwaited: () => b.values.idOf(0),
    lastStep: (t) => steps[t]?.at(-1) ?? NONE,
    previousStep: (s) => previous(steps[b.thread[s] as number] as number[], s),
    stateBefore: (s) => s,
    wouldReadAgain: () => keeps,
    settles: () => settles,
  };
  return endingOf(threads);
}

describe('one thread that stands still decides', () => {
  test.each<[string, Body, Ending]>([
    ['ends', ends, 'complete'],
    ['fails', fails, 'failed'],
    ['exits', exits, 'complete'],
    ['assumes what does not hold', assumes, 'blocked'],
    ['is stopped by the bound of a loop', isCut, 'blocked'],
    ['awaits what an assume asks for', awaitsAssumed, 'blocked'],
    ['awaits a value', spins, 'livelock'],
    ['waits for a condition', waitsOnCondition, 'deadlock'],
    ['locks a mutex that is held', locks, 'deadlock'],
    ['joins a thread that does not end', joins, 'deadlock'],
  ])('a thread that %s: %s', (_, body, expected) => {
    expect(ending([ends, body])).toBe(expected);
  });
});

test('of several, the one that explains most decides', () => {
  const strongestFirst: readonly (readonly [Body, Ending])[] = [
    [fails, 'failed'],
    [exits, 'complete'],
    [assumes, 'blocked'],
    [spins, 'livelock'],
    [locks, 'deadlock'],
    [ends, 'complete'],
  ];
  for (const [i, [strong, expected]] of strongestFirst.entries()) {
    for (const [weak] of strongestFirst.slice(i)) {
      expect(ending([strong, weak])).toBe(expected);
      expect(ending([weak, strong])).toBe(expected);
    }
  }
});

describe('a loop that goes round', () => {
  const round = goesRound(1, [load(x), load(x)]);

  test('is a livelock if the next round reads the same', () => {
    expect(ending([round])).toBe('livelock');
  });

  test('has come too early or too late if a read would not be the same', () => {
    expect(ending([round], { keeps: false })).toBe('blocked');
    expect(ending([round], { settles: false })).toBe('blocked');
  });

  test('does not depend on what was read before the round', () => {
    expect(ending([goesRound(2, [load(x), load(x)])], { keeps: false })).toBe('livelock');
  });

  test('may take another option in the next round', () => {
    const choose: Operation = { kind: 'choose', count: 2 };
    expect(ending([goesRound(1, [load(x), choose, load(x)])])).toBe('blocked');
    expect(ending([goesRound(2, [load(x), choose, load(x)])])).toBe('livelock');
  });
});
