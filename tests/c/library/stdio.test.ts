import { describe, expect, test } from 'vitest';
import { streams } from '../../../src/c/library/text/stdio.ts';
import { World } from './fake.ts';

describe('output', () => {
  test('to stdout and stderr, in any way', () => {
    const world = new World();
    expect(world.call('puts', world.string('line'))).toBe(0);
    expect(world.call('putchar', 65)).toBe(65);
    expect(world.call('putchar', 0x141)).toBe(65);
    world.call('fputs', world.string('b'), streams.stderr);
    world.call('fputc', 99, streams.stdout);
    world.call('putc', 100, streams.stdout);
    world.call('fprintf', streams.stderr, world.string('%d\n'), 5);
    expect(world.call('fwrite', world.string('xyz'), 1, 3, streams.stdout)).toBe(3);
    expect(world.call('fwrite', world.string('xyz'), 0, 3, streams.stdout)).toBe(0);
    expect(world.call('write', 1, world.string('w'), 1)).toBe(1);
    expect(world.call('write', 7, world.string('w'), 1)).toBe(-1);
    world.call('dprintf', 2, world.string('%s'), world.string('!'));
    expect(world.output).toBe('line\nAAbcd5\nxyzw!');
    expect(world.call('fflush', streams.stdout)).toBe(0);
    expect(world.call('fflush', 0)).toBe(0);
  });

  test('perror tells what errno means', () => {
    const world = new World();
    world.setWord(world.literal('errno: '), 48);
    world.call('perror', world.string('malloc'));
    world.call('perror', 0);
    expect(world.output).toBe('malloc: Out of memory\nOut of memory\n');
  });

  test('streams that are none', () => {
    const world = new World();
    const text = world.string('x');
    expect(() => world.call('fputs', text, streams.stdin)).toThrow('stdin');
    expect(() => world.call('fputs', text, 0)).toThrow('null');
    expect(() => world.call('fputs', text, 1000)).toThrow('files are not modelled');
  });
});

describe('into memory', () => {
  test('snprintf writes what fits and tells what would have', () => {
    const world = new World();
    const target = world.object(4);
    expect(world.call('snprintf', target, 4, world.string('%d'), 12345)).toBe(5);
    expect(world.text(target)).toBe('123');
    expect(world.call('snprintf', 0, 0, world.string('%d'), 12345)).toBe(5);
    expect(() => world.call('sprintf', target, world.string('%d'), 12345)).toThrow('access');
    expect(world.call('sprintf', target, world.string('%s'), world.string('abc'))).toBe(3);
    expect(world.text(target)).toBe('abc');
  });

  test('asprintf allocates', () => {
    const world = new World();
    const result = world.global(4);
    expect(world.call('asprintf', result, world.string('<%5.1f>'), 2.25)).toBe(7);
    expect(world.text(world.word(result))).toBe('<  2.2>');
    world.call('free', world.word(result));
  });
});

describe('input', () => {
  for (const name of ['scanf', 'getchar', 'fopen', 'read', 'fgets']) {
    test(`${name} is refused by name`, () => expect(() => new World().call(name, 0, 0, 0)).toThrow(`${name}: `));
  }
});
