/** The laws of memory models, for ours, and for some that are wrong. */
import { describe, expect, test } from 'vitest';
import type { Graph } from '../../src/graph/graph.ts';
import type { GraphModel } from '../../src/models/model.ts';
import { type ModelName, models } from '../../src/models/registry.ts';
import { modelNames } from '../oracle/axioms.ts';
import { partsProgram } from '../random/parts.ts';
import { randomWeakProgram } from '../random/weak.ts';
import { byTier } from '../tier.ts';
import { ByAxioms } from './laws/by-axioms.ts';
import * as wrong from './laws/wrong-models.ts';
import { brokenLaws, checkModel, type Law, type ModelUnderTest } from './laws.ts';
import { litmusProgram } from './litmus/program.ts';
import { litmusTests } from './litmus.ts';

const classics = litmusTests.map(({ threads }) => litmusProgram(threads));
const tried = classics.filter((_, i) => byTier({ normal: i % 8 === 0, long: true }));
const random = Array.from({ length: byTier({ normal: 12, long: 80 }) }, (_, seed) => randomWeakProgram(seed));
const parts = Array.from({ length: byTier({ normal: 12, long: 80 }) }, (_, seed) => partsProgram(seed));

describe.each(modelNames)('%s obeys the laws', (axioms) => {
  describe.each(['co', 'rf'] as const)('with the equivalence %s', (equivalence) => {
    const model = { axioms, equivalence, make: models[axioms].graph[equivalence] };

    test('on the litmus tests', () => checkModel(model, tried));

    test('on random programs', () => checkModel(model, random));

    test('on random programs that access parts', () => checkModel(model, parts));
  });
});

test.each(modelNames)('the axioms of %s obey the laws', (axioms) => {
  checkModel({ equivalence: 'co', make: (g) => new ByAxioms(g, axioms) }, random.slice(0, 40));
});

const co = (Wrong: new (g: Graph) => GraphModel, axioms?: ModelName): ModelUnderTest => {
  return { equivalence: 'co', make: (g) => new Wrong(g), ...(axioms === undefined ? {} : { axioms }) };
};
const rf = (Wrong: new (g: Graph) => GraphModel, axioms: ModelName): ModelUnderTest => {
  return { equivalence: 'rf', make: (g) => new Wrong(g), axioms };
};

/** Wrong models, a program on which that shows, and the laws that they break there. */
const wrongModels: readonly (readonly [string, ModelUnderTest, readonly string[], readonly Law[]])[] = [
  [
    'RA that forgets what was read',
    co(wrong.WithoutReads, 'ra'),
    ['x = 1 rlx', 'a = x rlx; b = x rlx'], // CoRR
    ['exact'],
  ],
  [
    'TSO without fences',
    co(wrong.WithoutFences, 'tso'),
    ['x = 1 rlx; fence sc; a = y rlx', 'y = 1 rlx; fence sc; b = x rlx'], // SB+fences sc
    ['exact'],
  ],
  [
    'SC for reads-from that does not search',
    rf(wrong.WithoutSearch, 'sc'),
    ['x = 1 rlx', 'x = 2 rlx', 'a = x rlx; b = x rlx'], // CoRR2
    ['exact', 'independent of insertion order'],
  ],
  [
    'SC that refuses the last place to a write',
    co(wrong.NeverLast),
    ['x = 1 rlx', 'x = 2 rlx'],
    ['independent of insertion order', 'maximally extensible'],
  ],
  [
    'SC that refuses the writes of some updates',
    co(wrong.WithoutForeignUpdates),
    ['a = add(x, 1) rlx', 'b = add(x, 1) rlx'],
    ['exclusive-write extensible', 'maximally extensible'],
  ],
  [
    'SC that minds old reads until it sees a fence', // the graph with the fence is allowed, its part without is not
    co(wrong.UntilFence),
    ['x = 1 rlx; a = y rlx', 'y = 1 rlx; b = x rlx', 'fence sc'],
    ['independent of insertion order', 'prefix-closed'],
  ],
  [
    'SC that looks at reads only', // in R, the write that closes the cycle may come after the read
    co(wrong.OnlyAtReads),
    ['x = 1 rlx; y = 1 rlx', 'y = 2 rlx; a = x rlx'],
    ['independent of insertion order'],
  ],
  [
    'RA that says yes to every question about a single write',
    co(wrong.Agreeable),
    ['x = 1 rlx; a = x rlx'],
    ['of one mind'],
  ],
  [
    'SC that takes nothing back',
    co(wrong.WithoutUndo),
    ['x = 1 rlx; a = y rlx', 'y = 1 rlx; b = x rlx'],
    ['undone without a trace'],
  ],
];

describe('a wrong model is rejected by the laws that it breaks', () => {
  test.each(wrongModels)('%s', (_, model, threads, laws) => {
    const programs = Array.from({ length: 20 }, () => litmusProgram(threads));
    expect([...brokenLaws(model, programs).keys()].sort()).toEqual(laws);
  });
});
