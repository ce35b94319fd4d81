import { describe, expect, test } from 'vitest';
import { Reader, scan } from '../../../src/c/library/text/scan.ts';
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
  test.each(['scanf', 'getchar', 'read', 'getline'])('%s is refused by name if there is none', (name) => {
    const world = new World();
    const target = world.global(4);
    const args = {
      scanf: [world.string('%d'), target],
      read: [0, target, 1],
      getline: [target, target, streams.stdin],
    };
    const call = () => world.call(name, ...(args[name as keyof typeof args] ?? []));
    expect(call).toThrow(`${name}: there is no input. Give some with --stdin FILE`);
  });

  test('files are refused', () => {
    const world = new World({ input: 'a' });
    expect(() => world.call('fopen', 0, 0)).toThrow('fopen: files are not modelled');
    expect(() => world.call('fgetc', streams.stdout)).toThrow('files are not modelled');
    expect(() => world.call('fgetc', 0)).toThrow('null');
    expect(() => world.call('read', 5, world.object(1), 1)).toThrow('files are not modelled');
  });

  test('is read from one end to the other, by all together', () => {
    const world = new World({ input: 'ab\ncde\nfghij\n12 x' });
    expect(world.call('getchar')).toBe(97);
    expect(world.call('fgetc', streams.stdin)).toBe(98);
    expect(world.call('ungetc', 98, streams.stdin)).toBe(98);
    expect(() => world.call('ungetc', 99, streams.stdin)).toThrow('another character');
    const target = world.object(8);
    expect(world.call('fgets', target, 8, streams.stdin)).toBe(target);
    expect(world.text(target)).toBe('b\n');
    expect(world.call('fgets', target, 3, streams.stdin)).toBe(target);
    expect(world.text(target)).toBe('cd');
    expect(world.call('fread', target, 2, 2, streams.stdin)).toBe(2);
    expect(world.call('read', 0, target, 4)).toBe(4);
    expect(world.call('feof', streams.stdin)).toBe(0);
    const number = world.global(4);
    expect(world.call('scanf', world.string('%d'), number)).toBe(1);
    expect(world.word(number)).toBe(12);
    expect(world.call('scanf', world.string('%d'), number)).toBe(0);
    expect(world.call('fread', target, 1, 8, streams.stdin)).toBe(1);
    expect(world.call('feof', streams.stdin)).toBe(1);
    expect(world.call('getchar')).toBe(-1);
    expect(world.call('fgets', target, 8, streams.stdin)).toBe(0);
    expect(world.call('scanf', world.string('%d'), number)).toBe(-1);
  });

  test('getline makes room', () => {
    const world = new World({ input: `short\n${'long'.repeat(50)}` });
    const [line, size] = [world.global(4), world.global(4)];
    expect(world.call('getline', line, size, streams.stdin)).toBe(6);
    expect(world.text(world.word(line))).toBe('short\n');
    const first = world.word(line);
    expect(world.call('getline', line, size, streams.stdin)).toBe(200);
    expect(world.word(size)).toBe(201);
    expect(world.word(line)).not.toBe(first);
    expect(world.call('getline', line, size, streams.stdin)).toBe(-1);
  });

  // format, text, result, what is left, what was found
  test.each([
    ['%d %i %x %o %u', ' -12 0x1f ff 17 4294967295;', 5, ';', [-12, 31, 255, 15, -1]],
    ['%i %i', '017 9', 2, '', [15, 9]],
    ['%hhd %lld %hd', '300 -5000000000 1', 3, '', [44, -5000000000n, 1]],
    ['%3d%d', '12345', 2, '', [123, 45]],
    ['%*d %d', '1 2', 1, '', [2]],
    ['%d,%d', '1,2', 2, '', [1, 2]],
    ['%d,%d', '1;2', 1, ';2', [1]],
    ['%d %%', '5 %', 1, '', [5]],
    ['%d', 'x', 0, 'x', []],
    ['%d', '-x', 0, 'x', []],
    ['%d', '  ', -1, '', []],
    ['%s%n', 'word and', 1, ' and', ['word', 4]],
    ['%2s', 'word', 1, 'rd', ['wo']],
    ['%[a-c]%c', 'abcd', 2, '', ['abc', 'd']],
    ['%[^,],%[]x]', 'k=v,]x]y', 2, 'y', ['k=v', ']x]']],
    ['%lf %f', '2.5e1x 1', 1, 'x 1', [25]],
    ['%c', ' ', 1, '', [' ']],
  ] as const)('%s of "%s"', (format, text, result, left, found) => {
    const input = new Reader(text);
    const scanned = scan(format, input, (what) => {
      throw new Error(what);
    });
    const values = scanned.assignments.map((each) =>
      'bytes' in each ? new TextDecoder().decode(each.bytes).replace('\0', '') : each.value,
    );
    expect([scanned.result, input.text.slice(input.at), values]).toEqual([result, left, found]);
  });

  test('of a string', () => {
    const world = new World();
    const [a, b] = [world.global(4), world.object(8)];
    expect(world.call('sscanf', world.string('7 up'), world.string('%d %s'), a, b)).toBe(2);
    expect([world.word(a), world.text(b)]).toEqual([7, 'up']);
    expect(() => world.call('sscanf', world.string('7'), world.string('%Lf'), b)).toThrow('long double');
  });
});
