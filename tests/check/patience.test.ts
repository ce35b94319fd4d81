/** When an execution is taken not to end: by time and by progress. */
import { describe, expect, test } from 'vitest';
import { checkSync } from '../../src/check/check.ts';
import { Patience } from '../../src/check/patience.ts';
import type { Operation } from '../../src/program/operation.ts';
import { bare, cell, load, store } from '../program/bare.ts';

describe('patience', () => {
  test.each([
    // executions, operations, ms
    ['a long execution that takes no time', [[0, 2_000_000, 4000]], false],
    ['a long one that takes long', [[0, 2_000_000, 6000]], true],
    ['a slow machine', [[0, 1_000_000, 60_000]], false],
    [
      'executions that end are progress',
      [
        [0, 2_000_000, 4000],
        [1, 2_000_000, 4500],
        [1, 2_000_000, 9000],
      ],
      false,
    ],
    [
      'until they do not',
      [
        [1, 2_000_000, 4500],
        [1, 2_000_000, 9600],
      ],
      true,
    ],
  ])('%s', (_name, looks, isOver) => {
    const patience = new Patience();
    const answers = looks.map(([executions = 0, operations = 0, ms = 0]) =>
      patience.isOver(executions, operations, ms),
    );
    expect(answers.at(-1)).toBe(isOver);
  });
});

/** Time is linear in operations: with anything quadratic these take minutes. */
describe('long executions', () => {
  const x = cell('x');
  const y = cell('y');
  const long = (operations: number, others: () => Generator<Operation, void, unknown>) =>
    bare(function* () {
      yield* others();
      for (let i = 0; i < operations; i += 2) {
        const value = yield load(x);
        yield store(x, ((value as number) + i) % 7);
      }
    });
  const alone = long(110_000, function* () {});
  /** Two executions, which have nearly all in common but are both long, and more states than are usually kept. */
  const twice = long(210_000, function* () {
    yield { kind: 'choose', count: 2 };
    yield store(y, 1);
  });

  test.each(['optimal', 'source', 'dfs'])('%s', (algorithm) => {
    const result = checkSync(alone, { algorithm, model: 'sc', timeout: 20 });
    expect(result).toMatchObject({ verdict: 'ok', executions: { complete: 1 } });
  });

  /** Fewer: its time is still quadratic in what one thread does, and was far worse. */
  test('vc', () => {
    const few = long(2000, function* () {});
    const result = checkSync(few, { algorithm: 'vc', model: 'sc', timeout: 20 });
    expect(result).toMatchObject({ verdict: 'ok', executions: { complete: 1 } });
  });

  test('trust', () => {
    expect(checkSync(twice, { timeout: 20 })).toMatchObject({ verdict: 'ok', executions: { complete: 2 } });
  });
});
