/**
 * The state of condition variables against its specification, in which a signal chooses at once whom it wakes. The choice
 * is not seen, so the specification is in one of several states; after every sequence of events, both allow the same next
 * ones.
 */
import { describe, expect, test } from 'vitest';
import {
  broadcast,
  type Condition,
  decode,
  encode,
  enqueue,
  isReleased,
  leave,
  mayWake,
  signal,
  wake,
} from '../../../src/c/library/threads/condition-state.ts';

interface Chosen {
  readonly blocked: readonly number[];
  readonly woken: readonly number[];
}

const key = ({ blocked, woken }: Chosen): string => `${[...blocked].sort()}|${[...woken].sort()}`;
const without = (threads: readonly number[], t: number): number[] => threads.filter((other) => other !== t);

function unique(states: readonly Chosen[]): Chosen[] {
  return [...new Map(states.map((state) => [key(state), state])).values()];
}

const specification = {
  wait: (s: Chosen, t: number): Chosen[] => [{ ...s, blocked: [...s.blocked, t] }],
  signal: (s: Chosen): Chosen[] =>
    s.blocked.length === 0 ? [s] : s.blocked.map((t) => ({ blocked: without(s.blocked, t), woken: [...s.woken, t] })),
  broadcast: (s: Chosen): Chosen[] => [{ blocked: [], woken: [...s.woken, ...s.blocked] }],
  wake: (s: Chosen, t: number): Chosen[] => (s.woken.includes(t) ? [{ ...s, woken: without(s.woken, t) }] : []),
  'time out': (s: Chosen, t: number): Chosen[] =>
    s.blocked.includes(t) ? [{ ...s, blocked: without(s.blocked, t) }] : [],
};

type Event = keyof typeof specification;

function modelStep(state: Condition, event: Event, t: number): Condition | undefined {
  switch (event) {
    case 'wait':
      return enqueue(state, t);
    case 'signal':
      return signal(state);
    case 'broadcast':
      return broadcast(state);
    case 'wake':
      return mayWake(state, t) ? wake(state, t) : undefined;
    case 'time out':
      return isReleased(state, t) ? undefined : leave(state, t);
  }
}

/** Not `expect`, which is slow: this is asked very often. */
function holds(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

function invariant(state: Condition): void {
  state.wakeUps.forEach((threads, i) => {
    holds(threads.length > i + 1, `wake-up ${i} of ${encode(state)} is for too few`);
    const next = state.wakeUps[i + 1] ?? state.waiting;
    holds(
      threads.every((t) => next.includes(t)),
      `the wake-ups of ${encode(state)} are not nested`,
    );
  });
  holds(!state.waiting.some((t) => state.released.includes(t)), `${encode(state)}: waiting and released`);
  holds(encode(decode(encode(state))) === encode(state), `${encode(state)} is not read back`);
}

/** Waiters wait so many times each; how they stop waiting is open. */
function compare(rounds: readonly number[], events: readonly Event[], mayTimeOut: boolean): number {
  const seen = new Set<string>();
  const explore = (state: Condition, states: Chosen[], left: number[], inside: boolean[], at: number): void => {
    const id = `${encode(state)} ${states.map(key).sort()} ${left} ${inside} ${at}`;
    if (seen.has(id)) return;
    seen.add(id);
    invariant(state);
    const step = (event: Event, t: number, go: (next: Condition, after: Chosen[]) => void): void => {
      const next = modelStep(state, event, t);
      const after = unique(states.flatMap((s) => specification[event](s, t)));
      holds((next !== undefined) === after.length > 0, `${event} ${t} after ${id}`);
      if (next !== undefined) go(next, after);
    };
    for (const [t, isInside] of inside.entries()) {
      const others = inside.with(t, !isInside);
      if (!isInside && left[t]! > 0) {
        step('wait', t, (next, after) => explore(next, after, left.with(t, left[t]! - 1), others, at));
      }
      if (!isInside) continue;
      step('wake', t, (next, after) => explore(next, after, left, others, at));
      if (mayTimeOut) step('time out', t, (next, after) => explore(next, after, left, others, at));
    }
    const event = events[at];
    if (event !== undefined) step(event, -1, (next, after) => explore(next, after, left, inside, at + 1));
    // nobody is woken for nothing: if one of the possible choices has nobody to wake, none has
    const stuck = states.filter((s) => s.woken.length === 0).length;
    holds(stuck === 0 || stuck === states.length, `stuck by chance after ${id}`);
  };
  const none = { waiting: [], wakeUps: [], released: [], isDestroyed: false };
  explore(
    none,
    [{ blocked: [], woken: [] }],
    [...rounds],
    rounds.map(() => false),
    0,
  );
  return seen.size;
}

describe('a signal wakes one of those that waited then', () => {
  const cases: [string, number[], Event[]][] = [
    ['one waiter, two signals', [2], ['signal', 'signal']],
    ['two waiters, one signal', [1, 1], ['signal']],
    ['two waiters that wait again, three signals', [2, 2], ['signal', 'signal', 'signal']],
    ['three waiters that wait again, three signals', [2, 2, 2], ['signal', 'signal', 'signal']],
    ['four waiters, three signals', [1, 1, 1, 1], ['signal', 'signal', 'signal']],
    ['three waiters, a signal, a broadcast, two signals', [2, 2, 1], ['signal', 'broadcast', 'signal', 'signal']],
  ];
  for (const [name, rounds, events] of cases) {
    test(name, () => {
      expect(compare(rounds, events, false)).toBeGreaterThan(5);
      expect(compare(rounds, events, true)).toBeGreaterThan(5);
    });
  }
});

test('who waits later does not take the wake-up of those before', () => {
  let state = decode(0);
  state = enqueue(enqueue(state, 1), 2);
  state = enqueue(signal(state), 3);
  expect(mayWake(state, 1)).toBe(true);
  expect(mayWake(state, 3)).toBe(false);
  state = wake(state, 2);
  expect(mayWake(state, 1)).toBe(false);
});

test('a signal that nobody waits for changes nothing', () => {
  const state = decode(0);
  expect(signal(state)).toBe(state);
  expect(broadcast(state)).toBe(state);
  const released = broadcast(enqueue(state, 1));
  expect(signal(released)).toBe(released);
});

test('waking from a broadcast only reads', () => {
  const state = broadcast(enqueue(enqueue(decode(0), 1), 2));
  expect(wake(state, 1)).toBe(state);
});
