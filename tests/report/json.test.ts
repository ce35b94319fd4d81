import { describe, expect, test } from 'vitest';
import { jsonReport } from '../../src/report/json.ts';
import { checkReportSchema } from '../../src/report/schema.ts';
import { jsonOf } from '../../src/report/values.ts';
import { cwd, resultOf } from './reports.ts';

test.each([
  'verified',
  'blocked',
  'counter',
  'race',
  'deadlock',
  'livelock',
  'unlock-stranger',
  'values',
  'two-errors',
])('the JSON of %s is as the schema has it, also after a round trip', async (name) => {
  const report = jsonReport(await resultOf(name, { keepGoing: true }), cwd);
  expect(checkReportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
});

test('the JSON of a failure', async () => {
  const { version, ...report } = jsonReport(await resultOf('race'), cwd);
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
  expect(report).toMatchInlineSnapshot(`
    {
      "algorithm": "trust",
      "algorithmOptions": {
        "equivalence": "co",
      },
      "compileMs": 0,
      "elapsedMs": 12.346,
      "equivalence": "co",
      "errors": [
        {
          "accesses": [
            {
              "location": "data",
              "op": "load",
              "order": "plain",
              "readsFrom": -1,
              "source": {
                "column": 15,
                "file": "race.ts",
                "line": 8,
              },
              "thread": 0,
              "value": 0,
            },
            {
              "location": "data",
              "op": "store",
              "order": "plain",
              "source": {
                "column": 17,
                "file": "race.ts",
                "line": 6,
              },
              "thread": 1,
              "value": 1,
            },
          ],
          "kind": "race",
          "location": {
            "column": 15,
            "file": "race.ts",
            "line": 8,
          },
          "message": "data race on data: main loads and writer stores it, and nothing orders the two",
          "preemptions": 0,
          "threads": [
            {
              "id": 0,
              "name": "main",
              "next": {
                "op": "join",
                "source": {
                  "column": 17,
                  "file": "race.ts",
                  "line": 9,
                },
                "target": 1,
                "thread": 0,
              },
              "state": "waiting",
            },
            {
              "id": 1,
              "name": "writer",
              "next": {
                "location": "data",
                "op": "store",
                "order": "plain",
                "source": {
                  "column": 17,
                  "file": "race.ts",
                  "line": 6,
                },
                "thread": 1,
                "value": 1,
              },
              "state": "ready",
            },
          ],
          "trace": [
            {
              "op": "spawn",
              "source": {
                "column": 25,
                "file": "race.ts",
                "line": 5,
              },
              "target": 1,
              "thread": 0,
            },
            {
              "location": "data",
              "op": "load",
              "order": "plain",
              "readsFrom": -1,
              "source": {
                "column": 15,
                "file": "race.ts",
                "line": 8,
              },
              "thread": 0,
              "value": 0,
            },
          ],
        },
      ],
      "executions": {
        "blocked": 0,
        "complete": 0,
        "erroneous": 1,
        "overBound": 0,
        "redundant": 0,
      },
      "model": "sc",
      "program": "race.ts",
      "verdict": "error",
    }
  `);
});

describe('a value', () => {
  class Point {
    x = 1;
  }
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const shared = { a: 1 };

  test.each<[string, unknown]>([
    ['a number', 1.5],
    ['a text', 'text'],
    ['null', null],
    ['a list', [1, [true, 'x']]],
    ['an object', { a: { b: [null] } }],
    ['an object that occurs twice', [shared, shared]],
  ])('%s is itself', (_, value) => expect(jsonOf(value)).toEqual(value));

  test.each<[unknown, string]>([
    [undefined, 'undefined'],
    [10n, '10n'],
    [-0, '-0'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [Symbol('s'), 'Symbol(s)'],
    [() => 1, 'function (anonymous)'],
    [new Point(), 'Point { x: 1 }'],
    [[1, undefined], '[1, undefined]'],
    [{ big: 1n }, '{ big: 1n }'],
    [cyclic, '{ self: { self: {…} } }'],
    [new Map(), 'Map'],
    [new Date(0), 'Date'],
  ])('that JSON cannot hold is text', (value, shown) => expect(jsonOf(value)).toBe(shown));
});
