import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Cache, hashOf } from '../../../src/c/compile/cache.ts';
import { folderWith } from '../../cli/heddle.ts';

const entry = { text: 'define i32 @main()\n', messages: 'x.c:1:1: warning: …\nand more\n' };

test('gives back what was put in, also with nothing in it', () => {
  const cache = new Cache(join(folderWith({}), 'made', 'on', 'demand'));
  expect(cache.read('k')).toBeUndefined();
  cache.write('k', entry);
  expect(cache.read('k')).toEqual(entry);
  cache.write('empty', { text: '', messages: '' });
  expect(cache.read('empty')).toEqual({ text: '', messages: '' });
  expect(cache.read('other')).toBeUndefined();
});

test('an entry that is damaged is none, and is written anew', () => {
  const folder = folderWith({});
  const cache = new Cache(folder);
  cache.write('k', entry);
  const file = join(folder, 'k.ir');
  const whole = readFileSync(file, 'utf8');
  for (const damaged of [
    '',
    '\n',
    '\n\n',
    whole.slice(0, -1),
    whole.replace('main', 'nain'),
    `${whole}x`,
    '\0'.repeat(99),
  ]) {
    writeFileSync(file, damaged);
    expect(cache.read('k')).toBeUndefined();
  }
  cache.write('k', entry);
  expect(cache.read('k')).toEqual(entry);
  expect(readdirSync(folder)).toEqual(['k.ir']);
});

test('a folder that cannot be used does no harm', () => {
  const folder = folderWith({ file: '' });
  for (const cache of [
    new Cache(undefined),
    new Cache(join(folder, 'file')),
    new Cache(join(folder, 'file', 'under')),
  ]) {
    cache.write('k', entry);
    expect(cache.read('k')).toBeUndefined();
  }
  mkdirSync(join(folder, 'k.ir'));
  expect(new Cache(folder).read('k')).toBeUndefined();
});

test('keeps the latest 4000, and what is read counts as new', () => {
  const folder = folderWith({ 'notes.txt': '', 'left.tmp': '' });
  const cache = new Cache(folder);
  const long = new Date(Date.now() - 3_600_000);
  for (let i = 0; i < 4000; i++) {
    writeFileSync(join(folder, `old-${i}.ir`), '');
    utimesSync(join(folder, `old-${i}.ir`), long, long);
  }
  utimesSync(join(folder, 'left.tmp'), long, long);
  cache.write('used', entry);
  utimesSync(join(folder, 'used.ir'), long, long);
  cache.read('used');
  expect(Date.now() - statSync(join(folder, 'used.ir')).mtimeMs).toBeLessThan(60_000);
  for (let i = 0; i < 3; i++) cache.write(`new-${i}`, entry);
  const names = readdirSync(folder).filter((name) => name.endsWith('.ir'));
  expect(names).toHaveLength(4000);
  expect(names).toEqual(expect.arrayContaining(['used.ir', 'new-0.ir', 'new-1.ir', 'new-2.ir']));
  expect(existsSync(join(folder, 'left.tmp'))).toBe(false);
  expect(existsSync(join(folder, 'notes.txt'))).toBe(true);
});

test('keys tell lists of parts apart', () => {
  const keys = [['ab', 'c'], ['a', 'bc'], ['abc'], ['abc', ''], []].map(hashOf);
  expect(new Set(keys).size).toBe(keys.length);
  expect(hashOf(['x', Buffer.from('y')])).toBe(hashOf(['x', 'y']));
});
