import { describe, expect, test } from 'vitest';
import type { IrFunction } from '../../../src/c/ir/module.ts';
import {
  buildCfg,
  type Cfg,
  dominanceFrontiers,
  findDominators,
  findLoops,
  removeUnreachable,
} from '../../../src/c/passes/analyses/cfg.ts';
import { Random } from './generator.ts';
import { functionOf, parse, show } from './show.ts';

/** A function with these edges; blocks without any return. */
function graph(edges: Readonly<Record<string, string>>): IrFunction {
  const names = new Set(Object.keys(edges).flatMap((name) => [name, ...edges[name]!.split(' ')]));
  const lines = [...names]
    .filter((name) => name !== '')
    .map((name) => {
      const targets = (edges[name] ?? '').split(' ').filter((target) => target !== '');
      const [first, ...others] = targets;
      if (first === undefined) return `${name}:\n  ret void`;
      const cases = others.map((target, i) => `i32 ${i}, label %${target}`);
      return `${name}:\n  switch i32 %x, label %${first} [ ${cases.join(' ')} ]`;
    });
  return functionOf(parse(`define void @f(i32 %x) {\n${lines.join('\n')}\n}\n`));
}

function names(cfg: Cfg, list: Iterable<number>): string {
  return [...list].map((i) => cfg.blocks[i]!.name).join(' ');
}

function loopsOf(f: IrFunction): string[] {
  return findLoops(buildCfg(f)).map(({ header, blocks, latches, entries, isIrreducible, parent }) => {
    const body = [...blocks].map(({ name }) => name).join(' ');
    const into = entries.map(({ from, to }) => `${from.name}→${to.name}`).join(' ');
    const back = latches.map(({ name }) => name).join(' ');
    return `${header.name}: ${body}; in ${into}; back ${back}${isIrreducible ? '; irreducible' : ''}${
      parent === undefined ? '' : `; inside ${parent.header.name}`
    }`;
  });
}

describe('the graph', () => {
  const f = graph({ a: 'b c', b: 'd', c: 'd', d: 'a2', a2: 'd e' });
  const cfg = buildCfg(f);

  test('reverse postorder begins with the entry and goes from definitions to uses', () => {
    expect(names(cfg, cfg.blocks.keys())).toBe('a b c d a2 e');
  });

  test('predecessors are given once for each edge', () => {
    expect(cfg.predecessors.map((list) => names(cfg, list))).toEqual(['', 'a', 'a', 'b c a2', 'd', 'a2']);
    const twice = buildCfg(graph({ a: 'b b c', c: 'b' }));
    expect(names(twice, twice.predecessors[twice.index.get(twice.blocks.find(({ name }) => name === 'b')!)!]!)).toBe(
      'a a c',
    );
  });

  test('dominators', () => {
    const dominators = findDominators(cfg);
    expect(names(cfg, dominators.immediate)).toBe('a a a a d a2');
    expect(dominators.dominates(0, 5)).toBe(true);
    expect(dominators.dominates(3, 3)).toBe(true);
    expect(dominators.dominates(1, 3)).toBe(false);
    expect(dominators.dominates(5, 0)).toBe(false);
  });

  test('dominance frontiers', () => {
    const frontiers = dominanceFrontiers(cfg, findDominators(cfg));
    expect(frontiers.map((list) => names(cfg, list))).toEqual(['', 'd', 'd', 'd', 'd', '']);
  });

  test('a function of 20,000 blocks', () => {
    const edges: Record<string, string> = {};
    for (let i = 0; i < 20_000; i++) edges[`b${i}`] = `b${i + 1}`;
    edges['b20000'] = 'b1 end';
    const large = buildCfg(graph(edges));
    expect(large.blocks.length).toBe(20_002);
    expect(findDominators(large).dominates(1, 20_000)).toBe(true);
    expect(findLoops(large).map(({ blocks }) => blocks.size)).toEqual([20_000]);
  });
});

test('unreachable blocks go, and their values in phis', () => {
  const m = parse(`define i32 @f(i32 %x) {
entry:
  br label %join
dead:
  br label %join
deadtoo:
  br label %dead
join:
  %p = phi i32 [ 1, %entry ], [ 2, %dead ]
  ret i32 %p
}`);
  const f = functionOf(m);
  expect(removeUnreachable(f)).toBe(true);
  expect(show(f)).toBe('entry:\n  br join\njoin:\n  %p = phi [1, entry]\n  ret %p');
  expect(removeUnreachable(f)).toBe(false);
});

describe('loops', () => {
  test('none', () => expect(loopsOf(graph({ a: 'b c', b: 'd', c: 'd' }))).toEqual([]));

  test('a block that goes to itself', () => {
    expect(loopsOf(graph({ a: 'b', b: 'b c' }))).toEqual(['b: b; in a→b; back b']);
  });

  test('several back edges to one header are one loop', () => {
    expect(loopsOf(graph({ a: 'h', h: 'b c x', b: 'h', c: 'h' }))).toEqual(['h: h b c; in a→h; back b c']);
  });

  test('nested and after each other', () => {
    const f = graph({ a: 'o', o: 'i x', i: 'ib il', ib: 'i', il: 'o', x: 'y', y: 'x z' });
    expect(loopsOf(f)).toEqual([
      'o: o i ib il; in a→o; back il',
      'x: x y; in o→x; back y',
      'i: i ib; in o→i; back ib; inside o',
    ]);
  });

  test('two entries: an irreducible loop, whose header is what a search reaches first', () => {
    const f = graph({ a: 'b c', b: 'c', c: 'b d' });
    expect(loopsOf(f)).toEqual(['c: c b; in a→c a→b; back b; irreducible']);
  });

  test('every cycle of a random graph leads through the header of a loop', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = new Random(seed);
      const edges: Record<string, string> = { entry: 'b0 b1' };
      for (let i = 0; i < 8; i++) {
        edges[`b${i}`] = Array.from({ length: random.below(4) }, () => `b${random.below(8)}`).join(' ');
      }
      const cfg = buildCfg(graph(edges));
      const closed = new Set<string>();
      for (const { header, latches } of findLoops(cfg)) {
        for (const latch of latches) closed.add(`${latch.name} ${header.name}`);
      }
      // Without the back edges, taking away blocks without predecessors again and again leaves nothing.
      const left = new Set(cfg.blocks.keys());
      const isFree = (block: number) =>
        cfg.predecessors[block]!.every(
          (from) => !left.has(from) || closed.has(`${cfg.blocks[from]!.name} ${cfg.blocks[block]!.name}`),
        );
      for (let block = [...left].find(isFree); block !== undefined; block = [...left].find(isFree)) left.delete(block);
      expect([...left], `seed ${seed}`).toEqual([]);
    }
  });
});
