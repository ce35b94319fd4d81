import { describe, expect, test } from 'vitest';
import { World } from './fake.ts';

const sign = (n: unknown): number => Math.sign(n as number);

describe('memory', () => {
  test('memcpy, memmove, memset', () => {
    const world = new World();
    const a = world.string('abcdefgh');
    expect(world.call('memmove', a + 2, a, 4)).toBe(a + 2);
    expect(world.text(a)).toBe('ababcdgh');
    expect(world.call('memset', a, 0x178, 3)).toBe(a);
    expect(world.text(a)).toBe('xxxbcdgh');
    expect(world.call('memcpy', a, world.string('QQ'), 2)).toBe(a);
    expect(world.call('mempcpy', a, a, 0)).toBe(a);
    expect(world.text(a)).toBe('QQxbcdgh');
    world.call('bzero', a, 1);
    expect(world.text(a)).toBe('');
    expect(() => world.call('memset', a, 0, 10)).toThrow('access');
    expect(world.call('memcpy', 0, 0, 0)).toBe(0);
  });

  test('copying keeps what was never written so', () => {
    const world = new World();
    const [from, to] = [world.object(8), world.global(8)];
    world.setWord(from, 5);
    world.call('memcpy', to, from, 8);
    expect(world.word(to)).toBe(5);
    expect(() => world.call('memcmp', to, to, 8)).toThrow('never written');
  });

  test('memcmp, memchr', () => {
    const world = new World();
    const [a, b] = [world.string('abc\xff'), world.string('abd')];
    expect(sign(world.call('memcmp', a, b, 3))).toBe(-1);
    expect(world.call('memcmp', a, b, 2)).toBe(0);
    expect(world.call('memcmp', a, b, 0)).toBe(0);
    expect(world.call('memchr', a, 99, 3)).toBe(a + 2);
    expect(world.call('memchr', a, 120, 3)).toBe(0);
    expect(world.call('memchr', a, 97, -1)).toBe(a); // reads no further than it must
    expect(world.call('memrchr', b, 97, 3)).toBe(b);
    expect(world.call('memmem', a, 3, world.string('bc'), 2)).toBe(a + 1);
  });
});

describe('strings', () => {
  test('lengths', () => {
    const world = new World();
    expect(world.call('strlen', world.string(''))).toBe(0);
    expect(world.call('strlen', world.string('hello'))).toBe(5);
    expect(world.call('strnlen', world.string('hello'), 3)).toBe(3);
    expect(() => world.call('strlen', 0)).toThrow('access');
  });

  test('copying', () => {
    const world = new World();
    const target = world.object(8);
    expect(world.call('strcpy', target, world.string('abc'))).toBe(target);
    expect(world.text(target)).toBe('abc');
    expect(world.call('stpcpy', target, world.string('xy'))).toBe(target + 2);
    world.call('strcat', target, world.string('z'));
    expect(world.text(target)).toBe('xyz');
    world.call('strncat', target, world.string('12345'), 2);
    expect(world.text(target)).toBe('xyz12');
    world.call('strncpy', target, world.string('q'), 8);
    expect([...world.bytes.subarray(target - 0x10000, target - 0x10000 + 8)]).toEqual([113, 0, 0, 0, 0, 0, 0, 0]);
    expect(() => world.call('strcpy', target, world.string('12345678'))).toThrow('access');
    expect(world.call('strlcpy', target, world.string('123456789'), 8)).toBe(9);
    expect(world.text(target)).toBe('1234567');
    world.call('strcpy', target, world.string('ab'));
    expect(world.call('strlcat', target, world.string('cdefgh'), 5)).toBe(8);
    expect(world.text(target)).toBe('abcd');
  });

  test('comparing', () => {
    const world = new World();
    const compare = (name: string, a: string, b: string, ...more: number[]): number =>
      sign(world.call(name, world.string(a), world.string(b), ...more));
    expect(compare('strcmp', 'abc', 'abc')).toBe(0);
    expect(compare('strcmp', 'abc', 'abd')).toBe(-1);
    expect(compare('strcmp', 'abc', 'ab')).toBe(1);
    expect(compare('strcmp', '', 'a')).toBe(-1);
    expect(compare('strcmp', '\u00e9', 'z')).toBe(1); // as unsigned bytes
    expect(compare('strncmp', 'abcd', 'abce', 3)).toBe(0);
    expect(compare('strncmp', 'abcd', 'abce', 4)).toBe(-1);
    expect(compare('strcasecmp', 'HeLLo', 'hEllO')).toBe(0);
    expect(compare('strncasecmp', 'HELx', 'hely', 3)).toBe(0);
  });

  test('searching', () => {
    const world = new World();
    const text = world.string('hello world');
    expect(world.call('strchr', text, 0x6f)).toBe(text + 4);
    expect(world.call('strrchr', text, 0x6f)).toBe(text + 7);
    expect(world.call('strchr', text, 0)).toBe(text + 11);
    expect(world.call('strchr', text, 0x7a)).toBe(0);
    expect(world.call('strchrnul', text, 0x7a)).toBe(text + 11);
    expect(world.call('strstr', text, world.string('o w'))).toBe(text + 4);
    expect(world.call('strstr', text, world.string(''))).toBe(text);
    expect(world.call('strstr', text, world.string('xyz'))).toBe(0);
    expect(world.call('strspn', text, world.string('leh'))).toBe(4);
    expect(world.call('strcspn', text, world.string(' '))).toBe(5);
    expect(world.call('strpbrk', text, world.string('wr'))).toBe(text + 6);
    expect(world.call('strpbrk', text, world.string('z'))).toBe(0);
  });

  test('cutting', () => {
    for (const name of ['strtok', 'strtok_r']) {
      const world = new World();
      const state = world.global(4);
      const [text, delimiters] = [world.string('  a,b  ,c '), world.string(' ,')];
      const tokens: string[] = [];
      const more = name === 'strtok_r' ? [state] : [];
      for (let at = world.call(name, text, delimiters, ...more) as number; at !== 0; ) {
        tokens.push(world.text(at));
        at = world.call(name, 0, delimiters, ...more) as number;
      }
      expect(tokens).toEqual(['a', 'b', 'c']);
    }
    const world = new World();
    const state = world.global(4);
    world.setWord(state, world.string('a,,b'));
    const parts: string[] = [];
    for (let at = 1; at !== 0; ) {
      at = world.call('strsep', state, world.string(',')) as number;
      if (at !== 0) parts.push(world.text(at));
    }
    expect(parts).toEqual(['a', '', 'b']);
  });

  test('duplicates and messages', () => {
    const world = new World();
    const copy = world.call('strdup', world.string('abc')) as number;
    expect(world.text(copy)).toBe('abc');
    world.call('free', copy);
    expect(world.text(world.call('strndup', world.string('abc'), 2) as number)).toBe('ab');
    expect(world.text(world.call('strerror', 28) as number)).toBe('Invalid argument');
    const target = world.object(8);
    expect(world.call('strerror_r', 28, target, 8)).toBe(68);
    expect(world.text(target)).toBe('Invalid');
  });
});
