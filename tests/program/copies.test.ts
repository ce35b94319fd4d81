import { describe, expect, test } from 'vitest';
import { Copies } from '../../src/program/copies.ts';
import { Values } from '../../src/program/values.ts';

const frozen = <T extends object>(value: T): T => {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) frozen(part);
  return Object.freeze(value);
};

/** A run that makes objects, one that gets them, and the maker run again. */
function runs() {
  const shared = { values: new Values(), opaque: () => undefined };
  return {
    values: shared.values,
    maker: new Copies(shared, undefined),
    other: new Copies(shared, undefined),
    again: new Copies(shared, undefined),
  };
}

const bare = Object.assign(Object.create(null) as object, { a: 1 });
const sparse: unknown[] = [1];
sparse[3] = 'three';
sparse.length = 6;
const named = JSON.parse('{"__proto__": {"a": 1}, "b": 2}') as object;

describe('a copy of an object that another run has made', () => {
  test.each([
    ['an object', { a: 1, b: 'two', c: null, d: undefined, e: -0, f: 12n }],
    ['an array', [1, [2, [3]], {}]],
    ['an array with holes', sparse],
    ['an object without prototype', bare],
    ['a field __proto__', named],
  ])('looks like it: %s', (_, value) => {
    const { values, maker, other } = runs();
    frozen(value);
    expect(maker.meet(value)).toBe(true);
    const id = values.idOf(value);
    const copy = other.of(id);
    expect(maker.of(id)).toBe(value);
    expect(copy).not.toBe(value);
    expect(copy).toStrictEqual(value);
    expect(Object.getPrototypeOf(copy)).toBe(Object.getPrototypeOf(value));
    expect(Object.getOwnPropertyNames(copy)).toEqual(Object.getOwnPropertyNames(value));
    expect(Object.isFrozen(copy)).toBe(true);
    expect(values.idOf(copy)).toBe(id);
    expect(other.of(id)).toBe(copy);
    expect(other.meet(copy)).toBe(true); // it may pass it on
  });

  test('has parts that are the same objects where they are in the first', () => {
    const { values, maker, other } = runs();
    const part = { n: 1 };
    const value: Record<string, unknown> = { a: part, b: [part], c: { n: 1 } };
    value.self = value;
    Object.freeze(part);
    Object.freeze(value.b);
    Object.freeze(value.c);
    Object.freeze(value);
    expect(maker.meet(value)).toBe(true);
    const own = other.of(values.idOf(part));
    const copy = other.of(values.idOf(value)) as { a: object; b: object[]; c: object; self: object };
    expect([copy.a, copy.b[0], copy.self]).toEqual([own, own, copy]);
    expect(copy.a).toBe(own);
    expect(copy.b[0]).toBe(own);
    expect(copy.self).toBe(copy);
    expect(copy.c).not.toBe(own);
  });

  test('of a list of any length', () => {
    const { values, maker, other } = runs();
    let list: object | undefined;
    for (let i = 0; i < 50_000; i++) list = Object.freeze({ i, list });
    expect(maker.meet(list)).toBe(true);
    let length = 0;
    for (let at = other.of(values.idOf(list)) as { list?: object } | undefined; at !== undefined; at = at.list as never)
      length++;
    expect(length).toBe(50_000);
  });
});

describe('what can have no copies', () => {
  class Instance {
    n = 1;
  }
  test.each([
    ['an object that is not frozen', { a: 1 }],
    ['a part that is not frozen', Object.freeze({ a: {} })],
    ['an instance of a class', Object.freeze(new Instance())],
    ['an array of a class of its own', Object.freeze(new (class extends Array {})())],
    ['an accessor', Object.freeze(Object.defineProperty({}, 'a', { get: () => 1, enumerable: true }))],
    ['a field that is hidden', Object.freeze(Object.defineProperty({}, 'a', { value: 1 }))],
    ['a symbol as a field', Object.freeze({ [Symbol('a')]: 1 })],
    ['a function', Object.freeze({ a: () => 1 })],
    ['a symbol', Object.freeze({ a: Symbol('a') })],
    ['a Map', Object.freeze(new Map())],
  ])('%s', (_, value) => {
    expect(runs().maker.meet(value)).toBe(false);
  });

  test('what is new after the run has spawned others, unless it is made by the operation itself', () => {
    const { maker } = runs();
    maker.hasSpawned = true;
    expect(maker.meet(Object.freeze({ a: 1 }))).toBe(false);
    expect(maker.meet(Object.freeze({ a: 1 }), Object.freeze({ a: 1 }))).toBe(true);
    expect(maker.hasNew).toBe(false);
    const constant = Object.freeze({});
    expect(maker.meet(Object.freeze({ constant }), Object.freeze({ constant }))).toBe(false);
    expect(maker.meet(constant, constant)).toBe(false);
  });

  test('the copy of another run', () => {
    const { values, maker, other } = runs();
    const value = Object.freeze({});
    expect(maker.meet(value)).toBe(true);
    expect(other.meet(value)).toBe(false);
    other.of(values.idOf(value));
    expect(other.meet(value)).toBe(false);
  });
});

describe('what a thread makes again', () => {
  const before = frozen({ a: { n: 1 }, b: [1, 2] });
  const meetsAgain = (again: unknown): boolean => {
    const { values, maker, again: copies } = runs();
    maker.meet(before);
    return copies.meetAgain(again, values.idOf(before));
  };

  test('has the number that it had', () => {
    const { values, maker, again } = runs();
    maker.meet(before);
    const id = values.idOf(before);
    const made = frozen({ a: { n: 1 }, b: [1, 2] });
    expect(again.meetAgain(made, id)).toBe(true);
    expect([values.idOf(made), values.idOf(made.a)]).toEqual([id, values.idOf(before.a)]);
    expect(again.of(id)).toBe(made);
    expect(again.meetAgain(made, id)).toBe(true);
  });

  test.each([
    ['another value', frozen({ a: { n: 2 }, b: [1, 2] })],
    ['another order of fields', frozen({ b: [1, 2], a: { n: 1 } })],
    ['a field less', frozen({ a: { n: 1 } })],
    ['a field more', frozen({ a: { n: 1 }, b: [1, 2], c: undefined })],
    ['an object that is no array', frozen({ a: { n: 1 }, b: { 0: 1, 1: 2, length: 2 } })],
    ['what is not frozen', Object.freeze({ a: { n: 1 }, b: [1, 2] })],
    ['no object', 1],
    ['a function', () => 1],
    ['the same object', before],
    ['the same part', frozen({ a: before.a, b: [1, 2] })],
  ])('%s is not that', (_, again) => {
    expect(meetsAgain(again)).toBe(false);
  });

  test('main may have the same object each time', () => {
    const shared = { values: new Values(), opaque: () => undefined };
    new Copies(shared, undefined, true).meet(before);
    expect(new Copies(shared, undefined, true).meetAgain(before, shared.values.idOf(before))).toBe(true);
  });
});

test('a run that is spawned has what the one that spawns it had by then', () => {
  const shared = { values: new Values(), opaque: () => undefined };
  const parent = new Copies(shared, undefined);
  const early = Object.freeze({ n: 1 });
  parent.meet(early);
  const child = new Copies(shared, parent.forChild());
  const late = Object.freeze({ early });
  parent.meet(late);
  expect(child.of(shared.values.idOf(early))).toBe(early);
  const copy = child.of(shared.values.idOf(late)) as { early: object };
  expect(copy).not.toBe(late);
  expect(copy.early).toBe(early);
});

test('a variable is one and the same for all, but for who makes it again', () => {
  const variables = [{}, {}];
  const isVariable = (value: object): number | undefined => (variables.includes(value) ? 7 : undefined);
  const shared = { values: new Values(), opaque: isVariable };
  const [maker, other, again] = [
    new Copies(shared, undefined),
    new Copies(shared, undefined),
    new Copies(shared, undefined),
  ];
  const [first, second] = variables as [object, object];
  const value = Object.freeze({ first });
  expect(maker.meet(value)).toBe(true);
  const id = shared.values.idOf(value);
  expect((other.of(id) as typeof value).first).toBe(first);
  expect(other.meet(first)).toBe(true);
  expect(again.meetAgain(Object.freeze({ first: second }), id)).toBe(true);
  expect(again.meet(second)).toBe(true);
  expect(again.meet(first)).toBe(false);
});
