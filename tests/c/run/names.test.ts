import { expect, test } from 'vitest';
import type { CType, Member } from '../../../src/c/ir/debug.ts';
import { nameInside, nameOfRange, nameOfSync, showHeld } from '../../../src/c/run/names.ts';

const int: CType = { kind: 'base', name: 'int', size: 4, encoding: 'signed' };
const unsigned: CType = { kind: 'base', name: 'unsigned int', size: 4, encoding: 'unsigned' };
const char: CType = { kind: 'base', name: 'char', size: 1, encoding: 'signed char' };
const double: CType = { kind: 'base', name: 'double', size: 8, encoding: 'float' };
const array = (element: CType, count: number, size: number): CType => ({
  kind: 'array',
  size,
  count,
  element: () => element,
});
const member = (name: string | undefined, type: CType, offset: number): Member => ({
  name,
  type,
  offset,
  isBitField: false,
});
const struct = (name: string, size: number, members: readonly Member[], isUnion = false): CType => ({
  kind: 'struct',
  name,
  isUnion,
  size,
  members: () => members,
});
const node: CType = struct('node', 8, [
  member('value', int, 0),
  member(
    'next',
    pointerTo(() => node),
    4,
  ),
]);
function pointerTo(to: () => CType): CType {
  return { kind: 'pointer', size: 4, to };
}

test('members and elements are named as in C', () => {
  const queue = struct('queue', 28, [member('head', int, 0), member('items', array(node, 3, 24), 4)]);
  expect(nameInside('q', queue, 0, 4, 28).name).toBe('q.head');
  expect(nameInside('q', queue, 24, 4, 28)).toMatchObject({ name: 'q.items[2].next', type: { kind: 'pointer' } });
  expect(nameInside('m', array(array(int, 3, 12), 2, 24), 20, 4, 24).name).toBe('m[1][2]');
  expect(nameInside('x', int, 0, 4, 4)).toEqual({ name: 'x', type: int });
  expect(nameInside('x', int, 1, 1, 4).name).toBe('x+1');
  expect(nameInside('q', queue, 20, 8, 28)).toMatchObject({ name: 'q.items[2]', type: { kind: 'struct' } });
  expect(nameInside('q', queue, 0, 28, 28).name).toBe('q');
});

test('memory from malloc that is larger than its type is an array of it', () => {
  expect(nameInside('node#1', node, 12, 4, 24).name).toBe('node#1[1].next');
  expect(nameInside('node#1', node, 0, 0, 24).name).toBe('node#1');
  expect(nameInside('node#1', node, 8, 0, 24).name).toBe('node#1[1]');
  expect(nameInside('node#1', node, 4, 4, 8).name).toBe('node#1.next');
  expect(nameInside('heap#1', undefined, 4, 4, 8).name).toBe('heap#1+4');
});

test('memory from malloc that ends in an array of any length is one struct', () => {
  const open = array(int, 0, 0);
  const buffer = struct('buffer', 4, [member('length', int, 0), member('data', open, 4)]);
  expect(nameInside('buffer#1', buffer, 0, 4, 20).name).toBe('buffer#1.length');
  expect(nameInside('buffer#1', buffer, 12, 4, 20).name).toBe('buffer#1.data[2]');
  const old = struct('old', 8, [member('length', int, 0), member('data', array(int, 1, 4), 4)]);
  expect(nameInside('old#1', old, 16, 4, 20).name).toBe('old#1.data[3]');
  expect(nameInside('old#1', old, 12, 4, 24).name).toBe('old#1[1].data[0]');
});

test('several things at once are named by what has them all', () => {
  const queue = struct('queue', 28, [member('head', int, 0), member('items', array(node, 3, 24), 4)]);
  expect(nameOfRange('q', queue, 0, 28, 28)).toBe('q');
  expect(nameOfRange('q', queue, 4, 24, 28)).toBe('q.items');
  expect(nameOfRange('q', queue, 12, 8, 28)).toBe('q.items[1]');
  expect(nameOfRange('q', queue, 12, 16, 28)).toBe('q.items[1..2]');
  expect(nameOfRange('node#1', node, 8, 8, 24)).toBe('node#1[1]');
});

test('of a union the member of the size of the access is named; anonymous members have no name', () => {
  const union = struct('u', 8, [member('d', double, 0), member('i', int, 0), member('c', char, 0)], true);
  expect(nameInside('u', union, 0, 8, 8).name).toBe('u.d');
  expect(nameInside('u', union, 0, 4, 8).name).toBe('u.i');
  expect(nameInside('u', union, 0, 1, 8).name).toBe('u.c');
  const half = struct('half', 4, [member('low', char, 0), member('high', char, 2)]);
  const word = struct('word', 4, [member('half', half, 0), member('all', int, 0)], true);
  expect(nameInside('w', word, 0, 4, 4)).toMatchObject({ name: 'w.all', type: int });
  expect(nameInside('w', word, 2, 1, 4).name).toBe('w.half.high');
  const outer = struct('o', 8, [member(undefined, struct('', 8, [member('a', int, 0), member('b', int, 4)]), 0)]);
  expect(nameInside('o', outer, 4, 4, 8).name).toBe('o.b');
});

test('values are shown by their type', () => {
  const place = (address: number): string | undefined => (address === 0x10000 ? '&x' : undefined);
  const pointer = pointerTo(() => int);
  expect(showHeld(0, pointer, 4, place)).toBe('NULL');
  expect(showHeld(0x10000, pointer, 4, place)).toBe('&x');
  expect(showHeld(-16, pointer, 4, place)).toBe('0xfffffff0');
  expect(showHeld(-1, unsigned, 4, place)).toBe('4294967295');
  expect(showHeld(-1, int, 4, place)).toBe('-1');
  expect(showHeld(0x2_0000_0001n, struct('p', 8, [member('x', int, 0), member('y', int, 4)]), 8, place)).toBe('{1, 2}');
  expect(showHeld(0x6261n, array(char, 9, 9), 9, place)).toBe('"ab"');
  expect(showHeld(0x6f6c6c6568n, undefined, 6, place)).toBe('"hello"');
  expect(showHeld(0x6f6c6c6568n, undefined, 8, place)).toBe('478560413032');
  const either = struct(
    'e',
    8,
    [member('pair', struct('p', 8, [member('x', int, 0), member('y', int, 4)]), 0), member('z', int, 0)],
    true,
  );
  expect(showHeld(0x2_0000_0001n, either, 8, () => undefined)).toBe('{1, 2}');
  expect(showHeld(97, char, 1, place)).toBe("'a'");
  expect(showHeld(10, char, 1, place)).toBe('10');
  expect(showHeld(0x3ff8000000000000n, double, 8, place)).toBe('1.5');
  expect(showHeld('uninitialised', int, 4, place)).toBe('uninitialised');
  const colour: CType = { kind: 'enum', name: 'colour', size: 4, names: new Map([[1n, 'RED']]) };
  expect(showHeld(1, colour, 4, place)).toBe('RED');
});

test('of a union it is the member that has something of the size there', () => {
  const short: CType = { kind: 'base', name: 'short', size: 2, encoding: 'signed' } as CType;
  const fields = struct('', 4, [member('a', char, 0), member('b', char, 1), member('c', short, 2)]);
  const word = struct(
    'u',
    4,
    [member('word', int, 0), member('all', fields, 0), member('bytes', array(char, 4, 4), 0)],
    true,
  );
  const name = (offset: number, size: number) => nameInside('u', word, offset, size, 4).name;
  expect([name(0, 4), name(0, 1), name(1, 1), name(2, 2), name(3, 1)]).toEqual([
    'u.word',
    'u.all.a',
    'u.all.b',
    'u.all.c',
    'u.bytes[3]',
  ]);
  expect(name(1, 2)).toBe('u.word+1');
});

test('a mutex at the start of a struct is not the struct', () => {
  const mutex = struct('pthread_mutex_t', 24, [member('_u', array(int, 6, 24), 0)]);
  const box = struct('box', 28, [member('lock', mutex, 0), member('value', int, 24)]);
  expect(nameOfSync('box', box, 0, 28)).toBe('box.lock');
  expect(nameOfSync('locks', array(mutex, 3, 72), 24, 72)).toBe('locks[1]');
  expect(nameOfSync('m', mutex, 0, 24)).toBe('m');
  expect(nameOfSync('heap#1', undefined, 0, 24)).toBe('heap#1');
  expect(nameInside('box', box, 0, 4, 28).name).toBe('box.lock+0'); // its members are nobody's business
  expect(nameInside('box', box, 4, 4, 28).name).toBe('box.lock+4');
});
