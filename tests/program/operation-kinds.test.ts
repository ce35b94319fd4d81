/** The table of kinds of operations: what rows must agree on. */
import { describe, expect, test } from 'vitest';
import { Behaviours } from '../../src/program/behaviours.ts';
import { NONE } from '../../src/program/columns.ts';
import { extentOf } from '../../src/program/extent.ts';
import {
  KEEP,
  MUTEX_DESTROYED,
  mutexValue,
  type Operation,
  type OperationKind,
  type Slice,
} from '../../src/program/operation.ts';
import { describeOperation, isSameOperation, kindOf, outcomeOf, verbOf } from '../../src/program/operation-kinds.ts';
import { nameOfOrder } from '../../src/program/orders.ts';
import { Step } from '../../src/program/step.ts';
import { bare, cell, lifetime, mutexAt } from './bare.ts';

const x = cell('x');
const m = mutexAt('m');
const object = lifetime();
const order = 'acquire';
const isOne = (value: unknown): boolean => value === 1;
const increment = (old: unknown): unknown => (old as number) + 1;

/** The low byte of a word. */
const lowByte: Slice = {
  extent: extentOf(0, 1, 4),
  get: (whole) => (whole as number) & 0xff,
  put: (whole, part) => ((whole as number) & ~0xff) | (part as number),
  name: () => 'x.low',
  show: String,
};

/** One operation of each kind, and one of the same kind that differs in what only this kind has; undefined: nothing does. */
const examples: {
  readonly [K in OperationKind]: readonly [Operation & { kind: K }, (Operation & { kind: K }) | undefined];
} = {
  load: [{ kind: 'load', location: x, order }, undefined],
  store: [
    { kind: 'store', location: x, order, value: 0 },
    { kind: 'store', location: x, order, value: -0 },
  ],
  'store-part': [
    { kind: 'store-part', location: x, order, slice: lowByte, value: 1 },
    { kind: 'store-part', location: x, order, slice: lowByte, value: 2 },
  ],
  update: [
    { kind: 'update', location: x, order, name: 'add', operand: 1, apply: increment },
    { kind: 'update', location: x, order, name: 'add', operand: 2, apply: increment },
  ],
  'compare-exchange': [
    { kind: 'compare-exchange', location: x, order, expected: 1, desired: 2, failureOrder: 'relaxed', weak: false },
    { kind: 'compare-exchange', location: x, order, expected: 1, desired: 3, failureOrder: 'relaxed', weak: false },
  ],
  'await-load': [{ kind: 'await-load', location: x, order, until: isOne }, undefined],
  'await-exchange': [{ kind: 'await-exchange', location: x, order, until: isOne, value: 2 }, undefined],
  'await-compare-exchange': [
    { kind: 'await-compare-exchange', location: x, order, expected: 1, desired: 2 },
    { kind: 'await-compare-exchange', location: x, order, expected: 0, desired: 2 },
  ],
  'await-update': [
    { kind: 'await-update', location: x, order, name: 'take', until: isOne, apply: increment },
    { kind: 'await-update', location: x, order, name: 'give', until: isOne, apply: increment },
  ],
  fence: [{ kind: 'fence', order }, undefined],
  'mutex-init': [
    { kind: 'mutex-init', location: m },
    { kind: 'mutex-init', location: m, type: 1 },
  ],
  lock: [{ kind: 'lock', location: m }, undefined],
  trylock: [{ kind: 'trylock', location: m }, undefined],
  unlock: [
    { kind: 'unlock', location: m },
    { kind: 'unlock', location: m, type: 1 },
  ],
  'mutex-destroy': [{ kind: 'mutex-destroy', location: m }, undefined],
  spawn: [{ kind: 'spawn', name: 'worker', start: () => ({ resume: () => ({ kind: 'end', value: 0 }) }) }, undefined],
  join: [
    { kind: 'join', thread: 1 },
    { kind: 'join', thread: 2 },
  ],
  choose: [
    { kind: 'choose', count: 2 },
    { kind: 'choose', count: 3 },
  ],
  block: [{ kind: 'block' }, { kind: 'block', reason: 'bound' }],
  yield: [{ kind: 'yield' }, undefined],
  allocate: [
    { kind: 'allocate', location: object, size: 1, isHeap: true },
    { kind: 'allocate', location: object, size: 1, isHeap: false },
  ],
  free: [{ kind: 'free', location: object }, undefined],
  print: [
    { kind: 'print', text: 'a' },
    { kind: 'print', text: 'b' },
  ],
  end: [
    { kind: 'end', value: 1 },
    { kind: 'end', value: 2 },
  ],
  fail: [
    { kind: 'fail', failure: { kind: 'assertion', message: 'a', position: undefined } },
    { kind: 'fail', failure: { kind: 'assertion', message: 'b', position: undefined } },
  ],
  exit: [
    { kind: 'exit', status: 0 },
    { kind: 'exit', status: 1 },
  ],
};
const pairs = Object.entries(examples);

/** The state of a thread that asks for the operation. */
function stateOf(operation: Operation): { readonly b: Behaviours; readonly s: number } {
  const b = new Behaviours(
    bare(function* () {
      yield operation;
    }),
  );
  return { b, s: b.main() };
}

test.each(pairs)('%s is the same as itself, and as no other', (_, [operation, other]) => {
  expect(isSameOperation(operation, { ...operation }, Object.is)).toBe(true);
  if (other !== undefined) expect(isSameOperation(operation, other, Object.is)).toBe(false);
});

test.each(pairs)('%s can block if some value does not let it through', (_, [operation]) => {
  const { step, mayBlock } = kindOf(operation);
  const values = [0, 1, 2];
  expect(step === Step.READ && values.some((value) => outcomeOf(operation, value).stuck)).toBe(mayBlock);
});

test.each(pairs)('%s accesses its location if it reads or writes', (_, [operation]) => {
  const { b, s } = stateOf(operation);
  const isAccess = b.step[s] === Step.READ || b.step[s] === Step.WRITE;
  expect(b.location[s] !== NONE).toBe(isAccess);
  expect(kindOf(operation).value !== undefined).toBe(b.step[s] === Step.WRITE || b.step[s] === Step.END);
});

describe('what operations write', () => {
  test('an update writes what its function gives, but not KEEP', () => {
    const [update] = examples.update;
    expect(outcomeOf(update, 1)).toMatchObject({ result: 1, writes: true, value: 2 });
    expect(outcomeOf({ ...update, apply: () => KEEP }, 1)).toMatchObject({ result: 1, writes: false });
  });

  test('a mutex keeps its type, and is held or not', () => {
    expect(outcomeOf(examples.lock[0], mutexValue(1, false))).toMatchObject({ result: 1, value: mutexValue(1, true) });
    expect(kindOf(examples.unlock[0]).value?.(examples.unlock[1] as Operation)).toBe(mutexValue(1, false));
    expect(kindOf(examples['mutex-destroy'][0]).value?.(examples['mutex-destroy'][0])).toBe(MUTEX_DESTROYED);
    expect(() => outcomeOf(examples.trylock[0], MUTEX_DESTROYED)).toThrow('the mutex m was destroyed');
  });
});

test('a compare-exchange that fails is of its failure order, and a trylock orders nothing then', () => {
  const names = (operation: Operation): string[] => {
    const kind = kindOf(operation);
    return [kind.order(operation), kind.orderIfKept(operation)].map((o) => nameOfOrder(o));
  };
  expect(names(examples['compare-exchange'][0])).toEqual(['acquire', 'relaxed']);
  expect(names(examples.trylock[0])).toEqual(['acquire', 'relaxed']);
  expect(names(examples.update[0])).toEqual(['acquire', 'acquire']);
  expect(names(examples.unlock[0])).toEqual(['release', 'release']);
});

test('operations in words', () => {
  const names = { numberOf: () => 7, threads: [{ name: 'main', identity: 1 }] };
  const words = (operation: Operation): string => describeOperation(operation, names);
  expect(words(examples.load[0])).toBe('a load of x (acquire)');
  expect(words({ ...examples.load[0], location: cell(undefined as unknown as string) })).toBe(
    'a load of shared #7 (acquire)',
  );
  expect(words(examples.update[0])).toBe('add(1) on x (acquire)');
  expect(words(examples.lock[0])).toBe('lock of m');
  expect(words(examples.join[0])).toBe('a join of main');
  expect(words(examples.join[1] as Operation)).toBe('a join of thread 2');
  expect(words(examples.block[1] as Operation)).toBe('the bound of a loop');
});

test('a kind that is not known accesses, like one that has no better word', () => {
  expect(['load', 'trylock', 'fence', 'toString', 'teleport'].map(verbOf)).toEqual([
    'loads',
    'locks',
    'accesses',
    'accesses',
    'accesses',
  ]);
});
