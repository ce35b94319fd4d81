import { expect, test } from 'vitest';
import { identityOf, MAIN } from '../../src/program/identity.ts';

/** All paths below `path` of at most `depth` more components, each less than `width`. */
function pathsBelow(path: string, depth: number, width: number): string[] {
  if (depth === 0) return [path];
  return [path, ...Array.from({ length: width }, (_, k) => pathsBelow(`${path}.${k}`, depth - 1, width)).flat()];
}

test('main is 1, and its children come after it', () => {
  expect(['0', '0.0', '0.1', '0.1000'].map(identityOf)).toEqual([MAIN, 2, 3, 1002]);
});

test.each([
  [5, 8],
  [12, 2],
  [3, 40],
  [25, 1],
])('paths of at most %i components below %i have different identities', (depth, width) => {
  const paths = pathsBelow('0', depth, width);
  expect(new Set(paths.map(identityOf)).size).toBe(paths.length);
});

test('identities are positive and fit into 31 bits, however long the path is', () => {
  const paths = ['0.1048574', '0.99999999', `0${'.7'.repeat(100)}`, `0${'.0'.repeat(1000)}`, '0.3.99999999.0'];
  for (const identity of paths.map(identityOf)) {
    expect(Number.isInteger(identity)).toBe(true);
    expect(identity).toBeGreaterThanOrEqual(2 ** 20);
    expect(identity).toBeLessThan(2 ** 31);
  }
});

test('long paths rarely have the same identity', () => {
  const paths = pathsBelow(`0${'.9'.repeat(5)}`, 4, 8);
  expect(new Set(paths.map(identityOf)).size).toBe(paths.length);
});

test('an identity does not change from version to version: traces hold it', () => {
  expect(['0.0.0', '0.1.0', '0.2.5.1', `0${'.7'.repeat(20)}`].map(identityOf)).toMatchInlineSnapshot(`
    [
      1048583,
      1048597,
      1051442,
      1458989206,
    ]
  `);
});
