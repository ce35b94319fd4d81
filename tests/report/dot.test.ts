import { expect, test } from 'vitest';
import { dotReport } from '../../src/report/dot.ts';
import { cwd, errorOf, resultOf } from './reports.ts';

test('the graph of a race', async () => {
  expect(dotReport(await errorOf('race'), await resultOf('race'), cwd)).toMatchInlineSnapshot(`
    "digraph execution {
      label="data race: data race on data: main loads and writer stores it, and nothing orders the two"; labelloc=t; fontname="sans-serif";
      node [shape=box, style=rounded, fontname="monospace", fontsize=11];
      edge [fontname="sans-serif", fontsize=9];
      subgraph cluster_0 {
        label="main"; color=gray; fontname="sans-serif";
        start0 [label="start", shape=plaintext];
        e0 [label="#1  spawn writer\\nrace.ts:5"];
        e1 [label="#2  data → 0\\nrace.ts:8", color=red];
        end0 [label="join writer (waits)\\nrace.ts:9", color=red, style="rounded,dashed"];
      }
      subgraph cluster_1 {
        label="writer"; color=gray; fontname="sans-serif";
        start1 [label="start", shape=plaintext];
        end1 [label="data = 1\\nrace.ts:6", color=red, style="rounded,dashed"];
      }
      start0 -> e0 -> e1 -> end0;
      start1 -> end1;
      e0 -> start1 [label="spawn", color=blue, fontcolor=blue];
      e1 -> end1 [label="race", color=red, fontcolor=red, dir=none, constraint=false];
    }
    "
  `);
});

test.each(['counter', 'race', 'deadlock', 'livelock', 'unlock-stranger', 'values'])(
  'the graph of %s declares every node that its edges join, and quotes its labels',
  async (name) => {
    const dot = dotReport(await errorOf(name), await resultOf(name), cwd);
    const bare = dot.replaceAll(/"(?:[^"\\]|\\.)*"/g, 'LABEL');
    expect(bare).not.toMatch(/["\\→✓✗]/);
    expect(bare.split('{').length).toBe(bare.split('}').length);
    const declared = new Set([...bare.matchAll(/^ {4}(\w+) \[/gm)].map(([, node]) => node));
    const joined = [...bare.matchAll(/^ {2}(\w+(?: -> \w+)+)/gm)].flatMap(([, path = '']) => path.split(' -> '));
    expect(joined.length).toBeGreaterThan(2);
    for (const node of joined) expect(declared).toContain(node);
  },
);
